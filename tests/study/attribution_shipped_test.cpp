// SPDX-License-Identifier: Apache-2.0
// One number changed in each shipped detector: the attribution names it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "gttf/study/compare/attribution.hpp"
#include "gttf/study/show/layer_names.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Where tracks of every shipped detector have a resolution.
Track central_track() {
  Track t;
  t.p = 1;
  t.theta = 80 * unit::deg;
  t.phi = 0.1;
  return t;
}

struct Case {
  std::string key;
  std::function<void(Detector&)> change;
};

/// Changes all surfaces of the entry that surface `i` belongs to.
template <class Edit>
std::function<void(Detector&)> of_entry(std::size_t i, const Edit& edit) {
  return [i, edit](Detector& d) {
    const std::vector<std::string> names = entry_names(d);
    for (std::size_t k = 0; k < d.layers.size(); ++k)
      if (names[k] == names[i]) edit(d.layers[k]);
  };
}

/// A change of 10 % of each kind, of a layer near the middle of the track.
std::vector<Case> cases_of(const Detector& d) {
  const auto crossed = resolve(TrackingGeometry(d), central_track()).crossings;
  std::vector<std::size_t> hits;
  for (const CrossingInfo& c : crossed)
    if (c.measured) hits.push_back(c.layer);
  const std::vector<std::string> names = entry_names(d);
  const auto key = [&](std::size_t i, const char* tail) {
    return fmt::format("layers[{}]{}", names[i], tail);
  };
  const std::size_t first = hits.front(), last = hits.back();
  const bool stereo = d.layers[last].coordinates[0].angle != 0;
  return {
      {key(first, ".cylinder.radius"),
       of_entry(first, [](Layer& l) { l.surface.position *= 1.01; })},
      {key(first, ".material"), of_entry(first,
                                         [](Layer& l) {
                                           for (Slab& slab : l.material)
                                             slab.x_over_x0 *= 1.1;
                                         })},
      {key(last, stereo ? ".measures[0].sigma" : ".measures.rphi"),
       of_entry(last, [](Layer& l) { l.coordinates[0].sigma *= 1.1; })},
      {"field.solenoid", [](Detector& changed) { changed.field.bz *= 1.1; }},
      {key(first, ""), [first](Detector& changed) {
         changed.layers.erase(changed.layers.begin() +
                              static_cast<std::ptrdiff_t>(first));
       }}};
}

}  // namespace

TEST_CASE("attribution: names the one number changed in a shipped detector") {
  const std::vector<Detector> detectors = shipped_detectors();
  CHECK(detectors.size() > 5);
  for (const Detector& before : detectors) {
    CAPTURE(before.name);
    for (const Case& c : cases_of(before)) {
      CAPTURE(c.key);
      Detector after = before;
      c.change(after);
      for (const Attribution& a :
           attribute_all(before, after, central_track(), {})) {
        REQUIRE(a.changes.size() == 1);
        CHECK(a.changes[0].key == c.key);
        CHECK(std::isfinite(a.total));
        // third order of 10 %
        CHECK(std::abs(a.remainder) < 2e-3 * std::abs(a.total) + 1e-5);
      }
    }
  }
}

TEST_CASE("attribution: of two changes names the one that did it first") {
  for (const Detector& before : shipped_detectors()) {
    CAPTURE(before.name);
    const std::vector<Case> cases = cases_of(before);
    Detector after = before;
    cases[3].change(after);  // field
    cases[2].change(after);  // outermost hit error
    const auto all = attribute_all(before, after, central_track(), {});
    for (const Parameter q : {Parameter::p, Parameter::pt}) {
      const Attribution& a = all[static_cast<std::size_t>(q)];
      REQUIRE(a.changes.size() == 2);
      // sigma(p)/p goes nearly with 1/B; one hit error is one of many
      CHECK(a.changes[0].key == cases[3].key);
      CHECK(std::abs(a.remainder) < 0.03 * std::abs(a.total));
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
