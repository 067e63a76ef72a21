import { block, formatU32, lines, type Text, times } from "@tunelab/variants";
import type { Exchange, Lanes } from "./lanes.ts";

/** A variable of every thread of a matrix that becomes their largest, smallest or sum. */
export interface Reduced {
  readonly name: string;
  readonly by: "max" | "min" | "add";
  readonly type: "f32" | "u32";
}

/** How the threads of a matrix talk: by shuffles within a subgroup, or through workgroup memory. */
export interface Talk {
  readonly enables: Text;
  readonly declarations: Text;
  readonly builtins: string;
  /** Declares `slot` (the matrix's place in the workgroup), `lane` (the thread's in the matrix), and of that `pair` and `row`. */
  readonly begin: Text;
  reduce(...variables: readonly Reduced[]): Text;
  /** The same over the threads of a pair. */
  reducePair(...variables: readonly Reduced[]): Text;
  /** `registers` (vec4f) and `length` (f32) become those of the next thread (`right`) or the one before; the ends meet. */
  shift(towards: "left" | "right", registers: readonly string[], length: string): Text;
  /** Runs `body` for every thread with columns: `other` (vec2f) is its `pair`. */
  everyPair(pair: string, body: Text): Text;
  /** Leaves the loop when no matrix of those that run together goes on. */
  leaveWhenAllDone: Text;
  /** Tells the probe the most sweeps. */
  readonly reportSweeps: Text;
}

const combined = (by: Reduced["by"], a: string, b: string): string =>
  by === "add" ? `${a} + ${b}` : `${by}(${a}, ${b})`;

/** What of a configuration decides how threads talk. */
export interface TalkConfig {
  readonly workgroup: number;
  readonly exchange: Exchange;
  readonly chunk: number;
}

export function talkOf(lanes: Lanes, config: TalkConfig): Talk {
  return config.exchange === "subgroup" ? bySubgroup(lanes) : byMemory(lanes, config);
}

/**
 * `pair` and `row` of a thread from its `lane`, and the neighbours' threads for pairs `playing` in a ring, from the matrix's first thread on. Threads
 * beyond the ring hold zeros and get them from one another. Tint knows the range of all of it, where it knew none of a selection.
 */
const neighbours = (base: string, { lanes, playing, split }: Lanes): Text => {
  const [all, each] = [formatU32(playing), formatU32(split)];
  const pairs = lanes / split;
  const of = (steps: number): string => {
    const ring = `(pair + ${formatU32(steps)}) % ${all}`;
    return playing === pairs ? `(${ring})` : `min(${ring} + pair / ${all} * ${all}, ${formatU32(pairs - 1)})`;
  };
  return [
    `let pair = lane / ${each};`,
    `let row = lane % ${each};`,
    `let base = ${base};`,
    `let right = base + ${of(1)} * ${each} + row;`,
    `let left = base + ${of(playing - 1)} * ${each} + row;`,
  ];
};

/**
 * Nothing is assumed of how lanes follow local_invocation_index, nor of the subgroup's width but that it is a multiple of a matrix's threads:
 * each subgroup takes the next places of the workgroup from a counter.
 */
function bySubgroup(shape: Lanes): Talk {
  const { lanes, playing, split } = shape;
  const reduce = (threads: number, variables: readonly Reduced[]): Text => {
    const steps: string[] = [];
    for (let far = 1; far < threads; far *= 2) {
      for (const { name, by } of variables) {
        steps.push(`${name} = ${combined(by, name, `subgroupShuffleXor(${name}, ${formatU32(far)})`)};`);
      }
    }
    return steps;
  };
  return {
    enables: "enable subgroups;",
    declarations: "var<workgroup> taken: atomic<u32>;",
    builtins:
      "@builtin(local_invocation_index) thread: u32, @builtin(subgroup_invocation_id) id: u32, @builtin(subgroup_size) width: u32",
    begin: [
      "if (thread == 0u) { atomicStore(&taken, 0u); }",
      "workgroupBarrier();",
      "var place = 0u;",
      "if (subgroupElect()) { place = atomicAdd(&taken, width); }",
      "place = subgroupBroadcastFirst(place) + id;",
      `let slot = place / ${formatU32(lanes)};`,
      `let lane = id % ${formatU32(lanes)};`,
      neighbours("id - lane", shape),
    ],
    reduce: (...variables) => reduce(lanes, variables),
    reducePair: (...variables) => reduce(split, variables),
    shift: (towards, registers, length) =>
      [...registers, length].map((name) => `${name} = subgroupShuffle(${name}, ${towards});`),
    everyPair: (pair, body) =>
      block(
        `for (var o = 0u; o < ${formatU32(playing)}; o += 1u)`,
        `let other = subgroupShuffle(${pair}, base + o * ${formatU32(split)});`,
        body,
      ),
    leaveWhenAllDone: ["let going = subgroupMax(select(1u, 0u, done));", "if (going == 0u) { break; }"],
    reportSweeps: ["let ran = subgroupMax(sweeps);", "if (subgroupElect()) { atomicMax(&report[0], ran); }"],
  };
}

function byMemory(shape: Lanes, { workgroup, chunk }: TalkConfig): Talk {
  const { lanes, playing, quads, split } = shape;
  const staged = Math.min(chunk, quads);
  const bits = ({ name, type }: Reduced): string => (type === "u32" ? name : `bitcast<u32>(${name})`);
  const reduce = (threads: number, first: string, variables: readonly Reduced[]): Text => {
    if (threads === 1) return undefined;
    const parts = [0, 1, 2, 3].map((at) => (variables[at] ? bits(variables[at]) : "0u"));
    return [
      "workgroupBarrier();",
      `words[thread] = vec4u(${parts.join(", ")});`,
      "workgroupBarrier();",
      variables.map(({ name, by }) => by === "add" && `${name} = 0.0f;`),
      block(
        `for (var o = 0u; o < ${formatU32(threads)}; o += 1u)`,
        `let others = words[${first} + o];`,
        variables.map(({ name, by, type }, at) => {
          const word = `others.${"xyzw"[at]}`;
          return `${name} = ${combined(by, name, type === "u32" ? word : `bitcast<f32>(${word})`)};`;
        }),
      ),
    ];
  };
  return {
    enables: undefined,
    declarations: lines(
      `var<workgroup> columns: array<vec4f, ${staged * workgroup}>;`,
      `var<workgroup> lengths: array<f32, ${workgroup}>;`,
      `var<workgroup> words: array<vec4u, ${workgroup}>;`,
      "var<workgroup> pending: atomic<u32>;",
      "var<workgroup> ran: atomic<u32>;",
      "var<workgroup> going: u32;",
    ),
    builtins: "@builtin(local_invocation_index) thread: u32",
    begin: [
      `let slot = thread / ${formatU32(lanes)};`,
      `let lane = thread % ${formatU32(lanes)};`,
      neighbours(`slot * ${formatU32(lanes)}`, shape),
      "if (thread == 0u) { atomicStore(&ran, 0u); }",
    ],
    reduce: (...variables) => reduce(lanes, "base", variables),
    reducePair: (...variables) => reduce(split, `base + pair * ${formatU32(split)}`, variables),
    shift: (towards, registers, length) =>
      times(Math.ceil(registers.length / staged), (round) => {
        const some = registers.slice(round * staged, (round + 1) * staged);
        return [
          "workgroupBarrier();",
          some.map((name, at) => `columns[${formatU32(at * workgroup)} + thread] = ${name};`),
          round === 0 && `lengths[thread] = ${length};`,
          "workgroupBarrier();",
          some.map((name, at) => `${name} = columns[${formatU32(at * workgroup)} + ${towards}];`),
          round === 0 && `${length} = lengths[${towards}];`,
        ];
      }),
    everyPair: (pair, body) => [
      "workgroupBarrier();",
      `words[thread] = vec4u(bitcast<u32>(${pair}.x), bitcast<u32>(${pair}.y), 0u, 0u);`,
      "workgroupBarrier();",
      block(
        `for (var o = 0u; o < ${formatU32(playing)}; o += 1u)`,
        `let others = words[slot * ${formatU32(lanes)} + o * ${formatU32(split)}];`,
        "let other = vec2f(bitcast<f32>(others.x), bitcast<f32>(others.y));",
        body,
      ),
    ],
    leaveWhenAllDone: [
      "if (thread == 0u) { atomicStore(&pending, 0u); }",
      "workgroupBarrier();",
      "if (!done && lane == 0u) { atomicMax(&pending, 1u); }",
      "workgroupBarrier();",
      "if (thread == 0u) { going = atomicLoad(&pending); }",
      "let more = workgroupUniformLoad(&going);",
      "if (more == 0u) { break; }",
    ],
    reportSweeps: [
      "if (lane == 0u) { atomicMax(&ran, sweeps); }",
      "workgroupBarrier();",
      "if (thread == 0u) { atomicMax(&report[0], atomicLoad(&ran)); }",
    ],
  };
}
