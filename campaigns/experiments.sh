#!/usr/bin/env bash
# The experiments, one session and one journal each (those of NATIVE in the native profile too), in calls of LIMIT seconds (200), going on where the last ended.
#
#   pnpm lab pack --no-dawn --out .gpu/lab && bash campaigns/experiments.sh        everything: 26 runs, 264 s on an H200, two calls
#   bash campaigns/experiments.sh masks chunked        those whose names hold a word; PROFILES says in which profiles
#   bash campaigns/experiments.sh --list        what would run, what is done, the estimate of the rest; nothing runs
#   DEVICE=swiftshader ROUNDS=2 bash campaigns/experiments.sh chunked        a rehearsal
#
# A run costs EACH seconds (12; twice that where a hierarchical filter is in it) until the measured pace replaces it, and is not begun when it would not end in
# time. Three files come back: experiments.tar (journals of finished runs, NAME.PROFILE.jsonl), experiments.log, unfinished.tar (a run that the limit cut off:
# its whole rounds can be imported). experiments.tar unpacked into $RESUME does not run again. Import with `pnpm lab experiment import`, in a checkout of the packed commit.
set -u
. "$(dirname "$0")/enter.sh"
: "${LIMIT:=200}" "${DEVICE:=auto}" "${ROUNDS:=8}" "${EACH:=12}" "${PROFILES:=portable native}"
: "${NATIVE:=twiddle-table masks chunked incremental level-loop split-staging}"
began=$(date +%s); passed() { echo $(( $(date +%s) - began )); }
work=$(mktemp -d); mkdir -p "$work/done" "$work/cut" "$OUT"
log() { echo "$*" | tee -a "$OUT/experiments.log"; }
[ -d "$RESUME" ] && cp "$RESUME"/*.jsonl "$work/done/" 2>/dev/null
whole() { [ -s "$1" ] && grep -q '"kind":"event".*"kind":"finished"' "$1"; }
for f in "$work"/done/*.jsonl; do [ -e "$f" ] && ! whole "$f" && rm "$f"; done
holds() { local name=$1 word; shift; for word in "$@"; do [[ $name == *"$word"* ]] && return 0; done; return 1; }
names=$(lab experiment list --json | node -e 'for (const { name } of JSON.parse(require("fs").readFileSync(0, "utf8"))) console.log(name)') || exit 1
list=0; [ "${1:-}" = --list ] && list=1 && shift
todo=()
for profile in $PROFILES; do for name in $names; do
  [ $# -gt 0 ] && ! holds "$name" "$@" && continue
  [ "$profile" = native ] && ! holds "$name" $NATIVE && continue
  [ -e "$work/done/$name.$profile.jsonl" ] || todo+=("$name.$profile")
done; done
[ $# -eq 0 ] || [ "${#todo[@]}" -gt 0 ] || [ -n "$(ls "$work/done")" ] || { echo "no experiment's name holds $*: --list shows them" >&2; rm -r "$work"; exit 2; }
cost() { case $1 in *hierarchical*|*tile-fused-or*) echo $(( 2 * EACH )) ;; *) echo "$EACH" ;; esac; }
rest=0; for one in ${todo[@]+"${todo[@]}"}; do rest=$(( rest + $(cost "$one") )); done
log "$(ls "$work/done" | wc -l) runs done, ${#todo[@]} to do, about $rest s; this call ends after $LIMIT s"
if [ $list = 1 ]; then printf '  %s\n' ${todo[@]+"${todo[@]}"}; rm -r "$work"; exit 0; fi
status=0 ran=0 spent=0
for one in ${todo[@]+"${todo[@]}"}; do
  left=$(( LIMIT - $(passed) - 5 )); need=$(cost "$one")
  if [ $left -lt "$need" ]; then log "stops here: $left s left, $one needs about $need"; break; fi
  from=$(date +%s); profile=${one##*.}; name=${one%.*}
  timeout -s INT -k 10 "$left" node "$LAB"/lab.mjs experiment run "$name" --device "$DEVICE" --profile "$profile" --rounds "$ROUNDS" --journal "$work/cut/$one.jsonl" > "$work/last.txt" 2>&1; rc=$?
  took=$(( $(date +%s) - from )); spent=$(( spent + took )); ran=$(( ran + 1 ))
  if whole "$work/cut/$one.jsonl"; then mv "$work/cut/$one.jsonl" "$work/done/"; else status=1; fi
  log "$one: exit $rc, $took s ($(( spent / ran )) s a run so far)"; grep -E '^  .*(measured|predicted)|^tunelab' "$work/last.txt" | tee -a "$OUT/experiments.log"
  # Without a journal no measurement began: usage or the machine, and the next would fail the same way.
  if [ ! -e "$work/cut/$one.jsonl" ] && [ ! -e "$work/done/$one.jsonl" ]; then status=$rc; break; fi
done
tar -cf "$OUT/experiments.tar" -C "$work/done" . && [ -n "$(ls "$work/cut")" ] && tar -cf "$OUT/unfinished.tar" -C "$work/cut" .
log "$(ls "$work/done" | wc -l) runs done, $(passed) s; go on: tar -xf experiments.tar -C .gpu/resume, and call again until none is to do"
rm -r "$work"; exit $status
