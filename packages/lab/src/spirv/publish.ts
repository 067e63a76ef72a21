import { join } from "node:path";
import type { Suite } from "@tunelab/contract";
import type { DeviceTarget } from "@tunelab/devices";
import { EXIT, ExitWith, type Io } from "../io.ts";
import { tablesBelow } from "../known-tables.ts";
import { requireCheckout } from "../places.ts";
import { differences, type Generated, writeGenerated } from "../published.ts";
import { loadSuite, operationNames } from "../registry.ts";
import { DATA, dataRow, dataText, PAGE, readData, rowKey, type SpirvData, shippingKernels } from "./data.ts";
import { spirvPage } from "./page.ts";
import { complaints, forgotten, type Row, rowsOf } from "./rows.ts";
import { merged, type Subject, sampleOf, shippedOf } from "./texts.ts";
import { readToggleTimes } from "./toggle-times.ts";

/** Variants of the published sample. */
export const SAMPLED = 60;

/** Everything that ships now, over all kernels, and a sample. */
async function subjectsNow(sample: Sampler): Promise<readonly Subject[]> {
  const suites = await Promise.all(operationNames().map(loadSuite));
  const shipped = await Promise.all(suites.map(shippedOf));
  return [...shipped.flat(), ...(await sample(suites))];
}

/** Gives a sample over the kernels there are. */
type Sampler = (suites: readonly Suite[]) => Promise<readonly Subject[]>;

const drawn =
  (seed: number): Sampler =>
  (suites) =>
    sampleOf(suites, SAMPLED, seed);

/**
 * What makes the page's sample: the one it has, which stays when spaces grow, or one drawn where there is none of this seed and
 * size.
 */
export function sampleFor(committed: SpirvData | undefined, seed: number): Sampler {
  if (committed?.sample.seed !== seed || committed.sample.count !== SAMPLED) return drawn(seed);
  const rows = committed.rows.filter(({ sources }) => sources.includes("sample"));
  const kept = rows.map(
    ({ kernel, problem, variant }): Subject => ({ kernel, problem, variant, sources: ["sample"] }),
  );
  return async () => merged(kept);
}

async function filesOf(root: string, data: SpirvData): Promise<Generated> {
  const page = spirvPage(data, await tablesBelow(join(root, "tables")), await readToggleTimes(root));
  return new Map([
    [DATA, dataText(data)],
    [PAGE, page.markdown()],
  ]);
}

const dataOf = ({ id, info }: DeviceTarget, rows: readonly Row[], seed: number): SpirvData => ({
  device: id,
  implementation: `${info.identity.implementation} ${info.identity.implementationVersion}`,
  sample: { count: SAMPLED, seed },
  rows: rows.map(dataRow),
});

/** Looks at everything and writes the page; throws exit 1, the page written, where a check would. */
export async function writePage(target: DeviceTarget, seed: number, io: Io): Promise<void> {
  const root = requireCheckout();
  const committed = await readData(root).catch(() => undefined);
  const rows = await rowsOf(target, merged(await subjectsNow(sampleFor(committed, seed))), io);
  const files = await filesOf(root, dataOf(target, rows, seed));
  await writeGenerated(root, files, []);
  for (const path of files.keys()) io.note(`written: ${path}`);
  verdict([...shippedComplaints(rows), ...forgotten(rows)], rows.length, io);
}

/**
 * Makes the figures of the committed variants again and compares them and the page; what ships now and a sample drawn now are looked at
 * beside them. A sample drawn before a space grew stays as it is: its variants are still variants.
 */
export async function checkPage(target: DeviceTarget, io: Io): Promise<void> {
  const root = requireCheckout();
  const committed = await readData(root);
  const { seed } = committed.sample;
  const now = await subjectsNow(drawn(seed));
  const before = committed.rows.map(({ kernel, problem, variant, sources }) => ({
    kernel,
    problem,
    variant,
    sources,
  }));
  const rows = await rowsOf(target, merged([...before, ...now]), io);
  const known = new Map(committed.rows.map((row) => [rowKey(row), row]));
  const wanted = new Set(
    merged(now)
      .filter(({ sources }) => sources.some((one) => one !== "sample"))
      .map(variantKey),
  );
  const again = rows.flatMap((row) => {
    const old = known.get(rowKey(row));
    return old ? [{ ...row, sources: old.sources }] : [];
  });
  const missing = rows.filter((row) => wanted.has(variantKey(row)) && !known.has(rowKey(row)));
  const files = await filesOf(root, dataOf(target, again, seed));
  const wrong = await differences(root, files, []);
  verdict(
    [
      ...wrong.map(({ why }) => `differs: ${why}`),
      ...missing.map((row) => `ships and is not on the page: ${rowKey(row)}`),
      ...shippedComplaints(rows),
      ...forgotten(rows),
    ],
    rows.length,
    io,
  );
}

/** What is wrong with kernels that ship: others are counted on the page, and held to the rule once the library has them. */
function shippedComplaints(rows: readonly Row[]): readonly string[] {
  const ship = shippingKernels(rows);
  return complaints(rows.filter(({ kernel }) => ship.has(kernel)));
}

const variantKey = ({ kernel, problem, variant }: Subject): string =>
  rowKey({ kernel, problem, variant, sources: [], stage: "" });

function verdict(wrong: readonly string[], looked: number, io: Io): void {
  for (const line of wrong) io.out(line);
  if (wrong.length > 0) {
    io.note(
      "tunelab: `pnpm lab spirv --report` makes the page again; a clamp wants another form of its index",
    );
    throw new ExitWith(EXIT.failed);
  }
  io.out(
    `${looked} texts: of kernels that ship, every index of declared length is proven in range but those of the ledger.`,
  );
}
