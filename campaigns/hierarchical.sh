#!/usr/bin/env bash
# Flat and hierarchical matched filters of the published workload (n = 4096, 64 x 512 pairs, one in 32 matching) in one session a profile, and their
# ratios: 190 s on an H200 (two sessions of 90 s; the float64 oracle takes 3 s of each). $OUT gets a journal a profile and hierarchical-ratios.txt.
#
#   pnpm lab pack --no-dawn --out .gpu/lab && bash campaigns/hierarchical.sh
#   PROBLEM=n=4096,data=2,templates=8,pairs=16,threshold=1 TW=table BUDGET=60s DEVICE=swiftshader PROFILES=portable bash campaigns/hierarchical.sh   a rehearsal
set -u
. "$(dirname "$0")/enter.sh"
problem=${PROBLEM:-n=4096,data=64,templates=512,pairs=32768,threshold=1}
FLAT=radix=16,butterfly=merged,workgroup=${W:-128},chunk=16,staging=split,padding=32,gap=2,twiddles=${TW:-direct},reduction=subgroup
REF=refineRadix=16,refineButterfly=merged,refineWorkgroup=${W:-128},refineChunk=16,refineStaging=split,refinePadding=32,refineGap=2,refineTwiddles=${TW:-direct},refineReduction=subgroup
G="oversampling=1,centre=0.125,boundWorkgroup=256"
C16=coarseRadix=16,coarseButterfly=merged,coarsePoints=16,coarseChunk=16,coarseStaging=split,coarsePadding=16,coarseGap=1,coarseTwiddles=table-pairs
C8=coarseRadix=8,coarseButterfly=merged,coarsePoints=8,coarseChunk=8,coarseStaging=split,coarsePadding=8,coarseGap=1,coarseTwiddles=table-pairs
WHOLE=${C16/coarseStaging=split/coarseStaging=whole}
starts=(--start "fused/$FLAT,tile=1,hoist=false" --start "fused/$FLAT,tile=1,hoist=false,loads=vector" --start "fused/$FLAT,tile=4,hoist=false")
two() { starts+=(--start "two-kernel/$1"); }
tile() { starts+=(--start "tile-fused/$1"); }
Q0=coarseHoist=false,coarseSides
Q=queue=0
C25=${G/centre=0.125/centre=0.25}
REF256=${REF/refineWorkgroup=*,refineChunk=16/refineWorkgroup=256,refineChunk=8}
two band=256,$G,$C16,coarseTile=8,$Q0=2,$Q,$REF
two band=256,$G,$C16,coarseTile=4,$Q0=8,$Q,$REF
two band=256,$G,$C16,coarseTile=8,$Q0=2,queue=1024,$REF
two band=256,$G,$C16,coarseTile=4,$Q0=4,$Q,$REF256
two band=256,$G,$WHOLE,coarseTile=8,$Q0=2,$Q,$REF
two band=256,$G,$WHOLE,coarseTile=4,$Q0=8,$Q,$REF256
two band=256,$G,${WHOLE/coarsePadding=16/coarsePadding=0},coarseTile=4,$Q0=2,$Q,$REF
two band=64,$C25,$C8,coarseTile=8,$Q0=4,$Q,$REF
two band=64,$C25,$C8,coarseTile=8,$Q0=16,$Q,$REF256
two band=64,$C25,$C8,coarseTile=4,$Q0=4,queue=1024,$REF
two band=128,${G/sampling=1/sampling=2},$C16,coarseTile=8,$Q0=2,$Q,$REF
two band=128,$G,$C16,coarseTile=8,$Q0=4,$Q,$REF
tile band=256,$G,$C16,coarseTile=4,coarseHoist=false,$REF
tile band=256,$G,$C16,coarseTile=2,coarseHoist=false,$REF
tile band=64,$C25,$C8,coarseTile=4,coarseHoist=false,$REF
tile band=64,$C25,$C8,coarseTile=4,coarseHoist=false,${REF/refineGap=2/refineGap=4}
tile band=64,$C25,$C8,coarseTile=4,coarseHoist=false,coarseShuffle=8,$REF
tile band=256,$G,$C16,coarseTile=4,coarseHoist=false,${REF/refineGap=2/refineGap=4}
two band=256,$G,$C16,coarseTile=8,$Q0=2,queue=512,$REF
two band=256,$G,$C16,coarseTile=4,$Q0=8,queue=512,$REF
for profile in ${PROFILES:-portable native}; do
  kept 25 lab tune --kernel matched-filter --problem "$problem" "${starts[@]}" --no-transfer --budget "${BUDGET:-90s}" ${TRIALS:+--trials $TRIALS} --device "${DEVICE:-auto}" --profile "$profile" \
    --journal "$OUT/hierarchical-$profile.jsonl"
done
node $campaigns/hierarchical-ratios.mjs "$OUT" | tee "$OUT/hierarchical-ratios.txt"
