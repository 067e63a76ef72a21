#!/usr/bin/env bash
# Does the default strategy find what an exhaustive pass finds? One length a call, N = 1024, 2048, 4096, 8192 or 16384:
#
#   pnpm lab pack --no-dawn --out .gpu/lab
#   bash campaigns/exhaustive.sh 4096               every variant of a part of the fused matched filter's space, 9 minutes a call (BUDGET), in simulation 2,200 of them beside 16 cores
#   bash campaigns/exhaustive.sh 4096 default       the default strategy on the same part, knowing nothing of that, 8 minutes a call at most
#
# $OUT/exhaustive-N.jsonl put into $RESUME is gone on from: what is in it is not measured again. With both journals there ($OUT or $RESUME) a call
# prints how far the default ended from the exhaustive best, and both sessions' shares of time. `space` counts first: 2,688 variants at 1024 and 2048,
# 2,640 at 4096, 2,280 of 2,496 at 8192, 2,780 of 3,680 at 16384 fit 48 KB.
# Rehearsal: DEVICE=swiftshader PAIRS=8 DATA=2 TEMPLATES=4 BUDGET=30s bash campaigns/exhaustive.sh 1024
# Also: PAIRS, DATA, TEMPLATES, PROFILE, COMPILERS (how many compile ahead), WHERE (another part of the space) or EXTRA (one more condition).
set -u
. "$(dirname "$0")/enter.sh"
N=${1:-4096} MODE=${2:-exhaustive} PADDING="0|32"
[ "$MODE" = default ] && BUDGET=${BUDGET:-8m} || BUDGET=${BUDGET:-9m}
[ "$N" = 16384 ] && PADDING="0|16|32" && : "${PAIRS:=16384}" "${DATA:=32}"
: "${PAIRS:=32768}" "${DATA:=64}" "${TEMPLATES:=512}"
PART="tile=1,reduction=subgroup,gap=1|2,padding=$PADDING,butterfly=fused|merged,twiddles=table|table-pairs,loads=scalar,transforms=1,index=modulo,unroll=true,shuffle=0${EXTRA:+,$EXTRA}"
WHERE=${WHERE:-$PART}
problem="n=$N,data=$DATA,templates=$TEMPLATES,pairs=$PAIRS"
journal=$OUT/$MODE-$N.jsonl
strategy=exhaustive; [ "$MODE" = default ] && strategy=model
lab space matched-filter --problem "$problem" --where "$WHERE" --device "${DEVICE:-auto}" 2>/dev/null | grep -A99 "^fused" | grep -m2 "variants of\|fit"
again=(); [ "$MODE" = exhaustive ] && [ -f "$RESUME/exhaustive-$N.jsonl" ] && cp "$RESUME/exhaustive-$N.jsonl" "$journal" && again=(--resume)
lab tune --kernel matched-filter --algorithm fused --problem "$problem" --where "$WHERE" --strategy $strategy ${COMPILERS:+--compilers $COMPILERS} \
  --no-transfer --profile "${PROFILE:-portable}" --budget "$BUDGET" --device "${DEVICE:-auto}" --journal "$journal" "${again[@]}" --out "$OUT/lab-$MODE-$N" 2>&1 | tail -"${LINES_KEPT:-30}"
rm -rf "$OUT/lab-$MODE-$N"
of() { [ -f "$OUT/$1-$N.jsonl" ] && echo "$OUT/$1-$N.jsonl" || echo "$RESUME/$1-$N.jsonl"; }
node $campaigns/exhaustive-verdict.mjs "$(of exhaustive)" "$(of default)"
