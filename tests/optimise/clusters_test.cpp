// SPDX-License-Identifier: Apache-2.0
// Equal hits, whose best places are a few clusters.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "gttf/study/optimise/design_sampler.hpp"
#include "support/problems.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

constexpr double first = 100, last = 1100;  // mm

std::string lever_arm(int n) {
  std::string text =
      "gttf-detector: 1\nname: lever arm\nfield: { solenoid: 2 T }\nlayers:\n";
  for (int i = 0; i < n; ++i)
    text += fmt::format(
        "  - {{ name: L{}, cylinder: {{ radius: {} mm, half_length: 2 m }}, "
        "measures: {{ rphi: 10 um, z: 10 um }} }}\n",
        i + 1, first + i * (last - first) / (n - 1));
  return text;
}

std::string study(const std::string& detector, int n, double gap) {
  return fmt::format(
      "detector: {0}\nscattering: off\n"
      "vary: {{ 'layers[L1..L{1}].cylinder.radius': {{ from: {2} mm, to: {3} "
      "mm "
      "}} }}\n"
      "keep: [{{ gap: {{ between: [L1..L{1}], min: {4} mm }} }}]\n"
      "minimise: {{ what: sigma_d0, at: {{ p: 100 GeV, theta: 90 deg }} }}\n",
      detector, n, first, last, gap);
}

/// The smallest error with clusters at both ends and at any place between, on a
/// lattice.
double least_sigma(Detector detector, double gap) {
  const auto n = static_cast<int>(detector.layers.size());
  double least = std::numeric_limits<double>::infinity();
  Track track;
  track.p = 100;
  Model model;
  model.scattering = Scattering::off;
  for (int inner = 1; inner < n; ++inner)
    for (int outer = 1; outer + inner <= n; ++outer)
      for (double r = first + 10; r < last - 10; r += 0.5) {
        const int middle = n - inner - outer;
        if (middle == 0 && r > first + 10) break;
        for (int i = 0; i < n; ++i)
          detector.layers[static_cast<std::size_t>(i)].surface.position =
              i < inner            ? first + i * gap
              : i < inner + middle ? r + (i - inner) * gap
                                   : last - (n - 1 - i) * gap;
        if (middle > 0 &&
            (r <= first + inner * gap || r + n * gap >= last - outer * gap))
          continue;
        least = std::min(least, sigmas(resolve(TrackingGeometry(detector),
                                               track, model))[Parameter::d0] /
                                    unit::um);
      }
  return least;
}

}  // namespace

TEST_CASE("clusters have the best numbers of hits") {
  for (const int n : {5, 6, 7})
    for (const double gap : {1.0, 5.0}) {
      INFO(n << " hits, gap " << gap);
      const TemporaryFile detector(lever_arm(n));
      OptimisationProblem problem = problem_of(study(detector.path(), n, gap));
      const SearchResult r = search(problem, {});
      REQUIRE(r.found);
      CHECK(r.program->in_unit(r.best.f) <=
            least_sigma(read_detector(detector.path()).detector, gap) *
                (1 + 1e-7));
      // a design that a bound shows not to be the best does not end the search
      if (r.certificate.gap > 0.01) CHECK(r.certificate.starts == 256);
    }
}

TEST_CASE("layers are exchanged between clusters, one at a time") {
  const TemporaryFile detector(lever_arm(6));
  const OptimisationProblem problem = problem_of(study(detector.path(), 6, 2));
  const DesignProgram program(problem, Combination{});
  const DesignSampler sampler(program);
  // 3, 2 and 1
  const std::vector<double> x{100, 102, 104, 500, 502, 1100};
  const std::vector<std::vector<double>> expected{
      {100, 102, 500, 502, 504, 1100}, {100, 102, 500, 502, 1098, 1100},
      {100, 102, 104, 106, 502, 1100}, {100, 102, 104, 500, 1098, 1100},
      {100, 102, 104, 106, 500, 502},  {100, 102, 104, 500, 502, 504}};
  CHECK(sampler.exchanged(x) == expected);
  // single layers stay
  CHECK(sampler.exchanged({100, 300, 500, 700, 900, 1100}).empty());
}

}  // namespace gttf::test::GTTF_TEST_FILE
