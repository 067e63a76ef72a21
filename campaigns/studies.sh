#!/usr/bin/env bash
# Studies of an operation whole: the document's five tables of eigh and the crossover between CPU and GPU, a journal each.
#
#   pnpm lab pack --no-dawn --out .gpu/lab && bash campaigns/studies.sh            all six: about 260 s on an H200
#   bash campaigns/studies.sh eigh/backends eigh/threads        these; PROFILE=native in that profile; LIMIT=120 ends each after so many seconds
#   DEVICE=swiftshader LIMIT=30 bash campaigns/studies.sh eigh/modes        a rehearsal
#
# A study that was cut off has the rows that it came to, and its page says what is unmeasured.
set -u
. "$(dirname "$0")/enter.sh"
studies=("$@"); [ $# -gt 0 ] || studies=(eigh/backends eigh/threads eigh/crossover eigh/matrices eigh/modes eigh/inner)
for study in "${studies[@]}"; do
  timeout -s INT -k 10 "${LIMIT:-300}" node "$LAB"/lab.mjs tables --measure --device "${DEVICE:-auto}" --profile "${PROFILE:-portable}" --only "$study" \
    --journal "$OUT/${study/\//-}-${PROFILE:-portable}.jsonl" 2>&1 | tail -8
  echo "$study: $SECONDS s"
done
