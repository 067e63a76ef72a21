import type { MeasurePhase, MeasureRequest, TrialOutcome } from "@tunelab/contract";
import { type Bench, OutOfTime } from "@tunelab/devices/protocol";
import { MOST_AHEAD } from "./budget.ts";

/** A host of its own that compiles while another times, and times what it has compiled when its turn comes. */
export type Compiler = Pick<Bench, "compile" | "measure" | "onPhase" | "onRestart">;

/**
 * Variants that wait for a compiler, beside one in each compiler's hands: as many as a strategy proposes while one is timed, so that
 * a compiler that comes free has its next at once. More would only be proposed knowing less.
 */
export const QUEUED = 4;

/** A compiler that has compiled a variant and does nothing else until it is released. */
export interface Held {
  readonly measure: Compiler["measure"];
  readonly release: () => void;
}

/** What compiling elsewhere came to: the compiler that holds the code, unless nobody does; or the outcome that ended its host. */
export interface Elsewhere {
  readonly held?: Held;
  readonly outcome?: TrialOutcome;
}

const NOBODY: Elsewhere = {};

interface Job {
  readonly request: MeasureRequest;
  readonly done: (elsewhere: Elsewhere) => void;
}

/** Whom a farm tells what its compilers do. */
export interface FarmListener {
  /** The phase of the one that is timing. */
  readonly phase: (phase: MeasurePhase) => void;
  readonly restart: (reason: string, request: MeasureRequest | undefined) => void;
}

/**
 * Compilers that work while something is timed, a variant each at a time, first come first served: so whoever hangs or crashes one
 * is known, and no driver lock is shared. Who has compiled a variant holds it until its turn on the device, and times it: another
 * process would have to compile it again. (An H200's driver keeps its cache on disk for the next session; between 15 living processes
 * it did not serve: a host that "took" 18 ready variants from it compiled for 6 s, and seven dear ones for 11 s.)
 * A compiler that cannot go on leaves; without any, jobs resolve to nobody's.
 */
export class Farm {
  readonly #listener: FarmListener;
  readonly #jobs: Job[] = [];
  readonly #held = new Set<Held>();
  #idle: Compiler[] = [];
  #present = 0;
  #opened = false;
  #known = new Map<string, Promise<Elsewhere>>();
  #timing: Compiler | undefined;
  /** Counts the problems: what is compiled for one before is held by nobody. */
  #problem = 0;

  /** `opening` brings the compilers; what goes wrong there is the caller's to tell, here it means none. */
  constructor(opening: Promise<readonly Compiler[]>, listener: FarmListener) {
    this.#listener = listener;
    void opening.then(
      (compilers) => this.#open(compilers),
      () => this.#open([]),
    );
  }

  #open(compilers: readonly Compiler[]): void {
    this.#opened = true;
    this.#idle = [...compilers];
    this.#present = compilers.length;
    for (const compiler of compilers) {
      compiler.onRestart(this.#listener.restart);
      compiler.onPhase((phase) => {
        if (this.#timing === compiler) this.#listener.phase(phase);
      });
    }
    this.#deal();
  }

  /** Variants that wait for a compiler, are compiled or wait to be timed, at most. Before they have come most compilers are expected. */
  get room(): number {
    return (this.#opened ? this.#present : MOST_AHEAD) + QUEUED;
  }

  /** Whether anybody compiles here, or will. */
  get useful(): boolean {
    return !this.#opened || this.#present > 0;
  }

  /** Compiles a plan, by its hash once only. Never rejects. Whoever gets a compiler that holds it releases that. */
  compile(hash: string, request: MeasureRequest): Promise<Elsewhere> {
    const known = this.#known.get(hash);
    if (known) return known;
    const job = new Promise<Elsewhere>((done) => this.#jobs.push({ request, done }));
    this.#known.set(hash, job);
    this.#deal();
    return job;
  }

  /** Drops what nobody has begun, and lets go what is held: another problem comes. */
  forget(): void {
    this.#problem++;
    for (const { done } of this.#jobs.splice(0)) done(NOBODY);
    this.#known = new Map();
    for (const held of [...this.#held]) held.release();
  }

  #deal(): void {
    if (this.#opened && this.#present === 0) this.forget();
    while (this.#idle.length > 0 && this.#jobs.length > 0) {
      void this.#work(this.#idle.shift()!, this.#jobs.shift()!);
    }
  }

  async #work(compiler: Compiler, { request, done }: Job): Promise<void> {
    const problem = this.#problem;
    try {
      const { guilty } = await compiler.compile([request]);
      if (!guilty && problem === this.#problem) return done({ held: this.#hold(compiler) });
      done(guilty ? { outcome: guilty.outcome } : NOBODY);
      this.#idle.push(compiler);
    } catch {
      // Its host cannot be started any more: the timing host compiles, and says so itself if the device is gone.
      this.#present -= 1;
      done(NOBODY);
    }
    this.#deal();
  }

  #hold(compiler: Compiler): Held {
    let isGone = false;
    const held: Held = {
      measure: async (request, limitMs) => {
        this.#timing = compiler;
        try {
          return await compiler.measure(request, limitMs);
        } catch (error) {
          // As when it compiles: a host that was only given up is replaced, one that cannot be started any more is not.
          isGone = !(error instanceof OutOfTime);
          throw error;
        } finally {
          this.#timing = undefined;
        }
      },
      release: () => {
        if (!this.#held.delete(held)) return;
        if (isGone) this.#present -= 1;
        else this.#idle.push(compiler);
        this.#deal();
      },
    };
    this.#held.add(held);
    return held;
  }
}
