// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hits/fit_study.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gttf/resolution/resolution.hpp"
#include "support/fitted_files.hpp"
#include "support/measured_tracks.hpp"
#include "support/reported.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

struct Moments {
  double n = 0, sum = 0, squares = 0;
  void add(double x) { n += 1, sum += x, squares += x * x; }
  double mean() const { return sum / n; }
  double width() const { return std::sqrt(squares / n - mean() * mean()); }
};

double angle_between(double a, double b) {
  return std::remainder(a - b, 2 * unit::pi);
}

}  // namespace

TEST_CASE("fit: exact hits of a helix give its parameters") {
  const Detector detector = shipped("alice_its2");
  Normals random(3);
  std::string text = header;
  std::vector<MeasuredTrack> truth;
  for (int i = 0; i < 20; ++i) {
    truth.push_back(simulate(its2(), 1, 0.5, random, 0, 0));
    text += csv_lines(std::to_string(i), truth.back());
  }
  const Fitted f = fit(text, detector);
  CHECK(f.counts.tracks == 20);
  CHECK(f.counts.fitted == 20);
  CHECK(f.tracks.finished == 1);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    // The file has hits to 1 nm: 1e-4 of their errors, so that p is good to
    // about 1e-4 of its error of 4 %, and so on.
    CHECK(f.tracks.text("status", i) == "ok");
    CHECK(f.tracks.real("p_GeV", i) == doctest::Approx(1).epsilon(2e-5));
    CHECK(f.tracks.real("charge", i) == truth[i].charge);
    CHECK(std::abs(f.tracks.real("d0_um", i)) < 0.02);
    CHECK(std::abs(f.tracks.real("z0_um", i)) < 0.02);
    CHECK(std::abs(angle_between(f.tracks.real("phi0_rad", i), truth[i].phi)) <
          1e-6);
    CHECK(std::abs(f.tracks.real("theta_rad", i) - truth[i].theta) < 1e-6);
    CHECK(f.tracks.real("chi2", i) < 1e-4);
    CHECK(f.tracks.integer("ndf", i) == 9);  // 2 * 5 triplets - 1
    CHECK(f.tracks.integer("n_hits", i) == 7);
  }
}

TEST_CASE("fit: its errors are those of resolve") {
  const Detector detector = shipped("alice_its2");
  Normals random(4);
  for (const double p : {0.3, 1.0, 20.0}) {
    const MeasuredTrack truth = simulate(its2(), p, 0.5, random, 0, 0);
    const Fitted f = fit(header + csv_lines("1", truth), detector);
    Track track;
    track.p = p;
    track.charge = truth.charge;
    track.theta = truth.theta;
    track.phi = truth.phi;
    const Resolution r = resolve(TrackingGeometry(detector), track);
    // p of the hits differs from the true one by 1e-5 and less.
    const auto same = [&](const char* column, double expected) {
      CHECK(f.tracks.real(column) == doctest::Approx(expected).epsilon(1e-4));
    };
    same("sigma_p_rel", r.sigma_p_rel);
    same("sigma_pt_rel", r.sigma_pt_rel);
    same("sigma_qop_per_GeV", std::sqrt(r.perigee(4, 4)));
    same("sigma_d0_um", std::sqrt(r.perigee(0, 0)) / unit::um);
    same("sigma_z0_um", std::sqrt(r.perigee(1, 1)) / unit::um);
    same("sigma_phi0_mrad", std::sqrt(r.perigee(2, 2)) / unit::mrad);
    same("sigma_theta_mrad", std::sqrt(r.perigee(3, 3)) / unit::mrad);
  }
}

TEST_CASE("fit: exact hits in shipped detectors, errors of resolve") {
  for (const char* name : {"alice_its2", "atlas_itk", "belle2", "cld",
                           "cms_phase2", "idea", "ild", "mu3e"}) {
    const Detector detector = shipped(name);
    const TrackingGeometry geometry(detector);
    for (const double theta : {90.0, 60.0, 25.0}) {
      Track track;
      track.p = std::string(name) == "mu3e" ? 0.04 : 3;
      track.theta = theta * unit::deg;
      track.phi = 0.4;
      const Resolution r = resolve(geometry, track);
      if (r.status != Status::ok) continue;
      std::string text = header;
      for (const CrossingInfo& c : r.crossings) {
        if (!c.measured) continue;
        char line[200];
        std::snprintf(line, sizeof line, "1,\"%s\",%.9f,%.9f,%.9f\n",
                      detector.layers[c.layer].name.c_str(), c.position.x(),
                      c.position.y(), c.position.z());
        text += line;
      }
      const Fitted f = fit(text, detector);
      INFO(name, " ", theta, " ", f.tracks.text("status"));
      CHECK(f.tracks.text("status") == "ok");
      CHECK(f.tracks.real("p_GeV") == doctest::Approx(track.p).epsilon(1e-4));
      CHECK(f.tracks.real("charge") == -1);
      CHECK(std::abs(f.tracks.real("d0_um")) < 0.1);
      CHECK(f.tracks.real("sigma_p_rel") ==
            doctest::Approx(r.sigma_p_rel).epsilon(1e-3));
      CHECK(
          f.tracks.real("sigma_d0_um") ==
          doctest::Approx(std::sqrt(r.perigee(0, 0)) / unit::um).epsilon(1e-3));
      CHECK(
          f.tracks.real("sigma_z0_um") ==
          doctest::Approx(std::sqrt(r.perigee(1, 1)) / unit::um).epsilon(1e-3));
    }
  }
}

TEST_CASE("fit: pulls of smeared tracks are normal, chi2/ndf is 1") {
  const Detector detector = shipped("alice_its2");
  for (const double p : {0.5, 5.0}) {
    Normals random(11);
    std::string text = header;
    std::vector<MeasuredTrack> truth;
    constexpr std::size_t n = 4000;
    for (std::size_t i = 0; i < n; ++i) {
      truth.push_back(simulate(its2(), p, 0.5, random));
      text += csv_lines(std::to_string(i), truth.back());
    }
    const Fitted f = fit(text, detector, {}, usual(), true);
    REQUIRE(f.counts.fitted == n);
    std::array<Moments, 5> pulls;
    Moments chi2, probability, residual_pull;
    for (std::size_t i = 0; i < n; ++i) {
      const auto pull = [&](const char* error, double unit, double deviation) {
        return deviation * unit / f.tracks.real(error, i);
      };
      const double qop = truth[i].charge / p;
      pulls[0].add(f.tracks.real("d0_um", i) / f.tracks.real("sigma_d0_um", i));
      pulls[1].add(f.tracks.real("z0_um", i) / f.tracks.real("sigma_z0_um", i));
      pulls[2].add(
          pull("sigma_phi0_mrad", 1000,
               angle_between(f.tracks.real("phi0_rad", i), truth[i].phi)));
      pulls[3].add(pull("sigma_theta_mrad", 1000,
                        f.tracks.real("theta_rad", i) - truth[i].theta));
      pulls[4].add(
          pull("sigma_qop_per_GeV", 1, f.tracks.real("qop_per_GeV", i) - qop));
      chi2.add(f.tracks.real("chi2_per_ndf", i));
      probability.add(f.tracks.real("chi2_probability", i));
    }
    for (std::size_t i = 0; i < f.residuals.all.rows(); ++i)
      for (const char* column : {"pull_u", "pull_v"})
        if (const double x = f.residuals.real(column, i); std::isfinite(x))
          residual_pull.add(x);
    // Widths have errors of 1/sqrt(2 n) = 1.1 %, means of 1.6 %; 4 of them, and
    // 1 % for what the weights at the fitted momentum add.
    INFO("p = ", p);
    for (const Moments& m : pulls) {
      CHECK(m.width() == doctest::Approx(1).epsilon(0.055));
      CHECK(std::abs(m.mean()) < 0.065);
    }
    CHECK(chi2.mean() == doctest::Approx(1).epsilon(0.04));
    CHECK(probability.mean() == doctest::Approx(0.5).epsilon(0.04));
    CHECK(f.residuals.all.rows() == 7 * n);
    CHECK(residual_pull.width() == doctest::Approx(1).epsilon(0.03));
  }
}

TEST_CASE("fit: the order of the hits and of the columns does not matter") {
  const Detector detector = shipped("alice_its2");
  Normals random(5);
  std::string sorted = header, shuffled = "z_cm,layer,track,y_um,x_m\n";
  for (int i = 0; i < 30; ++i) {
    MeasuredTrack track = simulate(its2(), 0.4, 0.5, random);
    sorted += csv_lines(std::to_string(i), track);
    for (std::size_t k = track.hits.size(); k > 1; --k)
      std::swap(track.hits[k - 1],
                track.hits[static_cast<std::size_t>(random.uniform() *
                                                    static_cast<double>(k))]);
    for (const auto& hit : track.hits) {
      char line[200];
      std::snprintf(line, sizeof line, "%.7f,%s,%d,%.3f,%.9f\n", hit.x[2] / 10,
                    hit.layer, i, hit.x[1] * 1000, hit.x[0] / 1000);
      shuffled += line;
    }
  }
  const Fitted a = fit(sorted, detector), b = fit(shuffled, detector);
  REQUIRE(a.counts.fitted == 30);
  REQUIRE(b.counts.fitted == 30);
  for (std::size_t i = 0; i < 30; ++i)
    for (const char* column : {"p_GeV", "d0_um", "chi2", "sigma_p_rel"})
      CHECK(a.tracks.real(column, i) ==
            doctest::Approx(b.tracks.real(column, i)).epsilon(1e-9));
}

TEST_CASE("fit: without layers the nearest surface is taken") {
  const Detector detector = shipped("alice_its2");
  Normals random(6);
  const MeasuredTrack track = simulate(its2(), 1, 0.5, random);
  std::string bare = "track,x_mm,y_mm,z_mm\n";
  for (const auto& hit : track.hits) {
    char line[200];
    std::snprintf(line, sizeof line, "1,%.6f,%.6f,%.6f\n", hit.x[0], hit.x[1],
                  hit.x[2]);
    bare += line;
  }
  const Fitted a = fit(header + csv_lines("1", track), detector);
  const Fitted b = fit(bare, detector, {}, usual(), true);
  // vectorised, and scalar for the residuals: the same except for rounding
  CHECK(a.tracks.real("p_GeV") ==
        doctest::Approx(b.tracks.real("p_GeV")).epsilon(1e-12));
  CHECK(a.tracks.real("chi2") ==
        doctest::Approx(b.tracks.real("chi2")).epsilon(1e-11));
  for (std::size_t i = 0; i < 7; ++i)
    CHECK(b.residuals.text("layer", i) == track.hits[i].layer);
}

TEST_CASE("fit: a track that cannot be fitted has a reason and no numbers") {
  const Detector detector = shipped("alice_its2");
  Normals random(9);
  const auto status_of = [&](const std::string& lines) {
    const Fitted f = fit("track,x_mm,y_mm,z_mm\n" + lines, detector);
    CHECK(f.counts.fitted == 0);
    CHECK(std::isnan(f.tracks.real("p_GeV")));
    CHECK(std::isnan(f.tracks.real("sigma_d0_um")));
    return f.tracks.text("status");
  };
  CHECK(status_of("1,23.4,0,0\n1,31.5,0,0\n") == "too_few_hits");
  CHECK(status_of("1,23.4,0,0\n1,31.5,0,0\n1,nan,0,0\n") == "not_finite");
  CHECK(status_of("1,23.4,0,0\n1,31.5,0,0\n1,inf,0,0\n") == "not_finite");
  CHECK(status_of("1,23.4,0,0\n1,31.5,0,0\n1,31.5,0,0\n") == "coincident_hits");
  CHECK(status_of("1,23.4,0,0\n1,23.4,0,0\n1,23.4,0,0\n") == "coincident_hits");
  CHECK(status_of("1,23.4,0,0\n1,31.5,0,0\n1,120,0,0\n") == "far_from_surface");
  // millimetres that are called centimetres
  const Fitted f = fit("track,layer,x_cm,y_cm,z_cm\n" +
                           csv_lines("1", simulate(its2(), 1, 0.5, random)),
                       detector);
  CHECK(f.tracks.text("status") == "far_from_surface");
}

TEST_CASE("fit: hits in the order of the file, if requested, may be wrong") {
  const Detector detector = shipped("alice_its2");
  Normals random(10);
  MeasuredTrack track = simulate(its2(), 1, 0.5, random);
  FitStudyOptions options = usual();
  options.hits.order = HitOrder::as_given;
  const std::string good = header + csv_lines("1", track);
  CHECK(fit(good, detector, {}, options).tracks.text("status") == "ok");
  std::swap(track.hits[1], track.hits[5]);
  const std::string swapped = header + csv_lines("1", track);
  CHECK(fit(swapped, detector, {}, options).tracks.text("status") ==
        "wrong_order");
  CHECK(fit(swapped, detector).tracks.text("status") == "ok");
}

TEST_CASE("fit: errors in the file replace those of the layer") {
  const Detector detector = shipped("alice_its2");
  Normals random(12);
  const MeasuredTrack track = simulate(its2(), 50, 0.5, random);
  const auto with_errors = [&](const char* errors) {
    std::string text = "track,layer,x_mm,y_mm,z_mm,sigma_u_um,sigma_v_um\n";
    for (const auto& hit : track.hits) {
      char line[200];
      std::snprintf(line, sizeof line, "1,%s,%.6f,%.6f,%.6f,%s\n", hit.layer,
                    hit.x[0], hit.x[1], hit.x[2], errors);
      text += line;
    }
    StudyRequest request;
    request.scattering = Scattering::off;
    return fit(text, detector, request);
  };
  const Fitted own = with_errors(","), same = with_errors("5,5"),
               twice = with_errors("10,10");
  // vectorised, and scalar for the errors: the same except for rounding
  CHECK(own.tracks.real("sigma_p_rel") ==
        doctest::Approx(same.tracks.real("sigma_p_rel")).epsilon(1e-12));
  CHECK(twice.tracks.real("chi2") ==
        doctest::Approx(own.tracks.real("chi2") / 4).epsilon(1e-9));
  CHECK(twice.tracks.real("sigma_d0_um") ==
        doctest::Approx(own.tracks.real("sigma_d0_um") * 2).epsilon(1e-9));
}

TEST_CASE("fit: every result has errors, for any hits") {
  const Detector detector = shipped("alice_its2");
  Normals random(21);
  std::string text = "track,x_mm,y_mm,z_mm\n";
  const std::array<double, 7> radii{23.4, 31.5, 39.3, 194.5, 244, 342.4, 392};
  for (int i = 0; i < 3000; ++i) {
    const int n = 3 + static_cast<int>(6 * random.uniform());
    const double spread = i % 3 == 0 ? 3.1 : (i % 3 == 1 ? 0.3 : 0.01);
    const double start = 6.28 * random.uniform();
    for (int k = 0; k < n; ++k) {
      const double r = radii[static_cast<std::size_t>(7 * random.uniform())];
      const double a = start + spread * (random.uniform() - 0.5);
      const double z = i % 2 == 0 ? 0 : 200 * (random.uniform() - 0.5);
      char line[200];
      std::snprintf(line, sizeof line, "%d,%.4f,%.4f,%.4f\n", i,
                    r * std::cos(a), r * std::sin(a), z);
      text += line;
    }
  }
  for (const FitKind kind :
       {FitKind::general, FitKind::hits, FitKind::scattering,
        FitKind::regularised, FitKind::common_curvature}) {
    FitStudyOptions options = usual();
    options.kind = kind;
    const Fitted f = fit(text, detector, {}, options, true);
    CHECK(f.counts.tracks == 3000);
    CHECK(f.counts.fitted > 300);
    bool whole = true;
    for (std::size_t i = 0; i < 3000; ++i) {
      const bool ok = f.tracks.text("status", i) == "ok";
      for (const Column& column : f.tracks.all.columns)
        if (const auto* cells = std::get_if<Reals>(&column.cells))
          whole = whole && std::isfinite((*cells)[i]) == ok;
    }
    CHECK(whole);
  }
}

TEST_CASE("fit: the weights of a scattered slow track depend on its path") {
  // a pion of 70 MeV: with the weights of each step, chi2 rises at every one
  const std::string text = header +
                           "1,L0,23.3901582,0.6786003,0.0377163\n"
                           "1,L1,31.4729125,1.3060556,0.1516502\n"
                           "1,L2,39.2486010,2.0093073,0.1292527\n"
                           "1,L3,190.5099405,39.1945478,-4.9219050\n"
                           "1,L4,235.8953118,62.3650691,-12.7431702\n"
                           "1,L5,315.8747021,132.1398221,-40.2743534\n"
                           "1,L6,348.2821216,179.8987599,-50.8067836\n";
  StudyRequest request;
  request.particle = *find_particle("pion");
  request.energy_loss = EnergyLoss::mean;
  const Fitted f = fit(text, shipped("alice_its2"), request);
  REQUIRE(f.tracks.text("status") == "ok");
  CHECK(f.tracks.real("p_GeV") == doctest::Approx(0.0724).epsilon(0.01));
}

TEST_CASE("fit: no hits give an empty table") {
  const Fitted f = fit(header, shipped("alice_its2"));
  CHECK(f.counts.tracks == 0);
  CHECK(f.tracks.all.find("p_GeV") != nullptr);
  CHECK(f.tracks.all.rows() == 0);
  CHECK(f.tracks.finished == 1);
}

TEST_CASE("fit: the first error of a file ends it, after the rows before it") {
  const Detector detector = shipped("alice_its2");
  Normals random(5);
  const MeasuredTrack track = simulate(its2(), 1, 0.5, random, 0, 0);
  std::string text = header;
  for (int i = 0; i < 4000; ++i) {
    if (i == 2500) text += "2500,a line of four cells,1,2\n";
    if (i == 3900) text += std::string(CsvReader::max_line_bytes + 1, 'x');
    text += csv_lines(std::to_string(i), track);
  }
  const Folder folder;
  const std::string path = folder.write("h.csv", text);
  std::size_t expected = 0;
  for (const unsigned threads : {1u, 2u, 5u}) {
    CAPTURE(threads);
    FitStudyOptions options = usual();
    options.threads = threads;
    HitFile file(path, detector, {.threads = threads});
    Collector rows;
    const std::string what = reported(
        [&] { fit_tracks(detector, {}, file, options, rows, nullptr); });
    CHECK(contains(what, "4 cells, the header line has 5"));
    CHECK_FALSE(contains(what, "longer"));
    if (threads == 1) expected = rows.all.rows();
    CHECK(rows.all.rows() == expected);
    CHECK(rows.finished == 0);
  }
  CHECK(expected > 1000);
  CHECK(expected < 2500);
}

}  // namespace gttf::test::GTTF_TEST_FILE
