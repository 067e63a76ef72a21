import type { SessionEvidence } from "@tunelab/contract";
import { planStudy, runStudyTable, STUDY_WORKLOAD, studySubject } from "@tunelab/experiment";
import { askDevice, type DeviceFlags } from "./bench.ts";
import { packed } from "./build.ts";
import type { Io } from "./io.ts";
import { labDir } from "./places.ts";
import { headerFor } from "./session.ts";
import { stepsProgress } from "./steps.ts";
import { type ListedStudy, studyName } from "./study-tables.ts";

export interface MeasureFlags extends DeviceFlags {
  readonly journal?: string;
  readonly out?: string;
}

/** A measured study, read back from where it was kept. */
export interface MeasuredStudy {
  readonly evidence: SessionEvidence;
  /** The journal's file, where there is no store; else the session lies in `folder`. */
  readonly journal?: string;
  readonly folder: string;
  /** Every cell was dealt with. */
  readonly whole: boolean;
}

/** Measures a study on one device in a session of its own. Bad definitions are found before the device is asked for anything. */
export async function measureStudy(listed: ListedStudy, flags: MeasureFlags, io: Io): Promise<MeasuredStudy> {
  const { suite, study } = listed;
  const subject = await studySubject(suite.operation);
  return askDevice(flags, io, async (bench) => {
    const { capabilities } = bench.hello.info;
    const plan = planStudy(study, subject, capabilities);
    const header = await headerFor(bench.hello, {
      operations: [suite.operation.name],
      workload: STUDY_WORKLOAD,
      strategy: study.id,
      budgetMs: 0,
      seed: 1,
    });
    const folder = labDir(flags.out, io);
    const journal = flags.journal ?? (packed ? `tunelab-${header.id}.jsonl` : undefined);
    const { createJournal, readJournal } = await import("@tunelab/store/journal");
    const sink = journal
      ? await createJournal(journal, header)
      : await (await import("@tunelab/store")).createSession(folder, header);
    const steps = stepsProgress(io, plan.rows.length * plan.columns.length);
    io.note(`Study ${studyName(listed)}: ${plan.rows.length} rows of ${plan.columns.length} settings`);
    let whole = false;
    try {
      whole = await runStudyTable(bench, sink, {
        suite,
        study,
        subject,
        plan,
        capabilities,
        clock: { now: () => performance.now(), timestamp: () => new Date().toISOString() },
        signal: io.signal,
        progress: ({ what }) => steps.next(what),
      });
    } finally {
      steps.stop();
      await sink.close();
    }
    if (journal) return { evidence: (await readJournal(journal)).evidence, journal, folder, whole };
    const { readEvidence, sessionPaths } = await import("@tunelab/store");
    const evidence = await readEvidence(sessionPaths(folder, header.id).sealed);
    return { evidence, folder, whole };
  });
}
