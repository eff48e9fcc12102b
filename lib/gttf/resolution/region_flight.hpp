// SPDX-License-Identifier: Apache-2.0
// RegionFlight: tracks on their way through regions of a uniform field, one
// track per vector element.
#pragma once

#include <limits>

#include "gttf/core/pack_functions.hpp"
#include "gttf/resolution/batch_regions.hpp"
#include "gttf/resolution/batch_task.hpp"
#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/uniform_path.hpp"

namespace gttf::detail {

/// A track crosses a surface.
template <class S>
struct RegionCrossing {
  MaskOf<S> exists;
  S path;  ///< from the begin of the region, mm
  Cartesian<S> point, direction, normal;
  S cosine;  ///< direction . normal
};

/// The start of tracks in regions, and the axes of the parameters of their
/// lines there: s = (q1, q2, t1, t2, kappa), displacements and changes of
/// direction along two axes normal to the track. No direction is special, and
/// scattering is the same along both axes.
template <class S>
struct RegionStart {
  Cartesian<S> point, direction;
  Transverse<S> axes;
  S qop;              ///< q/p, e/GeV
  S kappa;            ///< -q B_ref/p, 1/mm
  Cartesian<S> bend;  ///< d(direction)/d(path), 1/mm
  S twist;            ///< q/p times the field along the direction, 1/mm
  bool onwards;       ///< as BatchTracks::onwards

  [[gnu::noinline, gnu::flatten]] RegionStart(const BatchRegions& regions,
                                              const BatchTracks& tracks)
      : onwards(tracks.onwards) {
    using std::abs, std::cos, std::sin;
    using L = PackAccess<S>;
    const S theta = L::load(tracks.theta), phi = L::load(tracks.phi);
    S cosine = cos(theta);
    cosine = select(abs(cosine) < S(1e-12), S(0), cosine);  // as Line does
    const S sine = sin(theta);
    direction = {sine * cos(phi), sine * sin(phi), cosine};
    point = {L::load(tracks.x), L::load(tracks.y), L::load(tracks.z)};
    axes = Transverse<S>(direction);
    qop = L::load(tracks.charge) / L::load(tracks.p);
    kappa = -(S(regions.b_ref) * qop);
    Cartesian<S> field = field_of(regions, regions.n - 1);
    for (std::size_t step = regions.n - 1; step-- > 0;) {
      const auto here = is_before_end(regions, step, point);
      const Cartesian<S> b = field_of(regions, step);
      field = {select(here, b.x, field.x), select(here, b.y, field.y),
               select(here, b.z, field.z)};
    }
    bend = qop * cross_of(direction, field);
    twist = qop * inner(direction, field);
  }

  /// Of the regions in order of flight.
  std::size_t region(const BatchRegions& regions, std::size_t step) const {
    return onwards ? step : regions.n - 1 - step;
  }
  Cartesian<S> field_of(const BatchRegions& regions, std::size_t step) const {
    const auto& b = regions.fields[region(regions, step)];
    return {S(b[0]), S(b[1]), S(b[2])};
  }
  /// How far the end of a region is ahead along the normal, mm.
  S to_end(const BatchRegions& regions, std::size_t step,
           const Cartesian<S>& x) const {
    const S at(regions.faces[onwards ? step : regions.n - 2 - step]);
    const S along = component(x, regions.normal);
    return onwards ? at - along : along - at;
  }
  /// Within that distance of the face, a point counts as behind it.
  MaskOf<S> is_before_end(const BatchRegions& regions, std::size_t step,
                          const Cartesian<S>& x) const {
    return to_end(regions, step, x) > S(same_place);
  }
};

/// Point and direction of the tracks at the begin of a region, which is where
/// they enter it, or their start. Tracks that start farther on stay at their
/// start until then.
template <class S>
class RegionFlight {
 public:
  RegionFlight(const BatchRegions& regions, const RegionStart<S>& start)
      : regions_(regions), start_(start), x_(start.point), t_(start.direction) {
    using std::abs;
    under_way_ = none();
    // tracks along the faces may leave a gap on the side they came from
    lost_ = none();
    if (regions.n > 1)
      lost_ = abs(component(t_, regions.normal)) < S(least_along);
    begin();
  }

  const Cartesian<S>& point() const { return x_; }
  const Cartesian<S>& direction() const { return t_; }
  const Cartesian<S>& field() const { return field_; }
  Axis normal() const { return regions_.normal; }
  bool is_straight() const { return straight_; }
  /// Of the whole flight up to the begin of the region.
  const S& path() const { return path_; }
  /// Up to its end.
  const S& leg() const { return leg_; }
  /// Tracks that turn too far to be followed.
  const MaskOf<S>& lost() const { return lost_; }
  /// Those that are in the region, or have been in one before.
  const MaskOf<S>& under_way() const { return under_way_; }

  std::size_t region() const { return start_.region(regions_, step_); }
  bool is_last() const { return step_ + 1 == regions_.n; }
  /// d(direction)/d(path) for a direction in the region, 1/mm
  Cartesian<S> bend(const Cartesian<S>& t) const {
    return start_.qop * cross_of(t, field_);
  }

  UniformPath<S> path_of(const S& length) const {
    return {-(start_.qop * field_), length};
  }
  void go_to_end() {
    if (straight_) {
      x_ = x_ + leg_ * t_;
    } else {
      const UniformPath<S> path = path_of(leg_);
      x_ = x_ + path.displacement(t_);
      t_ = path.direction(t_);
    }
    path_ = path_ + leg_;
  }
  /// After go_to_end().
  void enter_next() {
    ++step_;
    begin();
  }

  /// Where a surface of the region is crossed.
  RegionCrossing<S> cross(const SurfaceRecord& s) {
    RegionCrossing<S> x;
    if (s.kind == SurfaceRecord::Kind::cylinder)
      cross_cylinder(s, x);
    else
      cross_plane(s, x);
    const S& z = x.point.z;
    const auto radius = [&x] {
      using std::sqrt;
      return S(sqrt(transverse_dot(x.point, x.point)));
    };
    const auto at = [&x] { return std::pair(x.point.x, x.point.y); };
    using std::abs;
    x.exists = both(
        both(x.exists, x.path <= leg_ + S(same_place)),
        both(inside(s, z, radius, at), abs(x.cosine) >= S(min_cos_incidence)));
    return x;
  }

 private:
  using L = PackAccess<S>;
  static constexpr double least_along = 0.1;
  /// In one gap, rad.
  static constexpr double most_turn = 0.5;
  static constexpr double far = 1e30;  // mm

  static MaskOf<S> none() { return S(1) < S(0); }

  void begin() {
    const auto& b = regions_.fields[region()];
    field_ = start_.field_of(regions_, step_);
    straight_ = b[0] == 0 && b[1] == 0 && b[2] == 0;
    if (is_last()) {
      leg_ = S(far);
      under_way_ = !none();
      return;
    }
    const S zero(0), ahead = start_.to_end(regions_, step_, x_);
    const auto before = ahead > S(same_place);
    under_way_ = either(under_way_, before);
    const S along = component(t_, regions_.normal);
    leg_ = select(before, ahead / (start_.onwards ? along : -along), zero);
    if (straight_) return;
    const std::size_t face = start_.onwards ? step_ : regions_.n - 2 - step_;
    leg_ = length_to(regions_.normal, S(regions_.faces[face]), leg_);
  }

  /// The length of a curved path to a plane normal to an axis. Not far from
  /// parallel to the normal at both ends, and with a small turn in between, a
  /// path goes forwards all the way.
  [[gnu::noinline, gnu::flatten]] S length_to(Axis normal, const S& at,
                                              S length) {
    using std::abs;
    const S zero(0);
    constexpr int most_steps = 12;
    constexpr double rounding = 1e-11;  // mm
    const auto moves = length > zero;
    auto open = moves;
    S turn2(0), slope(1);
    for (int step = 0; step < most_steps && any(open); ++step) {
      const UniformPath<S> path = path_of(length);
      const S rest = at - component(x_ + path.displacement(t_), normal);
      slope = component(path.direction(t_), normal);
      turn2 = path.turn2();
      const S by = rest / slope;
      length = select(open, length + by, length);
      open = both(open, abs(by) > S(rounding));
      // where no step converges, none is as short
      if (any(both(open, turn2 > S(1)))) break;
    }
    const S begin = component(t_, normal);
    const auto plain = both(turn2 <= S(most_turn * most_turn),
                            both(begin * slope > zero, abs(slope) > S(0.5)));
    lost_ = either(lost_, both(moves, either(open, !plain)));
    return length;
  }

  void cross_plane(const SurfaceRecord& s, RegionCrossing<S>& x) {
    using std::abs;
    using Kind = SurfaceRecord::Kind;
    const S zero(0);
    if (s.kind == Kind::plane)
      x.normal = {S(s.normal_cos), S(s.normal_sin), zero};
    else if (s.kind == Kind::inclined)
      x.normal = {S(s.normal_r * s.normal_cos), S(s.normal_r * s.normal_sin),
                  S(s.normal_z)};
    else
      x.normal = {zero, zero, S(1)};
    const S ahead = S(s.position) - inner(x.normal, x_);
    const S slope = inner(x.normal, t_);
    const S straight = ahead / slope;
    // where a track starts within that distance, it starts on it
    x.exists = either(straight > zero, abs(ahead) <= S(same_place));
    x.path = select(straight > zero, straight, zero);
    if (straight_) {
      x.point = x_ + x.path * t_;
      x.direction = t_;
      x.cosine = slope;
    } else {
      x.path = select(x.exists, x.path, zero);
      x.path = length_to(regions_.normal, S(s.position), x.path);
      const UniformPath<S> path = path_of(x.path);
      x.point = x_ + path.displacement(t_);
      x.direction = path.direction(t_);
      x.cosine = inner(x.normal, x.direction);
    }
  }

  /// From inside to outside.
  void cross_cylinder(const SurfaceRecord& s, RegionCrossing<S>& x) {
    using std::abs, std::sqrt;
    const S zero(0), radius(s.position);
    const S a = transverse_dot(t_, t_), b = transverse_dot(x_, t_),
            c = transverse_dot(x_, x_) - radius * radius;
    const S root = sqrt(b * b - a * c);
    x.path = select(b > zero, -c / (b + root), (root - b) / a);
    const auto on_it = abs(c) <= S(2 * s.position * same_place);
    lost_ = either(lost_, on_it);
    x.exists = both(c < zero, x.path < S(far));
    x.point = x_ + x.path * t_;
    x.direction = t_;
    const S inv_r(1 / s.position);
    x.normal = {x.point.x * inv_r, x.point.y * inv_r, zero};
    x.cosine = inner(x.normal, t_);
  }

  const BatchRegions& regions_;
  const RegionStart<S>& start_;
  std::size_t step_ = 0;
  Cartesian<S> x_, t_, field_;
  S path_{0}, leg_;
  bool straight_ = true;
  MaskOf<S> lost_, under_way_;
};

/// search_batch() in regions; `lost` are the tracks that cannot be followed.
template <class S>
[[gnu::noinline, gnu::flatten]] void search_regions(BatchSearch& task) {
  using L = PackAccess<S>;
  using std::abs;
  const BatchRegions& regions = *task.regions;
  const RegionStart<S> start(regions, *task.tracks);
  RegionFlight<S> flight(regions, start);
  for (;;) {
    const std::size_t r = flight.region();
    for (std::size_t j = regions.begin[r]; j < regions.begin[r + 1]; ++j) {
      const unsigned i = regions.order[j];
      const SurfaceRecord& s = task.surfaces[i].record;
      const RegionCrossing<S> x = flight.cross(s);
      task.crossed[i] = L::bits(x.exists);
      if (task.crossed[i] == 0) continue;
      L::store(flight.path() + x.path, task.arc[i]);
      if (task.x_over_x0 != nullptr)
        L::store(S(s.x_over_x0) / abs(x.cosine), task.x_over_x0[i]);
    }
    if (flight.is_last()) break;
    flight.go_to_end();
    flight.enter_next();
  }
  task.turned_back = 0;
  task.lost = L::bits(flight.lost());
  check_order<S>(task);
}

}  // namespace gttf::detail
