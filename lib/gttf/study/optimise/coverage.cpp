// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gttf {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Event {
  double cot;
  LayerEdge edge;
  std::size_t index;  ///< of the layer's list, or of an end
};

double cot_of(const LayerEdge& edge, double z0,
              std::span<const double> numbers) {
  const double z = numbers[edge.z] - z0, r = numbers[edge.r];
  if (r == 0) return z < 0 ? -infinity : infinity;
  return z / r;
}

bool is_absent(const CoverageLimit::Ends& ends, std::span<const char> absent) {
  return !absent.empty() && absent[ends.first.layer] != 0;
}

}  // namespace

std::vector<CoverageStep> coverage_steps(const CoverageLimit& limit, double z0,
                                         std::span<const double> numbers,
                                         std::span<const char> absent) {
  // beyond the range this number of layers exists in any design
  std::vector<Event> enters, leaves;
  std::size_t index = 0;
  for (const CoverageLimit::Ends& ends : limit.layers) {
    if (is_absent(ends, absent)) continue;
    Event a{cot_of(ends.first, z0, numbers), ends.first, index},
        b{cot_of(ends.second, z0, numbers), ends.second, index};
    if (a.cot > b.cot) std::swap(a, b);
    enters.push_back(a);
    leaves.push_back(b);
    ++index;
  }
  for (std::size_t i = 0; i < limit.hits; ++i) {
    leaves.push_back({limit.cot_from, {}, index + i});
    enters.push_back({limit.cot_to, {}, index + i});
  }
  std::ranges::stable_sort(enters, {}, &Event::cot);
  std::ranges::stable_sort(leaves, {}, &Event::cot);
  std::vector<CoverageStep> steps;
  for (std::size_t j = 0; j < enters.size(); ++j)
    steps.push_back({z0, leaves[j].edge, enters[j].edge, leaves[j].cot,
                     enters[j].cot, leaves[j].index});
  // a row belongs to a layer, so that it remains the same function when two
  // layers change their order
  std::ranges::sort(steps, {}, &CoverageStep::index);
  return steps;
}

CoverageGap largest_gap(const CoverageLimit& limit,
                        std::span<const double> numbers,
                        std::span<const char> absent) {
  std::vector<double> starts{-limit.vertex_z, limit.vertex_z};
  std::vector<LayerEdge> edges;
  for (const CoverageLimit::Ends& ends : limit.layers) {
    if (is_absent(ends, absent)) continue;
    edges.push_back(ends.first);
    edges.push_back(ends.second);
  }
  const auto add = [&](double z0) {
    if (std::abs(z0) < limit.vertex_z) starts.push_back(z0);
  };
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const double z = numbers[edges[i].z], r = numbers[edges[i].r];
    for (const double cot : {limit.cot_from, limit.cot_to}) add(z - cot * r);
    for (std::size_t k = 0; k < i; ++k) {
      const double other_z = numbers[edges[k].z], other_r = numbers[edges[k].r];
      if (r != other_r) add((z * other_r - other_z * r) / (other_r - r));
    }
  }
  CoverageGap largest{0, -infinity};
  for (const double z0 : starts)
    for (const CoverageStep& step :
         coverage_steps(limit, z0, numbers, absent)) {
      if (!std::isfinite(step.cot_leave) || !std::isfinite(step.cot_enter))
        continue;
      const double missing = missing_length<double>(step, numbers);
      if (missing > largest.missing) largest = {z0, missing};
    }
  return largest;
}

}  // namespace gttf
