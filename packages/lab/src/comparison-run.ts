import { type Bout, type RunOptions, runBouts } from "@tunelab/compare";
import {
  COMPARISON_SCHEMA,
  CONTRACT_VERSION,
  type Comparison,
  deviceSlug,
  exitCodeOf,
  type MachineLoad,
  type PairRequest,
  type PerSide,
  PROTOCOL_VERSION,
  type SideExtras,
  type SideName,
} from "@tunelab/contract";
import { type DeviceTarget, hostFacts, machineLoad, openBench, type PairBench } from "@tunelab/devices";
import { chartSvg, comparisonMarkdown, comparisonText, forestChart } from "@tunelab/report";
import type { ComparisonSink } from "@tunelab/store";
import { encodeComparison, newSessionId } from "@tunelab/store/journal";
import { packed, VERSION } from "./build.ts";
import type { ComparisonSettings } from "./comparison-options.ts";
import { comparisonProgress } from "./comparison-progress.ts";
import { EXIT, ExitWith, type Io } from "./io.ts";
import { busyLine } from "./load-text.ts";
import { hostEntry, labDir } from "./places.ts";
import { writeWhole } from "./session.ts";

/** A comparison that is ready to run but for the variants, which a device decides. */
export interface Prepared {
  readonly names: PerSide<SideName>;
  readonly extras: PerSide<SideExtras>;
  readonly target: DeviceTarget;
  readonly settings: ComparisonSettings;
  readonly executor: PairRequest["executor"];
  /** The bouts, asked of an opened device. */
  readonly bouts: (bench: PairBench) => Promise<readonly Bout[]>;
  /** As the user would write it again. */
  readonly command: string;
}

type Header = Omit<Comparison, "rows" | "control" | "stopped">;

/** Runs a comparison, keeps it, prints it, and ends with its exit code. */
export async function runComparison(prepared: Prepared, io: Io): Promise<void> {
  const { target, settings } = prepared;
  io.note(`Device ${target.id} (${target.kind}), profile ${settings.profile}`);
  const machine = await machineLoad();
  io.note(busyLine(machine));
  const open = (): Promise<PairBench> => openBench(target, { entry: hostEntry, profile: settings.profile });
  const first = await open();
  try {
    await compareOn(first, open, prepared, machine, io);
  } finally {
    await first.close();
  }
}

async function compareOn(
  first: PairBench,
  open: () => Promise<PairBench>,
  prepared: Prepared,
  machine: MachineLoad,
  io: Io,
): Promise<void> {
  const { settings } = prepared;
  const { hello } = first;
  const bouts = await prepared.bouts(first);
  const header: Header = {
    schema: COMPARISON_SCHEMA,
    id: newSessionId(),
    startedAt: new Date().toISOString(),
    protocol: PROTOCOL_VERSION,
    contract: CONTRACT_VERSION,
    toolVersion: VERSION,
    command: prepared.command,
    names: prepared.names,
    method: "paired",
    device: hello.info,
    deviceSlug: deviceSlug(hello.info.identity),
    profile: hello.profile,
    toggles: hello.toggles,
    host: { ...hostFacts(), runtime: hello.runtime },
    machine,
    rules: settings.rules,
    executor: prepared.executor,
    requireParity: settings.requireParity,
    extras: prepared.extras,
  };
  const sink = await sinkFor(header, settings, io);
  const progress = comparisonProgress(io);
  const options: RunOptions = {
    ...settings,
    executor: prepared.executor,
    first,
    open,
    progress: progress.listen,
    signal: io.signal,
    ...(sink ? { keep: (row) => sink.row(row) } : {}),
  };
  const ran = await runBouts(bouts, options).finally(() => progress.stop());
  const comparison: Comparison = { ...header, ...ran };
  await sink?.finish(comparison);
  await report(comparison, settings, sink, io);
  if (comparison.stopped !== undefined) throw new ExitWith(EXIT.interrupted);
  const code = exitCodeOf(comparison);
  if (code !== 0) throw new ExitWith(code);
}

/** The store, loaded only where there is one: a packed laboratory writes the record as JSON. */
async function sinkFor(
  header: Header,
  { out }: ComparisonSettings,
  io: Io,
): Promise<ComparisonSink | undefined> {
  if (packed) return undefined;
  const { createComparison } = await import("@tunelab/store");
  return createComparison(labDir(out, io), header);
}

async function report(
  comparison: Comparison,
  settings: ComparisonSettings,
  sink: ComparisonSink | undefined,
  io: Io,
): Promise<void> {
  const { format, svg, record } = settings;
  if (svg !== undefined) {
    const chart = forestChart(comparison);
    if (chart) await writeWhole(svg, await chartSvg(chart));
    else io.note(`No picture: no row has a ratio`);
  }
  if (record !== undefined) await writeWhole(record, encodeComparison(comparison));
  if (format === "json") io.out(JSON.stringify({ ...comparison, exitCode: exitCodeOf(comparison) }, null, 2));
  else if (format === "markdown") io.out(comparisonMarkdown(comparison, svg));
  else {
    io.out(comparisonText(comparison));
    if (sink) io.out(`\nStored:  ${sink.path}`);
    if (record !== undefined) io.out(`Record:  ${record}`);
  }
}
