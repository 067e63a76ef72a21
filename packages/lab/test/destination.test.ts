import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CONTRACT_VERSION,
  DEFAULT_CAPABILITIES,
  PROTOCOL_VERSION,
  planHash,
  type SessionHeader,
  type Trial,
} from "@tunelab/contract";
import { createSession, loadEvidence, newSessionId, readJournal } from "@tunelab/store";
import { formatId } from "@tunelab/variants";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Destination, type DestinationFlags, destinationFor } from "../src/destination.ts";
import { loadSuite } from "../src/registry.ts";
import { ownTables } from "../src/session.ts";

const suite = await loadSuite("matched-filter");
const problem = { n: 64, data: 1, templates: 1, pairs: 1 };
const fused = await suite.operation.algorithms.fused!();
const config = fused.defaultConfig(problem, DEFAULT_CAPABILITIES);

const headerOf = (changes: Partial<SessionHeader> = {}): SessionHeader => ({
  id: newSessionId(),
  startedAt: "2026-11-30T05:00:00.000Z",
  protocol: PROTOCOL_VERSION,
  contract: CONTRACT_VERSION,
  toolVersion: "0.1.0",
  commit: "a",
  dirty: false,
  device: {
    identity: {
      ...{ implementation: "dawn", implementationVersion: "1", compiler: "tint", backend: "vulkan" },
      ...{ vendor: "v", architecture: "", device: "card", description: "Card", driver: "1.0" },
      adapterType: "discrete",
    },
    capabilities: DEFAULT_CAPABILITIES,
  },
  deviceSlug: "v-card",
  profile: "portable",
  toggles: [],
  host: { platform: "linux", runtime: "node", cpu: "one", cores: 2, loadAverage: 0 },
  command: { operations: [], workload: "given", strategy: "random", budgetMs: 1, seed: 1 },
  ...changes,
});

const withDriver = (driver: string): Partial<SessionHeader> => {
  const { device } = headerOf();
  return { device: { ...device, identity: { ...device.identity, driver } } };
};

/** A certified trial of the default variant, or of one whose plan the code no longer makes. */
async function trialOf(session: string, sequence: number, planned = true): Promise<Trial> {
  const hash = planned
    ? await planHash(fused.plan(problem, config, DEFAULT_CAPABILITIES))
    : "0123456789abcdef";
  return {
    ...{ id: `${session}.${sequence}`, session, sequence, measuredAt: "2026-11-30T05:00:00.000Z" },
    ...{
      operation: "matched-filter",
      algorithm: "fused",
      problem,
      config,
      planHash: hash,
      epoch: suite.epoch,
    },
    variant: formatId("fused", fused.space(problem), config),
    ...{ status: "ok", grade: "certified", isDefault: true, seeds: [1] },
    // The plan that is gone was faster: it would lead the table.
    timing: {
      clock: "gpu",
      tickNs: 1,
      repeats: 1,
      samplesNs: Array(12).fill(planned ? 900 : 500),
      rejected: {},
    },
    verdict: { matched: 1, total: 1, sampled: 1, maxError: 0, nearTies: 0 },
    work: { flops: 1, bytes: 1, items: 1 },
    resources: { workgroupBytes: 0, invocations: 64 },
  };
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tunelab-destination-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function begin(
  header: SessionHeader,
  flags: DestinationFlags,
): Promise<{ destination: Destination; notes: readonly string[] }> {
  const notes: string[] = [];
  const io = { out: () => {}, note: (text: string) => void notes.push(text) };
  const signal = new AbortController().signal;
  const destination = await destinationFor(header, flags, { ...io, interactive: false, signal });
  await destination.sink.close();
  return { destination, notes };
}

/** A laboratory with one interrupted session of a trial that counts and one that does not. */
async function interrupted(out: string): Promise<SessionHeader> {
  const header = headerOf();
  const sink = await createSession(out, header);
  await sink.trial(await trialOf(header.id, 0));
  await sink.trial(await trialOf(header.id, 1, false));
  await sink.close();
  return header;
}

describe("a session that is resumed", () => {
  it("goes on under its own id, keeps what still counts, and says what its kernels' changes cost", async () => {
    const out = join(folder, "same");
    const old = await interrupted(out);
    const { destination, notes } = await begin(headerOf({ commit: "b" }), { resume: true, out });
    expect(destination.header.id).toBe(old.id);
    expect(destination.earlier.map(({ sequence }) => sequence)).toEqual([0]);
    expect(destination.firstSequence).toBe(2);
    expect(notes).toEqual([
      `Going on with session ${old.id}: 1 trials count; 1 variants are measured again, their kernels have changed since`,
    ]);
    const [{ events }] = (await loadEvidence(out)).sessions as [{ events: readonly object[] }];
    expect(events).toMatchObject([{ kind: "resumed", commit: "b" }]);
  });

  it.each<[string, Partial<SessionHeader>]>([
    ["driver 1.0, now 2.0", withDriver("2.0")],
    ["toggles none, now fast", { toggles: ["fast"] }],
    ["profile portable, now native", { profile: "native" }],
  ])("reuses nothing under another %s: a new session starts and says why", async (what, changes) => {
    const out = join(folder, what.replaceAll(/\W+/g, "-"));
    const old = await interrupted(out);
    const now = headerOf(changes);
    const { destination, notes } = await begin(now, { resume: old.id, out });
    expect(destination.header).toEqual(now);
    expect([destination.earlier, destination.firstSequence]).toEqual([[], 0]);
    expect(notes).toEqual([
      `session ${old.id} was measured under other conditions (${what}): nothing of it is reused; a new session starts`,
    ]);
    expect((await loadEvidence(out)).sessions.map(({ header }) => header.id).sort()).toEqual([
      old.id,
      now.id,
    ]);
  });

  it("is the newest interrupted one of the device in hand, when none is named", async () => {
    const out = join(folder, "newest");
    const mine = await interrupted(out);
    const other = headerOf(withDriver("9"));
    await (await createSession(out, other)).close();
    expect(other.id > mine.id).toBe(true);
    const { destination } = await begin(headerOf(), { resume: true, out });
    expect(destination.header.id).toBe(mine.id);
  });

  it.each<[string, string | true, RegExp]>([
    ["none is there", true, /there is no interrupted session in .*: start one without --resume/],
    ["the named one is not there", "01KBA0000000000000000000AA", /is not in .*; `lab results list`/],
  ])("is a usage fault when %s", async (_, resume, message) => {
    const started = begin(headerOf(), { resume, out: join(folder, "empty") });
    await expect(started).rejects.toMatchObject({ kind: "usage", message: expect.stringMatching(message) });
  });

  it("never mixes conditions in one journal", async () => {
    const journal = join(folder, "one.jsonl");
    await begin(headerOf(), { journal, out: folder });
    const before = (await readJournal(journal)).evidence;
    await expect(begin(headerOf(withDriver("2.0")), { journal, resume: true, out: folder })).rejects.toThrow(
      /driver 1.0, now 2.0.*start another journal/,
    );
    expect((await readJournal(journal)).evidence).toEqual(before);
    const { destination } = await begin(headerOf(), { journal, resume: true, out: folder });
    expect(destination.header.id).toBe(before.header.id);
  });
});

it("a table of one's own leaves out variants whose kernels have changed, and counts them", async () => {
  const header = headerOf();
  const trials = [await trialOf(header.id, 0), await trialOf(header.id, 1, false)];
  const { tables, changed } = await ownTables([{ header, events: [], trials }], header);
  expect(changed).toBe(1);
  expect(tables[0]!.entries[0]!.rows.map(({ minUs }) => minUs)).toEqual([0.9]);
});
