import { type Fault, type Operation, planHash, type TuningTable } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { checkShipped, fold, renderShipped, shelve, staleLookup, type TableContents } from "../src/index.ts";
import { tableChecksum } from "../src/shelf.ts";
import { BIG, BOUNDS, H200, scale, session, trial } from "./made.ts";

const plain = await scale.algorithms.plain!();
const measured = async (workgroup: number, us: number) => {
  const config = { workgroup };
  const problem = { n: 4096 };
  return trial(await planHash(plain.plan(problem, config, BIG)), us, {
    variant: `plain/workgroup=${workgroup}`,
    config,
    problem,
    resources: { workgroupBytes: workgroup * 64, invocations: workgroup },
  });
};
// 512 asks for more workgroup memory than WebGPU's default 16,384 bytes.
const trials = await Promise.all([measured(512, 10), measured(256, 30), measured(128, 40), measured(64, 50)]);
const table: TuningTable = fold([session("01KBA0000000000000000000AA", trials)], { bounds: BOUNDS })[0]!;
const FOLDER = "packages/runtime/src/generated/scale";
const TABLE = `${FOLDER}/nvidia-h200.tint-vulkan.portable.ts`;

/** The contents of a rendered table module. */
async function shippedIn(tables: readonly TuningTable[], operation: Operation): Promise<TableContents> {
  const text = (await renderShipped(tables, [operation])).get(TABLE)!;
  const from = text.indexOf("= {") + 2;
  return JSON.parse(text.slice(from, text.lastIndexOf(";"))) as TableContents;
}

it("ships of a row what choosing reads, and of an entry nothing that only the published table tells", async () => {
  const [entry] = (await shippedIn([table], scale)).entries;
  expect(Object.keys(entry!).sort()).toEqual(["problem", "rows"]);
  const read = ["algorithm", "config", "maxError", "minUs", "rank", "tie", "variant"];
  for (const row of entry!.rows) expect(Object.keys(row).sort()).toEqual(read);
});

it("ships the best and the runner-up, which fits the default limits here", async () => {
  const shipped = await shippedIn([table], scale);
  expect(shipped.entries[0]!.rows.map(({ config }) => config.workgroup)).toEqual([512, 256]);
});

it("adds the best that runs at default limits where neither does", async () => {
  const hungry: Operation = {
    ...scale,
    algorithms: {
      plain: async () => ({
        ...plain,
        resources: (problem, config) => ({
          ...plain.resources(problem, config),
          workgroupBytes: Number(config.workgroup) * 200,
        }),
      }),
    },
  };
  const shipped = await shippedIn([table], hungry);
  expect(shipped.entries[0]!.rows.map(({ config }) => config.workgroup)).toEqual([512, 256, 64]);
});

it("the module says when and from which commit its evidence is, and is the same for the same tables", async () => {
  const first = await renderShipped([table], [scale]);
  expect(first.get(TABLE)).toContain(
    "// nvidia-h200/tint-vulkan.portable/scale.json: 1 sessions, newest 2025-11-30, commit commit-01KBA",
  );
  expect(await renderShipped([table], [scale])).toEqual(first);
});

it("an operation without a table still gets an index that says so", async () => {
  const files = await renderShipped([], [scale]);
  expect([...files.keys()]).toEqual([`${FOLDER}/index.ts`, `${FOLDER}/portfolio.ts`]);
  expect(files.get(`${FOLDER}/index.ts`)).toContain("readonly ShelvedTable[] = [];");
});

it("the portfolio is what covers every table's problems, under a version that changes with any table", async () => {
  const portfolioOf = async (tables: readonly TuningTable[]) =>
    (await renderShipped(tables, [scale])).get(`${FOLDER}/portfolio.ts`)!;
  const versionOf = (text: string) => /version = "([0-9a-f]{16})"/.exec(text)![1];
  const text = await portfolioOf([table]);
  expect(text).toContain('["plain/workgroup=512"]');
  const narrow = fold(
    [
      session("t", trials.slice(2), {
        device: { identity: { ...H200, device: "other" }, capabilities: BIG },
      }),
    ],
    {
      bounds: BOUNDS,
    },
  );
  const both = await portfolioOf([table, ...narrow]);
  expect(both).toContain('["plain/workgroup=128", "plain/workgroup=512"]');
  expect(both).toContain("on all 2 measured problems; worst 1.000");
  expect(versionOf(both)).not.toBe(versionOf(text));
});

describe("a shipped table on its shelf", () => {
  const { operation, profile, device, ...contents } = table;
  const header = { operation, profile, device };

  it("carries the checksum that its index was rendered with, and is loaded once", async () => {
    const index = (await renderShipped([table], [scale])).get(`${FOLDER}/index.ts`)!;
    const checksum = /"([0-9a-f]{16})", async/.exec(index)![1]!;
    const shipped = await shippedIn([table], scale);
    let loads = 0;
    const shelf = shelve(header, checksum, async () => {
      loads += 1;
      return shipped;
    });
    expect(await shelf.load()).toEqual({ ...shipped, ...header });
    await shelf.load();
    expect(loads).toBe(1);
  });

  it.each<[string, TableContents]>([
    [
      "a time changed",
      { ...contents, entries: JSON.parse(JSON.stringify(table.entries).replace("10", "9")) },
    ],
    ["an entry lost", { ...contents, entries: [] }],
    ["a field lost", { ...contents, commit: undefined as never }],
  ])("%s is a data fault that names the table and both checksums", async (_what, damaged) => {
    const checksum = await tableChecksum(header, contents);
    const fault = await shelve(header, checksum, async () => damaged)
      .load()
      .catch((error: Fault) => error);
    expect(fault).toMatchObject({ kind: "data" });
    expect((fault as Fault).message).toMatch(
      new RegExp(`nvidia-h200/tint-vulkan.portable/scale.json was changed or cut short.*${checksum}`),
    );
  });

  it("a table of a newer schema is refused by name though its checksum holds", async () => {
    const newer = { ...contents, schema: 99 };
    const fault = await shelve(header, await tableChecksum(header, newer), async () => newer)
      .load()
      .catch((error: Fault) => error);
    expect((fault as Fault).message).toMatch(/newer tunelab \(schema 99/);
  });
});

it("a table whose plans are what the code plans is not stale", async () => {
  expect(await checkShipped([table], [scale])).toEqual([]);
});

it("a changed text, a gone algorithm and a gone parameter value are each named, with both hashes", async () => {
  const changed: Operation = {
    ...scale,
    algorithms: {
      plain: async () => ({
        ...plain,
        plan: (problem, config, capabilities) => {
          const plan = plain.plan(problem, config, capabilities);
          return config.workgroup === 256 ? { ...plan, extents: { more: 1 } } : plan;
        },
      }),
    },
  };
  const stale = await checkShipped([table], [changed]);
  expect(stale).toHaveLength(1);
  expect(stale[0]).toMatchObject({ variant: "plain/workgroup=256", problem: { n: 4096 } });
  expect(stale[0]!.got).toMatch(/^[0-9a-f]{16}$/);
  expect(stale[0]!.got).not.toBe(stale[0]!.expected);

  const gone = await checkShipped([table], [{ ...scale, algorithms: {} }]);
  expect(gone.map(({ got }) => got)).toEqual(Array(4).fill("the algorithm plain is gone"));
  const space = { parameters: [{ name: "workgroup", values: [64], doc: "" }], constraints: [] };
  const narrowed = { ...scale, algorithms: { plain: async () => ({ ...plain, space: () => space }) } };
  expect((await checkShipped([table], [narrowed]))[0]!.got).toMatch(/workgroup=512, which does not exist/);
  expect((await checkShipped([table], []))[0]!.got).toBe("the operation is gone");
});

it("a suite that raised its epoch makes every row of the older table stale, whatever its plan", async () => {
  expect(await checkShipped([table], [scale], { scale: 1 })).toEqual([]);
  const stale = await checkShipped([table], [scale], { scale: 2 });
  expect(stale).toHaveLength(4);
  expect(stale[0]).toMatchObject({ expected: "epoch 1", got: "epoch 2" });
  const isStale = staleLookup(stale.slice(0, 1));
  const [first, second] = table.entries[0]!.rows;
  expect(isStale(table, table.entries[0]!.problem, first!.variant)).toBe(true);
  expect(isStale(table, table.entries[0]!.problem, second!.variant)).toBe(false);
});
