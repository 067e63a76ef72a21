import { join } from "node:path";
import {
  git,
  meet,
  type Offer,
  type OfferRequest,
  offerOf,
  ownContract,
  prepareSide,
  resolveRevision,
  routeBouts,
} from "@tunelab/compare";
import { Fault, type PerSide, SIDES, type Wanted } from "@tunelab/contract";
import { chooseDevice } from "@tunelab/devices";
import type { Command } from "commander";
import { type ComparisonFlags, comparisonOptions, comparisonSettings } from "../comparison-options.ts";
import { runComparison } from "../comparison-run.ts";
import type { Io } from "../io.ts";
import { parseWorkload } from "../options.ts";
import { labDir, requireCheckout } from "../places.ts";
import { parseDimensions } from "../registry.ts";

interface Flags extends ComparisonFlags {
  readonly kernel?: string;
  readonly workload: string;
  readonly problem: readonly string[];
  readonly variant?: string;
  readonly allShipped?: boolean;
  readonly executor: string;
  readonly repo?: string;
}

const HELP = `
BASE and CANDIDATE are commits, branches, tags, or "worktree" for uncommitted work. By default each side runs what its own
shipped tables select. Exit 0: same or faster; 1: regressed; 3: unresolved; 4: invalid; 2: wrong usage.

Example: pnpm compare main worktree --kernel matched-filter`;

export function register(program: Command, io: Io): void {
  const command = program
    .command("compare <base> <candidate>")
    .description("A/B of two commits: paired timing and bitwise parity")
    .option("--kernel <names>", "operations, comma-separated (default: all that both have)")
    .option("--workload <name>", "quick, standard or full", "quick")
    .option("--problem <dims>", "one problem, e.g. n=1024,pairs=64; may be repeated", collect, [])
    .option("--variant <id>", "pin this variant on both sides")
    .option("--all-shipped", "pin every variant that either side ships for a problem")
    .option("--executor <which>", "shared (one executor for both) or own (each commit's)", "shared")
    .option("--repo <dir>", "git repository to compare in (default: this checkout)");
  comparisonOptions(command)
    .addHelpText("after", HELP)
    .action((base: string, candidate: string, flags: Flags) => compare({ base, candidate }, flags, io));
}

const collect = (value: string, all: readonly string[]): string[] => [...all, value];

async function compare(texts: PerSide<string>, flags: Flags, io: Io): Promise<void> {
  const settings = comparisonSettings(flags);
  const wanted = wantedOf(flags);
  const { executor } = flags;
  if (executor !== "shared" && executor !== "own")
    throw new Fault("usage", `unknown executor "${executor}": there is shared, own`);
  parseWorkload(flags.workload);
  const root = flags.repo ?? requireCheckout();
  const own = await ownContract(requireCheckout());
  const request = requestOf(flags);
  const cache = join(labDir(flags.out, io), "compare");
  const offers: Partial<Record<keyof typeof texts, Offer>> = {};
  for (const side of SIDES) {
    const revision = await resolveRevision(git, root, texts[side]);
    io.note(`${side}: ${texts[side]}${revision.commit ? ` (${revision.commit.slice(0, 12)})` : ""}`);
    offers[side] = offerOf(await prepareSide(revision, { git, root, cache }), request, own);
  }
  const { meetings, extras } = meet(offers as PerSide<Offer>);
  const target = await chooseDevice(flags.device);
  const names = { base: offers.base!.name, candidate: offers.candidate!.name };
  const command = `compare ${texts.base} ${texts.candidate}`;
  const bouts = (bench: Parameters<typeof routeBouts>[0]) => routeBouts(bench, meetings, wanted);
  await runComparison({ names, extras, target, settings, executor, bouts, command }, io);
}

/** Which operations and problems take part, out of what a side says of itself. */
function requestOf({ kernel, workload, problem }: Flags): OfferRequest {
  const kernels = kernel?.split(",").map((name) => name.trim());
  if (problem.length > 0 && kernels?.length !== 1)
    throw new Fault("usage", "--problem belongs to one operation: name it with --kernel");
  return {
    ...(kernels ? { kernels } : {}),
    problemsOf: ({ operation, dimensions, workloads }) =>
      problem.length > 0
        ? problem.map((words) => parseDimensions(operation, dimensions, words))
        : workloads[parseWorkload(workload)],
  };
}

function wantedOf({ variant, allShipped }: Flags): Wanted {
  if (variant !== undefined && allShipped)
    throw new Fault("usage", "--variant and --all-shipped exclude each other");
  if (variant !== undefined) return { kind: "pinned", variant };
  return { kind: allShipped ? "shipped" : "selected" };
}
