import { requestFor } from "./request.ts";
import type { Screened } from "./screened.ts";
import type { SearchContext } from "./search-context.ts";

/** Times what compiling a variant took elsewhere that it may take here, where it is one of several: more is not begun. */
const COMPILE_SLACK = 2;

/**
 * What the host that times has compiled while compilers timed what they had: certifying it costs no compiling, and certified rows
 * come from one process. One at a time, the best first; each took the device 0.4 to 14 s in the middle of everything before.
 */
export class AtHand {
  readonly #context: SearchContext;
  readonly #compiled = new Set<string>();
  readonly #begun = new Set<string>();
  #busy = false;

  constructor(context: SearchContext) {
    this.#context = context;
  }

  has({ hash }: Screened): boolean {
    return this.#compiled.has(hash);
  }

  /** Begins with the first of `rows`, the best first, that is not at hand, unless it is at another; `end`: when it has to be done. */
  begin(rows: readonly Screened[], end: number): void {
    const { clock, recorder, farm } = this.#context;
    if (this.#busy || !farm?.useful) return;
    const leftMs = end - clock.now();
    const one = rows.find(
      ({ hash, certified, trial }) =>
        !certified && !this.#begun.has(hash) && (trial.compileMs ?? 0) * COMPILE_SLACK < leftMs,
    );
    if (!one) return;
    this.#busy = true;
    this.#begun.add(one.hash);
    const request = requestFor(this.#context, one, "certified", one.isDefault);
    void recorder.compileBeside(request, leftMs).then((isCompiled) => {
      this.#busy = false;
      if (isCompiled) this.#compiled.add(one.hash);
    });
  }
}
