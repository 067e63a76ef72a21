import { type DuckDBConnection, type DuckDBValue, listValue } from "@duckdb/node-api";
import { bestNs, Fault, problemKey, type SessionEvent, type Timing, type Trial } from "@tunelab/contract";
import { type Row, rowsOf } from "./database.ts";
import { encodeJson, parseTrial } from "./records.ts";

/** One step of the session file's shape. Released steps are never edited: a later one alters. */
export interface Migration {
  readonly version: number;
  readonly statements: readonly string[];
}

/**
 * The trial columns: text, numbers and lists that get queried; objects as JSON. `problem_key`, `min_ns` and `median_ns`
 * (of one repeat) are derived from the others, for queries; readers ignore them.
 */
export const TRIALS: string = `CREATE TABLE trials (
  session VARCHAR NOT NULL, sequence INTEGER NOT NULL, measured_at VARCHAR NOT NULL,
  operation VARCHAR NOT NULL, algorithm VARCHAR NOT NULL, variant VARCHAR NOT NULL, plan_hash VARCHAR NOT NULL,
  epoch INTEGER NOT NULL, problem JSON NOT NULL, problem_key VARCHAR NOT NULL, config JSON NOT NULL,
  status VARCHAR NOT NULL, reason VARCHAR, grade VARCHAR NOT NULL, is_default BOOLEAN NOT NULL,
  clock VARCHAR, tick_ns DOUBLE, repeats BIGINT, min_ns DOUBLE, median_ns DOUBLE, samples_ns BIGINT[],
  anchor VARCHAR, anchor_ns BIGINT[], rejected JSON, stages_ns JSON,
  matched BIGINT, total BIGINT, sampled BIGINT, max_error DOUBLE, near_ties BIGINT, detail VARCHAR,
  seeds BIGINT[] NOT NULL, cut_pieces BIGINT, cut_items BIGINT, cut_by VARCHAR, probes JSON, compile_ms DOUBLE,
  flops DOUBLE NOT NULL, bytes DOUBLE NOT NULL, items DOUBLE NOT NULL,
  requested_bytes DOUBLE, exchanged_bytes DOUBLE, declared_workgroup_bytes DOUBLE, invocations DOUBLE
)`;

/** Tables of the index over all sessions, beside `trials`. It is rebuilt, never migrated. */
export const SESSION_INDEX: string = `CREATE TABLE sessions (
  id VARCHAR NOT NULL, started_at VARCHAR NOT NULL, device_slug VARCHAR NOT NULL, device VARCHAR NOT NULL,
  compiler VARCHAR NOT NULL, backend VARCHAR NOT NULL, driver VARCHAR NOT NULL, profile VARCHAR NOT NULL,
  commit_id VARCHAR NOT NULL, dirty BOOLEAN NOT NULL, protocol INTEGER NOT NULL, status VARCHAR NOT NULL,
  trials INTEGER NOT NULL, header JSON NOT NULL, file VARCHAR NOT NULL
)`;
export const EVENT_INDEX: string = `CREATE TABLE events (
  session VARCHAR NOT NULL, sequence INTEGER NOT NULL, kind VARCHAR NOT NULL, happened_at VARCHAR NOT NULL,
  event JSON NOT NULL
)`;

/** Columns that came later, in the order they came. */
export const LATER_COLUMNS: readonly string[] = [
  "ALTER TABLE trials ADD COLUMN anchor_amount DOUBLE",
  "ALTER TABLE trials ADD COLUMN workgroups DOUBLE",
  "ALTER TABLE trials ADD COLUMN metrics JSON",
];

/** Those of the columns that version 2 brought. */
const SECOND = 2;

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    statements: [
      "CREATE TABLE session (header JSON NOT NULL)",
      "CREATE TABLE events (sequence INTEGER NOT NULL, kind VARCHAR NOT NULL, happened_at VARCHAR NOT NULL, event JSON NOT NULL)",
      TRIALS,
    ],
  },
  { version: 2, statements: LATER_COLUMNS.slice(0, SECOND) },
  { version: 3, statements: LATER_COLUMNS.slice(SECOND) },
];

const newest = (migrations: readonly Migration[]): number => migrations.at(-1)?.version ?? 0;

/** Version of a database's shape; 0 when it has none yet. */
export async function schemaVersion(connection: DuckDBConnection): Promise<number> {
  const [table] = await rowsOf(
    connection,
    "SELECT 1 FROM duckdb_tables() WHERE table_name = 'migrations' AND NOT internal",
  );
  if (!table) return 0;
  const [row] = await rowsOf(connection, "SELECT max(version) AS version FROM migrations");
  return Number(row?.version ?? 0);
}

/** Throws `Fault` data when the file was written by a newer tool. */
export async function refuseNewer(
  connection: DuckDBConnection,
  path: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const version = await schemaVersion(connection);
  if (version > newest(migrations))
    throw new Fault(
      "data",
      `${path} was written by a newer tunelab (schema ${version}, this one reads up to ${newest(migrations)}): update first`,
      { path },
    );
}

/** Brings a database opened for writing to the newest shape, each step in a transaction of its own. */
export async function migrate(
  connection: DuckDBConnection,
  path: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await refuseNewer(connection, path, migrations);
  const version = await schemaVersion(connection);
  for (const step of migrations) {
    if (step.version <= version) continue;
    await connection.run("BEGIN");
    await connection.run("CREATE TABLE IF NOT EXISTS migrations (version INTEGER NOT NULL)");
    for (const statement of step.statements) await connection.run(statement);
    await connection.run("INSERT INTO migrations VALUES (?)", [step.version]);
    await connection.run("COMMIT");
  }
}

const json = (value: unknown): DuckDBValue => (value === undefined ? null : encodeJson(value));
const bigints = (values: readonly number[] | undefined): DuckDBValue =>
  values ? listValue(values.map(BigInt)) : null;
const bigint = (value: number | undefined): DuckDBValue => (value === undefined ? null : BigInt(value));

/** Median time of one repeat in ns, the mean of the middle two for an even count; NULL without samples. */
function medianNs(timing: Timing | undefined): DuckDBValue {
  const sorted = [...(timing?.samplesNs ?? [])].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle];
  const low = sorted.length % 2 ? high : sorted[middle - 1];
  return high === undefined || low === undefined || !timing ? null : (low + high) / 2 / timing.repeats;
}

export function trialRow(trial: Trial): Row {
  const { timing, verdict, cut, work, resources } = trial;
  return {
    session: trial.session,
    sequence: trial.sequence,
    measured_at: trial.measuredAt,
    operation: trial.operation,
    algorithm: trial.algorithm,
    variant: trial.variant,
    plan_hash: trial.planHash,
    epoch: trial.epoch,
    problem: json(trial.problem),
    problem_key: problemKey(trial.problem),
    config: json(trial.config),
    status: trial.status,
    reason: trial.reason ?? null,
    grade: trial.grade,
    is_default: trial.isDefault,
    clock: timing?.clock ?? null,
    tick_ns: timing?.tickNs ?? null,
    repeats: bigint(timing?.repeats),
    min_ns: bestNs(trial) ?? null,
    median_ns: medianNs(timing),
    samples_ns: bigints(timing?.samplesNs),
    anchor: timing?.anchor?.name ?? null,
    anchor_ns: bigints(timing?.anchor?.samplesNs),
    anchor_amount: timing?.anchor?.amount ?? null,
    rejected: json(timing?.rejected),
    stages_ns: json(timing?.stagesNs),
    matched: bigint(verdict?.matched),
    total: bigint(verdict?.total),
    sampled: bigint(verdict?.sampled),
    max_error: verdict?.maxError ?? null,
    near_ties: bigint(verdict?.nearTies),
    detail: verdict?.detail ?? null,
    seeds: bigints(trial.seeds),
    cut_pieces: bigint(cut?.pieces),
    cut_items: bigint(cut?.itemsPerPiece),
    cut_by: cut?.boundBy ?? null,
    probes: json(trial.probes),
    compile_ms: trial.compileMs ?? null,
    flops: work.flops,
    bytes: work.bytes,
    items: work.items,
    requested_bytes: trial.requestedBytes ?? null,
    exchanged_bytes: trial.workgroupBytes ?? null,
    workgroups: trial.workgroups ?? null,
    metrics: json(trial.metrics),
    declared_workgroup_bytes: resources?.workgroupBytes ?? null,
    invocations: resources?.invocations ?? null,
  };
}

/** Numbers out of BIGINT, which arrive as bigint; records hold safe integers only, so none is rounded. */
const plain = (value: unknown): unknown => {
  if (typeof value === "bigint") return Number(value);
  return Array.isArray(value) ? value.map(plain) : value;
};

/** The trial of a row; columns that an older file lacks count as absent. Throws `Fault` data naming a bad field. */
export function trialOf(row: Readonly<Record<string, unknown>>): Trial {
  const get = (column: string): unknown => plain(row[column] ?? undefined);
  const parsed = (column: string): unknown => {
    const text = get(column);
    return text === undefined ? undefined : JSON.parse(String(text));
  };
  const group = (column: string, make: () => object): object | undefined =>
    get(column) === undefined ? undefined : make();
  const record = {
    id: `${get("session")}.${get("sequence")}`,
    session: get("session"),
    sequence: get("sequence"),
    measuredAt: get("measured_at"),
    operation: get("operation"),
    algorithm: get("algorithm"),
    problem: parsed("problem"),
    variant: get("variant"),
    config: parsed("config"),
    planHash: get("plan_hash"),
    epoch: get("epoch"),
    status: get("status"),
    reason: get("reason"),
    grade: get("grade"),
    isDefault: get("is_default"),
    timing: group("clock", () => ({
      clock: get("clock"),
      tickNs: get("tick_ns"),
      repeats: get("repeats"),
      samplesNs: get("samples_ns"),
      anchor: group("anchor", () => ({
        name: get("anchor"),
        samplesNs: get("anchor_ns"),
        amount: get("anchor_amount"),
      })),
      rejected: parsed("rejected"),
      stagesNs: parsed("stages_ns"),
    })),
    verdict: group("matched", () => ({
      matched: get("matched"),
      total: get("total"),
      sampled: get("sampled"),
      maxError: get("max_error"),
      nearTies: get("near_ties"),
      detail: get("detail"),
    })),
    seeds: get("seeds"),
    cut: group("cut_pieces", () => ({
      pieces: get("cut_pieces"),
      itemsPerPiece: get("cut_items"),
      boundBy: get("cut_by"),
    })),
    probes: parsed("probes"),
    compileMs: get("compile_ms"),
    work: { flops: get("flops"), bytes: get("bytes"), items: get("items") },
    requestedBytes: get("requested_bytes"),
    workgroupBytes: get("exchanged_bytes"),
    workgroups: get("workgroups"),
    metrics: parsed("metrics"),
    resources: group("invocations", () => ({
      workgroupBytes: get("declared_workgroup_bytes"),
      invocations: get("invocations"),
    })),
  };
  return parseTrial(withoutUndefined(record));
}

/** Fields that hold undefined are left out: in the contract an optional field is there or it is not. */
function withoutUndefined(value: object): object {
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.fromEntries(
    entries.map(([key, part]) => [
      key,
      part && typeof part === "object" && !Array.isArray(part) ? withoutUndefined(part) : part,
    ]),
  );
}

export function eventRow(event: SessionEvent, sequence: number): Row {
  return { sequence, kind: event.kind, happened_at: event.at, event: json(event) };
}
