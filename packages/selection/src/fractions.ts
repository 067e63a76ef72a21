import type { Ceilings, Trial } from "@tunelab/contract";

/** What a trial does with the device, as shares of what the session's probes measured; absent where either is unknown. */
export interface Fractions {
  /** Public FLOPs and compulsory bytes of the work, over the ceilings of multiply-adds and of the global copy. */
  readonly ofFma?: number;
  readonly ofCopy?: number;
  /** Bytes that the variant asks of global memory, over the copy ceiling. Over 1, caches served it. */
  readonly requestedOfCopy?: number;
  /** Bytes that it moves through workgroup memory, over that ceiling. */
  readonly ofWorkgroup?: number;
  /** It asked for more than the copy ceiling gives: legitimate, and no proof of being bound by memory. */
  readonly cacheServed: boolean;
  /** Its largest dispatch has fewer workgroups than the device has compute units: it measures occupancy. */
  readonly underFilled: boolean;
}

type Measured = Pick<Trial, "work" | "requestedBytes" | "workgroupBytes" | "workgroups">;

/** Shares of the ceilings at `ns` for one repeat. */
export function fractionsAt(ns: number, trial: Measured, ceilings: Ceilings): Fractions {
  const share = (amount: number | undefined, perSecond: number | undefined): number | undefined =>
    amount !== undefined && perSecond ? amount / (ns * 1e-9) / perSecond : undefined;
  const ofFma = share(trial.work.flops, ceilings.fmaFlopsPerSecond);
  const ofCopy = share(trial.work.bytes, ceilings.copyBytesPerSecond);
  const requestedOfCopy = share(trial.requestedBytes, ceilings.copyBytesPerSecond);
  const ofWorkgroup = share(trial.workgroupBytes, ceilings.workgroupBytesPerSecond);
  const { computeUnits } = ceilings;
  return {
    ...(ofFma === undefined ? {} : { ofFma }),
    ...(ofCopy === undefined ? {} : { ofCopy }),
    ...(requestedOfCopy === undefined ? {} : { requestedOfCopy }),
    ...(ofWorkgroup === undefined ? {} : { ofWorkgroup }),
    cacheServed: requestedOfCopy !== undefined && requestedOfCopy > 1,
    underFilled:
      trial.workgroups !== undefined && computeUnits !== undefined && trial.workgroups < computeUnits.value,
  };
}
