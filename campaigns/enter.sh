# Sourced by every campaign. It leaves: $LAB, the packed laboratory (default .gpu/lab of the checkout); $OUT, an existing folder for journals and
# records (default .gpu/out); $RESUME, where files of an earlier call are looked for (default .gpu/resume); `lab`, the packed command; `kept N COMMAND`, its
# last N lines; and `peers SECTIONS CASES SECONDS NAME`. A script ends with the exit code of the last `kept` command that failed, or its own `status`.
# A machine without Node or dawn.node brings them in .gpu/, whose enter.sh unpacks them; elsewhere Node is there and TUNELAB_DAWN names dawn.node.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
campaigns=campaigns
[ -z "${GPU_NODE:-}" ] && [ -f .gpu/enter.sh ] && . .gpu/enter.sh
: "${LAB:=.gpu/lab}" "${OUT:=.gpu/out}" "${RESUME:=.gpu/resume}"
mkdir -p "$OUT"
[ -f "$LAB/lab.mjs" ] || { echo "no packed laboratory in $LAB: pnpm lab pack --no-dawn --out $LAB, or name another in LAB" >&2; exit 2; }
lab() { node "$LAB/lab.mjs" "$@"; }
status=0
trap 'code=$?; [ $code -ne 0 ] || exit "$status"' EXIT
kept() { local lines=$1 code; shift; "$@" 2>&1 | tail -n "$lines"; code=${PIPESTATUS[0]}; [ "$code" -eq 0 ] || status=$code; }
# The peers' script runs the cases that a regular expression over section/case/n/batch finds; $OUT/NAME-peers.jsonl.
: "${PEERS=.gpu/h200_peers.py}"
peers() {
  [ -n "$PEERS" ] || return 0
  [ -f "$PEERS" ] || { echo "no peers beside this run: $PEERS is not here (PEERS names the script; empty asks for none)"; return 0; }
  python3 "$PEERS" --sections "$1" --only "$2" --total-s "$3" --out "$OUT/$4-peers.jsonl" > /dev/null 2> "$OUT/$4-peers.txt" || echo "the peers' script ended with exit $?: $OUT/$4-peers.txt"
  grep -hs '"case"' "$OUT/$4-peers.jsonl" | grep -v '"section":"meta"' | cut -c1-160
}
