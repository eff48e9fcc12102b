// SPDX-License-Identifier: Apache-2.0
// Fuzz target: surfaces with material as ACTS writes them, up to the first line
// that begins with =; behind it the table of errors, else one that is right.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/imported.hpp"
#include "fuzz/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  constexpr std::string_view usual =
      "volume,layer,sigma_u_um,sigma_v_um\n7,,10,20\n8,4,5,\n";
  const std::string_view text(reinterpret_cast<const char*>(bytes), n);
  const std::size_t end = std::min(text.find("\n="), n);
  const std::string_view table =
      end < n ? text.substr(end + 2) : std::string_view(usual);
  const gttf::test::MemoryFile file(
      reinterpret_cast<const std::uint8_t*>(table.data()), table.size());
  gttf::test::import_bytes(bytes, end, gttf::ForeignFormat::acts, file.path());
  return 0;
}
