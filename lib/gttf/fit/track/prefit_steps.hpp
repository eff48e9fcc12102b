// SPDX-License-Identifier: Apache-2.0
// The steps of prefit() for any scalar: a circle, a line, then least squares.
#pragma once

#include "gttf/fit/streaming/split_column.hpp"
#include "gttf/fit/track/batch_outcome.hpp"
#include "gttf/fit/track/hit_surface.hpp"

namespace gttf::detail {

// The hits of a track, or of one track per vector element, are a type `Hits`
// with
//
//   measured       indices of the measured points
//   surface(i)     HitSurface<S> of point i
//   axes(i)        its measured coordinates
//   theta0_2(i)    S
//   field          bool

/// Circle through all points with equal weights, explicit.
/// Source: [Karimaki91]
template <class S, class Hits>
HelixPoint<S> fit_circle(const Hits& hits) {
  using std::atan2, std::cos, std::sin, std::sqrt;
  const S zero(0), two(2), inv_n(1 / static_cast<double>(hits.measured.size()));
  const Cartesian<S> first = hits.surface(hits.measured[0]).position;
  S x = zero, y = zero, r2 = zero;
  S xx = zero, xy = zero, yy = zero, xr = zero, yr = zero, rr = zero;
  for (const std::size_t i : hits.measured) {
    const Cartesian<S> p = hits.surface(i).position - first;
    const S q = transverse_dot(p, p);
    x = x + p.x;
    y = y + p.y;
    r2 = r2 + q;
    xx = xx + p.x * p.x;
    xy = xy + p.x * p.y;
    yy = yy + p.y * p.y;
    xr = xr + p.x * q;
    yr = yr + p.y * q;
    rr = rr + q * q;
  }
  x = x * inv_n, y = y * inv_n, r2 = r2 * inv_n;
  xx = xx * inv_n - x * x, xy = xy * inv_n - x * y, yy = yy * inv_n - y * y;
  xr = xr * inv_n - x * r2, yr = yr * inv_n - y * r2;
  rr = rr * inv_n - r2 * r2;
  const S q1 = rr * xy - xr * yr;
  const S q2 = rr * (xx - yy) - xr * xr + yr * yr;
  const S phi = S(0.5) * atan2(two * q1, q2);
  const S sine = sin(phi), cosine = cos(phi);
  const S bend = (sine * xr - cosine * yr) / rr;
  const S offset = sine * x - cosine * y - bend * r2;
  const S root = sqrt(S(1) - S(4) * offset * bend);
  const S d0 = -two * offset / (S(1) + root), c = -two * bend / root;
  const Cartesian<S> step = hits.surface(hits.measured[1]).position - first;
  const auto backwards = cosine * step.x + sine * step.y < zero;
  return {{first.x - d0 * sine, first.y + d0 * cosine, first.z},
          select(backwards, -cosine, cosine),
          select(backwards, -sine, sine),
          zero,
          hits.field ? select(backwards, -c, c) : zero};
}

/// Signed arc from a point of a helix to the point of it nearest to x.
/// @param inverse_c  1/h.c, or any value if that is 0
template <class S>
S arc_near(const HelixPoint<S>& h, const S& inverse_c, const Cartesian<S>& x,
           const S& not_before) {
  using std::abs, std::atan2;
  const S one(1);
  const Cartesian<S> u = x - h.position;
  const S ut = u.x * h.cos_phi + u.y * h.sin_phi;
  const S un = u.y * h.cos_phi - u.x * h.sin_phi;
  const S m = one - h.c * un, t = h.c * ut;
  const auto straight = both(abs(t) < S(1e-4), m > S(0));
  S s(0);
  if (any(straight)) {
    const S inverse = one / select(straight, m, one), q = t * inverse;
    s = ut * inverse * (one - q * q * S(1. / 3));
  }
  if (any(!straight)) {
    s = select(straight, s, atan2(t, m) * inverse_c);
    const S size = abs(h.c), round = S(2 * unit::pi) * abs(inverse_c);
    // past half a turn; otherwise a smaller arc means a wrong order
    const auto far = both(!straight, not_before * size > S(0.5 * unit::pi));
    auto again = both(far, s < not_before);
    for (int turns = 0; turns < 100 && any(again); ++turns) {
      s = select(again, s + round, s);
      again = both(again, s < not_before);
    }
  }
  return s;
}

template <class S>
S inverse_curvature(const HelixPoint<S>& h) {
  using std::abs;
  return S(1) / select(abs(h.c) > S(0), h.c, S(1));
}

/// Rough arc to the point nearest to x, the next of a sequence: a first guess
/// for a crossing close to it.
template <class S>
S arc_towards(const HelixPoint<S>& h, const Cartesian<S>& x) {
  using std::abs;
  const Cartesian<S> u = x - h.position;
  const S ut = u.x * h.cos_phi + u.y * h.sin_phi;
  const S un = u.y * h.cos_phi - u.x * h.sin_phi;
  const auto near = both(abs(h.c * ut) < S(0.5), h.c * un < S(0.5));
  if (!any(!near)) return ut;
  const S inverse_c = inverse_curvature(h), round = abs(inverse_c);
  const S s = arc_near(h, inverse_c, x, S(0));
  // more than half a turn ahead, and not behind
  const auto ahead = s < S(-0.5 * unit::pi) * round;
  return select(near, ut, select(ahead, s + S(2 * unit::pi) * round, s));
}

/// z = z0 + s cot(theta) through the points with measured z.
template <class S, class Hits>
[[gnu::flatten]] void fit_line(const Hits& hits, HelixPoint<S>& h) {
  using std::sqrt;
  const S inverse_c = inverse_curvature(h);
  const Cartesian<S> from = hits.surface(hits.measured.front()).position;
  const Cartesian<S> across =
      hits.surface(hits.measured.back()).position - from;
  const S span2 = dot(across, across), floor2 = S(1e-6) * span2;
  const S zero(0);
  S n = zero, sum_s = zero, sum_z = zero, ss = zero, sz = zero, last(-1e300);
  for (const std::size_t i : hits.measured) {
    const HitSurface<S> p = hits.surface(i);
    const S s = arc_near(h, inverse_c, p.position, last);
    last = s;
    S variance = floor2;
    const auto axes = hits.axes(i);
    for (const CoordinateAxis& a : axes) {
      const S rise = S(a.cosine) * p.u.z + S(a.sine) * p.v.z;
      variance = variance + rise * rise * S(a.variance);
    }
    if (axes.size() == 1) {
      const S rise = S(axes[0].cosine) * p.v.z - S(axes[0].sine) * p.u.z;
      variance = variance + rise * rise * span2 * S(100);
    }
    const S w = S(1) / variance, z = p.position.z - from.z;
    n = n + w;
    sum_s = sum_s + w * s;
    sum_z = sum_z + w * z;
    ss = ss + w * s * s;
    sz = sz + w * s * z;
  }
  h.cot = (n * sz - sum_s * sum_z) / (n * ss - sum_s * sum_s);
  h.position.z = from.z + (sum_z - h.cot * sum_s) / n;
}

/// Displacement of the point after the arc s of a helix due to its curvature,
/// per change of c: along the direction at the start and to its left.
template <class S>
struct BendChange {
  S along, across;
};

/// @param step  from the start to the point
template <class S>
BendChange<S> bend_change(const HelixPoint<S>& start, const S& s,
                          const Cartesian<S>& step) {
  using std::abs;
  // (sin(t) - t cos(t))/t^3 and (t sin(t) - 1 + cos(t))/t^2
  constexpr double lag[] = {1. / 3, -1. / 30, 1. / 840, -1. / 45360,
                            1. / 3991680};
  constexpr double bend[] = {1. / 2, -1. / 8, 1. / 144, -1. / 5760,
                             1. / 403200};
  const S &c = start.c, t = c * s, t2 = t * t, s2 = s * s;
  BendChange<S> d{-(s2 * t * polynomial(lag, t2)), s2 * polynomial(bend, t2)};
  const auto big = t2 > S(1);
  if (any(big)) {
    const S along = step.x * start.cos_phi + step.y * start.sin_phi;
    const S across = step.y * start.cos_phi - step.x * start.sin_phi;
    const S inverse = S(1) / select(big, c, S(1));
    d.along = select(big, (s * (S(1) - c * across) - along) * inverse, d.along);
    d.across = select(big, (t * along - across) * inverse, d.across);
  }
  return d;
}

/// Derivatives of the coordinate along `axis`, a vector in the plane of a
/// surface, where the helix crosses it after the transverse arc s, with respect
/// to (d0, z0, phi, cot, c) at the start.
/// @param step  from the start to the crossing
/// @param bend  bend_change() there
template <class S>
Row<S> slope_row(const HelixPoint<S>& start, const S& s,
                 const Cartesian<S>& step, const BendChange<S>& bend,
                 const Cartesian<S>& slope, const Cartesian<S>& normal,
                 const Cartesian<S>& axis) {
  const Cartesian<S> seen =
      axis - (dot(axis, slope) / dot(normal, slope)) * normal;
  const S &cosine = start.cos_phi, &sine = start.sin_phi;
  const S along = seen.x * cosine + seen.y * sine,
          across = seen.y * cosine - seen.x * sine;
  return {across, seen.z, seen.y * step.x - seen.x * step.y, seen.z * s,
          along * bend.along + across * bend.across};
}

/// Least squares of all coordinates around a helix. Scattering is included as
/// an independent error at every point.
template <class S>
struct SlopeEquations {
  FiveEquations<S> equations;
  ResidualColumn<S> column;

  /// Whether every parameter is determined independently.
  typename PackAccess<S>::Mask determined(std::size_t i) const {
    const auto& v = equations.v;
    S information = S(1) / v[i];
    for (std::size_t k = 0; k < i; ++k) {
      const S& r = equations.r[FiveEquations<S>::at(k, i)];
      information = information + r * r / v[k];
    }
    return both(v[i] < S(1e30), information * v[i] < S(1e14));
  }
  /// chi2 of the step to the solution.
  S distance2() const {
    S sum(0);
    for (std::size_t i = 0; i < 5; ++i)
      sum = sum + column.z[i] * column.z[i] / equations.v[i];
    return sum;
  }
};

/// Adds all hits around a helix.
/// @param wanted tracks for which the result is needed
template <class S, class Hits>
[[gnu::flatten]] void linearise(const Hits& hits, const HelixPoint<S>& start,
                                const typename PackAccess<S>::Mask& wanted,
                                SlopeEquations<S>& system,
                                BatchOutcome<S>& outcome) {
  SplitEquations<S> equations;
  SplitColumn<S> column;
  const S path2 = S(1) + start.cot * start.cot;
  HelixPoint<S> from = start;
  S s(0), angle2(0), moment(0), moment2(0);
  for (const std::size_t i : hits.measured) {
    const HitSurface<S> p = hits.surface(i);
    constexpr double error = 1e-5;  // mm
    const HelixCrossing<S> x =
        cross_surface(from, p, arc_towards(from, p.position), error);
    s = s + x.arc;
    outcome.require(either(!wanted, is_finite(s)), FitStatus::not_converged);
    if (outcome.failed()) return;
    from = x.at;
    const S wander = (angle2 * s * s - S(2) * moment * s + moment2) * path2;
    const Cartesian<S> step = x.at.position - start.position;
    const BendChange<S> bend = bend_change(start, s, step);
    const PlaneAxes<S> plane = axes_on(p, x.at.position);
    const Cartesian<S> normal = plane.normal();
    const InPlane<S> residual = seen_in_plane(p, x.at.position);
    for (const CoordinateAxis& a : hits.axes(i)) {
      const S cosine(a.cosine), sine(a.sine);
      const Cartesian<S> axis = cosine * plane.u + sine * plane.v;
      Row<S> row = slope_row(start, s, step, bend, x.at.slope(), normal, axis);
      if (!hits.field) row[4] = S(0);
      measure(equations, column, row,
              S(cosine * residual.u + sine * residual.v),
              S(S(a.variance) + wander));
    }
    const S theta0_2 = hits.theta0_2(i);
    angle2 = angle2 + theta0_2;
    moment = moment + theta0_2 * s;
    moment2 = moment2 + theta0_2 * s * s;
  }
  system = {equations.whole(), column.whole()};
}

/// Gauss-Newton on all coordinates.
template <class S, class Hits>
void refine(const Hits& hits, HelixPoint<S>& h, BatchOutcome<S>& outcome) {
  constexpr int max_steps = 30;
  auto moving = outcome.good;
  for (int step = 0; step < max_steps; ++step) {
    SlopeEquations<S> system;
    linearise(hits, h, moving, system, outcome);
    for (std::size_t i = 0; i < (hits.field ? 5u : 4u); ++i)
      outcome.require(either(!moving, system.determined(i)),
                      FitStatus::not_determined);
    if (outcome.failed()) return;
    const Row<S> move = solve(system.equations, system.column);
    S sum = move[0];
    for (std::size_t i = 1; i < 5; ++i) sum = sum + move[i];
    outcome.require(either(!moving, is_finite(sum)), FitStatus::not_converged);
    const auto take = [&moving](S& x, const S& change) {
      x = select(moving, x + change, x);
    };
    take(h.position.x, -h.sin_phi * move[0]);
    take(h.position.y, h.cos_phi * move[0]);
    take(h.position.z, move[1]);
    using std::cos, std::sin;
    const S cosine = cos(move[2]), sine = sin(move[2]);
    const S cos_phi = h.cos_phi * cosine - h.sin_phi * sine;
    h.sin_phi =
        select(moving, h.sin_phi * cosine + h.cos_phi * sine, h.sin_phi);
    h.cos_phi = select(moving, cos_phi, h.cos_phi);
    take(h.cot, move[3]);
    take(h.c, move[4]);
    // The fit with kinks moves by several errors from here; what a further step
    // changes in its results: docs/developing/performance.md, "Fits and toys".
    constexpr double at_rest2 = 1;  // errors of the step, squared
    moving =
        both(both(moving, outcome.good), !(system.distance2() < S(at_rest2)));
    if (outcome.failed() || !any(moving)) return;
  }
  outcome.require(!moving, FitStatus::not_converged);
}

/// prefit() without the checks of the hits.
template <class S, class Hits>
Helix<S> prefit_helix(const Hits& hits, bool coarse, BatchOutcome<S>& outcome) {
  using std::atan2;
  HelixPoint<S> h = fit_circle<S>(hits);
  fit_line(hits, h);
  outcome.require(is_finite(h.position.x + h.position.y + h.position.z +
                            h.cos_phi + h.sin_phi + h.cot + h.c),
                  FitStatus::coincident_hits);
  if (coarse && !outcome.failed()) refine(hits, h, outcome);
  if (outcome.failed()) return {};
  const HitSurface<S> first = hits.surface(hits.measured.front());
  const auto [s, at] = cross_surface(
      h, first, arc_near(h, inverse_curvature(h), first.position, S(-1e300)));
  outcome.require(is_finite(s), FitStatus::not_converged);
  const S theta = atan2(S(1), h.cot);
  using std::sin;
  return {at.position, theta, atan2(at.sin_phi, at.cos_phi), h.c * sin(theta)};
}

}  // namespace gttf::detail
