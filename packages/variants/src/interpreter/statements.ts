import { Fault } from "@tunelab/contract";
import { type Collective, type Compiled, compile, type Frame, type Scope } from "./compile.ts";
import type { Expression, Statement } from "./parse.ts";
import { rounding, shapeOfType, type Value } from "./values.ts";

/** Runs a statement for threads in step; yields how many wait at a barrier, returns the threads that go on. */
export type Runnable = (threads: readonly Frame[]) => Generator<number, readonly Frame[]>;

/** Statements one after the other, in a scope of their own. */
export function sequence(list: readonly Statement[], scope: Scope): Runnable {
  const inner = scope.inner();
  const parts = list.map((statement) => runnable(statement, inner));
  return function* (threads) {
    let live = threads;
    for (const part of parts) {
      if (live.length === 0) return live;
      live = yield* part(live);
    }
    return live;
  };
}

function runnable(statement: Statement, scope: Scope): Runnable {
  switch (statement.kind) {
    case "declare": {
      if (statement.value.kind === "call" && statement.value.name === "workgroupUniformLoad")
        return uniformLoad(statement.name, statement.value.arguments, scope);
      const uniform = statement.value.kind === "call" && statement.value.name === "workgroupUniformLoad";
      // A load between two barriers (WGSL, 17.11.4): one of a plain variable's place.
      const { value, together } = collected(uniform ? loaded(statement.value) : statement.value, scope);
      const slot = scope.declare(statement.name, value.type);
      if (uniform) {
        return function* (threads) {
          yield threads.length;
          for (const frame of threads) frame.epoch++;
          for (const frame of threads) frame.locals[slot] = value.get(frame);
          yield threads.length;
          for (const frame of threads) frame.epoch++;
          return threads;
        };
      }
      return each(together, (frame) => {
        frame.locals[slot] = value.get(frame);
      });
    }
    case "assign": {
      const { value, together } = collected(statement.value, scope);
      const store = assignment(statement.to, value, scope);
      return each(together, store);
    }
    case "call": {
      if (statement.call.kind === "call" && /^(workgroup|storage)Barrier$/.test(statement.call.name)) {
        return function* (threads) {
          yield threads.length;
          for (const frame of threads) frame.epoch++;
          return threads;
        };
      }
      const { value, together } = collected(statement.call, scope);
      return each(together, (frame) => void value.get(frame));
    }
    case "if":
      return branch(statement, scope);
    case "for":
      return loop(statement, scope);
    case "break": {
      const { left } = scope;
      if (!left) throw new Fault("usage", "the interpreter met a break outside any loop");
      // biome-ignore lint/correctness/useYield: nothing here waits, but every statement is a generator
      return function* (threads) {
        for (const frame of threads) left.add(frame);
        return [];
      };
    }
    case "return":
      // biome-ignore lint/correctness/useYield: nothing here waits, but every statement is a generator
      return function* () {
        return [];
      };
  }
}

/** A barrier, the same value for all, and a barrier. */
function uniformLoad(name: string, [from]: readonly Expression[], scope: Scope): Runnable {
  if (!from) throw new Fault("usage", "workgroupUniformLoad takes a pointer to a workgroup variable");
  const value = compile(from, scope);
  const slot = scope.declare(name, value.type);
  return function* (threads) {
    yield threads.length;
    for (const frame of threads) frame.epoch++;
    for (const frame of threads) frame.locals[slot] = value.get(frame);
    yield threads.length;
    for (const frame of threads) frame.epoch++;
    return threads;
  };
}

type Together = (threads: readonly Frame[]) => void;

function each(together: Together, work: (frame: Frame) => void): Runnable {
  // biome-ignore lint/correctness/useYield: a plain statement never waits, but every statement is a generator
  return function* (threads) {
    together(threads);
    for (const frame of threads) work(frame);
    return threads;
  };
}

function branch({ condition, yes, no }: Extract<Statement, { kind: "if" }>, scope: Scope): Runnable {
  const { value, together } = collected(condition, scope);
  const [then, otherwise] = [sequence(yes, scope), sequence(no, scope)];
  return function* (threads) {
    together(threads);
    const taken = threads.filter((frame) => value.get(frame));
    const chosen = new Set(taken);
    const left = threads.filter((frame) => !chosen.has(frame));
    const live = new Set(taken.length > 0 ? yield* then(taken) : []);
    for (const frame of left.length > 0 ? yield* otherwise(left) : []) live.add(frame);
    return threads.filter((frame) => live.has(frame));
  };
}

/** What a `workgroupUniformLoad(&place)` loads. */
function loaded(call: Expression): Expression {
  return (call as Extract<Expression, { kind: "call" }>).arguments[0]!;
}

function loop({ first, condition, step, body }: Extract<Statement, { kind: "for" }>, scope: Scope): Runnable {
  const inner = scope.inner();
  const left = new Set<Frame>();
  inner.left = left;
  const begin = runnable(first, inner);
  const { value, together } = collected(condition, inner);
  const round = sequence(body, inner);
  const advance = runnable(step, inner);
  return function* (threads) {
    let live = yield* begin(threads);
    let over: readonly Frame[] = [];
    for (;;) {
      together(live);
      const going = live.filter((frame) => value.get(frame));
      const chosen = new Set(going);
      over = [...over, ...live.filter((frame) => !chosen.has(frame))];
      if (going.length === 0) break;
      live = yield* advance(yield* round(going));
    }
    const kept = new Set(over);
    return threads.filter((frame) => left.delete(frame) || kept.has(frame));
  };
}

/** Compiles an expression with the subgroup builtins in it, which the threads compute together first. */
function collected(
  expression: Expression,
  scope: Scope,
): { readonly value: Compiled; readonly together: Together } {
  scope.collectives = [];
  const value = compile(expression, scope);
  const list = scope.collectives;
  return { value, together: (threads) => list.forEach((one) => void collect(one, threads)) };
}

/** The threads of a statement are those of one subgroup: the caller runs subgroups apart. */
function collect(one: Collective, threads: readonly Frame[]): void {
  const found = results(one, threads);
  for (const [index, frame] of threads.entries()) frame.collected[one.slot] = found[index]!;
}

/** What each thread gets of a subgroup builtin. */
function results({ name, argument, type }: Collective, threads: readonly Frame[]): readonly Value[] {
  const values = (at: number): Value[] => threads.map((frame) => argument[at]!.get(frame));
  const all = (value: Value): Value[] => threads.map(() => value);
  switch (name) {
    case "subgroupElect":
      return threads.map((_, index) => Number(index === 0));
    case "subgroupMax":
      return all((values(0) as number[]).reduce((a, b) => Math.max(a, b)));
    case "subgroupMin":
      return all((values(0) as number[]).reduce((a, b) => Math.min(a, b)));
    case "subgroupAdd": {
      const round = rounding(shapeOfType(type).element);
      return all((values(0) as number[]).reduce((a, b) => round(a + b)));
    }
    case "subgroupBroadcastFirst":
      return all(values(0)[0]!);
    case "subgroupShuffle":
    case "subgroupShuffleXor": {
      const [sent, by] = [values(0), values(1) as number[]];
      const held = new Map(threads.map(({ lane }, index) => [lane, sent[index]!]));
      // From a lane that is not there any value may come: one that no right program survives.
      const nothing = typeof sent[0] === "number" ? Number.NaN : sent[0]!.map(() => Number.NaN);
      return threads.map(
        ({ lane }, index) => held.get(name === "subgroupShuffle" ? by[index]! : lane ^ by[index]!) ?? nothing,
      );
    }
    default:
      throw new Fault("usage", `the interpreter has no ${name}`);
  }
}

function assignment(to: Expression, value: Compiled, scope: Scope): (frame: Frame) => void {
  const target = compile(to, scope);
  if (target.place) {
    const { memory, at } = target.place;
    return (frame) => {
      const words = value.get(frame);
      const from = at(frame);
      if (typeof words === "number") memory.write(from, words, frame.global, frame.epoch);
      else for (const [i, word] of words.entries()) memory.write(from + i, word, frame.global, frame.epoch);
    };
  }
  const { slot } = target;
  if (slot !== undefined) {
    return (frame) => {
      frame.locals[slot] = value.get(frame);
    };
  }
  if (to.kind !== "member" || to.member.length !== 1)
    throw new Fault("usage", "the interpreter assigns to variables and components");
  const whole = compile(to.of, scope);
  const part = "xyzw".indexOf(to.member);
  if (whole.slot === undefined)
    throw new Fault("usage", "the interpreter assigns to components of variables");
  return (frame) => {
    const changed = [...(frame.locals[whole.slot!] as readonly number[])];
    changed[part] = value.get(frame) as number;
    frame.locals[whole.slot!] = changed;
  };
}
