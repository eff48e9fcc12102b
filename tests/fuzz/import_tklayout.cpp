// SPDX-License-Identifier: Apache-2.0
// Fuzz target: lists of modules of tkLayout, with a table of pitches and
// material.
#include <cstddef>
#include <cstdint>

#include "fuzz/imported.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  gttf::test::import_with_table(
      bytes, n, gttf::ForeignFormat::tklayout,
      "section,pitch_u_um,pitch_v_um,x_over_x0,sensors\n"
      "TB2S,90,50000,4 %,2\nTBPS,100,1467,5 %,1\n");
  return 0;
}
