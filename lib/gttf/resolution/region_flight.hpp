// SPDX-License-Identifier: Apache-2.0
// RegionFlight: tracks on their way through regions of a uniform field, one
// track per vector element; and their crossings in a field map.
#pragma once

#include <limits>
#include <optional>

#include "gttf/core/pack_functions.hpp"
#include "gttf/resolution/batch_regions.hpp"
#include "gttf/resolution/batch_task.hpp"
#include "gttf/resolution/slowing_tracks.hpp"
#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/map_flight.hpp"
#include "gttf/trajectory/turn.hpp"

namespace gttf::detail {

/// Where a track crosses a surface.
template <class S>
struct RegionPlace {
  S path;  ///< from the begin of the region, mm
  Cartesian<S> point, direction, normal;
  S cosine;  ///< direction . normal
};

template <class S>
struct RegionCrossing : RegionPlace<S> {
  MaskOf<S> exists;
};

/// The unit normal of a surface at a point on it; not of a cone.
template <class S>
Cartesian<S> normal_of(const SurfaceRecord& s, const Cartesian<S>& at) {
  using Kind = SurfaceRecord::Kind;
  const S zero(0);
  if (s.kind == Kind::cylinder) {
    const S inv_r(1 / s.position);
    return {at.x * inv_r, at.y * inv_r, zero};
  }
  if (s.kind == Kind::plane) return {S(s.normal_cos), S(s.normal_sin), zero};
  if (s.kind == Kind::inclined)
    return {S(s.normal_r * s.normal_cos), S(s.normal_r * s.normal_sin),
            S(s.normal_z)};
  return {zero, zero, S(1)};
}

/// Whether a crossing is within the edges of the surface, and not too oblique.
template <class S>
MaskOf<S> is_within(const SurfaceRecord& s, const RegionCrossing<S>& x) {
  using std::abs, std::sqrt;
  return both(inside(
                  s, x.point.z,
                  [&x] { return S(sqrt(transverse_dot(x.point, x.point))); },
                  [&x] { return std::pair(x.point.x, x.point.y); }),
              abs(x.cosine) >= S(min_cos_incidence));
}

/// The start of tracks in regions, and the axes of the parameters of their
/// lines there: s = (q1, q2, t1, t2, kappa), displacements and changes of
/// direction along two axes normal to the track. No direction is special, and
/// scattering is the same along both axes.
///
/// In a map, the axes are oblique to those of the user: there, a coordinate
/// along one axis would depend on the other by the rounding of the integration,
/// by which exact hits would be divided (PivotSpread). In uniform fields such
/// coefficients are exactly 0.
template <class S>
struct RegionStart {
  Cartesian<S> point, direction;
  Transverse<S> axes;
  S qop;              ///< q/p, e/GeV
  S kappa;            ///< -q B_ref/p, 1/mm
  Cartesian<S> bend;  ///< d(direction)/d(path), 1/mm
  S twist;            ///< q/p times the field along the direction, 1/mm
  bool onwards;       ///< as BatchTracks::onwards
  FieldAt<S> here;    ///< the field, in a map with its derivatives
  MaskOf<S> in_map = all_true<S>();

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
    Cartesian<S>& field = here.field;
    field = field_of(regions, regions.n - 1);
    if (regions.map != nullptr) {
      in_map = look_up<true>(*regions.map, point, here);
      const Cartesian<S> first = axes.first, second = axes.second;
      axes.first = S(0.8) * first + S(0.6) * second;
      axes.second = S(0.8) * second - S(0.6) * first;
    }
    for (std::size_t step = regions.n - 1; step-- > 0;) {
      const auto in_front = is_before_end(regions, step, point);
      const Cartesian<S> b = field_of(regions, step);
      field = {select(in_front, b.x, field.x), select(in_front, b.y, field.y),
               select(in_front, b.z, field.z)};
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
/// start until then. Where momentum is lost in a field, a new begin follows.
template <class S>
class RegionFlight {
 public:
  RegionFlight(const BatchRegions& regions, const RegionStart<S>& start)
      : regions_(regions),
        start_(start),
        x_(start.point),
        t_(start.direction),
        qop_(start.qop) {
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
    return qop_ * cross_of(t, field_);
  }

  UniformPath<S> path_of(const S& length) const {
    return {-(qop_ * field_), length};
  }
  void go_to_end() {
    if (straight_) {
      x_ = x_ + leg_ * t_;
    } else {
      const UniformPath<S> path = path_of(leg_);
      x_ = x_ + path.displacement(t_);
      t_ = path.direction(t_);
      add_turn(leg_);
    }
    path_ = path_ + leg_;
  }
  /// After go_to_end().
  void enter_next() {
    ++step_;
    begin();
  }

  /// Changes q/p of tracks behind a surface of the region, which their path
  /// begins at from then on, if it is bent.
  /// @param x  their crossing with it; others may have none
  void change_qop(const RegionCrossing<S>& x, const MaskOf<S>& where,
                  const S& qop) {
    if (!straight_) {
      const S length = select(where, x.path, S(0));
      add_turn(length);
      put(where, x.point, x_);
      put(where, x.direction, t_);
      path_ = path_ + length;
      leg_ = leg_ - length;
    }
    qop_ = select(where, qop, qop_);
    if (!straight_) leg_ = length_to(regions_.normal, S(end_face()), leg_);
  }

  /// Where a surface of the region is crossed.
  RegionCrossing<S> cross(const SurfaceRecord& s) {
    RegionCrossing<S> x;
    if (s.kind == SurfaceRecord::Kind::cylinder)
      cross_cylinder(s, x);
    else
      cross_plane(s, x);
    x.exists =
        both(both(x.exists, x.path <= leg_ + S(same_place)), is_within(s, x));
    return x;
  }

 private:
  using L = PackAccess<S>;
  static constexpr double least_along = 0.1;
  /// In one gap, rad: as far as UniformPath is exact.
  static constexpr double most_turn = 1;
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
    leg_ = length_to(regions_.normal, S(end_face()), leg_);
  }

  /// Where the region ends, mm; not of the last.
  double end_face() const {
    return regions_.faces[start_.onwards ? step_ : regions_.n - 2 - step_];
  }

  /// On a curved path.
  void add_turn(const S& length) {
    turn_ = turn_.after(qop_, length * field_);
    lost_ = either(lost_, turn_.reaches(half_a_turn));
  }

  /// The length of a curved path to a plane normal to an axis. Not far from
  /// parallel to the normal at both ends, and with a small turn in between, a
  /// path goes forwards all the way: by 1 rad after its slowest point it gains
  /// at most 1 - cos(1) of its length along the normal.
  [[gnu::noinline, gnu::flatten]] S length_to(Axis normal, const S& at,
                                              S length) {
    using std::abs;
    const S zero(0);
    constexpr int most_steps = 12;
    constexpr double rounding = 1e-11;  // mm
    const auto moves = length > zero;
    auto open = moves, turns = none();
    S turn2(0), slope(1);
    for (int step = 0; step < most_steps && any(open); ++step) {
      const UniformPath<S> path = path_of(length);
      const S rest = at - component(x_ + path.displacement(t_), normal);
      slope = component(path.direction(t_), normal);
      turn2 = path.turn2();
      const S by = rest / slope;
      length = select(open, length + by, length);
      open = both(open, abs(by) > S(rounding));
      // these are not followed; the others go on
      turns = either(turns, both(open, turn2 > S(1)));
      open = both(open, !turns);
    }
    const S begin = component(t_, normal);
    const auto plain = both(turn2 <= S(most_turn * most_turn),
                            both(begin * slope > zero, abs(slope) > S(0.5)));
    lost_ = either(lost_, both(moves, either(either(open, turns), !plain)));
    return length;
  }

  void cross_plane(const SurfaceRecord& s, RegionCrossing<S>& x) {
    using std::abs;
    const S zero(0);
    x.normal = normal_of<S>(s, x_);
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
    x.normal = normal_of<S>(s, x.point);
    x.cosine = inner(x.normal, t_);
  }

  const BatchRegions& regions_;
  const RegionStart<S>& start_;
  std::size_t step_ = 0;
  Cartesian<S> x_, t_, field_;
  S qop_;  ///< e/GeV
  S path_{0}, leg_;
  Turn<S> turn_;
  bool straight_ = true;
  MaskOf<S> lost_, under_way_;
};

/// The momenta of tracks whose crossings are searched.
template <class S>
class SearchedMomenta {
 public:
  static constexpr bool may_change = true;

  explicit SearchedMomenta(const BatchSearch& task) {
    static_assert(sizeof(ElementPower<S>) <=
                  numbers_of_medium * sizeof(PackValues));
    if (task.loss != nullptr)
      slowing_.emplace(*task.loss, *task.tracks,
                       reinterpret_cast<ElementPower<S>*>(task.media));
  }

  /// Whether anything is lost in a surface.
  bool lose_in(std::size_t surface) const {
    return slowing_ && slowing_->lose_in(surface);
  }
  /// Takes tracks through it.
  void pass(std::size_t surface, const MaskOf<S>& crossed, const S& cosine) {
    const S its = select(crossed, cosine, S(1));
    slowing_->pass(crossed, slowing_->loss_in(surface, its, S(S(1) / its)));
  }
  S qop() const { return slowing_->qop(); }
  /// Tracks that have not stopped.
  MaskOf<S> are_moving() const {
    return slowing_ ? slowing_->kinetic() > S(0) : all_true<S>();
  }

 private:
  std::optional<SlowingTracks<S>> slowing_;
};

/// The same without energy loss.
template <class S>
struct KeptMomenta {
  static constexpr bool may_change = false;
  explicit KeptMomenta(const BatchSearch&) {}
  MaskOf<S> are_moving() const { return all_true<S>(); }
};

/// The crossings of tracks in a map: steps along all tracks, and in each the
/// surfaces that change from one side to the other. Where energy is lost, steps
/// end at the first surface.
template <class S>
class MapSearch {
 public:
  explicit MapSearch(BatchSearch& task)
      : task_(task),
        regions_(*task.regions),
        start_(regions_, *task.tracks),
        x_(start_.point),
        t_(start_.direction),
        qop_(start_.qop),
        momenta_(task) {}

  void run() {
    using std::abs;
    for (std::size_t i = 0; i < task_.n_surfaces; ++i) {
      task_.crossed[i] = 0;
      L::store(S(-1), task_.arc[i]);
      // which way a track crosses a surface where it starts is not clear here
      lost_ = either(lost_, abs(side_of(surface(i), x_)) <= S(same_place));
    }
    lost_ = either(lost_, !start_.in_map);
    FieldAt<S> here = start_.here;
    MapStepLength<S> length(*regions_.map);
    auto moving = both(!lost_, !left_behind());
    constexpr int most_steps = 2000;
    for (int n = 0; any(moving); ++n) {
      step_.begin_with(here);
      const S next = length.next(*regions_.map, x_, t_, here.field, qop_);
      const S size = select(moving, next, S(0));
      const auto inside = step_.take(*regions_.map, x_, t_, qop_, size);
      const auto taken = length.accept(step_, moving, inside, size);
      const S until = task_.loss != nullptr ? first_loss(taken) : S(far);
      cross_all(taken, until);
      const auto cut = both(taken, until < S(far)), whole = both(taken, !cut);
      if (any(cut)) pass_part(cut, until, here);
      const Turn<S> turn = turn_.after(qop_, step_.field_integral());
      put(whole, turn.angle, turn_.angle);
      put(whole, step_.position(), x_);
      put(whole, step_.direction(), t_);
      put(whole, step_.at_end(), here);
      path_ = path_ + select(whole, size, S(0));
      // others reach the edge of the map
      lost_ =
          either(lost_, both(moving, either(may_return(), length.is_stuck())));
      if (n == most_steps) lost_ = either(lost_, moving);
      moving = both(moving, both(!lost_, !left_behind()));
    }
    task_.turned_back = 0;
    task_.lost = L::bits(lost_);
    check_order<S>(task_);
  }

 private:
  using L = PackAccess<S>;
  static constexpr double least_cosine = 0.5;
  static constexpr double far = 1e30;  // mm

  const SurfaceRecord& surface(std::size_t i) const {
    return task_.surfaces[i].record;
  }

  /// Tracks that have turned far, and those that are not followed further.
  MaskOf<S> may_return() const {
    return either(inner(t_, start_.direction) < S(least_cosine),
                  turn_.reaches(half_a_turn));
  }

  /// As FlightBounds::left_behind().
  MaskOf<S> left_behind() const {
    const S zero(0);
    auto left = S(1) < zero;
    const auto beyond = [&](const S& x, const S& t, int i) {
      left = either(left, both(x < S(regions_.lower[i]), t <= zero));
      left = either(left, both(x > S(regions_.upper[i]), t >= zero));
    };
    beyond(x_.x, t_.x, 0);
    beyond(x_.y, t_.y, 1);
    beyond(x_.z, t_.z, 2);
    const S radius2(regions_.radius * regions_.radius);
    return either(left, both(transverse_dot(x_, x_) > radius2,
                             transverse_dot(x_, t_) >= zero));
  }

  /// Calls f(i, where, from, to) for the surfaces on the sides of which the
  /// ends of a step are, `where` that is a crossing.
  template <class F>
  void for_each_change(const MaskOf<S>& taken, const F& f) {
    const S zero(0);
    for (std::size_t i = 0; i < task_.n_surfaces; ++i) {
      const SurfaceRecord& s = surface(i);
      const S from = side_of(s, x_), to = side_of(s, step_.position());
      auto changes = both(from < zero, to >= zero);
      if (s.kind != SurfaceRecord::Kind::cylinder)
        changes = either(changes, both(from >= zero, to < zero));
      f(i, both(taken, changes), from, to);
    }
  }

  /// How far in a step the first surface is in which energy is lost.
  [[gnu::noinline]] S first_loss(const MaskOf<S>& taken) {
    S first(far);
    for_each_change(taken, [&](std::size_t i, const MaskOf<S>& crossed,
                               const S& from, const S& to) {
      const auto where = both(crossed, !(L::load(task_.arc[i]) >= S(0)));
      if (!momenta_.lose_in(i) || !any(where)) return;
      const RegionCrossing<S> x = find(surface(i), where, from, to);
      const auto is_first =
          both(both(where, is_within(surface(i), x)), x.path < first);
      first = select(is_first, x.path, first);
    });
    return first;
  }

  /// Ends steps before their end, behind a layer.
  [[gnu::noinline]] void pass_part(const MaskOf<S>& cut, const S& length,
                                   FieldAt<S>& here) {
    const PointInStep<S> at = step_.at(select(cut, length, S(0)));
    const Turn<S> turn = turn_.after(qop_, step_.field_integral(at));
    put(cut, turn.angle, turn_.angle);
    Cartesian<S> x, t;
    step_.look(at, x, t);
    put(cut, x, x_);
    put(cut, t, t_);
    FieldAt<S> there;
    const auto inside = look_up<true>(*regions_.map, x_, there);
    put(cut, there, here);
    path_ = path_ + select(cut, length, S(0));
    qop_ = select(cut, momenta_.qop(), qop_);
    lost_ = either(lost_, both(cut, !both(inside, momenta_.are_moving())));
  }

  /// @param until  how far in the step a track is followed
  void cross_all(const MaskOf<S>& taken, const S& until) {
    for_each_change(taken, [&](std::size_t i, const MaskOf<S>& crossed,
                               const S& from, const S& to) {
      cross(i, crossed, until, from, to);
      if (surface(i).kind != SurfaceRecord::Kind::cylinder)
        lose_if_touched(surface(i), taken, from, to);
    });
  }

  /// Forth and back within a step; the path is this close to its chord.
  void lose_if_touched(const SurfaceRecord& s, const MaskOf<S>& where,
                       const S& from, const S& to) {
    using std::abs;
    constexpr double sagitta = 0.04;
    const S limit = S(sagitta) * step_.length();
    const auto near = both(both(where, from * to > S(0)),
                           either(abs(from) < limit, abs(to) < limit));
    if (!any(near)) return;
    const S begin = level_on_path(s, x_, t_).slope,
            end = level_on_path(s, step_.position(), step_.direction()).slope;
    const auto back = both(from * begin < S(0), S(0) < to * end);
    lost_ = either(lost_, both(near, back));
  }

  /// A crossing in the step.
  RegionCrossing<S> find(const SurfaceRecord& s, const MaskOf<S>& where,
                         const S& from, const S& to) {
    using std::abs;
    constexpr int most_steps = 20;
    constexpr double last = 1e-9;  // mm
    RegionCrossing<S> x;
    x.path = step_.length() * (from / select(where, from - to, S(1)));
    auto open = where;
    for (int n = 0; n < most_steps && any(open); ++n) {
      step_.look(step_.at(x.path), x.point, x.direction);
      const LevelOnPath<S> there = level_on_path(s, x.point, x.direction);
      const S move = there.value / there.slope;
      x.path = select(open, x.path - move, x.path);
      open = both(open, !(abs(move) <= S(last)));
    }
    lost_ = either(lost_, open);
    step_.look(step_.at(x.path), x.point, x.direction);
    x.normal = normal_of<S>(s, x.point);
    x.cosine = inner(x.normal, x.direction);
    return x;
  }

  void cross(std::size_t i, const MaskOf<S>& crossed, const S& until,
             const S& from, const S& to) {
    using std::abs;
    if (!any(crossed)) return;
    const SurfaceRecord& s = surface(i);
    const auto again = L::load(task_.arc[i]) >= S(0);
    auto where = both(crossed, !again);
    // a module counts if it is met beyond its edges first
    if (s.kind == SurfaceRecord::Kind::inclined)
      lost_ =
          either(lost_, both(both(crossed, again), !L::mask(task_.crossed[i])));
    const RegionCrossing<S> x = find(s, where, from, to);
    where = both(where, x.path <= until + S(same_place));
    const auto within = both(where, is_within(s, x));
    task_.crossed[i] |= L::bits(within);
    L::store(select(where, path_ + x.path, L::load(task_.arc[i])),
             task_.arc[i]);
    if (task_.x_over_x0 != nullptr)
      L::store(select(where, S(s.x_over_x0) / abs(x.cosine),
                      L::load(task_.x_over_x0[i])),
               task_.x_over_x0[i]);
    if (momenta_.lose_in(i) && any(within)) momenta_.pass(i, within, x.cosine);
  }

  BatchSearch& task_;
  const BatchRegions& regions_;
  const RegionStart<S> start_;
  Cartesian<S> x_, t_;
  S qop_;  ///< e/GeV
  S path_{0};
  Turn<S> turn_;
  MapStep<S> step_;
  SearchedMomenta<S> momenta_;
  MaskOf<S> lost_ = S(1) < S(0);
};

/// @tparam Momenta  SearchedMomenta or, without energy loss, KeptMomenta
template <class S, class Momenta>
[[gnu::noinline, gnu::flatten]] void search_uniform_regions(BatchSearch& task) {
  using L = PackAccess<S>;
  using std::abs;
  const BatchRegions& regions = *task.regions;
  const RegionStart<S> start(regions, *task.tracks);
  RegionFlight<S> flight(regions, start);
  Momenta momenta(task);
  for (;;) {
    const std::size_t r = flight.region(), begin = regions.begin[r],
                      end = regions.begin[r + 1];
    for (std::size_t j = begin; j < end; ++j) {
      const unsigned i =
          regions.order[start.onwards ? j : begin + (end - 1 - j)];
      const SurfaceRecord& s = task.surfaces[i].record;
      const RegionCrossing<S> x = flight.cross(s);
      task.crossed[i] = L::bits(x.exists);
      if (task.crossed[i] == 0) continue;
      L::store(flight.path() + x.path, task.arc[i]);
      if (task.x_over_x0 != nullptr)
        L::store(S(s.x_over_x0) / abs(x.cosine), task.x_over_x0[i]);
      if constexpr (Momenta::may_change)
        if (momenta.lose_in(i)) {
          momenta.pass(i, x.exists, x.cosine);
          flight.change_qop(x, x.exists, momenta.qop());
        }
    }
    if (flight.is_last()) break;
    flight.go_to_end();
    flight.enter_next();
  }
  task.turned_back = 0;
  task.lost = L::bits(either(flight.lost(), !momenta.are_moving()));
  check_order<S>(task);
}

/// search_batch() in regions; `lost` are the tracks that cannot be followed.
template <class S>
void search_regions(BatchSearch& task) {
  if (task.regions->map != nullptr)
    MapSearch<S>(task).run();
  else if (task.loss != nullptr)
    search_uniform_regions<S, SearchedMomenta<S>>(task);
  else
    search_uniform_regions<S, KeptMomenta<S>>(task);
}

}  // namespace gttf::detail
