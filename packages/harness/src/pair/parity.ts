import {
  type BufferParity,
  type BufferSpec,
  bufferBytes,
  flatSteps,
  type Plan,
  type PortData,
  portOf,
} from "@tunelab/contract";
import { wordsOf } from "../words.ts";

/**
 * The plan with its scratch and counter buffers readable under their own names, so that intermediates can be compared. Text,
 * steps and sizes stay; what runs is what was planned. A buffer that a once-step fills keeps its contents and stays hidden:
 * poison would destroy it.
 */
export function exposed(plan: Plan): Plan {
  const taken = new Set(plan.buffers.flatMap((buffer) => portOf(buffer) ?? []));
  const once = plan.steps.filter((step) => step.kind === "once");
  const kept = new Set(
    [...flatSteps(once)].flatMap((step) =>
      "bindings" in step
        ? step.bindings.map(({ buffer }) => buffer)
        : step.kind === "copy"
          ? [step.to.buffer]
          : [step.buffer],
    ),
  );
  const show = (buffer: BufferSpec): BufferSpec =>
    (buffer.role === "scratch" || buffer.role === "counter") &&
    portOf(buffer) === undefined &&
    !taken.has(buffer.name) &&
    !kept.has(buffer.name)
      ? { ...buffer, port: buffer.name }
      : buffer;
  return { ...plan, buffers: plan.buffers.map(show) };
}

/** A readable buffer of a plan by the name under which it is compared. */
interface Readable {
  readonly spec: BufferSpec;
  readonly intermediate: boolean;
}

function readable(plan: Plan): ReadonlyMap<string, Readable> {
  return new Map(
    plan.buffers.flatMap((spec) => {
      const port = portOf(spec);
      if (port === undefined || spec.role === "in") return [];
      return [[port, { spec, intermediate: spec.role !== "out" && spec.role !== "inout" }] as const];
    }),
  );
}

/** A buffer to compare, or why it cannot be. */
export interface Named {
  readonly name: string;
  readonly role: BufferParity["role"];
  readonly skipped?: string;
}

/**
 * Every named buffer that both plans (exposed) declare, ports first. Skipped with a reason: other types or sizes, and
 * intermediates of a batch that was cut, which hold the last piece alone.
 */
export function commonBuffers(base: Plan, candidate: Plan, pieces: readonly number[]): readonly Named[] {
  const theirs = readable(candidate);
  const found: Named[] = [];
  for (const [name, { spec, intermediate }] of readable(base)) {
    const other = theirs.get(name);
    if (!other) continue;
    const skipped = incomparable(
      spec,
      base,
      other.spec,
      candidate,
      intermediate || other.intermediate,
      pieces,
    );
    const role = intermediate ? "intermediate" : "port";
    found.push({ name, role, ...(skipped === undefined ? {} : { skipped }) });
  }
  return found.sort((a, b) => Number(a.role === "intermediate") - Number(b.role === "intermediate"));
}

function incomparable(
  base: BufferSpec,
  basePlan: Plan,
  candidate: BufferSpec,
  candidatePlan: Plan,
  intermediate: boolean,
  pieces: readonly number[],
): string | undefined {
  if (base.dtype !== candidate.dtype) return `${base.dtype} against ${candidate.dtype}`;
  const sizes = [bufferBytes(base, basePlan.batch.items), bufferBytes(candidate, candidatePlan.batch.items)];
  if (sizes[0] !== sizes[1]) return `${sizes[0]} bytes against ${sizes[1]}`;
  const cut = Math.max(...pieces);
  return intermediate && cut > 1 ? `holds the last of ${cut} pieces` : undefined;
}

/** Words that differ between two buffers of one length, and the first of them. */
export function differingWords(
  a: PortData[string],
  b: PortData[string],
): { readonly differing: number; readonly first?: number } {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  let differing = Math.abs(left.length - right.length);
  let first: number | undefined = differing > 0 ? Math.min(left.length, right.length) : undefined;
  for (let index = Math.min(left.length, right.length) - 1; index >= 0; index -= 1) {
    if (left[index] === right[index]) continue;
    differing += 1;
    first = index;
  }
  return { differing, ...(first === undefined ? {} : { first }) };
}

/** Adds one seed's look at a buffer to what earlier seeds gave. */
export function addParity(sum: BufferParity | undefined, one: BufferParity): BufferParity {
  if (!sum) return one;
  const first = sum.first ?? one.first;
  return {
    ...sum,
    words: sum.words + one.words,
    differing: sum.differing + one.differing,
    unstable: sum.unstable + one.unstable,
    ...(first === undefined ? {} : { first }),
  };
}
