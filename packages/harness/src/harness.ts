import { measureTrip } from "@tunelab/executor/trip";
import { compileAhead } from "./ahead.ts";
import { measureCeilings } from "./ceilings.ts";
import { raceField } from "./field.ts";
import { measureVariant } from "./measure.ts";
import { measureNoise } from "./noise.ts";
import type { SideLoader } from "./pair/module.ts";
import { measurePair } from "./pair/pair.ts";
import { routesOf } from "./pair/route.ts";
import type { Harness, HarnessContext } from "./types.ts";
import { Workbench } from "./workbench.ts";

/** A harness on one device. Requests run one after another: two at once would time each other. */
export function createHarness(context: HarnessContext): Harness {
  const bench = new Workbench(context);
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = queue.then(work);
    queue = turn.catch(() => {});
    return turn;
  };
  const quietly = <T>(work: () => Promise<T>): Promise<T> =>
    inTurn(() => work().finally(() => context.onPhase("idle")));
  const load: SideLoader = context.side ?? (async (_source, name) => ({ suite: await context.suite(name) }));
  return {
    tickNs: () => inTurn(() => bench.gpuTickNs()),
    compile: (requests, done) => quietly(() => compileAhead(bench, requests, done)),
    race: (request, turn) => quietly(() => raceField(bench, request, turn)),
    measure: (request) => inTurn(() => measureVariant(bench, request)),
    ceilings: (kinds) =>
      quietly(async () => {
        await bench.settle();
        const found = await measureCeilings(bench, kinds);
        if (!kinds) bench.ceilings = found;
        return found;
      }),
    noise: (samples) => quietly(() => measureNoise(bench, samples)),
    trip: () =>
      quietly(() => {
        context.onPhase("measure");
        return measureTrip(context.device, () => context.clock.now());
      }),
    routes: (request) =>
      quietly(async () => {
        context.onPhase("plan");
        const module = await load(request.source, request.operation);
        return routesOf(module, request, context.info, context.profile ?? "portable");
      }),
    pair: (request) => inTurn(() => measurePair(bench, load, request)),
  };
}
