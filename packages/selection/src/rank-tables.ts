import {
  type Capabilities,
  type DeviceIdentity,
  type DeviceInfo,
  type Operation,
  type Problem,
  type ProfileName,
  problemKey,
  type TuningTable,
} from "@tunelab/contract";
import { CLOSENESS, type Closeness, deviceDistance, problemDistance } from "./distance.ts";
import { tablePath } from "./fold.ts";
import { compareText } from "./rules.ts";
import type { ShippedEntry, ShippedTable } from "./shipped.ts";

/** What choosing among tables needs of one; the rest is loaded when its turn comes. */
export interface ShelvedTable {
  readonly operation: string;
  readonly profile: ProfileName;
  readonly device: DeviceInfo;
  /** The whole table. Rejects with `Fault` data when it cannot be read: the table is then passed over. */
  load(): Promise<ShippedTable>;
}

export type TableSource = TuningTable | ShelvedTable;

/** Who asks: what ranks tables among each other. */
export interface Asker {
  readonly capabilities: Capabilities;
  readonly identity?: DeviceIdentity | undefined;
  readonly profile: ProfileName;
}

/** What says whose something was measured for. */
export type Placed = Pick<TuningTable, "operation" | "profile" | "device">;

export interface RankedTable<S extends Placed = TableSource> {
  readonly source: S;
  /** Path below `tables/`. */
  readonly path: string;
  readonly closeness: Closeness;
  /** Measured for this very device, compiler, backend and profile; otherwise borrowed. */
  readonly own: boolean;
}

/** Whether two names are known and differ; a page cannot tell which compiler or backend it runs on. */
const differs = (asked: string | undefined, known: string): boolean => !!asked && asked !== known;

/**
 * Tables of the operation in the order in which they are asked: closeness of the device, compiler and backend, profile; then
 * the caller's own before shipped ones (they were measured on the machine in hand); then likeness of limits, then path.
 */
export function rankTables<S extends Placed = TableSource>(
  operation: string,
  asker: Asker,
  callers: readonly S[],
  shipped: readonly S[],
): readonly RankedTable<S>[] {
  const rankedOf = (source: S, fromCaller: boolean) => {
    const { closeness, otherArchitecture, capabilities } = deviceDistance(asker, source.device);
    const known = source.device.identity;
    const foreignCode =
      Number(differs(asker.identity?.compiler, known.compiler)) +
      Number(differs(asker.identity?.backend, known.backend));
    const otherProfile = Number(source.profile !== asker.profile);
    return {
      order: [
        ...[CLOSENESS.indexOf(closeness), otherArchitecture, foreignCode, otherProfile],
        ...[Number(!fromCaller), capabilities],
      ],
      ...{ source, closeness, path: tablePath(source) },
      own: closeness === "device" && foreignCode === 0 && otherProfile === 0,
    };
  };
  return [
    ...callers.map((source) => rankedOf(source, true)),
    ...shipped.map((source) => rankedOf(source, false)),
  ]
    .filter(({ source }) => source.operation === operation)
    .sort((a, b) => {
      const apart = a.order.map((value, index) => value - b.order[index]!).find((value) => value !== 0);
      return apart ?? compareText(a.path, b.path);
    });
}

/** A table's entries that can stand in for a problem, the nearest first. */
export function rankEntries(
  operation: Operation,
  problem: Problem,
  entries: readonly ShippedEntry[],
): readonly { readonly entry: ShippedEntry; readonly distance: number }[] {
  return entries
    .flatMap((entry) => {
      const distance = problemDistance(operation.dimensions, problem, entry.problem);
      return distance === undefined ? [] : [{ entry, distance }];
    })
    .sort(
      (a, b) =>
        a.distance - b.distance || compareText(problemKey(a.entry.problem), problemKey(b.entry.problem)),
    );
}
