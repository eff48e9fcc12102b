// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/in_plane_arc.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "gttf/resolution/any_track.hpp"
#include "support/triplet_samples.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using detail::InPlaneArc;

/// The arcs between all neighbouring crossings.
template <class S>
std::vector<InPlaneArc<S>> arcs_of(const TripletTrack& track) {
  std::vector<InPlaneArc<S>> arcs;
  for (std::size_t k = 0; k + 1 < track.crossings.size(); ++k)
    arcs.push_back(
        detail::make_arc<S>(track, track.crossings[k], track.crossings[k + 1]));
  return arcs;
}

template <class S>
void check_bend(const InPlaneArc<S>& arc) {
  for (int i = 0; i < 2; ++i) {
    const auto by_turn = [&](const auto& end, const auto& bend, int c) {
      return static_cast<double>(arc.turn(i, 0) * end(0, c) +
                                 arc.turn(i, 1) * end(1, c) + bend(i, c));
    };
    const auto check = [&](const auto& start, const auto& end, const auto& bend,
                           double scale) {
      for (int c = 0; c < start.cols(); ++c)
        CHECK(std::abs(by_turn(end, bend, c) -
                       static_cast<double>(start(i, c))) < 1e-13 * scale);
    };
    check(arc.start.by_start, arc.end.by_start, arc.bend.by_start,
          1 / arc.length);
    check(arc.start.by_end, arc.end.by_end, arc.bend.by_end, 1 / arc.length);
    check(arc.start.by_kappa, arc.end.by_kappa, arc.bend.by_kappa, arc.length);
  }
}

}  // namespace

TEST_CASE("arcs: both directions and the change between them agree") {
  const TrackingGeometry geometry(mixed_detector());
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const detail::AnyTrack track(geometry, sample.track, Model{});
    const auto in_doubles = arcs_of<double>(track.triplets(nullptr, false));
    const auto wide = arcs_of<DoubleDouble>(track.triplets(nullptr, true));
    REQUIRE(in_doubles.size() == wide.size());
    for (std::size_t k = 0; k < wide.size(); ++k) {
      check_bend(in_doubles[k]);
      check_bend(wide[k]);
      // in closed form, and from the derivatives of the helix
      for (int i = 0; i < 2; ++i)
        for (int c = 0; c < 2; ++c)
          CHECK(std::abs(in_doubles[k].end.by_start(i, c) -
                         static_cast<double>(wide[k].end.by_start(i, c))) <
                1e-11 / wide[k].length);
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
