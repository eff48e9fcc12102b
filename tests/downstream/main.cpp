// SPDX-License-Identifier: Apache-2.0
// Uses the installed library as a stranger would.
#include <exception>
#include <gttf/core/units.hpp>
#include <gttf/core/version.hpp>
#include <gttf/detector/read.hpp>
#include <gttf/resolution/resolution.hpp>
#include <iostream>

int main() {
  namespace unit = gttf::unit;
  std::cout << "gttf " << gttf::version() << '\n';
  try {
    const auto input = gttf::read_detector("barrel.yaml");
    const gttf::TrackingGeometry geometry(input.detector);
    const gttf::Track track{.p = 1 * unit::GeV, .theta = 90 * unit::deg};
    const auto resolution = gttf::resolve(geometry, track);
    std::cout << "sigma(pT)/pT = " << resolution.sigma_pt_rel << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
