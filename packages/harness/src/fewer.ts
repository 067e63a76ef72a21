import type { Operation, Plan, Problem } from "@tunelab/contract";
import { fail, type Known, type Opened } from "./opened.ts";
import { algorithmOf, planSubject, type Subject } from "./subject.ts";
import { failureOf, verifyCases } from "./verify.ts";

/** The batch is verified again at this part of its items: a text that has the timed number built in is then wrong. */
const FEWER = 3;

/** The problem with a third of the items, at least one; undefined where the batch is no extent of the operation, or has one item. */
export function fewerItems(operation: Operation, problem: Problem, plan: Plan): Problem | undefined {
  const { dimension, items } = plan.batch;
  const extent = operation.dimensions.find(({ name }) => name === dimension);
  if (extent?.role !== "extent" || problem[dimension] !== items || items < 2) return undefined;
  const fewer = { ...problem, [dimension]: Math.max(1, Math.floor(items / FEWER)) };
  return operation.refuse(fewer) === undefined ? fewer : undefined;
}

/**
 * Verifies the same variant on fewer items, with an input of their own: a table's rows serve every number of items, and a variant may
 * be right for the timed one alone. Whether it was right; true where it cannot be asked (another number of items is another text).
 */
export async function verifyFewer(opened: Opened, known: Known): Promise<boolean> {
  const { bench, suite, request, subject } = opened;
  const problem = fewerItems(suite.operation, request.problem, subject.plan);
  // A study's altered variant is never ranked.
  if (!problem || request.altered) return true;
  const { capabilities } = bench.context.info;
  const algorithm = await algorithmOf(suite, request);
  const other = await planSubject(suite, algorithm, { ...request, problem }, capabilities).catch(
    () => undefined,
  );
  if (!other || textOf(other) !== textOf(subject)) return true;
  const seed = request.seeds[0]!;
  const one = bench.fewerCases.get(suite, problem, seed);
  const instance = await (await bench.compiled.prepare(other)).bind(one.inputs);
  try {
    const { accuracy, name } = suite.operation;
    const look = { operation: name, ports: suite.operation.ports(problem), sample: request.oracleSample };
    const { verdict } = await verifyCases(instance, [() => one], look, accuracy);
    const failure = failureOf(verdict, accuracy);
    if (!failure) return true;
    const { dimension, items } = other.plan.batch;
    known.verdict = verdict;
    fail(
      known,
      failure.status,
      `on ${items} ${dimension} instead of ${subject.plan.batch.items}: ${failure.reason}`,
    );
    return false;
  } finally {
    instance.dispose();
  }
}

const textOf = ({ plan }: Subject): string => plan.modules.map(({ wgsl }) => wgsl).join("\n");
