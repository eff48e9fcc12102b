// SPDX-License-Identifier: Apache-2.0
// MomentumSearches: p_significant of many tracks or triplets at once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "gttf/core/root.hpp"
#include "gttf/core/units.hpp"
#include "gttf/resolution/batch.hpp"

// SignificantMomentum: the momentum up to which xi reaches a threshold,
// computed step by step, so that one call can evaluate xi for many searches.
namespace gttf::detail {

/// The largest momentum at which xi reaches `least`. For nearly straight tracks
///
///   1/xi^2 = 1/xi_MS^2 + (p/P)^2,   P a constant of the hits
///
/// so that 1 - (least/xi)^2 is nearly linear in p^2, and xi p does not decrease
/// with p.
///
///   while (!search.done()) search.take(xi_at(search.momentum()));
class SignificantMomentum {
 public:
  static constexpr double highest = 1e9 * unit::GeV;
  static constexpr double tolerance = 1e-10;  ///< relative

  /// @param least  > 0
  SignificantMomentum(double start, double least)
      : least_(least), momentum_(start) {}

  bool done() const { return done_; }
  /// The momentum at which xi is needed next.
  double momentum() const { return momentum_; }

  /// @param xi  at momentum(); NaN if there is none
  void take(double xi) {
    if (in_root_) return take_root(excess(xi));
    const Point here{momentum_, excess(xi)};
    if (here.excess >= 0)
      take_above(here);
    else if (std::isnan(xi))
      take_none();
    else
      take_below(here);
  }

  /// Whether xi existed at the start.
  bool started() const { return above_.exists() || below_.exists(); }
  /// NaN if xi is below `least` at all momenta from the start down to where it
  /// does not exist; infinite if it reaches `least` at any momentum.
  double result() const { return result_; }

 private:
  struct Point {
    double p = 0, excess = 0;
    bool exists() const { return p > 0; }
  };
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  static constexpr double beside = 1.02;  ///< to the other side of a root
  static constexpr double step_down = 1.25, step_up = 4;
  static constexpr int most_steps = 60;

  /// 1 - (least/xi)^2; negative where there is no xi.
  double excess(double xi) const {
    const double ratio = least_ / xi;
    return std::isnan(xi) ? -1 : 1 - ratio * ratio;
  }

  /// The root of the line through one point and 1 at p = 0.
  static double root_of_line(const Point& a) {
    return a.p / std::sqrt(1 - a.excess);
  }
  /// The root of the line through two points; nothing if it does not decrease,
  /// or has none at p > 0.
  static std::optional<double> root_of_line(const Point& a, const Point& b) {
    const double slope = (b.excess - a.excess) / ((b.p - a.p) * (b.p + a.p));
    const double square = a.p * a.p - a.excess / slope;
    if (!(slope < 0 && square > 0)) return std::nullopt;
    return std::sqrt(square);
  }

  void take_above(const Point& here) {
    if (below_.exists()) return bracket(here, below_);
    if (here.p >= highest)
      return finish(std::numeric_limits<double>::infinity());
    constexpr double longest = 1000;
    double next = root_of_line(here);
    if (above_.exists())
      next = root_of_line(above_, here).value_or(step_up * step_up * here.p);
    above_ = here;
    step_ = std::min(step_ * step_, step_up);
    next = std::clamp(beside * next, step_ * here.p, longest * here.p);
    go_to(std::min(next, highest));
  }

  void take_below(const Point& here) {
    if (above_.exists()) return bracket(above_, here);
    // xi p does not decrease with p: there is no root above this one
    double next = root_of_line(here);
    double step = step_down;
    if (!below_.exists()) {
      next /= beside;
      step = beside;
    } else if (const auto line = root_of_line(here, below_)) {
      next = *line / beside;
      step_ = step = std::min(step_ * step_, step_down);
    }
    below_ = here;
    go_down(std::min(next, here.p / step));
  }

  void take_none() {
    if (above_.exists()) return bracket(above_, {momentum_, none});
    if (!below_.exists()) return finish(none);
    gone_ = momentum_;
    go_down(gone_);
  }

  /// Down to `next`, but not where xi does not exist.
  void go_down(double next) {
    // not a multiple of a step, so that the result does not depend on rounding
    constexpr double near = 1.05;
    if (gone_ > 0 && below_.p <= near * gone_) return finish(none);
    go_to(next > gone_ ? next : std::sqrt(below_.p * gone_));
  }

  void go_to(double next) {
    if (++steps_ > most_steps) return finish(none);
    momentum_ = next;
  }

  /// The remaining search is between two momenta, in p^2.
  void bracket(const Point& good, const Point& bad) {
    if (good.excess == 0) return finish(good.p);
    above_ = good;
    const double end = bad.p / good.p;
    const double step = good.excess / (good.excess - bad.excess);
    root_ = RootSearch(1, good.excess, end * end,
                       std::isnan(bad.excess) ? -1 : bad.excess, 2 * tolerance,
                       step > 0 ? step : 0.5);
    in_root_ = true;
    momentum_ = of_root();
  }

  void take_root(double excess) {
    root_.take(excess);
    momentum_ = of_root();
    if (root_.done()) finish(momentum_);
  }

  double of_root() const { return above_.p * std::sqrt(root_.place()); }

  void finish(double result) {
    result_ = result;
    done_ = true;
  }

  double least_, momentum_;
  Point above_, below_;  ///< the last ones with xi >= least and xi < least
  double gone_ = 0;      ///< largest momentum below below_ without xi
  double step_ = beside;
  int steps_ = 0;
  RootSearch root_;
  bool in_root_ = false;
  double result_ = none;
  bool done_ = false;
};

}  // namespace gttf::detail

namespace gttf::detail {

/// A request for xi at a momentum, for a track or for three of its hits.
struct AskedXi {
  std::size_t track = 0;
  double p = 0;
  std::array<std::size_t, 3> layers{};
};

/// Start of the searches of a momentum: above the regimes of most detectors,
/// where tracks are straight. The result is a property of the direction, the
/// same for tracks of all momenta.
inline constexpr double common_start = 100 * unit::GeV;

/// Whether the search must start at the momentum p of the track: if xi does not
/// exist at the common start, or `found` from there contradicts the track.
/// @param xi  at p
inline bool must_start_at(double p, double xi, double least,
                          const SignificantMomentum& found) {
  return !found.started() || (xi >= least && !(found.result() >= p));
}

/// Data shared by tracks in the same direction.
using DirectionKey = std::array<std::uint64_t, 7>;

inline DirectionKey direction_key(const TrackArrays& t, std::size_t track) {
  const auto bits = [track](std::span<const double> values) {
    return std::bit_cast<std::uint64_t>(values[values.size() == 1 ? 0 : track]);
  };
  return {bits(t.theta), bits(t.phi), bits(t.mass), bits(t.charge),
          bits(t.x),     bits(t.y),   bits(t.z)};
}

/// Simultaneous searches of p_significant.
class MomentumSearches {
 public:
  /// `asked.p` and `xi` are the values of the track; tracks in the same
  /// `direction` and with the same layers share a search.
  void add(const AskedXi& asked, double xi, std::size_t direction) {
    const auto [found, is_new] = common_of_.try_emplace(
        std::pair(direction, asked.layers), common_.size());
    if (is_new) {
      common_.push_back(asked);
      common_.back().p = common_start;
    }
    questions_.push_back({asked, xi, found->second});
  }

  /// The results in the order of add().
  /// @param evaluate  void(const std::vector<AskedXi>&, std::span<double> xi)
  template <class Evaluate>
  std::vector<double> run(double least, const Evaluate& evaluate) const {
    const std::vector<SignificantMomentum> common =
        search(common_, least, evaluate);
    std::vector<double> results;
    std::vector<AskedXi> from_tracks;
    std::vector<std::size_t> places;
    for (const Question& q : questions_) {
      if (must_start_at(q.asked.p, q.xi, least, common[q.common])) {
        places.push_back(results.size());
        from_tracks.push_back(q.asked);
      }
      results.push_back(common[q.common].result());
    }
    const std::vector<SignificantMomentum> own =
        search(from_tracks, least, evaluate);
    for (std::size_t i = 0; i < own.size(); ++i)
      results[places[i]] = own[i].result();
    return results;
  }

 private:
  struct Question {
    AskedXi asked;
    double xi;
    std::size_t common;
  };

  /// Each step requests xi for all unfinished searches at once.
  template <class Evaluate>
  static std::vector<SignificantMomentum> search(
      const std::vector<AskedXi>& starts, double least,
      const Evaluate& evaluate) {
    std::vector<SignificantMomentum> searches;
    searches.reserve(starts.size());
    for (const AskedXi& start : starts) searches.emplace_back(start.p, least);
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < starts.size(); ++i) active.push_back(i);
    std::vector<AskedXi> asked;
    std::vector<double> xi;
    while (!active.empty()) {
      asked.clear();
      for (const std::size_t i : active) {
        asked.push_back(starts[i]);
        asked.back().p = searches[i].momentum();
      }
      xi.resize(asked.size());
      evaluate(asked, xi);
      for (std::size_t i = 0; i < active.size(); ++i)
        searches[active[i]].take(xi[i]);
      std::erase_if(active, [&](std::size_t i) { return searches[i].done(); });
    }
    return searches;
  }

  std::map<std::pair<std::size_t, std::array<std::size_t, 3>>, std::size_t>
      common_of_;
  std::vector<AskedXi> common_;
  std::vector<Question> questions_;
};

}  // namespace gttf::detail
