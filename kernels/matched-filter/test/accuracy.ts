import type { Config } from "@tunelab/contract";
import { operation } from "../src/index.ts";

/** Relative error of the magnitude that factors computed in float64 keep to at every length. */
export const EXACT = 5e-7;

/** What a variant may err by: powers of one factor round once a product, all other float64-computed factors once. */
export const errorBound = (config: Config): number =>
  Object.values(config).some((value) => value === "table-walk") ? operation.accuracy.bound : EXACT;
