import type { Domain } from "../domain.ts";
import type { Candidate } from "../strategy.ts";
import type { Encoding } from "./encode.ts";

/** A candidate under consideration. */
export interface Prospect {
  readonly candidate: Candidate;
  readonly x: Float64Array;
  /** Not proposed and not observed yet. */
  open: boolean;
}

/** The candidates that the model chooses among: all of a small space, random ones and neighbours of the best of a large one. */
export class Pool {
  readonly #domain: Domain;
  readonly #encoding: Encoding;
  readonly #size: number;
  #prospects: Prospect[] = [];
  #places = new Map<string, number>();

  constructor(domain: Domain, encoding: Encoding, size: number) {
    this.#domain = domain;
    this.#encoding = encoding;
    this.#size = size;
  }

  get prospects(): readonly Prospect[] {
    return this.#prospects;
  }

  /** Drops what was met and draws new candidates up to the size. Changes places. */
  refresh(): void {
    this.#prospects = this.#prospects.filter(({ open }) => open);
    this.#places = new Map(
      this.#prospects.map(({ candidate }, place) => [this.#domain.key(candidate), place]),
    );
    while (this.#prospects.length < this.#size) {
      const candidate = this.#domain.fresh();
      if (!candidate) return;
      this.add(candidate);
    }
  }

  /** Takes in a candidate; undefined when it is here already or was met before. */
  add(candidate: Candidate): Prospect | undefined {
    const key = this.#domain.key(candidate);
    if (this.#places.has(key) || this.#domain.hasMet(candidate)) return undefined;
    const x = this.#encoding.encode(candidate);
    const prospect = { candidate, x, open: true };
    this.#places.set(key, this.#prospects.length);
    this.#prospects.push(prospect);
    return prospect;
  }

  /** Takes a candidate out of the choice. */
  close(candidate: Candidate): void {
    const place = this.#places.get(this.#domain.key(candidate));
    if (place !== undefined) this.#prospects[place]!.open = false;
  }
}
