import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rowsOf, withSnapshot } from "../src/database.ts";
import {
  createSession,
  indexSessions,
  listSessions,
  loadEvidence,
  loadPublished,
  publishSession,
  queryIndex,
  readEvidence,
  retract,
  sessionPaths,
} from "../src/index.ts";
import { writeSealed } from "../src/seal.ts";
import { temporary } from "./records.fixture.ts";
import { header, trial } from "./samples.ts";

const end = { kind: "finished", at: "2026-11-30T05:00:00.000Z", trials: 2, spentMs: {} } as const;

/** A sealed session of one matched-filter and one fft trial; gives its id. */
async function sealed(lab: string, change: Parameters<typeof header>[0] = {}): Promise<string> {
  const sink = await createSession(lab, header(change));
  await sink.trial(trial(sink.session, 0));
  await sink.trial(trial(sink.session, 1, { operation: "fft" }));
  await sink.event(end);
  await sink.close();
  return sink.session;
}

test("the list shows finished, interrupted and open sessions; a damaged one is reported, kept and skipped", async () => {
  const lab = await temporary();
  expect(await listSessions(lab)).toEqual({ sessions: [], faults: [] });
  const done = await sealed(lab);
  const stopped = await createSession(lab, header());
  await stopped.close();
  const running = await createSession(lab, header());
  await running.trial(trial(running.session, 0));
  const broken = await sealed(lab);
  const path = sessionPaths(lab, broken).sealed;
  await writeFile(path, (await readFile(path)).subarray(0, 900));

  const { sessions, faults } = await listSessions(lab);
  const states = Object.fromEntries(sessions.map(({ id, status, trials }) => [id, `${status} ${trials}`]));
  expect(states).toEqual({
    [done]: "finished 2",
    [stopped.session]: "interrupted 0",
    [running.session]: "open 1",
  });
  expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining(path)]);
  expect(await readFile(path)).toHaveLength(900);
  await running.trial(trial(running.session, 1)); // reading took nothing from the writer
  await running.close();
});

test("evidence is chosen by device, profile, operation and session", async () => {
  const lab = await temporary();
  const one = await sealed(lab);
  const two = await sealed(lab, { deviceSlug: "swiftshader", profile: "native" });
  const ids = async (filter: Parameters<typeof loadEvidence>[1]): Promise<string[]> =>
    (await loadEvidence(lab, filter)).sessions.map((evidence) => evidence.header.id);
  expect((await ids({})).sort()).toEqual([one, two].sort());
  expect(await ids({ deviceSlug: "swiftshader" })).toEqual([two]);
  expect(await ids({ profile: "portable" })).toEqual([one]);
  expect(await ids({ sessions: [one] })).toEqual([one]);
  expect(await ids({ operations: ["eigh"] })).toEqual([]);
  const { sessions } = await loadEvidence(lab, { sessions: [one], operations: ["fft"] });
  expect(sessions[0]?.trials.map(({ sequence }) => sequence)).toEqual([1]);
});

test("the index is rebuilt whole from what can be read and answers SQL", async () => {
  const lab = await temporary();
  const published = await temporary();
  await sealed(lab);
  const elsewhere = await temporary();
  await publishSession(elsewhere, published, await sealed(elsewhere));
  const running = await createSession(lab, header());
  await writeFile(join(lab, "sessions", "01ARZ3NDEKTSV4RRFFQ69G5FAV.parquet"), "no Parquet");
  await indexSessions(lab);
  const { path, sessions, faults } = await indexSessions(lab, [join(published, "evidence")]);
  expect([sessions, faults.length]).toEqual([3, 1]);
  const rows = await withSnapshot(path, (connection) =>
    rowsOf(
      connection,
      `SELECT operation, count(*)::INTEGER AS trials, min(min_ns) AS best, min(median_ns) AS middle
       FROM trials JOIN sessions ON sessions.id = trials.session GROUP BY ALL ORDER BY ALL`,
    ),
  );
  expect(rows).toEqual([
    { operation: "fft", trials: 2, best: 1000, middle: 1037.5 },
    { operation: "matched-filter", trials: 2, best: 1000, middle: 1037.5 },
  ]);
  await running.close();
});

test("queries read the index: numbers as numbers, lists as lists, and a wrong one says why in a line", async () => {
  const lab = await temporary();
  const session = await sealed(lab);
  const { path } = await indexSessions(lab);
  const { columns, rows } = await queryIndex(
    path,
    `SELECT session, sequence, min_ns, repeats, samples_ns, is_default, 9007199254740993::BIGINT AS huge
     FROM trials ORDER BY sequence LIMIT 1`,
  );
  expect(columns.map(({ kind }) => kind)).toEqual([
    ...["string", "integer", "number", "integer", "other", "boolean", "integer"],
  ]);
  const { repeats, samplesNs } = trial(session, 0).timing!;
  expect(rows).toEqual([
    {
      ...{ session, sequence: 0, min_ns: 1000, repeats, samples_ns: samplesNs, is_default: false },
      huge: "9007199254740993",
    },
  ]);
  await expect(queryIndex(path, "SELECT nothing FROM trials")).rejects.toThrow(
    /^the query fails: .*nothing[^\n]*$/,
  );
  await expect(queryIndex(path, "DELETE FROM trials")).rejects.toThrow(/read-only/);
  await expect(queryIndex(join(lab, "none.duckdb"), "SELECT 1")).rejects.toThrow("none.duckdb");
});

test("publishing keeps order, refuses a second time, and two at once lose nothing", async () => {
  const lab = await temporary();
  const tables = await temporary();
  expect(await loadPublished(tables)).toEqual({ evidence: [], retracted: [] });
  const first = await sealed(lab);
  const others = [await sealed(lab), await sealed(lab), await sealed(lab)];
  await publishSession(lab, tables, first);
  await Promise.all(others.map((session) => publishSession(lab, tables, session)));
  const { evidence } = await loadPublished(tables);
  const order = evidence.map((session) => session.header.id);
  expect(order[0]).toBe(first);
  expect([...order].sort()).toEqual([first, ...others].sort());
  await expect(publishSession(lab, tables, first)).rejects.toThrow(
    "published already (2 trials there, 2 in the lab)",
  );
  await expect(publishSession(lab, tables, header().id)).rejects.toThrow("there is no session");
});

test("a session that was gone on from its published part takes its place, and nothing of that part may differ", async () => {
  const tables = await temporary();
  const first = await temporary();
  const id = await sealed(first);
  await publishSession(first, tables, id);
  const part = (await loadPublished(tables)).evidence[0]!;
  const more = [...part.trials, trial(id, 2), trial(id, 3)];
  const lab = await temporary();
  const { sealed: path } = sessionPaths(lab, id);
  const inLab = async (evidence: typeof part): Promise<string> => {
    await sealed(lab); // makes the folder
    await writeSealed(evidence, path);
    return publishSession(lab, tables, id);
  };
  const [changed, kept] = [{ ...part.trials[0]!, reason: "changed since" }, part.trials[1]!];
  await expect(inLab({ ...part, trials: [changed, kept, ...more.slice(2)] })).rejects.toThrow(
    "published already (2 trials there, 4 in the lab), and 1 records of it are not those in the lab",
  );
  await expect(inLab({ ...part, events: [], trials: more })).rejects.toThrow("1 records of it are not those");
  expect((await loadPublished(tables)).evidence).toEqual([part]);
  await inLab({ ...part, events: [...part.events, { ...end, trials: 4 }], trials: more });
  const { evidence } = await loadPublished(tables);
  expect(evidence.map(({ header, trials }) => [header.id, trials.length])).toEqual([[id, 4]]);
  await expect(inLab(part)).rejects.toThrow("(4 trials there, 2 in the lab), and 3 records of it are not");
});

test("a session that says of itself that it is not to be trusted is not published, unless asked for in so many words", async () => {
  const lab = await temporary();
  const tables = await temporary();
  const sink = await createSession(lab, header());
  await sink.trial(trial(sink.session, 0));
  await sink.event({
    kind: "untrusted",
    at: "2026-11-30T04:05:00.000Z",
    reason: "the anchor drifted by 40%",
  });
  await sink.close();
  const refused = await publishSession(lab, tables, sink.session).catch((error: Error) => error.message);
  expect(refused).toMatch(/not to be trusted \(the anchor drifted by 40%\): measure again .*--despite-drift/);
  expect((await loadPublished(tables)).evidence).toEqual([]);
  await publishSession(lab, tables, sink.session, { despiteDrift: true });
  expect((await loadPublished(tables)).evidence).toHaveLength(1);
});

test("a retraction stays in the list with its reason and must name what is published", async () => {
  const lab = await temporary();
  const tables = await temporary();
  const session = await sealed(lab);
  await publishSession(lab, tables, session);
  const retraction = { session, trial: `${session}.1`, reason: "the clock was throttled" };
  await retract(tables, retraction);
  await retract(tables, retraction);
  const published = await loadPublished(tables);
  expect(published.retracted).toEqual([retraction]);
  expect(published.evidence[0]?.trials).toHaveLength(2);
  await expect(retract(tables, { session, trial: `${session}.9`, reason: "x" })).rejects.toThrow(
    "has no trial",
  );
  await expect(retract(tables, { session: header().id, reason: "x" })).rejects.toThrow("is not published");
  await expect(retract(tables, { session, reason: " " })).rejects.toThrow("needs a reason");
});

test("published evidence that is missing or damaged is an error, never a smaller table", async () => {
  const lab = await temporary();
  const tables = await temporary();
  const session = await sealed(lab);
  const path = await publishSession(lab, tables, session);
  await writeFile(path, (await readFile(path)).subarray(0, 500));
  await expect(loadPublished(tables)).rejects.toThrow(path);
  await rm(path);
  await expect(loadPublished(tables)).rejects.toThrow("is missing");
  await writeFile(join(tables, "published.json"), '{"schema": 3, "sessions": [], "retracted": []}');
  await expect(loadPublished(tables)).rejects.toThrow("newer tunelab (schema 3, this one reads up to 2)");
});

test("evidence with two rows for one trial, under another's name or listed twice is refused with its file named", async () => {
  const lab = await temporary();
  const tables = await temporary();
  const [one, two] = [await sealed(lab), await sealed(lab)];
  const path = await publishSession(lab, tables, one);
  const other = await publishSession(lab, tables, two);
  const evidence = await readEvidence(path);

  const doubled = { ...evidence, trials: [...evidence.trials, evidence.trials[0]!] };
  await expect(writeSealed(doubled, path)).rejects.toThrow(`two rows for trial ${one}.0`);
  expect(await readEvidence(path)).toEqual(evidence); // what was refused replaced nothing

  const right = await readFile(path);
  await writeFile(path, await readFile(other));
  await expect(loadPublished(tables)).rejects.toThrow(`${path} holds session ${two}, not its own`);
  await writeFile(path, right);

  const list = join(tables, "published.json");
  await writeFile(list, JSON.stringify({ schema: 1, sessions: [one, two, one], retracted: [] }));
  await expect(loadPublished(tables)).rejects.toThrow(`${list} names session ${one} twice`);
});

test("paths with quotes, blanks and glob characters are taken literally", async () => {
  const base = await temporary();
  const session = await sealed(join(base, "it's a lab"));
  // As a pattern each would find a neighbour too, or instead: twice the rows, or another session's.
  for (const name of ["it's * lab", "it's [a] lab"]) {
    const lab = join(base, name);
    const here = await sealed(lab, { id: session, deviceSlug: "here" });
    const { sessions, faults } = await loadEvidence(lab);
    expect(faults).toEqual([]);
    expect(sessions.map(({ header: { id, deviceSlug } }) => [id, deviceSlug])).toEqual([[here, "here"]]);
  }
});
