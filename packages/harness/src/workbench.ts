import { type Ceilings, Fault, type Probe } from "@tunelab/contract";
import { Executor } from "@tunelab/executor";
import { CaseCache } from "./cases.ts";
import { CompiledCache } from "./compiled.ts";
import { readGpuClock } from "./gpu-clock.ts";
import { runMs } from "./instance-timeable.ts";
import { PlannedCache } from "./planned.ts";
import { openProbe, type ProbeRun } from "./probe-run.ts";
import { ANCHOR_RUN_MS, MAXIMUM_REPEATS, SETTLE } from "./protocol.ts";
import { fixed } from "./rules.ts";
import { takeSamples } from "./sampler.ts";
import { Settler } from "./settle.ts";
import { wallTickNs } from "./tick.ts";
import type { HarnessContext } from "./types.ts";

/** An anchor kernel: compares the device with itself over time. */
export interface Anchor {
  readonly run: ProbeRun;
  readonly repeats: number;
}

/** What a clock is and how fine. */
export interface Ticks {
  readonly clock: "gpu" | "wall";
  readonly tickNs: number;
}

/** The state behind one harness: device, clock, caches, anchors and what was learned of them; all made when first needed. */
export class Workbench {
  readonly context: HarnessContext;
  readonly executor: Executor;
  readonly cases: CaseCache = new CaseCache();
  /** Of the problem in hand with fewer items: apart, for a cache holds one problem. */
  readonly fewerCases: CaseCache = new CaseCache();
  readonly compiled: CompiledCache;
  readonly planned: PlannedCache;
  /** Known once `ceilings()` has run, here or in the host that told them: the rule against impossible arithmetic needs it. */
  ceilings: Ceilings;
  #gpuTick: Promise<number> | undefined;
  #wallTick: number | undefined;
  readonly #anchors = new Map<Probe["ceiling"], Promise<Anchor | undefined>>();
  #settler: Promise<Settler | undefined> | undefined;

  constructor(context: HarnessContext) {
    this.context = context;
    this.ceilings = context.ceilings ?? {};
    this.executor = new Executor(context.device, context.info.capabilities, { clock: context.clock });
    this.compiled = new CompiledCache(this.executor);
    this.planned = new PlannedCache(context);
  }

  /** Step of the GPU's clock in ns, 0 where timestamps are absent or make no sense. */
  gpuTickNs(): Promise<number> {
    this.#gpuTick ??= readGpuClock(this.context.device, this.context.clock).then((verdict) =>
      verdict.usable ? verdict.tickNs : 0,
    );
    return this.#gpuTick;
  }

  /** The clock that times: the GPU's where it is usable, else (or when asked for) the wall's. */
  async ticks(want: "best" | "wall" = "best"): Promise<Ticks> {
    const gpu = want === "best" ? await this.gpuTickNs() : 0;
    if (gpu > 0) return { clock: "gpu", tickNs: gpu };
    this.#wallTick ??= wallTickNs(this.context.clock);
    return { clock: "wall", tickNs: this.#wallTick };
  }

  /** The anchor that stands for a ceiling; undefined where no probe of that kind runs here. */
  anchor(ceiling: "fma" | "copy"): Promise<Anchor | undefined> {
    const known = this.#anchors.get(ceiling);
    if (known) return known;
    const made = this.#openAnchor(ceiling);
    this.#anchors.set(ceiling, made);
    return made;
  }

  async #openAnchor(ceiling: "fma" | "copy"): Promise<Anchor | undefined> {
    const { clock, tickNs } = await this.ticks();
    for (const probe of this.context.probes) {
      if (probe.ceiling !== ceiling) continue;
      try {
        const run = await openProbe(this.executor, probe, clock, ANCHOR_RUN_MS);
        const { timing } = await takeSamples(run.timeable, {
          clock,
          tickNs,
          time: this.context.clock,
          rule: fixed(1),
        });
        if (await run.verified()) return { run, repeats: timing.repeats };
        run.dispose();
      } catch (error) {
        if (!(error instanceof Fault) || error.kind === "device-lost") throw error;
      }
    }
    return undefined;
  }

  /** Brings the device to its pace before something is timed; nothing to do where no arithmetic anchor runs. */
  async settle(leastMs?: number): Promise<void> {
    await (await this.#pacer())?.settle(leastMs);
  }

  /** Whether the device kept its pace since `settle`. */
  async held(): Promise<boolean> {
    return (await (await this.#pacer())?.held()) ?? true;
  }

  #pacer(): Promise<Settler | undefined> {
    this.#settler ??= this.anchor("fma").then(async (anchor) => {
      if (!anchor) return undefined;
      const { timeable } = anchor.run;
      const once = runMs(await timeable.sample(1));
      const repeats = Math.min(
        MAXIMUM_REPEATS,
        Math.max(1, Math.ceil(SETTLE.burstMs / Math.max(once, 1e-3))),
      );
      const burst = async (): Promise<number> => runMs(await timeable.sample(repeats)) / repeats;
      return new Settler(burst, this.context.clock, this.context.ceilings ? SETTLE.leastMs : SETTLE.warmMs);
    });
    return this.#settler;
  }
}
