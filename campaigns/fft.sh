#!/usr/bin/env bash
# The batched transform of 2^LOG points in all (2^23: 64 MiB in, 64 out), n = 256 to 1048576 forward and 4096 inverse, and beside cuFFT in one run 32768
# transforms of 1024 points (2^25): 90 s a profile on an H200, and 17 s for the peers. $OUT gets a journal a profile. Judging a variant there took 1 to
# 2 s a trial at 2^23 and 5 s at 2^25, so that 70 s were 29 trials, mostly defaults: the published table is of such a session.
#
#   pnpm lab pack --no-dawn --out .gpu/lab && bash campaigns/fft.sh
#   PROFILES=native BUDGET=60s bash campaigns/fft.sh        one profile
#   LOG=16 LONGEST=65536 PEERS= DEVICE=swiftshader PROFILES=portable bash campaigns/fft.sh        a rehearsal
#
# PEERS: the peers' script (Python with CuPy and PyTorch; empty for none).
set -u
. "$(dirname "$0")/enter.sh"
: "${LOG:=23}" "${LONGEST:=1048576}"
peers mf 'mf/(torch_ifft_noscale|cufft_inplace_noscale)/(1024|4096)/' 30 fft
problems=()
of() { problems+=(--problem "n=$1,batch=$(( (1 << $2) / $1 )),direction=$3"); }
for n in 256 1024 4096 16384 65536 1048576; do [ $n -gt "$LONGEST" ] || of $n "$LOG" forward; done
of 4096 "$LOG" inverse
[ -z "$PEERS" ] || of 1024 25 forward
# One workgroup: the best configurations of the matched filter at 1024 to 16384 points, and several transforms a workgroup where one has few threads.
S=staging=split,padding=32,gap=2
O=one-workgroup
rows=(
  "$O/radix=16,butterfly=merged,workgroup=16,chunk=16,$S,twiddles=constant,transforms=8,loads=scalar"        # 256
  "$O/radix=16,butterfly=merged,workgroup=16,chunk=16,$S,twiddles=table-pairs,transforms=4,loads=scalar"     # 256
  "$O/radix=32,butterfly=merged,workgroup=32,chunk=32,$S,twiddles=table-pairs,transforms=1,loads=scalar"     # 1024
  "$O/radix=16,butterfly=merged,workgroup=64,chunk=16,$S,twiddles=table-pairs,transforms=2,loads=scalar"     # 1024
  "$O/radix=16,butterfly=merged,workgroup=128,chunk=16,$S,twiddles=table-pairs,transforms=1,loads=scalar"    # 4096
  "$O/radix=16,butterfly=merged,workgroup=256,chunk=16,$S,twiddles=table-pairs,transforms=1,loads=scalar"    # 4096
  "$O/radix=16,butterfly=merged,workgroup=128,chunk=16,$S,twiddles=direct,transforms=1,loads=scalar"         # 4096
  "$O/radix=32,butterfly=fused,workgroup=512,chunk=16,$S,twiddles=table-pairs,transforms=1,loads=scalar"     # 16384
)
# Several steps: two passes a step (radix 16), 16 points a thread; columns of 64 and 128 bytes side by side.
for steps in side=8,between=two-level,layout=tiles side=16,between=walk,layout=tiles side=8,between=walk,layout=rows; do
  for split in 256 1024; do
    rows+=("four-step/split=$split,radix=16,butterfly=merged,points=16,chunk=16,$S,twiddles=table-pairs,$steps")
  done
done
starts=(); for row in "${rows[@]}"; do starts+=(--start "$row"); done
for profile in ${PROFILES:-portable native}; do
  kept 32 lab tune --kernel fft "${problems[@]}" "${starts[@]}" --no-transfer --budget "${BUDGET:-90s}" --device "${DEVICE:-auto}" --profile "$profile" \
    --journal "$OUT/fft-$profile.jsonl"
done
