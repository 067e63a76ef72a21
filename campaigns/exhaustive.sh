#!/usr/bin/env bash
# Does the default strategy find what an exhaustive pass finds? One length a call, N = 1024, 2048, 4096, 8192 or 16384:
#
#   pnpm lab pack --no-dawn --out .gpu/lab
#   bash campaigns/exhaustive.sh 4096               every variant of a part of the fused matched filter's space, 9 minutes a call (BUDGET); 2,353 of them took an H200 300 to 355 s beside 16 cores
#   bash campaigns/exhaustive.sh 4096 default       the default strategy on the same part, knowing nothing of that, 8 minutes a call at most; 80 s were enough
#
# $OUT/exhaustive-N.jsonl put into $RESUME is gone on from: what is in it is not measured again. With both journals there ($OUT or $RESUME) a call
# prints how far the default ended from the exhaustive best, and both sessions' shares of time (reports/search/exhaustive.md has the published ones). The part holds the best of every earlier session: radix 8 to
# 32, 8 to 32 points a thread, chunks of 8 and more; 2,352 variants at 1024, 2048 and 4096, all of which fit 48 KB; 1,540 of 1,960 at 8192, 693 of 1,638 at 16384.
# Left out are 64 points a thread and shorter chunks: they take an H200's driver up to 20 s and more to compile and, where earlier sessions timed them, 1.2 to 8 times as long as the best.
# Rehearsal: DEVICE=swiftshader PAIRS=8 DATA=2 TEMPLATES=4 BUDGET=30s bash campaigns/exhaustive.sh 1024
# Also: PAIRS, DATA, TEMPLATES, PROFILE, COMPILERS (how many compile ahead), WHERE (another part of the space) or EXTRA (one more condition).
set -u
. "$(dirname "$0")/enter.sh"
N=${1:-4096} MODE=${2:-exhaustive}
case $N in 1024 | 2048 | 4096 | 8192 | 16384) ;; *) echo "exhaustive.sh N [exhaustive|default]: N is 1024, 2048, 4096, 8192 or 16384, not $N" >&2; exit 2 ;; esac
case $MODE in exhaustive | default) ;; *) echo "exhaustive.sh N [exhaustive|default], not $MODE" >&2; exit 2 ;; esac
[ "$MODE" = default ] && BUDGET=${BUDGET:-8m} || BUDGET=${BUDGET:-9m}
[ "$N" = 16384 ] && : "${PAIRS:=16384}" "${DATA:=32}"
: "${PAIRS:=32768}" "${DATA:=64}" "${TEMPLATES:=512}"
threads=""; for points in 32 16 8; do [ $((N / points)) -gt 1024 ] || threads=$threads${threads:+|}$((N / points)); done
PART="tile=1,reduction=subgroup,radix=8|16|32,workgroup=$threads,chunk=8|16|32,padding=0|16|32,gap=1|2|4,twiddles=direct|table|table-pairs|constant"
PART="$PART,loads=scalar,transforms=1,index=modulo,unroll=true,shuffle=0${EXTRA:+,$EXTRA}"
WHERE=${WHERE:-$PART}
problem="n=$N,data=$DATA,templates=$TEMPLATES,pairs=$PAIRS"
journal=$OUT/$MODE-$N.jsonl
strategy=exhaustive; [ "$MODE" = default ] && strategy=model
again=(); [ "$MODE" = exhaustive ] && [ -f "$RESUME/exhaustive-$N.jsonl" ] && cp "$RESUME/exhaustive-$N.jsonl" "$journal" && again=(--resume)
kept "${LINES_KEPT:-30}" lab tune --kernel matched-filter --algorithm fused --problem "$problem" --where "$WHERE" --strategy $strategy ${COMPILERS:+--compilers $COMPILERS} \
  --no-transfer --profile "${PROFILE:-portable}" --budget "$BUDGET" --device "${DEVICE:-auto}" --journal "$journal" "${again[@]}" --out "$OUT/lab-$MODE-$N"
rm -rf "$OUT/lab-$MODE-$N"
of() { [ -f "$OUT/$1-$N.jsonl" ] && echo "$OUT/$1-$N.jsonl" || echo "$RESUME/$1-$N.jsonl"; }
[ ! -f "$(of exhaustive)" ] || [ ! -f "$(of default)" ] || kept 20 lab regret "$(of exhaustive)" "$(of default)"
