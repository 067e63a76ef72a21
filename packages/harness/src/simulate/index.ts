/** Noise of known kinds, and what decision rules make of it: for studies and tests, never for a measuring host. */
export { type Bound, bounds } from "./bounds.ts";
export {
  type ComparisonFigures,
  EFFECTS,
  OPPONENTS,
  PLACEMENT_OFFSET,
  SCENARIOS,
  type Scenario,
} from "./comparisons.ts";
export { DETECTABLE_RULES, type DetectableFigures, type DetectableRule } from "./detectable.ts";
export * from "./device.ts";
export * from "./error-rates.ts";
export { NOISE_KINDS, type NoiseKind, type NoiseSource, noiseSource, PROCESS_OFFSET } from "./noise.ts";
export type { Opponent, Said } from "./opponent.ts";
export { FIELDS, type Field, FULL_SAMPLES, SCHEMES, type SelectionFigures } from "./races.ts";
export type { Seeded, Uniform } from "./variates.ts";
