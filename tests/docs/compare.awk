# SPDX-License-Identifier: Apache-2.0
# Compares EXPECTED with OUTPUT; `...` stands for any text within a line, on a
# line of its own for any number of lines. Trailing blanks do not count.
{ sub(/[ \t]+$/, "") }
FILENAME == ARGV[1] { expected[++n] = $0; next }
{ printed[++m] = $0 }

# True if the literal pieces between the dots of `pattern` occur in order.
function line_matches(pattern, text,   count, piece, i, at) {
  count = split_dots(pattern, piece)
  if (count == 1) return pattern == text
  if (index(text, piece[1]) != 1) return 0
  text = substr(text, length(piece[1]) + 1)
  for (i = 2; i < count; i++) {
    if (!(at = piece[i] == "" ? 1 : index(text, piece[i]))) return 0
    text = substr(text, at + length(piece[i]))
  }
  at = length(text) - length(piece[count]) + 1
  return at >= 1 && substr(text, at) == piece[count]
}

function split_dots(text, piece,   count, at) {
  count = 0
  while ((at = index(text, "..."))) {
    piece[++count] = substr(text, 1, at - 1)
    text = substr(text, at + 3)
  }
  piece[++count] = text
  return count
}

# True if lines i.. of the expected text match lines j.. of the printed one.
function matches(i, j,   k) {
  for (; i <= n; i++) {
    if (expected[i] == "...") {
      for (k = j; k <= m + 1; k++) if (matches(i + 1, k)) return 1
      return 0
    }
    if (j > m || !line_matches(expected[i], printed[j])) {
      if (i > worst) { worst = i; worst_printed = j }
      return 0
    }
    j++
  }
  if (j > m) return 1
  if (i > worst) { worst = i; worst_printed = j }
  return 0
}

END {
  if (matches(1, 1)) exit 0
  print "  expected: " (worst > n ? "nothing more" : expected[worst])
  print "  printed:  " (worst_printed > m ? "nothing more" : printed[worst_printed])
  exit 1
}
