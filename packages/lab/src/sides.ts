import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  git,
  type Meeting,
  type OwnContract,
  ownContract,
  prepareSide,
  readSide,
  refusalsOf,
  resolveRevision,
  type SideFolder,
} from "@tunelab/compare";
import { CONTRACT_VERSION, Fault, type PerSide, SIDES } from "@tunelab/contract";
import { packed } from "./build.ts";
import type { Io } from "./io.ts";
import { labDir, requireCheckout } from "./places.ts";

/** Folder of a packed comparison's sides, beside the program. */
export const PACKED_SIDES = "sides";

/** Both sides of a comparison with the contract that judges them. */
export interface Sides {
  readonly sides: PerSide<SideFolder>;
  readonly own: OwnContract;
}

interface SideFlags {
  readonly out?: string;
  readonly repo?: string;
}

/** Makes (or finds in the cache) the bundles of revisions of a repository, in their order. */
export async function foldersOf(
  texts: readonly string[],
  flags: SideFlags,
  io: Io,
): Promise<readonly SideFolder[]> {
  const root = flags.repo ?? requireCheckout();
  const cache = join(labDir(flags.out, io), "compare");
  const folders: SideFolder[] = [];
  for (const text of texts) {
    const revision = await resolveRevision(git, root, text);
    io.note(`${text}${revision.commit ? ` (${revision.commit.slice(0, 12)})` : ""}`);
    folders.push(await prepareSide(revision, { git, root, cache, installed: [requireCheckout()] }));
  }
  return folders;
}

/** The bundles of both sides of a comparison. */
export async function sidesOf(texts: PerSide<string>, flags: SideFlags, io: Io): Promise<Sides> {
  const [base, candidate] = await foldersOf([texts.base, texts.candidate], flags, io);
  return { sides: { base: base!, candidate: candidate! }, own: await ownContract(requireCheckout()) };
}

/** Where `lab pack --compare` puts the `index`-th revision, below the packed laboratory. */
export const packedSideFolder = (index: number): string => join(PACKED_SIDES, String(index));

/**
 * Two of the sides that `lab pack --compare` put beside this program, by the names they were packed under; the first two unless
 * named. @throws Fault `usage` where there are none, or none of that name.
 */
export async function packedSides(base?: string, candidate?: string): Promise<Sides> {
  const beside = fileURLToPath(new URL(".", import.meta.url));
  const names = await readdir(join(beside, PACKED_SIDES)).catch((): string[] => []);
  if (names.length < 2)
    throw new Fault(
      "usage",
      "this packed laboratory holds no commits to compare: pack it with `pnpm lab pack --compare BASE CANDIDATE`",
    );
  const packed = await Promise.all(names.map((_, index) => readSide(join(beside, packedSideFolder(index)))));
  const named = (text: string | undefined, fallback: number): SideFolder => {
    if (text === undefined) return packed[fallback]!;
    const found = packed.find(({ revision }) => revision.text === text);
    if (found) return found;
    const there = packed.map(({ revision }) => revision.text).join(", ");
    throw new Fault("usage", `"${text}" is not among the commits packed here: there is ${there}`);
  };
  const sides = { base: named(base, 0), candidate: named(candidate, 1) };
  // All were held against the contract's declarations when they were packed; its version is all that is left to check.
  return { sides, own: { version: CONTRACT_VERSION, declarations: sides.base.declarations } };
}

/** The sides of `compare`: two revisions in a checkout, what was packed elsewhere. @throws Fault `usage`. */
export async function chosenSides(
  base: string | undefined,
  candidate: string | undefined,
  flags: SideFlags,
  io: Io,
): Promise<Sides> {
  if (packed) return packedSides(base, candidate);
  if (base === undefined || candidate === undefined)
    throw new Fault("usage", "compare takes two revisions: pnpm compare BASE CANDIDATE (--help shows how)");
  return sidesOf({ base, candidate }, flags, io);
}

/**
 * Refuses a kernel that neither side has, unless code of theirs that gives no operation may be what was asked for. @throws Fault
 * `usage` that lists what they have.
 */
export function checkKernels(kernels: readonly string[] | undefined, { sides }: Sides): void {
  if (SIDES.some((side) => sides[side].faults.length > 0)) return;
  const known = new Set(SIDES.flatMap((side) => sides[side].operations.map(({ operation }) => operation)));
  const stranger = kernels?.find((name) => !known.has(name));
  if (stranger !== undefined)
    throw new Fault("usage", `unknown kernel "${stranger}": there is ${[...known].sort().join(", ")}`);
}

/**
 * Refuses a problem of the command line that the operations of both sides refuse; what one of them takes is for its row to tell.
 * Opens no device. @throws Fault `usage` with the operation's own words.
 */
export async function checkProblems(meetings: readonly Meeting[]): Promise<void> {
  for (const operation of new Set(meetings.map((one) => one.operation))) {
    const own = meetings.filter((one) => one.operation === operation);
    const problems = own.map(({ problem }) => problem);
    const bundles = new Set(SIDES.map((side) => own[0]!.sources[side].bundle));
    const answers = await Promise.all([...bundles].map((one) => (one ? refusalsOf(one, problems) : [])));
    for (const index of problems.keys()) {
      const refusals = answers.flatMap((of) => of[index] ?? []);
      if (refusals.length === answers.length) throw new Fault("usage", `${operation}: ${refusals.at(-1)}`);
    }
  }
}
