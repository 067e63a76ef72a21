import {
  type Algorithm,
  type Capabilities,
  Fault,
  type Operation,
  type Problem,
  portBytes,
  problemKey,
  type StudyPlan,
  type StudyTable,
  type StudyVariant,
} from "@tunelab/contract";
import { checkConfig } from "@tunelab/variants";

/** An operation with its algorithms loaded. */
export interface StudySubject {
  readonly operation: Operation;
  readonly algorithms: ReadonlyMap<string, Algorithm>;
}

/** Loads the algorithms of an operation. */
export async function studySubject(operation: Operation): Promise<StudySubject> {
  const loaded = Object.entries(operation.algorithms).map(
    async ([name, load]) => [name, await load()] as const,
  );
  return { operation, algorithms: new Map(await Promise.all(loaded)) };
}

/**
 * What the study measures on a device: every cell's whole configuration, parameters that a column does not name at the algorithm's
 * default. @throws Fault `usage` that names the study and the first thing wrong with its definition.
 */
export function planStudy(
  study: StudyTable,
  { operation, algorithms }: StudySubject,
  capabilities: Capabilities,
): StudyPlan {
  const refuse = (why: string): never => {
    throw new Fault("usage", `study ${operation.name}/${study.id}: ${why}`);
  };
  const wrong = wrongWith(study, operation);
  if (wrong) refuse(wrong);
  const whole = (column: string, problem: Problem, variant: StudyVariant): StudyVariant => {
    const algorithm = algorithms.get(variant.algorithm);
    if (!algorithm)
      return refuse(
        `column ${column}: there is no algorithm "${variant.algorithm}", only ${[...algorithms.keys()].join(", ")}`,
      );
    const config = { ...algorithm.defaultConfig(problem, capabilities), ...variant.config };
    const unfit = checkConfig(algorithm.space(problem), config);
    if (unfit) refuse(`column ${column} at ${problemKey(problem)}: ${unfit}`);
    return { algorithm: variant.algorithm, config };
  };
  const { id, title, doc, dimensions, columns, derived, chooses, statistic, budgetMs, shows } = study;
  return {
    id,
    operation: operation.name,
    title,
    doc,
    dimensions,
    columns: columns.map((column) => ({ name: column.name, doc: column.doc })),
    derived,
    ...(chooses ? { chooses } : {}),
    statistic,
    budgetMs,
    ...(shows === undefined ? {} : { shows }),
    rows: study.rows.map((problem) => ({
      problem,
      ...(columns.some(({ host }) => host) ? { bytes: travelling(operation, problem) } : {}),
      cells: columns.map((column) => {
        if (column.host) return "host";
        const variant = column.variant?.(problem, capabilities);
        return variant ? whole(column.name, problem, variant) : null;
      }),
    })),
  };
}

/** Bytes of what a call sends up and reads back. */
function travelling(operation: Operation, problem: Problem): number {
  const bytes = operation.ports(problem).map((port) => {
    const ways = port.role === "inout" ? 2 : port.role === "intermediate" ? 0 : 1;
    return ways * portBytes(port);
  });
  return bytes.reduce((sum, each) => sum + each, 0);
}

/** What is wrong with a definition whatever the device, or undefined. */
function wrongWith(study: StudyTable, operation: Operation): string | undefined {
  const { id, rows, columns, derived, chooses, dimensions, budgetMs } = study;
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))
    return `"${id}" is no name: write lowercase words joined by dashes`;
  if (rows.length === 0 || columns.length === 0) return "it has no rows or no columns";
  if (!(budgetMs > 0)) return `its budget of ${budgetMs} ms lets nothing run`;
  const all = operation.dimensions.map(({ name }) => name);
  const strange = dimensions.find((name) => !all.includes(name));
  if (strange !== undefined) return `there is no dimension "${strange}": there is ${all.join(", ")}`;
  for (const problem of rows) {
    const refusal = operation.refuse(problem);
    if (refusal) return refusal;
  }
  const names = columns.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `two columns are named ${twice}`;
  const empty = columns.find(({ variant, host }) => (variant === undefined) === (host === undefined));
  if (empty) return `column ${empty.name} must have a variant or run on the host, one of the two`;
  for (const column of derived) {
    const needs = column.kind === "ratio" ? [column.of, ...column.over] : column.of;
    const made = derived.slice(0, derived.indexOf(column)).filter(({ kind }) => kind === "call");
    const known = [...names, ...made.map(({ name }) => name)];
    const missing = needs.find((name) => !known.includes(name));
    if (missing !== undefined)
      return `${column.name} is made of ${missing}, which is no column: there is ${names.join(", ")}`;
  }
  const options = chooses?.of ?? [];
  if (chooses && options.length < 2) return "it chooses among fewer than two options";
  for (const option of options) {
    const missing = option.columns.find((name) => !names.includes(name));
    if (missing !== undefined || option.columns.length === 0)
      return `the option ${option.name} is ${missing ?? "nothing"}, which is no column: there is ${names.join(", ")}`;
  }
  return undefined;
}
