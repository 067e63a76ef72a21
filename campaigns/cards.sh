#!/usr/bin/env bash
# Can several campaigns share the seconds of a machine with several cards? Runs commands side by side, one a card, each seeing its own card alone (a mount namespace
# whose /dev has no other: needs root); whoever is done takes the next. On a machine with one card they run one after the other.
#
#   pnpm lab pack --no-dawn --out .gpu/lab
#   bash campaigns/cards.sh 'bash campaigns/exhaustive.sh 1024' 'bash campaigns/exhaustive.sh 2048' 'bash campaigns/exhaustive.sh 4096'
#   CARDS='/dev/tty0 /dev/tty1' bash campaigns/cards.sh 'ls /dev/tty?' 'ls /dev/tty?'        a rehearsal of the namespaces: each lists its own
#
# A card's commands print into $OUT/card-K.txt, shown at the end; the exit status is the largest of theirs. Cores are shared: COMPILERS=14 leaves each half of 32.
set -u
. "$(dirname "$0")/enter.sh"
[ $# -gt 0 ] || { echo "no commands: bash campaigns/cards.sh 'COMMAND' ..." >&2; exit 2; }
read -ra cards <<< "${CARDS:-$(ls -d /dev/nvidia[0-9]* 2>/dev/null | tr '\n' ' ')}"
[ ${#cards[@]} -gt 0 ] || { echo "no cards: no /dev/nvidia0 here" >&2; exit 2; }
export GPU_NODE LAB OUT RESUME own all=" ${cards[*]} "
turns=$OUT/cards.turns; echo 0 > "$turns"
# In its own namespace: a /dev of links and character devices, without the cards of others.
apart='
dev=$(mktemp -d) && mount -t tmpfs none "$dev" || exit
for one in /dev/*; do
  if [ -d "$one" ]; then mkdir "$dev/${one#/dev/}" && mount --bind "$one" "$dev/${one#/dev/}"
  elif [[ $all != *" $one "* || $one = "$own" ]]; then cp -a "$one" "$dev/"; fi
done
mount --move "$dev" /dev
exec bash -c "$1"
'
turn() { # the number of the next command
  ( flock 9; read -r next < "$turns"; echo $((next + 1)) > "$turns"; echo "$next" ) 9< "$turns"
}
worker() {
  local worst=0 next
  while next=$(turn); [ "$next" -lt $# ]; do
    local command=${*:$((next + 1)):1}
    echo "== $command"
    if [ ${#cards[@]} -gt 1 ]; then unshare --mount bash -c "$apart" apart "$command"; else bash -c "$command"; fi
    local code=$?; [ $code -gt $worst ] && worst=$code
    echo "== exit $code after $SECONDS s"
  done
  return $worst
}
for index in "${!cards[@]}"; do
  own=${cards[$index]} worker "$@" > "$OUT/card-$index.txt" 2>&1 &
  workers[index]=$!
done
status=0
for index in "${!cards[@]}"; do
  wait "${workers[$index]}"; code=$?; [ $code -gt $status ] && status=$code
  echo "card $index (${cards[$index]}):"; tail -n "${LINES_KEPT:-60}" "$OUT/card-$index.txt"
done
rm -f "$turns"
exit $status
