// SPDX-License-Identifier: Apache-2.0
// Fuzz target: tables of published resolutions.
#include "gttf/study/report/published.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fuzz/memory_file.hpp"
#include "fuzz/refused.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  const gttf::test::MemoryFile file(bytes, n);
  gttf::test::refused_or_read([&] {
    // Reports divide by both.
    for (const gttf::Published& p : gttf::read_published(file.path()))
      if (!(p.momentum > 0 && p.sigma > 0 && std::isfinite(p.momentum) &&
            std::isfinite(p.sigma)))
        std::abort();
  });
  return 0;
}
