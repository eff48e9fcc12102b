// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/traced_toys.hpp"

#include "support/flown_toys.hpp"
#include "support/layouts.hpp"

namespace gttf::test {

namespace {

/// Planes across z.
Detector make_planes(std::initializer_list<double> at, double x_over_x0,
                     double sigma) {
  Detector d;
  d.name = "planes";
  for (const double z : at)
    d.layers.push_back(make_layer("P" + std::to_string(d.layers.size()),
                                  make_plane(Axis::z, z, {-1e4, 1e4},
                                             {-1e4, 1e4}),
                                  x_over_x0, pixel(sigma, sigma)));
  return d;
}

Track along_z(double p, double theta = 0, double phi = 0) {
  Track t;
  t.p = p;
  t.theta = theta;
  t.phi = phi;
  return t;
}

struct Run {
  TrackingGeometry geometry;
  TracedTrack reference;
  std::vector<HitLoss> losses;
  FlownToys toys;
  StreamingFitter fitter;

  Run(const Detector& d, const Track& t, std::uint64_t n, bool at_plane = true,
      std::vector<HitLoss> loss = {}, std::optional<BeamSpot> spot = {})
      : geometry(d),
        reference(trace(geometry, t, Scattering::highland)),
        losses(std::move(loss)) {
    const TracedToySimulator simulator(geometry, t, reference, losses, spot);
    toys.run(simulator, n, at_plane, [this](const TrackHits& hits) -> auto& {
      return fitter.fit(hits);
    });
  }
};

}  // namespace

// Widths and means of n toys within 4.5 standard errors: by chance outside once
// in 150 000; the seed is fixed.
constexpr double errors = 4.5;

TEST_CASE("traced toys: a telescope without field has pulls of one") {
  Run run(make_planes({0, 150, 300, 450, 600, 750}, 1e-3, 4e-3),
          along_z(5, 0.02, 0.7), 4000);
  CHECK(run.toys.missed == 0);
  CHECK(run.toys.failed == 0);
  run.toys.check(errors, 4);
}

TEST_CASE("traced toys: a spectrometer has pulls of one") {
  Detector d =
      make_planes({100, 200, 300, 400, 1700, 1850, 2000}, 2e-3, 0.01);
  d.field.kind = FieldKind::dipole;
  d.field.dipoles = {{Axis::z, {500, 1500}, Axis::y, 0.6 * unit::T}};
  Run run(d, along_z(3, 0.05, 1.0), 4000);
  CHECK(run.toys.missed == 0);
  CHECK(run.toys.failed == 0);
  run.toys.check(errors, 5);
}

TEST_CASE("traced toys: a solenoid has pulls of one") {
  const Detector d = make_barrel(8, 30, 600, 2, 5e-3, 0.01);
  Track t;
  t.p = 1;
  t.theta = 1.1;
  t.phi = 0.4;
  Run run(d, t, 4000, false);
  CHECK(run.toys.failed == 0);
  run.toys.check(errors, 5);
}

// Seven layers lose 1 % of the momentum each, with fluctuations of a third.
TEST_CASE("traced toys: straggling is part of the errors") {
  const Detector d = make_barrel(8, 30, 600, 2, 4e-3, 0.01);
  Track t;
  t.p = 0.3;
  t.mass = 0.938272;
  t.charge = 1;
  t.theta = 1.2;
  const TrackingGeometry geometry(d);
  const TracedTrack reference = trace(geometry, t, Scattering::highland);
  std::vector<HitLoss> losses(reference.list.size());
  double p = t.p;
  for (HitLoss& loss : losses) {
    loss = {1e-3, p, -1.7, 3e-4};
    p = std::sqrt(std::pow(std::hypot(p, t.mass) - loss.mean, 2) -
                  t.mass * t.mass);
  }
  Run run(d, t, 4000, false, losses);
  CHECK(run.toys.missed < 40);
  CHECK(run.toys.failed == 0);
  run.toys.check(errors, 5);
}

TEST_CASE("traced toys: a beam spot moves the truth and is part of the fit") {
  const Detector d = make_barrel(6, 30, 300, 2, 5e-3, 0.01);
  Track t;
  t.p = 1;
  t.theta = 1.1;
  t.phi = 0.4;
  Run run(d, t, 4000, false, {}, BeamSpot{0.02, 0.01, 0.05});
  CHECK(run.toys.failed == 0);
  run.toys.check(errors, 5);
}

}  // namespace gttf::test
