import type { Plan } from "./plan.ts";

/** JSON with sorted keys; typed arrays become their type and words, so equal data gives equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof Float32Array) return { f32: [...new Uint32Array(part.slice().buffer)] };
    if (part instanceof Uint32Array) return { u32: [...part] };
    if (part && typeof part === "object" && !Array.isArray(part)) {
      return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
    }
    return part;
  });
}

const hex = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** SHA-256 of a text, in lowercase hex. WebCrypto exists in every runtime that has WebGPU (both need a secure context). */
export async function sha256(text: string): Promise<string> {
  return hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** Identity of a plan: the first 16 hex digits of the SHA-256 of its canonical JSON. Variant ids are labels and take no part. */
export async function planHash(plan: Plan): Promise<string> {
  return (await sha256(canonicalJson(plan))).slice(0, 16);
}
