/** What was wrong with a run, by kind: the first case in words, and how many there were. */
export interface KernelFault {
  /**
   * - `race`: between two barriers one thread read what another wrote. `overlap`: two threads wrote one word.
   * - `outside`: an index past the end. `unwritten`: a read of workgroup memory that nobody had written.
   * - `divergence`: a barrier that not every thread of the workgroup reached.
   */
  readonly kind: "race" | "overlap" | "outside" | "unwritten" | "divergence";
  readonly first: string;
  readonly count: number;
}

/** Collects faults by kind. */
export class FaultLog {
  readonly #faults = new Map<KernelFault["kind"], { first: string; count: number }>();

  add(kind: KernelFault["kind"], first: () => string): void {
    const known = this.#faults.get(kind);
    if (known) known.count++;
    else this.#faults.set(kind, { first: first(), count: 1 });
  }

  list(): readonly KernelFault[] {
    return [...this.#faults].map(([kind, fault]) => ({ kind, ...fault }));
  }
}

/** Stands for more than one reader: whoever writes then is not the only one. */
const SEVERAL = -2;

/** Words of one variable, with what the rules of the memory model say about each access. */
export class TrackedMemory {
  readonly name: string;
  readonly words: Float32Array | Uint32Array;
  readonly reads: Uint32Array;
  readonly writes: Uint32Array;
  readonly #shared: boolean;
  readonly #log: FaultLog;
  readonly #writer: Int32Array;
  readonly #reader: Int32Array;
  readonly #writtenIn: Int32Array;
  readonly #readIn: Int32Array;

  /** `shared`: workgroup memory, whose accesses barriers order; else storage, where a word has one writer for good. */
  constructor(name: string, words: Float32Array | Uint32Array, shared: boolean, log: FaultLog) {
    this.name = name;
    this.words = words;
    this.#shared = shared;
    this.#log = log;
    const size = words.length;
    this.reads = new Uint32Array(size);
    this.writes = new Uint32Array(size);
    this.#writer = new Int32Array(size).fill(-1);
    this.#reader = new Int32Array(size).fill(-1);
    this.#writtenIn = new Int32Array(size).fill(-1);
    this.#readIn = new Int32Array(size).fill(-1);
  }

  /** A new workgroup begins: its workgroup memory has no contents. */
  forget(): void {
    this.writes.fill(0);
    this.#writtenIn.fill(-1);
    this.#readIn.fill(-1);
  }

  inside(at: number): boolean {
    if (at >= 0 && at < this.words.length) return true;
    this.#log.add("outside", () => `${this.name}: word ${at} of ${this.words.length}`);
    return false;
  }

  read(at: number, thread: number, epoch: number): number {
    if (!this.inside(at)) return 0;
    this.reads[at]!++;
    if (this.#shared) {
      if (this.writes[at] === 0) {
        this.#log.add(
          "unwritten",
          () => `thread ${thread} reads ${this.name} word ${at} before anyone wrote it`,
        );
      }
      const writer = this.#writer[at]!;
      if (this.#writtenIn[at] === epoch && writer !== thread) {
        this.#log.add(
          "race",
          () =>
            `thread ${thread} reads ${this.name} word ${at} that thread ${writer} writes, no barrier between`,
        );
      }
      const another = this.#readIn[at] === epoch && this.#reader[at] !== thread;
      this.#reader[at] = another ? SEVERAL : thread;
      this.#readIn[at] = epoch;
    }
    return this.words[at]!;
  }

  write(at: number, value: number, thread: number, epoch: number): void {
    if (!this.inside(at)) return;
    const [writer, reader] = [this.#writer[at]!, this.#reader[at]!];
    const again = this.#shared ? this.#writtenIn[at] === epoch : this.writes[at]! > 0;
    if (again && writer !== thread) {
      this.#log.add("overlap", () => `threads ${writer} and ${thread} both write ${this.name} word ${at}`);
    }
    if (this.#shared && this.#readIn[at] === epoch && reader !== thread) {
      this.#log.add(
        "race",
        () =>
          `thread ${thread} writes ${this.name} word ${at} that thread ${reader} reads, no barrier between`,
      );
    }
    this.writes[at]!++;
    this.#writer[at] = thread;
    this.#writtenIn[at] = epoch;
    this.words[at] = value;
  }

  /** Atomic accesses order themselves. */
  atomic(at: number, change: (old: number) => number): number {
    if (!this.inside(at)) return 0;
    const old = this.words[at]!;
    this.words[at] = change(old);
    this.writes[at]!++;
    return old;
  }
}
