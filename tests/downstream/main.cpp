// SPDX-License-Identifier: Apache-2.0
// Uses the installed library as a stranger would: the resolution of one track.
#include <cmath>
#include <gttf/core/units.hpp>
#include <gttf/core/version.hpp>
#include <gttf/detector/read.hpp>
#include <gttf/resolution/resolution.hpp>
#include <gttf/trajectory/tracking_geometry.hpp>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto input = gttf::read_detector(argv[1]);
  const gttf::TrackingGeometry geometry(input.detector);
  const gttf::Track track{.p = 1 * gttf::unit::GeV,
                          .theta = 90 * gttf::unit::deg};
  const gttf::Resolution r = gttf::resolve(geometry, track);

  using gttf::Perigee;
  std::cout << "gttf " << gttf::version() << '\n'
            << input.detector.name << ": " << r.n_hits
            << " hits, sigma(p)/p = " << r.sigma_p_rel / gttf::unit::percent
            << " %, sigma(d0) = "
            << std::sqrt(r.perigee(Perigee::d0, Perigee::d0)) / gttf::unit::um
            << " um\n";
  return r.status == gttf::Status::ok ? 0 : 1;
}
