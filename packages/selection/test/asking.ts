import type { DeviceIdentity, Fault, TuningTable } from "@tunelab/contract";
import { fold, type SelectRequest, select } from "../src/index.ts";
import { BIG, BOUNDS, H200, scale, session, trial } from "./made.ts";

export const variant = (workgroup: number, us: number, n = 64) =>
  trial(`w${workgroup}-${n}`, us, {
    variant: `plain/workgroup=${workgroup}`,
    config: { workgroup },
    problem: { n },
    resources: { workgroupBytes: workgroup * 64, invocations: workgroup },
  });

export const tableOf = (
  identity: DeviceIdentity,
  trials = [variant(256, 10), variant(32, 20)],
  profile?: "native",
): TuningTable =>
  fold([session("s", trials, { device: { identity, capabilities: BIG }, ...(profile ? { profile } : {}) })], {
    bounds: BOUNDS,
  })[0]!;

export const ask = (changes: Partial<SelectRequest> = {}): SelectRequest => ({
  tables: [tableOf(H200)],
  operation: scale,
  problem: { n: 64 },
  capabilities: BIG,
  identity: H200,
  ...changes,
});
export const variants = async (request: SelectRequest) =>
  (await select(request)).candidates.map((each) => each.variant);
export const faultOf = async (request: SelectRequest): Promise<Fault> =>
  select(request).then(
    () => {
      throw new Error("nothing was thrown");
    },
    (fault: Fault) => fault,
  );
