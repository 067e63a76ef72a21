import type { MeasureRequest } from "@tunelab/contract";
import { algorithmOf, planSubject } from "./subject.ts";
import type { Workbench } from "./workbench.ts";

/**
 * Compiles the plans of requests side by side and makes their inputs, so that measuring them later begins at once. `done` hears of each request by its
 * index as it is dealt with. A request that cannot be planned or compiled is passed over: measuring it says what is wrong.
 * Resolves when nothing compiles any more: a timing never runs beside a compiler.
 */
export async function compileAhead(
  bench: Workbench,
  requests: readonly MeasureRequest[],
  done: (index: number) => void,
): Promise<void> {
  const { context } = bench;
  context.onPhase("compile");
  const one = async (request: MeasureRequest, index: number): Promise<void> => {
    try {
      const suite = await context.suite(request.operation);
      const algorithm = await algorithmOf(suite, request);
      const subject = await planSubject(suite, algorithm, request, context.info.capabilities);
      await bench.compiled.prepare(subject);
      // On the processor alone, and once a host: in its own turn the device would wait for it (12 s for a problem with a threshold).
      for (const seed of request.seeds) {
        const { oracle } = bench.cases.get(suite, request.problem, seed);
        oracle.prepare?.({ count: request.oracleSample, seed });
      }
    } catch {
      // Its own trial finds the same fault, and records it.
    }
    done(index);
  };
  await Promise.all(requests.map(one));
}
