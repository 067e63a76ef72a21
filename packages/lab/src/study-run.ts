import type { SessionEvidence, SessionHeader } from "@tunelab/contract";
import {
  planStudy,
  runStudyTable,
  STUDY_WORKLOAD,
  type StudyContext,
  studySubject,
  type TakenOver,
  takeOver,
} from "@tunelab/experiment";
import { commitOf } from "@tunelab/selection";
import { askDevice, type DeviceFlags } from "./bench.ts";
import { packed } from "./build.ts";
import type { Io } from "./io.ts";
import { labDir } from "./places.ts";
import { headerFor } from "./session.ts";
import { stepsProgress } from "./steps.ts";
import {
  earlierStudy,
  interruptedText,
  requireSameConditions,
  type StudyResumeFlags,
  takenText,
} from "./study-resume.ts";
import { type ListedStudy, studyName } from "./study-tables.ts";

export interface MeasureFlags extends DeviceFlags {
  readonly journal?: string;
  readonly out?: string;
}

interface StudyFlags extends MeasureFlags, StudyResumeFlags {}

/** A measured study, read back from where it was kept. */
export interface MeasuredStudy {
  readonly evidence: SessionEvidence;
  /** The journal's file, where there is no store; else the session lies in `folder`. */
  readonly journal?: string;
  readonly folder: string;
  /** Every cell was dealt with. */
  readonly whole: boolean;
}

/** Measures a study on one device in a session of its own, which takes over the rows of the one that `--resume` names. Bad definitions are found before the device is asked for anything. */
export async function measureStudy(listed: ListedStudy, flags: StudyFlags, io: Io): Promise<MeasuredStudy> {
  const { suite, study } = listed;
  const subject = await studySubject(suite.operation);
  const earlier = await earlierStudy(listed, flags, io);
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
    const taken =
      earlier && (await takenFrom(earlier, header, { suite, study, subject, plan, capabilities }));
    for (const line of taken ? takenText(earlier!.header.id, taken, plan) : []) io.note(line);
    const folder = labDir(flags.out, io);
    const journal = flags.journal ?? (packed ? `tunelab-${header.id}.jsonl` : undefined);
    const { createJournal, readJournal } = await import("@tunelab/store/journal");
    const sink = journal
      ? await createJournal(journal, header)
      : await (await import("@tunelab/store")).createSession(folder, header);
    const left = plan.rows.length - (taken?.rows.size ?? 0);
    const steps = stepsProgress(io, left * plan.columns.length);
    io.note(`Study ${studyName(listed)}: ${plan.rows.length} rows of ${plan.columns.length} settings`);
    let whole = false;
    try {
      whole = await runStudyTable(bench, sink, {
        suite,
        study,
        subject,
        plan,
        capabilities,
        ...(taken ? { taken } : {}),
        clock: { now: () => performance.now(), timestamp: () => new Date().toISOString() },
        signal: io.signal,
        progress: ({ what }) => steps.next(what),
      });
    } finally {
      steps.stop();
      await sink.close();
      // Also where the interruption ended a request to the device, and with it this function.
      if (io.signal.aborted && !whole)
        for (const line of interruptedText(studyName(listed), header.id, journal, flags)) io.note(line);
    }
    if (journal) return { evidence: (await readJournal(journal)).evidence, journal, folder, whole };
    const { readEvidence, sessionPaths } = await import("@tunelab/store");
    const evidence = await readEvidence(sessionPaths(folder, header.id).sealed);
    return { evidence, folder, whole };
  });
}

async function takenFrom(
  earlier: SessionEvidence,
  header: SessionHeader,
  context: StudyContext,
): Promise<TakenOver> {
  requireSameConditions(earlier.header, header, context.plan);
  return takeOver(earlier, context, commitOf({ header, events: [], trials: [] }));
}
