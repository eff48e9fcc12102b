// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/fit_states.hpp"

#include <doctest/doctest.h>

#include "gttf/fit/streaming/streaming_fit.hpp"
#include "gttf/resolution/resolution.hpp"
#include "support/exact_chi2.hpp"
#include "support/fit_tracks.hpp"
#include "support/layouts.hpp"
#include "support/reference_hits.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

template <class M, class N>
double worst(const M& a, const N& b) {
  double w = 0;
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < a.cols(); ++j)
      w = std::max(w,
                   std::abs(a(i, j) - b(i, j)) / std::sqrt(b(i, i) * b(j, j)));
  return w;
}

FitOptions converged() {
  FitOptions o;
  o.relinearisations = 20;
  o.detail = FitDetail::hits;
  return o;
}

}  // namespace

TEST_CASE("track states: both engines give those of the exact minimum") {
  RandomTracks random(41);
  for (int i = 0; i < 20; ++i) {
    CAPTURE(i);
    RandomTracks::Options o;
    o.n_points = 3 + i % 6;
    o.theta = random.uniform(0.5, 2.6);
    o.bend = random.uniform(0.01, 0.3);
    const TrackHits t = random.track(o);
    const GlobalFit a = fit_global(t, FitKind::general, converged());
    const GlobalFit b = StreamingFitter(converged()).fit(t);
    REQUIRE(a.status == FitStatus::ok);
    REQUIRE(b.status == FitStatus::ok);
    const auto& s = a.hits.front().before.parameters;
    const ExactChi2 exact(t, s[StateIndex::phi], s[StateIndex::theta], a.kappa);
    for (std::size_t k = 0; k < t.points.size(); ++k) {
      CAPTURE(k);
      const auto& p = exact.points[k];
      Eigen::MatrixXd d = Eigen::MatrixXd::Zero(6, exact.covariance.cols());
      d.topRows(5) = p.gradient;
      d(5, 4) = 1;
      const Matrix6 c = d * exact.covariance * d.transpose();
      const bool last = k + 1 == t.points.size();
      for (const GlobalFit* f : {&a, &b}) {
        const TrackState& after = f->hits[k].after;
        const TrackState& before = f->hits[k].before;
        CHECK((after.parameters.head<3>() - p.position).norm() < 1e-8);
        CHECK(std::abs(before.parameters[3] - p.theta_before) < 1e-9);
        CHECK(std::abs(std::remainder(before.parameters[4] - p.phi_before,
                                      2 * unit::pi)) < 1e-9);
        if (!last) CHECK(std::abs(after.parameters[3] - p.theta_after) < 1e-9);
        // the errors of the exact minimum are those of its last step
        CHECK(worst(after.covariance, c) < 1e-6);
      }
      CHECK(worst(a.hits[k].before.covariance, b.hits[k].before.covariance) <
            1e-6);
      CHECK((a.hits[k].residual - b.hits[k].residual).norm() < 1e-9);
      CHECK((a.hits[k].fitted_covariance - b.hits[k].fitted_covariance).norm() <
            1e-9 * a.hits[k].fitted_covariance.norm() + 1e-14);
      CHECK((a.hits[k].fitted_with_kappa - b.hits[k].fitted_with_kappa).norm() <
            1e-6 * a.sigma * 0.02);
    }
  }
}

TEST_CASE("track states: passive layers broaden the directions around them") {
  RandomTracks random(42);
  for (int i = 0; i < 12; ++i) {
    CAPTURE(i);
    RandomTracks::Options o;
    o.n_points = 6 + i % 4;
    o.passive = 0.4;
    const TrackHits t = random.track(o);
    const GlobalFit a = fit_global(t, FitKind::general, converged());
    const GlobalFit b = StreamingFitter(converged()).fit(t);
    if (a.status == FitStatus::too_few_hits) continue;
    REQUIRE(a.status == FitStatus::ok);
    REQUIRE(b.status == FitStatus::ok);
    // passive kinks of the triplet fit are linear: second order in 2e-3 rad
    CHECK(std::abs(a.kappa - b.kappa) < 0.02 * b.sigma);
    CHECK(a.sigma == doctest::Approx(b.sigma).epsilon(0.01));
    for (std::size_t k = 0; k < a.hits.size(); ++k) {
      CHECK(worst(a.hits[k].after.covariance, b.hits[k].after.covariance) <
            0.03);
      CHECK(worst(a.hits[k].before.covariance, b.hits[k].before.covariance) <
            0.03);
    }
  }
}

TEST_CASE("track states: on the reference helix, covariances are resolve()'s") {
  RandomLayouts layouts(43);
  int compared = 0;
  for (int i = 0; i < 60; ++i) {
    CAPTURE(i);
    Detector d = layouts.detector();
    for (Layer& layer : d.layers)
      if (layer.coordinates.size() == 1 && i % 2)
        layer.coordinates = pixel(0.01, 0.05);
    const TrackingGeometry geometry(d);
    const Track track = layouts.track();
    const Resolution r = resolve(geometry, track);
    if (r.status != Status::ok) continue;
    // only what a fit can find: errors well below the parameters
    if (r.sigma_p_rel > 0.1) continue;
    const auto found = find_crossings(geometry, track, Scattering::highland);
    const TrackHits t =
        make_reference_hits(make_triplet_track(geometry, track, found));
    FitOptions o;
    o.detail = FitDetail::perigee;
    const double scale = geometry.bz();  // kappa = -q/p bz
    for (const GlobalFit& f :
         {StreamingFitter(o).fit(t), fit_global(t, FitKind::general, o)}) {
      if (f.status == FitStatus::wrong_order ||
          f.status == FitStatus::coincident_hits ||
          f.status == FitStatus::not_determined ||
          f.status == FitStatus::beyond_pole ||
          f.status == FitStatus::not_converged)
        continue;
      REQUIRE(f.status == FitStatus::ok);
      ++compared;
      Matrix5 c = f.perigee_covariance,
              inside = f.perigee_covariance_without_inner;
      for (Matrix5* m : {&c, &inside}) {
        m->row(4) /= -scale;
        m->col(4) /= -scale;
      }
      CHECK(worst(c, r.perigee) < 1e-6);
      CHECK(worst(inside, r.perigee_without_inner) < 1e-6);
      CHECK(f.chi2 < 1e-8);
      CHECK(std::abs(f.perigee[Perigee::d0]) < 1e-6);
    }
  }
  CHECK(compared > 20);
}

TEST_CASE("beam spot: as the first hit it gives resolve()'s covariance") {
  Detector d = make_barrel(6, 30, 400, 2, 0.01, 0.01);
  d.layers.push_back(make_layer("pipe", make_cylinder(22, {-1e4, 1e4}), 0.005));
  const TrackingGeometry geometry(d);
  Track track;
  track.theta = 1.1;
  track.phi = 0.7;
  track.p = 2;
  const BeamSpot spot{0.02, 0.05, 3};
  const Resolution r =
      resolve(geometry, track, {Scattering::highland, Engine::streaming, spot});
  const auto found = find_crossings(geometry, track, Scattering::highland);
  TrackHits t = make_reference_hits(make_triplet_track(geometry, track, found));
  t.points.insert(t.points.begin(),
                  make_beam_spot_hit(spot, Vector3::Zero(), 0.7, 1.1));
  const double scale = geometry.bz();
  for (const GlobalFit& f :
       {StreamingFitter().fit(t), fit_global(t, FitKind::general)}) {
    REQUIRE(f.status == FitStatus::ok);
    Matrix5 c = f.perigee_covariance;
    c.row(4) /= -scale;
    c.col(4) /= -scale;
    CHECK(worst(c, r.perigee) < 1e-8);
    CHECK(f.ndf == 9);
  }
}

TEST_CASE("perigee: jacobian is the derivative, for any bend") {
  RandomTracks random(44);
  for (int i = 0; i < 50; ++i) {
    CAPTURE(i);
    Vector6 s;
    const double kappa = i % 4 == 0 ? 1e-9 : 0.01 * random.normal();
    s << 30 * random.normal(), 30 * random.normal(), 50 * random.normal(),
        random.uniform(0.4, 2.7), random.uniform(-3, 3), kappa;
    const Vector3 origin(1, -2, 3);
    const PerigeeTransport p = to_perigee(s, origin);
    const double c = kappa / std::sin(s[3]);
    for (int k = 0; k < 6; ++k) {
      const double h = k < 3 ? 1e-4 : k == 5 ? 1e-9 : 1e-6;
      Vector6 up = s, down = s;
      up[k] += h;
      down[k] -= h;
      const Vector5 slope = (to_perigee(up, origin).parameters -
                             to_perigee(down, origin).parameters) /
                            (2 * h);
      for (int q = 0; q < 5; ++q) {
        if (std::abs(slope[q]) > 1e5) continue;  // phi0 wrapped
        CHECK(p.jacobian(q, k) == doctest::Approx(slope[q]).epsilon(1e-4).scale(
                                      k == 5 ? 10 : 1e-2));
      }
    }
    if (std::abs(c) < 1e-6) continue;
    // centre of the circle from both descriptions
    const Eigen::Vector2d at_state =
        s.head<2>() + Eigen::Vector2d(-std::sin(s[4]), std::cos(s[4])) / c;
    const double phi0 = p.parameters[Perigee::phi];
    const Eigen::Vector2d at_perigee =
        origin.head<2>() + (p.parameters[Perigee::d0] + 1 / c) *
                               Eigen::Vector2d(-std::sin(phi0), std::cos(phi0));
    CHECK((at_state - at_perigee).norm() < 1e-9 / std::abs(c));
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
