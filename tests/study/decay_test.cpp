// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/decay/decay.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/study/scan/scan.hpp"
#include "support/shipped.hpp"

using namespace gttf;

namespace gttf::test::GTTF_TEST_FILE {
namespace {

DecayOptions options_for(const std::string& decay) {
  DecayError error;
  DecayOptions options;
  options.decay = parse_decay(decay, error).value();
  return options;
}

StudyRequest request_at(double p, double theta) {
  StudyRequest request;
  request.momentum.values = {p};
  request.angle.values = {theta};
  return request;
}

Table run(const StudyRequest& request, const Detector& detector,
          const DecayOptions& options) {
  KeptRows rows;
  decays(request, std::span(&detector, 1), options, rows);
  return rows.rows;
}

double number(const Table& table, const std::string& column,
              std::size_t row = 0) {
  return std::get<Reals>(table.find(column)->cells)[row];
}

std::string text(const Table& table, const std::string& column) {
  return std::get<Texts>(table.find(column)->cells)[0];
}

TEST_CASE("decay: the mass of a slow pair has the error of its momenta") {
  // H at rest: back to back, m = 2p, sigma(m)/m = sigma(p)/p / sqrt(2) from two
  // independent momenta; the angle between the tracks does not count
  const Detector cld = shipped("cld");
  DecayOptions options = options_for("H -> mu+ mu-");
  options.configurations = 512;
  const StudyRequest at_rest = request_at(1e-3, 90 * unit::deg);
  const Table table = run(at_rest, cld, options);
  CHECK(text(table, "status") == "ok");
  // the same average over the directions in which both are measured
  const TrackingGeometry geometry(cld);
  double squares = 0;
  int n = 0;
  std::vector<double> u(2);
  for (std::size_t k = 0; k < 512; ++k) {
    even_point(k, u);
    const double theta = std::acos(2 * u[0] - 1), phi = 2 * unit::pi * u[1];
    double both = 0;
    bool ok = true;
    for (const bool first : {true, false}) {
      const Resolution r =
          resolve(geometry,
                  {.p = 62.6 * std::sqrt(1 - std::pow(0.1056583755 / 62.6, 2)),
                   .theta = first ? theta : unit::pi - theta,
                   .phi = first ? phi : phi + unit::pi,
                   .mass = 0.1056583755,
                   .charge = first ? 1. : -1.});
      ok = ok && r.status == Status::ok;
      both += r.sigma_p_rel * r.sigma_p_rel;
    }
    if (!ok) continue;
    squares += both;
    ++n;
  }
  CHECK(number(table, "acceptance") == doctest::Approx(n / 512.));
  // sigma(m)^2 = (m/2)^2 (r1^2 + r2^2); the parent moves by 1 MeV
  const double expected = 62.6 * std::sqrt(squares / n) * 1000;
  CHECK(number(table, "sigma_m_MeV") ==
        doctest::Approx(expected).epsilon(1e-4));
}

TEST_CASE("decay: toys have the expected widths") {
  DecayOptions options = options_for("D_s+ -> (phi -> K+ K-) pi+");
  options.configurations = 16;
  options.toys = 3200;
  StudyRequest request = request_at(8, 70 * unit::deg);
  const Table table = run(request, shipped("alice_its2"), options);
  REQUIRE(text(table, "status") == "ok");
  const auto toys =
      static_cast<double>(std::get<Integers>(table.find("toys")->cells)[0]);
  CHECK(toys > 2900);
  // four standard deviations of a width; few per cent of it are not Gaussian
  const double allowed = 4 / std::sqrt(2 * toys);
  for (const char* column :
       {"pull_m_width", "pull_m_vertex_width", "pull_flight_width"}) {
    CAPTURE(column);
    CHECK(std::abs(number(table, column) - 1) < allowed);
  }
  CHECK(std::abs(number(table, "pull_m")) < 4 / std::sqrt(toys) + 0.05);
}

TEST_CASE("decay: a common vertex does not degrade a heavy decay") {
  DecayOptions options = options_for("B_s0 -> mu+ mu-");
  for (const char* name : {"alice_its2", "cms_phase2", "lhcb"}) {
    CAPTURE(name);
    StudyRequest request = request_at(40, 10 * unit::deg);
    if (std::string(name) != "lhcb") request.angle.values = {60 * unit::deg};
    const Table table = run(request, shipped(name), options);
    REQUIRE(text(table, "status") == "ok");
    CHECK(number(table, "sigma_m_vertex_MeV") <=
          number(table, "sigma_m_MeV") * (1 + 1e-12));
    CHECK(number(table, "sigma_flight_um") > number(table, "sigma_across_um"));
    CHECK(number(table, "sigma_t_fs") ==
          doctest::Approx(number(table, "sigma_flight_um") * 1e-3 *
                          (5.36693 / 40) / 2.99792458e-4));
  }
}

TEST_CASE("decay: the recoil of Z -> mu mu at 240 GeV is the Higgs boson") {
  DecayOptions options = options_for("Z -> mu+ mu-");
  options.collision = {.sqrt_s = 240, .sigma_sqrt_s = 0};
  // two-body kinematics of e+e- -> Z H
  const double s = 240. * 240, z = 91.188, h = 125.2;
  const double p =
      std::sqrt((s - (z + h) * (z + h)) * (s - (z - h) * (z - h))) / (2 * 240);
  const StudyRequest request = request_at(p, 80 * unit::deg);
  const Detector cld = shipped("cld");
  const Table without = run(request, cld, options);
  CHECK(number(without, "recoil_GeV") == doctest::Approx(h).epsilon(1e-9));
  options.collision->sigma_sqrt_s = 0.3;
  const Table with = run(request, cld, options);
  // the beam adds (sqrt_s - E)/m_recoil times its spread in squares
  const double beam = (240 - std::sqrt(p * p + z * z)) / h * 300;
  const double a = number(without, "sigma_recoil_MeV"),
               b = number(with, "sigma_recoil_MeV");
  CHECK(b == doctest::Approx(std::hypot(a, beam)).epsilon(1e-9));
}

TEST_CASE("decay: an invalid text is an error with its place") {
  CHECK(read_decay("J/psi -> mu+ mu-").mass == 3.0969);
  try {
    read_decay("J/psi -> mu+ gamma");
    FAIL("no error");
  } catch (const InputError& error) {
    const Diagnostic& d = error.diagnostics().items().front();
    CHECK(d.column == 14);
    CHECK(d.file == "DECAY");
    CHECK(d.source_line == "J/psi -> mu+ gamma");
  }
}

TEST_CASE("decay: results do not depend on threads") {
  DecayOptions options = options_for("J/psi -> e+ e-");
  options.configurations = 32;
  options.toys = 64;
  StudyRequest request = request_at(3, 90 * unit::deg);
  request.momentum.values = {2, 3, 5, 8};
  request.angle.values = {90 * unit::deg, 60 * unit::deg};
  options.threads = 1;
  const Table one = run(request, shipped("cld"), options);
  options.threads = 4;
  const Table four = run(request, shipped("cld"), options);
  REQUIRE(one.rows() == 8);
  for (const char* column : {"sigma_m_MeV", "pull_m", "sigma_vz_um"})
    CHECK(std::get<Reals>(one.find(column)->cells) ==
          std::get<Reals>(four.find(column)->cells));
}

TEST_CASE("decay: products outside of the detector are counted") {
  DecayOptions options = options_for("B_s0 -> mu+ mu-");
  const Detector its2 = shipped("alice_its2");
  const Table central = run(request_at(10, 90 * unit::deg), its2, options);
  const Table edge = run(request_at(10, 30 * unit::deg), its2, options);
  const Table outside = run(request_at(100, 1 * unit::deg), its2, options);
  CHECK(number(central, "acceptance") > 0.95);
  CHECK(number(edge, "acceptance") > 0);
  CHECK(number(edge, "acceptance") < 1);
  CHECK(number(outside, "acceptance") == 0);
  CHECK(text(outside, "status") == "too few hits");
  CHECK(std::isnan(number(outside, "sigma_m_MeV")));
}

}  // namespace
}  // namespace gttf::test::GTTF_TEST_FILE
