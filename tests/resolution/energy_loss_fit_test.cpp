// SPDX-License-Identifier: Apache-2.0
// Fits with energy loss against a dense least squares.
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "gttf/trajectory/traced_track.hpp"
#include "support/compare.hpp"
#include "support/dense.hpp"
#include "support/layouts.hpp"
#include "support/resolved_planes.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// A spectrometer of thick silicon: slow protons lose much of their energy.
Detector thick_spectrometer() {
  Detector d;
  d.name = "spectrometer";
  d.field.kind = FieldKind::dipole;
  d.field.dipoles = {{Axis::z, {300, 700}, Axis::y, 0.3 * unit::T}};
  const Interval wide{-500, 500};
  for (const double z : {50.0, 150.0, 250.0, 500.0, 750.0, 850.0, 950.0})
    d.layers.push_back(make_layer("at" + std::to_string(int(z)),
                                  make_plane(Axis::z, z, wide, wide), 0.005,
                                  pixel(0.002, 0.003)));
  d.layers[0].coordinates.clear();
  d.layers[3].coordinates.clear();
  return d;
}

Track proton(double p) {
  Track t;
  t.p = p;
  t.theta = 0;
  t.phi = 0;
  t.mass = 0.93827208943;
  t.charge = 1;
  return t;
}

/// q/p after a layer as a function of q/p before it and of the path in it.
double qop_behind(const TrackingGeometry& geometry, std::size_t layer,
                  const Track& t, double qop, double paths) {
  const double p = t.charge / qop;
  const LayerLoss loss = energy_loss(geometry.slabs(layer),
                                     Projectile{t.mass, t.charge}, p, paths);
  const double energy = std::hypot(p, t.mass) - loss.mean;
  return t.charge / std::sqrt((energy - t.mass) * (energy + t.mass));
}

/// The effect of angles within a layer on q/p after it, by slices: the part
/// that follows from the angle, and the variance of the rest.
void add_kinks_within(const TrackingGeometry& geometry, const CrossingInfo& c,
                      const Track& t, double paths,
                      const Eigen::Vector2d& slopes,
                      PlaneLeastSquares::Plane& plane) {
  constexpr int n = 200;
  constexpr double g = 1e-3;
  double weights = 0, sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double ahead = (n - i - 0.5) / n;
    const double qop =
        qop_behind(geometry, c.layer, t, t.charge / c.p, paths * (1 - ahead));
    const auto behind = [&](double x) {
      return qop_behind(geometry, c.layer, t, qop, x * ahead);
    };
    const double p = t.charge / qop;
    const double weight = std::pow(std::hypot(p, t.mass) / (p * p), 2);
    const double per_path = (behind(paths + g) - behind(paths - g)) / (2 * g);
    weights += weight;
    sum += weight * per_path;
    squares += weight * per_path * per_path;
  }
  const double mean = sum / weights;
  plane.loss_by_kinks = mean / paths * slopes;
  // Var(paths) of angles theta0 across the track is theta0^2 times
  const double spread = slopes.squaredNorm() * paths * paths;
  plane.loss_variance +=
      plane.theta0_2 * spread * (squares / weights - mean * mean);
}

/// The planes with all derivatives of the loss by differences.
std::vector<PlaneLeastSquares::Plane> lossy_planes_of(
    const Detector& d, const TrackingGeometry& geometry, const Resolution& r,
    const TracedTrack& traced, const Track& t) {
  std::vector<PlaneLeastSquares::Plane> planes = planes_of(d, r);
  for (std::size_t k = 0; k < r.crossings.size(); ++k) {
    const CrossingInfo& c = r.crossings[k];
    PlaneLeastSquares::Plane& plane = planes[k];
    const Vector3 slopes(std::tan(c.theta) * std::cos(c.phi),
                         std::tan(c.theta) * std::sin(c.phi), 1);
    const double qop = t.charge / c.p, paths = slopes.norm();
    const auto behind = [&](double x, double y) {
      return qop_behind(geometry, c.layer, t, x, y);
    };
    plane.loss = behind(qop, paths) - qop;
    const double h = 1e-4 * qop, g = 1e-3;
    plane.loss_slope =
        (behind(qop + h, paths) - behind(qop - h, paths)) / (2 * h);
    plane.loss_by_slopes = (behind(qop, paths + g) - behind(qop, paths - g)) /
                           (2 * g * paths) * slopes.head<2>();
    plane.loss_variance =
        traced.list[k].loss_variance / (traced.b_ref * traced.b_ref);
    add_kinks_within(geometry, c, t, paths, slopes.head<2>(), plane);
  }
  return planes;
}

}  // namespace

TEST_CASE("energy loss: the fit is a dense least squares with straggling") {
  const Detector d = thick_spectrometer();
  const TrackingGeometry geometry(d);
  const auto field = [&](const Eigen::Vector3d& x) -> Eigen::Vector3d {
    const DipoleGap& gap = d.field.dipoles.front();
    return {0, gap.extent.contains(x.z()) ? gap.field : 0, 0};
  };
  for (const double p : {0.5, 1.0, 5.0})
    for (const Scattering scattering :
         {Scattering::highland, Scattering::off}) {
      CAPTURE(p);
      Model model{.scattering = scattering, .loss = EnergyLoss::straggling};
      const Track t = proton(p);
      const auto traced = trace(geometry, t, scattering, model.loss);
      model.at = AtLayer{6, true};
      const Resolution r = resolve(geometry, t, model);
      REQUIRE(r.status == Status::ok);
      REQUIRE(r.crossings.size() == 7);
      CHECK(r.crossings[6].p < r.crossings[0].p);
      const PlaneLeastSquares dense(state_of(t), 0,
                                    lossy_planes_of(d, geometry, r, traced, t),
                                    field, {300, 700}, true);
      CHECK(worst(r.start_plane, dense.at_start()) < 1e-8);
      CHECK(worst(r.at->slopes, dense.before(6)) < 1e-8);
    }
}

TEST_CASE("energy loss: straggling broadens q/p at the vertex") {
  const TrackingGeometry geometry(thick_spectrometer());
  const Track t = proton(0.5);
  const Resolution mean = resolve(geometry, t, {.loss = EnergyLoss::mean});
  const Resolution all = resolve(geometry, t, {.loss = EnergyLoss::straggling});
  CHECK(all.sigma_p_rel > mean.sigma_p_rel);
  CHECK(all.perigee(4, 4) > all.perigee_without_inner(4, 4));
  CHECK(mean.perigee(4, 4) ==
        doctest::Approx(mean.perigee_without_inner(4, 4)));
  CHECK(least_eigenvalue_of_correlations(all.start_plane) > 0);
}

TEST_CASE("energy loss: straggling is a separate cause, and shares add up") {
  const TrackingGeometry geometry(thick_spectrometer());
  // without scattering the fluctuations are a large part
  const Budget b = make_budget(
      geometry, proton(0.5),
      {.scattering = Scattering::off, .loss = EnergyLoss::straggling});
  double straggling = 0;
  int parts = 0;
  for (const BudgetPart& part : b.parts)
    if (part.cause == Cause::straggling) {
      straggling += b.share(part)[Parameter::p];
      ++parts;
    }
  CHECK(parts == 7);
  CHECK(straggling > 0.3);
  CHECK(b.sum_of_shares()[Parameter::p] == doctest::Approx(1).epsilon(1e-12));
  CHECK(b.total[Parameter::p] ==
        doctest::Approx(b.resolution.sigma_p_rel * b.resolution.sigma_p_rel)
            .epsilon(1e-12));
}

TEST_CASE("energy loss: off and a vanishing loss are the same") {
  Detector d = make_barrel(6, 30, 500, 2, 0.01, 0.01);
  for (Layer& layer : d.layers) layer.material.front().mean_loss = 1e-15;
  const TrackingGeometry geometry(d);
  Track t;
  t.theta = 1.2;
  const Resolution off = resolve(geometry, t);
  const Resolution mean = resolve(geometry, t, {.loss = EnergyLoss::mean});
  CHECK(worst(mean.perigee, off.perigee) < 1e-9);
  CHECK(worst(mean.first_hit, off.first_hit) < 1e-9);
  CHECK(mean.crossings[2].energy_loss > 0);
}

TEST_CASE("energy loss: both engines agree, thick layers and beam spots") {
  const TrackingGeometry geometry(thick_spectrometer());
  for (const EnergyLoss loss :
       {EnergyLoss::off, EnergyLoss::mean, EnergyLoss::straggling,
        EnergyLoss::straggling_variance})
    for (const bool spot : {false, true})
      for (const double p : {0.5, 0.7, 1.0, 5.0}) {
        CAPTURE(static_cast<int>(loss));
        CAPTURE(spot);
        CAPTURE(p);
        Model model{.loss = loss};
        if (spot) model.beam_spot = BeamSpot{0.02, 0.01, 1};
        const Resolution a = resolve(geometry, proton(p), model);
        model.engine = Engine::triplet;
        const Resolution b = resolve(geometry, proton(p), model);
        REQUIRE(a.status == b.status);
        if (a.status != Status::ok) continue;
        CHECK(worst(b.perigee, a.perigee) < 1e-9);
        CHECK(worst(b.perigee_without_inner, a.perigee_without_inner) < 1e-9);
        CHECK(worst(b.first_hit, a.first_hit) < 1e-9);
        CHECK(worst(b.start_plane, a.start_plane) < 1e-9);
        CHECK(b.sigma_p_rel_hit_only ==
              doctest::Approx(a.sigma_p_rel_hit_only).epsilon(1e-8));
        CHECK(b.sigma_p_rel_ms_only ==
              doctest::Approx(a.sigma_p_rel_ms_only).epsilon(1e-8));
      }
}

TEST_CASE("energy loss: a track may stop") {
  Detector d = thick_spectrometer();
  d.layers[3].material = {{"", 0, 1.0}};
  const Resolution r =
      resolve(TrackingGeometry(d), proton(0.5), {.loss = EnergyLoss::mean});
  CHECK(r.stopped);
  CHECK(r.status == Status::stops);
  CHECK(r.crossings.back().layer == 3);
}

TEST_CASE("energy loss: sensitivities add up to those of all materials") {
  // all layers thicker by the same factor against the sum over layers
  const Detector d = thick_spectrometer();
  const Model model{.loss = EnergyLoss::straggling};
  const Track t = proton(0.7);
  const Sensitivities s = make_sensitivities(TrackingGeometry(d), t, model);
  double sum = 0;
  for (const Sensitivity& item : s.items)
    if (item.quantity == Quantity::x_over_x0)
      sum += item.elasticity()[Parameter::p];
  const auto sigma = [&](double factor) {
    Detector changed = d;
    for (Layer& layer : changed.layers)
      layer.material.front().x_over_x0 *= factor;
    return resolve(TrackingGeometry(changed), t, model).sigma_p_rel;
  };
  const double h = 1e-3;
  const double expected =
      (std::log(sigma(1 + h)) - std::log(sigma(1 - h))) / (2 * h);
  CHECK(sum == doctest::Approx(expected).epsilon(1e-5));
}

}  // namespace gttf::test::GTTF_TEST_FILE
