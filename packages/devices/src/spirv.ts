import { type ChildProcess, spawn } from "node:child_process";
import { Fault, type FaultKind, firstLine, type ProfileName } from "@tunelab/contract";
import { WANTED_FEATURES } from "@tunelab/executor";
import { dawnFlags, dawnPath, togglesOf } from "./dawn.ts";
import { DEFAULT_DEADLINES } from "./deadlines.ts";
import type { DeviceTarget } from "./discover.ts";
import { type Exit, endProcess } from "./spawn.ts";
import { SPIRV_SCRIPT } from "./spirv-script.ts";

/** A WGSL text to compile, and how. */
export interface SpirvOrder {
  readonly target: Pick<DeviceTarget, "id" | "environment" | "host">;
  readonly profile: ProfileName;
  readonly wgsl: string;
  readonly entryPoint: string;
  /** Dawn toggles to force off beside those of the profile. */
  readonly disabled?: readonly string[];
  readonly deadlineMs?: number;
}

/** Dumping needs the first; the second keeps WGSL's names in the dump (and changes no instruction). */
const TOGGLES = ["dump_shaders", "disable_symbol_renaming"] as const;

/** Characters at the end of what was written in which the end of a function is looked for. */
const TAIL = 64;

/** Where Dawn's log begins another message. */
const MESSAGE = /^(info|warning|error):$/m;
const HEAD = /\/\* Dumped (?:generated )?SPIRV disassembly \*\/\n/;

/**
 * The SPIR-V that Dawn hands to a Vulkan driver for a text under a profile, disassembled, WGSL's names in it. The driver compiles nothing
 * to an end and nothing runs. Rejects with `Fault` validation (the text), unsupported (a backend without SPIR-V) or environment.
 */
export async function dumpSpirv(order: SpirvOrder): Promise<string> {
  const { target, profile, wgsl, entryPoint, disabled = [], deadlineMs = DEFAULT_DEADLINES.compile } = order;
  const { backend, match } = target.host;
  if (backend !== "vulkan") {
    throw new Fault(
      "unsupported",
      `Dawn makes no SPIR-V for ${backend}: use a Vulkan device, e.g. --device swiftshader`,
    );
  }
  const toggles = togglesOf(profile, true);
  const flags = dawnFlags(backend, match, {
    enabled: [...toggles.enabled, ...TOGGLES],
    disabled: [...toggles.disabled, ...disabled],
  });
  const child = spawn(process.execPath, ["-e", SPIRV_SCRIPT], {
    env: { ...process.env, NODE_OPTIONS: undefined, ...target.environment },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const exited = new Promise<Exit>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
    child.once("error", () => resolve({ code: null, signal: null }));
  });
  const dawn = dawnPath({ ...process.env, ...target.environment });
  child.send({ dawn, flags, features: WANTED_FEATURES, wgsl, entryPoint }, () => {});
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const text = `no SPIR-V of ${target.id} within ${deadlineMs / 1000} s: the compiler is stuck`;
    timer = setTimeout(() => reject(new Fault("compile-timeout", text)), deadlineMs);
  });
  try {
    return await Promise.race([dumpOf(child, exited), late]);
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
    await endProcess(child, exited);
  }
}

/** The first whole dump that the child writes. */
function dumpOf(child: ChildProcess, exited: Promise<Exit>): Promise<string> {
  return new Promise((resolve, reject) => {
    let written = "";
    let errors = "";
    const look = (): void => {
      const dump = dumpIn(written);
      if (dump !== undefined) resolve(dump);
    };
    child.stdout!.setEncoding("utf8").on("data", (chunk: string) => {
      written += chunk;
      // Chunks end anywhere, in the middle of a word too; only the end of a function ends a module.
      if (written.slice(-TAIL).trimEnd().endsWith("OpFunctionEnd")) look();
    });
    child.stderr!.setEncoding("utf8").on("data", (chunk: string) => {
      errors += chunk;
    });
    child.on("message", ({ kind, reason }: { kind: FaultKind | "compiled"; reason?: string }) => {
      if (kind !== "compiled") reject(new Fault(kind, firstLine(reason ?? kind)));
    });
    void exited.then(({ code, signal }) => {
      look();
      const end = signal ? `was ended by ${signal}` : `exited with code ${code}`;
      reject(
        new Fault(
          "environment",
          `the compiling process ${end} without a dump: ${firstLine(errors) || "no word"}`,
        ),
      );
    });
  });
}

/** The SPIR-V disassembly in what Dawn wrote, once it is whole. */
export function dumpIn(written: string): string | undefined {
  const head = HEAD.exec(written);
  if (!head) return undefined;
  const rest = written.slice(head.index + head[0].length);
  const next = MESSAGE.exec(rest);
  const text = next ? rest.slice(0, next.index) : rest;
  return next || isWhole(text) ? text.trimEnd() : undefined;
}

/** Whether every id that the head names is defined: functions come last, and each has a name. */
function isWhole(text: string): boolean {
  if (!text.trimEnd().endsWith("OpFunctionEnd")) return false;
  const defined = new Set([...text.matchAll(/^\s*(%\S+) = /gm)].map(([, id]) => id));
  return [...text.matchAll(/^\s*OpName (%\S+) /gm)].every(([, id]) => defined.has(id));
}
