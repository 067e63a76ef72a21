import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Fault } from "@tunelab/contract";
import { expect, test } from "vitest";
import {
  createJournal,
  createSession,
  importJournal,
  openJournal,
  readEvidence,
  readJournal,
  sessionPaths,
  writeJournal,
} from "../src/index.ts";
import { temporary } from "./records.fixture.ts";
import { header, trial } from "./samples.ts";

const noise = {
  kind: "noise",
  at: "2026-11-30T04:00:00.500Z",
  noise: { kernel: "fma", samplesNs: [1, 2], cv: Number.NaN, gateReachable: true },
} as const;

async function journalOf(trials: number): Promise<{ readonly path: string; readonly session: string }> {
  const path = join(await temporary(), "out.jsonl");
  const sink = await createJournal(path, header());
  await sink.event(noise);
  for (let sequence = 0; sequence < trials; sequence++) await sink.trial(trial(sink.session, sequence));
  await sink.close();
  return { path, session: sink.session };
}

test("a bad line loses only itself and is named by its number", async () => {
  const { path } = await journalOf(5);
  const lines = (await readFile(path, "utf8")).split("\n");
  lines[3] = lines[3]?.replace('"sequence":1', '"sequence":7') ?? ""; // changed, still JSON
  lines[4] = "\u0000\u0000garbage";
  lines[6] = `${lines[6]}\n${lines[5]}\n${lines[2]?.slice(0, 50)}`; // a double, then a line cut short
  await writeFile(path, lines.join("\n"));
  const { evidence, problems } = await readJournal(path);
  expect(evidence.trials.map(({ sequence }) => sequence)).toEqual([0, 3, 4]);
  expect(evidence.events).toEqual([noise]);
  expect(problems).toEqual([
    { line: 4, message: expect.stringContaining("checksum") },
    { line: 5, message: expect.stringContaining("not JSON") },
    { line: 8, message: expect.stringContaining("already recorded") },
    { line: 9, message: expect.stringContaining("cut short") },
  ]);
});

test("a journal cut anywhere keeps every line before the cut, and goes on after it", async () => {
  const { path, session } = await journalOf(3);
  const whole = await readFile(path, "utf8");
  const last = whole.lastIndexOf("\n", whole.length - 2);
  for (const end of [last + 2, whole.length - 40, whole.length - 1]) {
    await writeFile(path, whole.slice(0, end));
    const kept = (await readJournal(path)).evidence.trials.length;
    expect(kept).toBe(end === whole.length - 1 ? 3 : 2);
    const sink = await openJournal(path);
    await sink.trial(trial(session, 8));
    await sink.close();
    expect((await readJournal(path)).evidence.trials).toHaveLength(kept + 1);
  }
});

test("a journal without a usable header is refused with its name and kept", async () => {
  const { path } = await journalOf(1);
  const whole = await readFile(path, "utf8");
  await writeFile(path, whole.slice(10));
  await expect(readJournal(path)).rejects.toThrow(`${path}, line 1: not JSON`);
  await writeFile(path, whole.replace('"schema":1', '"schema":99'));
  await expect(readJournal(path)).rejects.toThrow("newer tunelab (schema 99");
  await expect(createJournal(path, header())).rejects.toThrow("exists already");
  await writeFile(path, "{}");
  await expect(readJournal(path)).rejects.toThrow(
    new RegExp(`^${path}, line 1: it names no record schema: [^/]*; the file is kept$`),
  );
});

test("an imported journal equals its records; importing again changes nothing, a longer one adds what is new", async () => {
  const lab = await temporary();
  const { path, session } = await journalOf(3);
  expect(await importJournal(lab, path)).toMatchObject({ session, added: 3, trials: 3, problems: [] });
  const { sealed } = sessionPaths(lab, session);
  expect(await readEvidence(sealed)).toEqual((await readJournal(path)).evidence);
  const before = await stat(sealed);
  expect(await importJournal(lab, path)).toMatchObject({ added: 0, trials: 3 });
  expect((await stat(sealed)).mtimeMs).toBe(before.mtimeMs);
  const sink = await openJournal(path);
  await sink.trial(trial(session, 3));
  await sink.close();
  expect(await importJournal(lab, path)).toMatchObject({ added: 1, trials: 4 });
  expect(await readEvidence(sealed)).toEqual((await readJournal(path)).evidence);
});

test("a journal of a session that this process is writing is not imported over it", async () => {
  const lab = await temporary();
  const { path, session } = await journalOf(1);
  const sink = await createSession(lab, header({ id: session }));
  const fault = await importJournal(lab, path).catch((error: Fault) => error);
  expect(fault).toMatchObject({ kind: "usage" });
  await sink.close();
});

test("a session written as a journal reads back the same, and over no other file", async () => {
  const { evidence } = await readJournal((await journalOf(3)).path);
  const path = join(await temporary(), "again.jsonl");
  await writeJournal(path, evidence);
  expect(await readJournal(path)).toEqual({ evidence, problems: [] });
  await expect(writeJournal(path, evidence)).rejects.toThrow(`${path} exists already`);
});

test("the journal module reaches no DuckDB", async () => {
  const seen = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    if (seen.has(file)) return;
    seen.add(file);
    const source = await readFile(new URL(`../src/${file}`, import.meta.url), "utf8");
    expect(source).not.toContain("@duckdb");
    for (const match of source.matchAll(/from "\.\/(.+\.ts)"/g)) await visit(match[1] ?? "");
  };
  await visit("journal.ts");
  expect(seen).toContain("records.ts");
});
