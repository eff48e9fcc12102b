// SPDX-License-Identifier: Apache-2.0
// SurfacesBetween: the surfaces that a track may cross between two of its
// points, without a look at all others.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// Bounds of the part of a track between two points: its distance from the axis
/// and z, mm.
struct StretchBounds {
  Interval r{std::numeric_limits<double>::infinity(),
             -std::numeric_limits<double>::infinity()};
  Interval z = r;

  /// Includes a track with the transverse arc `arc` from a point (r, z) to
  /// another. The distances of any point in between from these two add up to
  /// `arc` at most.
  void include(std::pair<double, double> from, std::pair<double, double> to,
               double arc) {
    const double sum = from.first + to.first;
    r.lower = std::min(r.lower, 0.5 * (sum - arc));
    r.upper = std::max(r.upper, 0.5 * (sum + arc));
    z.lower = std::min({z.lower, from.second, to.second});
    z.upper = std::max({z.upper, from.second, to.second});
  }
};

/// Cylinders by radius, disks and planes normal to z by their place; surfaces
/// of other kinds may always be crossed.
class SurfacesBetween {
 public:
  explicit SurfacesBetween(std::span<const SurfaceRecord> surfaces) {
    for (unsigned i = 0; i < surfaces.size(); ++i) {
      const SurfaceRecord& s = surfaces[i];
      if (!has_place(s))
        others_.push_back(i);
      else
        (is_cylinder(s) ? cylinders_ : disks_).push_back({s.position, i});
    }
    std::ranges::sort(cylinders_);
    std::ranges::sort(disks_);
  }

  /// Is it a cylinder, or normal to z?
  static bool has_place(const SurfaceRecord& s) {
    return is_cylinder(s) || s.kind == SurfaceRecord::Kind::disk ||
           s.kind == SurfaceRecord::Kind::disk_plane;
  }
  /// Surfaces without.
  std::span<const unsigned> others() const { return others_; }

  /// Adds the cylinders, disks and planes normal to z within the bounds.
  void find(const StretchBounds& bounds, std::vector<unsigned>& found) const {
    add(cylinders_, bounds.r, found);
    add(disks_, bounds.z, found);
  }

 private:
  static bool is_cylinder(const SurfaceRecord& s) {
    return s.kind == SurfaceRecord::Kind::cylinder;
  }

  using Place = std::pair<double, unsigned>;

  static void add(const std::vector<Place>& places, const Interval& within,
                  std::vector<unsigned>& found) {
    // rounding must not decide
    constexpr double relative = 1e-6, absolute = 1e-3;  // mm
    const auto more = [](double x) {
      return absolute + relative * std::abs(x);
    };
    const double last = within.upper + more(within.upper);
    for (auto i = std::ranges::lower_bound(
             places, within.lower - more(within.lower), {}, &Place::first);
         i != places.end() && i->first <= last; ++i)
      found.push_back(i->second);
  }

  std::vector<Place> cylinders_, disks_;
  std::vector<unsigned> others_;
};

}  // namespace gttf
