import { bothSides, meet, type Offer, offerOf, type PinnedBy, routeBouts } from "@tunelab/compare";
import { Fault, type PerSide, SIDES, type Wanted } from "@tunelab/contract";
import type { Command } from "commander";
import {
  type ComparisonFlags,
  comparisonOptions,
  comparisonSettings,
  requestOf,
} from "../comparison-options.ts";
import { runComparison } from "../comparison-run.ts";
import type { Io } from "../io.ts";
import { parseCount, parseWhole } from "../options.ts";
import { checkKernels, checkProblems, chosenSides } from "../sides.ts";

/** Most variants that a comparison draws: of a second each, a quarter of an hour. */
const MOST_DRAWN = 1_000;

interface Flags extends ComparisonFlags {
  readonly variant?: string;
  readonly allShipped?: boolean;
  readonly sample?: string;
  readonly draw: string;
  readonly executor: string;
  readonly repo?: string;
}

const HELP = `
BASE and CANDIDATE are commits, branches, tags, or "worktree" for uncommitted work; a packed laboratory has its own. By default
each side runs what its own shipped tables select. Exit 0: same or faster; 1: regressed; 3: unresolved; 4: invalid; 2: wrong usage.

Example: pnpm compare main worktree --kernel matched-filter
Example: pnpm compare HEAD HEAD --force-timing --sample 20 --no-straddle
Example: pnpm compare v1 v2 --devices swiftshader,llvmpipe-256`;

export function register(program: Command, io: Io): void {
  const command = program
    .command("compare [base] [candidate]")
    .description("A/B of two commits: paired timing and bitwise parity")
    .option("--variant <id>", "pin this variant on both sides")
    .option("--all-shipped", "pin every variant that either side ships for a problem")
    .option("--sample <n>", "pin so many variants drawn from the base's spaces, evenly over the problems")
    .option("--draw <seed>", "seed of the drawing", "1")
    .option("--executor <which>", "shared (one executor for both) or own (each commit's)", "shared")
    .option("--repo <dir>", "git repository to compare in (default: this checkout)");
  comparisonOptions(command)
    .addHelpText("after", HELP)
    .action((base: string | undefined, candidate: string | undefined, flags: Flags) =>
      compare(base, candidate, flags, io),
    );
}

async function compare(
  base: string | undefined,
  candidate: string | undefined,
  flags: Flags,
  io: Io,
): Promise<void> {
  const settings = comparisonSettings(flags);
  const wanted = wantedOf(flags);
  const request = requestOf(flags);
  const { executor } = flags;
  if (executor !== "shared" && executor !== "own")
    throw new Fault("usage", `unknown executor "${executor}": there is shared, own`);
  const both = await chosenSides(base, candidate, flags, io);
  checkKernels(request.kernels, both);
  const { sides, own } = both;
  const offers = Object.fromEntries(
    SIDES.map((side): [string, Offer] => [side, offerOf(sides[side], request, own)]),
  ) as unknown as PerSide<Offer>;
  const { meetings, extras } = meet(offers);
  if (flags.problem.length > 0) await checkProblems(meetings);
  const names = { base: offers.base.name, candidate: offers.candidate.name };
  const command = `compare ${names.base.text} ${names.candidate.text}`;
  const bouts = (benches: Parameters<typeof routeBouts>[0]) => routeBouts(benches, meetings, wanted);
  await runComparison({ names, extras, settings, executor, bouts, command }, io);
}

function wantedOf({ variant, allShipped, sample, draw }: Flags): PerSide<Wanted> | PinnedBy {
  const chosen = [variant !== undefined && "--variant", allShipped && "--all-shipped", sample && "--sample"];
  const given = chosen.filter((flag) => typeof flag === "string" && flag !== "");
  if (given.length > 1) throw new Fault("usage", `${given.join(" and ")} exclude each other`);
  if (allShipped) return { kind: "shipped" };
  if (sample !== undefined)
    return {
      kind: "drawn",
      count: parseCount(sample, "--sample", 1, MOST_DRAWN),
      seed: parseWhole(draw, "--draw"),
    };
  return bothSides(variant === undefined ? { kind: "selected" } : { kind: "pinned", variant });
}
