import { writeFile } from "node:fs/promises";
import { chartSvg } from "@tunelab/report";
import { createRuntime, eigh } from "@tunelab/runtime";
import { create, globals } from "webgpu";
import { cloud, covariance, normals } from "./clouds.ts";
import { type Axis, picture } from "./picture.ts";

const [file = "principal-axes.svg", ...flags] = process.argv.slice(2);
Object.assign(globalThis, globals);
// The object must stay referenced for as long as its devices live: hence a variable of the module.
const gpu = create(flags);
const runtime = await createRuntime({ gpu });

const normal = normals(11);
const clouds = [10, 40, 75, 100, 130, 165].map((degrees, index) =>
  cloud({ degrees, long: 2 + 0.2 * index, short: 0.4 + 0.1 * index }, 150, normal),
);

// All covariance matrices in one call: 2 x 2 each here, up to 512 x 512, and as many as fit the memory.
const n = 2;
const matrices = Float32Array.from(clouds.flatMap(covariance));
const { values, vectors, unconverged, nonFinite, variant, explanation } = await eigh(runtime, {
  n,
  matrices,
});

/** Eigenvalues are variances, ascending; eigenvector k stands in column k, of either sign: x is made positive. */
const axesOf = (item: number): readonly Axis[] =>
  [0, 1].map((k) => {
    const [x, y] = [0, 1].map((row) => vectors![item * n * n + row * n + k]!) as [number, number];
    const sign = x < 0 ? -1 : 1;
    return { x: sign * x, y: sign * y, deviation: Math.sqrt(values[item * n + k]!) };
  });

const axes = clouds.map((_, item) => axesOf(item));
let right = 0;
console.log("planted                    found");
for (const [item, { degrees, long, short }] of clouds.entries()) {
  const [across, along] = axes[item] as [Axis, Axis];
  const found = (Math.atan2(along.y, along.x) * 180) / Math.PI;
  const apart = Math.abs(((found - degrees + 270) % 180) - 90);
  // 150 points tell a direction to about (short / long) / sqrt(150): 1.5 degrees here at most.
  if (apart < 4) right += 1;
  const text = (at: number, most: number, least: number): string =>
    `${at.toFixed(0)} degrees, ${most.toFixed(2)} by ${least.toFixed(2)}`.padEnd(26);
  console.log(
    `${text(degrees, long, short)} ${text((found + 180) % 180, along.deviation, across.deviation)}`.trimEnd(),
  );
}
console.log(
  `${right} of ${clouds.length} axes within 4 degrees; not converged: ${unconverged.length}, not finite: ${nonFinite.length}`,
);
console.log(`ran ${variant}: ${explanation.why}`);
await writeFile(file, await chartSvg(picture(clouds, axes)));
console.log(`picture: ${file}`);
runtime.dispose();
// Dawn keeps the process alive for as long as it is referenced.
process.exit(right === clouds.length ? 0 : 1);
