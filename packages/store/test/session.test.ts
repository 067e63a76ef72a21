import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Fault } from "@tunelab/contract";
import { expect, test } from "vitest";
import { openFault, openMemory, rowsOf } from "../src/database.ts";
import { writeFault } from "../src/files.ts";
import {
  createSession,
  newSessionId,
  openSession,
  readEvidence,
  sealSession,
  sessionPaths,
} from "../src/index.ts";
import { MIGRATIONS, migrate } from "../src/schema.ts";
import { temporary } from "./records.fixture.ts";
import { header, trial } from "./samples.ts";

const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

function child(file: string, ...args: readonly string[]): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), [...args], {
    execArgv: ["--conditions=@tunelab/source", "--import", tsx],
  });
}

const finished = { kind: "finished", at: "2026-11-30T05:00:00.000Z", trials: 1, spentMs: {} } as const;

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  return work.then(
    () => expect.unreachable("nothing was thrown"),
    (error: unknown) => error as Fault,
  );
}

test("every acknowledged trial is there after kill -9, and the session goes on from it", async () => {
  const lab = await temporary();
  const session = newSessionId();
  const writer = child("writer.child.ts", lab, session);
  let acknowledged = -1;
  writer.on("message", (sequence) => {
    acknowledged = Number(sequence);
    if (acknowledged === 20) writer.kill("SIGKILL");
  });
  await once(writer, "exit");
  const { trials } = await readEvidence(sessionPaths(lab, session).database);
  expect(acknowledged).toBeGreaterThanOrEqual(20);
  expect(trials.length).toBeGreaterThan(acknowledged);
  expect(trials).toEqual(trials.map((_, sequence) => trial(session, sequence)));

  const sink = await openSession(lab, session);
  await sink.trial(trial(session, trials.length));
  await sink.close();
  expect((await readEvidence(sessionPaths(lab, session).sealed)).trials).toHaveLength(trials.length + 1);
});

test("a session that another process writes can be read and not be opened", async () => {
  const lab = await temporary();
  const session = newSessionId();
  const writer = child("writer.child.ts", lab, session);
  await once(writer, "message");
  const { database } = sessionPaths(lab, session);
  expect((await readEvidence(database)).header.id).toBe(session);
  const fault = await faultOf(openSession(lab, session));
  expect(fault).toMatchObject({ kind: "usage", message: expect.stringContaining(`process ${writer.pid}`) });
  writer.kill("SIGKILL");
  await once(writer, "exit");
});

test("reading a session in the process that writes it leaves it locked against others", async () => {
  const lab = await temporary();
  const sink = await createSession(lab, header());
  await sink.trial(trial(sink.session, 0));
  expect((await readEvidence(sessionPaths(lab, sink.session).database)).trials).toHaveLength(1);
  const [outcome] = await once(child("opener.child.ts", lab, sink.session), "message");
  expect(outcome).toContain(`is being written by process ${process.pid}`);
  await sink.close();
});

test("closing seals to one Parquet and removes the session file; closing twice is safe", async () => {
  const lab = await temporary();
  const sink = await createSession(lab, header());
  await sink.trial(trial(sink.session, 0));
  await sink.close();
  await sink.close();
  const { database, sealed } = sessionPaths(lab, sink.session);
  await expect(stat(database)).rejects.toThrow("ENOENT");
  expect((await readEvidence(sealed)).trials).toEqual([trial(sink.session, 0)]);
  expect(await faultOf(sink.trial(trial(sink.session, 1)))).toMatchObject({ kind: "usage" });
});

test("the same evidence seals to the same bytes, in sequence order whatever the order of arrival", async () => {
  const about = header();
  const bytes: Buffer[] = [];
  for (const order of [
    [0, 1, 2],
    [2, 0, 1],
  ]) {
    const lab = await temporary();
    const sink = await createSession(lab, about);
    for (const sequence of order) await sink.trial(trial(about.id, sequence));
    await sink.close();
    bytes.push(await readFile(sessionPaths(lab, about.id).sealed));
  }
  expect(bytes[1]?.equals(bytes[0] ?? Buffer.of())).toBe(true);
});

test("an interrupted session sealed without an end is resumed and sealed again; a finished one is not", async () => {
  const lab = await temporary();
  const first = await createSession(lab, header());
  await first.trial(trial(first.session, 0));
  await first.close();
  const second = await openSession(lab, first.session);
  expect(await faultOf(second.trial(trial(first.session, 0)))).toMatchObject({ kind: "data" });
  await second.trial(trial(first.session, 1));
  await second.event(finished);
  await second.close();
  const evidence = await readEvidence(sessionPaths(lab, first.session).sealed);
  expect(evidence.trials.map(({ sequence }) => sequence)).toEqual([0, 1]);
  expect(await faultOf(openSession(lab, first.session))).toMatchObject({ kind: "usage" });
});

test("a flipped byte in the log is reported by name and the file is kept", async () => {
  const lab = await temporary();
  const sink = await createSession(lab, header());
  for (let sequence = 0; sequence < 5; sequence++) await sink.trial(trial(sink.session, sequence));
  const { database } = sessionPaths(lab, sink.session);
  const other = await temporary();
  const copy = sessionPaths(other, sink.session).database;
  await (await createSession(other, header())).close(); // makes the folder
  const log = await readFile(`${database}.wal`);
  log[log.length >> 1] = (log[log.length >> 1] ?? 0) ^ 0xff;
  await writeFile(copy, await readFile(database));
  await writeFile(`${copy}.wal`, log);
  const fault = await faultOf(readEvidence(copy));
  expect(fault).toMatchObject({ kind: "data", message: expect.stringContaining(copy) });
  expect(await faultOf(sealSession(other, sink.session))).toMatchObject({ kind: "data" });
  expect((await readFile(`${copy}.wal`)).equals(log)).toBe(true);
  await sink.close();
});

test("a sealed file that was changed or cut short is refused by name", async () => {
  const lab = await temporary();
  const sink = await createSession(lab, header());
  for (let sequence = 0; sequence < 20; sequence++) await sink.trial(trial(sink.session, sequence));
  await sink.close();
  const { sealed } = sessionPaths(lab, sink.session);
  const whole = await readFile(sealed);
  for (let at = 8; at < whole.length; at += Math.ceil(whole.length / 40)) {
    const broken = Buffer.from(whole);
    broken[at] = (broken[at] ?? 0) ^ 0x10;
    await writeFile(sealed, broken);
    const evidence = await readEvidence(sealed).catch((error: Fault) => error);
    // A byte that holds no record (a statistic, a version) may go unnoticed; a record never differs.
    if ("trials" in evidence)
      expect(evidence.trials).toEqual(evidence.trials.map((_, i) => trial(sink.session, i)));
    else expect(evidence).toMatchObject({ kind: "data", message: expect.stringContaining(sealed) });
  }
  await writeFile(sealed, whole.subarray(0, whole.length - 100));
  expect(await faultOf(readEvidence(sealed))).toMatchObject({
    kind: "data",
    message: expect.stringContaining("is kept as it is"),
  });
});

test("a lab that cannot be written says where and what to do", async () => {
  const lab = join(await temporary(), "file");
  await writeFile(lab, "");
  const fault = await faultOf(createSession(lab, header()));
  expect(fault.kind).toBe("environment");
  expect(fault.message).toContain(lab);
  expect(fault.message).toContain("--out DIR or TUNELAB_LAB_DIR");
});

test("a full disk is told as that, not as a damaged file", () => {
  const error = new Error('IO Error: Could not write file "/lab/a.duckdb": No space left on device');
  for (const fault of [openFault(error, "/lab/a.duckdb"), writeFault(error, "/lab")])
    expect(fault).toMatchObject({
      kind: "environment",
      message: expect.stringMatching(/cannot write in \/lab: its disk is full.*--out DIR/),
    });
});

test("a trial that is no record is refused by field and nothing is lost", async () => {
  const lab = await temporary();
  const sink = await createSession(lab, header());
  const timing = { clock: "gpu", tickNs: 1, repeats: 1, samplesNs: [1.5], rejected: {} } as const;
  const fault = await faultOf(sink.trial(trial(sink.session, 0, { timing })));
  expect(fault.message).toContain("timing.samplesNs.0");
  await sink.trial(trial(sink.session, 0));
  await sink.close();
  expect((await readEvidence(sessionPaths(lab, sink.session).sealed)).trials).toHaveLength(1);
});

test("1,000 trials go in one by one, and 500 of 60 samples seal to less than 300 KB", async () => {
  const lab = await temporary();
  const sink = await createSession(lab, header());
  let state = 1;
  const samples = (base: number): number[] =>
    Array.from({ length: 30 }, () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.round(base * (1 + (state / 2_147_483_648) * 0.03));
    });
  for (let sequence = 0; sequence < 1000; sequence++) {
    const timing = {
      clock: "gpu",
      tickNs: 1,
      repeats: 8,
      samplesNs: samples(1e5 + sequence * 977),
      anchor: { name: "fma", samplesNs: samples(50_000) },
      rejected: {},
    } as const;
    const variant = `fused/radix=${sequence % 7},workgroup=${sequence % 5},exchange=${sequence % 3}`;
    const planHash = (sequence * 0x9e3779b97f4a7).toString(16).padStart(16, "0").slice(0, 16);
    await sink.trial(
      trial(sink.session, sequence, { variant, planHash, ...(sequence % 2 ? {} : { timing }) }),
    );
  }
  await sink.close();
  const { size } = await stat(sessionPaths(lab, sink.session).sealed);
  expect(size).toBeLessThan(300_000);
});

test("an older shape migrates once, a newer one is refused", async () => {
  const { connection, close } = await openMemory();
  await migrate(connection, "old.duckdb");
  const next = [
    ...MIGRATIONS,
    { version: MIGRATIONS.length + 1, statements: ["ALTER TABLE trials ADD COLUMN clock_mhz DOUBLE"] },
  ];
  await migrate(connection, "old.duckdb", next);
  await migrate(connection, "old.duckdb", next);
  expect(await rowsOf(connection, "SELECT version FROM migrations ORDER BY version")).toEqual([
    { version: 1 },
    { version: 2 },
    { version: 3 },
    { version: 4 },
  ]);
  const fault = await faultOf(migrate(connection, "old.duckdb"));
  expect(fault.message).toContain(
    "old.duckdb was written by a newer tunelab (schema 4, this one reads up to 3)",
  );
  close();
});
