#!/usr/bin/env bash
# What each of native's two toggles costs alone: the best variants of three lengths under portable, without robustness, without zeroed workgroup memory and
# native, six rounds in turn, each verified: 100 s on an H200 (estimated). $OUT gets a record a length: pnpm lab toggles --import FILE, then pnpm tables.
#
#   pnpm lab pack --no-dawn --out .gpu/lab && bash campaigns/toggles.sh
#   DEVICE=swiftshader ROUNDS=1 SMALL=1 bash campaigns/toggles.sh        a rehearsal
set -u
. "$(dirname "$0")/enter.sh"
one() { # length, problem, variant...
  local n=$1 problem=$2; shift 2; local variants=(); for v in "$@"; do variants+=(--variant "$v"); done
  [ -n "${SMALL:-}" ] && problem=n=64,data=2,templates=2,pairs=4 && variants=()
  lab toggles matched-filter --device "${DEVICE:-auto}" --rounds "${ROUNDS:-6}" --problem "$problem" ${variants[@]+"${variants[@]}"} --record "$OUT/toggles-$n.json" 2>&1 | grep -v ' of .*left)'
  echo "n=$n: exit ${PIPESTATUS[0]}, $SECONDS s"
}
S="chunk=16,staging=split,padding=32,gap=2"; T="reduction=subgroup,tile=1,hoist=false"
one 1024 n=1024,data=64,templates=512,pairs=32768 "fused/radix=32,butterfly=merged,workgroup=32,$S,twiddles=table-pairs,$T"
one 4096 n=4096,data=64,templates=512,pairs=32768 "fused/radix=16,butterfly=merged,workgroup=128,$S,twiddles=direct,$T" "fused/radix=16,butterfly=merged,workgroup=128,chunk=32,staging=whole,padding=0,gap=1,twiddles=direct,$T"
one 16384 n=16384,data=32,templates=512,pairs=16384 "fused/radix=32,butterfly=fused,workgroup=512,$S,twiddles=table-pairs,$T"
