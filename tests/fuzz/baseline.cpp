// SPDX-License-Identifier: Apache-2.0
// Fuzz target: baselines.
#include "gttf/study/check/baseline.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "fuzz/refused.hpp"
#include "gttf/config/source.hpp"
#include "gttf/output/json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  const std::string text(reinterpret_cast<const char*>(bytes), n);
  gttf::test::refused_or_read([&] {
    const auto source = std::make_shared<gttf::Source>("fuzz.json", text);
    gttf::read_baseline(gttf::read_json(text, "fuzz.json"), source);
  });
  return 0;
}
