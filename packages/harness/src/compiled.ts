import type { Executor, Prepared } from "@tunelab/executor";
import { COMPILED_KEPT } from "./protocol.ts";
import type { Subject } from "./subject.ts";

/** Compiled plans by their hash, the least recently used dropped first; pipelines alone, no buffers. */
export class CompiledCache {
  readonly #executor: Pick<Executor, "prepare">;
  readonly #compiled = new Map<string, Prepared>();

  constructor(executor: Pick<Executor, "prepare">) {
    this.#executor = executor;
  }

  /** The plan compiled, now or before. What fails to compile is not kept: asked for again, it fails again in its own words. */
  async prepare({ plan, planHash }: Pick<Subject, "plan" | "planHash">): Promise<Prepared> {
    const known = this.#compiled.get(planHash);
    const prepared = known ?? (await this.#executor.prepare(plan));
    this.#compiled.delete(planHash);
    this.#compiled.set(planHash, prepared);
    const oldest = this.#compiled.keys().next();
    if (this.#compiled.size > COMPILED_KEPT && !oldest.done) this.#compiled.delete(oldest.value);
    return prepared;
  }
}
