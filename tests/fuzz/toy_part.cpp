// SPDX-License-Identifier: Apache-2.0
// Fuzz target: parts and checkpoints of runs over toys.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/refused.hpp"
#include "gttf/output/json.hpp"
#include "gttf/study/toys/toy_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  const std::string text(reinterpret_cast<const char*>(bytes), n);
  gttf::test::refused_or_read([&] {
    const auto part = gttf::toy_state_of(gttf::read_json(text, "part"), "part");
    const auto sum = gttf::merge_toys({part}, {"part"});
    gttf::toy_table(sum);
    gttf::toy_results(sum);
    gttf::toy_summary(sum);
  });
  return 0;
}
