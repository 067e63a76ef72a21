#!/usr/bin/env bash
# The matched filter beyond one workgroup: n = 32768 (4096 pairs), 65536 (2048), 262144 (512) and 1048576 (128), in steps, with its share of the FMA ceiling:
# 130 s on an H200 (62 s a profile), half of them the float64 judge's. $OUT gets a journal and the printed table a profile.
#
#   pnpm lab pack --no-dawn --out .gpu/lab && bash campaigns/long.sh
#   SMALL=1 DEVICE=swiftshader PROFILES=portable bash campaigns/long.sh        a rehearsal: two pairs a length
set -u
. "$(dirname "$0")/enter.sh"
problems=()
of() { if [ -n "${SMALL:-}" ]; then problems+=(--problem "n=$1,data=1,templates=2,pairs=2"); else problems+=(--problem "n=$1,data=$2,templates=$3,pairs=$(($2 * $3))"); fi; }
of 32768 64 64; of 65536 32 64; of 262144 16 32; of 1048576 8 16
A=padding=32,gap=2,reduction=subgroup
starts=()
# Starts: two passes a step (radix 16), 16 points a thread; splits for each length, columns of 64 and 128 bytes side by side.
for one in \
  "four-step/split=256,radix=16,butterfly=merged,points=16,chunk=16,staging=split,$A,twiddles=table-pairs,side=8,between=two-level,rows=4,loads=scalar" \
  "four-step/split=256,radix=16,butterfly=merged,points=16,chunk=16,staging=split,$A,twiddles=table-pairs,side=16,between=walk,rows=8,loads=scalar" \
  "four-step/split=512,radix=16,butterfly=merged,points=16,chunk=16,staging=split,$A,twiddles=table-pairs,side=8,between=walk,rows=4,loads=scalar" \
  "four-step/split=512,radix=8,butterfly=merged,points=16,chunk=16,staging=split,$A,twiddles=table-pairs,side=16,between=walk,rows=4,loads=vector" \
  "four-step/split=1024,radix=16,butterfly=merged,points=16,chunk=16,staging=split,$A,twiddles=table-pairs,side=8,between=walk,rows=2,loads=scalar" \
  "four-step/split=1024,radix=32,butterfly=merged,points=32,chunk=16,staging=split,$A,twiddles=table-pairs,side=8,between=walk,rows=2,loads=scalar"; do
  starts+=(--start "$one")
done
# 14 s a length are some tens of trials: the searched part has two or three passes a step and wide columns.
W="radix=8|16|32,points=16|32,reduction=subgroup,side=4|8|16,padding=0|16|32"
for profile in ${PROFILES:-portable native}; do
  lab tune --device "${DEVICE:-auto}" --kernel matched-filter --algorithm four-step "${problems[@]}" "${starts[@]}" --where "$W" --budget "${BUDGET:-62s}" --profile "$profile" \
    --journal "$OUT/long-$profile.jsonl" > "$OUT/long-$profile.txt" 2>&1
  code=$?; echo "exit $code $profile"; [ $code -eq 0 ] || { status=$code; tail -n 1 "$OUT/long-$profile.txt"; }
  grep -E "^(problem|data=|Ceilings|Noise)|of FMA|trials" "$OUT/long-$profile.txt" | tail -16
done
