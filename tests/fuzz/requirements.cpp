// SPDX-License-Identifier: Apache-2.0
// Fuzz target: requirement files.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "fuzz/memory_file.hpp"
#include "fuzz/refused.hpp"
#include "gttf/study/check/requirement_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  const gttf::test::MemoryFile file(bytes, n);
  const auto no_baseline = [](const std::string&, const gttf::Value& value,
                              std::string&) -> std::optional<gttf::Baseline> {
    value.error("there is none");
    return std::nullopt;
  };
  gttf::test::refused_or_read(
      [&] { gttf::read_requirements(file.path(), {}, "", no_baseline); });
  return 0;
}
