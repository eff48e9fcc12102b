// SPDX-License-Identifier: Apache-2.0
// The simulation of toys, for any scalar and path: normal numbers, the flight
// from surface to surface, measurement and scattering.
#pragma once

#include <cmath>
#include <type_traits>

#include "gttf/core/pack_functions.hpp"
#include "gttf/core/random_words.hpp"
#include "gttf/fit/track/perigee_transport.hpp"
#include "gttf/resolution/toy_task.hpp"
#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf::detail {

/// The branch of the random numbers of the energy lost after step k.
constexpr std::uint64_t branch_of_step(std::size_t k) { return k + 1; }

/// The random bits of the toys from `first`, one toy per vector
/// element.
template <class S>
[[gnu::noinline]] void make_words(const RandomPlace& first,
                                  std::size_t n_blocks, std::uint64_t* out) {
  constexpr std::size_t width = PackAccess<S>::width;
  for (std::size_t b = 0; b < n_blocks; ++b)
    random_words<S>(first, b, width, out + 4 * b * width);
}

/// Generates the next two normal numbers.
template <class S>
[[gnu::noinline, gnu::flatten]] void take_pair(const std::uint64_t*& words,
                                               NormalPair<S>& pair) {
  constexpr std::size_t width = PackAccess<S>::width;
  pair = normal_pair<S>(words, words + width);
  words += 2 * width;
}

/// The normal numbers of toys in sequence, as in fill_normals().
template <class S>
struct ToyNormals {
  const std::uint64_t* words;
  NormalPair<S> pair{};
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

template <class S>
Cartesian<S> direction_of(const Line<S>& l) {
  return {l.sin_theta * l.cos_phi, l.sin_theta * l.sin_phi, l.cos_theta};
}

/// Sets the members of `l` used by the formulas of a crossing.
/// @param to_disk  the next surface is a disk, which needs tan(theta)
template <class S>
void set_line(const PathPoint<S>& f, Line<S>& l, bool to_disk = true) {
  using std::sqrt;
  const S &tx = f.direction.x, &ty = f.direction.y;
  set_polar(S(sqrt(tx * tx + ty * ty)), f.direction.z, l);
  if (to_disk) l.tan_theta = l.sin_theta / l.cos_theta;
  l.cos_phi = tx * l.inv_sin_theta;
  l.sin_phi = ty * l.inv_sin_theta;
  set_start(f.position.x, f.position.y, f.position.z, l);
  l.on_axis = false;
}

template <class S>
PathPoint<S> path_point(const Line<S>& l, const Crossing<S>& x) {
  return {position_at(l, x),
          {l.sin_theta * (l.cos_phi * x.cos_turn - l.sin_phi * x.sin_turn),
           l.sin_theta * (l.sin_phi * x.cos_turn + l.cos_phi * x.sin_turn),
           l.cos_theta}};
}

/// 1/sqrt(1 + x) for x >= 0.
template <class S>
S inverse_hypotenuse(const S& x) {
  using std::sqrt;
  // six terms leave an error of 0.2 x^6, a fifth of a unit in the last place
  constexpr double small = 2e-3;
  constexpr double terms[] = {1.,       -1. / 2,   3. / 8,
                              -5. / 16, 35. / 128, -63. / 256};
  const S series = polynomial(terms, x);
  const auto large = !(x < S(small));
  if (!any(large)) return series;
  return select(large, S(1) / sqrt(S(1) + x), series);
}

/// Turns the direction by small angles along e_theta and e_phi.
/// @param inv_sine  1/sin(theta) before
template <class S>
void scatter(const S& theta, const S& phi, const S& inv_sine, Cartesian<S>& t) {
  const S ex = t.x * inv_sine, ey = t.y * inv_sine, cosine = t.z;
  const S sine = ex * t.x + ey * t.y;
  const S norm = inverse_hypotenuse(theta * theta + phi * phi);
  t = {norm * (t.x + theta * cosine * ex - phi * ey),
       norm * (t.y + theta * cosine * ey + phi * ex),
       norm * (cosine - theta * sine)};
}

/// A point of a surface shifted along u' and v', projected onto the surface.
template <class S>
Cartesian<S> shifted_point(const SurfaceRecord& s, const Cartesian<S>& at,
                           const S& u, const S& v) {
  const AxisComponents<S> axes = axis_components(s, at.x, at.y);
  Cartesian<S> p = {at.x + axes.u[0] * u + axes.v[0] * v,
                    at.y + axes.u[1] * u + axes.v[1] * v,
                    at.z + axes.u[2] * u + axes.v[2] * v};
  if (s.is_curved()) {
    const S turn = u * inverse_radius_at(s, p);
    const S factor = inverse_hypotenuse(turn * turn);
    p.x = p.x * factor;
    p.y = p.y * factor;
  }
  return p;
}

/// Displacement of a hit from the crossing `at` of the track, if one coordinate
/// is measured.
template <class S>
InPlane<S> free_shift(const ToyStep& step, const Cartesian<S>& at,
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

/// Measured position of a track that crosses at `at`.
template <class S>
[[gnu::always_inline]] inline Cartesian<S> measured_point(
    const ToyStep& step, const Cartesian<S>& at, const NormalPair<S>& normal) {
  const S &first = normal.first, &second = normal.second;
  const InPlane<S> by =
      step.free
          ? free_shift(step, at, first)
          : InPlane<S>{
                first * S(step.error[0][0]) + second * S(step.error[1][0]),
                first * S(step.error[0][1]) + second * S(step.error[1][1])};
  return shifted_point(step.surface, at, by.u, by.v);
}

// The flight of a helix to the next surface takes one root and one division
// (fly_to), where find_crossing() and its frame take a dozen (fly_with_care).

/// A piece of a helix from t until it has turned by Phi: t * along + (z x t) *
/// across, and path t_z along z. With the 3D curvature kappa
///
///   along = sin(Phi)/kappa,  across = (1 - cos(Phi))/kappa,  path = Phi/kappa
template <class S>
struct HelixPiece {
  S along, across, path;
};

template <class S>
[[gnu::always_inline]] inline void fly(const PathPoint<S>& from,
                                       const HelixPiece<S>& piece,
                                       const S& kappa, PathPoint<S>& to) {
  const Cartesian<S>&p = from.position, &t = from.direction;
  // 1 - cos(Phi), one product after the other, because the choice of which one
  // to fuse with their sum could differ between elements
  const S lag = kappa * piece.across, sine = kappa * piece.along;
  to.position = {p.x + piece.along * t.x - piece.across * t.y,
                 p.y + piece.along * t.y + piece.across * t.x,
                 p.z + piece.path * t.z};
  to.direction = {t.x - lag * t.x - sine * t.y, t.y - lag * t.y + sine * t.x,
                  t.z};
}

/// The piece with tan(Phi/2) = kappa n/r, of which r > 0 is a root of the
/// equation of the surface. An angle is needed only for the path.
/// @return  toys that turn by less than 30 deg
template <class S>
[[gnu::always_inline]] inline MaskOf<S> set_piece(const S& n, const S& r,
                                                  const S& kappa,
                                                  HelixPiece<S>& piece) {
  const S kappa_n = kappa * n;
  const S scaled = (n + n) / (r * r + kappa_n * kappa_n);
  piece.along = scaled * r;
  piece.across = scaled * kappa_n;
  const S sine = kappa * piece.along, sine2 = sine * sine;
  piece.path = piece.along + piece.along * (sine2 * asin_excess_small(sine2));
  return both(sine2 < S(0.25), kappa * piece.across < S(0.5));
}

/// With W sin(theta)^-1 = n/r for W of docs/theory/crossings.md: so there is no
/// division by sin(theta).
template <class S>
[[gnu::always_inline]] inline MaskOf<S> fly_to_cylinder(
    const PathPoint<S>& from, const SurfaceRecord& s, const S& kappa,
    PathPoint<S>& to) {
  using std::sqrt;
  const Cartesian<S>&p = from.position, &t = from.direction;
  const S r2 = p.x * p.x + p.y * p.y;
  const S along2 = S(2) * (p.x * t.x + p.y * t.y);
  const S across = p.y * t.x - p.x * t.y;
  const S gap = S(s.position * s.position) - r2;
  const S sine2 = t.x * t.x + t.y * t.y;
  const S quad = S(4) * (sine2 + across * kappa) - gap * (kappa * kappa);
  HelixPiece<S> piece;
  const auto short_arc =
      set_piece(gap, along2 + sqrt(along2 * along2 + quad * gap), kappa, piece);
  fly(from, piece, kappa, to);
  const double ahead = std::max(s.position - same_place, 0.0);
  const S out = to.position.x * to.direction.x + to.position.y * to.direction.y;
  return both(both(both(along2 > S(0), r2 <= S(ahead * ahead)), short_arc),
              both(within(s.v, to.position.z),
                   out >= S(min_cos_incidence * s.position)));
}

template <class S>
[[gnu::always_inline]] inline MaskOf<S> fly_to_plane(const PathPoint<S>& from,
                                                     const SurfaceRecord& s,
                                                     const S& kappa,
                                                     PathPoint<S>& to) {
  using std::abs, std::sqrt;
  const Cartesian<S>&p = from.position, &t = from.direction;
  const S nx(s.normal_cos), ny(s.normal_sin);
  const S gap = S(s.position) - nx * p.x - ny * p.y;
  const S towards = nx * t.x + ny * t.y, beside = nx * t.y - ny * t.x;
  const S m = gap * kappa * (gap * kappa + (beside + beside));
  HelixPiece<S> piece;
  const auto short_arc = set_piece(
      abs(gap), abs(towards) + sqrt(towards * towards - m), kappa, piece);
  fly(from, piece, kappa, to);
  const Cartesian<S>& at = to.position;
  const auto inside = s.normal == Axis::x
                          ? both(within(s.u, at.y), within(s.v, at.z))
                          : both(within(s.u, at.z), within(s.v, at.x));
  const S through = nx * to.direction.x + ny * to.direction.y;
  return both(both(short_arc, inside),
              both(both(abs(gap) > S(same_place), gap * towards > S(0)),
                   abs(through) >= S(min_cos_incidence)));
}

template <class S>
[[gnu::always_inline]] inline MaskOf<S> fly_to_disk(const PathPoint<S>& from,
                                                    const SurfaceRecord& s,
                                                    const S& kappa,
                                                    PathPoint<S>& to) {
  using std::abs;
  const Cartesian<S>&p = from.position, &t = from.direction;
  const S gap = S(s.position) - p.z;
  HelixPiece<S> piece;
  piece.path = gap / t.z;
  const S half_turn = S(0.5) * kappa * piece.path, x2 = half_turn * half_turn;
  const SineSeries<S> series = sine_series(x2);
  const S sinc = S(1) - x2 * series.deficit, chord = piece.path * sinc;
  piece.along = chord * series.cosine;
  piece.across = chord * (half_turn * sinc);
  fly(from, piece, kappa, to);
  const S &x = to.position.x, &y = to.position.y, r2 = x * x + y * y;
  const auto inside =
      s.kind == SurfaceRecord::Kind::disk
          ? both(r2 >= S(s.v.lower * s.v.lower), r2 <= S(s.v.upper * s.v.upper))
          : both(within(s.u, x), within(s.v, y));
  return both(both(x2 < S(1), inside),
              both(piece.path > S(0), both(abs(gap) > S(same_place),
                                           abs(t.z) >= S(min_cos_incidence))));
}

/// Sets `to` to the crossing with `s`, and returns the toys for which it is
/// certain; the others must be checked by find_crossing().
template <class S>
[[gnu::noinline, gnu::flatten]] void fly_to(const PathPoint<S>& from,
                                            const SurfaceRecord& s,
                                            const S& kappa, PathPoint<S>& to,
                                            MaskOf<S>& good) {
  using Kind = SurfaceRecord::Kind;
  if (s.kind == Kind::cylinder)
    good = fly_to_cylinder(from, s, kappa, to);
  else if (s.kind == Kind::plane)
    good = fly_to_plane(from, s, kappa, to);
  else if (s.kind == Kind::disk || s.kind == Kind::disk_plane)
    good = fly_to_disk(from, s, kappa, to);
  else
    good = S(0) > S(0);
}

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

/// By find_crossing(), for the toys in `take`, which need a detailed check.
/// @return  toys that cross it
template <class S>
[[gnu::noinline, gnu::flatten]] MaskOf<S> fly_with_care(
    const PathPoint<S>& from, const Line<double>& start, const SurfaceRecord& s,
    const MaskOf<S>& take, PathPoint<S>& to) {
  Line<S> line = line_for_all<S>(start);
  set_line(from, line, !s.is_upright());
  Crossing<S> x{};
  const MaskOf<S> crossed = find_crossing(line, s, x).crossed;
  const PathPoint<S> at = path_point(line, x);
  const auto put = [&take](const Cartesian<S>& c, Cartesian<S>& into) {
    into = {select(take, c.x, into.x), select(take, c.y, into.y),
            select(take, c.z, into.z)};
  };
  put(at.position, to.position);
  put(at.direction, to.direction);
  return crossed;
}

/// Propagates helices from surface to surface.
template <class S>
class HelixFlight {
 public:
  static constexpr bool loses_energy = false;

  /// @param start  of the reference track
  /// @param begin  of the toys
  /// @param there  that is at the first surface
  HelixFlight(const Line<double>& start, const PathPoint<S>& begin, bool there)
      : start_(start), kappa_(start.kappa), there_(there) {
    at_[there ? 0 : 1] = begin;
  }

  /// Propagates to the surface of step k.
  /// @return toys that cross it
  MaskOf<S> fly(std::size_t k, const SurfaceRecord& surface) {
    now_ = k % 2;
    if (k == 0 && there_) return PackAccess<S>::mask(all_in_pack<S>);
    const PathPoint<S>& from = at_[1 - now_];
    MaskOf<S> good;
    fly_to(from, surface, kappa_, at_[now_], good);
    if (any(!good)) [[unlikely]]
      good = either(good, fly_with_care(from, start_, surface, MaskOf<S>(!good),
                                        at_[now_]));
    return good;
  }
  /// Continues from the beginning of the last step.
  void stay() { at_[now_] = at_[1 - now_]; }
  const Cartesian<S>& position() const { return at_[now_].position; }
  void scatter(const S& theta, const S& phi) {
    using std::sqrt;
    Cartesian<S>& t = at_[now_].direction;
    detail::scatter(theta, phi, S(S(1) / sqrt(t.x * t.x + t.y * t.y)), t);
  }

 private:
  const Line<double>& start_;
  const S kappa_;
  const bool there_;
  PathPoint<S> at_[2]{};  ///< alternately the start and end of each step
  std::size_t now_ = 0;
};

/// A toy, or one in each element of a vector, from surface to surface, where it
/// is measured, then scattered, and slowed if the path loses energy.
/// @param path       HelixFlight or what has its functions
/// @param take_hit   of (step, measured point)
/// @param pass_step  of (step) whose surface is missed: whether to continue
///                   from the previous one; only where S is a double
/// @return  toys that cross all surfaces, or pass them
template <class S, class Path, class TakeHit, class PassStep>
[[gnu::always_inline]] inline MaskOf<S> fly_toys(std::span<const ToyStep> steps,
                                                 Path& path,
                                                 ToyNormals<S>& normals,
                                                 const TakeHit& take_hit,
                                                 const PassStep& pass_step) {
  NormalPair<S> shift{}, kink{};
  MaskOf<S> crossed = PackAccess<S>::mask(all_in_pack<S>);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const ToyStep& step = steps[k];
    // before the flight, to overlap with its divisions
    if (step.free)
      normals.take(shift.first);
    else if (step.measures)
      normals.take(shift.first, shift.second);
    if (step.theta0 > 0) normals.take(kink.first, kink.second);
    const MaskOf<S> met = path.fly(k, step.surface);
    if constexpr (std::is_same_v<S, double>)
      if (!met && pass_step(k)) {
        path.stay();
        continue;
      }
    crossed = both(crossed, met);
    if (!any(crossed)) break;
    if (step.measures)
      take_hit(k, measured_point(step, path.position(), shift));
    if (step.theta0 > 0)
      path.scatter(S(step.theta0) * kink.first, S(step.theta0) * kink.second);
    if constexpr (Path::loses_energy)
      crossed = both(crossed, path.lose_energy(k));
  }
  return crossed;
}

/// Displaces the start, and sets the true parameters.
template <class S>
void displace(const Line<double>& line, const ToySpot& spot,
              ToyNormals<S>& normals, Cartesian<S>& position) {
  S by[3];
  for (int i = 0; i < 3; ++i) {
    normals.take(by[i]);
    by[i] = S(spot.sigma[i]) * by[i];
  }
  const Cartesian<S> shift{by[0], by[1], by[2]};
  position = position + shift;
  const PerigeeOf<S> truth = perigee_of<S>(
      {shift, S(spot.theta), S(spot.phi), S(line.kappa)},
      {S(line.sin_theta), S(line.cos_theta), S(line.sin_phi), S(line.cos_phi)});
  for (std::size_t i = 0; i < track_dim; ++i)
    PackAccess<S>::store(truth.parameters[i], spot.truth[i]);
}

/// Flies the toys along `path`; their hits and whether they cross all surfaces.
template <class S, class P>
[[gnu::always_inline]] inline void store_hits(ToyTask& task, P& path,
                                              ToyNormals<S>& normals) {
  using L = PackAccess<S>;
  PackValues* hit = task.hits;
  task.crossed = L::bits(fly_toys(
      task.steps, path, normals,
      [&hit](std::size_t, const Cartesian<S>& at) {
        L::store(at.x, *hit++);
        L::store(at.y, *hit++);
        L::store(at.z, *hit++);
      },
      [](std::size_t) { return false; }));
}

template <class S>
[[gnu::flatten]] void simulate_toys(ToyTask& task) {
  const auto same = [](const Cartesian<double>& c) -> Cartesian<S> {
    return {S(c.x), S(c.y), S(c.z)};
  };
  make_words<S>(task.first_place, task.n_blocks, task.words);
  ToyNormals<S> normals{task.words};
  PathPoint<S> begin{same(task.first.position), same(task.first.direction)};
  if (task.spot != nullptr)
    displace(*task.start, *task.spot, normals, begin.position);
  HelixFlight<S> path(*task.start, begin, task.spot == nullptr);
  store_hits(task, path, normals);
}

template <class S>
constexpr ToyKernel make_toy_kernel() {
  return {PackAccess<S>::width, simulate_toys<S>};
}

}  // namespace gttf::detail
