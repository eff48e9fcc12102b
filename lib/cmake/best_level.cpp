// SPDX-License-Identifier: Apache-2.0
// Prints the name of the best level that this processor supports.
#include <cstdio>

#include "gttf/core/simd.hpp"

int main() {
  const char* best = "scalar";
#define GTTF_BETTER(name, supported) \
  if (supported) best = #name;
  GTTF_X86_LEVELS(GTTF_BETTER)
#undef GTTF_BETTER
  std::fputs(best, stdout);
}
