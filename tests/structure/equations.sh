#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails if docs/theory/equations.md or errata.md names a header, a name in it, a
# test or a label that is not there, or if a label that is cited anywhere, or
# one of the paper's, is missing in the list. Usage: equations.sh ROOT
cd "${1:?folder of the project}" || exit 2
list=docs/theory/equations.md
errata=docs/theory/errata.md
[ -f "$list" ] && [ -f "$errata" ] || { echo "$list, $errata: missing"; exit 1; }
status=0
fault() {
  echo "$1: $2"
  status=1
}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# The last cells of a row: `file` what to look for. Of the list both code and
# test, of the errata the test.
awk -F ' *[|] *' '
  /^\| (`eq:|no label|<a id)/ {
    for (i = NF - (FILENAME ~ /equations/ ? 2 : 1); i < NF; i++) {
      split($i, part, "`")
      folder = part[2] ~ /_test[.]cpp$/ ? "tests/" : "lib/gttf/"
      text = $i
      sub(/^`[^`]*` */, "", text)
      print FILENAME ":" FNR "\t" folder part[2] "\t" text
    }
  }' "$list" "$errata" > "$work/named"
tab=$(printf '\t')
while IFS=$tab read -r place file text; do
  if [ ! -f "$file" ]; then
    fault "$place" "no such file: $file"
  elif [ -z "$text" ]; then
    fault "$place" "says nothing to look for in $file"
  else
    # A name of a test is a string or the first line of one.
    case $file in
      *_test.cpp) grep -qF "\"$text" "$file" ;;
      *) grep -qwF -- "$text" "$file" ;;
    esac || fault "$place" "not in $file: $text"
  fi
done < "$work/named"

sed -n 's/^| `\(eq:[A-Za-z0-9_]*\)`.*/\1/p' "$list" | sort > "$work/labels"
uniq -d "$work/labels" | while read -r label; do
  echo "$list: $label stands twice"
done > "$work/twice"
[ ! -s "$work/twice" ] || { cat "$work/twice"; status=1; }
said=$(sed -n 's/.*labels \([0-9]*\) equations.*/\1/p' "$list")
counted=$(wc -l < "$work/labels")
[ "$counted" -eq "${said:-0}" ] ||
  fault "$list" "lists $counted labels of ${said:-?} equations"

grep -rnoE 'eq:[A-Za-z0-9_]+' lib docs tests --include='*.[ch]pp' \
  --include='*.md' | while IFS=: read -r file line eq label; do
  grep -qx "$eq:$label" "$work/labels" ||
    echo "$file:$line: $eq:$label is not in $list"
done > "$work/unknown"
[ ! -s "$work/unknown" ] || { cat "$work/unknown"; status=1; }
[ -s "$work/named" ] || fault "$list" 'no equation found: is the pattern still right?'
exit $status
