import {
  type Capabilities,
  type Config,
  type DeviceIdentity,
  Fault,
  type FaultKind,
  type Operation,
  type Problem,
  type ProfileName,
  type SideSource,
  type Space,
  type Suite,
  type TuningTable,
} from "@tunelab/contract";
import type { Executor } from "@tunelab/executor";
import type { Drawer } from "./draw.ts";

/**
 * What a side brings for one operation: a commit's bundle, or the host's own registry. Everything but the suite may be
 * missing in an old commit.
 */
export interface SideModule {
  readonly suite: Suite;
  /** The library's shipped tables for the operation, whole or loaded when their turn comes. */
  readonly tables?: readonly ShippedTable[];
  /** The side's own selection: what an application on that commit would run. */
  readonly select?: (request: SelectionRequest) => Promise<Selected>;
  readonly Executor?: typeof Executor;
  readonly variants?: Drawer;
  readonly parseId?: (text: string) => {
    readonly algorithm: string;
    readonly settings: Readonly<Record<string, string>>;
  };
  readonly parseConfig?: (
    space: Space,
    settings: Readonly<Record<string, string>>,
    defaults: Config,
  ) => Config;
}

/** A shipped table as a commit's library has it. */
export type ShippedTable =
  | TuningTable
  | { readonly operation: string; readonly load: () => Promise<TuningTable> };

export interface SelectionRequest {
  readonly tables: readonly ShippedTable[];
  readonly operation: Operation;
  readonly problem: Problem;
  readonly capabilities: Capabilities;
  readonly identity: DeviceIdentity;
  readonly profile: ProfileName;
}

/** The part of a selection that is read here. */
export interface Selected {
  readonly candidates: readonly {
    readonly variant: string;
    readonly algorithm: { readonly name: string };
    readonly config: Config;
    readonly origin:
      | { readonly kind: "default" | "pinned" }
      | { readonly kind: "table"; readonly table: string; readonly own: boolean; readonly distance: number };
  }[];
}

/** Loads a side's module for an operation; rejects when the bundle holds another operation or cannot be loaded. */
export type SideLoader = (source: SideSource, operation: string) => Promise<SideModule>;

/** A thrown value as a fault of our own: a bundle carries its own copy of the class, and its kinds still mean the same. */
export function ownFault(error: unknown): unknown {
  if (error instanceof Fault || !(error instanceof Error) || error.name !== "Fault") return error;
  const { kind, details } = error as Error & {
    kind?: FaultKind;
    details?: Readonly<Record<string, unknown>>;
  };
  return kind === undefined ? error : new Fault(kind, error.message, details ?? {});
}
