// node hierarchical-ratios.mjs FOLDER: of each journal there, the fastest flat and hierarchical variants, their ratio and its share of the ideal.
import { readdirSync } from "node:fs";
import { journalOf } from "./journal.mjs";

const out = process.argv[2];
for (const file of readdirSync(out)
  .filter((name) => /^hierarchical-.*\.jsonl$/.test(name))
  .sort()) {
  const trials = journalOf(`${out}/${file}`).trials.filter(
    (one) => one.timing && one.variant && (one.status === "ok" || one.status === "noisy"),
  );
  const us = ({ timing }) => Math.min(...timing.samplesNs) / timing.repeats / 1e3;
  const best = (wanted) => trials.filter(wanted).sort((a, b) => us(a) - us(b))[0];
  const rows = {
    flat: best((one) => /^(fused|corr)/.test(one.algorithm)),
    "two-kernel, band 256": best((one) => one.algorithm === "two-kernel" && one.config.band === 256),
    "two-kernel, any band": best((one) => one.algorithm === "two-kernel"),
    "tile-fused, band 256": best((one) => one.algorithm === "tile-fused" && one.config.band === 256),
    "tile-fused, any band": best((one) => one.algorithm === "tile-fused"),
    "certified, any form": best(
      (one) => one.config.band !== undefined && one.grade === "certified" && one.status === "ok",
    ),
  };
  console.log(`${file}: ${trials.length} timed`);
  for (const [what, one] of Object.entries(rows)) {
    if (!one) {
      console.log(`  ${what}: none timed`);
      continue;
    }
    const { pairs, n } = one.problem;
    const e = one.probes ? one.probes["passed.survivors"] / pairs : undefined;
    const B = one.config.band * one.config.oversampling;
    const ideal = e === undefined ? undefined : 1 / ((B * Math.log2(B)) / (n * Math.log2(n)) + e);
    const ratio = rows.flat ? us(rows.flat) / us(one) : Number.NaN;
    const samples = [...one.timing.samplesNs].sort((a, b) => a - b);
    const median = samples[Math.floor(samples.length / 2)] / one.timing.repeats / 1e3;
    const standing = `${one.grade}${one.status === "ok" ? "" : `, ${one.status}`}, ${samples.length} samples, median ${median.toFixed(1)}`;
    const stages = one.timing.stagesNs
      ? Object.entries(one.timing.stagesNs)
          .map(([name, ns]) => `${name} ${(Math.min(...ns) / 1e3).toFixed(1)}`)
          .join(", ")
      : "";
    console.log(
      `  ${what}: ${us(one).toFixed(2)} us (${standing}), ${ratio.toFixed(2)}x flat${ideal ? `, e ${(100 * e).toFixed(2)}%, ideal ${ideal.toFixed(1)}x, ${((100 * ratio) / ideal).toFixed(0)}% of it` : ""}, ${one.verdict.matched}/${one.verdict.total}, error ${one.verdict.maxError.toExponential(1)}${stages ? `; stages us: ${stages}` : ""}\n    ${one.variant}`,
    );
  }
}
