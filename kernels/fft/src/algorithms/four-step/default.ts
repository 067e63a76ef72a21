import type { Capabilities } from "@tunelab/contract";
import type { StepsConfig } from "./space.ts";

/**
 * What both steps do where nothing is known of a device: the split nearest to a square, as few points a thread as the invocations
 * allow, fewer neighbours before more than 16 points, and the widest exchange that the workgroup memory holds; the narrowest
 * where none fits. `complete` adds what the operation chooses itself, `memoryOf` tells the bytes of a workgroup.
 */
export function defaultSteps<C extends StepsConfig>(
  n: number,
  limits: Capabilities["limits"],
  complete: (steps: StepsConfig) => C,
  memoryOf: (config: C) => number,
): C {
  const invocations = Math.min(256, limits.maxComputeInvocationsPerWorkgroup);
  const split = 2 ** Math.ceil(Math.log2(n) / 2);
  const fits = [8, 4, 2]
    .flatMap((side) => [4, 8, 16, 32].map((points) => ({ side, points })))
    .filter(({ side, points }) => (side * split) / points <= invocations && 2 * points <= n / split);
  const { side, points } = fits.find((one) => one.points <= 16) ??
    fits[0] ?? { side: 2, points: Math.min(32, n / split / 2) };
  const withExchange = (chunk: number, staging: "whole" | "split"): C =>
    complete({
      split,
      radix: 4,
      butterfly: "split",
      points,
      chunk,
      staging,
      padding: 0,
      gap: 1,
      twiddles: "table",
      side,
      between: "two-level",
    });
  for (let chunk = points; chunk >= 1; chunk /= 2) {
    for (const staging of ["whole", "split"] as const) {
      const config = withExchange(chunk, staging);
      if (memoryOf(config) <= limits.maxComputeWorkgroupStorageSize) return config;
    }
  }
  return withExchange(1, "split");
}
