// SPDX-License-Identifier: Apache-2.0
// Fuzz target: surfaces with material as ACTS writes them, with a table of
// errors.
#include <cstddef>
#include <cstdint>

#include "fuzz/imported.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  gttf::test::import_with_table(
      bytes, n, gttf::ForeignFormat::acts,
      "volume,layer,sigma_u_um,sigma_v_um\n7,,10,20\n8,4,5,\n");
  return 0;
}
