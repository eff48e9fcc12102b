// SPDX-License-Identifier: Apache-2.0
// Fuzz target: detector files.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/refused.hpp"
#include "gttf/detector/read.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  const std::string text(reinterpret_cast<const char*>(bytes), n);
  gttf::test::refused_or_read([&] { gttf::parse_detector(text, "fuzz.yaml"); });
  return 0;
}
