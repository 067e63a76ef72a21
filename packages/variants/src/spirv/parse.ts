import { Fault } from "@tunelab/contract";

/** One instruction of a SPIR-V disassembly; operands as written, ids with their `%`. */
export interface Instruction {
  /** Its result, `%...`; absent where it has none. */
  readonly id?: string;
  readonly opcode: string;
  readonly operands: readonly string[];
}

export interface SpirvFunction {
  readonly id: string;
  readonly instructions: readonly Instruction[];
}

/** A module taken apart, as spirv-tools prints it (`spirv-dis` with friendly names, which Dawn's `dump_shaders` uses). */
export interface SpirvModule {
  /** Instructions outside functions: types, constants, variables, names, decorations. */
  readonly globals: readonly Instruction[];
  readonly functions: readonly SpirvFunction[];
  /** Every instruction with a result, by it. */
  readonly definitions: ReadonlyMap<string, Instruction>;
  /** What OpName calls an id. */
  readonly names: ReadonlyMap<string, string>;
}

const LINE = /^\s*(?:(%\S+) = )?(Op\w+)(?:\s+(.*))?$/;
const OPERAND = /"(?:[^"\\]|\\.)*"|\S+/g;

/** Takes a disassembly apart. @throws Fault `data` for a line that is no instruction, with its number. */
export function parseSpirv(disassembly: string): SpirvModule {
  const globals: Instruction[] = [];
  const functions: { id: string; instructions: Instruction[] }[] = [];
  const definitions = new Map<string, Instruction>();
  const names = new Map<string, string>();
  let open: { id: string; instructions: Instruction[] } | undefined;
  for (const [index, line] of disassembly.split("\n").entries()) {
    if (line.trim() === "" || line.trimStart().startsWith(";")) continue;
    const instruction = instructionOf(line, index + 1);
    const { id, opcode, operands } = instruction;
    if (id !== undefined) definitions.set(id, instruction);
    if (opcode === "OpName") names.set(operands[0]!, operands[1]!.slice(1, -1));
    if (opcode === "OpFunction" && id !== undefined) {
      open = { id, instructions: [] };
      functions.push(open);
    }
    (open?.instructions ?? globals).push(instruction);
    if (opcode === "OpFunctionEnd") open = undefined;
  }
  if (functions.length === 0)
    throw new Fault("data", "this is no SPIR-V disassembly of a shader: it has no function");
  return { globals, functions, definitions, names };
}

function instructionOf(line: string, number: number): Instruction {
  const match = LINE.exec(line);
  if (!match) {
    throw new Fault(
      "data",
      `line ${number} of the SPIR-V disassembly is no instruction: ${line.trim().slice(0, 80)}`,
    );
  }
  const [, id, opcode, rest = ""] = match;
  const operands = rest.match(OPERAND) ?? [];
  return id === undefined ? { opcode: opcode!, operands } : { id, opcode: opcode!, operands };
}

/** Value of an integer constant; undefined for every other id. */
export function constantOf(module: SpirvModule, id: string): number | undefined {
  const definition = module.definitions.get(id);
  return definition?.opcode === "OpConstant" ? Number(definition.operands[1]) : undefined;
}
