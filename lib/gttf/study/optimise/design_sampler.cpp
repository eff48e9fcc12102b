// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/design_sampler.hpp"

#include <algorithm>

#include "gttf/core/random.hpp"

namespace gttf {
namespace {

/// A number in [0, 1).
double uniform(std::uint64_t bits) {
  constexpr double scale = 0x1p-53;
  return static_cast<double>(bits >> 11) * scale;
}

}  // namespace

DesignSampler::DesignSampler(const DesignProgram& program)
    : problem_(program.problem()), space_(program.space()) {
  // variables whose layers have a fixed order
  std::vector<std::size_t> variable_of(space_.design.size(), none);
  for (std::size_t v = 0; v < space_.size(); ++v)
    if (space_.variables[v].keys.size() == 1)
      for (const NumberSlope& n :
           space_.keys[space_.variables[v].keys[0]].numbers)
        if (n.slope == 1) variable_of[n.number] = v;
  for (const Gap& gap : program.gaps()) {
    const std::size_t a = variable_of[gap.inner], b = variable_of[gap.outer];
    if (a == none || b == none || a == b) continue;
    if (chains_.empty() || chains_.back().variables.back() != a)
      chains_.push_back({{a}, {}});
    chains_.back().variables.push_back(b);
    chains_.back().gaps.push_back(gap.min);
  }
}

std::vector<double> DesignSampler::design(std::uint64_t index) const {
  std::vector<double> x;
  const RandomPlace place{problem_.seed, index, 0};
  for (std::size_t v = 0; v < space_.size(); ++v) {
    const auto block = random_block(place, v / 4);
    const DesignVariable& variable = space_.variables[v];
    x.push_back(variable.from +
                uniform(block[v % 4]) * (variable.to - variable.from));
  }
  for (const Chain& chain : chains_) put_in_order(chain, x);
  return x;
}

std::vector<std::size_t> DesignSampler::clusters(
    const Chain& chain, const std::vector<double>& x) const {
  constexpr double rounding = 1e-6;
  std::vector<std::size_t> begins{0};
  for (std::size_t i = 1; i < chain.variables.size(); ++i)
    if (x[chain.variables[i]] - x[chain.variables[i - 1]] >
        chain.gaps[i - 1] * (1 + rounding) + rounding)
      begins.push_back(i);
  begins.push_back(chain.variables.size());
  return begins;
}

std::vector<std::vector<double>> DesignSampler::exchanged(
    const std::vector<double>& x) const {
  std::vector<std::vector<double>> designs;
  for (const Chain& chain : chains_) {
    const std::vector<std::size_t> begins = clusters(chain, x);
    const std::size_t n = begins.size() - 1;
    const auto size = [&](std::size_t c) { return begins[c + 1] - begins[c]; };
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; to < n; ++to) {
        if (from == to || (size(from) == 1 && size(to) == 1)) continue;
        // values are sorted, so any layer of the cluster may be moved
        const std::size_t moved =
            chain.variables[to < from ? begins[from] : begins[from + 1] - 1];
        std::vector<double>& there = designs.emplace_back(x);
        there[moved] =
            x[chain.variables[to < from ? begins[to + 1] - 1 : begins[to]]];
        put_in_order(chain, there);
      }
  }
  return designs;
}

/// Sorted values, moved apart as the gaps require, within the bounds.
void DesignSampler::put_in_order(const Chain& chain,
                                 std::vector<double>& x) const {
  std::vector<double> values;
  for (const std::size_t v : chain.variables) values.push_back(x[v]);
  std::ranges::sort(values);
  const std::size_t n = values.size();
  const auto variable = [&](std::size_t i) -> const DesignVariable& {
    return space_.variables[chain.variables[i]];
  };
  // outwards at least, then inwards at most
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = std::clamp(values[i], variable(i).from, variable(i).to);
    if (i > 0)
      values[i] = std::max(values[i], values[i - 1] + chain.gaps[i - 1]);
  }
  for (std::size_t i = n; i-- > 0;) {
    values[i] = std::min(values[i], variable(i).to);
    if (i + 1 < n)
      values[i] = std::min(values[i], values[i + 1] - chain.gaps[i]);
  }
  for (std::size_t i = 0; i < n; ++i) x[chain.variables[i]] = values[i];
}

}  // namespace gttf
