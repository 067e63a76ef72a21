/** Shapes of the parity check beside the problem itself. */
export const PARITY = {
  /** Longest estimated run of a shape in ms: five times the submission cap, so that 65,536 small items still fit. */
  shapeMs: 500,
  /** Pieces into which the batch is cut once: first, middle and last each take another path through offsets. */
  pieces: 3,
} as const;

/** Kept quads of the stages: their signed-rank interval at 99.9% needs 12 at least, and a stage is told beside the total. */
export const STAGE_QUADS = 16;
