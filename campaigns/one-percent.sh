#!/usr/bin/env bash
# Is a change of 1% seen? Among prebuilt commits whose kernel does a little more (a chain of dependent multiply-adds at its start),
# the one nearest to 1% is compared with the plain one 10 times: at least 9 must call it slower. Then the time that comparing all shipped
# matched-filter entries takes (goal: under 180 s).
#
#   pnpm --filter @tunelab/example-compare-power commits --out "$PWD/.gpu/power"
#   bash campaigns/one-percent.sh            both          bash campaigns/one-percent.sh power | shipped        one part
#   pnpm lab known-changes .gpu/out/one-percent.json        back in the checkout: publishes what was seen
#   bash campaigns/one-percent.sh power -- --kernel matched-filter --problem n=64,data=2,templates=4,pairs=8 --runs 1        a rehearsal
#
# H200: 5 s a candidate and problem and 4 to 7 s a run; 65 s for what is selected, 90 s for all that ships. The 12 MB of .gpu/power may travel as .gpu/power.tgz.
set -u
POWER=${POWER:-.gpu/power}; LAB=$POWER/lab
here=$(dirname "$0")/..
[ -d "$here/$POWER" ] || [ ! -f "$here/$POWER.tgz" ] || tar xzf "$here/$POWER.tgz" -C "$(dirname "$here/$POWER")"
. "$(dirname "$0")/enter.sh"
part=both; case "${1:-}" in power | shipped) part=$1; shift ;; esac
given=(--kernel matched-filter --problem n=4096,data=64,templates=512,pairs=32768 --problem n=2048,data=64,templates=512,pairs=32768 --effect 0.01 --runs 10 --least 9)
shipped=(--kernel matched-filter --workload standard)
if [ "${1:-}" = -- ]; then shift; given=("$@"); shipped=(--kernel matched-filter --workload quick --device swiftshader --parity-only); fi
found=$OUT/one-percent.json; status=0
cp "$RESUME"/one-percent.json "$OUT"/ 2>/dev/null
if [ $part != shipped ]; then
  node "$POWER/measure.mjs" --lab "$LAB" --seconds 540 --out "$found" "${given[@]}" || status=$?
fi
[ $part = power ] && exit $status
if [ $SECONDS -gt "${LIMIT:-300}" ]; then echo "no time for the shipped entries: bash campaigns/one-percent.sh shipped"; exit 3; fi
nearest=$(node -e '
  const { existsSync, readdirSync, readFileSync } = require("node:fs"); const [found, sides] = process.argv.slice(1);
  const names = () => readdirSync(sides).map((side) => JSON.parse(readFileSync(`${sides}/${side}/side.json`, "utf8")).revision.text);
  console.log((existsSync(found) && JSON.parse(readFileSync(found, "utf8")).nearest) || names().find((name) => name !== "plain"));
' "$found" "$LAB/sides")
for which in selected all-shipped; do
  flags=(); [ $which = all-shipped ] && flags=(--all-shipped)
  from=$SECONDS
  lab compare plain "$nearest" "${shipped[@]}" "${flags[@]}" --record "$OUT/$which.json" > "$OUT/$which.txt" 2> "$OUT/$which.err"; code=$?
  if [ ! -f "$OUT/$which.json" ]; then echo "$which: no record: $(tail -1 "$OUT/$which.err")"; status=1; continue; fi
  rm -f "$OUT/$which.err"
  rows=$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).rows.length' "$OUT/$which.json")
  echo "$which: $rows rows in $((SECONDS - from)) s (wanted: under 180), exit $code"; tail -3 "$OUT/$which.txt"
done
exit $status
