# Sourced by every campaign. It leaves: $LAB, the packed laboratory (default .gpu/lab of the checkout); $OUT, an existing folder for journals and
# records (default .gpu/out); $RESUME, where files of an earlier call are looked for (default .gpu/resume); and `lab`, the packed command.
# A machine without Node or dawn.node brings them in .gpu/, whose enter.sh unpacks them; elsewhere Node is there and TUNELAB_DAWN names dawn.node.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
campaigns=campaigns
[ -z "${GPU_NODE:-}" ] && [ -f .gpu/enter.sh ] && . .gpu/enter.sh
: "${LAB:=.gpu/lab}" "${OUT:=.gpu/out}" "${RESUME:=.gpu/resume}"
mkdir -p "$OUT"
[ -f "$LAB/lab.mjs" ] || { echo "no packed laboratory in $LAB: pnpm lab pack --no-dawn --out $LAB, or name another in LAB" >&2; exit 2; }
lab() { node "$LAB/lab.mjs" "$@"; }
