// SPDX-License-Identifier: Apache-2.0
// Measured tracks for tests of the fits of data.
#pragma once

#include <Eigen/Geometry>
#include <random>

#include "gttf/fit/triplet/global_fit.hpp"
#include "support/reference.hpp"
#include "support/triplets.hpp"

namespace gttf::test {

/// The track with hits, errors and scattering of the golden file.
inline TrackHits golden_track(const nlohmann::json& reference) {
  TrackHits track;
  const double su = reference.at("sigma_u"), sv = reference.at("sigma_v");
  const double scattering = reference.at("sigma_MS");
  for (const auto& x : reference.at("hits")) {
    TrackHit h;
    for (int i = 0; i < 3; ++i)
      h.position[i] = x.at(static_cast<std::size_t>(i));
    const double a = std::atan2(h.position[1], h.position[0]);
    h.u = {-std::sin(a), std::cos(a), 0};
    const CoordinateAxis axes[] = {{1, 0, su * su}, {0, 1, sv * sv}};
    set_coordinates(h, axes);
    h.theta0_2 = scattering * scattering;
    track.points.push_back(h);
  }
  return track;
}

/// Scattered and smeared tracks on planes of any orientation.
class RandomTracks {
 public:
  explicit RandomTracks(unsigned seed) : engine_(seed) {}

  struct Options {
    int n_points = 6;
    double spacing = 40;                    ///< mm, path
    double bend = 0.15;                     ///< rad per spacing, either sign
    double theta = 1.1;                     ///< polar angle, rad
    double scattering = 2e-3;               ///< theta0, rad
    double sigma_u = 0.01, sigma_v = 0.02;  ///< mm
    double tilt = 0.6;                      ///< of the planes, rad
    double passive = 0;  ///< share of passive points between hits
  };

  double uniform(double a, double b) {
    return a + (b - a) * std::generate_canonical<double, 53>(engine_);
  }
  double normal() { return normal_(engine_); }

  TrackHits track(const Options& o) {
    TrackHits t;
    const double sign = uniform(0, 1) < 0.5 ? -1 : 1;
    t.kappa_ref = sign * o.bend / o.spacing;
    t.origin = {uniform(-3, 3), uniform(-3, 3), uniform(-9, 9)};
    HelixState<double> ideal{{25, 4, -7}, uniform(-3, 3), o.theta};
    HelixState<double> real = ideal;
    double path = 0, real_path = 0;
    for (int i = 0; i < o.n_points; ++i) {
      const double step = o.spacing * uniform(0.7, 1.3);
      if (i > 0) {
        ideal = propagate(ideal, t.kappa_ref, step);
        path += step;
      }
      TrackHit h;
      const Vector3 centre(ideal.position.x, ideal.position.y,
                           ideal.position.z);
      const Vector3 direction(std::sin(ideal.theta) * std::cos(ideal.phi),
                              std::sin(ideal.theta) * std::sin(ideal.phi),
                              std::cos(ideal.theta));
      const Eigen::AngleAxisd turn(
          uniform(-o.tilt, o.tilt),
          direction.cross(Vector3(normal(), normal(), normal())).normalized());
      const Vector3 n = turn * direction;
      h.u = n.cross(Vector3(normal(), normal(), normal())).normalized();
      h.v = n.cross(h.u);
      h.theta0_2 = o.scattering * o.scattering * uniform(0.5, 2);
      // the scattered track on this plane
      double length = path - real_path;
      HelixState<double> there = real;
      Vector3 x;
      for (int k = 0; k < 8; ++k) {
        there = propagate(real, t.kappa_ref, length);
        x = {there.position.x, there.position.y, there.position.z};
        length -= n.dot(x - centre) / n.dot(direction);
      }
      real = there;
      real_path += length;
      const bool end = i == 0 || i + 1 == o.n_points;
      h.position = centre;
      if (end || uniform(0, 1) >= o.passive) {
        h.position =
            x + h.u * o.sigma_u * normal() + h.v * o.sigma_v * normal();
        const CoordinateAxis axes[] = {{1, 0, o.sigma_u * o.sigma_u},
                                       {0, 1, o.sigma_v * o.sigma_v}};
        set_coordinates(h, axes);
      }
      t.points.push_back(h);
      const double sigma = std::sqrt(h.theta0_2), sine = std::sin(real.theta);
      real.theta += sigma * normal();
      real.phi += sigma / sine * normal();
    }
    return t;
  }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

/// Requests the states at the hits.
inline FitOptions with_hits() {
  FitOptions o;
  o.detail = FitDetail::hits;
  return o;
}

/// Track i of many that differ in hits, bend and scattering.
inline TrackHits some_track(RandomTracks& random, int i) {
  RandomTracks::Options o;
  o.n_points = 3 + i % 8;
  o.theta = random.uniform(0.4, 2.7);
  o.bend = i % 4 == 0 ? 1e-4 : random.uniform(0.02, 0.5);
  o.scattering = i % 3 == 0 ? 1e-2 : 1e-3;
  return random.track(o);
}

}  // namespace gttf::test
