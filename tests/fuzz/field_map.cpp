// SPDX-License-Identifier: Apache-2.0
// Fuzz target: tables of a field map.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fuzz/memory_file.hpp"
#include "gttf/detector/field_grid_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  const gttf::test::MemoryFile file(bytes, n);
  gttf::Diagnostics diagnostics;
  const auto grid = gttf::read_field_grid(file.path(), diagnostics);
  if (!grid && !diagnostics.has_errors()) std::abort();
  return 0;
}
