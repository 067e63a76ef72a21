/** A program that took processor time beside the measurement. Names only: command lines may hold secrets. */
export interface Competitor {
  readonly name: string;
  /** Processor time per second of watching: 1 is one core, all the while. */
  readonly cores: number;
}

/** What else the machine was doing just before something was measured. */
export interface MachineLoad {
  readonly cores: number;
  /** Runnable processes over the last minute, as the system averages them; 0 where it does not. */
  readonly loadAverage: number;
  /** Processor time that all other processes took, in cores; absent where they cannot be listed. */
  readonly othersCores?: number;
  /** The hungriest of them, most first. */
  readonly competitors: readonly Competitor[];
  /** The GPU before the session, where its driver tells. */
  readonly gpu?: {
    /** 0 to 1. */
    readonly utilisation: number;
    readonly programs: readonly string[];
    /** Memory that nobody uses, in bytes. */
    readonly freeBytes?: number;
  };
  /** Whether timings would measure the others too; the reasons are the numbers above. */
  readonly busy: boolean;
}
