#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program is compiled and linked with hardening options.
# Usage: hardening.sh PROGRAM
set -u
program=${1:?program}
command -v readelf > /dev/null || { echo 'no readelf'; exit 77; }
status=0
has() {
  readelf -W "$1" "$program" | grep -Eq -- "$2" && return
  echo "hardening: no $3 in $program"
  status=1
}
has -h 'Type: *DYN' 'position independent code'
has -d 'FLAGS.*NOW' 'binding of all functions at the start'
has -l 'GNU_RELRO' 'read-only tables'
has -s '__stack_chk_fail' 'canaries on the stack'
has -s '_chk@|_chk$' 'checked string functions'
readelf -W -l "$program" | grep -Eq 'GNU_STACK.* RWE ' && {
  echo 'hardening: the stack may be executed'
  status=1
}
exit $status
