import { canonicalJson, type MeasureRequest, type Suite } from "@tunelab/contract";
import { COMPILED_KEPT } from "./protocol.ts";
import { algorithmOf, planSubject, type Subject } from "./subject.ts";
import type { HarnessContext } from "./types.ts";

/**
 * Requests worked out, the oldest dropped first: what was compiled ahead is not planned a second time in its own turn, when the device
 * waits. Planning an unrolled kernel of 2048 points takes 5 to 8 ms, and beside an H200 15% of an exhaustive pass went that way.
 */
export class PlannedCache {
  readonly #context: HarnessContext;
  readonly #planned = new Map<string, Promise<Subject>>();

  constructor(context: HarnessContext) {
    this.#context = context;
  }

  /** Of the host's own operations. @throws Fault as `algorithmOf` and `planSubject`; a refusal is not kept. */
  get(suite: Suite, request: MeasureRequest): Promise<Subject> {
    const { operation, algorithm, problem, config, altered } = request;
    const key = canonicalJson({ operation, algorithm, problem, config, altered });
    const known = this.#planned.get(key);
    if (known) return known;
    const fresh = this.#plan(suite, request);
    this.#planned.set(key, fresh);
    fresh.catch(() => this.#planned.delete(key));
    const oldest = this.#planned.keys().next();
    if (this.#planned.size > COMPILED_KEPT && !oldest.done) this.#planned.delete(oldest.value);
    return fresh;
  }

  async #plan(suite: Suite, request: MeasureRequest): Promise<Subject> {
    const algorithm = await algorithmOf(suite, request);
    return planSubject(suite, algorithm, request, this.#context.info.capabilities);
  }
}
