import { Fault, type StudyResult, type StudyTable, type Suite } from "@tunelab/contract";
import { type StudySubject, studyStale, studySubject } from "@tunelab/experiment";
import { type ChoosingStudy, chartSvg, studyPage } from "@tunelab/report";
import { studyPath } from "@tunelab/selection";
import { loadSuites } from "./registry.ts";
import { STUDY_SCHEMA_PATH, studySchemaText } from "./table-schema.ts";

/** A study with the suite that lists it. */
export interface ListedStudy {
  readonly suite: Suite;
  readonly study: StudyTable;
}

/** `eigh/threads`: how the command line names a study. */
export const studyName = ({ suite, study }: ListedStudy): string => `${suite.operation.name}/${study.id}`;

/** Every study of the laboratory's suites, by name. */
export async function listedStudies(): Promise<readonly ListedStudy[]> {
  const suites = await loadSuites();
  return suites.flatMap((suite) => (suite.studies ?? []).map((study) => ({ suite, study })));
}

/** The study of that name. @throws Fault `usage` that lists what exists. */
export async function studyNamed(name: string): Promise<ListedStudy> {
  const all = await listedStudies();
  const found = all.find((one) => studyName(one) === name);
  if (found) return found;
  throw new Fault(
    "usage",
    `there is no published table "${name}" to measure: there is ${all.map(studyName).join(", ") || "no study"}`,
  );
}

/** The studies from which the library learns a rule. */
export async function choosingStudies(): Promise<readonly ChoosingStudy[]> {
  return (await listedStudies()).flatMap(({ suite, study: { id, title, chooses } }) =>
    chooses ? [{ operation: suite.operation.name, id, title }] : [],
  );
}

/** Files of all published studies, their path from the checkout's root: the result, its page and its picture. */
export async function generatedStudies(
  root: string,
  results: readonly StudyResult[],
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  if (results.length === 0) return files;
  files.set(STUDY_SCHEMA_PATH, await studySchemaText(root));
  const all = await listedStudies();
  const subjects = new Map<string, StudySubject>();
  for (const result of results) {
    const listed = all.find((one) => studyName(one) === `${result.operation}/${result.id}`);
    if (listed && !subjects.has(result.operation))
      subjects.set(result.operation, await studySubject(listed.suite.operation));
    const stale = await studyStale(
      result,
      listed?.study,
      subjects.get(result.operation),
      listed?.suite.epoch,
    );
    const path = `tables/${studyPath(result)}`;
    const { reference, chooses } = listed?.study ?? {};
    const page = studyPage(
      result,
      { stale, ...(reference ? { reference } : {}), ...(chooses ? { chooses } : {}) },
      `${result.operation}-${result.id}`,
    );
    files.set(path, `${JSON.stringify(result, null, 2)}\n`);
    files.set(path.replace(/json$/, "md"), page.markdown());
    for (const { file, spec } of page.charts)
      files.set(`${path.slice(0, path.lastIndexOf("/"))}/${file}`, await chartSvg(spec));
  }
  return files;
}
