/** What `lab pack` bakes into a bundle; absent in a checkout. */
declare const TUNELAB_PACKED:
  | { readonly version: string; readonly commit: string; readonly dirty: boolean }
  | undefined;

export const packed:
  | { readonly version: string; readonly commit: string; readonly dirty: boolean }
  | undefined = typeof TUNELAB_PACKED === "undefined" ? undefined : TUNELAB_PACKED;

/** Version of the laboratory, in sessions and `--version`. */
export const VERSION = "0.1.0";

/** How a person starts a command here: `pnpm tune`, `pnpm lab devices`, or `node lab.mjs tune` when packed. */
export function commandLine(words: string): string {
  if (packed) return `node lab.mjs ${words}`;
  return /^(tune|tables|compare|ship)\b/.test(words) ? `pnpm ${words}` : `pnpm lab ${words}`;
}
