// SPDX-License-Identifier: Apache-2.0
// Covariances of single tracks by the streaming fit.
#pragma once

#include <vector>

#include "gttf/fit/streaming/stream.hpp"
#include "gttf/fit/track/beam_spot.hpp"
#include "gttf/fit/track/path.hpp"

namespace gttf {

/// Index of the innermost crossing used in the fit.
template <Path P>
int innermost(const P& path, const StartHit<typename P::Scalar>* start) {
  return start ? 0 : path.first();
}

/// Calls f(Coordinates) for the coordinates of a surface, two at a time.
/// @param independent  independent_axis(axes)
/// @param row          row(q, axis): the row of the coordinate that is added
///                     as number q, valid until two more have been requested
template <class S, class RowOf, class F>
void for_coordinates(std::span<const CoordinateAxis> axes,
                     std::size_t independent, const RowOf& row, F&& f) {
  for (std::size_t q = 0; q < axes.size(); q += 2) {
    const bool two = q + 1 < axes.size();
    const std::size_t i = in_order(q, independent);
    const std::size_t j = two ? in_order(q + 1, independent) : i;
    const Row<S>* const a = &row(q, axes[i]);
    const Row<S>* const b = two ? &row(q + 1, axes[j]) : nullptr;
    f(Coordinates<S>{i, j, a, b, S(axes[i].variance), S(axes[j].variance),
                     q == 0 && independent > 0});
  }
}

/// A path as a source of crossings for the streaming fit.
template <Path P>
class PathSource {
 public:
  using S = typename P::Scalar;

  /// Scattering is included where there are hits on both sides.
  /// @param start  the beam spot as a hit at the start point; may be null
  PathSource(const P& path, const StartHit<S>* start)
      : path_(path),
        begin_(start ? 0 : index(path.first())),
        end_(index(path.last() + 1)),
        kinked_(start ? 0 : index(path.first() + 1)),
        kinked_end_(index(path.last())) {}
  /// All scattering is included.
  explicit PathSource(const P& path)
      : path_(path),
        begin_(0),
        end_(index(path.last() + 1)),
        kinked_(0),
        kinked_end_(path.size()) {}

  /// Crossings used in the fit.
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  bool scatters(std::size_t k) const { return k >= kinked_ && k < kinked_end_; }
  auto kinks(std::size_t k) const { return path_.kinks(k); }
  void look_ahead(std::size_t) const {}

  template <class F>
  void coordinates(std::size_t k, F&& f) const {
    const auto axes = path_.axes(k);
    Row<S> rows[2];
    for_coordinates<S>(
        axes, independent_axis(axes),
        [&](std::size_t q, const CoordinateAxis& axis) -> const Row<S>& {
          return rows[q % 2] = path_.row(k, axis.cosine, axis.sine);
        },
        f);
  }

  const P& path() const { return path_; }

 private:
  static std::size_t index(int k) {
    return k < 0 ? 0 : static_cast<std::size_t>(k);
  }

  const P& path_;
  std::size_t begin_, end_, kinked_, kinked_end_;
};

/// The crossing index of the start hit.
inline constexpr std::size_t start_index = static_cast<std::size_t>(-1);

/// Gains in a vector, if given.
template <class Gain>
struct VectorOfGains {
  static constexpr bool never = false, always = false;
  std::vector<Gain>* gains = nullptr;
  Gain* at(std::size_t k) const { return gains ? &(*gains)[k] : nullptr; }
};

/// One fit of a path, with all errors or some of them.
template <Errors errors, Path P>
using PathFit = LineFit<errors, FiveEquations<typename P::Scalar>,
                        VectorOfGains<typename P::Gain>>;

namespace detail {

/// The beam spot as coordinates of a crossing.
template <class S>
Coordinates<S> coordinates_of(const StartHit<S>& start) {
  return {.index_a = 0,
          .index_b = 1,
          .a = &start.transverse,
          .b = &start.longitudinal,
          .variance_a = start.transverse_variance,
          .variance_b = start.longitudinal_variance,
          .is_point = true};
}

template <class S>
void measure_start(const StartHit<S>& start, FiveEquations<S>& e) {
  measure_pair<ZeroVariance::excluded>(
      e, start.transverse, start.transverse_variance, start.longitudinal,
      start.longitudinal_variance);
}

/// Completes a fit at the start of the path. Without field, kappa is not a
/// parameter: its equation has variance 0.
template <Errors errors, Path P>
void finish(const P& path, const StartHit<typename P::Scalar>* start,
            PathFit<errors, P>& fit) {
  if (start) fit.on_coordinates(start_index, coordinates_of(*start));
  if (!path.fits_momentum()) fit.equations.v[4] = typename P::Scalar(0);
}

}  // namespace detail

/// Information of all hits about the line at the start.
///
/// Without a start hit: about the line inside the first measuring layer,
/// without the scattering of that layer and of the material inside. With a
/// start hit: about the line at the start, including all scattering. Scattering
/// of the last layer and of anything after it has no effect on the fit.
///
/// Without field, kappa is not a parameter: its equation has variance 0.
/// @param start  the beam spot as a hit at the start point; may be null
/// @param gains  if not null, one per crossing, for the backward pass
template <Errors errors, Path P, class S = typename P::Scalar>
FiveEquations<S> filter(const P& path, const StartHit<S>* start = nullptr,
                        std::vector<typename P::Gain>* gains = nullptr) {
  if (gains) gains->resize(path.size());
  PathFit<errors, P> fit;
  fit.gains.gains = gains;
  const PathSource<P> source(path, start);
  stream_inwards(source, source.begin(), source.end(), fit);
  detail::finish(path, start, fit);
  return fit.equations;
}

/// Information of all hits and the start hit about the line just outside the
/// first measuring layer: `outer`, filtered without the start hit, combined
/// with the start hit propagated through the inner material.
template <Path P, class S = typename P::Scalar>
FiveEquations<S> join_with_start(const P& path, const StartHit<S>& start,
                                 FiveEquations<S> outer) {
  FiveEquations<S> inner;
  detail::measure_start(start, inner);
  for (int k = 0; k <= path.first(); ++k)
    scatter<ZeroVariance::excluded, false>(
        inner, path.kinks(static_cast<std::size_t>(k)));
  join(outer, inner);
  return outer;
}

/// Adds the scattering and straggling of the first measuring layer and of
/// everything inside it, W b_theta b_theta^T + W/sin^2 b_phi b_phi^T + ...:
/// material that broadens the perigee parameters. Only straggling, or a field
/// other than a solenoid, affects kappa.
template <Path P, class S = typename P::Scalar>
void add_inner_material(const P& path, Covariance5<S>& covariance) {
  constexpr std::size_t n = P::kinks_touch_kappa ? track_dim : track_dim - 1;
  for (int k = 0; k <= path.first(); ++k) {
    const auto b = path.general_kinks(static_cast<std::size_t>(k));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        S sum = b.w * b.theta[i] * b.theta[j] + b.w_phi * b.phi[i] * b.phi[j];
        if constexpr (P::kinks_touch_kappa)
          sum = sum + b.w_loss * b.loss[i] * b.loss[j];
        covariance[i][j] = covariance[j][i] = covariance[i][j] + sum;
      }
  }
}

/// Information of all hits and the start hit about the line just before
/// crossing k: the hits outside, through the material between them and the
/// crossing (including its own layer), and the hits inside, likewise. Any
/// crossing is allowed, before, between or beyond the hits.
/// @param own_hit  whether the coordinates of the layer itself are used
template <Path P, class S = typename P::Scalar>
FiveEquations<S> line_before(const P& path, const StartHit<S>* start,
                             std::size_t k, bool own_hit = true) {
  const PathSource<P> source(path);
  PathFit<Errors::all, P> outer, inner;
  stream_inwards(source, own_hit ? k : k + 1, source.end(), outer);
  if (!own_hit && k < source.end()) outer.on_kinks(k, path.kinks(k));
  if (start) detail::measure_start(*start, inner.equations);
  const int first = innermost(path, start);
  if (first >= 0)
    stream_outwards(source, static_cast<std::size_t>(first), k, inner);
  join(outer.equations, inner.equations);
  if (!path.fits_momentum()) outer.equations.v[4] = S(0);
  return outer.equations;
}

/// Contribution of the error of one measured coordinate to M linear functions
/// of the line: with variance gain_i^2/variance.
template <class S, std::size_t M>
struct HitStep {
  std::size_t crossing, coordinate;
  const Row<S>& row;                    ///< of the coordinate
  std::array<S, M> gain;                ///< inside * row
  S variance;                           ///< of the measurement
  const std::array<Row<S>, M>& inside;  ///< see backward_pass()
};

/// Contribution of the kinks of one crossing: with variance theta_i^2/w +
/// phi_i^2/w_phi if w > 0, and loss_i^2/w_loss if w_loss > 0.
template <class S, std::size_t M>
struct KinkStep {
  std::size_t crossing;
  std::array<S, M> theta, phi;
  S w, w_phi;
  std::array<S, M> loss;
  S w_loss;
};

namespace detail {

/// inside += change b^T
template <class S, std::size_t M>
void add_product(std::array<Row<S>, M>& inside, const std::array<S, M>& change,
                 const Row<S>& b) {
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = 0; j < track_dim; ++j)
      inside[i][j] = inside[i][j] + change[i] * b[j];
}

template <class S, std::size_t M>
std::array<S, M> negative_product(const std::array<Row<S>, M>& inside,
                                  const Row<S>& a) {
  std::array<S, M> y = covariance_with(inside, a);
  for (S& x : y) x = -x;
  return y;
}

/// Propagates the kinks of a layer outwards: fills `step`, updates `inside`.
template <class S, std::size_t M>
void pass_kinks(const HelixKinks<S>& kinks, const KinkGain<S>& gain,
                std::array<Row<S>, M>& inside, KinkStep<S, M>& step) {
  const KinkCovariance<S, M> with = pass_outwards(kinks.columns, gain, inside);
  step.theta = with.theta;
  step.phi = with.phi;
  step.loss.fill(S(0));
  step.w_loss = S(0);
}

template <class S, std::size_t M>
void pass_kinks(const GeneralKinks<S>& kinks, const GeneralGain<S>& gain,
                std::array<Row<S>, M>& inside, KinkStep<S, M>& step) {
  step.loss = negative_product(inside, gain.loss);
  step.w_loss = kinks.w_loss;
  add_product(inside, step.loss, kinks.loss);
  step.theta = negative_product(inside, gain.theta);
  step.phi = negative_product(inside, gain.phi);
  add_product(inside, step.theta, kinks.theta);
  add_product(inside, step.phi, kinks.phi);
}

/// Contributions of individual errors to M functions, in the outward pass.
template <Path P, std::size_t M, class OnHit, class OnKink>
struct ErrorWalk : AnyFit {
  using S = typename P::Scalar;

  const std::vector<typename P::Gain>& gains;
  std::array<Row<S>, M> with_line;
  OnHit& on_hit;
  OnKink& on_kink;

  void hit(std::size_t k, std::size_t q, const Row<S>& a, const S& variance) {
    on_hit(HitStep<S, M>{k, q, a, covariance_with(with_line, a), variance,
                         with_line});
  }
  void on_coordinates(std::size_t k, const Coordinates<S>& c) {
    hit(k, c.index_a, *c.a, c.variance_a);
    if (c.b != nullptr) hit(k, c.index_b, *c.b, c.variance_b);
  }
  template <class Kinks>
  void on_kinks(std::size_t k, const Kinks& kinks) {
    if (!kinks.any()) return;
    KinkStep<S, M> step;
    step.crossing = k;
    step.w = kinks.w;
    step.w_phi = kinks.w_phi;
    pass_kinks(kinks, gains[k], with_line, step);
    on_kink(step);
  }
};

}  // namespace detail

/// Proceeds from the innermost to the last measuring layer and computes the
/// contribution of every individual error to M linear functions of the line at
/// the start, usually the five parameters themselves.
///
/// @param inside  covariance of the functions (rows) with the five parameters,
///                from filter() with the same `start`; during the pass, with
///                the parameters of the line at the crossing if only the errors
///                outside it existed
/// @param on_hit, on_kink  called with a HitStep and a KinkStep each. The
///                         variances of a function add up to its variance;
///                         products of two functions to their covariance
template <Path P, class S, std::size_t M, class OnHit, class OnKink>
void backward_pass(const P& path, const StartHit<S>* start,
                   const std::vector<typename P::Gain>& gains,
                   const std::array<Row<S>, M>& inside, OnHit&& on_hit,
                   OnKink&& on_kink) {
  detail::ErrorWalk<P, M, OnHit, OnKink> walk{
      {}, gains, inside, on_hit, on_kink};
  if (start) {
    walk.hit(start_index, 0, start->transverse, start->transverse_variance);
    walk.hit(start_index, 1, start->longitudinal, start->longitudinal_variance);
  }
  const PathSource<P> source(path, start);
  stream_outwards(source, source.begin(), source.end(), walk);
}

}  // namespace gttf
