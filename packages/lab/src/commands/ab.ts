import { type Meeting, meet, type Offer, offerOf, routeBouts, WORKTREE } from "@tunelab/compare";
import {
  type Capabilities,
  Fault,
  type PerSide,
  type ProfileName,
  SIDES,
  type Wanted,
} from "@tunelab/contract";
import { chooseDevice } from "@tunelab/devices";
import { checkStart } from "@tunelab/tuner";
import type { Command } from "commander";
import { packed } from "../build.ts";
import {
  type ComparisonFlags,
  comparisonOptions,
  comparisonSettings,
  requestOf,
} from "../comparison-options.ts";
import { runComparison } from "../comparison-run.ts";
import type { Io } from "../io.ts";
import { parseProfile } from "../options.ts";
import { loadSuite, operationNames } from "../registry.ts";
import { checkKernels, checkProblems, packedSides, sidesOf } from "../sides.ts";

interface Flags extends ComparisonFlags {
  readonly profiles?: string;
}

const HELP = `
A variant is an id (what it leaves out is as in its algorithm's default), "default", or "selected" (what the shipped tables choose).
Exit codes are those of \`compare\`.

Example: pnpm lab ab fused/radix=8,workgroup=64 fused/radix=16,workgroup=64 --kernel matched-filter --problem n=1024,data=4,templates=8,pairs=32
Example: pnpm lab ab selected selected --kernel matched-filter --profiles portable,native`;

export function register(program: Command, io: Io): void {
  const command = program
    .command("ab <base> <candidate>")
    .description("A/B of two variants of a kernel, or of one under two profiles")
    .option("--profiles <base,candidate>", "run the sides under these profiles, in one process");
  comparisonOptions(command)
    .addHelpText("after", HELP)
    .action((base: string, candidate: string, flags: Flags) => ab({ base, candidate }, flags, io));
}

async function ab(texts: PerSide<string>, flags: Flags, io: Io): Promise<void> {
  const settings = comparisonSettings(flags);
  const profiles = profilesOf(flags);
  const request = requestOf(flags);
  if (request.kernels?.length !== 1)
    throw new Fault("usage", "ids belong to one kernel: name it with --kernel");
  const both = packed
    ? await packedSides()
    : await sidesOf({ base: WORKTREE, candidate: WORKTREE }, flags, io);
  checkKernels(request.kernels, both);
  const { sides, own } = both;
  const offers = Object.fromEntries(
    SIDES.map((side): [string, Offer] => {
      const profile = profiles?.[side];
      const offer = offerOf(sides.candidate, profile ? { ...request, profile } : request, own);
      const text = profile ? `${texts[side]} under ${profile}` : texts[side];
      return [side, { ...offer, name: { ...offer.name, text } }];
    }),
  ) as unknown as PerSide<Offer>;
  const { meetings, extras } = meet(offers);
  if (flags.problem.length > 0) await checkProblems(meetings);
  const { info } = await chooseDevice(settings.devices.base);
  await checkVariants(texts, meetings, info.capabilities);
  const wanted = { base: wantedOf(texts.base), candidate: wantedOf(texts.candidate) };
  await runComparison(
    {
      ...{ extras, executor: "shared" },
      ...(profiles ? { profiles } : {}),
      settings: profiles ? { ...settings, profile: profiles.base } : settings,
      names: { base: offers.base.name, candidate: offers.candidate.name },
      bouts: (benches) => routeBouts(benches, meetings, wanted),
      command: `ab ${texts.base} ${texts.candidate}`,
    },
    io,
  );
}

/** A variant that no problem here has is a slip of the pen, not a side that fails. @throws Fault `usage` with the constraint. */
async function checkVariants(
  texts: PerSide<string>,
  meetings: readonly Meeting[],
  capabilities: Capabilities,
): Promise<void> {
  const [name] = meetings.map(({ operation }) => operation);
  // Packed commits may have kernels that this laboratory does not know: their own code answers for them.
  if (name === undefined || !operationNames().includes(name)) return;
  const pinned = SIDES.map((side) => texts[side]).filter((text) => wantedOf(text).kind === "pinned");
  const problems = meetings.map(({ problem }) => problem);
  await checkStart(pinned, [{ suite: await loadSuite(name), problems }], capabilities);
}

function wantedOf(text: string): Wanted {
  if (text === "selected" || text === "default") return { kind: text };
  return { kind: "pinned", variant: text };
}

/** The profiles of both sides. The host itself opens the base's: it is the session's. */
function profilesOf({ profiles }: Flags): PerSide<ProfileName> | undefined {
  if (profiles === undefined) return undefined;
  const [base, candidate, ...rest] = profiles.split(",").map((name) => name.trim());
  if (!base || !candidate || rest.length > 0)
    throw new Fault("usage", `--profiles takes two names, the base's and the candidate's, not "${profiles}"`);
  return { base: parseProfile(base), candidate: parseProfile(candidate) };
}
