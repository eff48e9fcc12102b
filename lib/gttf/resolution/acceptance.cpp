// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/acceptance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gttf/core/units.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/resolution/any_track.hpp"

namespace gttf {
namespace {

/// Length in the transverse plane from the start to a distance `r` from the z
/// axis, for a track of signed curvature `c` (1/mm); NaN if it is not reached.
double arc_to_radius(const Track& track, double c, double r) {
  const double x = track.vertex[0], y = track.vertex[1];
  const double along = x * std::cos(track.phi) + y * std::sin(track.phi);
  const double across = y * std::cos(track.phi) - x * std::sin(track.phi);
  const double d = r * r - x * x - y * y;
  constexpr double straight = 1e-3;  // of a turn: error 4e-8 of the length
  if (std::abs(c * r) < straight) {
    const double root = std::sqrt(along * along + d);
    const double near = -along - root, far = -along + root;
    return near > 0 ? near : far;
  }
  // |position|^2 = r^2: a sin(u) + b (1 - cos(u)) = d with u = c s
  const double a = 2 * along / c, b = 2 * (across + 1 / c) / c;
  const double phase = std::atan2(b, a);
  const double turn = std::asin((d - b) / std::hypot(a, b));
  double least = std::numeric_limits<double>::quiet_NaN();
  for (const double u : {phase + turn, phase + unit::pi - turn}) {
    const double s = std::remainder(u, 2 * unit::pi) / c;
    const double positive = s > 0 ? s : s + 2 * unit::pi / std::abs(c);
    if (!(positive >= least)) least = positive;
  }
  return least;
}

class EdgeFinder {
 public:
  EdgeFinder(const TrackingGeometry& geometry,
             const std::function<Track(double)>& track_at, const Model& model,
             double from, double to)
      : geometry_(geometry),
        track_at_(track_at),
        model_(model),
        from_(from),
        to_(to) {}

  std::vector<AcceptanceEdge> find() {
    const std::vector<Candidate> all = candidates();
    std::vector<unsigned> before = crossed(all.front().theta);
    for (std::size_t i = 0, next = 1; next < all.size(); ++next) {
      if (all[next].is_aside) continue;
      std::vector<unsigned> after = crossed(all[next].theta);
      if (before != after) search_between(all, i, before, next, after);
      before = std::move(after);
      i = next;
    }
    return std::move(edges_);
  }

 private:
  struct Candidate {
    double theta;
    bool is_aside;  ///< only tested if its neighbours differ
  };

  /// Between two candidates, by way of those aside.
  void search_between(const std::vector<Candidate>& all, std::size_t first,
                      const std::vector<unsigned>& at_first, std::size_t last,
                      const std::vector<unsigned>& at_last) {
    std::vector<unsigned> before = at_first;
    for (std::size_t i = first + 1; i <= last; ++i) {
      std::vector<unsigned> after = i < last ? crossed(all[i].theta) : at_last;
      search(all[i - 1].theta, before, all[i].theta, after);
      before = std::move(after);
    }
  }

  /// The surfaces that the track at `theta` crosses.
  std::vector<unsigned> crossed(double theta) const {
    const detail::AnyTrack track(geometry_, track_at_(theta), model_);
    std::vector<unsigned> surfaces;
    for (std::size_t k = 0; k < track.size(); ++k)
      surfaces.push_back(track.surface(k));
    std::ranges::sort(surfaces);
    return surfaces;
  }

  void search(double below, const std::vector<unsigned>& before, double above,
              const std::vector<unsigned>& after) {
    if (before == after) return;
    if (above - below <= AcceptanceEdge::width) {
      edges_.push_back({below, above});
      return;
    }
    const double middle = (below + above) / 2;
    const std::vector<unsigned> between = crossed(middle);
    search(below, before, middle, between);
    search(middle, between, above, after);
  }

  /// `from`, `to`, both sides of the corners in between, near them and farther
  /// aside, and the middles. Angles of corners are nearly always exact: the
  /// bisection ends where it begins.
  std::vector<Candidate> candidates() {
    constexpr double aside = 1e-6, beside = 0.45 * AcceptanceEdge::width;
    std::vector<Candidate> corners;
    const auto add = [&](double theta) {
      for (const double by : {-aside, -beside, beside, aside})
        if (theta + by > from_ && theta + by < to_)
          corners.push_back({theta + by, std::abs(by) == aside});
    };
    for (const SurfaceRecord& s : geometry_.surfaces()) add_corners(s, add);
    corners.push_back({from_, false});
    corners.push_back({to_, false});
    std::ranges::stable_sort(corners, {}, &Candidate::theta);
    std::vector<Candidate> all;
    for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
      all.push_back(corners[i]);
      const double gap = corners[i + 1].theta - corners[i].theta;
      if (gap > 2 * aside)
        all.push_back({(corners[i].theta + corners[i + 1].theta) / 2, false});
    }
    all.push_back(corners.back());
    return all;
  }

  template <class Add>
  void add_corners(const SurfaceRecord& s, const Add& add) const {
    const Track track = track_at_((from_ + to_) / 2);
    const double cos_phi = std::cos(track.phi), sin_phi = std::sin(track.phi);
    const auto flat = [&](double length, double z) {
      add(std::atan2(length, z - track.vertex[2]));
    };
    if (is_round(s)) {
      const Meridian ends = meridian(s);
      for (const std::size_t end : {0u, 1u})
        add(corner(ends.r[end], ends.z[end]));
    } else if (s.is_inclined()) {
      // where its edges are crossed in the plane of the track azimuth
      const Corners all = gttf::corners(s);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const auto &a = all[i], &b = all[(i + 1) % all.size()];
        const auto beside = [&](const std::array<double, 3>& x) {
          return (x[1] - track.vertex[1]) * cos_phi -
                 (x[0] - track.vertex[0]) * sin_phi;
        };
        const auto ahead = [&](const std::array<double, 3>& x) {
          return (x[0] - track.vertex[0]) * cos_phi +
                 (x[1] - track.vertex[1]) * sin_phi;
        };
        const double from = beside(a), to = beside(b);
        if (from * to > 0 || from == to) continue;
        const double share = from / (from - to);
        flat(ahead(a) + share * (ahead(b) - ahead(a)),
             a[2] + share * (b[2] - a[2]));
      }
    } else if (s.normal == Axis::z) {
      for (const double x : {s.u.lower, s.u.upper})
        flat((x - track.vertex[0]) / cos_phi, s.position);
      for (const double y : {s.v.lower, s.v.upper})
        flat((y - track.vertex[1]) / sin_phi, s.position);
    } else {
      const double start =
          track.vertex[0] * s.normal_cos + track.vertex[1] * s.normal_sin;
      const double length = (s.position - start) /
                            (cos_phi * s.normal_cos + sin_phi * s.normal_sin);
      const Interval z = extent(s, Axis::z);
      flat(length, z.lower);
      flat(length, z.upper);
    }
  }

  /// The angle of the track that reaches radius `r` at `z`.
  double corner(double r, double z) const {
    double theta = (from_ + to_) / 2;
    const double dz = z - track_at_(theta).vertex[2];
    // the curvature may depend on theta, because p is given rather than pT
    for (int i = 0; i < 8; ++i) {
      const Track track = track_at_(theta);
      const double c = -track.charge * geometry_.bz() /
                       (track.p * std::max(std::sin(theta), 1e-6));
      double arc = arc_to_radius(track, c, r);
      if (!std::isfinite(arc)) arc = r;
      theta = std::atan2(arc, dz);
    }
    return theta;
  }

  const TrackingGeometry& geometry_;
  const std::function<Track(double)>& track_at_;
  const Model& model_;
  double from_, to_;
  std::vector<AcceptanceEdge> edges_;
};

}  // namespace

std::vector<AcceptanceEdge> acceptance_edges(
    const TrackingGeometry& geometry,
    const std::function<Track(double)>& track_at, const Model& model,
    double from, double to) {
  if (!(from < to)) return {};
  return EdgeFinder(geometry, track_at, model, from, to).find();
}

}  // namespace gttf
