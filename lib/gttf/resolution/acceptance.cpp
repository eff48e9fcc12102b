// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/acceptance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "gttf/core/units.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/crossed_surfaces.hpp"
#include "gttf/trajectory/traced_track.hpp"

namespace gttf {
namespace {

/// A point in the transverse plane, mm.
struct Point2 {
  double x, y;
};

double dot(const Point2& a, const Point2& b) { return a.x * b.x + a.y * b.y; }

/// The path of a track in the transverse plane: a circle or a straight line
/// that ends after an arc length.
class TransversePath {
 public:
  /// @param c      signed curvature, 1/mm
  /// @param turns  after which it ends
  TransversePath(const Track& track, double c, double turns)
      : start_{track.vertex[0], track.vertex[1]},
        along_{std::cos(track.phi), std::sin(track.phi)},
        across_{-along_.y, along_.x},
        c_(c),
        end_(2 * unit::pi * turns / std::abs(c)) {}

  double end() const { return end_; }  ///< infinity for a straight line

  Point2 at(double arc) const {
    // half of the angle between chord and tangent
    const double half = 0.5 * c_ * arc;
    const double chord =
        std::abs(half) < 1e-8 ? arc : arc * (std::sin(half) / half);
    const double a = chord * std::cos(half), b = chord * std::sin(half);
    return {start_.x + a * along_.x + b * across_.x,
            start_.y + a * along_.y + b * across_.y};
  }

  /// Adds the arcs up to the end at which the path meets a circle about the z
  /// axis.
  void add_arcs_to(double radius, std::vector<double>& arcs) const {
    const double along = dot(start_, along_), across = dot(start_, across_);
    const double d = radius * radius - dot(start_, start_);
    constexpr double straight = 1e-3;  // of a turn: error 4e-8 of the length
    if (std::abs(c_ * radius) < straight) {
      const double root = std::sqrt(along * along + d);
      for (const double arc : {-along - root, -along + root})
        if (arc > 0 && arc <= end_) arcs.push_back(arc);
      return;
    }
    // |position|^2 = r^2: a sin(u) + b (1 - cos(u)) = d with u = c s
    const double a = 2 * along / c_, b = 2 * (across + 1 / c_) / c_;
    const double phase = std::atan2(b, a);
    const double turn = std::asin((d - b) / std::hypot(a, b));
    for (const double u : {phase + turn, phase + unit::pi - turn})
      add_turns(u / c_, arcs);
  }

  /// Calls f(arc, share) where the path crosses the straight line from `a` to
  /// `b`, in the order of `share`, which is 0 at `a` and 1 at `b`.
  template <class F>
  void cross(const Point2& a, const Point2& b, const F& f) const {
    const Point2 from{a.x - start_.x, a.y - start_.y}, by{b.x - a.x, b.y - a.y};
    if (!(dot(by, by) > 0)) return;
    // c |q|^2/2 = q across, of the point q on the line
    const double a2 = 0.5 * c_ * dot(by, by);
    const double a1 = c_ * dot(from, by) - dot(by, across_);
    const double a0 = 0.5 * c_ * dot(from, from) - dot(from, across_);
    const double root = std::sqrt(a1 * a1 - 4 * a2 * a0);
    const double q = -0.5 * (a1 + std::copysign(root, a1));
    double first = q / a2, second = a0 / q;
    if (first > second) std::swap(first, second);
    std::vector<double> arcs;
    for (const double share : {first, second}) {
      if (!(share >= 0 && share <= 1)) continue;
      arcs.clear();
      add_arc_to({from.x + share * by.x, from.y + share * by.y}, arcs);
      for (const double arc : arcs) f(arc, share);
    }
  }

 private:
  /// Arcs to a point of the path, given from its start.
  void add_arc_to(const Point2& q, std::vector<double>& arcs) const {
    const double half = std::atan2(dot(q, across_), dot(q, along_));
    const double chord = std::sqrt(dot(q, q));
    if (std::abs(half) < 0.5)
      add_turns(half == 0 ? chord : chord * (half / std::sin(half)), arcs);
    else if (c_ != 0)
      add_turns(2 * half / c_, arcs);
  }
  /// An arc and those of further turns.
  void add_turns(double arc, std::vector<double>& arcs) const {
    const double turn = 2 * unit::pi / std::abs(c_);
    if (!std::isfinite(arc)) return;
    if (!std::isfinite(turn)) return arcs.push_back(arc);
    for (double s = arc - turn * std::floor(arc / turn); s <= end_; s += turn)
      arcs.push_back(s);
  }

  Point2 start_, along_, across_;
  double c_, end_;
};

class EdgeFinder {
 public:
  EdgeFinder(const TrackingGeometry& geometry, std::span<const Layer> layers,
             const std::function<Track(double)>& track_at, const Model& model,
             double from, double to, double width)
      : geometry_(geometry),
        layers_(layers),
        track_at_(track_at),
        model_(crossings_only(model)),
        from_(from),
        to_(to),
        width_(width),
        turns_(std::max({0.5, model.turns,
                         turns_needed(geometry, track_at((from + to) / 2))})),
        curvature_varies_(!(std::abs(curvature(from) - curvature(to)) <=
                            1e-12 * std::abs(curvature(from)))) {}

  std::vector<AcceptanceEdge> find() {
    std::vector<Point> points = candidates();
    cross(points, [](const Point& x) { return !x.is_aside; });
    mark_wanted(points);
    cross(points, [](const Point& x) { return x.is_aside && x.is_wanted; });
    std::vector<Point> line;
    for (Point& x : points)
      if (!x.is_aside || x.is_wanted) line.push_back(std::move(x));
    // halves all intervals at a time, which hold one edge at least
    std::vector<AcceptanceEdge> edges;
    std::vector<Point> ends = changes(line, edges);
    while (!ends.empty()) {
      std::vector<Point> middles;
      for (std::size_t i = 0; i < ends.size(); i += 2)
        middles.push_back({(ends[i].theta + ends[i + 1].theta) / 2});
      cross(middles, [](const Point&) { return true; });
      std::vector<Point> halves;
      for (std::size_t i = 0; i < ends.size(); i += 2) {
        const std::vector<Point> three{ends[i], middles[i / 2], ends[i + 1]};
        std::ranges::copy(changes(three, edges), std::back_inserter(halves));
      }
      ends = std::move(halves);
    }
    std::ranges::sort(edges, {}, &AcceptanceEdge::below);
    return edges;
  }

 private:
  /// Without what does not change the path of a track.
  static Model crossings_only(Model model) {
    model.engine = Engine::streaming;
    model.beam_spot.reset();
    model.at.reset();
    return model;
  }

  /// How a track passes the detector.
  struct Passage {
    std::uint64_t surfaces = 0;  ///< as ResolutionArrays::surfaces
    int n_hits = 0;
    std::vector<int> sides;  ///< of the limits of dead regions

    bool crosses_as(const Passage& other) const {
      return surfaces == other.surfaces && n_hits == other.n_hits;
    }
    bool operator==(const Passage&) const = default;
  };

  struct Point {
    double theta;
    bool is_aside = false;   ///< only tested if its neighbours differ
    bool is_wanted = false;  ///< if it is aside
    Passage passage{};
  };

  /// Those aside between neighbours that differ.
  static void mark_wanted(std::vector<Point>& points) {
    for (std::size_t i = 0, next = 1; next < points.size(); ++next) {
      if (points[next].is_aside) continue;
      if (points[i].passage != points[next].passage)
        for (std::size_t k = i + 1; k < next; ++k) points[k].is_wanted = true;
      i = next;
    }
  }

  /// Both ends of every interval in which the passage changes; edges, if they
  /// are narrow enough, are moved to `edges`.
  std::vector<Point> changes(const std::vector<Point>& line,
                             std::vector<AcceptanceEdge>& edges) const {
    std::vector<Point> ends;
    for (std::size_t i = 1; i < line.size(); ++i) {
      const Point &below = line[i - 1], &above = line[i];
      if (below.passage == above.passage) continue;
      if (above.theta - below.theta > width_) {
        ends.push_back(below);
        ends.push_back(above);
      } else if (!below.passage.crosses_as(above.passage)) {
        edges.push_back({below.theta, above.theta, above.passage.n_hits});
      }
    }
    return ends;
  }

  /// Sets the passage of some points.
  template <class IsWanted>
  void cross(std::vector<Point>& points, const IsWanted& is_wanted) const {
    std::vector<std::size_t> index;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (is_wanted(points[i])) index.push_back(i);
    if (geometry_.has_dead_regions()) {
      for (const std::size_t i : index)
        points[i].passage = passage_beside_dead_regions(points[i].theta);
      return;
    }
    const std::size_t n = index.size();
    if (n == 0) return;
    std::vector<double> p, theta;
    for (const std::size_t i : index) {
      p.push_back(track_at_(points[i].theta).p);
      theta.push_back(points[i].theta);
    }
    const Track first = track_at_(theta[0]);
    TrackArrays tracks = arrays_of(first);
    tracks.size = n;
    tracks.p = p;
    tracks.theta = theta;
    std::vector<std::uint64_t> surfaces(n);
    std::vector<int> n_hits(n);
    ResolutionArrays results;
    results.surfaces = surfaces;
    results.n_hits = n_hits;
    resolve(geometry_, tracks, model_, results);
    for (std::size_t k = 0; k < n; ++k)
      points[index[k]].passage = {surfaces[k], n_hits[k], {}};
  }

  /// The passage of one track: where layers are dead, it crosses them without a
  /// hit.
  Passage passage_beside_dead_regions(double theta) const {
    const detail::AnyTrack track(geometry_, track_at_(theta), model_);
    detail::CrossedSurfaces surfaces;
    for (std::size_t k = 0; k < track.size(); ++k) {
      const unsigned s = track.surface(k);
      const bool measures = track.geometry().surfaces()[s].measures();
      surfaces.add(2 * s + (measures ? 1 : 0));
    }
    Passage passage{surfaces.number(), track.n_measuring(), {}};
    for (const CrossingInfo& x : track.describe_crossings())
      for (const DeadRegion& region : layers_[x.layer].dead)
        add_sides(region, x.position, passage.sides);
    return passage;
  }

  /// On which side of each limit of a region a point is: 0 before, 1 within, 2
  /// after the limits.
  static void add_sides(const DeadRegion& region, const Vector3& x,
                        std::vector<int>& sides) {
    const auto add = [&sides](const std::optional<Interval>& limits,
                              double at) {
      if (limits) sides.push_back((at >= limits->lower) + (at > limits->upper));
    };
    add(region.x, x.x());
    add(region.y, x.y());
    add(region.z, x.z());
    add(region.r, std::hypot(x.x(), x.y()));
    if (!region.phi) return;
    // from the middle of the region, in (-pi, pi]
    const double middle = (region.phi->lower + region.phi->upper) / 2;
    const double half = region.phi->length() / 2;
    add(Interval{-half, half},
        std::remainder(std::atan2(x.y(), x.x()) - middle, 2 * unit::pi));
  }

  /// `from`, `to`, both sides of the corners in between, near them and farther
  /// aside, and the middles. Angles of corners are nearly always exact: the
  /// bisection ends where it begins.
  std::vector<Point> candidates() {
    constexpr double aside = 1e-6, beside = 0.45 * AcceptanceEdge::width;
    std::vector<Point> corners;
    const auto add = [&](double theta) {
      for (const double by : {-aside, -beside, beside, aside})
        if (theta + by > from_ && theta + by < to_)
          corners.push_back({theta + by, std::abs(by) == aside});
    };
    for (const SurfaceRecord& s : geometry_.surfaces()) add_corners(s, add);
    corners.push_back({from_, false});
    corners.push_back({to_, false});
    // The sides of the limits of dead regions change once between these, and
    // tracks that lose energy stop or turn back at angles of their own.
    if (geometry_.has_dead_regions() || model_.loss != EnergyLoss::off) {
      constexpr double step = unit::deg / 2;
      for (int i = 1; from_ + i * step < to_; ++i)
        corners.push_back({from_ + i * step, false});
    }
    std::ranges::stable_sort(corners, {}, &Point::theta);
    std::vector<Point> all;
    for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
      all.push_back(corners[i]);
      const double gap = corners[i + 1].theta - corners[i].theta;
      if (gap > 2 * aside)
        all.push_back({(corners[i].theta + corners[i + 1].theta) / 2, false});
    }
    all.push_back(corners.back());
    return all;
  }

  /// Signed transverse curvature at `theta`, 1/mm.
  double curvature(double theta) const {
    const Track track = track_at_(theta);
    return -track.charge * geometry_.bz() /
           (track.p * std::max(std::sin(theta), 1e-6));
  }

  /// All edges that the surface has on a helix or a straight line.
  template <class Add>
  void add_corners(const SurfaceRecord& s, const Add& add) const {
    if (is_round(s)) {
      const Meridian ends = meridian(s);
      for (const std::size_t end : {0u, 1u})
        solve(
            [&](const TransversePath& path) {
              std::vector<double> angles;
              path.add_arcs_to(ends.r[end], angles);
              for (double& x : angles) x = angle(x, ends.z[end]);
              return angles;
            },
            add);
    } else {
      const Corners all = gttf::corners(s);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const auto &a = all[i], &b = all[(i + 1) % all.size()];
        solve(
            [&](const TransversePath& path) {
              std::vector<double> angles;
              path.cross(
                  {a[0], a[1]}, {b[0], b[1]}, [&](double arc, double share) {
                    angles.push_back(angle(arc, a[2] + share * (b[2] - a[2])));
                  });
              return angles;
            },
            add);
      }
    }
    if (const auto height = height_of(s))
      solve(
          [&](const TransversePath& path) {
            return angles_without_corner(path, s, *height);
          },
          add);
  }

  using Height = std::function<double(const Point2&)>;

  /// z of the surface at a point of the transverse plane; nothing if it is
  /// parallel to z.
  static std::optional<Height> height_of(const SurfaceRecord& s) {
    constexpr double upright = 1e-9;
    if (is_round(s)) {
      const Meridian m = meridian(s);
      const double dr = m.r[1] - m.r[0], dz = m.z[1] - m.z[0];
      if (std::abs(dr) <= upright * std::abs(dz)) return {};
      return [m, dr, dz](const Point2& x) {
        return m.z[0] + (std::hypot(x.x, x.y) - m.r[0]) * (dz / dr);
      };
    }
    const Corners c = gttf::corners(s);
    std::array<double, 3> n{};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      n[i] = (c[1][j] - c[0][j]) * (c[3][k] - c[0][k]) -
             (c[1][k] - c[0][k]) * (c[3][j] - c[0][j]);
    }
    if (std::abs(n[2]) <= upright * std::hypot(n[0], n[1])) return {};
    return [c, n](const Point2& x) {
      return c[0][2] - (n[0] * (x.x - c[0][0]) + n[1] * (x.y - c[0][1])) / n[2];
    };
  }

  /// Angles at which the path ends on the surface, and at which it touches it:
  /// extremes, along the path, of the angle at which a track meets the surface.
  std::vector<double> angles_without_corner(const TransversePath& path,
                                            const SurfaceRecord& s,
                                            const Height& height) const {
    constexpr double steps_per_turn = 64;
    const Interval r = radii(s);
    const auto at = [&](double arc) {
      return angle(arc, height(path.at(arc)));
    };
    std::vector<double> angles;
    const bool is_straight = !std::isfinite(path.end());
    if (!is_straight) angles.push_back(at(path.end()));
    const Track track = track_at_(from_);
    const double last =
        is_straight ? r.upper + std::hypot(track.vertex[0], track.vertex[1])
                    : path.end();
    const auto n = static_cast<int>(
        std::ceil(steps_per_turn * (is_straight ? 1. : std::max(1., turns_))));
    const double step = last / n;
    const double bit = 1e-4 * step;
    const auto rises = [&](double arc) {
      return at(arc + bit) > at(arc - bit);
    };
    for (int i = 1; i < n; ++i) {
      double low = i * step, high = low + step;
      const bool rising = rises(low);
      if (i + 1 == n || rising == rises(high)) continue;
      for (int k = 0; k < 30; ++k) {
        const double middle = (low + high) / 2;
        (rises(middle) == rising ? low : high) = middle;
      }
      const Point2 x = path.at(low);
      const double distance = std::hypot(x.x, x.y);
      if (distance >= r.lower && distance <= r.upper) angles.push_back(at(low));
    }
    return angles;
  }

  /// The polar angle of a track that is at `z` after an arc.
  double angle(double arc, double z) const {
    return std::atan2(arc, z - track_at_(from_).vertex[2]);
  }

  /// The solutions of angles(path at theta) = theta: the curvature depends on
  /// theta if p is given rather than pT. Also added are the angles at which the
  /// number of solutions changes.
  template <class Angles, class Add>
  void solve(const Angles& angles, const Add& add) const {
    const auto at = [&](double theta) {
      return angles(TransversePath(track_at_(theta), curvature(theta), turns_));
    };
    if (!curvature_varies_) {
      for (const double theta : at(from_)) add(theta);
      return;
    }
    constexpr double widest = 2 * unit::deg;
    const auto n = static_cast<int>(std::ceil((to_ - from_) / widest));
    double low = from_;
    std::vector<double> before = at(low);
    for (int i = 1; i <= n; ++i) {
      const double high = from_ + (to_ - from_) * i / n;
      std::vector<double> after = at(high);
      solve_between(at, low, before, high, after, add);
      before = std::move(after);
      low = high;
    }
  }

  template <class At, class Add>
  static void solve_between(const At& at, double low,
                            const std::vector<double>& before, double high,
                            const std::vector<double>& after, const Add& add) {
    constexpr double narrow = 1e-3 * AcceptanceEdge::width;
    if (before.size() != after.size()) {
      double below = low, above = high;
      std::vector<double> at_below = before, at_above = after;
      while (above - below > narrow) {
        const double middle = (below + above) / 2;
        std::vector<double> between = at(middle);
        const bool is_below = between.size() == before.size();
        (is_below ? below : above) = middle;
        (is_below ? at_below : at_above) = std::move(between);
      }
      add(below);
      solve_between(at, low, before, below, at_below, add);
      if (at_above.size() == after.size())
        solve_between(at, above, at_above, high, after, add);
      return;
    }
    for (std::size_t k = 0; k < before.size(); ++k) {
      const bool sign = before[k] > low;
      if (sign == (after[k] > high)) continue;
      double below = low, above = high;
      while (above - below > narrow) {
        const double middle = (below + above) / 2;
        const std::vector<double> between = at(middle);
        if (between.size() <= k) break;
        ((between[k] > middle) == sign ? below : above) = middle;
      }
      add((below + above) / 2);
    }
  }

  const TrackingGeometry& geometry_;
  std::span<const Layer> layers_;
  const std::function<Track(double)>& track_at_;
  Model model_;
  double from_, to_, width_;
  double turns_;  ///< after which the tracks end
  bool curvature_varies_;
};

}  // namespace

std::vector<AcceptanceEdge> acceptance_edges(
    const TrackingGeometry& geometry, std::span<const Layer> layers,
    const std::function<Track(double)>& track_at, const Model& model,
    double from, double to, double width) {
  if (!(from < to)) return {};
  return EdgeFinder(geometry, layers, track_at, model, from, to, width).find();
}

}  // namespace gttf
