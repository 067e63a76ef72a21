import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Competitor, MachineLoad } from "@tunelab/contract";

/** Kernel clock ticks a second in /proc/PID/stat: USER_HZ, 100 on every Linux architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** How long processes are watched, in ms: a tick is then 2.5% of a core. */
const WATCH_MS = 400;

/** A program that takes less (in cores) is not named: shells, editors and terminals idle below it. */
const WORTH_NAMING = 0.05;

/** Most programs named. */
const MOST_NAMED = 5;

/**
 * Others taking this much together make the machine busy: of two cores (a software GPU) an eighth, six times the 2% spread
 * that certification allows; on a hardware GPU it delays submissions.
 */
const BUSY_CORES = 0.25;

/** A GPU in use before the session: a desktop that redraws stays below. */
const BUSY_GPU = 0.05;

const NVIDIA_DEADLINE_MS = 3_000;

/** One process at one moment: its name, its parent, and the processor time it has taken, in ticks. */
export interface ProcessTime {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly ticks: number;
}

/** A line of /proc/PID/stat (proc_pid_stat(5)): names may hold spaces and parentheses, so the last one ends it. */
export function parseStat(text: string): ProcessTime | undefined {
  const match = /^(\d+) \((.*)\) \S (\d+) (.*)$/s.exec(text.trim());
  if (!match) return undefined;
  const fields = match[4]!.split(" ");
  // Fields 14 and 15 of the line, user and system time; the rest here begins with field 5.
  const ticks = Number(fields[9]) + Number(fields[10]);
  if (!Number.isFinite(ticks)) return undefined;
  return { pid: Number(match[1]), parent: Number(match[3]), name: match[2]!, ticks };
}

/**
 * What other processes took between two looks, hungriest first, programs of one name added up. Our own process is left
 * out with its ancestors and descendants; one that came later counts from nothing.
 */
export function competitorsOf(
  before: readonly ProcessTime[],
  after: readonly ProcessTime[],
  own: number,
  seconds: number,
): readonly Competitor[] {
  const kin = kinOf(after, own);
  const earlier = new Map(before.map(({ pid, ticks }) => [pid, ticks]));
  const totals = new Map<string, number>();
  for (const { pid, name, ticks } of after) {
    if (kin.has(pid)) continue;
    const cores = (ticks - (earlier.get(pid) ?? 0)) / TICKS_PER_SECOND / seconds;
    if (cores > 0) totals.set(name, (totals.get(name) ?? 0) + cores);
  }
  return [...totals]
    .map(([name, cores]) => ({ name, cores }))
    .sort((a, b) => b.cores - a.cores || (a.name < b.name ? -1 : 1));
}

function kinOf(all: readonly ProcessTime[], own: number): ReadonlySet<number> {
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
  const lineage = (pid: number): number[] => {
    const found: number[] = [];
    for (let at: number | undefined = pid; at && !found.includes(at); at = parents.get(at)) found.push(at);
    return found;
  };
  const ancestors = new Set(lineage(own));
  return new Set([...ancestors, ...all.map(({ pid }) => pid).filter((pid) => lineage(pid).includes(own))]);
}

/** The figures as a verdict. */
export function judgeLoad(
  competitors: readonly Competitor[] | undefined,
  system: { readonly cores: number; readonly loadAverage: number },
  gpu: MachineLoad["gpu"] | undefined,
): MachineLoad {
  const othersCores = competitors?.reduce((sum, { cores }) => sum + cores, 0);
  // Where processes cannot be listed, the load of the last minute is all there is.
  const taken = othersCores ?? system.loadAverage;
  return {
    ...system,
    ...(othersCores === undefined ? {} : { othersCores }),
    competitors: (competitors ?? []).filter(({ cores }) => cores >= WORTH_NAMING).slice(0, MOST_NAMED),
    ...(gpu ? { gpu } : {}),
    busy: taken >= BUSY_CORES || (gpu !== undefined && gpu.utilisation >= BUSY_GPU),
  };
}

/** What the machine does besides this process, watched for 0.4 s. Call it before a device is opened. Never rejects. */
export async function machineLoad(): Promise<MachineLoad> {
  const system = { cores: availableParallelism(), loadAverage: loadavg()[0] ?? 0 };
  const gpu = nvidiaUse();
  const start = performance.now();
  const before = await processTimes();
  await sleep(WATCH_MS);
  const after = before && (await processTimes());
  const seconds = (performance.now() - start) / 1_000;
  const competitors = before && after && competitorsOf(before, after, process.pid, seconds);
  return judgeLoad(competitors, system, await gpu);
}

/** Every process of /proc; undefined where there is none to read (macOS, Windows). */
async function processTimes(): Promise<readonly ProcessTime[] | undefined> {
  const entries = await readdir("/proc").catch(() => []);
  const texts = await Promise.all(
    entries
      .filter((name) => /^\d+$/.test(name))
      // A process may end between the listing and the look.
      .map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")),
  );
  const found = texts.flatMap((text) => parseStat(text) ?? []);
  return found.length > 0 ? found : undefined;
}

const MIB = 2 ** 20;

/**
 * `nvidia-smi`'s two answers: utilisation in percent and free memory in MiB a card (of several the busiest and the fullest count), and a
 * program's path a line.
 */
export function parseNvidia(cards: string, programs: string): MachineLoad["gpu"] {
  const lines = (text: string): string[] =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
  const column = (index: number): readonly number[] =>
    lines(cards)
      .map((line) => Number(line.split(",")[index]?.trim() || Number.NaN))
      .filter(Number.isFinite);
  const [percents, free] = [column(0), column(1)];
  const names = lines(programs).map((path) => path.split(/[\\/]/).at(-1) ?? path);
  return {
    utilisation: Math.max(0, ...percents) / 100,
    programs: [...new Set(names)],
    ...(free.length > 0 ? { freeBytes: Math.min(...free) * MIB } : {}),
  };
}

async function nvidiaUse(): Promise<MachineLoad["gpu"] | undefined> {
  const ask = async (question: string): Promise<string> =>
    (
      await promisify(execFile)("nvidia-smi", [question, "--format=csv,noheader,nounits"], {
        timeout: NVIDIA_DEADLINE_MS,
      })
    ).stdout;
  try {
    const [cards, programs] = await Promise.all([
      ask("--query-gpu=utilization.gpu,memory.free"),
      ask("--query-compute-apps=process_name"),
    ]);
    return parseNvidia(cards, programs);
  } catch {
    return undefined; // no NVIDIA card, or a driver without the tool
  }
}
