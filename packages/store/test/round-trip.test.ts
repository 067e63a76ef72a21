import { join } from "node:path";
import type { SessionHeader, SessionSink } from "@tunelab/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createJournal, createSession, readEvidence, sessionPaths } from "../src/index.ts";
import { events, temporary, trialsOf } from "./records.fixture.ts";
import { header } from "./samples.ts";

type Make = (directory: string, about: SessionHeader) => Promise<SessionSink>;
type File = (directory: string, session: string) => string;

/** Writes random sessions with `make` and reads them back from `file`, before or after closing. */
async function roundTrip(make: Make, file: File, read: "open" | "closed"): Promise<void> {
  const directory = await temporary();
  await fc.assert(
    fc.asyncProperty(trialsOf, events, async (trialsIn, happened) => {
      const about = header();
      const trials = trialsIn(about.id);
      const sink = await make(directory, about);
      for (const event of happened) await sink.event(event);
      for (const trial of trials) await sink.trial(trial);
      if (read === "closed") await sink.close();
      const evidence = await readEvidence(file(directory, about.id));
      await sink.close();
      expect(JSON.stringify(evidence.header)).toBe(JSON.stringify(about));
      expect(evidence.events).toEqual(happened);
      expect(evidence.trials).toEqual(trials);
      expect(evidence.trials.map(Object.keys).map((keys) => keys.sort())).toEqual(
        trials.map(Object.keys).map((keys) => keys.sort()),
      );
    }),
    { numRuns: 12, endOnFailure: true },
  );
}

test("a journal gives back every record as it was", async () => {
  const path: File = (directory, session) => join(directory, `${session}.jsonl`);
  await roundTrip((directory, about) => createJournal(path(directory, about.id), about), path, "open");
});

test("a session file gives back every record while it is still written", async () => {
  await roundTrip(createSession, (directory, id) => sessionPaths(directory, id).database, "open");
});

test("a sealed session gives back every record as it was", async () => {
  await roundTrip(createSession, (directory, id) => sessionPaths(directory, id).sealed, "closed");
});
