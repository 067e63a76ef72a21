import type { Timestamps } from "./timestamps.ts";
import type { TimingMode } from "./types.ts";

/** What the passes are opened on; the caller's encoder when it encodes for itself. */
export type Encoder = Pick<GPUCommandEncoder, "beginComputePass" | "clearBuffer" | "copyBufferToBuffer">;

/** Name of the passes of timing `total`. */
export const TOTAL_STAGE = "total";

/**
 * Opens compute passes as late and keeps them as long as it may: consecutive dispatches share one, until a command that
 * needs the encoder, or (timing `stages`) another stage.
 */
export class PassWriter {
  readonly #encoder: Encoder;
  readonly #timing: TimingMode;
  readonly #timestamps: Timestamps | undefined;
  #pass: GPUComputePassEncoder | undefined;
  #stage = "";

  constructor(encoder: Encoder, timing: TimingMode, timestamps: Timestamps | undefined) {
    this.#encoder = encoder;
    this.#timing = timing;
    this.#timestamps = timestamps;
  }

  /** The open pass, or a new one whose times count to the stage. */
  pass(stage: string, repeat: number): GPUComputePassEncoder {
    const name = this.#timing === "stages" ? stage : TOTAL_STAGE;
    if (this.#pass && this.#stage === name) return this.#pass;
    this.end();
    this.#stage = name;
    const timestampWrites = this.#timestamps?.next(name, repeat);
    this.#pass = this.#encoder.beginComputePass(timestampWrites ? { timestampWrites } : {});
    return this.#pass;
  }

  /** The encoder, for a command that no pass may hold. */
  command(): Encoder {
    this.end();
    return this.#encoder;
  }

  end(): void {
    this.#pass?.end();
    this.#pass = undefined;
  }
}
