// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/streaming/two_fits.hpp"

#include <doctest/doctest.h>

#include <optional>

#include "gttf/core/double_double.hpp"
#include "gttf/trajectory/traced_track.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// The two fits and the two functions, against one after the other. With
/// doubles, both do the same operations: the same bits.
/// @return  number of crossings with scattering that were compared
template <Path P, class S = typename P::Scalar>
std::size_t compare(const P& path, const StartHit<S>* start = nullptr) {
  KeptPath<P> kept(path, start);
  TwoFits<P> fits(kept);
  stream_inwards(kept, kept.begin(), kept.end(), fits);
  if (start) fits.measure_start(*start);
  std::vector<typename P::Gain> gains;
  const FiveEquations<S> all = filter<Errors::all>(path, start, &gains);
  const FiveEquations<S> hits = filter<Errors::hits_only>(path, start);
  const bool field = path.fits_momentum();
  CHECK(fits.all(field).v == all.v);
  CHECK(fits.all(field).r == all.r);
  CHECK(fits.hits(field).v == hits.v);
  CHECK(fits.hits(field).r == hits.r);
  std::size_t n = 0;
  for (std::size_t k = kept.begin(); k < kept.end(); ++k) {
    if (!kept.scatters(k) || !path.kinks(k).any()) continue;
    CHECK(kept.gain(k).theta == gains[k].theta);
    CHECK(kept.gain(k).phi == gains[k].phi);
    ++n;
  }

  const Covariance5<S> line = covariance(all);
  const std::array<Row<S>, 2> inside{line[4], line[3]};
  HitPart<P> part(kept, inside);
  if (start) part.on_start(*start);
  stream_outwards(kept, kept.begin(), kept.end(), part);
  std::array<S, 2> sum{S(0), S(0)};
  backward_pass(
      path, start, gains, inside,
      [&](const HitStep<S, 2>& step) {
        for (std::size_t q = 0; q < 2; ++q)
          sum[q] = sum[q] + step.gain[q] * step.gain[q] / step.variance;
      },
      [](auto&&) {});
  CHECK(part.variances() == sum);
  return n;
}

}  // namespace

TEST_CASE("two fits: the bits of one after the other") {
  RandomLayouts random(77, 0.2);
  std::size_t compared = 0;
  for (int i = 0; i < 60; ++i) {
    const Detector d = random.detector();
    const Track t = random.track();
    const TrackingGeometry geometry(d);
    const auto c = find_crossings(geometry, t, Scattering::highland);
    if (c.n_measuring < 4) continue;
    std::optional<StartHit<double>> start;
    if (i % 2 == 0) start = make_start_hit(c.line, BeamSpot{0.02, 0.01, 10});
    compared += compare(HelixPath(geometry, c), start ? &*start : nullptr);
  }
  CHECK(compared > 100);
}

TEST_CASE("two fits: more layers than need no allocation, in any precision") {
  const TrackingGeometry geometry(make_barrel(60, 30, 1000, 2, 0.01, 0.01));
  const Track t{.theta = 1.2};
  const auto c = find_crossings(geometry, t, Scattering::highland);
  CHECK(compare(HelixPath(geometry, c)) == 58);
  const auto wide =
      with_scalar(geometry, c, make_line<DoubleDouble>(t, geometry.bz()),
                  Scattering::highland);
  CHECK(compare(HelixPath(geometry, wide)) == 58);
}

TEST_CASE("two fits: a traced track with straggling") {
  Detector d = make_barrel(8, 30, 1000, 2, 0.01, 0.01);
  for (Layer& layer : d.layers) layer.material = {{"silicon", 0, 0.01}};
  const TrackingGeometry geometry(d);
  const TracedTrack traced =
      trace(geometry, Track{}, Scattering::highland, EnergyLoss::straggling);
  REQUIRE(traced.n_measuring == 8);
  CHECK(compare(TracedPath(geometry, traced)) == 6);
}

}  // namespace gttf::test::GTTF_TEST_FILE
