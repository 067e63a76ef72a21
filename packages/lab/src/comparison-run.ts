import { type Bout, type RunOptions, runBouts, runReferences } from "@tunelab/compare";
import {
  COMPARISON_SCHEMA,
  CONTRACT_VERSION,
  type Comparison,
  type ComparisonRow,
  deviceSlug,
  exitCodeOf,
  type MachineLoad,
  type PairRequest,
  type PerSide,
  PROTOCOL_VERSION,
  type ProfileName,
  SIDES,
  type Side,
  type SideExtras,
  type SideName,
} from "@tunelab/contract";
import {
  chooseDevice,
  type DeviceTarget,
  hostFacts,
  machineLoad,
  openBench,
  type PairBench,
} from "@tunelab/devices";
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
  readonly settings: ComparisonSettings;
  /** Profiles of the sides, where they are two. */
  readonly profiles?: PerSide<ProfileName>;
  readonly executor: PairRequest["executor"];
  /** The bouts, asked of an opened device. */
  readonly bouts: (benches: PerSide<PairBench>) => Promise<readonly Bout[]>;
  /** As the user would write it again. */
  readonly command: string;
}

type Header = Omit<Comparison, "rows" | "control" | "stopped">;

/** The hosts of the sides: one and the same where they are paired. */
interface Hosts {
  readonly open: PerSide<() => Promise<PairBench>>;
  readonly first: PerSide<PairBench>;
}

/** Runs a comparison, keeps it, prints it, and ends with its exit code. */
export async function runComparison(prepared: Prepared, io: Io): Promise<void> {
  const { settings } = prepared;
  const targets = await targetsOf(settings);
  const profiles = prepared.profiles ?? { base: settings.profile, candidate: settings.profile };
  const machineBefore = await machineLoad();
  const paired = settings.method === "paired";
  for (const side of SIDES) {
    if (paired && side === "candidate") continue;
    const whose = paired ? "" : `${side}: `;
    io.note(`${whose}Device ${targets[side].id} (${targets[side].kind}), profile ${profiles[side]}`);
  }
  io.note(busyLine(machineBefore));
  const { deadlineMs: longest } = settings;
  const deadlines = longest === undefined ? {} : { compile: longest, verify: longest, measure: longest };
  const opener = (side: Side) => (): Promise<PairBench> =>
    openBench(targets[side], { entry: hostEntry, profile: profiles[side], deadlines });
  const open = { base: opener("base"), candidate: opener("candidate") };
  const base = await open.base();
  let candidate = base;
  try {
    if (!paired) candidate = await open.candidate();
    await compareOn({ open, first: { base, candidate } }, prepared, machineBefore, io);
  } finally {
    await base.close();
    await candidate.close();
  }
}

async function targetsOf({ devices }: ComparisonSettings): Promise<PerSide<DeviceTarget>> {
  return { base: await chooseDevice(devices.base), candidate: await chooseDevice(devices.candidate) };
}

async function compareOn(hosts: Hosts, prepared: Prepared, machine: MachineLoad, io: Io): Promise<void> {
  const { settings } = prepared;
  const bouts = await prepared.bouts(hosts.first);
  const header = headerOf(hosts.first, prepared, machine);
  const sink = await sinkFor(header, settings, io);
  const progress = comparisonProgress(io);
  const shared = {
    ...settings,
    executor: prepared.executor,
    progress: progress.listen,
    signal: io.signal,
    ...(sink ? { keep: (row: ComparisonRow) => sink.row(row) } : {}),
  } satisfies Partial<RunOptions>;
  const running =
    settings.method === "paired"
      ? runBouts(bouts, { ...shared, first: hosts.first.base, open: hosts.open.base })
      : runReferences(bouts, { ...shared, ...hosts });
  const ran = await running.finally(() => progress.stop());
  const comparison: Comparison = { ...header, ...ran };
  await sink?.finish(comparison);
  await report(comparison, settings, sink, io);
  if (comparison.stopped !== undefined) throw new ExitWith(EXIT.interrupted);
  const code = exitCodeOf(comparison);
  if (code !== 0) throw new ExitWith(code);
}

function headerOf(
  { base, candidate }: PerSide<PairBench>,
  { settings, command, names, executor, extras }: Prepared,
  machine: MachineLoad,
): Header {
  const { hello } = base;
  const place = {
    device: candidate.hello.info,
    deviceSlug: deviceSlug(candidate.hello.info.identity),
    profile: candidate.hello.profile,
    toggles: candidate.hello.toggles,
    runtime: candidate.hello.runtime,
  };
  return {
    schema: COMPARISON_SCHEMA,
    id: newSessionId(),
    startedAt: new Date().toISOString(),
    protocol: PROTOCOL_VERSION,
    contract: CONTRACT_VERSION,
    toolVersion: VERSION,
    ...{ command, names, method: settings.method },
    device: hello.info,
    deviceSlug: deviceSlug(hello.info.identity),
    profile: hello.profile,
    toggles: hello.toggles,
    ...(settings.method === "reference" ? { candidatePlace: place } : {}),
    host: { ...hostFacts(), runtime: hello.runtime },
    ...{ machine, rules: settings.rules, executor, requireParity: settings.requireParity, extras },
  };
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
