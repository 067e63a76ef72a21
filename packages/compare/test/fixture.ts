import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** This checkout, from which a fixture takes its contract, variants, selection and executor. */
const CHECKOUT = fileURLToPath(new URL("../../..", import.meta.url));
const SHARED = ["contract", "variants", "selection", "executor"] as const;

/** What a fixture's kernel does differently; the plain one sums eight neighbours in order. */
export interface KernelChange {
  readonly parameter?: string;
  readonly body?: string;
  /** Lines before the early return, where barriers are allowed. */
  readonly before?: string;
  readonly operation?: string;
  /** Text in place of the whole suite module. */
  readonly source?: string;
  readonly problems?: readonly number[];
}

export const BODIES = {
  plain: "for (var k = 0u; k < 8u; k += 1u) { s = s + x[8u * i + k]; }",
  reordered: "for (var k = 0u; k < 8u; k += 1u) { s = s + x[8u * i + 7u - k]; }",
  wrongIndex: "for (var k = 0u; k < 8u; k += 1u) { s = s + x[8u * (i ^ 1u) + k]; }",
  endless: "while (x[i] > -1.0) { y[i] += 1.0; }",
  broken: "s = s + nothing;",
  /** Right once; a second repeat finds its work done and spoils it. */
  spoiled: "for (var k = 0u; k < 8u; k += 1u) { s = s + x[8u * i + k]; } if (y[i] == s) { s = 0.0; }",
} as const;

/** The suite of `window-sum`: y[i] = x[8 i] + ... + x[8 i + 7], through the scratch buffer `partial`. */
export function suiteSource({
  parameter = "workgroup",
  body = BODIES.plain,
  before = "",
  operation = "window-sum",
  problems = [300],
}: KernelChange): string {
  return `import { CONTRACT_VERSION, type Algorithm, type Plan, type Problem, type Suite } from "@tunelab/contract";

const text = (size: number): string => \`
struct Extents { items: u32, first: u32, total: u32, iteration: u32 }
@group(0) @binding(0) var<uniform> extents: Extents;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(\${size})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  ${before}
  let i = ((group.z * groups.y + group.y) * groups.x + group.x) * \${size}u + local;
  if (i >= extents.items) { return; }
  var s = 0.0;
  ${body}
  y[i] = s;
}
@compute @workgroup_size(\${size})
fn finish(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let i = ((group.z * groups.y + group.y) * groups.x + group.x) * \${size}u + local;
  if (i < extents.items) { y[i] = x[i]; }
}\`;

const plan = ({ items }: Problem, size: number): Plan => ({
  contract: CONTRACT_VERSION,
  operation: "${operation}",
  algorithm: "direct",
  buffers: [
    { name: "x", role: "in", dtype: "f32", fixedBytes: 0, itemBytes: 32 },
    { name: "partial", role: "scratch", dtype: "f32", fixedBytes: 0, itemBytes: 4 },
    { name: "y", role: "out", dtype: "f32", fixedBytes: 0, itemBytes: 4 },
  ],
  modules: [{ name: "sum", wgsl: text(size) }],
  steps: [
    {
      kind: "dispatch", stage: "sum", module: "sum", entry: "main",
      bindings: [{ buffer: "x", access: "read" }, { buffer: "partial", access: "read-write" }],
      groups: { fixed: 0, perItem: { groups: 1, items: size } },
    },
    {
      kind: "dispatch", stage: "finish", module: "sum", entry: "finish",
      bindings: [{ buffer: "partial", access: "read" }, { buffer: "y", access: "read-write" }],
      groups: { fixed: 0, perItem: { groups: 1, items: size } },
    },
  ],
  batch: { dimension: "items", items: Number(items), order: "independent", quantum: 8, minimum: 8 },
  extents: {},
  requires: { features: [], limits: {} },
});

const direct: Algorithm = {
  name: "direct",
  space: () => ({ parameters: [{ name: "${parameter}", values: [64, 128], doc: "invocations" }], constraints: [] }),
  defaultConfig: () => ({ ${parameter}: 64 }),
  resources: (_problem, config) => ({ workgroupBytes: 0, invocations: Number(config.${parameter}), scratchBytesPerItem: 4, storageBuffers: 2, features: [] }),
  plan: (problem, config) => plan(problem, Number(config.${parameter})),
  cost: ({ items }) => ({ flops: 8 * Number(items), requestedBytes: 36 * Number(items), compulsoryBytes: 36 * Number(items), workgroupBytes: 0 }),
};

export const suite: Suite = {
  operation: {
    name: "${operation}",
    doc: "sums of eight neighbours",
    dimensions: [{ name: "items", role: "extent", distance: { kind: "log", weight: 1 }, doc: "sums", default: 300 }],
    refuse: ({ items }) => (Number(items) >= 1 ? undefined : "items must be positive"),
    ports: ({ items }) => [
      { name: "x", dtype: "f32", shape: [Number(items), 8], role: "in", doc: "" },
      { name: "y", dtype: "f32", shape: [Number(items)], role: "out", doc: "" },
    ],
    algorithms: { direct: async () => direct },
    accuracy: { bound: 1e-6, measure: "relative error" },
  },
  epoch: 1,
  inputs: ({ items }, seed) => ({
    x: Float32Array.from({ length: 8 * Number(items) }, (_, i) => 0.1 + (((i + seed) * 2654435761) % 4093) / 4093),
  }),
  oracle: ({ items }, { x }) => ({
    check: ({ y }) => {
      let [matched, maxError] = [0, 0];
      for (let i = 0; i < Number(items); i += 1) {
        let want = 0;
        for (let k = 0; k < 8; k += 1) want += x![8 * i + k]!;
        const error = Math.abs(y![i]! - want) / want;
        if (error < 1e-3) matched += 1;
        maxError = Math.max(maxError, error);
      }
      return { matched, total: Number(items), sampled: Number(items), maxError, nearTies: 0 };
    },
  }),
  work: ({ items }) => ({ flops: 8 * Number(items), bytes: 36 * Number(items), items: Number(items) }),
  workloads: { quick: [${problems.map((items) => `{ items: ${items} }`).join(", ")}], standard: [], full: [] },
};
`;
}

/** A git repository with this checkout's lower packages and one kernel, in a folder of its own. */
export class FixtureRepository {
  readonly root: string;

  constructor() {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "tunelab-compare-")));
    this.git("init", "--quiet", "--initial-branch=main");
    for (const name of SHARED) {
      const from = join(CHECKOUT, "packages", name);
      cpSync(join(from, "src"), join(this.root, "packages", name, "src"), { recursive: true });
      cpSync(join(from, "package.json"), join(this.root, "packages", name, "package.json"));
    }
    this.kernel({});
  }

  git(...words: string[]): string {
    const who = ["-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"];
    return execFileSync("git", [...who, ...words], {
      cwd: this.root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** Writes the kernel package; nothing is committed. */
  kernel(change: KernelChange, folder = "window-sum"): void {
    const exports = {
      ".": { "@tunelab/source": "./src/suite.ts" },
      "./suite": { "@tunelab/source": "./src/suite.ts" },
    };
    this.write(
      `kernels/${folder}/package.json`,
      JSON.stringify({ name: `@tunelab/kernel-${folder}`, exports }),
    );
    this.write(`kernels/${folder}/src/suite.ts`, change.source ?? suiteSource(change));
  }

  /** Commits everything and gives the hash. */
  commit(message: string): string {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "--message", message);
    return this.git("rev-parse", "HEAD").trim();
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
