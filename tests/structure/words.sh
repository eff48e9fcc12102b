#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails if a page, a help text, a message or a comment uses a word of the list
# below, which reads like a translation. Usage: words.sh ROOT
#
# In pages only text is read, not code; in code only string literals and
# comments. A line is excepted by an entry of `allowed`: file, then words that
# the line contains.
cd "${1:?folder of the project}" || exit 2

# word (extended regular expression, whole words): write instead
habits='tells?|told: prints, shows, reports, states
anew: again; regenerate
shall: must
beside: next to; compared with
faults?: error
is answered: is reported as
asked for|asks? for|as asked: requested, or leave it out
(is|are) no [a-z]+: is not a ...
(makes?|made) [a-z ]*of the variance: contributes ... to the variance
(may|can|to) be had: is available
for people: for the terminal; for readers
one by one: individually
without more ado|by and by: gradually
takes? [a-z]+ for granted: assumes
but for (the )?(rounding|last): except for ...
whatever the: for any; independently of
lanes?: element of a vector; track
exclude each other: cannot be used together
goes with|go with: can be used with
looked at|looks at: evaluated; tested
in place of: instead of
way back: backward pass
cut off: truncated
(comes?|come) back: returns; recurls
give [a-z]+ by --?[a-z]+: give ... with --...
have no word for: cannot express'

# "faults" is a key of the JSON that `validate` writes.
allowed='apps/validate.cpp: .set("faults"
tests/apps/verbs_test.cpp: faults["faults"]'

{
  find README.md CHANGELOG.md SECURITY.md docs detectors -name '*.md' 2> /dev/null
  find lib apps tests -name '*.[ch]pp' 2> /dev/null
} | sort | HABITS=$habits ALLOWED=$allowed xargs awk '
  BEGIN {
    n = split(ENVIRON["HABITS"], line, "\n")
    for (i = 1; i <= n; i++) {
      at = index(line[i], ": ")
      habit[i] = "(^|[^a-z_-])(" substr(line[i], 1, at - 1) ")($|[^a-z_-])"
      better[i] = substr(line[i], at + 2)
    }
    exceptions = split(ENVIRON["ALLOWED"], line, "\n")
    for (i = 1; i <= exceptions; i++) {
      at = index(line[i], ": ")
      file[i] = substr(line[i], 1, at - 1)
      words[i] = substr(line[i], at + 2)
    }
  }
  FNR == 1 { code = 0; files++ }
  { text = $0 }
  FILENAME ~ /md$/ {
    if (text ~ /^ *(```|~~~)/) { code = !code; next }
    if (code) next
    gsub(/`[^`]*`/, "", text)
    gsub(/\]\([^)]*\)/, "]", text)
    gsub(/\$[^$]*\$/, "", text)
  }
  FILENAME ~ /pp$/ {
    if (text ~ /^ *#/) next
    literals = ""
    while (match(text, /"([^"\\]|\\.)*"|\/\/.*/)) {
      literals = literals " " substr(text, RSTART + 1, RLENGTH - 2) \
        (substr(text, RSTART, 1) == "/" ? substr(text, length(text)) : "")
      text = substr(text, RSTART + RLENGTH)
    }
    text = literals
    gsub(/`[^`]*`/, "", text)
  }
  {
    text = tolower(text)
    gsub(/there (is|are) no/, "", text)
    gsub(/(is|are) no longer/, "", text)
    for (i = 1; i <= n; i++) {
      if (text !~ habit[i]) continue
      fine = 0
      for (j = 1; j <= exceptions; j++)
        if (FILENAME == file[j] && index($0, words[j])) fine = 1
      if (fine) continue
      match(text, habit[i])
      found = substr(text, RSTART, RLENGTH)
      gsub(/^[^a-z]+|[^a-z]+$/, "", found)
      printf "%s:%d: \"%s\": write: %s\n", FILENAME, FNR, found, better[i]
      found_any = 1
    }
  }
  END {
    if (!files) { print "no pages found"; exit 2 }
    exit found_any
  }'
