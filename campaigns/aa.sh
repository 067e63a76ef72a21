#!/usr/bin/env bash
# Does a comparison ever call one and the same code changed? 24 drawn (variant, problem) entries, from launch-bound to 12 ms, each timed as base
# against candidate with machine code of its own a side, over and over with other seeds. Wanted: 0 changed, the control included, and all bits equal.
#
#   pnpm lab pack --no-dawn --compare HEAD HEAD --out .gpu/lab
#   bash campaigns/aa.sh            five runs          bash campaigns/aa.sh 4 5        runs 4 and 5 alone
#   bash campaigns/aa.sh 1 -- --device swiftshader --sample 2 --problem fft:n=64,batch=2        a rehearsal: flags of compare for the problems below
#
# 90 to 165 s a run on an H200. No run begins after LIMIT (460) seconds: exit 3 then names what is left; records in $RESUME are not measured again.
set -u
. "$(dirname "$0")/enter.sh"
limit=${LIMIT:-460}
runs=(); while [ $# -gt 0 ] && [ "$1" != -- ]; do runs+=("$1"); shift; done
[ ${#runs[@]} -gt 0 ] || runs=(1 2 3 4 5)
# A few drawn variants are inaccurate by design (fast sines): 24 are drawn so that 20 and more are timed.
least=20; given=(--sample 24
  --problem fft:n=64,batch=16 # launch-bound: 5 us
  --problem matched-filter:n=64,data=64,templates=512,pairs=4096
  --problem matched-filter:n=512,data=64,templates=512,pairs=32768
  --problem matched-filter:n=2048,data=64,templates=512,pairs=32768
  --problem matched-filter:n=4096,data=64,templates=512,pairs=65536
  --problem fft:n=256,batch=16384
  --problem fft:n=4096,batch=8192
)
if [ "${1:-}" = -- ]; then shift; least=${LEAST:-1}; given=("$@"); fi
cp "$RESUME"/aa-*.json "$OUT"/ 2>/dev/null
status=0; left=()
for run in "${runs[@]}"; do
  record=$OUT/aa-$run.json; from=$SECONDS
  if [ ! -f "$record" ]; then
    if [ "$from" -gt "$limit" ]; then left+=("$run"); continue; fi
    # Its own exit code is 4 where a drawn variant is inaccurate.
    lab compare HEAD HEAD --force-timing --no-straddle "${given[@]}" --draw 1 --seed $((3 * run)) --record "$record" > "$OUT/aa-$run.txt" 2> "$OUT/aa-$run.err"
  fi
  if [ ! -f "$record" ]; then echo "run $run: no record: $(tail -1 "$OUT/aa-$run.err")"; status=1; continue; fi
  rm -f "$OUT/aa-$run.err"
  echo "run $run: $((SECONDS - from)) s"
  node $campaigns/aa-verdict.mjs "$record" "$least" || status=1
done
if [ ${#left[@]} -gt 0 ]; then echo "no time for runs ${left[*]}: bash campaigns/aa.sh ${left[*]}"; exit 3; fi
echo "exit $status"; exit $status
