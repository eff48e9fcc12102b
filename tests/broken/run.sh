#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Passes every file of tests/broken to the program, which must exit with 2 and print exactly the text of the .expected file next to it, with a location (file:line:column: error:). Files named warn_ are valid, with warnings.
# Usage: run.sh ROOT PROGRAM
set -u
broken=$(cd "${1:?folder of the project}/tests/broken" && pwd) || exit 1
program=${2:?the program gttf-design}
case $program in /*) ;; *) program=$PWD/$program ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files=0 placed=0 read=0 failed=0

# run FILE: the verb that reads such a file; here, so that messages name FILE.
run() {
  case $PWD/$1 in
    */import/*.ini) "$program" import "$1" --field 2T ;;
    */import/modules_*.csv) "$program" import "$1" ;;
    */import/*.json) "$program" import "$1" --field 2T --table acts.table ;;
    */import/*.csv) "$program" import "$1" --field 3.8T --table modules.table ;;
    */import/*) "$program" import "$1" ;;
    */hits/*) "$program" fit small.yaml "$1" ;;
    */requirements/*) "$program" check "$1" ;;
    */study/*) "$program" scan "$1" ;;
    */broken/optimise/*) "$program" optimise "$1" ;;
    *) "$program" validate "$1" ;;
  esac > "$work/out" 2> "$work/all" < /dev/null
  set -- "$?"
  # The summary of an import is not an error.
  sed '/^gttf-design: /d' "$work/all" > "$work/err"
  return "$1"
}

fail() {
  failed=$((failed + 1))
  printf '%s/%s: %s\n' "$(basename "$PWD")" "$file" "$*"
  diff "${file%.*}.expected" "$work/err" | sed 's/^/    /'
}

for folder in detector study requirements optimise hits import; do
  cd "$broken/$folder" || exit 1
  for expected in *.expected; do
    file=
    for candidate in "${expected%.expected}".*; do
      [ "$candidate" = "$expected" ] || file=$candidate
    done
    [ -n "$file" ] || { echo "$folder/$expected: no such file"; exit 1; }
    run "$file"
    status=$?
    cmp -s "$expected" "$work/err" || fail 'says something else'
    case $file in
      warn_*)
        read=$((read + 1))
        [ "$status" = 0 ] || fail "exit code $status"
        continue
        ;;
    esac
    files=$((files + 1))
    [ "$status" = 2 ] || fail "exit code $status"
    if grep -q "^[^ :]*:[1-9][0-9]*:[1-9][0-9]*: error: " "$work/err"; then
      placed=$((placed + 1))
    else
      fail 'no place'
    fi
  done
done

echo "$files broken files: $placed answered with exit code 2 and a place;" \
  "$read odd ones read with warnings; $failed failures"
[ "$failed" = 0 ] && [ "$files" -ge 200 ]
