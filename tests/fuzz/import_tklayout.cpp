// SPDX-License-Identifier: Apache-2.0
// Fuzz target: lists of modules of tkLayout, up to the first line that begins
// with =; behind it the table of pitches and material, else one that is right.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/imported.hpp"
#include "fuzz/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  constexpr std::string_view usual =
      "section,pitch_u_um,pitch_v_um,x_over_x0,sensors\n"
      "TB2S,90,50000,4 %,2\nTBPS,100,1467,5 %,1\n";
  const std::string_view text(reinterpret_cast<const char*>(bytes), n);
  const std::size_t end = std::min(text.find("\n="), n);
  const std::string_view table =
      end < n ? text.substr(end + 2) : std::string_view(usual);
  const gttf::test::MemoryFile file(
      reinterpret_cast<const std::uint8_t*>(table.data()), table.size());
  gttf::test::import_bytes(bytes, end, gttf::ForeignFormat::tklayout,
                           file.path());
  return 0;
}
