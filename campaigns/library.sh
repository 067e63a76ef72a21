#!/usr/bin/env bash
# What the runtime library costs over the bare executor and over the harness's own timing, on the variant that it selects: n = 1024 and 4096, 32,768 pairs,
# buffers on the device, interleaved quads: 130 s on an H200 (four comparisons of at most 15 s for each length).
#
#   pnpm lab pack --no-dawn --out .gpu/lab && bash campaigns/library.sh
#   BUDGET=2s bash campaigns/library.sh --n 64 --data 2 --templates 2        a rehearsal
set -u
. "$(dirname "$0")/enter.sh"
given=("$@"); [ $# -gt 0 ] || given=(--n 1024,4096 --data 64 --templates 512)
lab library "${given[@]}" --budget "${BUDGET:-15s}" --json > "$OUT/library.jsonl" || exit
node -e '
for (const line of require("node:fs").readFileSync(process.argv[1], "utf8").trim().split("\n")) {
  const { problem, variant, costs } = JSON.parse(line);
  console.log(`n=${problem.n} ${variant}`);
  for (const { what, clock, bareUs, libraryUs, judgement: j } of costs)
    console.log(`  ${what.padEnd(8)} ${clock} bare ${bareUs.toFixed(2)} us library ${libraryUs.toFixed(2)} us ratio ${j.ratio.toFixed(4)} [${j.low?.toFixed(4) ?? "0"}, ${j.high?.toFixed(4) ?? "no bound"}] ${j.count} quads ${j.verdict}`);
}' "$OUT/library.jsonl"
