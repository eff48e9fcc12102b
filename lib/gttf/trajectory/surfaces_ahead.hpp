// SPDX-License-Identifier: Apache-2.0
// SurfacesAhead: the surfaces that a flight may still cross, ordered by the
// shortest possible path to them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "gttf/core/matrix.hpp"
#include "gttf/core/units.hpp"
#include "gttf/trajectory/surface_level.hpp"
#include "gttf/trajectory/track.hpp"

namespace gttf {

/// A surface that a track may still cross.
struct SurfaceAhead {
  unsigned surface;
  SurfaceLevel level;
  double side;
  bool approached;       ///< the track starts towards it
  double radius = 0;     ///< of a cylinder, mm
  double speed = 1;      ///< the most that the distance to it changes per path
  bool crossed = false;  ///< at least once, where every crossing counts
  bool passed = false;   ///< outside its edges: the track is on its other side

  /// A length, mm, that no path from `x` to the surface is shorter than.
  double distance(const Vector3& x) const {
    return std::abs(radius > 0 ? x.head<2>().norm() - radius : level.at(x));
  }
};

/// The most that the distance to a surface changes per path of a polar angle,
/// in any azimuth.
inline double fastest_approach(const SurfaceRecord& s, double sin_theta,
                               double cos_theta) {
  if (s.is_upright()) return sin_theta;
  if (!s.leans()) return std::abs(cos_theta);
  return s.normal_r * sin_theta + std::abs(s.normal_z * cos_theta);
}

/// A search for the next crossing tests only the surfaces that may be reached
/// before the crossing found so far: a flight of many legs tests a surface when
/// it gets near, not in each leg.
class SurfacesAhead {
 public:
  void reserve(std::size_t n) {
    list_.reserve(n);
    waiting_.reserve(n);
  }
  void add(const SurfaceAhead& a) {
    list_.push_back(a);
    ++n_left_;
  }

  std::size_t size() const { return list_.size(); }
  SurfaceAhead& operator[](std::size_t i) { return list_[i]; }
  const SurfaceAhead& operator[](std::size_t i) const { return list_[i]; }

  /// Number `i` has been crossed, or passed outside its edges.
  void leave(std::size_t i) {
    list_[i].side = 0;
    --n_left_;
  }
  bool is_left(std::size_t i) const { return list_[i].side == 0; }
  /// Whether no surface is left.
  bool is_empty() const { return n_left_ == 0; }

  /// The path, mm, before which a flight that is at `x` after the path `path`
  /// cannot reach number `i`: a lower bound for any field.
  double earliest(std::size_t i, const Vector3& x, double path) const {
    constexpr double rounding = 1e-9, inexact = 10 * unit::um;
    const SurfaceAhead& a = list_[i];
    if (!(a.side * a.level.at(x) > 0)) return path;
    const double gap = a.distance(x) * (1 - rounding) - inexact;
    return gap > 0 ? path + gap / a.speed : path;
  }

  /// Number `i` is not met before this path.
  void wait(std::size_t i, double path) {
    waiting_.push_back({std::isnan(path) ? 0 : path, i});
    std::ranges::push_heap(waiting_, later);
  }
  /// The path before which none of those that wait is met; infinite without
  /// any.
  double first_path() const {
    return waiting_.empty() ? std::numeric_limits<double>::infinity()
                            : waiting_.front().path;
  }
  /// Takes the one that may be met first, if that may be up to this path.
  std::optional<std::size_t> next_before(double path) {
    if (waiting_.empty() || first_path() > path) return std::nullopt;
    std::ranges::pop_heap(waiting_, later);
    const std::size_t i = waiting_.back().index;
    waiting_.pop_back();
    return i;
  }

 private:
  struct Waiting {
    double path;
    std::size_t index;
  };
  static bool later(const Waiting& a, const Waiting& b) {
    return a.path > b.path;
  }

  std::vector<SurfaceAhead> list_;
  std::vector<Waiting> waiting_;  ///< a heap, the earliest in front
  std::size_t n_left_ = 0;
};

/// Number of surfaces tested by trace(): its cost in addition to the crossings.
std::size_t looks_at_surfaces(const TrackingGeometry& geometry,
                              const Track& track, EnergyLoss loss);

}  // namespace gttf
