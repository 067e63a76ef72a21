import type { ProfileName } from "@tunelab/contract";
import { type DeviceTarget, dumpSpirv } from "@tunelab/devices";
import { type Inspection, inspectSpirv, isAvoidable, type PlacedClamp } from "@tunelab/variants/spirv";
import { standInFor } from "./stand-in.ts";
import type { SubjectText } from "./texts.ts";

/** A text under one profile. */
export interface Looked {
  readonly profile: ProfileName;
  readonly inspection: Inspection;
  /** The device cannot hold the text: a smaller one with the same ranges of indexes was compiled in its place. */
  readonly stoodIn: boolean;
}

/** A compiler that hangs ends a look; one that is starved must not: texts of 100,000 instructions took over a minute on two cores under a load of 20. */
const DEADLINE_MS = 600_000;

/**
 * Compiles a text under a profile and says what Tint made of it; undefined where the device holds neither the text nor a stand-in. Clamps are
 * those of the text itself: what stood in is named by the arrays and lines of the true text.
 */
export async function look(
  target: DeviceTarget,
  profile: ProfileName,
  { wgsl, entryPoint }: SubjectText,
): Promise<Looked | undefined> {
  const standIn = standInFor(wgsl, target.info.capabilities.limits);
  if (!standIn) return undefined;
  const disassembly = await dumpSpirv({
    target,
    profile,
    wgsl: standIn.wgsl,
    entryPoint,
    deadlineMs: DEADLINE_MS,
  });
  const found = inspectSpirv(disassembly, wgsl);
  const { zeroedBytes } = found.safety;
  const clamps = found.clamps.map(
    (clamp): PlacedClamp => (standIn.moved.includes(clamp.array) ? { ...clamp, space: "workgroup" } : clamp),
  );
  const safety = { ...found.safety, zeroedBytes: zeroedBytes > 0 ? zeroedBytes + standIn.movedBytes : 0 };
  return { profile, inspection: { ...found, clamps, safety }, stoodIn: standIn.stoodIn };
}

/** Instructions that a clamp takes: a minimum; of a runtime-sized array also the length, one less, and the array's address. */
const INSTRUCTIONS: Readonly<Record<PlacedClamp["bound"], number>> = { fixed: 1, runtime: 4 };

/** Instructions of a loop's counter: 2^64 rounds in two words, set, tested and counted down. */
const GUARD_INSTRUCTIONS = 18;

/** What was counted of one text under one profile. */
export interface Figures {
  readonly instructions: number;
  /** Clamps that another form of the index spares, those of indexes read from memory, and those of runtime-sized arrays. */
  readonly avoidable: number;
  readonly data: number;
  readonly runtime: number;
  readonly guardedLoops: number;
  readonly checkedDivisions: number;
  readonly shuffleGuards: number;
  readonly zeroedBytes: number;
}

export function figuresOf({ total, clamps, safety }: Inspection): Figures {
  const count = (wanted: (clamp: PlacedClamp) => boolean): number => clamps.filter(wanted).length;
  return {
    instructions: total,
    avoidable: count(isAvoidable),
    data: count(({ bound, origin }) => bound === "fixed" && origin === "data"),
    runtime: count(({ bound }) => bound === "runtime"),
    guardedLoops: safety.guardedLoops,
    checkedDivisions: safety.checkedDivisions,
    shuffleGuards: safety.shuffleGuards,
    zeroedBytes: safety.zeroedBytes,
  };
}

/** Instructions of the portable text beyond the native one that clamps, counters of loops and lanes of shuffles do not account for: 0, or something has no name yet. */
export const unnamed = (portable: Figures, native: Figures): number =>
  portable.instructions -
  native.instructions -
  INSTRUCTIONS.fixed * (portable.avoidable + portable.data) -
  INSTRUCTIONS.runtime * portable.runtime -
  GUARD_INSTRUCTIONS * portable.guardedLoops -
  portable.shuffleGuards;
