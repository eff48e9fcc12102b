// SPDX-License-Identifier: Apache-2.0
// ToySimulator::simulate() in lanes.
#pragma once

#include "gttf/core/detail/normal_pair.hpp"
#include "gttf/core/detail/pack_lane.hpp"
#include "gttf/resolution/detail/toy_flight.hpp"
#include "gttf/resolution/detail/toy_lanes.hpp"
#include "gttf/trajectory/reach.hpp"

namespace gttf::detail {

template <class S>
Line<S> line_for_all(const Line<double>& l) {
  return {.sin_theta = S(l.sin_theta),
          .cos_theta = S(l.cos_theta),
          .cot_theta = S(l.cot_theta),
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
          .scatter_scale = S(l.scatter_scale),
          .log_charge_beta = S(l.log_charge_beta),
          .on_axis = l.on_axis};
}

inline bool is_disk(const SurfaceRecord& s) {
  using Kind = SurfaceRecord::Kind;
  return s.kind == Kind::disk || s.kind == Kind::disk_plane;
}

template <class S>
[[gnu::flatten]] void make_normals(const ToyLanes& task) {
  using L = Lane<S>;
  for (std::size_t i = 0; i < task.n_normals; i += 2) {
    const std::uint64_t* words = task.words + i * L::width;
    const NormalPair<S> pair = normal_pair<S>(words, words + L::width);
    L::store(pair.first, task.normals[i]);
    L::store(pair.second, task.normals[i + 1]);
  }
}

template <class S>
[[gnu::flatten]] void simulate_lanes(ToyLanes& task) {
  using L = Lane<S>;
  make_normals<S>(task);
  Line<S> line = line_for_all<S>(*task.start);
  const auto same = [](const double(&x)[3]) -> Cartesian<S> {
    return {S(x[0]), S(x[1]), S(x[2])};
  };
  Flight<S> flight{same(task.first_position), same(task.first_direction)};
  const LaneValues* normal = task.normals;
  LaneValues* hit = task.hits;
  auto crossed = L::mask(all_lanes<S>);
  for (std::size_t k = 0; k < task.n_steps; ++k) {
    const ToyLaneStep& step = task.steps[k];
    if (k > 0) {
      Crossing<S> x{};
      set_line(flight, line, is_disk(step.surface));
      crossed = both(crossed, find_crossing(line, step.surface, x).crossed);
      if (!any(crossed)) break;
      flight = flight_at(line, x);
    }
    if (step.measures) {
      const S first = L::load(normal[0]), second = L::load(normal[1]);
      normal += 2;
      const S u = first * S(step.error[0][0]) + second * S(step.error[1][0]);
      const S v = first * S(step.error[0][1]) + second * S(step.error[1][1]);
      const Cartesian<S> at =
          shifted_point(step.surface, flight.position, u, v);
      L::store(at.x, *hit++);
      L::store(at.y, *hit++);
      L::store(at.z, *hit++);
    }
    if (step.theta0 > 0) {
      scatter(S(step.theta0) * L::load(normal[0]),
              S(step.theta0) * L::load(normal[1]), line.inv_sin_theta,
              flight.direction);
      normal += 2;
    }
  }
  task.crossed = L::bits(crossed);
}

template <class S>
constexpr ToyKernel make_toy_kernel() {
  return {Lane<S>::width, simulate_lanes<S>};
}

}  // namespace gttf::detail
