#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails if an object compiled for more than the baseline of the processor defines
# anything but its own kernels: the linker may take a weak function,
# std::max for example, out of any object, and the program would then end with
# SIGILL on processors without these instructions.
# Usage: simd_symbols.sh FAULTY OBJECT...; FAULTY has weak functions and shows
# that the check finds them.
set -u
command -v nm > /dev/null || { echo 'skipped: no nm'; exit 77; }

# Variables gttf::detail::<level>::<name>, as in gttf/kernels/tables.hpp.
names='10covariance|10in_regions|11triplet_fit|13streaming_fit|9flown_fit|4toys|10flown_toys|8triplets'
kernel="^_ZN4gttf6detail[0-9]+[a-z0-9]+($names)E\$"

# Defined global and weak symbols other than the kernels.
shared_symbols() {
  nm --defined-only "$1" | awk -v kernel="$kernel" '$2 ~ /^[A-TVWu]$/ && $3 !~ kernel {
    print $3 }'
}

faulty=${1:?an object with weak functions}
shift
[ -n "$(shared_symbols "$faulty")" ] || {
  echo "$faulty should have weak functions: does this check see any?"
  exit 1
}
status=0
for object; do
  found=$(shared_symbols "$object")
  [ -z "$found" ] || {
    echo "$object:"
    echo "$found" | c++filt
    status=1
  }
done
exit $status
