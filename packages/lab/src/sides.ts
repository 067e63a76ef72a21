import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  git,
  type OwnContract,
  ownContract,
  prepareSide,
  readSide,
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

/** Makes (or finds in the cache) the bundles of two revisions of a repository. */
export async function sidesOf(
  texts: PerSide<string>,
  flags: { readonly out?: string; readonly repo?: string },
  io: Io,
): Promise<Sides> {
  const root = flags.repo ?? requireCheckout();
  const cache = join(labDir(flags.out, io), "compare");
  const sides: Partial<Record<keyof typeof texts, SideFolder>> = {};
  for (const side of SIDES) {
    const revision = await resolveRevision(git, root, texts[side]);
    io.note(`${side}: ${texts[side]}${revision.commit ? ` (${revision.commit.slice(0, 12)})` : ""}`);
    sides[side] = await prepareSide(revision, { git, root, cache });
  }
  return { sides: sides as PerSide<SideFolder>, own: await ownContract(requireCheckout()) };
}

/** The sides that `lab pack --compare` put beside this program. @throws Fault `usage` where there are none. */
export async function packedSides(): Promise<Sides> {
  const folder = fileURLToPath(new URL(`./${PACKED_SIDES}`, import.meta.url));
  const read = (side: string): Promise<SideFolder> =>
    readSide(join(folder, side)).catch((error: unknown) => {
      if (error instanceof Fault) throw error;
      throw new Fault(
        "usage",
        "this packed laboratory holds no commits to compare: pack it with `pnpm lab pack --compare BASE CANDIDATE`",
      );
    });
  const sides = { base: await read("base"), candidate: await read("candidate") };
  // Both were held against the contract's declarations when they were packed; its version is all that is left to check.
  return { sides, own: { version: CONTRACT_VERSION, declarations: sides.base.declarations } };
}

/** The sides of `compare`: two revisions in a checkout, what was packed elsewhere. @throws Fault `usage`. */
export async function chosenSides(
  base: string | undefined,
  candidate: string | undefined,
  flags: { readonly out?: string; readonly repo?: string },
  io: Io,
): Promise<Sides> {
  if (packed) {
    if (base !== undefined)
      throw new Fault("usage", "a packed laboratory compares the commits it was packed with: name none");
    return packedSides();
  }
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
