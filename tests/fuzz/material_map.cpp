// SPDX-License-Identifier: Apache-2.0
// Fuzz target: tables of material that varies over a layer, and x/X0 at places
// within and beyond their bins.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fuzz/memory_file.hpp"
#include "gttf/detector/material_map.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  const gttf::test::MemoryFile file(bytes, n);
  gttf::Diagnostics diagnostics;
  const auto map = gttf::read_material_map(file.path(), diagnostics);
  if (!map) {
    if (!diagnostics.has_errors()) std::abort();
    return 0;
  }
  for (const double x : {-1e9, -3.2, -0.1, 0.0, 1.0, 3.2, 500.0, 1e9}) {
    gttf::MapPlace place;
    place.fill(x);
    const double relative = map->relative(place);
    if (!(relative >= 0 && std::isfinite(relative))) std::abort();
  }
  return 0;
}
