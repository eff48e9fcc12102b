// SPDX-License-Identifier: Apache-2.0
// Fuzz target: optimisation files. Their detector is always the small barrel.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/memory_file.hpp"
#include "fuzz/refused.hpp"
#include "gttf/study/optimise/read_problem.hpp"
#include "made/barrel_yaml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  static const std::string description = gttf::test::barrel_yaml;
  static const gttf::test::MemoryFile barrel(
      reinterpret_cast<const std::uint8_t*>(description.data()),
      description.size());
  std::string text(reinterpret_cast<const char*>(bytes), n);
  const std::string key = "detector: ";
  if (const auto at = text.find(key); at != text.npos) {
    const auto begin = at + key.size();
    text.replace(begin, std::min(text.find('\n', begin), text.size()) - begin,
                 barrel.path());
  }
  const gttf::test::MemoryFile file(
      reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  gttf::test::refused_or_read([&] {
    gttf::Diagnostics warnings;
    gttf::read_problem(file.path(), {}, {}, warnings);
  });
  return 0;
}
