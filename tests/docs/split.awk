# SPDX-License-Identifier: Apache-2.0
# Splits a page into its fenced blocks, written to the folder `out`, and lists
# them: number, line, language, mark (or -), value of the mark, what it needs.
!inside && /^ *(```|~~~)/ {
  inside = 1
  indent = match($0, /[`~]/) - 1
  fence = substr($0, indent + 1, 3)
  words = split(substr($0, indent + 4), word, " ")
  language = words > 0 ? word[1] : "text"
  mark = "-"
  value = 0
  needs = "-"
  for (i = 2; i <= words; i++) {
    equals = index(word[i], "=")
    name = equals ? substr(word[i], 1, equals - 1) : word[i]
    if (name == "needs") {
      needs = substr(word[i], equals + 1)
      continue
    }
    if (name != "exit") mark = name
    if (equals) value = substr(word[i], equals + 1)
  }
  print ++number, FNR, language, mark, value, needs
  printf "" > (out "/" number)
  start = FNR
  next
}
inside && substr($0, indent + 1, 3) == fence {
  inside = 0
  close(out "/" number)
  next
}
inside {
  line = $0
  for (i = 0; i < indent && substr(line, 1, 1) == " "; i++)
    line = substr(line, 2)
  print line > (out "/" number)
}
END {
  if (inside) {
    print FILENAME ":" start ": this block does not end" > "/dev/stderr"
    exit 1
  }
}
