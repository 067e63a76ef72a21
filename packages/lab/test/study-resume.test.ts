import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionEvidence, SessionHeader, StudyPlan } from "@tunelab/contract";
import { studyPlanOf } from "@tunelab/selection";
import { writeJournal } from "@tunelab/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keptSession } from "../src/kept-session.ts";
import { earlierStudy, interruptedText, requireSameConditions, takenText } from "../src/study-resume.ts";
import { studyNamed } from "../src/study-tables.ts";
import { lab } from "./collect.ts";

/** The eigensolver's backends on an H200, cut off after 117 of its cells, as it is published. */
const SESSION = "01M8Q64DYSFYDKY26P24REVB0B";

let folder: string;
let evidence: SessionEvidence;
const notes: string[] = [];
const io = {
  out: () => {},
  note: (text: string) => void notes.push(text),
  interactive: false,
  signal: new AbortController().signal,
};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tunelab-study-resume-"));
  evidence = await keptSession(SESSION, folder, io);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const backends = studyNamed("eigh/backends");
const from = async (resume: string, more: { readonly journal?: string } = {}) => {
  notes.length = 0;
  return earlierStudy(await backends, { resume, out: folder, ...more }, io);
};
const journalOf = async (name: string, changes: Partial<SessionEvidence> = {}): Promise<string> => {
  const path = join(folder, `${name}.jsonl`);
  await writeJournal(path, { ...evidence, ...changes });
  return path;
};

describe("what a study goes on from", () => {
  it("is a published session by its id, or the journal that `results export` writes of it, the same records", async () => {
    expect(await from(SESSION)).toEqual(evidence);
    const path = join(folder, "exported.jsonl");
    const ran = await lab(["results", "export", SESSION, "--journal", path, "--out", folder]);
    expect([ran.code, ran.out]).toEqual([0, `${path}: session ${SESSION}, ${evidence.trials.length} trials`]);
    expect(await from(path)).toEqual(evidence);
    expect(await lab(["results", "export", SESSION, "--journal", path, "--out", folder])).toMatchObject({
      code: 2,
      notes: expect.stringContaining("exists already"),
    });
  });

  it("loses of a journal whose last line is torn that line alone, and says so", async () => {
    const path = await journalOf("torn");
    const text = await readFile(path, "utf8");
    await writeFile(path, text.slice(0, -100));
    const found = await from(path);
    expect(found!.trials).toEqual(evidence.trials.slice(0, -1));
    expect(notes).toEqual([expect.stringMatching(/^Line \d+ of .*torn.jsonl is lost: not JSON: cut short/)]);
  });

  it("is nothing without the option, and refused in one line where it is absent, of another study, not to be trusted or the file to write", async () => {
    expect(await earlierStudy(await backends, {}, io)).toBeUndefined();
    const at = "2026-11-30T05:00:00.000Z";
    const untrusted = { kind: "untrusted", at, reason: "the clock fell" } as const;
    const hot = await journalOf("hot", { events: [...evidence.events, untrusted] });
    const tuning = await journalOf("tuning", { events: [] });
    const threads = earlierStudy(await studyNamed("eigh/threads"), { resume: SESSION, out: folder }, io);
    await expect(threads).rejects.toThrow(`session ${SESSION} measures eigh/backends, not eigh/threads`);
    await expect(from(tuning)).rejects.toThrow("measures no study, not eigh/backends");
    await expect(from(hot)).rejects.toThrow("not to be trusted (the clock fell): measure anew");
    await expect(from("01M8NMASMDQX6XWY47NVKRJAWG")).rejects.toThrow("there is no session");
    await expect(from(join(folder, "none.jsonl"))).rejects.toThrow("there is no journal at");
    await expect(from(hot, { journal: hot })).rejects.toThrow("name another file with --journal");
  });

  it("goes with a study that is measured alone", async () => {
    for (const words of [[], ["--measure", "--only", "matched-filter"], ["--only", "eigh/backends"]])
      expect(await lab(["tables", ...words, "--resume", SESSION])).toMatchObject({
        code: 2,
        notes: expect.stringContaining("--resume goes with --measure --only OPERATION/STUDY"),
      });
  });
});

describe("the conditions of a study that goes on", () => {
  const plan = (): StudyPlan => studyPlanOf(evidence)!;
  const other = (changes: Partial<SessionHeader>): (() => void) => {
    const now = { ...evidence.header, id: "01M8NMASMDQX6XWY47NVKRJAWF", ...changes };
    return () => requireSameConditions(evidence.header, now, plan());
  };
  const identity = (changes: object): Partial<SessionHeader> => {
    const { device } = evidence.header;
    return { device: { ...device, identity: { ...device.identity, ...changes } } };
  };

  it("are the same on another day, and on another CPU where none is measured", () => {
    expect(other({ startedAt: "2026-12-01T05:00:00.000Z", commit: "b" })).not.toThrow();
    expect(other({ host: { ...evidence.header.host, cpu: "another" } })).not.toThrow();
  });

  it("name in one line another device, driver, profile or toggles, and another CPU where one is measured", () => {
    const { driver } = evidence.header.device.identity;
    expect(other(identity({ driver: "999" }))).toThrow(
      `session ${SESSION} was measured under other conditions (driver ${driver}, now 999): nothing of it can be taken over`,
    );
    expect(other(identity({ device: "NVIDIA A100" }))).toThrow(/other conditions \(device/);
    expect(other({ profile: "native" })).toThrow("(profile portable, now native)");
    expect(other({ toggles: ["one"] })).toThrow(/\(toggles/);
    const host = { ...plan(), rows: [{ problem: {}, cells: ["host" as const] }] };
    const now = { ...evidence.header, host: { ...evidence.header.host, cpu: "another" } };
    expect(() => requireSameConditions(evidence.header, now, host)).toThrow(/CPU .*, now another/);
  });

  it("leave lines that name what is taken over, what changed and what is not whole", () => {
    const rows = new Map([[0, []]]);
    const changed = Array.from({ length: 10 }, (_, index) => `n=${index}`);
    expect(takenText("A", { rows, changed, again: ["n=9,batch=1"] }, plan())).toEqual([
      "Going on from session A: 1 of 32 rows are taken over, 31 are measured",
      "Measured there and no longer what the code would measure (10): n=0; n=1; n=2; n=3; n=4; n=5; n=6; n=7; and 2 more",
      "Not whole, so measured again (1): n=9,batch=1",
    ]);
  });
});

describe("a study that was interrupted", () => {
  const flags = { device: "swiftshader", profile: "portable" };

  it("says which session it is, and the command that goes on from it as it was measured", () => {
    expect(interruptedText("eigh/threads", SESSION, undefined, flags)).toEqual([
      `Session: ${SESSION} (stopped: interrupted by the user)`,
      `Next:    pnpm tables --measure --only eigh/threads --device swiftshader --profile portable --resume ${SESSION} goes on with the rows that are not whole`,
    ]);
    const elsewhere = { ...flags, out: "/tmp/my lab", publish: false };
    expect(interruptedText("eigh/threads", SESSION, undefined, elsewhere)[1]).toContain(
      ` --out '/tmp/my lab' --no-publish --resume ${SESSION} goes on`,
    );
  });

  it("of a journal names the file, and that another is to be written", () => {
    const lines = interruptedText("eigh/threads", SESSION, "a.jsonl", flags);
    expect(lines[0]).toBe("Journal: a.jsonl");
    expect(lines.at(-1)).toContain(" --resume a.jsonl --journal NEW.jsonl goes on");
  });
});
