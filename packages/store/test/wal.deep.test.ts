import { copyFile, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "@tunelab/contract";
import { expect, test } from "vitest";
import { createSession, readEvidence, sessionPaths } from "../src/index.ts";
import { temporary } from "./records.fixture.ts";
import { header, trial } from "./samples.ts";

/** Places at which the write-ahead log is cut, spread evenly over it. */
const OFFSETS = 200;

const TRIALS = 20;

test("a write-ahead log cut at any of 200 places loads as the trials before the cut, or is refused by name and kept", async () => {
  const lab = await temporary();
  const about = header();
  const sink = await createSession(lab, about);
  for (let sequence = 0; sequence < TRIALS; sequence++) await sink.trial(trial(about.id, sequence));
  const { database } = sessionPaths(lab, about.id);
  const log = await readFile(`${database}.wal`);
  const copy = join(lab, "cut.duckdb");
  await copyFile(database, copy);
  await sink.close();

  const outcomes = { whole: 0, shorter: 0, refused: 0 };
  let most = 0;
  for (let place = 0; place < OFFSETS; place++) {
    const length = Math.floor((log.length * place) / OFFSETS);
    await writeFile(`${copy}.wal`, log.subarray(0, length));
    try {
      const { trials } = await readEvidence(copy);
      // Whatever is there is right and in order: nothing is half a trial, nothing is skipped.
      expect(trials).toEqual(
        Array.from({ length: trials.length }, (_, sequence) => trial(about.id, sequence)),
      );
      // A longer log never holds less.
      expect(trials.length).toBeGreaterThanOrEqual(most);
      most = trials.length;
      outcomes[trials.length === TRIALS ? "whole" : "shorter"]++;
    } catch (error) {
      expect(error).toBeInstanceOf(Fault);
      const { kind, message } = error as Fault;
      expect(kind).toBe("data");
      expect(message).toContain(copy);
      expect(message).not.toContain("\n");
      outcomes.refused++;
    }
    expect((await stat(`${copy}.wal`)).size).toBe(length);
  }
  console.log(JSON.stringify({ bytes: log.length, ...outcomes }));
  expect(outcomes.whole + outcomes.shorter + outcomes.refused).toBe(OFFSETS);
  expect(most).toBeGreaterThan(TRIALS / 2);
}, 300_000);
