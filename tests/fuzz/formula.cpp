// SPDX-License-Identifier: Apache-2.0
// Fuzz target: formulas; what is read as one is read again from its own text,
// and then gives the same value.
#include "gttf/config/formula.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes,
                                      std::size_t n) {
  if (n == 0) return 0;
  // The first byte chooses the dimension of the result.
  constexpr std::array<gttf::Powers, 4> wanted{
      {{}, {.length = 1}, {.angle = 1}, {.energy = -1}}};
  const gttf::Powers result = wanted[bytes[0] % wanted.size()];
  const std::string text(reinterpret_cast<const char*>(bytes) + 1, n - 1);
  const gttf::FormulaRules rules{{{"pT", {.energy = 1}},
                                  {"theta", {.angle = 1}},
                                  {"eta", {}},
                                  {"baseline", result}},
                                 result,
                                 3};
  const auto formula = gttf::parse_formula(text, rules);
  if (!formula) {
    // An error is reported at a place of the text or at its end.
    if (formula.problem.empty() || formula.offset > text.size()) std::abort();
    return 0;
  }
  const auto again = gttf::parse_formula(formula.value.text(), rules);
  if (!again) std::abort();
  constexpr std::array<double, 4> variables{5, 0.5, 2, 0.2};
  const double value = formula.value(variables);
  const double repeated = again.value(variables);
  if (std::isnan(value) != std::isnan(repeated)) std::abort();
  if (!std::isnan(value) && std::bit_cast<std::uint64_t>(value) !=
                                std::bit_cast<std::uint64_t>(repeated))
    std::abort();
  return 0;
}
