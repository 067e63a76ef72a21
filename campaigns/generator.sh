#!/usr/bin/env bash
# The fused matched filter at n = 4096 with what the generator can vary beyond the shipped best (vector loads, shuffles, a loop over the passes), in both
# profiles: 190 s on an H200 (two sessions of 80 s and their compilation). $OUT gets a journal a profile.
#
#   pnpm lab pack --no-dawn --out .gpu/lab && bash campaigns/generator.sh
#   PROBLEM=n=1024,data=2,templates=2,pairs=4 W=32 BUDGET=60s DEVICE=swiftshader bash campaigns/generator.sh        a rehearsal
set -u
. "$(dirname "$0")/enter.sh"
W=${W:-128}
B=fused/radix=16,butterfly=merged,workgroup=$W,chunk=16,staging=split,padding=32,gap=2
R=reduction=subgroup,tile=1,hoist=false
R4=reduction=subgroup,tile=4,hoist=false
starts=()
for one in "$B,twiddles=direct,$R" "$B,twiddles=direct,$R,loads=vector" "$B,twiddles=direct,$R4,loads=vector" "$B,twiddles=direct,$R4" \
  "$B,twiddles=table-pairs,$R,loads=vector" "$B,twiddles=constant,$R,loads=vector" \
  "${B/padding=32,gap=2/padding=32,gap=4},twiddles=direct,$R,loads=vector" "${B/padding=32,gap=2/padding=16,gap=2},twiddles=direct,$R,loads=vector" \
  "${B/chunk=16/chunk=32},twiddles=direct,$R,loads=vector" "${B/merged/split},twiddles=direct,$R,loads=vector" "${B/merged/fused},twiddles=table-walk,$R4,loads=vector" \
  "$B,twiddles=direct,$R,loads=vector,shuffle=8" "$B,twiddles=direct,$R,shuffle=8" "${B/chunk=16/chunk=32},twiddles=table-pairs,$R,unroll=false" \
  "fused/radix=16,butterfly=merged,workgroup=$((2 * W)),chunk=16,staging=split,padding=32,gap=1,twiddles=direct,$R,shuffle=16"; do
  starts+=(--start "$one")
done
for profile in ${PROFILES:-portable native}; do
  kept 25 lab tune --kernel matched-filter --problem "${PROBLEM:-n=4096,data=64,templates=512,pairs=32768}" "${starts[@]}" --budget "${BUDGET:-80s}" --device "${DEVICE:-auto}" \
    --profile "$profile" --journal "$OUT/generator-$profile.jsonl"
done
