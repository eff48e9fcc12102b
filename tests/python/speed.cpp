// SPDX-License-Identifier: Apache-2.0
// Prints the shortest time for a batch of covariances, for speed.py to compare
// with. Usage: python_speed DETECTOR TRACKS THREADS REPETITIONS
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gttf/gttf.hpp"

int main(int count, char** words) {
  if (count != 5) return 2;
  const auto input = gttf::read_detector(words[1]);
  const gttf::TrackingGeometry geometry(input.detector);
  const auto n = static_cast<std::size_t>(std::atol(words[2]));
  const auto threads = static_cast<unsigned>(std::atoi(words[3]));
  std::vector<double> p(n), theta(n), phi(n);
  for (std::size_t i = 0; i < n; ++i) {
    // the same tracks as in speed.py
    p[i] = 0.5 + 49.5 * static_cast<double>(i) / static_cast<double>(n);
    theta[i] = 1 + 0.001 * static_cast<double>(i % 1000);
    phi[i] = -3 + 0.006 * static_cast<double>(i % 997);
  }
  const gttf::Particle particle;
  const double zero[] = {0};
  const gttf::TrackArrays tracks{.size = n,
                                 .p = p,
                                 .theta = theta,
                                 .phi = phi,
                                 .mass = {&particle.mass, 1},
                                 .charge = {&particle.charge, 1},
                                 .x = zero,
                                 .y = zero,
                                 .z = zero};
  std::vector<double> perigee(15 * n);
  std::vector<int> n_hits(n);
  std::vector<gttf::Status> status(n);
  gttf::ResolutionArrays results;
  results.perigee = perigee;
  results.n_hits = n_hits;
  results.status = status;
  double least = 1e300;
  for (int k = 0; k < std::atoi(words[4]); ++k) {
    const auto begin = std::chrono::steady_clock::now();
    gttf::resolve(geometry, tracks, {}, results, threads);
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - begin;
    least = std::min(least, taken.count());
  }
  std::printf("%.6f\n", least);
}
