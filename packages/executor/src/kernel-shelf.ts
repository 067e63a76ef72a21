import { flatSteps, type Plan } from "@tunelab/contract";
import { extentsBytes } from "./extents.ts";
import { type Kernel, kernelKey } from "./pipelines.ts";

type Kernels = ReadonlyMap<string, Kernel>;

/** All of a plan that compiling it depends on: the texts, their entries and layouts. The batch takes no part. */
function textKey(plan: Plan): string {
  const entries = new Set<string>();
  for (const step of flatSteps(plan.steps)) {
    if (step.kind === "dispatch" || step.kind === "indirect") entries.add(kernelKey(step));
  }
  const texts = plan.modules.map(({ name, wgsl }) => [name, wgsl]);
  return JSON.stringify([texts, [...entries], extentsBytes(plan)]);
}

/**
 * Compiled kernels by their text, the least recently used dropped beyond `kept`. A failure stays too: the same text would
 * fail again, after seconds.
 */
export class KernelShelf {
  readonly #kept: number;
  readonly #shelf = new Map<string, Promise<Kernels>>();

  constructor(kept: number) {
    this.#kept = kept;
  }

  get(plan: Plan, compile: () => Promise<Kernels>): Promise<Kernels> {
    if (this.#kept === 0) return compile();
    const key = textKey(plan);
    const kernels = this.#shelf.get(key) ?? compile();
    this.#shelf.delete(key);
    this.#shelf.set(key, kernels);
    const [oldest] = this.#shelf.keys();
    if (this.#shelf.size > this.#kept && oldest !== undefined) this.#shelf.delete(oldest);
    return kernels;
  }

  clear(): void {
    this.#shelf.clear();
  }
}
