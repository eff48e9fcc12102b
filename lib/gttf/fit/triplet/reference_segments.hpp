// SPDX-License-Identifier: Apache-2.0
// ReferenceSegments: the arcs and errors of a reference track, for fits with
// any of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "gttf/fit/triplet/in_plane_arc.hpp"
#include "gttf/fit/triplet/reflection.hpp"

namespace gttf::detail {

/// A measuring crossing.
template <class S>
struct ReferenceHit {
  const TripletPoint* crossing;
  /// Shifts (u, v) by one standard deviation of each error, in columns, mm.
  /// Independent.
  Eigen::Matrix<S, 2, 2> error{};
  /// The second coordinate is not measured: the second error is a shift by 1 mm
  /// along it, a free parameter of the fit.
  bool unmeasured = false;
  LayerKinks<S> kinks;
};

/// The arc between two hits, and the layers on it.
template <class S>
struct ReferenceSegment {
  InPlaneArc<S> arc;
  /// Turns as of TurnsBetween by independent errors of unit variance.
  std::vector<std::array<S, TurnsBetween<S>::n_rows>> turns;
};

/// All of them, in order of flight.
template <class S>
struct ReferenceSegments {
  /// @param track  must exist as long as this
  explicit ReferenceSegments(const TripletTrack& track);
  // hits may refer to its start
  ReferenceSegments(const ReferenceSegments&) = delete;
  ReferenceSegments& operator=(const ReferenceSegments&) = delete;

  std::vector<ReferenceHit<S>> hits;
  std::vector<ReferenceSegment<S>> segments;
  std::size_t surface_hit = 0;  ///< hit on the first measuring layer

 private:
  TripletPoint start_;
};

/// Whether all coordinates measure along the same direction.
template <class S>
bool are_parallel(const std::vector<TripletCoordinate>& coordinates) {
  using std::abs;
  const auto cosine = static_cast<S>(coordinates.front().cosine),
             sine = static_cast<S>(coordinates.front().sine);
  return std::ranges::all_of(coordinates, [&](const TripletCoordinate& a) {
    constexpr double parallel = 1e-12;  // rad
    return !(abs(cosine * static_cast<S>(a.sine) -
                 sine * static_cast<S>(a.cosine)) > S(parallel));
  });
}

/// Independent errors of the position within the surface. Coordinates that are
/// not orthogonal, or more than two, are combined by adding their information:
/// rows (cosine, sine)/sigma rotated into upper triangular form [a b; 0 d],
/// whose inverse has the errors as columns.
template <class S>
Eigen::Matrix<S, 2, 2> combined_errors(
    const std::vector<TripletCoordinate>& coordinates) {
  using std::sqrt;
  S a(0), b(0), d2(0);
  for (const TripletCoordinate& axis : coordinates) {
    const S weight = S(1) / sqrt(S(axis.variance));
    const S x = static_cast<S>(axis.cosine) * weight,
            y = static_cast<S>(axis.sine) * weight;
    const S length = sqrt(a * a + x * x);
    if (!(length > S(0))) {
      d2 += y * y;
      continue;
    }
    const S c = a / length, s = x / length;
    const S rest = c * y - s * b;
    d2 += rest * rest;
    b = c * b + s * y;
    a = length;
  }
  const S d = sqrt(d2);
  Eigen::Matrix<S, 2, 2> errors;
  errors << S(1) / a, -b / (a * d), S(0), S(1) / d;
  return errors;
}

template <class S>
ReferenceHit<S> make_reference_hit(const TripletTrack& track,
                                   const TripletPoint& crossing) {
  const auto& coordinates = crossing.coordinates;
  ReferenceHit<S> hit{.crossing = &crossing,
                      .unmeasured = are_parallel<S>(coordinates),
                      .kinks = kinks_of<S>(track, crossing)};
  if (!hit.unmeasured) {
    hit.error = combined_errors<S>(coordinates);
    return hit;
  }
  double information = 0;
  for (const TripletCoordinate& a : coordinates) information += 1 / a.variance;
  const S sigma(1 / std::sqrt(information));
  const S cosine = static_cast<S>(coordinates.front().cosine),
          sine = static_cast<S>(coordinates.front().sine);
  hit.error << sigma * cosine, -sine, sigma * sine, cosine;
  return hit;
}

template <class S>
ReferenceSegments<S>::ReferenceSegments(const TripletTrack& track) {
  hits.reserve(track.crossings.size() + 1);
  if (!track.start_coordinates.empty()) {
    start_ = start_crossing(track);
    hits.push_back(make_reference_hit<S>(track, start_));
    surface_hit = 1;
  }
  for (const TripletPoint& c : track.crossings)
    if (c.measures()) hits.push_back(make_reference_hit<S>(track, c));
  if (hits.empty()) return;
  segments.resize(hits.size() - 1);
  auto layer = track.crossings.begin();
  if (surface_hit == 0) layer += hits[0].crossing - track.crossings.data();
  for (std::size_t k = 0; k + 1 < hits.size(); ++k) {
    const TripletPoint &from = *hits[k].crossing, &to = *hits[k + 1].crossing;
    ReferenceSegment<S>& segment = segments[k];
    segment.arc = make_arc<S>(track, from, to);
    for (; &*layer != &to; ++layer) {
      if (&*layer == &from || !layer->changes_track()) continue;
      const auto turns = turns_between(track, from, *layer, to, segment.arc);
      for (const auto& column : turns.columns)
        if (std::ranges::any_of(column, [](const S& x) { return x != S(0); }))
          segment.turns.push_back(column);
    }
    constexpr std::size_t n_rows = TurnsBetween<S>::n_rows;
    if (segment.turns.size() > n_rows)
      segment.turns.resize(compress<0, n_rows>(std::span(segment.turns)));
  }
}

}  // namespace gttf::detail
