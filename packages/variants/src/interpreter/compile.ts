import { Fault } from "@tunelab/contract";
import type { TrackedMemory } from "./memory.ts";
import type { Expression, Type } from "./parse.ts";
import {
  bitcast,
  COMPONENT_WISE,
  lift,
  operatorOf,
  rounding,
  shapeOfType,
  type Value,
  vectorType,
  wordsOf,
} from "./values.ts";

/** One thread's state. */
export interface Frame {
  readonly locals: Value[];
  /** Results of subgroup builtins of the statement that runs, by call. */
  readonly collected: Value[];
  readonly thread: number;
  /** Place in its subgroup. */
  readonly lane: number;
  /** Thread number over all workgroups. */
  readonly global: number;
  /** Barriers passed, over all workgroups. */
  epoch: number;
}

/** A place in memory: a variable, or a part of one. */
interface Place {
  readonly memory: TrackedMemory;
  readonly at: (frame: Frame) => number;
}

export interface Compiled {
  readonly type: Type;
  readonly get: (frame: Frame) => Value;
  readonly place?: Place;
  /** Of a local variable: where frames keep it. */
  readonly slot?: number;
}

/** A call that the threads of a subgroup make together. */
export interface Collective {
  readonly name: string;
  readonly slot: number;
  readonly type: string;
  readonly argument: readonly Compiled[];
}

/** Names in sight, and the collectives of the statement that is being compiled. */
export class Scope {
  readonly #known: Map<string, Compiled>;
  readonly #counter: { locals: number; collectives: number };
  collectives: Collective[] = [];
  /** Threads that left the loop around the statement by `break`; filled while the loop runs. */
  left: Set<Frame> | undefined;
  readonly structs: ReadonlyMap<string, readonly string[]>;

  constructor(
    structs: ReadonlyMap<string, readonly string[]>,
    known: Map<string, Compiled> = new Map(),
    counter: { locals: number; collectives: number } = { locals: 0, collectives: 0 },
  ) {
    this.structs = structs;
    this.#known = known;
    this.#counter = counter;
  }

  inner(): Scope {
    const scope = new Scope(this.structs, new Map(this.#known), this.#counter);
    scope.left = this.left;
    return scope;
  }

  define(name: string, value: Compiled): void {
    this.#known.set(name, value);
  }

  /** A local variable; returns its slot. */
  declare(name: string, type: Type): number {
    const slot = this.#counter.locals++;
    this.define(name, { type, slot, get: (frame) => frame.locals[slot]! });
    return slot;
  }

  find(name: string): Compiled {
    const known = this.#known.get(name);
    if (!known) throw new Fault("usage", `the interpreter knows no ${name}`);
    return known;
  }

  collect(name: string, type: string, argument: readonly Compiled[]): Compiled {
    const slot = this.#counter.collectives++;
    this.collectives.push({ name, slot, type, argument });
    return { type, get: (frame) => frame.collected[slot]! };
  }
}

/** A part of memory as a value; arrays and structs are only indexed. */
export function placeNode(type: Type, place: Place): Compiled {
  if (typeof type !== "string" || !/^(atomic|vec\d|u32|i32|f32)/.test(type)) {
    return { type, place, get: () => 0 };
  }
  const { size } = shapeOfType(type);
  const { memory, at } = place;
  if (size === 1) return { type, place, get: (f) => memory.read(at(f), f.global, f.epoch) };
  return {
    type,
    place,
    get: (f) => {
      const from = at(f);
      return Array.from({ length: size }, (_, i) => memory.read(from + i, f.global, f.epoch));
    },
  };
}

export function compile(expression: Expression, scope: Scope): Compiled {
  switch (expression.kind) {
    case "number": {
      const value = rounding(expression.type)(expression.value);
      return { type: expression.type, get: () => value };
    }
    case "name":
      return scope.find(expression.name);
    case "unary":
      return unary(expression.operator, compile(expression.of, scope));
    case "binary":
      return binary(expression.operator, compile(expression.left, scope), compile(expression.right, scope));
    case "index":
      return indexed(compile(expression.of, scope), compile(expression.at, scope));
    case "member":
      return member(compile(expression.of, scope), expression.member, scope);
    case "call":
      return call(
        expression.name,
        expression.arguments.map((one) => compile(one, scope)),
        scope,
      );
  }
}

function unary(operator: string, of: Compiled): Compiled {
  const { element, size } = shapeOfType(of.type);
  const round = rounding(element);
  const apply = {
    "-": (x: number) => round(-x),
    "!": (x: number) => Number(x === 0),
    "~": (x: number) => ~x >>> 0,
  }[operator]!;
  if (size === 1) return { type: of.type, get: (f) => apply(of.get(f) as number) };
  return { type: of.type, get: (f) => (of.get(f) as readonly number[]).map(apply) };
}

function binary(operator: string, left: Compiled, right: Compiled): Compiled {
  const [a, b] = [shapeOfType(left.type), shapeOfType(right.type)];
  const { apply, element } = operatorOf(operator, a.element);
  const both = lift(a.size, b.size, apply);
  return {
    type: vectorType(element, Math.max(a.size, b.size)),
    get: (f) => both(left.get(f), right.get(f)),
  };
}

function indexed(of: Compiled, index: Compiled): Compiled {
  if (typeof of.type === "string" || !of.place)
    throw new Fault("usage", "the interpreter indexes arrays in memory only");
  const { array, count } = of.type;
  const { memory, at } = of.place;
  const stride = wordsOf(array);
  return placeNode(array, {
    memory,
    at: (f) => {
      const i = index.get(f) as number;
      // Past the end of an inner array lies the next one: no word of memory, but as wrong as any.
      return i >= 0 && (count === undefined || i < count) ? at(f) + i * stride : -1;
    },
  });
}

function member(of: Compiled, name: string, scope: Scope): Compiled {
  if (typeof of.type === "string" && of.place && scope.structs.has(of.type)) {
    const field = scope.structs.get(of.type)!.indexOf(name);
    const { memory, at } = of.place;
    return placeNode("u32", { memory, at: (f) => at(f) + field });
  }
  const { element } = shapeOfType(of.type);
  const parts = [...name].map((letter) => "xyzw".indexOf(letter));
  if (parts.length === 1 && of.place) {
    const { memory, at } = of.place;
    return placeNode(element, { memory, at: (f) => at(f) + parts[0]! });
  }
  const pick = (value: Value, part: number): number => (value as readonly number[])[part]!;
  if (parts.length === 1) return { type: element, get: (f) => pick(of.get(f), parts[0]!) };
  return {
    type: vectorType(element, parts.length),
    get: (f) => {
      const value = of.get(f);
      return parts.map((part) => pick(value, part));
    },
  };
}

function call(name: string, list: readonly Compiled[], scope: Scope): Compiled {
  const first = list[0];
  if (/^vec[234]/.test(name)) return constructed(name, list);
  if (name === "f32" || name === "u32")
    return { type: name, get: (f) => rounding(name)(first!.get(f) as number) };
  if (name.startsWith("bitcast ")) {
    const to = name.slice("bitcast ".length);
    return { type: to, get: (f) => bitcast(first!.get(f) as number, first!.type as string, to) };
  }
  if (name === "dot") {
    return {
      type: "f32",
      get: (f) => {
        const [a, b] = [list[0]!.get(f) as readonly number[], list[1]!.get(f) as readonly number[]];
        return a.reduce((sum, x, i) => Math.fround(sum + Math.fround(x * b[i]!)), 0);
      },
    };
  }
  if (name.startsWith("atomic")) return atomic(name, list);
  if (name.startsWith("subgroup")) {
    return scope.collect(name, name === "subgroupElect" ? "bool" : (first!.type as string), list);
  }
  const apply = COMPONENT_WISE[name];
  if (!apply || !first) throw new Fault("usage", `the interpreter has no function ${name}`);
  const { size } = shapeOfType(first.type);
  if (size === 1) return { type: first.type, get: (f) => apply(...list.map((one) => one.get(f) as number)) };
  return {
    type: first.type,
    get: (f) => {
      const values = list.map((one) => one.get(f));
      return Array.from({ length: size }, (_, i) =>
        apply(...values.map((value) => (typeof value === "number" ? value : value[i]!))),
      );
    },
  };
}

function constructed(name: string, list: readonly Compiled[]): Compiled {
  const { size } = shapeOfType(name);
  return {
    type: name,
    get: (f) => {
      const parts = list.flatMap((one) => one.get(f) as number | number[]);
      return parts.length >= size ? parts.slice(0, size) : new Array<number>(size).fill(parts[0] ?? 0);
    },
  };
}

const ATOMIC: Readonly<Record<string, (old: number, value: number) => number>> = {
  atomicLoad: (old) => old,
  atomicStore: (_, value) => value,
  atomicMax: (old, value) => Math.max(old, value),
  atomicAdd: (old, value) => (old + value) >>> 0,
};

function atomic(name: string, [target, value]: readonly Compiled[]): Compiled {
  const change = ATOMIC[name];
  if (!change || !target?.place) throw new Fault("usage", `the interpreter has no ${name}`);
  const { memory, at } = target.place;
  return {
    type: "u32",
    get: (f) => {
      const operand = (value?.get(f) ?? 0) as number;
      return memory.atomic(at(f), (old) => change(old, operand));
    },
  };
}
