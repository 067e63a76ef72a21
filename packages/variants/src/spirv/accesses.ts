import { constantOf, type Instruction, type SpirvModule } from "./parse.ts";

/** Where an array lies, in WGSL's words. */
export type Space = "workgroup" | "storage" | "function" | "private";

/**
 * What an index is made of.
 * - `known`: constants, loop counters, the invocation's and the workgroup's numbers: its range is the author's to show, by `%` and `/`
 *   by constants, so a compiler with range analysis needs no clamp.
 * - `data`: a word of memory or of another invocation: no analysis bounds it.
 */
export type IndexOrigin = "known" | "data";

/** A clamp that the compiler put before one level of an access. */
export interface Clamp {
  /** `fixed`: by the declared length. `runtime`: by OpArrayLength, of an array whose length the text does not say. */
  readonly bound: "fixed" | "runtime";
  readonly origin: IndexOrigin;
  /** How it is done: a minimum, or a selection between the index and another. */
  readonly by: "min" | "select";
}

/** One address that a text computes from an array: `array[index]`, or several levels of it. */
export interface Access {
  readonly array: string;
  readonly space: Space;
  /** Levels whose index is no constant. */
  readonly dynamic: number;
  readonly clamps: readonly Clamp[];
}

const SPACES: Readonly<Record<string, Space>> = {
  Workgroup: "workgroup",
  StorageBuffer: "storage",
  Function: "function",
  Private: "private",
};

/** GLSL.std.450 instructions that clamp an index from above, the index their first argument. */
const MINIMA = new Set(["UMin", "SMin", "UClamp", "SClamp"]);

/** Every access to an array's elements, in the order of the text. Whole vectors and struct members are none. */
export function accessesOf(module: SpirvModule): readonly Access[] {
  return module.functions.flatMap(({ instructions }) =>
    instructions.flatMap((instruction) => accessOf(module, instruction) ?? []),
  );
}

function accessOf(module: SpirvModule, { opcode, operands }: Instruction): Access | undefined {
  if (opcode !== "OpAccessChain" && opcode !== "OpInBoundsAccessChain") return undefined;
  const [, base, ...indexes] = operands;
  const variable = module.definitions.get(base!);
  const space = SPACES[variable?.operands[1] ?? ""];
  if (variable?.opcode !== "OpVariable" || !space) return undefined;
  let type = module.definitions.get(module.definitions.get(variable.operands[0]!)!.operands[1]!)!;
  let levels = 0;
  let dynamic = 0;
  const clamps: Clamp[] = [];
  for (const index of indexes) {
    if (type.opcode === "OpTypeStruct") {
      type = module.definitions.get(type.operands[constantOf(module, index)!]!)!;
      continue;
    }
    if (type.opcode !== "OpTypeArray" && type.opcode !== "OpTypeRuntimeArray") break;
    levels++;
    if (constantOf(module, index) === undefined) {
      dynamic++;
      const clamp = clampOf(module, index, lengthOf(module, type));
      if (clamp) clamps.push(clamp);
    }
    type = module.definitions.get(type.operands[0]!)!;
  }
  // A chain that stops at the array itself asks for its length and reaches no element.
  if (levels === 0) return undefined;
  return { array: arrayName(module, base!, variable), space, dynamic, clamps };
}

const lengthOf = (module: SpirvModule, { opcode, operands }: Instruction): number | undefined =>
  opcode === "OpTypeArray" ? constantOf(module, operands[1]!) : undefined;

/** Storage variables have no name of their own; the struct that wraps them carries WGSL's. */
function arrayName(module: SpirvModule, id: string, { operands }: Instruction): string {
  const own = module.names.get(id);
  if (own !== undefined) return own;
  const struct = module.definitions.get(operands[0]!)!.operands[1]!;
  return (module.names.get(struct) ?? id.slice(1)).replace(/_block(_tint_explicit_layout)?$/, "");
}

/**
 * The clamp that made an index, by the length it keeps to; undefined where there is none. A value with a name is a `let` of the text: a minimum that
 * the text itself takes stands in either profile and serves every access that it bounds, and is no clamp.
 */
function clampOf(module: SpirvModule, index: string, length: number | undefined): Clamp | undefined {
  const definition = module.definitions.get(index);
  if (!definition || module.names.has(index)) return undefined;
  const { opcode, operands } = definition;
  if (opcode === "OpExtInst" && MINIMA.has(operands[2]!)) {
    const [value, bound] = [operands[3]!, operands.at(-1)!];
    const limit = boundOf(module, bound, length);
    return limit && { bound: limit, origin: originOf(module, value), by: "min" };
  }
  if (opcode === "OpSelect") {
    const condition = module.definitions.get(operands[1]!);
    const limits = condition?.operands.slice(1).map((operand) => boundOf(module, operand, length)) ?? [];
    const limit = limits.find((one) => one !== undefined);
    return limit && { bound: limit, origin: originOf(module, operands[2]!), by: "select" };
  }
  return undefined;
}

/** Which length a clamp's bound is: the last index of the declared one, or one less than OpArrayLength. */
function boundOf(module: SpirvModule, id: string, length: number | undefined): Clamp["bound"] | undefined {
  const value = constantOf(module, id);
  if (value !== undefined)
    return length !== undefined && value >= length - 1 && value <= length ? "fixed" : undefined;
  const definition = module.definitions.get(id);
  if (definition?.opcode === "OpArrayLength") return "runtime";
  const [, from] = definition?.opcode === "OpISub" ? definition.operands : [];
  return from !== undefined && module.definitions.get(from)?.opcode === "OpArrayLength"
    ? "runtime"
    : undefined;
}

/** Follows an index to what it is computed from. A function's own variable is a loop counter, unless memory was stored into it. */
function originOf(module: SpirvModule, id: string, seen: Set<string> = new Set()): IndexOrigin {
  if (seen.has(id)) return "known";
  seen.add(id);
  const definition = module.definitions.get(id);
  if (!definition) return "known";
  const { opcode, operands } = definition;
  if (opcode.startsWith("OpConstant")) return "known";
  if (opcode === "OpFunctionParameter") return parameterOrigin(module, id, seen);
  if (opcode.startsWith("OpGroup") || opcode.startsWith("OpAtomic")) return "data";
  if (opcode === "OpLoad") return loadOrigin(module, operands[1]!, seen);
  // The result's type comes first; a call's function and an extended set's are ids too, and lead nowhere.
  const arguments_ = operands.slice(1).filter((operand) => operand.startsWith("%"));
  return arguments_.some((operand) => originOf(module, operand, seen) === "data") ? "data" : "known";
}

/** What the calls of a function give for a parameter. */
function parameterOrigin(module: SpirvModule, id: string, seen: Set<string>): IndexOrigin {
  const owner = module.functions.find(({ instructions }) => instructions.some((one) => one.id === id))!;
  const parameters = owner.instructions.filter(({ opcode }) => opcode === "OpFunctionParameter");
  const position = parameters.findIndex((one) => one.id === id);
  const given = module.functions
    .flatMap(({ instructions }) => instructions)
    .filter(({ opcode, operands }) => opcode === "OpFunctionCall" && operands[1] === owner.id)
    .map(({ operands }) => operands[2 + position]!);
  return given.some((operand) => originOf(module, operand, seen) === "data") ? "data" : "known";
}

function loadOrigin(module: SpirvModule, pointer: string, seen: Set<string>): IndexOrigin {
  const chain = module.definitions.get(pointer);
  const variable = chain?.opcode === "OpVariable" ? chain : module.definitions.get(chain?.operands[1] ?? "");
  const storage = variable?.operands[1];
  if (storage === "Input") return "known";
  if (storage !== "Function" && storage !== "Private") return "data";
  const id = variable!.id!;
  const stored = module.functions
    .flatMap(({ instructions }) => instructions)
    .filter(({ opcode, operands }) => opcode === "OpStore" && operands[0] === id);
  return stored.some(({ operands }) => originOf(module, operands[1]!, seen) === "data") ? "data" : "known";
}
