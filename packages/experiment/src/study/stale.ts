import { canonicalJson, type StudyResult, type StudyTable } from "@tunelab/contract";
import { replan } from "@tunelab/selection";
import { planStudy, type StudySubject } from "./plan.ts";

/**
 * Why a published study no longer stands for what the code would measure, in words that end a sentence; empty when it does. Needs
 * no GPU: every cell's plan is made again for the capabilities that its session recorded.
 */
export async function studyStale(
  result: StudyResult,
  study: StudyTable | undefined,
  subject: StudySubject | undefined,
  epoch: number | undefined,
): Promise<readonly string[]> {
  if (!study || !subject) return ["the code has no such study any more"];
  const reasons: string[] = [];
  if (epoch !== undefined && epoch !== result.epoch)
    reasons.push(`it was measured at epoch ${result.epoch} and the suite is at ${epoch}`);
  const { capabilities } = result.device;
  const plan = planStudy(study, subject, capabilities);
  const shape = (
    one: Pick<StudyResult, "columns" | "statistic" | "dimensions" | "derived">,
    rows: unknown,
  ): string =>
    canonicalJson([one.columns.map(({ name }) => name), one.statistic, one.dimensions, one.derived, rows]);
  const problems = (rows: readonly { readonly problem: unknown }[]): unknown =>
    rows.map(({ problem }) => problem);
  if (shape(result, problems(result.rows)) !== shape(plan, problems(plan.rows))) {
    reasons.push("its rows or columns are defined otherwise now");
    return reasons;
  }
  let changed = 0;
  for (const [row, { problem, cells }] of result.rows.entries()) {
    for (const [column, { planHash }] of cells.entries()) {
      const now = plan.rows[row]!.cells[column];
      if (planHash === undefined || !now || now === "host") continue;
      if ((await replan(subject.operation, capabilities, problem, now)) !== planHash) changed++;
    }
  }
  if (changed > 0) reasons.push(`${changed} cells were measured with kernels that have changed since`);
  return reasons;
}
