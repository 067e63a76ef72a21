import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMPARE_EXIT, type Comparison, exitCodeOf, SIDES, type Wanted } from "@tunelab/contract";
import { chooseDevice, embeddedFiles, openBench } from "@tunelab/devices";
import { BUILD_QUADS } from "@tunelab/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bothSides,
  git,
  meet,
  type Offer,
  offerOf,
  ownContract,
  prepareSide,
  type RunOptions,
  resolveRevision,
  routeBouts,
  runBouts,
} from "../src/index.ts";
import { BODIES, FixtureRepository, suiteSource } from "./fixture.ts";

const embedded = await embeddedFiles().then(
  () => true,
  () => false,
);
const entry = new URL("./host-main.ts", import.meta.url);

let repository: FixtureRepository;
let cache: string;
beforeAll(() => {
  repository = new FixtureRepository();
  cache = mkdtempSync(join(tmpdir(), "tunelab-cache-"));
});
afterAll(() => {
  repository.remove();
  rmSync(cache, { recursive: true, force: true });
});

type Compared = Pick<Comparison, "rows" | "extras" | "stopped" | "control"> & { readonly exit: number };

/** Compares two revisions of the fixture on the embedded GPU; timing by the fixture host's clock, bits for real. */
async function compare(
  base: string,
  candidate: string,
  more: Partial<RunOptions> & { readonly wanted?: Wanted } = {},
): Promise<Compared> {
  const { root } = repository;
  const own = await ownContract(root);
  const offers: Offer[] = [];
  for (const text of [base, candidate]) {
    const side = await prepareSide(await resolveRevision(git, root, text), { git, root, cache });
    offers.push(offerOf(side, { problemsOf: ({ workloads }) => workloads.quick }, own));
  }
  const { meetings, extras } = meet({ base: offers[0]!, candidate: offers[1]! });
  const target = await chooseDevice("swiftshader");
  const open = () => openBench(target, { entry, deadlines: { verify: 3_000 } });
  const first = await open();
  const { wanted = { kind: "selected" } } = more;
  const asked = wanted.kind === "drawn" ? wanted : bothSides(wanted);
  const bouts = await routeBouts({ base: first, candidate: first }, meetings, asked);
  const { alpha, looks, gate, equivalence } = BUILD_QUADS;
  const ran = await runBouts(bouts, {
    first,
    open,
    rules: { alpha, looks, gate, equivalence, processes: 1 },
    ...{
      executor: "shared",
      force: false,
      untimed: false,
      straddle: true,
      requireParity: false,
      seeds: [1, 2],
      oracleSample: 8,
    },
    progress: () => {},
    signal: new AbortController().signal,
    ...more,
  });
  return { ...ran, extras, exit: exitCodeOf({ ...ran, extras }) };
}

describe.skipIf(!embedded)("commits compared on the embedded GPU", { timeout: 60_000 }, () => {
  let plain: string;
  beforeAll(() => {
    plain = repository.commit("plain");
  });

  const changed = (change: Parameters<FixtureRepository["kernel"]>[0], message: string): string => {
    repository.git("checkout", "--quiet", plain);
    repository.kernel(change);
    return repository.commit(message);
  };

  it("calls a commit against itself identical, without timing it", async () => {
    const { rows, exit } = await compare(plain, plain);
    expect(rows.map(({ verdict }) => verdict)).toEqual(["identical"]);
    expect(rows[0]!.judgement).toBeUndefined();
    expect(exit).toBe(COMPARE_EXIT.fine);
  });

  it("claims no change of a commit against itself when timing is forced, nor in the control", async () => {
    const { rows, control, exit } = await compare(plain, plain, { force: true });
    expect(rows[0]).toMatchObject({ verdict: "identical", judgement: { verdict: "same" } });
    expect(control).toMatchObject({ verdict: "same", operation: "window-sum" });
    expect(exit).toBe(COMPARE_EXIT.fine);
  });

  it("resolves an added barrier as slower, with equal bits in every buffer at every shape", async () => {
    const { rows, exit } = await compare(plain, changed({ before: "workgroupBarrier();" }, "a barrier"));
    expect(rows[0]).toMatchObject({ verdict: "slower", operation: "window-sum" });
    const { ratio, low, high } = rows[0]!.judgement!;
    expect(ratio).toBeCloseTo(1.05, 2);
    expect(low).toBeLessThan(ratio);
    expect(high).toBeGreaterThan(ratio);
    const [outcome] = rows[0]!.outcomes;
    expect(outcome!.shapes.map(({ why }) => why)).toEqual([
      "",
      "one of items",
      "one under the quantum of 8",
      "one over the quantum of 8",
      "one over two quanta of 8",
      "cut into 3 pieces",
    ]);
    const buffers = outcome!.shapes.flatMap((shape) => shape.buffers);
    expect(new Set(buffers.map(({ name }) => name))).toEqual(new Set(["y", "partial"]));
    expect(buffers.every(({ differing }) => differing === 0)).toBe(true);
    expect(outcome!.shapes.at(-1)!.pieces.base).toBeGreaterThan(1);
    expect(Object.keys(outcome!.stages)).toEqual(["sum", "finish"]);
    expect(exit).toBe(COMPARE_EXIT.regressed);
  });

  it("takes what coming first does to a side for no change of the commit's, and says so", async () => {
    const placed = changed({ before: "// its place counts" }, "its place counts");
    const { rows, control, exit } = await compare(placed, placed, { force: true });
    expect(rows[0]).toMatchObject({ verdict: "identical", judgement: { verdict: "same" } });
    const { total, notes } = rows[0]!.outcomes[0]!;
    expect(total!.placements!.map(({ swapped }) => swapped)).toEqual([true, true, false, false, true, false]);
    for (const { ratio, swapped } of total!.placements!)
      expect(ratio).toBeCloseTo(swapped ? 1.03 : 1 / 1.03, 2);
    expect(notes.join()).toMatch(/^ratio 0\.97\d+, but 1\.03.* with code and buffers in other places/);
    expect(control).toMatchObject({ verdict: "same" });
    expect(exit).toBe(COMPARE_EXIT.fine);
  });

  it("takes what its code's place does to a side for no change either: each side and placement has code of its own", async () => {
    const placed = changed({ before: "// its code counts" }, "its code counts");
    const { rows, control, exit } = await compare(placed, placed, { force: true });
    const { total } = rows[0]!.outcomes[0]!;
    const [dropped, ...kept] = total!.quads;
    expect([dropped!.first, kept.length]).toEqual(["A", 16]);
    expect(rows[0]).toMatchObject({ verdict: "identical", judgement: { verdict: "unresolved", count: 6 } });
    const ratios = total!.placements!.map(({ ratio }) => ratio.toFixed(3));
    expect(new Set(ratios).size).toBe(6);
    expect(control).toMatchObject({ verdict: "unresolved" });
    expect(exit).toBe(COMPARE_EXIT.fine);
  });

  it("finds a change of the commit's in either place, and takes the place out of its ratio", async () => {
    const before = changed({ before: "// its place counts" }, "its place counts, again");
    const after = changed({ before: "workgroupBarrier(); // its place counts" }, "and a barrier");
    const { rows, exit } = await compare(before, after);
    expect(rows[0]).toMatchObject({ verdict: "slower" });
    for (const { ratio, swapped } of rows[0]!.outcomes[0]!.total!.placements!)
      expect(ratio).toBeCloseTo(swapped ? 1.05 * 1.03 : 1.05 / 1.03, 2);
    const { ratio, low, high } = rows[0]!.judgement!;
    expect(ratio).toBeCloseTo(1.05, 3);
    expect(high - low).toBeLessThan(0.01);
    expect(exit).toBe(COMPARE_EXIT.regressed);
  });

  it("times both sides with the same repeats, though one fills a sample with fewer", async () => {
    const before = changed({ before: "// short" }, "a short kernel");
    const after = changed({ before: "// shorter" }, "a shorter kernel");
    const { rows } = await compare(before, after, { straddle: false });
    // One repeat fills 200 ticks before, two do after; at one and two it would be 0.89.
    expect(rows[0]!.outcomes[0]!.total!.repeats).toEqual({ base: 2, candidate: 2 });
    expect(rows[0]!.judgement!.ratio).toBeCloseTo((2 * 170 * 0.97 + 33) / (2 * 170 + 33), 2);
  });

  it("looks at no shape but the problem itself when told so", async () => {
    const barrier = changed({ before: "workgroupBarrier();" }, "a barrier, one shape");
    const { rows } = await compare(plain, barrier, { straddle: false, untimed: true });
    expect(rows[0]!.outcomes[0]!.shapes.map(({ why }) => why)).toEqual([""]);
  });

  it("draws variants of the base's spaces with its own generator, and pins them on both sides", async () => {
    const wanted = { kind: "drawn", count: 2, seed: 1 } as const;
    const { rows } = await compare(plain, plain, { untimed: true, straddle: false, wanted });
    const variants = rows.map(({ routes: { base } }) => "variant" in base && base.variant);
    expect([...variants].sort()).toEqual(["direct/workgroup=128", "direct/workgroup=64"]);
    expect(rows.every(({ routes: { base, candidate } }) => "variant" in base && "variant" in candidate)).toBe(
      true,
    );
  });

  it("calls the same change in reverse faster, and exits 0", async () => {
    const barrier = changed({ before: "workgroupBarrier();" }, "a barrier again");
    const { rows, exit } = await compare(barrier, plain);
    expect(rows[0]).toMatchObject({ verdict: "faster" });
    expect(exit).toBe(COMPARE_EXIT.fine);
  });

  it("holds a wrong index against the side that has it, and still reports the other", async () => {
    const { rows, exit } = await compare(plain, changed({ body: BODIES.wrongIndex }, "a wrong index"));
    expect(rows[0]!.verdict).toBe("invalid");
    expect(rows[0]!.reason).toMatch(/^candidate wrong: seed 1: \d+\/300 right/);
    expect(rows[0]!.outcomes[0]!.sides.base).toMatchObject({
      status: "ok",
      verdict: { matched: 600, total: 600 },
    });
    expect(rows[0]!.judgement).toBeUndefined();
    expect(exit).toBe(COMPARE_EXIT.invalid);
  });

  it("holds a commit to the base's oracle too: it cannot pass by weakening its own", async () => {
    const weaker = suiteSource({ body: BODIES.wrongIndex }).replace("if (error < 1e-3)", "if (true)");
    const { rows, exit } = await compare(
      plain,
      changed({ source: weaker }, "a wrong index and a blind oracle"),
    );
    expect(rows[0]!.reason).toMatch(/^candidate wrong: seed 1: \d+\/300 right/);
    expect(exit).toBe(COMPARE_EXIT.invalid);
  });

  it("holds against a side what its timed repeats left, though it was right once", async () => {
    const { rows, exit } = await compare(
      plain,
      changed({ body: BODIES.spoiled }, "a second repeat spoils it"),
    );
    expect(rows[0]!.reason).toMatch(/^candidate wrong: after timed repeats: 0\/300 right/);
    expect(exit).toBe(COMPARE_EXIT.invalid);
  });

  it("has no bits to keep of a buffer that differs from itself, and fails nobody for it", async () => {
    const before = changed({ before: "// its bits vary" }, "bits that vary");
    const after = changed(
      { before: "workgroupBarrier(); // its bits vary" },
      "bits that vary, and a barrier",
    );
    const { rows } = await compare(before, after, { requireParity: true, untimed: true });
    const partial = rows[0]!.outcomes[0]!.shapes[0]!.buffers.find(({ name }) => name === "partial")!;
    expect(partial.differing).toBeGreaterThan(0);
    expect(partial.unstable).toBeGreaterThan(0);
    expect(rows[0]!.verdict).not.toBe("invalid");
  });

  it("tells reordered additions by their bits and both errors, and fails them only when parity is required", async () => {
    const reordered = changed({ body: BODIES.reordered }, "additions in another order");
    const { rows, exit } = await compare(plain, reordered);
    expect(rows[0]).toMatchObject({ verdict: "same" });
    expect(exit).toBe(COMPARE_EXIT.fine);
    const [shape] = rows[0]!.outcomes[0]!.shapes;
    const y = shape!.buffers.find(({ name }) => name === "y")!;
    expect(y.differing).toBeGreaterThan(0);
    expect(y.differing).toBeLessThan(y.words);
    expect(y).toMatchObject({ unstable: 0, role: "port", words: 600 });
    expect(shape!.buffers.find(({ name }) => name === "partial")!.differing).toBe(y.differing);
    for (const side of SIDES) {
      expect(shape!.maxError[side]).toBeGreaterThan(0);
      expect(shape!.maxError[side]).toBeLessThan(1e-6);
    }
    const strict = await compare(plain, reordered, { requireParity: true });
    expect(strict.rows[0]).toMatchObject({ verdict: "invalid", reason: expect.stringContaining("parity") });
    expect(strict.exit).toBe(COMPARE_EXIT.invalid);
  });

  it("calls a renamed parameter identical, and shows the new name", async () => {
    const { rows, exit } = await compare(plain, changed({ parameter: "threads" }, "a parameter renamed"));
    expect(rows[0]!.verdict).toBe("identical");
    const { base, candidate } = rows[0]!.routes;
    expect([base, candidate]).toMatchObject([
      { variant: "direct/workgroup=64" },
      { variant: "direct/threads=64" },
    ]);
    expect(exit).toBe(COMPARE_EXIT.fine);
  });

  it("refuses a pinned variant on the side whose parameter has another name", async () => {
    const renamed = changed({ parameter: "threads" }, "a parameter renamed again");
    const { rows, exit } = await compare(plain, renamed, {
      wanted: { kind: "pinned", variant: "direct/workgroup=128" },
    });
    expect(rows[0]!.verdict).toBe("invalid");
    expect(rows[0]!.reason).toMatch(/^candidate: .*workgroup/);
    expect(rows[0]!.outcomes[0]!.sides.base).toMatchObject({ status: "ok", variant: "direct/workgroup=128" });
    expect(exit).toBe(COMPARE_EXIT.invalid);
  });

  it("survives a side that hangs, names it, and still reports the other", async () => {
    const { rows, exit } = await compare(plain, changed({ body: BODIES.endless }, "an endless loop"));
    expect(rows[0]!.verdict).toBe("invalid");
    expect(rows[0]!.reason).toMatch(/^candidate hung: no answer in phase verify .*too large for this device/);
    expect(rows[0]!.outcomes[0]!.sides).toMatchObject({
      base: { status: "ok", verdict: { matched: 600 } },
      candidate: { status: "hung", variant: "direct/workgroup=64" },
    });
    expect(exit).toBe(COMPARE_EXIT.invalid);
  });

  it("reports text that does not compile with its line, against its side alone", async () => {
    const { rows } = await compare(changed({ body: BODIES.broken }, "unknown name"), plain);
    expect(rows[0]!.reason).toMatch(/^base compile-failed: .*nothing/);
    expect(rows[0]!.outcomes[0]!.sides.candidate).toMatchObject({ status: "ok" });
  });

  it("lists operations and problems that only one side has", async () => {
    repository.git("checkout", "--quiet", plain);
    repository.kernel({ problems: [300, 500] });
    repository.kernel({ operation: "other-sum" }, "other-sum");
    const { rows, extras, exit } = await compare(plain, repository.commit("more of both"), { untimed: true });
    expect(rows).toHaveLength(1);
    expect(extras.candidate).toMatchObject({
      operations: ["other-sum"],
      problems: [{ operation: "window-sum", problem: { items: 500 } }],
    });
    expect(extras.base).toMatchObject({ operations: [], problems: [] });
    expect(exit).toBe(COMPARE_EXIT.fine);
  });

  it("runs each side on its own commit's executor when asked", async () => {
    const { rows } = await compare(plain, plain, { executor: "own" });
    expect(rows[0]).toMatchObject({ verdict: "same" });
    expect(rows[0]!.outcomes[0]!.identical).toBe(false);
  });
});
