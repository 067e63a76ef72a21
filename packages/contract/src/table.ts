import type { DeviceInfo, ProfileName } from "./device.ts";
import type { Config, Problem } from "./operation.ts";
import type { Ceilings, Grade, Status } from "./trial.ts";

/** Raised when a table's shape changes; readers refuse a newer one by name. */
export const TABLE_SCHEMA = 1;

/** One ranked candidate for one problem. Numbers are rounded (before ranking) so that the file is reproducible. */
export interface TableRow {
  readonly rank: number;
  readonly variant: string;
  readonly algorithm: string;
  readonly config: Config;
  readonly planHash: string;
  readonly status: Status;
  readonly grade: Grade;
  /** One repeat, in microseconds: minimum and median over the samples, and their spread. */
  readonly minUs: number;
  readonly medianUs: number;
  readonly cv: number;
  readonly samples: number;
  /** Against the anchor that resembles what binds the variant, interleaved: its work (1e9 FLOPs or bytes) in one repeat's time. */
  readonly anchored?: { readonly anchor: string; readonly work: number };
  /** `default` is the baseline configuration; `best` ranks first. */
  readonly isDefault: boolean;
  /** Against the row above it: a resolved gap or a declared tie. */
  readonly tie: boolean;
  readonly fractionOfFma?: number;
  readonly fractionOfCopy?: number;
  /** Bytes that the variant moves through workgroup memory, over that ceiling. */
  readonly fractionOfWorkgroup?: number;
  /** It asked global memory for more than the copy ceiling gives: caches served it. */
  readonly cacheServed?: true;
  /** Fewer workgroups than the device has compute units: it measures occupancy. */
  readonly underFilled?: true;
  readonly matched: number;
  readonly total: number;
  readonly maxError: number;
  readonly workgroupBytes: number;
  readonly invocations: number;
  /** The session and trial behind the row. */
  readonly trial: string;
}

export interface TableEntry {
  readonly problem: Problem;
  /** The default configuration's and the space's median time, in microseconds, where measured. */
  readonly defaultUs?: number;
  readonly medianUs?: number;
  /** Variants measured, and those that failed verification or did not run. */
  readonly measured: number;
  readonly failed: number;
  /** Present when another machine or driver than the header's measured the entry: which. Such an entry has aged. */
  readonly agedOn?: string;
  readonly rows: readonly TableRow[];
}

/** What one device should run, per problem, with the evidence behind it. */
export interface TuningTable {
  readonly schema: number;
  readonly operation: string;
  readonly epoch: number;
  readonly protocol: number;
  readonly contract: number;
  readonly device: DeviceInfo;
  readonly deviceSlug: string;
  readonly profile: ProfileName;
  /** The noise probe said that the certification gate cannot be met: entries rank as ties unless resolved. */
  readonly noisy: boolean;
  readonly ceilings: Ceilings;
  /** Sessions folded, oldest first, and the commit that measured the newest. */
  readonly sessions: readonly string[];
  readonly commit: string;
  readonly entries: readonly TableEntry[];
}
