// SPDX-License-Identifier: Apache-2.0
// ToySimulator::simulate() in lanes.
#pragma once

#include "gttf/core/normal_pair.hpp"
#include "gttf/core/pack_lane.hpp"
#include "gttf/core/random_words.hpp"
#include "gttf/resolution/toy_lane_step.hpp"
#include "gttf/resolution/toy_lanes.hpp"

namespace gttf::detail {

template <class S>
Line<S> line_for_all(const Line<double>& l) {
  return {.sin_theta = S(l.sin_theta),
          .cos_theta = S(l.cos_theta),
          .cot_theta = S(l.cot_theta),
          .cot2_theta = S(l.cot2_theta),
          .tan_theta = S(l.tan_theta),
          .inv_sin_theta = S(l.inv_sin_theta),
          .kappa = S(l.kappa),
          .c = S(l.c),
          .kappa_column = S(l.kappa_column),
          .along = S(l.along),
          .across = S(l.across),
          .z = S(l.z),
          .r2 = S(l.r2),
          .cos_phi = S(l.cos_phi),
          .sin_phi = S(l.sin_phi),
          .strength = {S(l.strength.scale), S(l.strength.log_charge_beta)},
          .on_axis = l.on_axis};
}

inline bool is_disk(const SurfaceRecord& s) {
  using Kind = SurfaceRecord::Kind;
  return s.kind == Kind::disk || s.kind == Kind::disk_plane;
}

/// The random bits of all lanes.
template <class S>
[[gnu::noinline]] void make_words(const ToyLanes& task) {
  constexpr std::size_t width = Lane<S>::width;
  for (std::size_t b = 0; b < task.n_blocks; ++b)
    random_words<S>(task.first_place, b, width, task.words + 4 * b * width);
}

/// Makes the next two normal numbers.
template <class S>
[[gnu::noinline, gnu::flatten]] void take_pair(const std::uint64_t*& words,
                                               NormalPair<S>& pair) {
  constexpr std::size_t width = Lane<S>::width;
  pair = normal_pair<S>(words, words + width);
  words += 2 * width;
}

/// The normal numbers of all lanes, in turn.
template <class S>
struct LaneNormals {
  const std::uint64_t* words;
  NormalPair<S> pair;
  bool one_left = false;  ///< the second of the pair

  void take(S& first) {
    if (!one_left) take_pair(words, pair);
    first = one_left ? pair.second : pair.first;
    one_left = !one_left;
  }
  void take(S& first, S& second) {
    if (one_left) {
      first = pair.second;
      take_pair(words, pair);
      second = pair.first;
      return;
    }
    take_pair(words, pair);
    first = pair.first;
    second = pair.second;
  }
};

/// Shifts along u' and v'.
template <class S>
struct PlaneShift {
  S u, v;
};

/// By how much a hit of a track that crosses at `at` is away from there, if
/// one coordinate is measured.
template <class S>
PlaneShift<S> free_shift(const ToyLaneStep& step, const Cartesian<S>& at,
                         const S& normal) {
  const AxisComponents<S> axes = axis_components(step.surface, at.x, at.y);
  const S du(step.free_direction[0]), dv(step.free_direction[1]);
  const S offset[3] = {S(step.nominal[0]) - at.x, S(step.nominal[1]) - at.y,
                       S(step.nominal[2]) - at.z};
  S away(0);
  for (int i = 0; i < 3; ++i)
    away = away + (axes.u[i] * du + axes.v[i] * dv) * offset[i];
  return {normal * S(step.error[0][0]) + du * away,
          normal * S(step.error[0][1]) + dv * away};
}

/// Flies lanes to a surface as ToySimulator does, lanes that `take` tells:
/// those that need a closer look.
/// @return  lanes that cross it
template <class S>
[[gnu::noinline, gnu::flatten]] MaskOf<S> fly_with_care(
    const Flight<S>& from, const Line<double>& start, const SurfaceRecord& s,
    const MaskOf<S>& take, Flight<S>& to) {
  Line<S> line = line_for_all<S>(start);
  set_line(from, line, is_disk(s));
  Crossing<S> x{};
  const MaskOf<S> crossed = find_crossing(line, s, x).crossed;
  const Flight<S> at = flight_at(line, x);
  const auto put = [&take](const Cartesian<S>& c, Cartesian<S>& into) {
    into = {select(take, c.x, into.x), select(take, c.y, into.y),
            select(take, c.z, into.z)};
  };
  put(at.position, to.position);
  put(at.direction, to.direction);
  return crossed;
}

template <class S>
[[gnu::flatten]] void simulate_lanes(ToyLanes& task) {
  using std::sqrt;
  using L = Lane<S>;
  const S kappa(task.start->kappa);
  const auto same = [](const double(&x)[3]) -> Cartesian<S> {
    return {S(x[0]), S(x[1]), S(x[2])};
  };
  // where each step begins and ends, in turn
  Flight<S> flights[2] = {
      {same(task.first_position), same(task.first_direction)}};
  make_words<S>(task);
  LaneNormals<S> normals{task.words, {}};
  NormalPair<S> shift{}, kink{};
  LaneValues* hit = task.hits;
  auto crossed = L::mask(all_lanes<S>);
  for (std::size_t k = 0; k < task.n_steps; ++k) {
    const ToyLaneStep& step = task.steps[k];
    // before the flight: they are made while it waits for divisions
    if (step.free)
      normals.take(shift.first);
    else if (step.measures)
      normals.take(shift.first, shift.second);
    if (step.theta0 > 0) normals.take(kink.first, kink.second);
    Flight<S>& flight = flights[k % 2];
    if (k > 0) {
      const Flight<S>& from = flights[(k + 1) % 2];
      MaskOf<S> good;
      fly_to(from, step.surface, kappa, flight, good);
      if (any(!good)) [[unlikely]]
        good = either(good, fly_with_care(from, *task.start, step.surface,
                                          !good, flight));
      crossed = both(crossed, good);
      if (!any(crossed)) break;
    }
    if (step.measures) {
      const S &first = shift.first, &second = shift.second;
      const PlaneShift<S> by =
          step.free
              ? free_shift(step, flight.position, first)
              : PlaneShift<S>{
                    first * S(step.error[0][0]) + second * S(step.error[1][0]),
                    first * S(step.error[0][1]) + second * S(step.error[1][1])};
      const Cartesian<S> at =
          shifted_point(step.surface, flight.position, by.u, by.v);
      L::store(at.x, *hit++);
      L::store(at.y, *hit++);
      L::store(at.z, *hit++);
    }
    if (step.theta0 > 0) {
      const Cartesian<S>& t = flight.direction;
      scatter(S(step.theta0) * kink.first, S(step.theta0) * kink.second,
              S(1) / sqrt(t.x * t.x + t.y * t.y), flight.direction);
    }
  }
  task.crossed = L::bits(crossed);
}

template <class S>
constexpr ToyKernel make_toy_kernel() {
  return {Lane<S>::width, simulate_lanes<S>};
}

}  // namespace gttf::detail
