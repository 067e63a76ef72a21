#!/usr/bin/env bash
# What the portable profile pays over the native one: (1) the SPIR-V of every shipped variant and of a sample of 40, made for the device's own driver
# (nothing runs; it shows what is left to robustBufferAccess2 and what Tint clamps itself), (2) the fastest variants of each length in both profiles,
# paired in one process. On an H200 60 s and five pairs of 10 to 30 s.
#
#   pnpm lab pack --no-dawn --compare HEAD HEAD --out .gpu/lab && bash campaigns/portable-native.sh
#   bash campaigns/portable-native.sh --device swiftshader        a rehearsal: one small pair
set -u
. "$(dirname "$0")/enter.sh"
device=("$@"); [ $# -gt 0 ] || device=(--device auto)
status=0
for kernel in matched-filter fft; do
  lab spirv $kernel --shipped --sample 40 --seed 1 --check "${device[@]}" --json > "$OUT/spirv-$kernel.json" 2> "$OUT/spirv-$kernel.err" || status=$?
  node -e 'const { rows, complaints } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
    const sum = (f) => rows.reduce((total, row) => total + f(row), 0);
    console.log(`${process.argv[2]}: ${rows.length} texts, stood in ${sum((r) => Number(r.stoodIn))}, portable ${sum((r) => r.portable.instructions)} native ${sum((r) => r.native.instructions)} instructions, clamps of runtime arrays ${sum((r) => r.portable.runtime)}, of memory indexes ${sum((r) => r.portable.data)}, of the ledger ${sum((r) => r.portable.avoidable)}, zeroed bytes ${sum((r) => r.portable.zeroedBytes)}, complaints ${complaints.length}`);
    for (const line of complaints.slice(0, 5)) console.log(line);' "$OUT/spirv-$kernel.json" $kernel
  rm -f "$OUT/spirv-$kernel.err"
done
problems=(n=1024,data=64,templates=512,pairs=32768 n=2048,data=64,templates=512,pairs=32768 n=4096,data=64,templates=512,pairs=32768 n=8192,data=64,templates=512,pairs=32768 n=16384,data=32,templates=512,pairs=16384)
[ $# -gt 0 ] && problems=(n=64,data=2,templates=4,pairs=8)
for problem in "${problems[@]}"; do
  lab ab selected selected --kernel matched-filter --profiles portable,native --problem "$problem" "${device[@]}" \
    --record "$OUT/pays-${problem%%,*}.json" > "$OUT/pays-${problem%%,*}.txt" 2>&1; echo "$problem: exit $? ($(tail -3 "$OUT/pays-${problem%%,*}.txt" | head -1))"
done
exit $status
