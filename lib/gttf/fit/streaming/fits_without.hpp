// SPDX-License-Identifier: Apache-2.0
// FitsWithout: variances of a track without some of its layers, each in a time
// that does not depend on their number.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "gttf/fit/streaming/streaming.hpp"

namespace gttf {

/// Variances of M linear functions of the line at the start, from all hits but
/// those of a stretch of crossings.
///
/// One pass inwards keeps the information of the hits outside each crossing
/// about the line there, one pass outwards that of the hits inside, and the
/// functions as functions of that line s,
///
///   f = g . s + noise,   Var(noise) = n
///
/// A hit on s says nothing about the noise. The kink k of a layer, with column
/// b and s(outside) = s + b k, follows from the hits inside and the line
/// outside as -G . s(outside) with variance K:
///
///   n <- n + K (g . b)^2      g <- g - (g . b) G
///
/// With the covariance C of the line from the hits on both sides of a stretch,
/// the variance of f is n + g C g^T. All are sums of positive terms, as in one
/// fit of the other hits.
/// Source: docs/theory/streaming.md, without a layer
template <Path P, std::size_t M>
class FitsWithout {
 public:
  using S = typename P::Scalar;

  /// @param start      the beam spot as a hit at the start point; may be null
  /// @param functions  of the line at the start
  FitsWithout(const P& path, const StartHit<S>* start,
              const std::array<Row<S>, M>& functions)
      : path_(path) {
    const PathSource<P> source(path_);
    outside_.resize(source.end() + 1);
    inside_.reserve(source.end() + 1);
    Outside outside{{}, outside_};
    stream_inwards(source, 0, source.end(), outside);
    Inside inside(path_, inside_);
    for (std::size_t q = 0; q < M; ++q)
      inside.now.functions[q] = {functions[q]};
    if (start) detail::measure_start(*start, inside.now.equations);
    stream_outwards(source, 0, source.end(), inside);
    inside_.push_back(inside.now);
  }

  /// Without the hits of the crossings from `begin` to `end` - 1. Crossings
  /// behind the last hit have no effect.
  /// @param scatters  whether their layers still scatter
  /// @return  as large as FiveEquations::nothing if a function is not
  /// determined
  std::array<S, M> variances(std::size_t begin, std::size_t end,
                             bool scatters) const {
    const std::size_t last = inside_.size() - 1;
    begin = std::min(begin, last);
    end = std::min(end, last);
    FiveEquations<S> e = outside_[end];
    if (scatters)
      for (std::size_t k = end; k-- > begin;)
        scatter<ZeroVariance::excluded, false>(e, path_.kinks(k));
    const State& inside = inside_[begin];
    join(e, inside.equations);
    if (!path_.fits_momentum()) e.v[4] = S(0);
    std::array<S, M> variances;
    for (std::size_t q = 0; q < M; ++q) {
      const Function& f = inside.functions[q];
      const Row<S> z = express(e, f.row);
      variances[q] = f.noise;
      for (std::size_t i = 0; i < track_dim; ++i)
        variances[q] = variances[q] + e.v[i] * z[i] * z[i];
    }
    return variances;
  }

 private:
  template <Errors errors>
  using Fit = LineFit<errors, FiveEquations<S>, NoGains<typename P::Gain>>;

  /// A function of the start, as one of the line at a crossing.
  struct Function {
    Row<S> row;
    S noise{0};
  };
  /// In front of a crossing.
  struct State {
    FiveEquations<S> equations;  ///< of the hits inside
    std::array<Function, M> functions;
  };

  /// Keeps the equations behind each crossing.
  struct Outside : Fit<Errors::all> {
    std::vector<FiveEquations<S>>& kept;

    void on_outside(std::size_t k) { kept[k + 1] = this->equations; }
  };

  struct Inside : AnyFit {
    Inside(const P& p, std::vector<State>& states) : path(p), kept(states) {}

    void on_inside(std::size_t) { kept.push_back(now); }
    void on_coordinates(std::size_t, const Coordinates<S>& c) {
      constexpr auto zero = ZeroVariance::excluded;
      if (c.b != nullptr)
        measure_pair<zero>(now.equations, *c.a, c.variance_a, *c.b,
                           c.variance_b);
      else
        measure<zero>(now.equations, *c.a, c.variance_a);
    }
    template <class Kinks>
    void on_kinks(std::size_t k, const Kinks&) {
      const GeneralKinks<S> kinks = path.general_kinks(k);
      add(kinks.theta, kinks.w);
      add(kinks.phi, kinks.w_phi);
      add(kinks.loss, kinks.w_loss);
    }
    void add(const Row<S>& column, const S& variance) {
      if (!(variance > S(0))) return;
      NoColumn none;
      Row<S> gain{};
      const S rest = detail::scatter_loss<ZeroVariance::excluded>(
          now.equations, column, variance, gain, none);
      for (Function& f : now.functions) {
        S effect = f.row[0] * column[0];
        for (std::size_t i = 1; i < track_dim; ++i)
          effect = effect + f.row[i] * column[i];
        f.noise = f.noise + rest * effect * effect;
        for (std::size_t i = 0; i < track_dim; ++i)
          f.row[i] = f.row[i] - effect * gain[i];
      }
    }

    const P& path;
    std::vector<State>& kept;
    State now;
  };

  P path_;
  std::vector<FiveEquations<S>> outside_;  ///< without the crossing itself
  std::vector<State> inside_;              ///< one more than crossings
};

}  // namespace gttf
