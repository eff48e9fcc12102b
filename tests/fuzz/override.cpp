// SPDX-License-Identifier: Apache-2.0
// Fuzz target: changes of a detector, one a line, as --set takes them.
#include "gttf/detector/override.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/refused.hpp"
#include "gttf/detector/read.hpp"
#include "made/barrel_yaml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  static const std::string description = gttf::test::barrel_yaml;
  std::vector<std::string> changes(1);
  for (std::size_t i = 0; i < n; ++i) {
    if (bytes[i] == '\n')
      changes.emplace_back();
    else
      changes.back() += static_cast<char>(bytes[i]);
  }
  gttf::test::refused_or_read(
      [&] { gttf::parse_detector(description, "fuzz.yaml", changes); });
  return 0;
}
