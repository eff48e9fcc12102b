#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails if clang-format 14 would change a source file; ends with 77 (skipped)
# where it is not installed. Usage: format.sh ROOT
cd "${1:?folder of the project}" || exit 2
for tool in clang-format-14 clang-format; do
  if "$tool" --version 2> /dev/null | grep -q 'version 14[.]'; then
    find lib apps tests -name '*.[ch]pp' | sort |
      xargs "$tool" --dry-run --Werror --style=file
    exit
  fi
done
echo "skipped: clang-format 14 is not installed"
exit 77
