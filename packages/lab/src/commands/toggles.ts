import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { bestNs, Fault, type Trial, type TrialOutcome } from "@tunelab/contract";
import { type Bench, chooseDevice, openBench } from "@tunelab/devices";
import { columns, formatTime, gridText } from "@tunelab/report";
import { formatId } from "@tunelab/variants";
import type { Command } from "commander";
import { commandLine } from "../build.ts";
import { EXIT, ExitWith, type Io } from "../io.ts";
import { parseCount } from "../options.ts";
import { hostEntry, requireCheckout } from "../places.ts";
import { headerFor, writeWhole } from "../session.ts";
import {
  parseToggleTimes,
  readToggleTimes,
  TOGGLE_DATA,
  TOGGLE_SETS,
  type ToggleTimes,
  toggleTimesText,
  withToggleTimes,
} from "../spirv/toggle-times.ts";
import { stepsProgress } from "../steps.ts";
import { subjectFor, variantOf } from "../subject.ts";

interface Flags {
  readonly problem?: string;
  readonly variant: readonly string[];
  readonly device: string;
  readonly rounds: string;
  readonly record?: string;
  readonly import?: string;
  readonly write?: boolean;
  readonly json?: boolean;
}

const ROUNDS = { usual: 6, most: 100 } as const;
/** Items compared in full with the oracle in each measurement. */
const ORACLE_SAMPLE = 4;

export function register(program: Command, io: Io): void {
  program
    .command("toggles [kernel]")
    .description(
      "time a variant under portable, under each of native's toggles alone and under native: which of them costs what",
    )
    .option("--problem <dims>", "e.g. n=1024,pairs=32768 (default: the first of the quick workload)")
    .option(
      "--variant <id>",
      "canonical id, may be repeated (default: the default)",
      (value: string, all: readonly string[]): string[] => [...all, value],
      [],
    )
    .option("--device <id>", "device as `lab devices` names it, or auto", "auto")
    .option("--rounds <n>", "measurements under each set, in turn", String(ROUNDS.usual))
    .option("--record <file>", "keep the times in a file, to be imported into a checkout")
    .option("--import <file>", "take in what a packed laboratory recorded; measures nothing")
    .option("--write", `add the times to ${TOGGLE_DATA}; \`pnpm tables\` writes the page`)
    .option("--json", "print the times as JSON")
    .addHelpText(
      "after",
      "\nExample: pnpm lab toggles matched-filter --problem n=2048,data=4,templates=4,pairs=16 --variant fused/chunk=16 --variant fused/chunk=4",
    )
    .action((kernel: string | undefined, flags: Flags) => toggles(kernel, flags, io));
}

async function toggles(kernel: string | undefined, flags: Flags, io: Io): Promise<void> {
  if (flags.import !== undefined) {
    const path = flags.import;
    const text = await readFile(path, "utf8").catch(() => {
      throw new Fault("usage", `${path} cannot be read: give a file that --record wrote`);
    });
    return publish(parseToggleTimes(text, path), io);
  }
  if (!kernel) throw new Fault("usage", "name a kernel, or a file to --import");
  const times = await measured(kernel, flags, io);
  if (flags.record !== undefined) await writeWhole(flags.record, toggleTimesText(times));
  if (flags.write) await publish(times, io);
  if (flags.json) {
    io.out(JSON.stringify(times, null, 2));
    return;
  }
  io.out(
    gridText({
      columns: columns("variant", ...TOGGLE_SETS.map(({ name }) => `>${name}`), ">scatter", ">verified"),
      rows: times.map(({ variant, leastUs, scatter, matched, total }) => [
        variant,
        ...TOGGLE_SETS.map(({ name }) => formatTime(leastUs[name]!)),
        `${(100 * scatter).toFixed(0)}%`,
        `${matched}/${total}`,
      ]),
    }),
  );
}

async function publish(times: readonly ToggleTimes[], io: Io): Promise<void> {
  const root = requireCheckout();
  await writeWhole(
    join(root, TOGGLE_DATA),
    toggleTimesText(withToggleTimes(await readToggleTimes(root), times)),
  );
  io.note(`written: ${TOGGLE_DATA}; next: ${commandLine("tables")} writes the page`);
}

async function measured(kernel: string, flags: Flags, io: Io): Promise<readonly ToggleTimes[]> {
  const rounds = parseCount(flags.rounds, "--rounds", 1, ROUNDS.most);
  const subject = await subjectFor(kernel, flags);
  const ids = flags.variant.length > 0 ? flags.variant : [undefined];
  const chosen = ids.map((id) => variantOf(subject, id));
  const target = await chooseDevice(flags.device);
  io.note(
    `Device ${target.id} (${target.kind}): ${chosen.length} variants, ${TOGGLE_SETS.length} sets of toggles, ${rounds} rounds`,
  );
  const benches: Bench[] = [];
  const progress = stepsProgress(io, chosen.length * TOGGLE_SETS.length * rounds);
  const stop = (): void => void Promise.all(benches.map((bench) => bench.close())).catch(() => {});
  io.signal.addEventListener("abort", stop, { once: true });
  try {
    for (const { toggles: own } of TOGGLE_SETS)
      benches.push(await openBench(target, { entry: hostEntry, toggles: own }));
    const { operation, problem } = subject;
    const header = await headerFor(benches[0]!.hello, {
      ...{ operations: [operation.name], workload: "toggles", strategy: "", budgetMs: 0, seed: 1 },
    });
    const found: ToggleTimes[] = [];
    for (const { algorithm, config } of chosen) {
      const variant = formatId(algorithm.name, algorithm.space(problem), config);
      const outcomes = TOGGLE_SETS.map((): TrialOutcome[] => []);
      for (let round = 0; round < rounds; round++) {
        // Forwards and backwards in turn: a drift that is linear over two rounds cancels.
        const order = [...TOGGLE_SETS.keys()];
        for (const at of round % 2 === 0 ? order : order.reverse()) {
          progress.next(`${TOGGLE_SETS[at]!.name}: ${variant}`);
          outcomes[at]!.push(
            await benches[at]!.measure({
              ...{ operation: operation.name, algorithm: algorithm.name, problem, config, isDefault: false },
              ...{ grade: "screened", seeds: [1], oracleSample: ORACLE_SAMPLE },
            }),
          );
        }
      }
      found.push({
        ...{
          device: header.deviceSlug,
          commit: header.commit,
          day: header.startedAt.slice(0, 10),
          kernel: operation.name,
        },
        ...{ problem, variant, workgroupBytes: algorithm.resources(problem, config).workgroupBytes, rounds },
        ...timesOf(variant, outcomes),
      });
    }
    return found;
  } catch (error) {
    if (io.signal.aborted) throw new ExitWith(EXIT.interrupted);
    throw error;
  } finally {
    progress.stop();
    io.signal.removeEventListener("abort", stop);
    await Promise.all(benches.map((bench) => bench.close()));
  }
}

/** Digits of a time that is kept. */
const TIME_DIGITS = 5;

/** The least of every set's rounds. @throws Fault `data` where a set gave no time. */
export function timesOf(
  variant: string,
  outcomes: readonly (readonly TrialOutcome[])[],
): Pick<ToggleTimes, "leastUs" | "scatter" | "matched" | "total"> {
  const each = outcomes.map((of, at) => {
    const us = of.flatMap((one) => {
      const ns = bestNs(one as Trial);
      return ns === undefined ? [] : [ns / 1e3];
    });
    const failed = of.find((one) => bestNs(one as Trial) === undefined);
    if (us.length === 0)
      throw new Fault(
        "data",
        `${variant} has no time ${TOGGLE_SETS[at]!.name}: ${failed?.status}, ${failed?.reason ?? "no reason given"}`,
      );
    return us.sort((a, b) => a - b);
  });
  const verdicts = outcomes.flat().flatMap(({ verdict }) => verdict ?? []);
  const sum = (part: "matched" | "total"): number =>
    verdicts.reduce((all, verdict) => all + verdict[part], 0);
  return {
    ...{ matched: sum("matched"), total: sum("total") },
    leastUs: Object.fromEntries(
      each.map((us, at) => [TOGGLE_SETS[at]!.name, Number(us[0]!.toPrecision(TIME_DIGITS))]),
    ),
    scatter: Number(Math.max(...each.map(([least, next]) => (next ?? least!) / least! - 1)).toPrecision(3)),
  };
}
