// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/energy_loss.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gttf/core/units.hpp"
#include "gttf/trajectory/scattering.hpp"

namespace gttf::test::GTTF_TEST_FILE {

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

double fluctuation(const char* material, double thickness,
                   const Projectile& particle, double p,
                   const LossStretch& stretch = {}) {
  return straggling(make_loss_slabs(layer_of(material, thickness)), particle, p,
                    1, stretch);
}

/// The distribution of energy losses from single collisions with the spectrum
/// (1 - beta^2 W/W_max)/W^2 [Vavilov57] by its characteristic function: the
/// logarithm at u/W_max, of the loss less its mean, is kappa times
///
///   1 - cos u - u Si u + beta^2 Cin u + i (u - sin u - u Cin u
///   - beta^2 (Si u - u)),  Cin u = int_0^u (1 - cos y)/y dy
class Vavilov {
 public:
  Vavilov(double kappa, double beta2) : kappa_(kappa) {
    constexpr int n = 10000;
    const double reach = 25 / kappa + 10 / std::sqrt(kappa);
    step_ = reach / n;
    double si = 0, cin = 0;
    const auto rates = [](double y) {
      return y < 1e-8 ? std::pair{1., 0.}
                      : std::pair{std::sin(y) / y, (1 - std::cos(y)) / y};
    };
    for (int i = 1; i <= n; ++i) {
      const double y = i * step_;
      const auto a = rates(y - step_), b = rates(y - 0.5 * step_), c = rates(y);
      si += step_ / 6 * (a.first + 4 * b.first + c.first);
      cin += step_ / 6 * (a.second + 4 * b.second + c.second);
      const double real = 1 - std::cos(y) - y * si + beta2 * cin;
      amplitude_.push_back(std::exp(kappa * real) / y);
      phase_.push_back(kappa * (y - std::sin(y) - y * cin - beta2 * (si - y)));
    }
  }

  /// Half the width of the central 68.27 %, over xi.
  double half_width() const {
    return 0.5 * (quantile(0.841344746) - quantile(0.158655254)) / kappa_;
  }

 private:
  /// The part of the losses up to the mean and x W_max more.
  double below(double x) const {
    double sum = -0.5 * x;
    for (std::size_t i = 0; i < phase_.size(); ++i)
      sum += amplitude_[i] *
             std::sin(phase_[i] - static_cast<double>(i + 1) * step_ * x);
    return 0.5 - sum * step_ / std::acos(-1.0);
  }
  double quantile(double part) const {
    double low = -6 * std::sqrt(kappa_), high = 6 * std::sqrt(kappa_);
    for (int i = 0; i < 30; ++i) {
      const double middle = 0.5 * (low + high);
      (below(middle) < part ? low : high) = middle;
    }
    return low;
  }

  double kappa_, step_;
  std::vector<double> amplitude_, phase_;
};

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
  // mean energy after t radiation lengths: E exp(-t), less the collisions
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
  const double thickness = t * m.radiation_length;
  const double sigma = fluctuation("silicon", thickness, electron, e);
  CHECK(sigma == doctest::Approx(e * std::sqrt(variance)).epsilon(5e-3));
  // the second half adds to the first what is missing
  const double half = through("silicon", thickness / 2, electron, e).mean;
  const double first = fluctuation("silicon", thickness / 2, electron, e);
  const LossStretch both{0, t / 2};
  const double second =
      fluctuation("silicon", thickness / 2, electron,
                  momentum(electron, kinetic(electron, e) - half), both);
  CHECK(std::hypot(first * std::exp(-t / 2), second) ==
        doctest::Approx(sigma).epsilon(1e-3));
}

TEST_CASE("energy loss: width of the Vavilov distribution to 5 %") {
  for (const double beta2 : {0.05, 0.5, 0.95})
    for (const double kappa : {0.03, 0.1, 0.3, 1.0, 3.0}) {
      INFO(beta2 << " " << kappa);
      CHECK(straggling_width(kappa, beta2) ==
            doctest::Approx(Vavilov(kappa, beta2).half_width()).epsilon(0.05));
    }
}

TEST_CASE("energy loss: width from Landau to Gauss") {
  // the central 68.27 % of the Landau distribution lie between -0.7204 and
  // 7.3767; variance xi W_max (1 - beta^2/2)
  CHECK(straggling_width(1e-7, 0.9) ==
        doctest::Approx(0.5 * (7.3767 + 0.7204)).epsilon(1e-4));
  CHECK(straggling_width(1e4, 0.3) ==
        doctest::Approx(std::sqrt(0.85e-4)).epsilon(1e-4));
}

TEST_CASE("energy loss: straggling does not depend on how material is cut") {
  // in thin and in thick layers; slices have the width of the whole layer
  struct Case {
    const char* material;
    double thickness, mass, p;
  };
  for (const Case& c :
       {Case{"silicon", 0.3, 0.13957, 2}, Case{"silicon", 10, 0.13957, 1},
        Case{"iron", 60, 0.105658, 0.5}, Case{"silicon", 3, 0.938272, 0.3},
        Case{"beryllium", 3, 0.493677, 0.15}, Case{"argon", 2e4, 0.938272, 10}})
    for (const int n : {5, 10, 100}) {
      CAPTURE(c.material);
      CAPTURE(c.thickness);
      CAPTURE(n);
      const Projectile particle{c.mass, 1};
      const double whole = fluctuation(c.material, c.thickness, particle, c.p);
      REQUIRE(whole > 0);
      const LossStretch stretch{
          through(c.material, c.thickness, particle, c.p).xi, 0};
      double variance = 0, q = c.p;
      for (int i = 0; i < n; ++i) {
        const LayerLoss slice =
            through(c.material, c.thickness / n, particle, q);
        const double own =
            fluctuation(c.material, c.thickness / n, particle, q, stretch);
        variance =
            variance * slice.transmission * slice.transmission + own * own;
        q = momentum(particle, kinetic(particle, q) - slice.mean);
      }
      CHECK(std::sqrt(variance) == doctest::Approx(whole).epsilon(2e-3));
    }
}

TEST_CASE("energy loss: straggling of thin silicon is Landau's") {
  // minimum ionising pions in 300 um: xi = 5.3 keV/beta^2, kappa = 3e-5
  const Projectile pion{0.13957039, -1};
  const double beta2 = 4 / (4 + pion.mass * pion.mass);
  const double xi = 0.5 * 0.307075e-3 * 0.49848 * 2.329 * 0.03 / beta2;
  CHECK(through("silicon", 0.3, pion, 2).xi ==
        doctest::Approx(xi).epsilon(1e-3));
  CHECK(fluctuation("silicon", 0.3, pion, 2) ==
        doctest::Approx(4.0485 * xi).epsilon(0.01));
}

TEST_CASE("energy loss: thick layers widen as their particles slow down") {
  // variance after the layer: int xi W_max/x (S(out)/S(x))^2 dx, summed over
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
  CHECK(fluctuation("silicon", thickness, proton, p) ==
        doctest::Approx(std::sqrt(variance)).epsilon(0.01));
}

TEST_CASE("energy loss: unknown material is treated as silicon, with a note") {
  Detector d;
  d.layers = {layer_of("silicon", 0.3), {}, layer_of("silicon", 0.3)};
  d.layers[0].name = "A";
  d.layers[1].name = "B";
  d.layers[1].material = {{"", 0, 0.3 / 93.7}};
  d.layers[2].name = "C";
  CHECK(assumed_materials(d) ==
        "1 of 3 layers has no material for the energy loss; "
        "silicon of the same x/X0 is assumed: B");
  const auto slabs = make_loss_slabs(d.layers[1]);
  CHECK(energy_loss(slabs, proton, 1).mean ==
        doctest::Approx(through("silicon", 0.3, proton, 1).mean).epsilon(1e-3));
  d.layers[1].material[0].mean_loss = 1e-4;
  CHECK(assumed_materials(d).empty());
}

TEST_CASE("energy loss: a given mean loss is used unchanged") {
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
  CHECK(straggling(slabs, proton, 1, 1.5) ==
        doctest::Approx(fluctuation("silicon", low, proton, 1)).epsilon(1e-3));
  CHECK(energy_loss(slabs, proton, 0.015, 1).stopped);
}

}  // namespace gttf::test::GTTF_TEST_FILE
