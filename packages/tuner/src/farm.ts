import type { MeasureRequest, TrialOutcome } from "@tunelab/contract";
import type { Bench } from "@tunelab/devices/protocol";
import type { TuneClock } from "./types.ts";

/** A host of its own that compiles for the one that times: what it leaves is the driver's cache on disk. */
export type Compiler = Pick<Bench, "compile">;

/**
 * Variants that may be compiled and wait to be timed, beside one in each compiler's hands. A strategy proposes so many without having
 * seen what came of the last ones; with none the compilers would stand idle whenever several finish together.
 */
export const READY = 8;

/**
 * Compilers are worth having when the timing host takes less than this part of the time that they took for the same variants. An
 * H200's driver keeps a cache on disk: 2.2 s for 18 variants instead of 16.9 s. Without such a cache everything is compiled twice.
 */
const WORTH = 0.5;

/** Variants looked at before compilers are given up. */
const LOOKS = 16;

/** What compiling elsewhere came to: its time in ms, 0 when nobody did it; and the outcome when it ended the compiler's host. */
export interface Elsewhere {
  readonly ms: number;
  readonly outcome?: TrialOutcome;
}

const NOBODY: Elsewhere = { ms: 0 };

interface Job {
  readonly request: MeasureRequest;
  readonly done: (elsewhere: Elsewhere) => void;
}

/**
 * Compilers that work while something is timed, a variant each at a time, first come first served: so whoever hangs or crashes one
 * is known, and no driver lock is shared. A compiler that cannot go on leaves; without any, jobs resolve to nobody's.
 */
export class Farm {
  readonly #clock: Pick<TuneClock, "now">;
  readonly #jobs: Job[] = [];
  #idle: Compiler[] = [];
  #present = 0;
  #opened = false;
  #known = new Map<string, Promise<Elsewhere>>();
  readonly #looks: { readonly own: number; readonly theirs: number }[] = [];

  /** `opening` brings the compilers; what goes wrong there is the caller's to tell, here it means none. */
  constructor(opening: Promise<readonly Compiler[]>, clock: Pick<TuneClock, "now">) {
    this.#clock = clock;
    void opening.then(
      (compilers) => this.#open(compilers),
      () => this.#open([]),
    );
  }

  #open(compilers: readonly Compiler[]): void {
    this.#opened = true;
    this.#idle = [...compilers];
    this.#present = compilers.length;
    this.#deal();
  }

  /** Variants that are being compiled or wait to be timed, at most. Before the compilers have come it is not known how many they are. */
  get room(): number {
    return this.#present + READY;
  }

  /** Whether anybody compiles here, and the timing host gains by it. */
  get useful(): boolean {
    if (this.#opened && this.#present === 0) return false;
    if (this.#looks.length < LOOKS) return true;
    const sum = (key: "own" | "theirs"): number => this.#looks.reduce((total, look) => total + look[key], 0);
    return sum("own") < WORTH * sum("theirs");
  }

  /** What a variant took to compile, in ms: the timing host `own`, and the compiler before it. */
  look(own: number, theirs: number): void {
    if (theirs > 0 && this.#looks.length < LOOKS) this.#looks.push({ own, theirs });
  }

  /** Compiles a plan, by its hash once only. Never rejects. */
  compile(hash: string, request: MeasureRequest): Promise<Elsewhere> {
    const known = this.#known.get(hash);
    if (known) return known;
    const job = new Promise<Elsewhere>((done) => this.#jobs.push({ request, done }));
    this.#known.set(hash, job);
    this.#deal();
    return job;
  }

  /** Drops what nobody has begun: another problem comes. */
  forget(): void {
    for (const { done } of this.#jobs.splice(0)) done(NOBODY);
    this.#known = new Map();
  }

  #deal(): void {
    if (this.#opened && this.#present === 0) this.forget();
    while (this.#idle.length > 0 && this.#jobs.length > 0) {
      void this.#work(this.#idle.shift()!, this.#jobs.shift()!);
    }
  }

  async #work(compiler: Compiler, { request, done }: Job): Promise<void> {
    const before = this.#clock.now();
    try {
      const { guilty } = await compiler.compile([request]);
      const ms = this.#clock.now() - before;
      done(guilty ? { ms, outcome: guilty.outcome } : { ms });
      this.#idle.push(compiler);
    } catch {
      // Its host cannot be started any more: the timing host compiles, and says so itself if the device is gone.
      this.#present -= 1;
      done(NOBODY);
    }
    this.#deal();
  }
}
