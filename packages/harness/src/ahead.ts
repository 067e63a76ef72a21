import type { MeasureRequest, Suite } from "@tunelab/contract";
import type { Workbench } from "./workbench.ts";

/**
 * Compiles the plans of requests side by side, then makes their inputs and oracles, so that measuring them later begins at once. `done`
 * hears of each request by its index when it is compiled. A request that cannot be planned or compiled is passed over: measuring it says
 * what is wrong. Resolves when nothing compiles any more: a timing never runs beside a compiler.
 */
export async function compileAhead(
  bench: Workbench,
  requests: readonly MeasureRequest[],
  done: (index: number) => void,
): Promise<void> {
  const { context } = bench;
  context.onPhase("compile");
  const compile = async (request: MeasureRequest, index: number): Promise<Suite | undefined> => {
    try {
      const suite = await context.suite(request.operation);
      await bench.compiled.prepare(await bench.planned.get(suite, request));
      return suite;
    } catch {
      return undefined; // its own trial finds the same fault, and records it
    } finally {
      done(index);
    }
  };
  const suites = await Promise.all(requests.map(compile));
  // On the processor alone, and once a host: in its own turn the device would wait for it (12 s for a problem with a threshold, an input).
  // No part of compiling: a variant that compiles for 9 s would be over a deadline of 20 s with it, and recorded as the guilty one.
  context.onPhase("verify");
  for (const [index, suite] of suites.entries()) if (suite) makeCases(bench, suite, requests[index]!);
}

function makeCases({ cases }: Workbench, suite: Suite, request: MeasureRequest): void {
  try {
    for (const seed of request.seeds) {
      const { oracle } = cases.get(suite, request.problem, seed);
      oracle.prepare?.({ count: request.oracleSample, seed });
    }
  } catch {
    // As above.
  }
}
