import { type Capabilities, CONTRACT_VERSION, type Plan } from "@tunelab/contract";

/** A kernel that tells a device with a known fault from one without. */
export interface Reproducer {
  /** The fault's id in the ledger. */
  readonly fault: string;
  readonly features: readonly string[];
  /** One dispatch that fills the port `words`. */
  plan(capabilities: Capabilities): Plan;
  /** What is wrong with the words, or undefined: the device does not have the fault. */
  wrong(words: Uint32Array, capabilities: Capabilities): string | undefined;
}

const BINDINGS = [
  "struct Extents { items: u32, first: u32, total: u32, iteration: u32, divisor: u32, bits: u32 }",
  "@group(0) @binding(0) var<uniform> extents: Extents;",
  "@group(0) @binding(1) var<storage, read_write> words: array<u32>;",
].join("\n");

/** Values that the compiler must not know: they come in the uniform. */
const DIVISOR = 3;
const NAN_BITS = 0x7fc00000;
const HALF_BITS = 0x3f000000;

const planOf = (fault: string, bytes: number, text: string, features: readonly string[] = []): Plan => ({
  ...{ contract: CONTRACT_VERSION, operation: "known-faults", algorithm: fault },
  buffers: [{ name: "words", role: "out", dtype: "u32", fixedBytes: bytes, itemBytes: 0 }],
  modules: [{ name: "reproducer", wgsl: text }],
  steps: [
    {
      ...{ kind: "dispatch", stage: "reproducer", module: "reproducer", entry: "main" },
      bindings: [{ buffer: "words", access: "read-write" }],
      groups: { fixed: 1 },
    },
  ],
  batch: { dimension: "runs", items: 1, order: "independent", quantum: 1, minimum: 1 },
  extents: { divisor: DIVISOR, bits: NAN_BITS },
  requires: { features, limits: {} },
});

/** Bytes bound where the device grants too little for the fault to show. */
const SMALL_BYTES = 2 ** 20;

const bytesBound = ({ limits }: Capabilities): number => {
  const most = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  return most > 2 ** 31 ? 2 ** 31 + SMALL_BYTES : SMALL_BYTES;
};

const WORKGROUP = 25;
const ROUNDS = 8;

/** What thread `t` holds after adding its right neighbour's value ROUNDS times. */
function afterRounds(): readonly number[] {
  let held = Array.from({ length: WORKGROUP }, (_, t) => t + 1);
  for (let round = 0; round < ROUNDS; round++) {
    held = held.map((value, t) => (value + held[(t + 1) % WORKGROUP]!) >>> 0);
  }
  return held;
}

const firstDifference = (words: Uint32Array, right: readonly number[]): string | undefined => {
  const at = right.findIndex((value, index) => words[index] !== value);
  return at < 0 ? undefined : `word ${at} is ${words[at]}, not ${right[at]}`;
};

export const REPRODUCERS: readonly Reproducer[] = [
  {
    fault: "nvidia-binding-over-2-gib",
    features: [],
    plan: (capabilities) =>
      planOf(
        "nvidia-binding-over-2-gib",
        bytesBound(capabilities),
        `${BINDINGS}
@compute @workgroup_size(1)
fn main() {
  let last = arrayLength(&words) - 1u;
  words[last] = extents.divisor;
  words[0] = last;
  words[1] = words[last];
}`,
      ),
    wrong: (words, capabilities) => firstDifference(words, [bytesBound(capabilities) / 4 - 1, DIVISOR]),
  },
  {
    fault: "intel-narrow-subgroups",
    features: ["subgroups"],
    plan: () =>
      planOf(
        "intel-narrow-subgroups",
        4 * 64,
        `enable subgroups;
${BINDINGS}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32) {
  words[t] = subgroupAdd(1u);
}`,
        ["subgroups"],
      ),
    wrong: (words, { subgroup }) => {
      const narrow = words.findIndex((lanes) => lanes < (subgroup?.minimum ?? 0));
      return narrow < 0 ? undefined : `thread ${narrow} ran among ${words[narrow]} lanes`;
    },
  },
  {
    fault: "apple-barrier-in-part-of-a-simdgroup",
    features: [],
    plan: () =>
      planOf(
        "apple-barrier-in-part-of-a-simdgroup",
        4 * WORKGROUP,
        `${BINDINGS}
var<workgroup> held: array<u32, ${WORKGROUP}>;
@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(local_invocation_index) t: u32) {
  held[t] = t + 1u;
  for (var round = 0u; round < ${ROUNDS}u; round++) {
    workgroupBarrier();
    let sum = held[t] + held[(t + 1u) % ${WORKGROUP}u];
    workgroupBarrier();
    held[t] = sum;
  }
  words[t] = held[t];
}`,
      ),
    wrong: (words) => firstDifference(words, afterRounds()),
  },
  {
    fault: "apple-naga-uniform-load",
    features: [],
    plan: () =>
      planOf(
        "apple-naga-uniform-load",
        4 * 256,
        `${BINDINGS}
var<workgroup> flag: u32;
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) t: u32) {
  if (t == 0u) { flag = extents.divisor; }
  words[t] = workgroupUniformLoad(&flag);
}`,
      ),
    wrong: (words) =>
      firstDifference(
        words,
        Array.from({ length: 256 }, () => DIVISOR),
      ),
  },
  {
    fault: "apple-u32-remainder",
    features: [],
    plan: () =>
      planOf(
        "apple-u32-remainder",
        4,
        `${BINDINGS}
@compute @workgroup_size(1)
fn main() {
  words[0] = 4294967294u % extents.divisor;
}`,
      ),
    wrong: (words) => firstDifference(words, [4294967294 % DIVISOR]),
  },
  {
    fault: "qualcomm-clamp-of-nan",
    features: [],
    plan: () =>
      planOf(
        "qualcomm-clamp-of-nan",
        4,
        `${BINDINGS}
@compute @workgroup_size(1)
fn main() {
  let held = clamp(vec2f(bitcast<f32>(extents.bits), 0.5), vec2f(0.0), vec2f(1.0));
  words[0] = bitcast<u32>(held.y);
}`,
      ),
    wrong: (words) => firstDifference(words, [HALF_BITS]),
  },
];
