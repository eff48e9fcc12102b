// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/decay_chain.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace gttf;

namespace gttf::test::GTTF_TEST_FILE {
namespace {

DecayParticle decay(const std::string& text) {
  DecayError error;
  const auto parsed = parse_decay(text, error);
  INFO(error.problem);
  REQUIRE(parsed);
  return *parsed;
}

/// What energy and momentum of a configuration differ from the parent's; GeV.
double imbalance(const DecayParticle& parent, const Vector3& momentum,
                 const DecayConfiguration& configuration) {
  const auto products = measured_products(parent);
  Vector3 p = -momentum;
  double e = -std::sqrt(momentum.squaredNorm() + parent.mass * parent.mass);
  for (std::size_t i = 0; i < products.size(); ++i) {
    const Vector3& q = configuration.momenta[i];
    p += q;
    e += std::sqrt(q.squaredNorm() + products[i]->mass * products[i]->mass);
  }
  return std::max(p.norm(), std::abs(e));
}

double mass_of_pair(const Vector3& p, const Vector3& q, double mass) {
  const double e = std::sqrt(p.squaredNorm() + mass * mass) +
                   std::sqrt(q.squaredNorm() + mass * mass);
  return std::sqrt(e * e - (p + q).squaredNorm());
}

TEST_CASE("decays: texts are read with masses, charges and chains") {
  const DecayParticle bs = decay("B_s0 -> mu+ mu-");
  CHECK(bs.mass == 5.36693);  // [PDG24]
  REQUIRE(bs.products.size() == 2);
  CHECK(bs.products[0].charge == 1);
  CHECK(bs.products[1].mass == 0.1056583755);
  const DecayParticle ds = decay("  D_s+->(phi(1020) -> K+ K-)pi+ ");
  CHECK(to_string(ds) == "D_s+ -> (phi(1020) -> K+ K-) pi+");
  CHECK(measured_products(ds).size() == 3);
  CHECK(ds.products[0].mass == 1.019460);
  CHECK(decay("D_s- -> (phi -> K+ K-) pi-").charge == -1);
  CHECK(decay("X0[50 GeV] -> pi+ pi-").mass == 50);
  CHECK(decay("Lambda -> p pi-").products[0].name == "p");
}

TEST_CASE("decays: errors are reported with their location") {
  const auto error_of = [](const std::string& text) {
    DecayError error;
    CHECK_FALSE(parse_decay(text, error));
    CHECK_FALSE(error.problem.empty());
    CHECK_FALSE(error.suggestion.empty());
    return error;
  };
  CHECK(error_of("").problem == "a particle is missing");
  CHECK(error_of("B_s0").problem == "\"->\" is missing");
  CHECK(error_of("B_s0 mu+ mu-").position == 5);
  CHECK(error_of("B_s0 -> mu+").problem ==
        "\"B_s0\" decays to fewer than two particles");
  CHECK(error_of("B_s0 -> mu+ mu+").problem ==
        "\"B_s0\" has charge +0, its products +2");
  CHECK(error_of("B_s0 -> mu mu").problem == "the charge of \"mu\" is missing");
  CHECK(error_of("B_s0 -> mu+ phi").suggestion ==
        "add its decay, as in \"(phi -> K+ K-)\"");
  CHECK(error_of("B_s0 -> mu+ gamma").position == 12);
  CHECK(error_of("phi -> K+ K- pi+ pi-").suggestion ==
        "the products must be lighter");
  CHECK(error_of("B_s0 -> (phi -> K+ K- pi0").problem ==
        "\"pi0\" is not a charged particle that is known");
  CHECK(error_of("B_s0 -> (phi -> K+ K-").problem == "\")\" is missing");
  CHECK(error_of("B_s0 -> mu+ mu-)").position == 15);
  CHECK(error_of("Q -> mu+ mu-").suggestion == "add it, as in \"Q[50 GeV]\"");
  CHECK(error_of("Upsilon(1) -> mu+ mu-")
            .suggestion.starts_with("did you mean \"Upsilon"));
  CHECK(error_of("X[50] -> mu+ mu-").position == 2);
  CHECK(error_of("X[50 mm] -> mu+ mu-").position >= 2);
  CHECK(error_of("X[-5 GeV] -> mu+ mu-").problem == "a mass is not negative");
  CHECK(error_of("X[50 GeV -> mu+ mu-").problem == "\"[\" is not closed");
}

TEST_CASE("decays: energy, momentum and intermediate masses are kept") {
  const Vector3 momentum(3, -4, 12);
  for (const char* text :
       {"B_s0 -> mu+ mu-", "D_s+ -> (phi -> K+ K-) pi+", "tau- -> mu- mu+ mu-",
        "D0 -> K- pi+ pi+ pi-", "B0 -> (J/psi -> e+ e-) (K*0 -> K+ pi-)"}) {
    CAPTURE(text);
    const DecayParticle parent = decay(text);
    std::vector<double> uniform(decay_dimensions(parent));
    for (std::size_t k = 0; k < 50; ++k) {
      even_point(k, uniform);
      // rounding of energies of some 13 GeV, boosted up to three times
      CHECK(imbalance(parent, momentum,
                      decay_configuration(parent, momentum, uniform)) < 1e-12);
    }
  }
  const DecayParticle ds = decay("D_s+ -> (phi -> K+ K-) pi+");
  std::vector<double> uniform(decay_dimensions(ds));
  even_point(7, uniform);
  const auto c = decay_configuration(ds, momentum, uniform);
  CHECK(mass_of_pair(c.momenta[0], c.momenta[1], 0.493677) ==
        doctest::Approx(1.019460).epsilon(1e-12));
}

TEST_CASE("decays: two bodies are isotropic, three follow phase space") {
  const DecayParticle bs = decay("B_s0 -> mu+ mu-");
  std::vector<double> two(decay_dimensions(bs));
  REQUIRE(two.size() == 2);
  double z = 0, z2 = 0, x2 = 0;
  const std::size_t n = 10000;
  for (std::size_t k = 0; k < n; ++k) {
    even_point(k, two);
    const auto c = decay_configuration(bs, Vector3::Zero(), two);
    CHECK(c.weight == 1);
    const Vector3 d = c.momenta[0].normalized();
    z += d[2] / n;
    z2 += d[2] * d[2] / n;
    x2 += d[0] * d[0] / n;
  }
  // an even sequence: far better than 1/sqrt(n)
  CHECK(std::abs(z) < 1e-3);
  CHECK(z2 == doctest::Approx(1. / 3).epsilon(3e-3));
  CHECK(x2 == doctest::Approx(1. / 3).epsilon(3e-3));

  // Three massless bodies fill the Dalitz plot evenly: the mean of m12^2 is a
  // third of M^2, that of its square a sixth of M^4 (triangle of s, t >= 0,
  // s + t <= M^2).
  const DecayParticle three = decay("X-[100 GeV] -> e- e+ e-");
  std::vector<double> u(decay_dimensions(three));
  REQUIRE(u.size() == 5);
  double all = 0, s = 0, ss = 0;
  for (std::size_t k = 0; k < n; ++k) {
    even_point(k, u);
    const auto c = decay_configuration(three, Vector3::Zero(), u);
    const double m = mass_of_pair(c.momenta[0], c.momenta[1], 0.000511) / 100;
    all += c.weight;
    s += c.weight * m * m;
    ss += c.weight * m * m * m * m;
  }
  CHECK(s / all == doctest::Approx(1. / 3).epsilon(3e-3));
  CHECK(ss / all == doctest::Approx(1. / 6).epsilon(5e-3));
}

}  // namespace
}  // namespace gttf::test::GTTF_TEST_FILE
