import {
  COMPARISON_METHODS,
  type ComparisonMethod,
  Fault,
  PROFILES,
  type ProfileName,
  REFERENCE_KERNELS,
  type ReferenceKernel,
  WORKLOAD_NAMES,
  type WorkloadName,
} from "@tunelab/contract";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `90s`, `10m`, `1.5h`. @throws Fault `usage`. */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim());
  const ms = match ? Number(match[1]) * UNITS[match[2]!]! : Number.NaN;
  if (!(ms > 0)) throw new Fault("usage", `"${text}" is no duration: write 90s, 10m or 1h`);
  return ms;
}

/** A whole number >= 0. @throws Fault `usage` naming the option. */
export function parseWhole(text: string, option: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text.trim()) || !Number.isSafeInteger(value)) {
    throw new Fault("usage", `${option} takes a whole number, not "${text}"`);
  }
  return value;
}

/** A whole number from `least` to `most`. @throws Fault `usage` naming the option and the bounds. */
export function parseCount(text: string, option: string, least: number, most: number): number {
  const value = parseWhole(text, option);
  if (value >= least && value <= most) return value;
  throw new Fault("usage", `${option} takes ${least} to ${most}, not ${value}`);
}

/** A port from 0 (any free one) to 65535. @throws Fault `usage`. */
export function parsePort(text: string): number {
  const port = parseWhole(text, "--port");
  if (port > 65_535) throw new Fault("usage", `--port takes a number up to 65535, not ${port}`);
  return port;
}

const choice = <T extends string>(what: string, text: string, names: readonly T[]): T => {
  if ((names as readonly string[]).includes(text)) return text as T;
  throw new Fault("usage", `unknown ${what} "${text}": there is ${names.join(", ")}`);
};

export const parseProfile = (text: string): ProfileName =>
  choice("profile", text, Object.keys(PROFILES) as ProfileName[]);

export const parseWorkload = (text: string): WorkloadName => choice("workload", text, WORKLOAD_NAMES);

export const parseMethod = (text: string): ComparisonMethod => choice("method", text, COMPARISON_METHODS);

export const parseReference = (text: string): ReferenceKernel => choice("reference", text, REFERENCE_KERNELS);
