import { describe, expect, it } from "vitest";
import { interpret, type KernelReport } from "../src/interpreter/index.ts";

/** Runs a body over 8 threads: `out` has 16 words, `in_` holds 0 .. 15. */
function run(
  body: string,
  options: { size?: number; groups?: number; declarations?: string; items?: number } = {},
): KernelReport & { out: number[] } {
  const out = new Uint32Array(16).fill(99);
  const report = interpret({
    wgsl: `
      enable subgroups;
      struct Extents { items: u32, first: u32, total: u32, iteration: u32, }
      @group(0) @binding(0) var<uniform> extents: Extents;
      @group(0) @binding(1) var<storage, read> in_: array<u32>;
      @group(0) @binding(2) var<storage, read_write> out: array<u32>;
      var<workgroup> stage: array<u32, 8>;
      var<workgroup> sum: atomic<u32>;
      ${options.declarations ?? ""}
      @compute @workgroup_size(8)
      fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) t: u32,
              @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) width: u32) {
        ${body}
      }`,
    buffers: { in_: Uint32Array.from({ length: 16 }, (_, i) => i), out },
    extents: { items: options.items ?? 8 },
    groups: options.groups ?? 1,
    ...(options.size ? { subgroupSize: options.size } : {}),
  });
  return { ...report, out: [...out] };
}

const kinds = ({ faults }: KernelReport): string[] => faults.map(({ kind }) => kind).sort();
/** A rotation through workgroup memory, right only with its barrier. */
const rotate = (barrier: string): string =>
  `stage[t] = in_[t] * 10u; ${barrier} out[t] = stage[(t + 1u) % 8u];`;

describe("the interpreter of kernel texts", () => {
  it("passes values through workgroup memory across a barrier, at every subgroup width", () => {
    for (const size of [1, 2, 4, 8]) {
      const report = run(rotate("workgroupBarrier();"), { size });
      expect(report.out.slice(0, 8)).toEqual([10, 20, 30, 40, 50, 60, 70, 0]);
      expect(report).toMatchObject({ faults: [], barriers: 1 });
    }
  });

  it("names a race where the barrier is missing, and wrong values where subgroups are narrow", () => {
    const wide = run(rotate(""));
    expect(wide.out[7]).toBe(0);
    expect(wide.out[0]).toBe(10);
    expect(kinds(wide)).toEqual(["race"]);
    expect(wide.faults[0]!.first).toMatch(/thread 0 reads stage word 1 that thread 1 writes/);
    const narrow = run(rotate(""), { size: 4 });
    expect(narrow.out[3]).not.toBe(40);
    expect(kinds(narrow)).toEqual(["race", "unwritten"]);
  });

  it("names two writers of one word, in workgroup memory and in a buffer", () => {
    expect(kinds(run("stage[t / 2u] = t; out[t] = t;"))).toEqual(["overlap"]);
    expect(run("out[t / 2u] = t;").faults[0]!.first).toMatch(/threads 0 and 1 both write out word 0/);
    expect(kinds(run("stage[t] = t; workgroupBarrier(); stage[7u - t] = t;"))).toEqual([]);
  });

  it("names an index past the end, of a buffer and of an array inside one", () => {
    expect(run("out[t + 12u] = 1u;").faults).toEqual([
      { kind: "outside", first: "out: word 16 of 16", count: 4 },
    ]);
    const inner = "@group(0) @binding(3) var<storage, read> rows: array<array<u32, 4>>;";
    const text =
      (index: string): (() => KernelReport) =>
      () => {
        const wgsl = `${inner} @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) t: u32) { let x = rows[0][${index}]; }`;
        return interpret({ wgsl, buffers: { rows: new Uint32Array(8) }, extents: {}, groups: 1 });
      };
    expect(kinds(text("t + 2u")())).toEqual([]);
    expect(kinds(text("t + 3u")())).toEqual(["outside"]);
  });

  it("names workgroup memory that is read before it is written, in a later workgroup too", () => {
    const text =
      "if (group.x == 0u) { stage[t] = 5u; } workgroupBarrier(); out[group.x * 8u + t] = stage[t];";
    expect(run(text, { groups: 2 }).faults).toMatchObject([{ kind: "unwritten", count: 8 }]);
  });

  it("names a barrier that some threads do not reach, and none where all return", () => {
    expect(kinds(run("if (t < 4u) { return; } workgroupBarrier(); out[t] = 1u;", { size: 4 }))).toEqual([
      "divergence",
    ]);
    expect(kinds(run("if (t < 3u) { workgroupBarrier(); }"))).toEqual(["divergence"]);
    const all = run(
      "if (group.x * 8u >= extents.items) { return; } workgroupBarrier(); out[group.x * 8u + t] = 7u;",
      {
        groups: 2,
      },
    );
    expect(all.faults).toEqual([]);
    expect(all.out).toEqual([...new Array(8).fill(7), ...new Array(8).fill(99)]);
  });

  it("computes subgroup maxima, elections and shuffles within each subgroup", () => {
    const most = run(
      "let top = subgroupMax(in_[t]); if (subgroupElect()) { atomicMax(&sum, top); } workgroupBarrier(); out[t] = top; out[t + 8u] = atomicLoad(&sum);",
      { size: 4 },
    );
    expect(most.out).toEqual([3, 3, 3, 3, 7, 7, 7, 7, ...new Array(8).fill(7)]);
    expect(
      run("out[t] = subgroupShuffle(in_[t], (lane + 1u) % width);", { size: 4 }).out.slice(0, 8),
    ).toEqual([1, 2, 3, 0, 5, 6, 7, 4]);
    expect(run("out[t] = subgroupShuffleXor(in_[t], 2u);", { size: 4 }).out.slice(0, 8)).toEqual([
      2, 3, 0, 1, 6, 7, 4, 5,
    ]);
    expect(run("out[t] = u32(subgroupAdd(f32(in_[t])));", { size: 2 }).out.slice(0, 4)).toEqual([1, 1, 5, 5]);
  });

  it("rounds to float32 as a GPU does, a fused multiply-add once", () => {
    const float = (expression: string): number => {
      const bits = run(`out[t] = bitcast<u32>(${expression});`).out[0]!;
      return new Float32Array(Uint32Array.of(bits).buffer)[0]!;
    };
    expect(float("1.0f / 3.0f")).toBe(Math.fround(1 / 3));
    const [a, b] = [Math.fround(1.0001), Math.fround(-1.0002)];
    expect(float("fma(1.0001f, 1.0001f, -1.0002f)")).toBe(Math.fround(a * a + b));
    expect(float("1.0001f * 1.0001f - 1.0002f")).toBe(Math.fround(Math.fround(a * a) + b));
    expect(float("dot(vec2f(1.5f, 2.0f), vec2f(2.0f, -1.0f).yx)")).toBe(2.5);
    expect(float("select(1.0f, 2.0f, t == 0u)")).toBe(2);
  });

  it("wraps unsigned arithmetic, and keeps the precedence and the loops of WGSL", () => {
    expect(run("out[t] = 0u - 1u;").out[0]).toBe(0xffffffff);
    expect(run("out[t] = 0xfeedfaceu;").out[0]).toBe(0xfeedface);
    expect(run("out[t] = 7u + 6u * 5u % 4u;").out[0]).toBe(9);
    expect(run("out[t] = ~(t * 2u) / 2u;").out[1]).toBe(0x7ffffffe);
    const loop = "var x = 0u; for (var i = 0u; i < t; i += 1u) { x += i; } out[t] = x;";
    expect(run(loop).out.slice(0, 5)).toEqual([0, 0, 1, 3, 6]);
    const leave =
      "var x = 0u; for (var i = 0u; i < 8u; i += 1u) { if (i == t) { break; } x += 1u; } workgroupBarrier(); out[t] = x;";
    expect(run(leave)).toMatchObject({ faults: [], barriers: 1 });
    expect(run(leave).out.slice(0, 8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const swizzle =
      "var v = vec2f(1.0f, 2.0f); v.x = 5.0f; let w = v; v.y = 6.0f; out[t] = u32(w.x * 10.0f + w.y);";
    expect(run(swizzle).out[0]).toBe(52);
    expect(
      run("if (t == 0u) { out[t] = 1u; } else if (t == 1u) { out[t] = 2u; } else { out[t] = 3u; }").out.slice(
        0,
        3,
      ),
    ).toEqual([1, 2, 3]);
  });

  it("reads literals with exponents of either sign, and hexadecimal ones", () => {
    const report = run("out[t] = u32(5.0e-1f * 8.0e+0f) + u32(1.0e1f) + 0xfu;");
    expect(report.out[0]).toBe(4 + 10 + 15);
  });

  it("takes a workgroup-uniform load as a load between two barriers", () => {
    const report = run(
      "if (t == 0u) { last = 7u; } let seen = workgroupUniformLoad(&last); if (t == 1u) { last = 8u; } out[t] = seen;",
      {
        declarations: "var<workgroup> last: u32;",
        size: 4,
      },
    );
    expect(report.out.slice(0, 8)).toEqual(new Array(8).fill(7));
    expect(report).toMatchObject({ faults: [], barriers: 2 });
  });

  it("counts how often every word is read and written", () => {
    const { traffic } = run(rotate("workgroupBarrier();"));
    expect([...traffic.in_!.reads]).toEqual([...new Array(8).fill(1), ...new Array(8).fill(0)]);
    expect([...traffic.stage!.writes]).toEqual(new Array(8).fill(1));
    expect([...traffic.out!.writes]).toEqual([...new Array(8).fill(1), ...new Array(8).fill(0)]);
  });

  it("refuses text outside its subset, and buffers that are not given, in one line", () => {
    expect(() => run("switch t { default: {} }")).toThrow(/reads no such text|cannot read/);
    expect(() => run("out[t] = reverseBits(t);")).toThrow(/no function reverseBits/);
    expect(() => run("out[t] = nothing;")).toThrow(/knows no nothing/);
    expect(() =>
      run("", { declarations: "@group(0) @binding(3) var<storage, read> more: array<u32>;" }),
    ).toThrow(/needs contents for the buffer more/);
  });
});
