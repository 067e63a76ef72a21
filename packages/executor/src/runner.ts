import type { Plan, Step } from "@tunelab/contract";
import { passesOf, repeatingOf } from "./budgets.ts";
import type { BatchCut } from "./cut.ts";
import { StepEncoder } from "./encode.ts";
import { Extents } from "./extents.ts";
import type { Host } from "./host.ts";
import type { LoopRun } from "./loop.ts";
import type { Memory } from "./memory.ts";
import type { PassWriter } from "./passes.ts";
import type { Kernel } from "./pipelines.ts";
import type { Submitter } from "./submitter.ts";
import type { Budgets, PassTime } from "./types.ts";
import type { Watch } from "./watch.ts";

/** A bound plan as the runner sees it. */
export interface Bound {
  readonly host: Host;
  readonly plan: Plan;
  readonly kernels: ReadonlyMap<string, Kernel>;
  readonly memory: Memory;
  readonly watch: Watch;
  readonly budgets: Budgets;
  /** What a model expects an item to cost at most, for the first run. */
  readonly expectedMsPerItem: number | undefined;
  /** Whether the device's compute units are known, so that fewer items than the cut's fewest never pay. */
  readonly known: boolean;
  /** The cut for a known cost of an item, or by hard limits alone. */
  cutFor(msPerItem: number | undefined): BatchCut;
}

/** Drives the steps of a bound plan through its pieces. */
export class Runner {
  readonly #bound: Bound;
  readonly #extents: Extents;
  readonly #steps: StepEncoder;
  #cut: BatchCut;
  /** Cost of an item as told or measured; unknown before the first run. */
  #msPerItem: number | undefined;
  /**
   * Cost of an item in one pass of each loop and repeated step, told with the item's or as a run showed: the longest is what must be
   * submitted together, so that sweeps are split before batches.
   */
  readonly #passMs = new Map<Step, number>();

  constructor(bound: Bound, msPerItem: number | undefined) {
    const { host, plan, kernels, memory, watch } = bound;
    this.#bound = bound;
    this.#msPerItem = msPerItem;
    if (msPerItem !== undefined) this.#tell(msPerItem);
    this.#cut = bound.cutFor(this.#together);
    this.#extents = new Extents(host.device, plan, memory, host.limits, this.#cut.pieces);
    this.#steps = new StepEncoder(
      host.device,
      plan,
      kernels,
      memory,
      host.limits,
      watch,
      this.#extents.buffer,
    );
    if (msPerItem !== undefined || !this.#cuttable) this.#ensureScratch(this.#cut.cut.itemsPerPiece);
  }

  get cut(): BatchCut {
    return this.#cut;
  }

  get msPerItem(): number | undefined {
    return this.#msPerItem;
  }

  /** Whether the next repeat will measure what an item costs. */
  get learns(): boolean {
    return this.#msPerItem === undefined;
  }

  /** `told`: by the caller, so that costs of loops are to be derived from it; else they were measured with it. */
  recut(msPerItem: number, told = true): void {
    if (told) this.#tell(msPerItem);
    this.#msPerItem = msPerItem;
    const cut = this.#bound.cutFor(this.#together);
    const same = cut.cut.itemsPerPiece === this.#cut.cut.itemsPerPiece;
    this.#cut = cut;
    if (!same) {
      this.#extents.layOut(cut.pieces);
      this.#steps.rebind(this.#extents.buffer);
    }
    // Also where the cut stays: learning ran small pieces, so the scratch may still be theirs.
    this.#ensureScratch(cut.cut.itemsPerPiece);
  }

  /** Every run of a loop has an interval's iterations at least: so much of an item's cost is the most that one may be. */
  #tell(msPerItem: number): void {
    for (const step of repeatingOf(this.#bound.plan)) this.#passMs.set(step, msPerItem / passesOf(step));
  }

  /** Cost of an item in the longest part of the plan that must be submitted together; undefined before it is known. */
  get #together(): number | undefined {
    return this.#passMs.size > 0 ? Math.max(...this.#passMs.values()) : this.#msPerItem;
  }

  /** Encodes the once-steps. */
  once(submitter: Submitter): void {
    const piece = { first: 0, items: this.#bound.plan.batch.items };
    const extentsOffset = this.#extents.passing(piece);
    for (const step of this.#bound.plan.steps) {
      if (step.kind !== "once") continue;
      for (const inner of step.steps) {
        this.#steps.encode(submitter.writer, inner, { piece, repeat: 0, extentsOffset, recurs: false });
      }
    }
  }

  /** Runs the batch once more; false when a loop reached its bound. Times of passes that it waits for go to `passes`. */
  repeat(submitter: Submitter, repeat: number, passes: PassTime[]): Promise<boolean> {
    this.#restore(() => submitter.writer);
    return this.learns ? this.#learn(submitter, repeat, passes) : this.#runPieces(submitter, repeat);
  }

  /** Encodes one run of a plan without host-driven loops. */
  encode(writer: PassWriter): void {
    this.#ensureScratch(this.#cut.cut.itemsPerPiece);
    this.#restore(() => writer);
    for (const [index, piece] of this.#cut.pieces.entries()) {
      for (const step of this.#bound.plan.steps) {
        if (step.kind === "once" || step.kind === "loop") continue;
        for (let pass = 0; pass < passesOf(step); pass++) {
          const extentsOffset = this.#extents.recurring(index, pass);
          for (const inner of step.kind === "repeat" ? step.steps : [step]) {
            this.#steps.encode(writer, inner, { piece, repeat: 0, extentsOffset, recurs: true });
          }
        }
      }
    }
    writer.end();
  }

  /** Items that a piece takes the time of: a few on a device with many compute units take as long as one a unit. */
  #weight(items: number): number {
    return this.#bound.known ? Math.max(items, this.#cut.fewest) : items;
  }

  get #cuttable(): boolean {
    return this.#cut.unit < this.#bound.plan.batch.items;
  }

  #ensureScratch(items: number): void {
    if (this.#bound.memory.ensureScratch(items)) this.#steps.rebind(this.#extents.buffer);
  }

  /** Restores inout ports and zeroes probes, outside passes. */
  #restore(writer: () => PassWriter): void {
    const { memory, plan } = this.#bound;
    if (memory.restores) memory.restore(writer().command());
    for (const spec of plan.buffers) {
      if (spec.role === "probe") writer().command().clearBuffer(memory.get(spec.name));
    }
  }

  async #runPieces(submitter: Submitter, repeat: number): Promise<boolean> {
    let converged = true;
    for (const [index, piece] of this.#cut.pieces.entries()) {
      await submitter.reserve(
        (this.#together ?? 0) * this.#weight(piece.items),
        this.#bound.budgets.submitMs,
      );
      const extentsOf = (pass: number): number => this.#extents.recurring(index, pass);
      const done = await this.#runPiece({ submitter, piece, repeat, extentsOf, recurs: true });
      converged &&= done;
    }
    return converged;
  }

  /** One repeat of a kernel of unknown cost, by a chunk of its own: pages with a table of their own never load it. */
  async #learn(submitter: Submitter, repeat: number, passes: PassTime[]): Promise<boolean> {
    const { learn } = await import("./learn.ts");
    const { cheapest, converged } = await learn(submitter, passes, {
      bound: this.#bound,
      cut: this.#cut,
      cuttable: this.#cuttable,
      weight: (items) => this.#weight(items),
      run: (piece) => {
        const offset = this.#bound.watch.calls(() => {
          this.#ensureScratch(piece.items);
          return this.#extents.passing(piece);
        });
        const extentsOf = (pass: number): number =>
          pass === 0 ? offset : this.#extents.iteration(pass, piece, pass);
        return this.#runPiece({ submitter, piece, repeat, extentsOf, recurs: false });
      },
      togetherMs: () => (this.#passMs.size > 0 ? this.#together : undefined),
    });
    this.#bound.watch.calls(() => this.recut(cheapest, false));
    return converged;
  }

  async #runPiece(run: LoopRun): Promise<boolean> {
    const { submitter, piece, repeat, recurs, extentsOf } = run;
    let converged = true;
    for (const step of this.#bound.plan.steps) {
      if (step.kind === "once") continue;
      if (step.kind !== "loop" && step.kind !== "repeat") {
        this.#steps.encode(submitter.writer, step, { piece, repeat, extentsOffset: extentsOf(0), recurs });
        continue;
      }
      // A chunk of its own for pages: most plans repeat nothing.
      const { runPasses } = await import("./loop.ts");
      const cost = { known: this.#passMs.get(step), items: this.#weight(piece.items) };
      const [done, ms] = await runPasses(step, run, this.#bound, this.#extents, this.#steps, cost);
      converged &&= done;
      if (!this.#passMs.has(step)) this.#passMs.set(step, ms);
    }
    return converged;
  }
}
