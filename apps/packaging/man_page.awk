# SPDX-License-Identifier: Apache-2.0
# Turns the help of one verb into a section of a man page; -v verb=NAME.
function roff(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  sub(/^[.']/, "\\\\\\&&", text)
  return text
}
function item(line, gap) {
  # names, then two or more spaces, then what they do
  sub(/^ +/, "", line)
  gap = match(line, /  +/)
  print ".TP\n.B " roff(gap ? substr(line, 1, gap - 1) : line)
  if (gap) print roff(substr(line, gap + RLENGTH))
}
NR == 1 { print ".SS " roff(verb) "\n" roff($0) (/[.?!]$/ ? "" : "."); next }
/^Usage: / { print ".PP\n.B " roff(substr($0, 8)); next }
/^(Examples?|To use it):/ {
  print ".PP\n" roff($0) "\n.PP\n.nf"
  verbatim = 1
  next
}
verbatim {
  if ($0 != "") print roff($0)
  next
}
/^[A-Z][A-Za-z ]*:$/ {
  print ".PP\n.I " roff($0)
  listing = 1
  next
}
/^$/ { listing = 0; paragraph = 1; next }
listing && /^  [^ ]/ { item($0); next }
listing && /^    / { sub(/^ +/, ""); print roff($0); next }
paragraph { print ".PP"; paragraph = 0 }
{ print roff($0) }
END { if (verbatim) print ".fi" }
