import { constantOf, type Instruction, type SpirvModule } from "./parse.ts";

/** What an instruction is there for. */
export const KINDS = [
  "float",
  "integer",
  "address",
  "memory",
  "barrier",
  "control",
  "subgroup",
  "call",
  "other",
] as const;
export type Kind = (typeof KINDS)[number];

/** Instructions that produce code, by kind; labels, declarations and what merges control flow are none. */
export type Counts = Readonly<Record<Kind, number>>;

export interface FunctionCensus {
  readonly name: string;
  readonly counts: Counts;
  readonly total: number;
}

const KIND_OF: readonly (readonly [Kind, RegExp])[] = [
  ["barrier", /^Op(Control|Memory)Barrier$/],
  ["subgroup", /^OpGroup/],
  ["address", /^Op(InBounds)?AccessChain$|^OpArrayLength$/],
  ["memory", /^Op(Load|Store|CopyMemory|Atomic\w+)$/],
  ["control", /^Op(Branch|BranchConditional|Switch|Return|ReturnValue|Unreachable|Phi)$/],
  ["call", /^OpFunctionCall$/],
  ["float", /^OpF|^Op(Dot|VectorTimesScalar|ConvertFToU|ConvertFToS)$/],
  ["integer", /^Op(I|U|S)[A-Z]|^Op(Bit|Not|Shift|Logical|All|Any|Select|ConvertUToF|ConvertSToF)/],
];

/** Lines of a function that are no work of their own. */
const NO_WORK =
  /^Op(Label|Variable|Function|FunctionParameter|FunctionEnd|SelectionMerge|LoopMerge|Line|NoLine)$/;

/** GLSL.std.450 by the type they work on: `UMin`, `SClamp`, `FindUMsb` are integer, the rest float. */
const INTEGER_EXTENDED = /^[US](Min|Max|Clamp|Abs|Sign)$|^Find/;

export function kindOf({ opcode, operands }: Instruction): Kind | undefined {
  if (NO_WORK.test(opcode)) return undefined;
  if (opcode === "OpExtInst") return INTEGER_EXTENDED.test(operands[2] ?? "") ? "integer" : "float";
  return KIND_OF.find(([, pattern]) => pattern.test(opcode))?.[0] ?? "other";
}

/** Instructions of every function that the entry point can reach, callers first. */
export function censusOf(module: SpirvModule): readonly FunctionCensus[] {
  return module.functions.map(({ id, instructions }) => {
    const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
    for (const instruction of instructions) {
      const kind = kindOf(instruction);
      if (kind) counts[kind]++;
    }
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { name: module.names.get(id) ?? id.slice(1), counts, total };
  });
}

/** Everything the compiler adds to keep a text safe, besides clamps of indexes. */
export interface Safety {
  /** Loops, and those that carry a counter of 2^64 rounds because they were not proven to end. */
  readonly loops: number;
  readonly guardedLoops: number;
  /** Bytes of workgroup memory that are zeroed before a workgroup starts. */
  readonly zeroedBytes: number;
  /** Calls of the helpers for / and % whose divisor is no constant: a driver cannot fold their check for zero away. */
  readonly checkedDivisions: number;
  /** Instructions that keep the lanes of shuffles within their subgroup. */
  readonly shuffleGuards: number;
}

/**
 * Instructions around a shuffle: a load of the last lane's number and a minimum (`subgroupShuffle`); where the lane is worked out from the
 * invocation's own (xor, up, down) its load, that arithmetic and a comparison more. A text that shuffles finds out the last lane once: a sum, a
 * subtraction and a store; where it needs its own lane, a store more, and its load unless the text asks for the builtin itself.
 */
const SHUFFLE = { lane: 2, own: 3, last: 3, kept: 1, loaded: 1 } as const;
const LAST_LANE = /^tint_subgroup_last_id$/;
const OWN_LANE = /^tint_subgroup_invocation_id/;

export function safetyOf(module: SpirvModule): Safety {
  const all = module.functions.flatMap(({ instructions }) => instructions);
  const named = (id: string | undefined, pattern: RegExp): boolean =>
    pattern.test(module.names.get(id ?? "") ?? "");
  const loadsOf = (variable: RegExp): number =>
    all.filter(({ opcode, operands }) => opcode === "OpLoad" && named(operands[1], variable)).length;
  const storesTo = (variable: RegExp): readonly Instruction[] =>
    all.filter(({ opcode, operands }) => opcode === "OpStore" && named(operands[0], variable));
  const kept = storesTo(OWN_LANE);
  const loaded = kept.filter(({ operands }) => named(operands[1], OWN_LANE));
  const variables = module.globals.filter(({ opcode }) => opcode === "OpVariable");
  return {
    loops: all.filter(({ opcode }) => opcode === "OpLoopMerge").length,
    guardedLoops: all.filter(({ id, opcode }) => opcode === "OpVariable" && named(id, /^tint_loop_idx/))
      .length,
    zeroedBytes: variables
      .filter(({ operands }) => operands[1] === "Workgroup" && operands[2] !== undefined)
      .reduce(
        (sum, { operands }) => sum + bytesOf(module, module.definitions.get(operands[0]!)!.operands[1]!),
        0,
      ),
    checkedDivisions: all.filter(
      ({ opcode, operands }) =>
        opcode === "OpFunctionCall" &&
        named(operands[1], /^tint_(div|mod)_/) &&
        module.definitions.get(operands.at(-1)!)?.opcode.startsWith("OpConstant") !== true,
    ).length,
    shuffleGuards:
      SHUFFLE.last * storesTo(LAST_LANE).length +
      SHUFFLE.kept * kept.length +
      SHUFFLE.loaded * loaded.length +
      SHUFFLE.lane * loadsOf(LAST_LANE) +
      SHUFFLE.own * loadsOf(OWN_LANE),
  };
}

/** Bytes of a type without padding: what workgroup memory holds. */
function bytesOf(module: SpirvModule, type: string): number {
  const { opcode, operands } = module.definitions.get(type)!;
  if (opcode === "OpTypeArray") return bytesOf(module, operands[0]!) * constantOf(module, operands[1]!)!;
  if (opcode === "OpTypeVector") return bytesOf(module, operands[0]!) * Number(operands[1]);
  if (opcode === "OpTypeStruct") return operands.reduce((sum, member) => sum + bytesOf(module, member), 0);
  return opcode === "OpTypeBool" ? 4 : Number(operands[0]) / 8;
}
