#!/usr/bin/env bash
# Studies of an operation whole: the document's five tables of eigh and the crossover between CPU and GPU, a journal each.
#
#   pnpm lab pack --no-dawn --out .gpu/lab && bash campaigns/studies.sh            all six: about 260 s on an H200
#   bash campaigns/studies.sh eigh/backends eigh/threads        these; PROFILE=native in that profile; LIMIT=120 ends each after so many seconds
#   DEVICE=swiftshader LIMIT=30 bash campaigns/studies.sh eigh/modes        a rehearsal
#
# A study that was cut off has the rows that it came to, and its page says what is unmeasured. With its journal in $RESUME under the same name the next call
# goes on from it, rows that are whole there are not measured again, and the new journal holds all of them; of a published session a checkout writes one:
#   pnpm lab results export 01M8Q64DYSFYDKY26P24REVB0B --journal .gpu/resume/eigh-backends-portable.jsonl
set -u
. "$(dirname "$0")/enter.sh"
studies=("$@"); [ $# -gt 0 ] || studies=(eigh/backends eigh/threads eigh/crossover eigh/matrices eigh/modes eigh/inner)
for study in "${studies[@]}"; do
  name=${study/\//-}-${PROFILE:-portable}.jsonl
  resume=(); [ ! -f "$RESUME/$name" ] || resume=(--resume "$RESUME/$name")
  kept 8 timeout -s INT -k 10 "${LIMIT:-300}" node "$LAB"/lab.mjs tables --measure --device "${DEVICE:-auto}" --profile "${PROFILE:-portable}" --only "$study" \
    "${resume[@]}" --journal "$OUT/$name"
  echo "$study: $SECONDS s"
done
