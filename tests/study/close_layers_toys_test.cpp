// SPDX-License-Identifier: Apache-2.0
// Toys whose first two layers are close to each other: an error of 1 % of their
// distance, squared, is ten errors of the direction.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gttf/study/scan/row.hpp"
#include "gttf/study/toys/toy_state.hpp"
#include "gttf/study/toys/toy_study.hpp"
#include "gttf/study/toys/toy_table.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

const Reals& column(const Table& table, const std::string& name) {
  const Column* found = nullptr;
  for (const Column& c : table.columns)
    if (c.name == name) found = &c;
  REQUIRE_MESSAGE(found != nullptr, name);
  return std::get<Reals>(found->cells);
}

}  // namespace

TEST_CASE("toys: pulls of fits with layers close to each other") {
  StudyRequest request;
  request.particle = *find_particle("muon");
  request.momentum.values = {300};
  request.angle.values = {40 * unit::deg};
  request.toys.toys = 2000;
  request.toys.fits = {{FitKind::general, WeightSource::estimate},
                       {FitKind::general, WeightSource::shared}};
  Detector d = shipped("cld");
  int changed = 0;
  for (Layer& layer : d.layers)
    if (layer.name == "VTX1" || layer.name == "VTX2") {
      // along z, of layers 2 mm apart
      for (Coordinate& c : layer.coordinates)
        if (std::abs(std::sin(c.angle)) > 0.5) c.sigma = 20 * unit::um;
      ++changed;
    }
  REQUIRE(changed == 2);
  for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean}) {
    request.energy_loss = loss;
    const std::vector<Detector> detectors{d};
    ToyState state = plan_toys(request, detectors, {});
    run_toys(request, detectors, {}, state);
    const Table table = toy_table(state);
    CAPTURE(static_cast<int>(loss));
    // of the next order 3 % are left in z0 and theta
    for (const char* name : {"d0", "z0", "phi0", "theta", "qop"})
      for (std::size_t fit = 0; fit < 2; ++fit) {
        CAPTURE(name);
        CAPTURE(fit);
        CHECK(column(table, std::string("pull_width_") + name)[fit] ==
              doctest::Approx(1).epsilon(0.1));
      }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
