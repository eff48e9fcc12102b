#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails if an object file calls anything before main() that may allocate memory:
# if memory is exhausted, the program would end before it can report this. Static
# objects of the project are constants.
#
# Two are not ours:
# - std::ios_base::Init of <iostream>, which Random123 and CLI11 include, fills
#   buffers that the C++ library has; it needs no memory.
# - CLI11 makes validators that nobody uses. The one object that has them is left
#   out (apps/command_line.cpp, in no unity unit for this reason); should they
#   find no memory, set_terminate_first() of apps/main.cpp says so.
# Usage: initialisers.sh OBJDUMP FAULTY OBJECT...; FAULTY has a vector before
# main() and shows that the check finds it.
set -u
objdump=${1:?program objdump}
command -v "$objdump" > /dev/null || { echo 'skipped: no objdump'; exit 77; }
for tool in nm c++filt; do
  command -v $tool > /dev/null || { echo "skipped: no $tool"; exit 77; }
done

case $("$objdump" --version) in
  *LLVM*) only=--disassemble-symbols ;;
  *) only=--disassemble ;;
esac

# calls OBJECT: what its initialisers of static objects, as g++ and clang name
# them, call. A call has a relocation or, within a section, the name itself.
calls() {
  nm "$1" | awk '
    $3 ~ /^(_GLOBAL__sub_I_|__cxx_global_var_init|_Z[0-9]*__static_init)/ &&
    $3 !~ /[.]cold$/ { print $3 }' |
    while read -r name; do
      "$objdump" -d -r --no-show-raw-insn "$only=$name" "$1"
    done | awk '
      function tell() { if (called != "" && called != own) print called; called = "" }
      / R_[A-Z0-9_]+/ {
        if (called == "") next
        called = $NF
        sub(/[-+]0x[0-9a-f]+$/, "", called)
        tell()
        next
      }
      { tell() }
      /^[0-9a-f]+ <.*>:$/ { own = substr($2, 2, length($2) - 3); next }
      $2 ~ /^(callq?|jmpq?|bl|b)$/ {
        called = $NF
        gsub(/^<|([+]0x[0-9a-f]+)?>$/, "", called)
      }
      END { tell() }' | c++filt | sort -u
}

# allocating OBJECT: those of them that may need memory.
allocating() {
  calls "$1" | grep -Ev \
    -e '^std::ios_base::Init::~?Init\(\)$' -e '^__cxa_atexit$' \
    -e '^__stack_chk_fail$' -e '^__cxx_global_var_init' \
    -e '^__static_initialization_and_destruction_'
}

faulty=${2:?an object with a vector before main()}
shift 2
[ -n "$(allocating "$faulty")" ] || {
  echo "$faulty has a vector before main(): does this check see any call?"
  exit 1
}
status=0
with_validators=0
for object; do
  found=$(allocating "$object")
  case $found in
    '') ;;
    *CLI::*) with_validators=$((with_validators + 1)) ;;
    *)
      echo "$object calls before main():"
      printf '%s\n' "$found" | sed 's/^/  /'
      status=1
      ;;
  esac
done
[ "$with_validators" -le 1 ] || {
  echo "$with_validators objects have the validators of CLI11: one may"
  status=1
}
exit $status
