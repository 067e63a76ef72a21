#!/usr/bin/env bash
# How right is every form of the eigensolver on this device? At n = 192, 256, 384 and 512 each form solves one batch with a matrix of every kind (17: random to graded, split,
# clustered, huge and tiny ones; padding and gaps differ by order), and float64 judges every matrix. $OUT gets a journal a form and order, and accuracy.txt: form, n, matrices
# right of all, and the largest error in n eps (the bound for a table is 10).
#
#   pnpm lab pack --no-dawn --out .gpu/lab && bash campaigns/accuracy.sh        24 sessions of 20 to 60 s each there, of which the float64 judge on one core takes most
#   LIMIT=60 bash campaigns/accuracy.sh 384 512        these orders, each session ended after so many seconds
#   DEVICE=swiftshader MANY=4 bash campaigns/accuracy.sh 24 48        a rehearsal, 8 minutes on two busy cores: each of MANY workgroups of a matrix (8) needs four rows
#
# A journal is a session of `tune` with the form's trials: tune measures an algorithm's default first and keeps half its trials to certify, so that a form that is not the default
# needs four. It says what is right; not which form is fast: import none of these journals to publish it. The table takes a form's own trials alone; exit 1 where one was not run, or anything is wrong.
set -u
. "$(dirname "$0")/enter.sh"
orders=("$@"); [ $# -gt 0 ] || orders=(192 256 384 512)
forms=(scalar block tridiagonal/solver={ql,divide},groups=1,sweeps=2 tridiagonal/memory=global,solver={ql,divide},groups=${MANY:-8},sweeps=2)
# Tables of such a session would count as a user's own: they go where nobody reads.
tables=$(mktemp -d); trap 'rm -rf "$tables"' EXIT
for n in "${orders[@]}"; do
  for form in "${forms[@]}"; do
    name=accuracy-$n-${form/\//+} trials=4
    [ "$form" != "${form%%/*}" ] || trials=1
    timeout -s INT -k 10 "${LIMIT:-120}" node "$LAB"/lab.mjs tune --device "${DEVICE:-auto}" --profile "${PROFILE:-portable}" --kernel eigh --algorithm "${form%%/*}" \
      --problem "n=$n,batch=17,spectrum=mixed,pad=$((n % 3)),gap=$((n % 5))" --start "$form" --trials $trials --no-transfer --out "$tables" --journal "$OUT/$name.jsonl" > "$OUT/$name.txt" 2>&1
    echo "n = $n, $form: exit $?, $SECONDS s"
  done
done
node $campaigns/accuracy-table.mjs "$OUT" | tee "$OUT/accuracy.txt"
exit "${PIPESTATUS[0]}"
