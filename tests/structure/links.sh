#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails if a page links to a file of the project that is not there.
# Usage: links.sh ROOT
cd "${1:?folder of the project}" || exit 2

find . -name build -prune -o -name out -prune -o -name '*.md' -print | sort |
  xargs awk '
  FNR == 1 { code = 0; folder = FILENAME; sub(/[^\/]*$/, "", folder); files++ }
  /^ *(```|~~~)/ { code = !code; next }
  code { next }
  {
    text = $0
    gsub(/`[^`]*`/, "", text)
    while (match(text, /\]\([^) ]+\)/)) {
      target = substr(text, RSTART + 2, RLENGTH - 3)
      text = substr(text, RSTART + RLENGTH)
      sub(/#.*$/, "", target)
      if (target != "" && target !~ /^[a-z]+:/)
        print FILENAME ":" FNR ": " target "\t" folder target
    }
  }
  END { if (!files) print "no pages found\t/nonexistent" }' | {
    status=0
    tab=$(printf '\t')
    while IFS=$tab read -r place path; do
      [ -e "$path" ] || { echo "$place: no such file"; status=1; }
    done
    exit $status
  }
