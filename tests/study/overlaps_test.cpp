// SPDX-License-Identifier: Apache-2.0
// Several hits of a track in one layer: modules that overlap, and layers that
// are crossed again.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/study/hits/hit_track.hpp"
#include "support/exact_chi2.hpp"
#include "support/fitted_files.hpp"
#include "support/layouts.hpp"
#include "support/triplets.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr double sigma_u = 5 * unit::um, sigma_v = 8 * unit::um;
constexpr double charge_over_p = 1 / 0.8;  // e/GeV, of positive pions

Detector barrel() { return make_barrel(6, 30, 330, 2, 0.01, sigma_u); }

/// Where a helix from the origin is measured at these radii, in order of
/// flight, a little off; the second crossings of radii < 0.
std::vector<MeasuredHit> helix_hits(
    const std::vector<std::pair<int, double>>& layers, double p) {
  std::vector<MeasuredHit> hits;
  const double theta = 1.2, phi = 0.3, sine = std::sin(theta);
  const double c = -2 * unit::T / (p * sine);
  int i = 0;
  for (const auto& [layer, radius] : layers) {
    const double half = std::asin(0.5 * std::abs(radius * c));
    const double half_turn =
        std::copysign(radius > 0 ? half : unit::pi - half, c);
    const double arc = 2 * half_turn / c;
    const double azimuth = phi + half_turn;
    MeasuredHit& hit = hits.emplace_back();
    const double off = (i % 2 == 0 ? 4 : -3) * unit::um;
    // after half a turn from the origin, the chord has the same direction
    const double r = std::abs(radius);
    hit.position = {r * std::cos(azimuth) - off * std::sin(azimuth),
                    r * std::sin(azimuth) + off * std::cos(azimuth),
                    arc / std::tan(theta) + 2 * off};
    hit.layer = layer;
    ++i;
  }
  return hits;
}

struct Built {
  TrackHits track;
  std::vector<double> material;  ///< theta0^2 of each point
};

Built build(const Detector& d, const std::vector<MeasuredHit>& hits,
            HitOrder order = HitOrder::along_track,
            EnergyLoss loss = EnergyLoss::off, double momentum = 0,
            double turns = 0) {
  StudyRequest request;
  request.turns = turns;
  request.energy_loss = loss;
  const TrackingGeometry geometry(d);
  HitTrackBuilder builder(d, geometry, request,
                          {.order = order, .momentum = momentum});
  REQUIRE(builder.find(hits).empty());
  REQUIRE(builder.make_points(hits).empty());
  Built b{builder.track(), {}};
  for (const TrackHit& h : b.track.points) b.material.push_back(h.theta0_2);
  return b;
}

std::string as_lines(const Detector& d, const std::vector<MeasuredHit>& hits,
                     const std::vector<std::string>& modules = {}) {
  std::string text;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    char line[200];
    const Vector3& x = hits[i].position;
    std::snprintf(
        line, sizeof line, "1,%s,%.9f,%.9f,%.9f",
        d.layers[static_cast<std::size_t>(hits[i].layer)].name.c_str(), x.x(),
        x.y(), x.z());
    text += line;
    if (!modules.empty()) text += "," + modules[i];
    text += '\n';
  }
  return text;
}

const std::vector<std::pair<int, double>> once{{0, 30},  {1, 90},  {2, 150},
                                               {3, 210}, {4, 270}, {5, 330}};
const std::vector<std::pair<int, double>> overlap{
    {0, 30}, {1, 90}, {2, 150}, {2, 151.5}, {3, 210}, {4, 270}, {5, 330}};

}  // namespace

TEST_CASE("overlap: two hits of a crossing share its material") {
  const Detector d = barrel();
  const Built a = build(d, helix_hits(once, 0.8));
  const Built b = build(d, helix_hits(overlap, 0.8));
  REQUIRE(a.material.size() == 6);
  REQUIRE(b.material.size() == 7);
  for (std::size_t k = 0; k < 6; ++k) {
    const std::size_t at = k < 2 ? k : k + 1;
    CHECK(b.material[at] == doctest::Approx(a.material[k]).epsilon(0.01));
  }
  CHECK(b.material[2] == 0);
}

TEST_CASE("overlap: the fit is that of dense least squares") {
  const Detector d = barrel();
  const std::vector<MeasuredHit> hits = helix_hits(overlap, 0.8);
  // the points of the track without the second hit, and that put in
  std::vector<MeasuredHit> without = hits;
  without.erase(without.begin() + 3);
  TrackHits track =
      build(d, without, HitOrder::along_track, EnergyLoss::off, 0.8).track;
  TrackHit second = track.points[2];
  second.position = hits[3].position;
  const double azimuth = std::atan2(second.position.y(), second.position.x());
  second.u = {-std::sin(azimuth), std::cos(azimuth), 0};
  track.points[2].theta0_2 = 0;
  track.points.insert(track.points.begin() + 3, second);
  const double c = -2 * unit::T * charge_over_p;
  const ExactChi2 dense(track, 0.3, 1.2, c);

  const std::string lines = as_lines(d, hits);
  FitStudyOptions options = usual();
  options.fit.weights = WeightSource::estimate;
  options.hits.momentum = 0.8;
  for (const bool batch : {true, false}) {
    CAPTURE(batch);
    // batches are linearised at the hits, of which two that are 1.5 mm apart
    // and 7 um off turn the track by 5 mrad; residuals are not made in batches
    options.fit.relinearisations = batch ? 0 : 10;
    const double deviations = 0.01;
    const Fitted f = fit(header + lines, d, {}, options, !batch);
    REQUIRE(f.tracks.text("status") == "ok");
    CHECK(f.counts.batch.vectorised == (batch ? 1 : 0));
    CHECK(f.tracks.integer("n_hits") == 7);
    CHECK(f.tracks.integer("ndf") == 2 * 7 - 5);
    // angles of incidence follow from the hits, which are 4 um off
    const double sigma = f.tracks.real("sigma_qop_per_GeV");
    CHECK(sigma * 2 * unit::T == doctest::Approx(dense.sigma).epsilon(1e-3));
    CHECK(std::abs(-f.tracks.real("qop_per_GeV") * 2 * unit::T - dense.kappa) <
          deviations * dense.sigma);
    CHECK(f.tracks.real("chi2") == doctest::Approx(dense.chi2).epsilon(0.02));
  }
}

TEST_CASE("overlap: straight tracks against lines in 113 bits") {
  using Quad = boost::multiprecision::cpp_bin_float_quad;
  using Matrix = Eigen::Matrix<Quad, Eigen::Dynamic, Eigen::Dynamic>;
  Detector d;
  d.name = "telescope";
  const double t = 0.003, sigma = 4 * unit::um, p = 3;
  for (int i = 0; i < 6; ++i)
    d.layers.push_back(
        make_layer("P" + std::to_string(i),
                   make_plane(Axis::z, 60. * i, {-20, 20}, {-20, 20}), t,
                   pixel(sigma, sigma)));
  struct Hit {
    int plane;
    double z, x, y;
  };
  // two in P0, in P2 and in P5
  const std::vector<Hit> hits{{0, 0, 0.001, -0.002},    {0, 0.6, -0.003, 0.001},
                              {1, 60, 0.010, -0.004},   {2, 119, 0.013, -0.006},
                              {2, 120.5, 0.021, 0.001}, {3, 180, 0.022, -0.008},
                              {4, 240, 0.041, -0.001},  {5, 300, 0.037, -0.013},
                              {5, 300.8, 0.046, -0.009}};
  std::string text = header;
  for (const Hit& h : hits) {
    char line[100];
    std::snprintf(line, sizeof line, "1,P%d,%.6f,%.6f,%.6f\n", h.plane, h.x,
                  h.y, h.z);
    text += line;
  }
  StudyRequest request;
  request.scattering = Scattering::rossi;
  request.particle = *find_particle("pi+");
  FitStudyOptions options = usual();
  options.hits.momentum = p;
  options.fit.relinearisations = 10;
  const Fitted f = fit(text, d, request, options);
  REQUIRE(f.tracks.text("status") == "ok");

  // x0, tx and the kinks of the planes, each at the last of its hits
  const Quad mass = request.particle.mass;
  const Quad beta_p = Quad(p) * Quad(p) / sqrt(Quad(p) * Quad(p) + mass * mass);
  const Quad theta0_2 =
      Quad(13.6e-3) * Quad(13.6e-3) / (beta_p * beta_p) * Quad(t);
  const auto n = static_cast<Eigen::Index>(hits.size());
  double chi2 = 0;
  for (const bool in_x : {true, false}) {
    Matrix a = Matrix::Zero(n + 6, 8);
    Eigen::Matrix<Quad, Eigen::Dynamic, 1> m(n + 6);
    m.setZero();
    for (Eigen::Index i = 0; i < n; ++i) {
      const Hit& h = hits[static_cast<std::size_t>(i)];
      a(i, 0) = 1 / Quad(sigma);
      a(i, 1) = Quad(h.z) / Quad(sigma);
      for (Eigen::Index k = 0; k < i; ++k) {
        const Hit& before = hits[static_cast<std::size_t>(k)];
        if (before.plane != hits[static_cast<std::size_t>(k + 1)].plane)
          a(i, 2 + before.plane) = (Quad(h.z) - Quad(before.z)) / Quad(sigma);
      }
      m[i] = Quad(in_x ? h.x : h.y) / Quad(sigma);
    }
    for (int k = 0; k < 6; ++k) a(n + k, 2 + k) = 1 / sqrt(theta0_2);
    const Matrix c =
        (a.transpose() * a).eval().llt().solve(Matrix::Identity(8, 8));
    const Eigen::Matrix<Quad, Eigen::Dynamic, 1> fitted =
        c * (a.transpose() * m);
    const auto value = [&](const char* name) { return f.tracks.real(name); };
    // slopes of some 1e-4 change incidences and angles by 1e-8
    CHECK(value(in_x ? "sigma_x_um" : "sigma_y_um") * unit::um ==
          doctest::Approx(static_cast<double>(sqrt(c(0, 0)))).epsilon(1e-6));
    CHECK(value(in_x ? "sigma_tx_mrad" : "sigma_ty_mrad") * unit::mrad ==
          doctest::Approx(static_cast<double>(sqrt(c(1, 1)))).epsilon(1e-6));
    CHECK(std::abs(value(in_x ? "x_um" : "y_um") * unit::um -
                   static_cast<double>(fitted[0])) < 1e-6 * sigma);
    chi2 += static_cast<double>((m - a * fitted).squaredNorm());
  }
  CHECK(f.tracks.real("chi2") == doctest::Approx(chi2).epsilon(1e-6));
  CHECK(f.tracks.integer("ndf") == 2 * 9 - 4);
}

TEST_CASE("overlap: modules with names count each") {
  const Detector d = barrel();
  std::vector<MeasuredHit> hits = helix_hits(overlap, 0.8);
  const Built one = build(d, hits);
  hits[2].module = 1;
  hits[3].module = 1;
  CHECK(build(d, hits).material == one.material);
  hits[3].module = 2;
  const Built two = build(d, hits);
  CHECK(two.material[2] > 0);
  CHECK(two.material[2] == doctest::Approx(two.material[3]).epsilon(0.05));

  const std::string with_module = "track,layer,x_mm,y_mm,z_mm,module\n";
  const auto sigma = [&](const std::vector<std::string>& modules) {
    const Fitted f = modules.empty()
                         ? fit(header + as_lines(d, hits), d)
                         : fit(with_module + as_lines(d, hits, modules), d);
    REQUIRE(f.tracks.text("status") == "ok");
    return f.tracks.real("sigma_p_rel");
  };
  const double shared = sigma({});
  CHECK(sigma({"a", "a", "m7", "m7", "", "", "b"}) == shared);
  CHECK(sigma({"", "", "", "", "", "", ""}) == shared);
  CHECK(sigma({"a", "a", "m7", "m8", "", "", "b"}) > 1.02 * shared);
}

TEST_CASE("overlap: a layer that is crossed again scatters again") {
  // out to 150 mm, back through 150, 90 and 30 mm
  // so thin that the losses do not matter to the path
  const Detector d = make_barrel(6, 30, 330, 2, 1e-6, sigma_u);
  const std::vector<std::pair<int, double>> loop{{0, 30},   {1, 90},  {2, 150},
                                                 {2, -150}, {1, -90}, {0, -30}};
  const double p = 0.0525;  // turns at 163 mm
  for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean}) {
    CAPTURE(static_cast<int>(loss));
    // with energy loss it is traced, which needs the turns
    const double turns = loss == EnergyLoss::off ? 0 : 1;
    const Built b =
        build(d, helix_hits(loop, p), HitOrder::as_given, loss, 0, turns);
    int scattering = 0;
    for (const TrackHit& h : b.track.points)
      if (h.measures() && h.theta0_2 > 0) ++scattering;
    CHECK(scattering == 6);
  }
}

TEST_CASE("overlap: with energy loss, which is lost once") {
  Detector d = barrel();
  for (Layer& layer : d.layers) layer.material[0].x_over_x0 = 0.01;
  const Built a =
      build(d, helix_hits(once, 0.8), HitOrder::along_track, EnergyLoss::mean);
  const Built b = build(d, helix_hits(overlap, 0.8), HitOrder::along_track,
                        EnergyLoss::mean);
  REQUIRE(b.material.size() == a.material.size() + 1);
  double lost_once = 0, lost = 0;
  for (const TrackHit& h : a.track.points) lost_once += h.loss.mean;
  for (const TrackHit& h : b.track.points) lost += h.loss.mean;
  CHECK(lost == doctest::Approx(lost_once).epsilon(0.01));
  CHECK(b.material[2] == 0);
}

}  // namespace gttf::test::GTTF_TEST_FILE
