// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/energy_loss.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "gttf/core/units.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

Layer layer_of(const char* material, double thickness) {
  const Material& m = *find_material(material);
  Layer layer;
  layer.material = {{.material = m.name,
                     .thickness = thickness,
                     .x_over_x0 = thickness / m.radiation_length}};
  return layer;
}

/// Losses in ascending order.
std::vector<double> losses_in(std::span<const LossSlab> slabs,
                              const Projectile& particle, double p,
                              std::size_t n, int slices = 1) {
  std::vector<double> losses;
  const double rest = particle.rest_energy();
  for (std::size_t i = 0; i < n; ++i) {
    double kinetic = detail::kinetic_energy(p, rest), sum = 0;
    for (int k = 0; k < slices; ++k) {
      RandomBranch random({3, 0, i}, static_cast<std::uint64_t>(k) + 1);
      const double momentum = std::sqrt(kinetic * (kinetic + 2 * rest));
      const double lost =
          simulate_loss(slabs, particle, momentum, 1.0 / slices, random);
      kinetic -= lost;
      sum += lost;
    }
    losses.push_back(sum);
  }
  std::ranges::sort(losses);
  return losses;
}

double mean_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

double rms_of(const std::vector<double>& x) {
  const double mean = mean_of(x);
  double sum = 0;
  for (const double v : x) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(x.size()));
}

/// Half the width of the central 68.27 %.
double core_of(const std::vector<double>& x) {
  const auto at = [&](double part) {
    return x[static_cast<std::size_t>(part * static_cast<double>(x.size()))];
  };
  return 0.5 * (at(0.841344746) - at(0.158655254));
}

/// The place of the highest density and the full width at half of it, by a
/// polynomial of fourth order around the peak.
struct Peak {
  double place, width;
};
Peak peak_of(const std::vector<double>& x, double xi) {
  const double bin = 0.25 * xi;
  const auto density = [&](double at) {
    return static_cast<double>(std::ranges::lower_bound(x, at + 0.5 * bin) -
                               std::ranges::lower_bound(x, at - 0.5 * bin));
  };
  double middle = x.front(), most = 0;
  for (double at = x.front(); at < x[x.size() / 2]; at += bin)
    if (const double d = density(at); d > most) most = d, middle = at;
  constexpr int n = 25, order = 4;
  Eigen::Matrix<double, n, order + 1> powers;
  Eigen::Matrix<double, n, 1> y;
  for (int i = 0; i < n; ++i) {
    const double u = 2.4 * i / (n - 1) - 1.2;
    for (int k = 0; k <= order; ++k) powers(i, k) = std::pow(u, k);
    y[i] = density(middle + u * xi);
  }
  const auto c = powers.colPivHouseholderQr().solve(y).eval();
  double place = 0, top = 0;
  for (double u = -1; u <= 1; u += 0.005) {
    const double value = c[0] + u * (c[1] + u * (c[2] + u * (c[3] + u * c[4])));
    if (value > top) top = value, place = u;
  }
  const double peak = middle + place * xi, step = 0.02 * xi;
  double left = peak, right = peak;
  while (density(left) > 0.5 * top) left -= step;
  while (density(right) > 0.5 * top) right += step;
  return {peak, right - left};
}

constexpr Projectile pion{0.13957039, 1}, muon{0.1056583755, 1},
    kaon{0.493677, 1}, proton{0.93827208943, 1};

}  // namespace

TEST_CASE("simulated loss: mean, rms and core are those of the models") {
  struct Case {
    const char* material;
    double thickness;  ///< mm
    Projectile particle;
    double p;
  };
  // kappa from 1e-3 to 20; two lose half of their kinetic energy
  constexpr std::size_t n = 100'000;
  for (const Case& c :
       {Case{"silicon", 0.3, pion, 0.2}, Case{"silicon", 3, muon, 0.2},
        Case{"silicon", 10, kaon, 0.6}, Case{"silicon", 20, proton, 0.8},
        Case{"silicon", 7.4, proton, 0.3}, Case{"iron", 26, proton, 0.6},
        Case{"beryllium", 5, kaon, 0.3}, Case{"argon", 1000, proton, 0.5}}) {
    const auto slabs = make_loss_slabs(layer_of(c.material, c.thickness));
    const LayerLoss mean = energy_loss(slabs, c.particle, c.p);
    const auto losses = losses_in(slabs, c.particle, c.p, n);
    const auto sigma = [&](EnergyLoss model) {
      return straggling(slabs, c.particle, c.p, 1, {}, model);
    };
    const double kinetic = detail::kinetic_energy(c.p, c.particle.mass);
    const double by_variance = sigma(EnergyLoss::straggling_variance);
    const double rms = rms_of(losses) / by_variance,
                 core = core_of(losses) / sigma(EnergyLoss::straggling);
    const std::string text = fmt::format(
        "{} mm of {}, {} GeV, mass {} GeV: loses {:.3f} of its energy, kappa "
        "{:.2g}; simulated over assumed: rms {:.3f}, core {:.3f}",
        c.thickness, c.material, c.p, c.particle.mass, mean.mean / kinetic,
        mean.xi / maximum_transfer(c.particle, kinetic), rms, core);
    MESSAGE(text);
    INFO(text);
    // four standard errors of the mean and, second order, a hundredth of sigma
    CHECK(std::abs(mean_of(losses) - mean.mean) <
          (4 / std::sqrt(static_cast<double>(n)) + 0.01) * by_variance);
    CHECK(std::abs(rms - 1) < 0.05);
    CHECK(std::abs(core - 1) < 0.1);
  }
}

TEST_CASE("simulated loss: thin silicon has Landau's peak and width") {
  // the most probable loss, [PDG24] Eq. (34.12),
  //   xi (ln(2 m_e (beta gamma)^2/I) + ln(xi/I) + 0.200 - beta^2 - delta),
  // and the full width at half of the maximum, 4.018 xi
  for (const double thickness : {0.08, 0.32}) {
    constexpr double p = 0.5;
    const auto slabs = make_loss_slabs(layer_of("silicon", thickness));
    const double xi = energy_loss(slabs, pion, p).xi;
    const double beta_gamma = p / pion.mass;
    const double beta2 =
        beta_gamma * beta_gamma / (1 + beta_gamma * beta_gamma);
    const StoppingMedium& si = slabs.front().medium;
    const double expected =
        xi * (std::log(2 * electron_mass * beta_gamma * beta_gamma * xi /
                       (si.mean_excitation * si.mean_excitation)) +
              0.2 - beta2 - density_correction(si.density_effect, beta_gamma));
    const Peak peak = peak_of(losses_in(slabs, pion, p, 300'000), xi);
    const std::string text = fmt::format(
        "{} mm of silicon: most probable loss {:.2f} keV (formula {:.2f}), "
        "width {:.2f} keV (formula {:.2f})",
        thickness, peak.place / (1e-3 * unit::MeV),
        expected / (1e-3 * unit::MeV), peak.width / (1e-3 * unit::MeV),
        4.018 * xi / (1e-3 * unit::MeV));
    MESSAGE(text);
    INFO(text);
    CHECK(std::abs(peak.place - expected) < 0.05 * xi);
    CHECK(peak.width == doctest::Approx(4.018 * xi).epsilon(0.05));
  }
}

TEST_CASE("simulated loss: slices fluctuate as the layer does") {
  for (const double thickness : {0.3, 4.4}) {
    const auto slabs = make_loss_slabs(layer_of("silicon", thickness));
    const double p = thickness > 1 ? 0.3 : 2;
    const Projectile& particle = thickness > 1 ? proton : pion;
    const auto whole = losses_in(slabs, particle, p, 30'000);
    const auto cut = losses_in(slabs, particle, p, 30'000, 10);
    // 1 % of the width by chance
    CHECK(core_of(cut) == doctest::Approx(core_of(whole)).epsilon(0.04));
    const std::size_t middle = whole.size() / 2;
    CHECK(std::abs(cut[middle] - whole[middle]) < 0.04 * core_of(whole));
  }
}

TEST_CASE("simulated loss: electrons follow Bethe and Heitler") {
  const Projectile electron{electron_mass, -1};
  const double t = 0.2, p = 5;
  const Material& m = *find_material("silicon");
  const auto slabs =
      make_loss_slabs(layer_of("silicon", t * m.radiation_length));
  const auto losses = losses_in(slabs, electron, p, 50'000);
  CHECK(mean_of(losses) ==
        doctest::Approx(energy_loss(slabs, electron, p).mean).epsilon(0.02));
  CHECK(rms_of(losses) ==
        doctest::Approx(straggling(slabs, electron, p)).epsilon(0.02));
  // half of them keep more than exp(-x), x the median of the Gamma distribution
  // of shape t/ln2 = 0.2885: 0.0794... by its own series
  const double shape = t / std::log(2.0);
  const auto below = [shape](double x) {
    double term = std::pow(x, shape) * std::exp(-x) / std::tgamma(shape + 1);
    double sum = term;
    for (int k = 1; k < 60; ++k) sum += term *= x / (shape + k);
    return sum;
  };
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i)
    (below(0.5 * (low + high)) < 0.5 ? low : high) = 0.5 * (low + high);
  const double radiated = p * (1 - std::exp(-low));
  const double collisions =
      collision_stopping_power(slabs[0].medium, electron, p) *
      slabs[0].mass_thickness;
  CHECK(losses[losses.size() / 2] ==
        doctest::Approx(radiated + collisions).epsilon(0.05));
}

TEST_CASE("simulated loss: depends only on the position in the sequence") {
  const auto slabs = make_loss_slabs(layer_of("silicon", 0.3));
  const auto at = [&](const RandomPlace& place, std::uint64_t branch) {
    RandomBranch random(place, branch);
    return simulate_loss(slabs, pion, 1, 1, random);
  };
  const double here = at({1, 2, 3}, 1);
  CHECK(at({1, 2, 4}, 1) != here);
  CHECK(at({1, 2, 3}, 2) != here);
  CHECK(at({1, 2, 3}, 1) == here);
}

TEST_CASE("simulated loss: a given loss is the mean, and a slow one stops") {
  Layer layer = layer_of("silicon", 0.3);
  layer.material.front().mean_loss = 2 * unit::MeV;
  const auto slabs = make_loss_slabs(layer);
  const auto losses = losses_in(slabs, proton, 0.5, 20'000);
  const double sigma =
      straggling(slabs, proton, 0.5, 1, {}, EnergyLoss::straggling_variance);
  CHECK(std::abs(mean_of(losses) - 2 * unit::MeV) < 0.03 * sigma);
  CHECK(rms_of(losses) == doctest::Approx(sigma).epsilon(0.03));
  RandomBranch random({1, 0, 0}, 1);
  CHECK(simulate_loss(slabs, proton, 0.05, 1, random) >=
        detail::kinetic_energy(0.05, proton.mass));
}

}  // namespace gttf::test::GTTF_TEST_FILE
