// SPDX-License-Identifier: Apache-2.0
// Toys, and fits of hits, for tracks that are not helices around z.
#include <doctest/doctest.h>

#include <cmath>

#include "gttf/detector/read.hpp"
#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/output/json.hpp"
#include "gttf/resolution/toys.hpp"
#include "gttf/study/hits/hit_track.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/toys/toy_state.hpp"
#include "gttf/study/toys/toy_study.hpp"
#include "gttf/study/toys/toy_table.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

using test::make_layer;
using test::pixel;

Detector make_spectrometer() {
  Detector d;
  d.name = "spectrometer";
  for (const double z : {100, 200, 300, 400, 1700, 1800, 1900, 2000})
    d.layers.push_back(
        make_layer("P" + std::to_string(d.layers.size()),
                   make_plane(Axis::z, z, {-900, 900}, {-900, 900}), 2e-3,
                   pixel(0.01, 0.02)));
  d.layers.push_back(make_layer(
      "window", make_plane(Axis::z, 450, {-900, 900}, {-900, 900}), 1e-3));
  d.field.kind = FieldKind::dipole;
  d.field.dipoles = {{Axis::z, {500, 1500}, Axis::y, 0.6 * unit::T}};
  return d;
}

struct Study {
  StudyRequest request;
  std::vector<Detector> detectors;

  ToyState run(const Shard& shard = {}, unsigned threads = 2) const {
    ToyState state = plan_toys(request, detectors, shard);
    ToyRunOptions options;
    options.threads = threads;
    run_toys(request, detectors, options, state);
    return state;
  }
};

Study spectrometer(std::uint64_t toys) {
  Study s;
  s.detectors = {make_spectrometer()};
  s.request.momentum.values = {3};
  s.request.angle.values = {0.04};
  s.request.toys.toys = toys;
  return s;
}

std::string text_of_state(const ToyState& state) {
  std::string text;
  append_json(text, to_document(state));
  return text;
}

double cell(const Table& table, const std::string& name) {
  const Column* c = nullptr;
  for (const Column& column : table.columns)
    if (column.name == name) c = &column;
  REQUIRE(c != nullptr);
  return std::get<Reals>(c->cells)[0];
}

/// Pulls and widths of 1 within 4.5 standard errors, which chance leaves once
/// in 150 000; the seed is fixed.
void check_parameter(const Table& table, const std::string& name) {
  CAPTURE(name);
  CHECK(std::abs(cell(table, "pull_width_" + name) - 1) <
        4.5 * cell(table, "pull_width_error_" + name));
  CHECK(std::abs(cell(table, "width_deviation_" + name)) < 4.5);
  CHECK(std::abs(cell(table, "bias_deviation_" + name)) < 4.5);
}

}  // namespace

TEST_CASE("toys in any field: the same bits for any threads and shards") {
  Study s = spectrometer(600);
  s.request.energy_loss = EnergyLoss::straggling;
  const std::string one = text_of_state(s.run({}, 1));
  CHECK(one == text_of_state(s.run({}, 3)));
  std::vector<ToyState> parts;
  for (std::uint64_t k = 1; k <= 3; ++k) parts.push_back(s.run({k, 3}));
  CHECK(text_of_state(merge_toys(std::move(parts), {"1", "2", "3"})) == one);
}

TEST_CASE("toys in any field: a spectrometer's are as wide as expected") {
  const Table t = toy_table(spectrometer(3000).run());
  for (const char* name : {"x", "y", "tx", "ty", "qop"})
    check_parameter(t, name);
  CHECK(std::isnan(cell(t, "pull_width_d0")));
  CHECK(std::abs(cell(t, "chi2_per_ndf") - 1) <
        4.5 * cell(t, "chi2_per_ndf_error"));
}

TEST_CASE("toys in any field: a telescope measures momentum by scattering") {
  Study s = spectrometer(3000);
  s.detectors[0].field = {};
  s.detectors[0].name = "telescope";
  for (Layer& layer : s.detectors[0].layers)
    for (Coordinate& c : layer.coordinates) c.sigma = 1e-4;
  s.request.angle.values = {0};
  s.request.momentum.values = {1};
  const Table t = toy_table(s.run());
  for (const char* name : {"x", "y", "tx", "ty"}) check_parameter(t, name);
  // six triplets, precise hits
  CHECK(cell(t, "expected_width_p_ms_rel") ==
        doctest::Approx(1 / (2 * std::sqrt(6.0))));
  CHECK(std::abs(cell(t, "p_ms_rel") - cell(t, "expected_p_ms_rel")) <
        4.5 * cell(t, "p_ms_rel_error"));
}

TEST_CASE("toys in any field: straggling is in the expected widths") {
  Study s;
  Detector barrel = test::make_barrel(8, 30, 600, 2, 4e-3, 0.01);
  s.detectors = {barrel};
  s.request.particle = {"proton", 0.93827209, 1};
  s.request.momentum.values = {0.35};
  s.request.angle.values = {1.3};
  s.request.energy_loss = EnergyLoss::straggling;
  s.request.toys.toys = 3000;
  const Table t = toy_table(s.run());
  for (const char* name : {"d0", "z0", "phi0", "theta", "qop"})
    check_parameter(t, name);
}

/// Hits of toys, put together as those of a file and fitted.
void check_hits(const Detector& detector, const StudyRequest& request,
                const Track& track, bool at_plane, EnergyLoss loss) {
  const TrackingGeometry geometry(detector);
  const ToySimulator simulator(
      geometry, track, {.scattering = Scattering::highland, .loss = loss});
  HitTrackOptions options;
  options.momentum = track.p;
  HitTrackBuilder builder(detector, geometry, request, options);
  TrackFitter fitter;
  ToyTrack toy = simulator.prototype();
  std::array<ExactMoments, 5> pulls;
  ExactMoments chi2;
  std::vector<MeasuredHit> hits;
  for (std::uint64_t i = 0; i < 400; ++i) {
    CAPTURE(i);
    if (!simulator.simulate({2, 0, i}, toy)) continue;
    hits.clear();
    for (const TrackHit& h : toy.hits.points) {
      if (!h.measures()) continue;
      hits.emplace_back().position = h.position;
      hits.back().layer = -1;
    }
    std::swap(hits[1], hits[4]);  // in any order
    REQUIRE(builder.find(hits) == "");
    REQUIRE(builder.make_points(hits) == "");
    CHECK(builder.track().points.size() == toy.hits.points.size());
    const GlobalFit& f = fitter.fit(builder.track(), FitKind::general);
    REQUIRE(f.status == FitStatus::ok);
    const Vector5& truth = at_plane ? toy.truth_at_plane : toy.truth;
    const Vector5& x = at_plane ? f.start_plane : f.perigee;
    const Matrix5& v =
        at_plane ? f.start_plane_covariance : f.perigee_covariance;
    for (int k = 0; k < 5; ++k)
      pulls[static_cast<std::size_t>(k)].add((x[k] - truth[k]) /
                                             std::sqrt(v(k, k)));
    chi2.add(f.chi2 / f.ndf);
  }
  for (const ExactMoments& pull : pulls) {
    CHECK(std::abs(pull.width() - 1) < 4.5 * pull.width_error());
    CHECK(std::abs(pull.mean()) < 4.5 * pull.mean_error());
  }
  CHECK(std::abs(chi2.mean() - 1) < 4.5 * chi2.mean_error());
}

TEST_CASE("hits in any field: a spectrometer's tracks have pulls of one") {
  Track t;
  t.p = 3;
  t.theta = 0.04;
  t.phi = 0.8;
  check_hits(make_spectrometer(), {}, t, true, EnergyLoss::off);
}

TEST_CASE("hits in any field: slow tracks in a barrel have pulls of one") {
  Track t;
  t.p = 0.35;
  t.mass = 0.93827209;
  t.charge = 1;
  t.theta = 1.3;
  StudyRequest request;
  request.particle = {"proton", t.mass, t.charge};
  request.energy_loss = EnergyLoss::straggling;
  check_hits(test::make_barrel(8, 30, 600, 2, 4e-3, 0.01), request, t, false,
             EnergyLoss::straggling);
}

// A track that scatters by chance so that it seems faster would have the small
// angles of its fitted momentum: chi2/ndf of 1.3 and pulls as wide as 1.2.
TEST_CASE("hits in any field: angles are not those of a momentum too high") {
  Track t;
  t.p = 0.3;
  t.mass = 0.93827209;
  t.charge = 1;
  t.theta = 1.3;
  StudyRequest request;
  request.particle = {"proton", t.mass, t.charge};
  request.energy_loss = EnergyLoss::mean;
  const Detector detector = shipped("alice_its2");
  const TrackingGeometry geometry(detector);
  const ToySimulator simulator(
      geometry, t,
      {.scattering = Scattering::highland, .loss = EnergyLoss::mean});
  HitTrackBuilder builder(detector, geometry, request, {});
  FitOptions options;
  options.weights = WeightSource::update;
  TrackFitter fitter(options);
  ToyTrack toy = simulator.prototype();
  ExactMoments pull, chi2;
  std::size_t n_stopped = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    if (!simulator.simulate({2, 0, i}, toy)) continue;
    std::vector<MeasuredHit> hits;
    for (const TrackHit& h : toy.hits.points) {
      if (!h.measures()) continue;
      hits.emplace_back().position = h.position;
      hits.back().layer = -1;
    }
    REQUIRE(builder.find(hits) == "");
    REQUIRE(builder.make_points(hits) == "");
    const GlobalFit& f = fitter.fit(builder.track(), FitKind::general);
    if (f.status != FitStatus::ok) {
      CHECK(f.status == FitStatus::stops);
      ++n_stopped;
      continue;
    }
    pull.add((f.perigee[4] - toy.truth[4]) /
             std::sqrt(f.perigee_covariance(4, 4)));
    chi2.add(f.chi2 / f.ndf);
  }
  CHECK(n_stopped < 80);
  CHECK(pull.width() > 0.9);
  CHECK(pull.width() < 1.1);
  CHECK(std::abs(chi2.mean() - 1) < 0.1);
}

}  // namespace gttf::test::GTTF_TEST_FILE
