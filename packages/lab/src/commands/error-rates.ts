import { Fault } from "@tunelab/contract";
import { bounds, ERROR_RATE_CELLS, type ErrorRates, errorRates } from "@tunelab/harness/simulate";
import { gridText } from "@tunelab/report";
import { randomFrom } from "@tunelab/variants";
import type { Command } from "commander";
import { BOUND_COLUMNS, boundRows, errorRatesFiles, readErrorRates } from "../error-rates.ts";
import { EXIT, ExitWith, type Io } from "../io.ts";
import { parseWhole } from "../options.ts";
import { requireCheckout } from "../places.ts";
import { differences, writeGenerated } from "../published.ts";

interface Flags {
  readonly runs: string;
  readonly seed: string;
  readonly check?: boolean;
  readonly json?: boolean;
}

/** Runs behind a published figure: enough to tell 1% from 1.5%. */
const FULL_RUNS = 3_000;

/** Runs of the set that a check makes again: seconds, and every rule and kind of noise is met. */
const REDUCED_RUNS = 20;

/** Progress lines come at most this often, in ms. */
const EVERY_MS = 5_000;

export function register(program: Command, io: Io): void {
  program
    .command("error-rates")
    .description("simulate the decision rules on known noise: how often each is wrong; no device is touched")
    .option(
      "--runs <n>",
      "runs behind each figure; fewer than 3000 print without writing the report",
      `${FULL_RUNS}`,
    )
    .option("--seed <n>", "seed of all noise", "1")
    .option(
      "--check",
      "repeat the committed reduced set and rebuild the page from its figures; exit 1 on a difference",
    )
    .option("--json", "print the figures as JSON")
    .addHelpText("after", "\nExample: pnpm lab error-rates --runs 200\n         pnpm lab error-rates --check")
    .action((flags: Flags) => (flags.check ? check(io) : run(flags, io)));
}

async function run(flags: Flags, io: Io): Promise<void> {
  const runs = parseWhole(flags.runs, "--runs");
  const seed = parseWhole(flags.seed, "--seed");
  if (runs < 1) throw new Fault("usage", "--runs must be at least 1");
  // Before minutes of work, not after.
  const root = runs < FULL_RUNS ? undefined : requireCheckout();
  const full = await simulate(io, runs, seed);
  const promises = bounds(full);
  io.out(
    flags.json
      ? JSON.stringify({ ...full, bounds: promises }, null, 2)
      : gridText({ columns: BOUND_COLUMNS, rows: boundRows(promises) }),
  );
  if (root === undefined) {
    io.note(
      `\n${runs} runs say little of shares under ${(100 / runs).toFixed(1)}%: reports take ${FULL_RUNS}.`,
    );
    return;
  }
  const files = await errorRatesFiles({ full, reduced: await simulate(io, REDUCED_RUNS, seed) });
  await writeGenerated(root, files, []);
  for (const path of files.keys()) io.note(`written: ${path}`);
}

/** Makes the reduced figures again, and the page from the full ones. */
async function check(io: Io): Promise<void> {
  const root = requireCheckout();
  const committed = await readErrorRates(root);
  const { runs, seed } = committed.reduced;
  const reduced = await simulate(io, runs, seed);
  const files = await errorRatesFiles({ full: committed.full, reduced });
  const wrong = await differences(root, files, []);
  const missed = bounds(committed.full).filter(({ met }) => !met);
  for (const { why } of wrong) io.out(`differs: ${why}`);
  for (const { what, where } of missed) io.out(`missed: ${what} (under ${where})`);
  if (wrong.length > 0 || missed.length > 0) {
    io.note("tunelab: `pnpm lab error-rates` makes the figures and the page again");
    throw new ExitWith(EXIT.failed);
  }
  io.out(`${ERROR_RATE_CELLS} sets of ${runs} runs repeat the committed figures.`);
}

async function simulate(io: Io, runs: number, seed: number): Promise<ErrorRates> {
  const start = performance.now();
  let last = start;
  return errorRates({ runs, seed, seeded: (one) => randomFrom(one).float }, async (done, what) => {
    // Simulation works without a pause: a breath lets Ctrl-C in.
    await new Promise((resolve) => setImmediate(resolve));
    io.signal.throwIfAborted();
    const now = performance.now();
    if (now - last < EVERY_MS) return;
    last = now;
    const left = Math.round((((now - start) / done) * (ERROR_RATE_CELLS - done)) / 1_000);
    io.note(`  ${what}: ${done} of ${ERROR_RATE_CELLS}, about ${left}s left`);
  });
}
