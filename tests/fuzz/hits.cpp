// SPDX-License-Identifier: Apache-2.0
// Fuzz target: hits in CSV.
#include <cstddef>
#include <cstdint>

#include "fuzz/memory_file.hpp"
#include "fuzz/refused.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/study/hits/hit_file.hpp"
#include "made/barrel_yaml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  static const gttf::Detector detector =
      gttf::parse_detector(gttf::test::barrel_yaml, "barrel.yaml").detector;
  const gttf::test::MemoryFile file(bytes, n);
  // The first byte chooses what to do with bad lines and with mixed tracks.
  gttf::HitFileOptions options;
  if (n > 0 && bytes[0] % 2 != 0) options.bad_rows = gttf::BadRows::skip;
  if (n > 0 && bytes[0] % 4 > 1) options.order = gttf::TrackOrder::any;
  gttf::test::refused_or_read([&] {
    gttf::HitFile hits(file.path(), detector, options);
    while (!hits.next().empty()) {
    }
  });
  return 0;
}
