// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/label_layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gttf {

bool crosses(const LineSegment& s, const Box& box) {
  // Clips the segment to the box, one side after the other (Liang, Barsky).
  const double dx = s.x1 - s.x0, dy = s.y1 - s.y0;
  double from = 0, to = 1;
  const auto clip = [&](double direction, double distance) {
    if (direction == 0) return distance >= 0;
    const double at = distance / direction;
    if (direction < 0)
      from = std::max(from, at);
    else
      to = std::min(to, at);
    return from <= to;
  };
  return clip(-dx, s.x0 - box.left) && clip(dx, box.right - s.x0) &&
         clip(-dy, s.y0 - box.top) && clip(dy, box.bottom - s.y0);
}

std::vector<double> spread_apart(std::span<const double> wanted, double gap,
                                 double lowest, double highest) {
  const std::size_t n = wanted.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return wanted[a] < wanted[b]; });
  // Without the gaps the positions must not fall: neighbours that would are
  // pooled at their mean (isotonic regression).
  struct Pool {
    double sum;
    std::size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (std::size_t k = 0; k < n; ++k) {
    pools.push_back({wanted[order[k]] - gap * static_cast<double>(k), 1});
    while (pools.size() > 1 &&
           pools[pools.size() - 2].mean() > pools.back().mean()) {
      pools[pools.size() - 2].sum += pools.back().sum;
      pools[pools.size() - 2].count += pools.back().count;
      pools.pop_back();
    }
  }
  const double last_gap = n > 0 ? gap * static_cast<double>(n - 1) : 0;
  const double most = std::max(lowest, highest - last_gap);
  std::vector<double> placed(n);
  std::size_t k = 0;
  for (const Pool& pool : pools) {
    const double base = std::clamp(pool.mean(), lowest, most);
    for (std::size_t i = 0; i < pool.count; ++i, ++k)
      placed[order[k]] = base + gap * static_cast<double>(k);
  }
  return placed;
}

std::optional<BandPlace> place_in_band(std::span<const double> x,
                                       std::span<const double> upper,
                                       std::span<const double> lower,
                                       double width, double height, double left,
                                       double right) {
  double most = height;
  std::optional<BandPlace> best;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double begin = std::max(x[i], left), end = begin + width;
    if (end > right) break;
    double top = -std::numeric_limits<double>::infinity();
    double bottom = -top;
    bool whole = false;
    for (std::size_t j = i; j < x.size(); ++j) {
      if (std::isnan(upper[j]) || std::isnan(lower[j])) break;
      top = std::max(top, upper[j]);
      bottom = std::min(bottom, lower[j]);
      if (x[j] >= end) {
        whole = true;
        break;
      }
    }
    if (!whole || !(bottom - top > most)) continue;
    most = bottom - top + 0.5;  // only a real gain moves the label
    best = BandPlace{(begin + end) / 2, (top + bottom) / 2};
  }
  return best;
}

std::optional<std::size_t> LabelPlacer::take(std::span<const Box> candidates,
                                             bool must_fit) {
  std::optional<std::size_t> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < candidates.size() && least > 0; ++i) {
    const Box& box = candidates[i];
    const bool free =
        box.inside(frame_) &&
        std::none_of(boxes_.begin(), boxes_.end(),
                     [&](const Box& other) { return other.overlaps(box); });
    if (!free) continue;
    double met = 0;
    for (const LineSegment& line : lines_)
      if (crosses(line, box)) met += line.weight;
    if (met < least) {
      least = met;
      best = i;
    }
  }
  if (must_fit && least > 0) return std::nullopt;
  if (best) boxes_.push_back(candidates[*best]);
  return best;
}

}  // namespace gttf
