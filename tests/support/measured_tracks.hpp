// SPDX-License-Identifier: Apache-2.0
// Simulated hits of tracks through barrels, written independently of the fits.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace gttf::test {

/// Normal random numbers that are the same everywhere.
class Normals {
 public:
  explicit Normals(std::uint64_t seed) : state_(seed) {}

  /// Uniform in (0, 1): SplitMix64.
  double uniform() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    x ^= x >> 31;
    return (static_cast<double>(x >> 11) + 0.5) * 0x1p-53;
  }
  double operator()() {
    const double r = std::sqrt(-2 * std::log(uniform()));
    return r * std::cos(6.283185307179586 * uniform());
  }

 private:
  std::uint64_t state_;
};

/// A cylinder around z.
struct Barrel {
  const char* name;
  double radius;     ///< mm
  double x_over_x0;  ///< normal incidence
  double sigma;      ///< of r-phi and z, mm; 0: passive
};

/// The layers of detectors/alice_its2.yaml.
inline std::vector<Barrel> its2() {
  return {{"beam pipe", 18.6, 0.8 / 352.8, 0}, {"L0", 23.4, 0.0035, 5e-3},
          {"L1", 31.5, 0.0035, 5e-3},          {"L2", 39.3, 0.0035, 5e-3},
          {"L3", 194.5, 0.01, 5e-3},           {"L4", 244, 0.01, 5e-3},
          {"L5", 342.4, 0.01, 5e-3},           {"L6", 392, 0.01, 5e-3}};
}

struct MeasuredPoint {
  const char* layer;
  std::array<double, 3> x;
};

struct MeasuredTrack {
  double charge = 1, phi = 0, theta = 0;  ///< at the origin
  std::vector<MeasuredPoint> hits;
};

/// A pion from the origin, scattered with Highland's angle in every layer.
/// @param p         GeV
/// @param field     T
/// @param smearing  0: exact hits; 1: with their errors
/// @param scatter   the same for the scattering angles
inline MeasuredTrack simulate(const std::vector<Barrel>& layers, double p,
                              double field, Normals& random,
                              double smearing = 1, double scatter = 1) {
  constexpr double mass = 0.13957039, per_tesla = 0.299792458e-3;
  MeasuredTrack track;
  track.charge = random.uniform() < 0.5 ? -1 : 1;
  track.phi = 6.283185307179586 * (random.uniform() - 0.5);
  track.theta = 1.2 + 0.7 * random.uniform();
  double phi = track.phi, theta = track.theta, x = 0, y = 0, z = 0;
  const double kappa = -track.charge * per_tesla * field / p;
  const double inv_beta2 = 1 + mass * mass / (p * p);
  for (const Barrel& layer : layers) {
    const double c = kappa / std::sin(theta);
    const auto at = [&](double s) {
      const double turned = phi + c * s;
      return std::array{x + (std::sin(turned) - std::sin(phi)) / c,
                        y - (std::cos(turned) - std::cos(phi)) / c};
    };
    double s = layer.radius - std::hypot(x, y);
    for (int i = 0; i < 20; ++i) {
      const auto [a, b] = at(s);
      s -= (a * a + b * b - layer.radius * layer.radius) /
           (2 * (a * std::cos(phi + c * s) + b * std::sin(phi + c * s)));
    }
    const auto [a, b] = at(s);
    x = a, y = b;
    z += s / std::tan(theta);
    phi += c * s;
    const double azimuth = std::atan2(y, x);
    if (layer.sigma > 0) {
      const double e = smearing * layer.sigma;
      const double moved = azimuth + e * random() / layer.radius;
      track.hits.push_back(
          {layer.name,
           {layer.radius * std::cos(moved), layer.radius * std::sin(moved),
            z + e * random()}});
    }
    const double t =
        layer.x_over_x0 / (std::sin(theta) * std::cos(phi - azimuth));
    const double theta0 = scatter * 0.0136 / p * std::sqrt(inv_beta2 * t) *
                          (1 + 0.038 * std::log(t * inv_beta2));
    phi += theta0 * random() / std::sin(theta);
    theta += theta0 * random();
  }
  return track;
}

/// The track as lines of "track,layer,x_mm,y_mm,z_mm".
inline std::string csv_lines(const std::string& id,
                             const MeasuredTrack& track) {
  std::string lines;
  for (const MeasuredPoint& hit : track.hits) {
    char line[200];
    std::snprintf(line, sizeof line, "%s,%s,%.6f,%.6f,%.6f\n", id.c_str(),
                  hit.layer, hit.x[0], hit.x[1], hit.x[2]);
    lines += line;
  }
  return lines;
}

}  // namespace gttf::test
