#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails if a source cited as [KEY] in lib, apps, tests or docs is not listed in
# docs/references.md. Usage: citations.sh ROOT
#
# A key is [GTTF] or a name that ends in the last digits of a year or report
# number, e.g. [PDG24]. In code only comments are read; in pages only text, not
# code. Entries of the list start their line: "[PDG24] ..." or "- **[PDG24]**".
cd "${1:?folder of the project}" || exit 2
list=docs/references.md
[ -f "$list" ] || { echo "$list: missing"; exit 1; }

{
  find lib apps tests -name '*.[ch]pp' ! -path '*/structure/*'
  find README.md docs detectors configs -name '*.md' ! -path "$list" 2> /dev/null
} | sort | LIST=$list xargs awk '
  BEGIN {
    while ((getline line < ENVIRON["LIST"]) > 0)
      if (match(line, /^[-*# |]*`?\[[A-Za-z0-9-]+\]/)) {
        key = substr(line, RSTART, RLENGTH)
        sub(/^.*\[/, "[", key)
        known[key] = 1
      }
  }
  FNR == 1 { code = 0 }
  { text = $0 }
  FILENAME ~ /pp$/ { if (!sub(/^.*\/\//, "", text)) next }
  FILENAME ~ /md$/ {
    if (text ~ /^ *(```|~~~)/) { code = !code; next }
    if (code) next
    gsub(/`[^`]*`/, "", text)
  }
  {
    text = " " text
    while (match(text, /[^A-Za-z0-9_\]\)]\[(GTTF|[A-Z][A-Za-z0-9-]*[0-9][0-9][a-z]?)\]/)) {
      key = substr(text, RSTART + 1, RLENGTH - 1)
      cited++
      if (!(key in known)) {
        printf "%s:%d: %s is not in %s\n", FILENAME, FNR, key, ENVIRON["LIST"]
        faults++
      }
      text = " " substr(text, RSTART + RLENGTH)
    }
  }
  END {
    if (!cited) { print "no citation found: is the pattern still right?"; exit 2 }
    exit faults > 0
  }'
