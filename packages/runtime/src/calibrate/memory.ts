import { canonicalJson, type DeviceInfo, type Problem, type ProfileName, sha256 } from "@tunelab/contract";
import type { Calibrated } from "@tunelab/selection";

/** Where calibrations are kept between runs: `localStorage`, a file, a database. Texts by key; a miss is null or undefined. */
export interface CalibrationCache {
  get(key: string): string | null | undefined | Promise<string | null | undefined>;
  set(key: string, value: string): void | Promise<void>;
}

/** Hex digits of a fingerprint: two devices are confused once in 10^19. */
const DIGITS = 16;

/** What a device is, as far as the race's result depends on it: identity, limits, features, profile. */
export async function deviceFingerprint(device: DeviceInfo, profile: ProfileName): Promise<string> {
  return (await sha256(canonicalJson({ device, profile }))).slice(0, DIGITS);
}

/** The shape of the problem: a race's winner holds for every batch of it. */
export const cacheKey = (operation: string, shape: string, fingerprint: string, version: string): string =>
  `tunelab ${operation} ${shape} ${fingerprint} ${version}`;

export const storedText = (calibrated: Calibrated): string => canonicalJson(calibrated);

/** A stored calibration; undefined for anything else: a cache may hold what others wrote. */
export function parseStored(text: string | null | undefined): Calibrated | undefined {
  if (!text) return undefined;
  try {
    const { variant, problem, us, raced } = JSON.parse(text) as Record<string, unknown>;
    if (typeof variant !== "string" || typeof us !== "number" || typeof raced !== "number") return undefined;
    if (typeof problem !== "object" || problem === null) return undefined;
    return { variant, us, raced, problem: problem as Problem };
  } catch {
    return undefined;
  }
}

/** What keeps the calibrations of one operation on one device. */
export interface Keeper {
  readonly cache: CalibrationCache;
  readonly operation: string;
  /** Of the tables: a calibration is kept under it. */
  readonly version: string;
  readonly device: DeviceInfo;
  readonly profile: ProfileName;
}

/** Under what a calibration is kept: another device, profile or table has another key. */
const keyOf = async ({ operation, version, device, profile }: Keeper, shape: string): Promise<string> =>
  cacheKey(operation, shape, await deviceFingerprint(device, profile), version);

export const recall = async (keeper: Keeper, shape: string): Promise<Calibrated | undefined> =>
  parseStored(await keeper.cache.get(await keyOf(keeper, shape)));

export const remember = async (keeper: Keeper, shape: string, found: Calibrated): Promise<void> =>
  keeper.cache.set(await keyOf(keeper, shape), storedText(found));
