import { execFile } from "node:child_process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type Dimension, firstLine, type Problem, type WorkloadName } from "@tunelab/contract";

/** What an operation's bundle says about itself, as data: the laboratory's own process never runs a commit's code. */
export interface Described {
  readonly contract: number;
  readonly operation: string;
  readonly epoch: number;
  readonly dimensions: readonly Dimension[];
  readonly accuracy: { readonly bound: number; readonly measure: string };
  readonly workloads: Readonly<Record<WorkloadName, readonly Problem[]>>;
  /** Shipped tables that the bundle carries for the operation. */
  readonly tables: number;
}

/** A module that only lists its contents loads in 0.1 s; one that takes this long in ms does something else. */
const DESCRIBE_MS = 20_000;

/** Most bytes of a description: 10,000 problems are 1 MB. */
const MOST_BYTES = 16 * 2 ** 20;

/** Runs in the child. A bundle of another contract may lack anything but its version. */
const SCRIPT = `
const side = await import(process.argv[1]);
const { suite, tables = [] } = side;
const { name, dimensions, accuracy } = suite?.operation ?? {};
const { epoch, workloads } = suite ?? {};
const text = JSON.stringify({ contract: side.contract, operation: name, epoch, dimensions, accuracy, workloads, tables: tables.length });
process.stdout.write(text, () => process.exit(0));
`;

/** Loads a bundle in a process of its own and asks what it holds; resolves to one line when it cannot be loaded. */
export async function describeBundle(path: string): Promise<Described | { readonly fault: string }> {
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "-e", SCRIPT, pathToFileURL(path).href],
      { timeout: DESCRIBE_MS, killSignal: "SIGKILL", maxBuffer: MOST_BYTES },
    );
    const described = JSON.parse(stdout) as Described;
    if (typeof described.operation !== "string") return { fault: "its suite names no operation" };
    return described;
  } catch (error) {
    return { fault: `it cannot be loaded: ${whyNot(error)}` };
  }
}

/** Runs in the child: a bundle, and problems as JSON. */
const ASKING = `
const { suite } = await import(process.argv[1]);
const all = JSON.parse(process.argv[2]).map((problem) => suite.operation.refuse(problem) ?? null);
process.stdout.write(JSON.stringify(all), () => process.exit(0));
`;

/**
 * Why a bundle's operation refuses each of some problems, one line each, asked in a process of its own; undefined for those that it
 * takes, and for all of them where the bundle cannot be asked: its rows say why.
 */
export async function refusalsOf(
  path: string,
  problems: readonly Problem[],
): Promise<readonly (string | undefined)[]> {
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "-e", ASKING, pathToFileURL(path).href, JSON.stringify(problems)],
      { timeout: DESCRIBE_MS, killSignal: "SIGKILL", maxBuffer: MOST_BYTES },
    );
    return (JSON.parse(stdout) as readonly (string | null)[]).map((why) => why ?? undefined);
  } catch {
    return problems.map(() => undefined);
  }
}

function whyNot(error: unknown): string {
  const {
    killed,
    stderr = "",
    message = String(error),
  } = error as { killed?: boolean; stderr?: string; message?: string };
  if (killed) return `no answer after ${DESCRIBE_MS / 1_000} s`;
  const lines = stderr.split("\n").map((line) => line.trim());
  return firstLine(
    lines.find((line) => /^(Uncaught )?\w*(Error|Fault)\b/.test(line)) ?? lines.find(Boolean) ?? message,
  );
}
