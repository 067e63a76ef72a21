import {
  Fault,
  type PairRequest,
  type Problem,
  type ProfileName,
  type Side,
  type SideReport,
  type Suite,
} from "@tunelab/contract";
import { type BindOptions, type BoundPorts, Executor, type Instance, type Prepared } from "@tunelab/executor";
import { CaseCache } from "../cases.ts";
import { faultAt, type Stage, statusOf } from "../failures.ts";
import { variantLabel } from "../label.ts";
import { algorithmOf, planSubject, type Subject } from "../subject.ts";
import type { Workbench } from "../workbench.ts";
import { type Apart, codeApart } from "./apart.ts";
import { ownFault, type SideModule } from "./module.ts";
import { exposed } from "./parity.ts";

/** A side's variant planned and compiled for one problem. */
export interface Compiled {
  readonly subject: Subject;
  readonly prepared: Prepared;
}

/** Where a side runs: an executor on the device of its profile. */
export interface Place {
  readonly executor: Executor;
  readonly device: GPUDevice;
  /** The device's profile; undefined is the host's own. */
  readonly profile: ProfileName | undefined;
}

/** The place of a side: the host's executor, unless the request wants another profile's device or the commit's own executor. */
export async function placeOf(
  bench: Workbench,
  { sides, executor }: PairRequest,
  side: Side,
  module: SideModule,
): Promise<Place> {
  const { context } = bench;
  const { profile } = sides[side].source;
  const other = profile !== undefined && profile !== (context.profile ?? "portable") ? profile : undefined;
  const own = executor === "own" ? module.Executor : undefined;
  if (other === undefined && !own)
    return { executor: bench.executor, device: context.device, profile: undefined };
  if (other !== undefined && !context.openProfile)
    throw new Fault(
      "unsupported",
      `this host cannot open the profile ${other} beside its own: compare with --method reference`,
    );
  const { device, info } = other === undefined ? context : await context.openProfile!(other);
  const Made = own ?? Executor;
  return { executor: new Made(device, info.capabilities, { clock: context.clock }), device, profile: other };
}

/** One side of a pair: its code, the executor it runs on, and what became of it so far. */
export class Seat {
  readonly side: Side;
  readonly module: SideModule;
  readonly request: PairRequest;
  readonly cases: CaseCache = new CaseCache();
  readonly #bench: Workbench;
  readonly #place: Place;
  report: SideReport;

  constructor(bench: Workbench, side: Side, module: SideModule, request: PairRequest, place: Place) {
    this.#bench = bench;
    this.side = side;
    this.module = module;
    this.request = request;
    this.#place = place;
    const { algorithm, config } = request.sides[side];
    this.report = { status: "ok", variant: variantLabel(algorithm, config), planHash: "", seeds: [] };
  }

  get suite(): Suite {
    return this.module.suite;
  }

  /** Whether nothing has gone wrong with it yet. */
  get sound(): boolean {
    return this.report.status === "ok";
  }

  get #apart(): Apart {
    return { side: this.side, placement: this.request.placement ?? 0 };
  }

  /** The profile it runs under, where that is not the host's. */
  get profile(): ProfileName | undefined {
    return this.#place.profile;
  }

  /** The device that its variant runs on. */
  get device(): GPUDevice {
    return this.#place.device;
  }

  /** Whether it has a plan and nothing has gone wrong. */
  get planned(): boolean {
    return this.sound && this.report.planHash !== "";
  }

  /** Says aloud whose code runs next, so that the guilty side is known if the host does not survive it. */
  announce(): void {
    const { variant, planHash } = this.report;
    this.#bench.context.onSide?.(this.side, { variant, planHash });
  }

  note(more: Partial<SideReport>): void {
    this.report = { ...this.report, ...more };
  }

  fail(status: SideReport["status"], reason: string): void {
    this.note({ status, reason });
  }

  /**
   * Runs a piece of the side's work. What it throws becomes its status and resolves to undefined. Rejects with faults that are
   * not the side's own (the machine's, the suite's), and with a lost device, on which the other side could not run either.
   */
  async attempt<T>(stage: Stage, work: () => Promise<T>): Promise<T | undefined> {
    this.announce();
    try {
      return await work();
    } catch (error) {
      const fault = faultAt(ownFault(error), stage);
      const status = statusOf(fault, stage);
      if (status === undefined) throw fault;
      this.fail(status, fault.message);
      if (status === "device-lost") throw fault;
      return undefined;
    }
  }

  /** Plans and compiles the variant for a problem, apart from other sides and placements. @throws Fault as the harness's own trials do. */
  async compile(problem: Problem, apart: Apart = this.#apart): Promise<Compiled> {
    const { algorithm: name, config } = this.request.sides[this.side];
    const algorithm = await algorithmOf(this.suite, { algorithm: name });
    const { capabilities } = this.#place.executor;
    const subject = await planSubject(this.suite, algorithm, { problem, config }, capabilities);
    const plan = codeApart(exposed(subject.plan), apart);
    const prepared = await this.#place.executor.prepare(plan);
    return { subject, prepared };
  }

  /** Plans alone, to learn the variant's name and hash before anything is compiled. */
  async plan(): Promise<Subject> {
    const { algorithm: name, config } = this.request.sides[this.side];
    const algorithm = await algorithmOf(this.suite, { algorithm: name });
    const { problem } = this.request;
    this.note({ variant: variantLabel(name, config, algorithm.space(problem)) });
    const subject = await planSubject(
      this.suite,
      algorithm,
      { problem, config },
      this.#place.executor.capabilities,
    );
    this.note({ planHash: subject.planHash });
    return subject;
  }

  /** Binds inputs, or buffers that hold them; the instance as it is timed may be a test's, whose clock is driven. */
  async bind({ prepared }: Compiled, inputs: BoundPorts, options: BindOptions = {}): Promise<Instance> {
    const instance = await prepared.bind(inputs, options);
    return this.#bench.context.instrument?.(instance, prepared.plan) ?? instance;
  }

  dispose(): void {
    if (this.#place.executor !== this.#bench.executor) this.#place.executor.dispose();
  }
}
