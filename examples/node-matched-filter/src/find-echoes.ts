import { createRuntime, matchedFilter } from "@tunelab/runtime";
import { chirp, echo, N, noiseSource, spectrum } from "./signal.ts";

/** Eight recordings, each noise with one of three chirps in it somewhere: which one, and where? */
const chirps = [chirp(0.05, 0.2), chirp(0.2, 0.05), chirp(0.1, 0.4)];
const noise = noiseSource(7);
const planted = Array.from({ length: 8 }, (_, index) => ({
  chirp: index % chirps.length,
  lag: (index * 739 + 101) % N,
}));

const join = (parts: readonly Float32Array[]): Float32Array => {
  const whole = new Float32Array(parts.length * 2 * N);
  parts.forEach((part, index) => {
    whole.set(part, index * 2 * N);
  });
  return whole;
};
/** WebGPU's entry point: Deno and browsers have it; in Node it comes with the package webgpu, which takes Dawn's flags. */
async function webgpu(): Promise<GPU> {
  if (globalThis.navigator?.gpu) return navigator.gpu;
  const { create, globals } = await import("webgpu");
  Object.assign(globalThis, globals);
  return create(process.argv.slice(2));
}

const data = join(planted.map(({ chirp: which, lag }) => spectrum(echo(chirps[which]!, lag, noise))));
const templates = join(chirps.map(spectrum));

// The object must stay referenced for as long as its devices live: hence a variable of the module.
const gpu = await webgpu();
const runtime = await createRuntime({
  gpu,
  onEvent: (event) => {
    if (event.kind === "borrowed") console.log(`borrowed: ${event.table} (${event.why})`);
    else console.log(`${event.kind}: ${event.reason}`);
  },
});

// All pairs of recording and chirp in one call, data-major; one record each.
const { indices, magnitudes, explanation } = await matchedFilter(runtime, { n: N, data, templates });

let found = 0;
console.log("recording  planted          found");
for (const [index, { chirp: which, lag }] of planted.entries()) {
  const row = [...magnitudes.subarray(index * chirps.length, (index + 1) * chirps.length)];
  const best = row.indexOf(Math.max(...row));
  const at = indices[index * chirps.length + best]!;
  const right = best === which && at === lag;
  if (right) found += 1;
  const columns = [`chirp ${which} at ${lag}`, `chirp ${best} at ${at}`];
  console.log(
    `${String(index).padEnd(10)} ${columns.map((text) => text.padEnd(16)).join(" ")} ${right ? "" : "<- wrong"}`.trimEnd(),
  );
}
console.log(`${found} of ${planted.length} echoes found`);
console.log(`ran ${explanation.variant}`);
console.log(`why: ${explanation.why}`);
for (const { variant, reason } of explanation.refused) console.log(`refused: ${variant} ${reason}`);
runtime.dispose();
// Dawn keeps the process alive for as long as it is referenced.
process.exit(found === planted.length ? 0 : 1);
