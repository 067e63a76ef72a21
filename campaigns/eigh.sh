#!/usr/bin/env bash
# The eigensolver with eigenvectors beside cuSOLVER in one run: n = 8, 16, 32 (batch 8192), 64 (1024), 128 (256), 256 (16), 512 (1), in both profiles.
# Each form's default and the starts below are timed, then what the strategy proposes while the budget lasts.
#
#   pnpm lab pack --no-dawn --out .gpu/lab && bash campaigns/eigh.sh               380 s on an H200: peers 25, portable 60 + 40 + 125, native 45 + 25 + 80
#   bash campaigns/eigh.sh small | middle | large        n to 32, n = 64 or n from 128 alone
#   DEVICE=swiftshader PEERS= SMALL='8/64 16/64 32/64' MIDDLE=64/2 LARGE=128/2 NO_STARTS=1 PROFILES=portable PORTABLE='40 40 60' bash campaigns/eigh.sh        a rehearsal,
#   without the starts (of which a device with fewer than 512 invocations has not all)
#
# PEERS: the peers' script (Python with CuPy and cuSOLVER; empty for none). PORTABLE, NATIVE: seconds for small, middle and large. $OUT gets a journal each.
set -u
. "$(dirname "$0")/enter.sh"
: "${SMALL:=8/8192 16/8192 32/8192}" "${MIDDLE:=64/1024}" "${LARGE:=128/256 256/16 512/1}" "${PORTABLE:=60 40 125}" "${NATIVE:=45 25 80}"
parts=("$@"); [ $# -gt 0 ] || parts=(small middle large)
peers eigh 'eigh/cusolver_(syevj|Xsyev)Batched_v/(8/8192|16/8192|32/8192|64/1024|128/256|256/16|512/1)$' 40 eigh
O=one-sided
W=tridiagonal/memory=workgroup,groups=1,reduction=subgroup,solver=ql
G=tridiagonal/memory=global,reduction=subgroup,solver=divide,sweeps=2
starts_small=($O/workgroup={32,64,128},split=1,exchange=subgroup,chunk=4 $O/workgroup={64,128},split=2,exchange=subgroup,chunk=4 $O/workgroup=128,split=2,exchange=memory,chunk=4
  $W,threads=32,sweeps=4,matrices=4)
starts_middle=($O/workgroup=64,split=1,exchange=subgroup,chunk=4 $O/workgroup=64,split=2,exchange=memory,chunk=4 $O/workgroup=128,split=2,exchange=memory,chunk=8)
starts_large=($O/workgroup=256,split=4,exchange=memory,chunk=8 $G,threads={128,256},groups=1 $G,threads=512,groups=1 $G,threads=256,groups=8 $G,threads=512,groups=16 $G,threads=256,groups=32)
only_small=(); only_middle=(--algorithm $O); only_large=(--algorithm tridiagonal,one-sided)
for profile in ${PROFILES:-portable native}; do
  [ "$profile" = native ] && budgets=($NATIVE) || budgets=($PORTABLE)
  for part in "${parts[@]}"; do
    case $part in small) sizes=$SMALL budget=${budgets[0]} ;; middle) sizes=$MIDDLE budget=${budgets[1]} ;; large) sizes=$LARGE budget=${budgets[2]} ;; *) echo "no part $part: small, middle, large" >&2; exit 2 ;; esac
    problems=(); for size in $sizes; do problems+=(--problem "n=${size%/*},batch=${size#*/}"); done
    declare -n named=starts_$part only=only_$part
    starts=(); [ -n "${NO_STARTS:-}" ] || for one in "${named[@]}"; do starts+=(--start "$one"); done
    kept 16 lab tune --device "${DEVICE:-auto}" --kernel eigh "${only[@]}" "${problems[@]}" "${starts[@]}" --budget "${budget}s" --profile "$profile" --journal "$OUT/eigh-$part-$profile.jsonl"
    echo "$part, $profile: $SECONDS s"
  done
done
