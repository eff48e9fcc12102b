// SPDX-License-Identifier: Apache-2.0
// Fuzz target: parts and checkpoints of runs over toys. Their checksum is set
// right, or no input but the seeds would get beyond it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "fuzz/refused.hpp"
#include "gttf/config/sha256.hpp"
#include "gttf/output/json.hpp"
#include "gttf/study/toys/toy_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  const std::string text(reinterpret_cast<const char*>(bytes), n);
  gttf::test::refused_or_read([&] {
    const gttf::Document read = gttf::read_json(text, "part");
    gttf::Document document;
    if (const auto* members =
            std::get_if<gttf::Document::Members>(&read.value()))
      for (const auto& [name, member] : *members)
        if (name != gttf::checksum_member) document.set(name, member);
    const auto part =
        gttf::toy_state_of(gttf::with_checksum(std::move(document)), "part");
    const auto sum = gttf::merge_toys({part}, {"part"});
    gttf::toy_table(sum);
    gttf::toy_results(sum);
    gttf::toy_summary(sum);
  });
  return 0;
}
