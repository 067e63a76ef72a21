/** What a search strategy reached on one exhaustively measured space, whoever tells it. */
export interface ReplaySummary {
  readonly kernel: string;
  readonly device: string;
  readonly configurations: number;
  /** Configurations that gave a time. */
  readonly valid: number;
  readonly optimumMs: number;
  readonly medianMs: number;
  /** Evaluations that the score averages over. */
  readonly budget: number;
  /** Absent when a run had fewer evaluations than the budget. */
  readonly score?: number;
}

/** The same under the space's name, as score files and reports have it. */
export interface SpaceScore extends ReplaySummary {
  readonly space: string;
  /** Mean fraction of the optimum by the number of evaluations. */
  readonly fractionOfOptimum: Readonly<Record<string, number>>;
}

/** What a strategy reached on several spaces, with the means over them. */
export interface StrategyScore {
  readonly strategy: string;
  readonly runs: number;
  readonly evaluations: number;
  readonly seed: number;
  readonly score?: number;
  readonly fractionOfOptimum: Readonly<Record<string, number>>;
  readonly spaces: readonly SpaceScore[];
}
