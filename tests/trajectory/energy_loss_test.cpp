// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/energy_loss.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gttf/core/units.hpp"
#include "gttf/trajectory/scattering.hpp"

using namespace gttf;

namespace {

constexpr Projectile proton{0.93827208943, 1};
constexpr Projectile electron{electron_mass, -1};

Layer layer_of(const char* material, double thickness) {
  const Material& m = *find_material(material);
  Layer layer;
  layer.material = {{.material = m.name,
                     .thickness = thickness,
                     .x_over_x0 = thickness / m.radiation_length}};
  return layer;
}

LayerLoss through(const char* material, double thickness,
                  const Projectile& particle, double p, double paths = 1) {
  return energy_loss(make_loss_slabs(layer_of(material, thickness)), particle,
                     p, paths);
}

double kinetic(const Projectile& particle, double p) {
  return std::hypot(p, particle.mass) - particle.mass;
}

double momentum(const Projectile& particle, double t) {
  return std::sqrt(t * (t + 2 * particle.mass));
}

/// Full width at half maximum, over xi sqrt(8 ln2), of the density that is the
/// Fourier integral of [Vavilov57]:
///
///   int_0^inf exp(kappa f1) cos(y (kappa lambda + kappa ln kappa) + kappa f2)
///   f1 = beta^2 (ln y - Ci y) - cos y - y Si y,
///   f2 = y (ln y - Ci y) + sin y + beta^2 Si y
double vavilov_width(double kappa, double beta2) {
  constexpr int n = 12000, m = 240;
  const double reach = std::min(400., 30 / kappa + 30 / std::sqrt(kappa));
  const double h = reach / n;
  std::vector<double> amplitude, phase;
  double si = 0, cin = -0.57721566490153286;  // ln y - Ci y
  const auto rate = [](double y) {
    return y < 1e-8 ? std::pair{1., 0.}
                    : std::pair{std::sin(y) / y, (1 - std::cos(y)) / y};
  };
  for (int i = 0; i <= n; ++i) {
    const double y = i * h;
    if (i > 0) {
      const auto a = rate(y - h), b = rate(y - 0.5 * h), c = rate(y);
      si += h / 6 * (a.first + 4 * b.first + c.first);
      cin += h / 6 * (a.second + 4 * b.second + c.second);
    }
    amplitude.push_back(
        std::exp(kappa * (beta2 * cin - std::cos(y) - y * si + 1 + beta2)));
    phase.push_back(kappa * (y * cin + std::sin(y) + beta2 * si));
  }
  const double gauss = std::sqrt((1 - beta2 / 2) / kappa);
  const double mean = -0.4227843351 - std::log(kappa) - beta2;
  const double low = std::max(-5., mean - 4 * gauss);
  const double high = std::min(low + 12, mean + 4 * gauss);
  std::vector<double> density;
  for (int j = 0; j <= m; ++j) {
    const double lambda = low + (high - low) * j / m;
    const double l = kappa * (lambda + std::log(kappa));
    double sum = 0.5 * amplitude[0] * std::cos(phase[0]);
    for (std::size_t i = 1; i <= n; ++i)
      sum += amplitude[i] * std::cos(static_cast<double>(i) * h * l + phase[i]);
    density.push_back(sum);
  }
  const auto peak = std::ranges::max_element(density) - density.begin();
  const double half = 0.5 * density[static_cast<std::size_t>(peak)];
  const auto crossing = [&](std::ptrdiff_t step) {
    auto i = peak;
    while (density[static_cast<std::size_t>(i)] > half) i += step;
    const double a = density[static_cast<std::size_t>(i)];
    const double b = density[static_cast<std::size_t>(i - step)];
    return static_cast<double>(i) -
           static_cast<double>(step) * (half - a) / (b - a);
  };
  return (crossing(1) - crossing(-1)) * (high - low) / m /
         std::sqrt(8 * std::log(2));
}

}  // namespace

TEST_CASE("energy loss: thin layers lose thickness times stopping power") {
  const Projectile pion{0.13957039, -1};
  const LayerLoss loss = through("silicon", 0.01, pion, 0.5);
  const StoppingMedium medium = stopping_medium(*find_material("silicon"));
  CHECK(loss.mean == doctest::Approx(collision_stopping_power(
                                         medium, pion, kinetic(pion, 0.5)) *
                                     2.329 * 0.001)
                         .epsilon(1e-4));
  CHECK(
      through("silicon", 0.01, pion, 0.5, 2).mean ==
      doctest::Approx(through("silicon", 0.02, pion, 0.5).mean).epsilon(1e-12));
}

TEST_CASE("energy loss: two halves of a thick layer lose what the whole does") {
  // 0.3 GeV protons lose 29 % of their energy here
  const double p = 0.3, thickness = 5;
  const double whole = through("silicon", thickness, proton, p).mean;
  CHECK(whole > 0.29 * kinetic(proton, p));
  const double first = through("silicon", thickness / 2, proton, p).mean;
  const double rest = momentum(proton, kinetic(proton, p) - first);
  CHECK(first + through("silicon", thickness / 2, proton, rest).mean ==
        doctest::Approx(whole).epsilon(1e-6));
}

TEST_CASE("energy loss: derivatives with momentum and path") {
  // two slabs, a given loss between them; differences of second order
  std::vector<LossSlab> slabs = make_loss_slabs(layer_of("silicon", 2));
  slabs.push_back(slabs[0]);
  slabs[1].mean_loss = 1 * unit::MeV;
  slabs.push_back(make_loss_slabs(layer_of("argon", 800))[0]);
  const double t = kinetic(proton, 0.3), h = 1e-4 * t;
  const LayerLoss loss = energy_loss(slabs, proton, 0.3, 1.2);
  const auto mean = [&](double energy, double paths) {
    return energy_loss(slabs, proton, momentum(proton, energy), paths).mean;
  };
  CHECK(1 - loss.transmission ==
        doctest::Approx((mean(t + h, 1.2) - mean(t - h, 1.2)) / (2 * h))
            .epsilon(1e-5));
  CHECK(loss.transmission > 1.05);
  CHECK(
      loss.per_path ==
      doctest::Approx((mean(t, 1.201) - mean(t, 1.199)) / 2e-3).epsilon(1e-5));
}

TEST_CASE("energy loss: a thick layer scatters as its slices together") {
  // 1/(p beta)^2 averaged along the stopping curve, of 0.5 GeV protons in 30 mm
  // of silicon
  const double p = 0.5, thickness = 30;
  const LayerLoss whole = through("silicon", thickness, proton, p);
  CHECK(whole.p_scatter < 0.95 * p);
  const auto inverse = [](double q) {
    const double x = q * q / std::hypot(q, proton.mass);
    return 1 / (x * x);
  };
  constexpr int n = 2000;
  double sum = 0, q = p;
  for (int i = 0; i < n; ++i) {
    const LayerLoss slice = through("silicon", thickness / n, proton, q);
    sum += inverse(slice.p_scatter) / n;
    CHECK(slice.p_scatter == doctest::Approx(q).epsilon(1e-3));
    q = momentum(proton, kinetic(proton, q) - slice.mean);
  }
  CHECK(inverse(whole.p_scatter) == doctest::Approx(sum).epsilon(1e-4));
  // theta0 by Rossi's formula
  const double t = thickness / find_material("silicon")->radiation_length;
  const auto theta0 = [&](double at) {
    return std::sqrt(
        theta0_squared(scatter_strength(1 / at, proton.mass, proton.charge),
                       Scattering::rossi, t, t));
  };
  CHECK(theta0(p) == doctest::Approx(0.0327).epsilon(2e-3));
  CHECK(theta0(whole.p_scatter) == doctest::Approx(0.0388).epsilon(2e-3));
}

TEST_CASE("energy loss: a particle stops where its range ends") {
  // CSDA range of protons of 10 MeV in silicon: 0.165 g/cm2 (NIST, PSTAR); the
  // Bethe formula lacks the shell corrections, 2 % of the range
  const double p = momentum(proton, 10 * unit::MeV);
  double low = 0, high = 2;
  while (high - low > 1e-6) {
    const double middle = 0.5 * (low + high);
    (through("silicon", middle, proton, p).stopped ? high : low) = middle;
  }
  CHECK(low * unit::mm / unit::cm * 2.329 ==
        doctest::Approx(0.165).epsilon(0.02));
  const LayerLoss stopped = through("silicon", 2, proton, p);
  CHECK(stopped.stopped);
  CHECK(stopped.mean == doctest::Approx(10 * unit::MeV));
}

TEST_CASE("energy loss: electrons radiate") {
  // mean energy behind t radiation lengths: E exp(-t), less the collisions
  const Material& m = *find_material("silicon");
  const double t = 0.2, e = 10;
  const LayerLoss loss =
      through("silicon", t * m.radiation_length, electron, e);
  const double collisions =
      collision_stopping_power(stopping_medium(m), electron, e) * t * 21.82;
  CHECK(loss.mean ==
        doctest::Approx(e * (1 - std::exp(-t)) + collisions).epsilon(2e-3));
  // Bethe-Heitler: <z^2> = exp(-t ln3/ln2)
  const double variance =
      std::exp(-t * std::log(3) / std::log(2)) - std::exp(-2 * t);
  CHECK(loss.sigma ==
        doctest::Approx(0.9 * e * std::sqrt(variance)).epsilon(0.02));
}

TEST_CASE("energy loss: width of the Vavilov distribution to 5 %") {
  for (const double beta2 : {0.05, 0.5, 0.95})
    for (const double kappa : {0.03, 0.1, 0.3, 1.0, 3.0}) {
      INFO(beta2 << " " << kappa);
      CHECK(straggling_width(kappa, beta2) ==
            doctest::Approx(vavilov_width(kappa, beta2)).epsilon(0.05));
    }
}

TEST_CASE("energy loss: width from Landau to Gauss") {
  // FWHM of the Landau distribution 4.018 xi; variance xi W_max (1 - beta^2/2)
  CHECK(straggling_width(1e-4, 0.9) ==
        doctest::Approx(4.018 / 2.354820).epsilon(1e-4));
  CHECK(straggling_width(1e3, 0.3) ==
        doctest::Approx(std::sqrt(0.85e-3)).epsilon(1e-4));
}

TEST_CASE("energy loss: straggling of thin silicon as measured") {
  // minimum ionising pions in 300 um: xi = 5.3 keV/beta^2, and the FWHM is
  // 4.018 xi without the binding of electrons [PDG24] section 34.2.9
  const Projectile pion{0.13957039, -1};
  const LayerLoss loss = through("silicon", 0.3, pion, 2);
  const double beta2 = 4 / (4 + pion.mass * pion.mass);
  const double xi = 0.5 * 0.307075e-3 * 0.49848 * 2.329 * 0.03 / beta2;
  CHECK(loss.sigma == doctest::Approx(4.018 / 2.35482 * xi).epsilon(5e-3));
}

TEST_CASE("energy loss: thick layers widen as their particles slow down") {
  // variance behind the layer: int xi W_max/x (S(out)/S(x))^2 dx, summed over
  // many thin layers of the Gaussian region
  const double p = 0.3, thickness = 3;
  const int n = 200;
  double variance = 0, q = p;
  for (int i = 0; i < n; ++i) {
    const LayerLoss step = through("silicon", thickness / n, proton, q);
    const double t = kinetic(proton, q), behind = t - step.mean;
    const double middle = 0.5 * (t + behind);
    const double gamma = 1 + middle / proton.mass;
    const double beta2 = 1 - 1 / (gamma * gamma);
    const double xi =
        0.5 * 0.307075e-3 * 0.49848 * 2.329 * thickness / 10 / n / beta2;
    const StoppingMedium si = stopping_medium(*find_material("silicon"));
    const double slope = collision_stopping_power(si, proton, behind) /
                         collision_stopping_power(si, proton, t);
    variance = variance * slope * slope +
               xi * maximum_transfer(proton, middle) * (1 - beta2 / 2);
    q = momentum(proton, behind);
  }
  CHECK(through("silicon", thickness, proton, p).sigma ==
        doctest::Approx(std::sqrt(variance)).epsilon(0.02));
}

TEST_CASE("energy loss: unknown material is taken as silicon, and said so") {
  Detector d;
  d.layers = {layer_of("silicon", 0.3), {}, layer_of("silicon", 0.3)};
  d.layers[0].name = "A";
  d.layers[1].name = "B";
  d.layers[1].material = {{"", 0, 0.3 / 93.7}};
  d.layers[2].name = "C";
  CHECK(assumed_materials(d) ==
        "1 of 3 layers gives no material to calculate an energy loss from, "
        "silicon of the same x/X0 is assumed: B");
  const auto slabs = make_loss_slabs(d.layers[1]);
  CHECK(energy_loss(slabs, proton, 1).mean ==
        doctest::Approx(through("silicon", 0.3, proton, 1).mean).epsilon(1e-3));
  d.layers[1].material[0].mean_loss = 1e-4;
  CHECK(assumed_materials(d).empty());
}

TEST_CASE("energy loss: a given mean loss is used as it is") {
  Layer layer;
  layer.material = {{"", 0, 0.01}};
  layer.material[0].mean_loss = 0.2 * unit::MeV;
  const auto slabs = make_loss_slabs(layer);
  const LayerLoss loss = energy_loss(slabs, proton, 1, 1.5);
  CHECK(loss.mean == doctest::Approx(0.3 * unit::MeV).epsilon(1e-12));
  // it fluctuates like silicon that takes as much
  double low = 0, high = 2;
  while (high - low > 1e-9)
    (through("silicon", 0.5 * (low + high), proton, 1).mean > loss.mean ? high
                                                                        : low) =
        0.5 * (low + high);
  CHECK(
      loss.sigma ==
      doctest::Approx(through("silicon", low, proton, 1).sigma).epsilon(1e-3));
  CHECK(energy_loss(slabs, proton, 0.015, 1).stopped);
}
