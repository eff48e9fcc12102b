# SPDX-License-Identifier: Apache-2.0
# Fails unless the lines of BLOCK stand one after the other in FILE; blanks at
# the ends of lines do not count.
{ gsub(/^[ \t]+|[ \t]+$/, "") }
FILENAME == ARGV[1] { block = block $0 "\n"; next }
{ file = file $0 "\n" }
END { exit !(block != "" && index("\n" file, "\n" block)) }
