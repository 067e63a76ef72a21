import { Fault, problemKey } from "@tunelab/contract";
import type { DeviceTarget } from "@tunelab/devices";
import { isAvoidable, type PlacedClamp } from "@tunelab/variants/spirv";
import type { Io } from "../io.ts";
import { loadSuite } from "../registry.ts";
import { stepsProgress } from "../steps.ts";
import { type Figures, figuresOf, look, unnamed } from "./inspect.ts";
import { KNOWN, knownFor, loopsKnown } from "./known.ts";
import { type Subject, type SubjectText, textsOf } from "./texts.ts";

/** One text of a variant under both profiles. */
export interface Row extends Subject {
  readonly stage: string;
  readonly stoodIn: boolean;
  readonly portable: Figures;
  readonly native: Figures;
  /** Instructions that portable has beyond native and that no clamp accounts for. */
  readonly unnamed: number;
  /** Clamps of the portable text. */
  readonly clamps: readonly PlacedClamp[];
}

/** Compilers at work at once: one for each of two cores. */
const AT_ONCE = 2;

/**
 * Compiles every text of the subjects under both profiles. Rejects with `Fault` unsupported when the device can hold some text in no form.
 */
export async function rowsOf(
  target: DeviceTarget,
  subjects: readonly Subject[],
  io: Io,
): Promise<readonly Row[]> {
  const jobs: { readonly subject: Subject; readonly text: SubjectText }[] = [];
  for (const subject of subjects) {
    const { operation } = await loadSuite(subject.kernel);
    for (const text of await textsOf(operation, subject)) jobs.push({ subject, text });
  }
  const progress = stepsProgress(io, jobs.length);
  const rows = new Array<Row>(jobs.length);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < jobs.length; at = next++) {
      io.signal.throwIfAborted();
      const { subject, text } = jobs[at]!;
      progress.next(`${subject.kernel} ${problemKey(subject.problem)} ${text.stage}`);
      rows[at] = await rowOf(target, subject, text);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    progress.stop();
  }
  return rows;
}

async function rowOf(target: DeviceTarget, subject: Subject, text: SubjectText): Promise<Row> {
  const portable = await look(target, "portable", text);
  const native = await look(target, "native", text);
  if (!portable || !native) {
    const { kernel, problem, variant } = subject;
    throw new Fault(
      "unsupported",
      `${kernel} ${problemKey(problem)} ${variant} ${text.stage} fits ${target.id} in no form: look at it on a larger device`,
    );
  }
  const [ours, theirs] = [figuresOf(portable.inspection), figuresOf(native.inspection)];
  return {
    ...subject,
    stage: text.stage,
    stoodIn: portable.stoodIn,
    portable: ours,
    native: theirs,
    unnamed: unnamed(ours, theirs),
    clamps: portable.inspection.clamps,
  };
}

/** Forms that exist to be compared with the others, clamped as documented: masked indexes, and passes as a loop over levels. */
export const isExperiment = ({ variant }: Pick<Row, "variant">): boolean =>
  /(?:\bi|I)ndex=mask\b|(?:\bu|U)nroll=false\b/.test(variant);

/** What is wrong, a line each: avoidable clamps outside the ledger, and unproven loops or divisions that a form of the text spares. */
export function complaints(rows: readonly Row[]): readonly string[] {
  return rows
    .filter((row) => !isExperiment(row))
    .flatMap((row) => {
      const where = `${row.kernel} ${problemKey(row.problem)} ${row.variant} ${row.stage}`;
      const clamped = row.clamps.filter((clamp) => isAvoidable(clamp) && !knownFor(row.kernel, clamp));
      return [
        ...clamped.map(
          ({ space, array, line }) =>
            `${where}: the index of ${space} ${array} is clamped${line ? ` at line ${line.number}: ${line.text}` : ""}`,
        ),
        ...(row.portable.guardedLoops > 0 && !loopsKnown(row.kernel, row.stage)
          ? [`${where}: a loop is not proven to end and counts its rounds`]
          : []),
        ...(row.portable.checkedDivisions > 0
          ? [`${where}: a divisor is no constant and is checked for zero`]
          : []),
        ...(row.unnamed !== 0 ? [`${where}: ${row.unnamed} instructions of portable have no name`] : []),
      ];
    });
}

/** Entries of the ledger that none of these rows answers to, a line each; only a look at everything shows that. */
export function forgotten(rows: readonly Row[]): readonly string[] {
  return KNOWN.filter(
    (one) =>
      !rows.some((row) =>
        row.clamps.some((clamp) => isAvoidable(clamp) && knownFor(row.kernel, clamp) === one),
      ),
  ).map(
    ({ kernel, arrays }) =>
      `the ledger names clamps of ${kernel} ${arrays.join(", ")} that are gone: remove the entry`,
  );
}
