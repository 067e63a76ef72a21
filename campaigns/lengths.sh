#!/usr/bin/env bash
# The matched filter at n = 1024, 2048, 8192 (32768 pairs) and 16384 (16384 pairs) beside its peers in one run, the best rows of earlier tables tried
# first, then what the search finds: 350 s on an H200 (34 s for the peers, two sessions of 150 s, and their starts). $OUT gets a journal a profile;
# PROFILES=native halves it.
#
#   pnpm lab pack --no-dawn --out .gpu/lab && bash campaigns/lengths.sh
#   SHAPES="n=1024,data=2,templates=2,pairs=4 n=2048,data=2,templates=2,pairs=4" ROWS=2 BUDGET=60s PEERS= DEVICE=swiftshader PROFILES=portable \
#     bash campaigns/lengths.sh        a rehearsal: ROWS keeps the first rows of the list, those of 1024 and 2048 points
#
# PEERS: the peers' script (Python with CuPy, PyTorch and Triton; empty for none).
set -u
. "$(dirname "$0")/enter.sh"
peers ceilings,mf '(ceilings/(fma|copy)|mf/(torch_ifft_noscale|cufft_inplace_noscale|unfused_triton)/(1024|2048|8192|16384)/(32768|16384)$)' 45 lengths
M=data=64,templates=512,pairs=32768
shapes=(${SHAPES:-n=1024,$M n=2048,$M n=8192,$M n=16384,data=32,templates=512,pairs=16384})
P=staging=split,padding=32,gap=2
R=reduction=subgroup,tile=1,hoist=false
R4=reduction=subgroup,tile=4,hoist=false
rows=(
  "radix=32,butterfly=fused,workgroup=32,chunk=32,$P,twiddles=table-pairs,$R"    # 1024
  "radix=16,butterfly=merged,workgroup=128,chunk=16,$P,twiddles=direct,$R4"      # 2048
  "radix=32,butterfly=merged,workgroup=32,chunk=16,$P,twiddles=table-pairs,$R"   # 1024
  "radix=32,butterfly=merged,workgroup=32,chunk=32,$P,twiddles=table-pairs,$R"   # 1024
  "radix=32,butterfly=merged,workgroup=32,chunk=32,$P,twiddles=direct,$R"        # 1024
  "radix=16,butterfly=fused,workgroup=128,chunk=16,$P,twiddles=table-walk,$R4"   # 2048
  "radix=64,butterfly=merged,workgroup=32,chunk=32,$P,twiddles=table-pairs,$R"   # 2048
  "radix=16,butterfly=split,workgroup=128,chunk=16,$P,twiddles=direct,$R,loads=vector"
  "radix=32,butterfly=merged,workgroup=256,chunk=16,$P,twiddles=direct,$R"       # 8192
  "radix=32,butterfly=merged,workgroup=128,chunk=16,${P/split/whole},twiddles=direct,$R"
  "radix=32,butterfly=fused,workgroup=512,chunk=16,$P,twiddles=table-pairs,$R"   # 16384
)
words=()
for shape in "${shapes[@]}"; do words+=(--problem "$shape"); done
for row in "${rows[@]:0:${ROWS:-${#rows[@]}}}"; do words+=(--start "fused/$row"); done
for profile in ${PROFILES:-portable native}; do
  kept 25 lab tune --kernel matched-filter "${words[@]}" --no-transfer --budget "${BUDGET:-150s}" --device "${DEVICE:-auto}" --profile "$profile" \
    --journal "$OUT/lengths-$profile.jsonl"
done
