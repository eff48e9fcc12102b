// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/compare/attribution.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

const std::string text = R"(gttf-detector: 1
name: test
field: { solenoid: 2 T }
materials:
  Foam: { radiation_length: 100 cm }
layers:
  - name: pipe
    cylinder: { radius: 20 mm, half_length: 1 m }
    material: 0.3 %
  - name: pixel
    cylinder: { radius: [30 mm, 60 mm], half_length: 1 m }
    repeat: 3
    material: 1 %
    measures: { rphi: 10 um, z: 20 um }
  - name: strip
    cylinder: { radius: 200 mm, half_length: 1 m }
    material: { of: Foam, thickness: 20 mm }
    measures:
      - { angle: 20 mrad, sigma: 20 um }
      - { angle: -20 mrad, sigma: 20 um }
  - name: end
    disk: { z: 250 mm, radius: [10 mm, 500 mm] }
    mirror: true
    material: 1 %
    pitch: { rphi: 50 um, r: 50 um }
  - name: outer
    cylinder: { radius: 400 mm, half_length: 1 m }
    material: 2 %
    measures: { rphi: 30 um, z: 40 um }
)";

using Changes = std::vector<std::string>;

DetectorInput input(const Changes& changes = {}) {
  return parse_detector(text, "test.yaml", changes);
}
Detector detector(const Changes& changes = {}) {
  return input(changes).detector;
}

Track track(double theta = 65) {
  Track t;
  t.p = 2;
  t.theta = theta * unit::deg;
  t.phi = 0.1;
  return t;
}

Attribution attributed(const Changes& changes, Parameter q = Parameter::d0,
                       double theta = 65) {
  return attribute(detector(), detector(changes), track(theta), {}, q);
}

double sum_of_shares(const Attribution& a) {
  double sum = 0;
  for (const KeyChange& change : a.changes) sum += change.share;
  return sum;
}

double ln_sigma(const Detector& d, Parameter q, const Track& t) {
  return std::log(sigmas(resolve(TrackingGeometry(d), t))[q]);
}

std::vector<std::string> keys(const std::vector<KeyChange>& changes) {
  std::vector<std::string> names;
  for (const KeyChange& change : changes) names.push_back(change.key);
  return names;
}

}  // namespace

TEST_CASE("attribution: equal detectors differ in no key") {
  const Attribution a = attributed({});
  CHECK(a.changes.empty());
  CHECK(a.total == 0);
  CHECK(a.remainder == 0);
  CHECK(differing_keys(detector(), detector({"name=other", "note=a note",
                                             "layers[pixel].group=inner",
                                             "layers[pixel].material=0.01"}))
            .empty());
}

TEST_CASE("attribution: shares and remainder add up to the exact change") {
  const Changes changes = {"field.solenoid=2.3 T",
                           "layers[pixel].material=0.7 %",
                           "layers[pipe]=null",
                           "layers[strip].measures[1]=null",
                           "layers[outer].efficiency=0.9",
                           "layers[end].disk.z=260 mm"};
  const Detector before = detector(), after = detector(changes);
  for (const double theta : {90.0, 65.0, 50.0}) {
    const auto all = attribute_all(before, after, track(theta), {});
    for (const Parameter q : all_parameters) {
      const Attribution& a = all[static_cast<std::size_t>(q)];
      CHECK(a.changes.size() == changes.size());
      if (theta == 90 && q >= Parameter::x) {  // across z
        CHECK(std::isnan(a.total));
        continue;
      }
      CHECK(a.total == doctest::Approx(ln_sigma(after, q, track(theta)) -
                                       ln_sigma(before, q, track(theta))));
      // except for the rounding of one addition
      CHECK(std::abs(sum_of_shares(a) + a.remainder - a.total) < 1e-15);
      CHECK(std::ranges::is_sorted(
          a.changes, std::ranges::greater{},
          [](const auto& change) { return std::abs(change.share); }));
    }
  }
}

TEST_CASE("attribution: a small change is the gradient to third order") {
  struct {
    const char* key;
    std::string (*value)(double factor);
  } cases[] = {
      {"layers[pipe].material",
       [](double f) { return std::to_string(0.3 * f) + " %"; }},
      {"layers[pixel].material",
       [](double f) { return std::to_string(f) + " %"; }},
      {"layers[pixel].measures.z",
       [](double f) { return std::to_string(20 * f) + " um"; }},
      {"layers[pixel].cylinder.radius",
       [](double f) {
         return "[" + std::to_string(30 * f) + " mm, " +
                std::to_string(60 * f) + " mm]";
       }},
      {"layers[strip].measures[0].sigma",
       [](double f) { return std::to_string(20 * f) + " um"; }},
      {"layers[strip].measures[1].angle",
       [](double f) { return std::to_string(-20 * f) + " mrad"; }},
      {"layers[outer].cylinder.radius",
       [](double f) { return std::to_string(400 * f) + " mm"; }},
      {"layers[end].disk.z",
       [](double f) { return std::to_string(250 * f) + " mm"; }},
      {"field.solenoid", [](double f) { return std::to_string(2 * f) + " T"; }},
  };
  for (const auto& c : cases) {
    CAPTURE(c.key);
    for (const Parameter q : all_parameters) {
      const auto remainder = [&](double step) {
        const Attribution a =
            attributed({std::string(c.key) + "=" + c.value(1 + step)}, q, 50);
        REQUIRE(a.changes.size() == 1);
        CHECK(a.changes[0].key == c.key);
        CHECK_FALSE(a.changes[0].exact);
        return std::abs(a.remainder);
      };
      // third order: step^3/12 times a third derivative of order 10; no
      // smaller than the rounding of the values above
      CHECK(remainder(0.01) < 1e-5);
      CHECK(remainder(0.04) < 64 * remainder(0.01) * 1.5 + 1e-7);
    }
  }
}

TEST_CASE("attribution: changes without a gradient are exact") {
  const struct {
    const char *change, *key, *before, *after;
  } cases[] = {
      {"layers[pipe]=null", "layers[pipe]", "radius 20 mm, 0.3 %", ""},
      {"layers[pipe].material=0", "layers[pipe].material", "0.3 %", "0 %"},
      {"layers[pixel].repeat=4", "layers[pixel].repeat",
       "3 x radius [30 mm, 60 mm], 1 %, rphi 10 um, z 20 um",
       "4 x radius [30 mm, 60 mm], 1 %, rphi 10 um, z 20 um"},
      {"layers[outer].measures.z=null", "layers[outer].measures.z", "40 um",
       ""},
      {"layers[outer].cylinder.half_length=100 mm",
       "layers[outer].cylinder.half_length", "1000 mm", "100 mm"},
      {"layers[pixel].cylinder.half_length=20 mm",
       "layers[pixel].cylinder.half_length", "1000 mm", "20 mm"},
      // beyond the outer layer: the track crosses them in another order
      {"layers[strip].cylinder.radius=410 mm", "layers[strip].cylinder.radius",
       "200 mm", "410 mm"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.change);
    const Attribution a = attributed({c.change});
    REQUIRE(a.changes.size() == 1);
    CHECK(a.changes[0].exact);
    CHECK(a.changes[0].key == c.key);
    CHECK(a.changes[0].before == c.before);
    CHECK(a.changes[0].after == c.after);
    CHECK(a.total != 0);
    CHECK(a.changes[0].share == doctest::Approx(a.total).epsilon(1e-12));
  }
}

TEST_CASE("attribution: two exact changes share their interaction") {
  const Attribution a = attributed(
      {"layers[pipe]=null", "layers[outer].measures.z=null"}, Parameter::z0);
  REQUIRE(a.changes.size() == 2);
  CHECK(std::abs(a.remainder) < 1e-14);
}

TEST_CASE("attribution: the model of a detector is a key like others") {
  const Detector before = detector();
  const Detector after =
      detector({"model={ scattering: rossi }", "layers[pipe].material=1 %"});
  const ModelOf own{[](const Detector& d) {
    return Model{.scattering =
                     d.model.scattering.value_or(Scattering::highland)};
  }};
  const Attribution a = attribute(before, after, track(), own, Parameter::d0);
  REQUIRE(a.changes.size() == 2);
  const auto names = keys(a.changes);
  REQUIRE(std::ranges::count(names, "model.scattering") == 1);
  for (const KeyChange& change : a.changes)
    if (change.key == "model.scattering") {
      CHECK(change.before.empty());
      CHECK(change.after == "rossi");
      CHECK(change.exact);
      CHECK(change.share > 0.05);  // the logarithm takes a fifth of theta0
    }
  CHECK(a.total == doctest::Approx(sum_of_shares(a) + a.remainder));
  // chosen for both: of no consequence
  const Attribution same = attribute(before, after, track(), {}, Parameter::d0);
  for (const KeyChange& change : same.changes)
    if (change.key == "model.scattering") CHECK(change.share == 0);
}

TEST_CASE("attribution: without a resolution, neither gradient nor error") {
  const Attribution a =
      attributed({"field=none", "layers[pipe].material=1 %"}, Parameter::pt);
  CHECK(std::isnan(a.total));
  CHECK(std::isnan(a.remainder));
  const Attribution d0 =
      attributed({"field=none", "layers[pipe].material=1 %"}, Parameter::d0);
  CHECK(std::isfinite(d0.total));
  REQUIRE(d0.changes.size() == 2);
  CHECK(keys(d0.changes)[0] == "layers[pipe].material");
  CHECK(d0.changes[1].before == "2 T");
  CHECK(d0.changes[1].after == "none");
}

TEST_CASE("attribution: layers are matched by name, not by their order") {
  const Detector before = detector();
  Detector after = detector({"layers[pixel].material=0.7 %"});
  const Attribution in_order =
      attribute(before, after, track(), {}, Parameter::d0);
  // the outer ones first; surfaces of an entry stay together
  std::rotate(after.layers.begin(), after.layers.begin() + 4,
              after.layers.end());
  REQUIRE(after.layers.front().name == "strip");
  const Attribution reversed =
      attribute(before, after, track(), {}, Parameter::d0);
  REQUIRE(reversed.changes.size() == 1);
  CHECK(reversed.changes[0].key == "layers[pixel].material");
  CHECK(reversed.changes[0].share ==
        doctest::Approx(in_order.changes[0].share).epsilon(1e-9));
}

TEST_CASE("attribution: a renamed layer is the same layer") {
  CHECK(differing_keys(detector(), detector({"layers[outer].name=last"}))
            .empty());
  const auto changes = differing_keys(
      detector(),
      detector({"layers[outer].material=3 %", "layers[outer].name=last"}));
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].key == "layers[last].material");
}

TEST_CASE("attribution: a key of a repeated or mirrored layer is one key") {
  CHECK(keys(differing_keys(
            detector(),
            detector({"layers[pixel].cylinder.radius=[31 mm, 62 mm]",
                      "layers[pixel].material=2 %", "layers[end].disk.z=1 m",
                      "layers[end].pitch.rphi=60 um"}))) ==
        std::vector<std::string>{"layers[pixel].cylinder.radius",
                                 "layers[pixel].material", "layers[end].disk.z",
                                 "layers[end].measures.rphi"});
  const auto changes =
      differing_keys(detector(), detector({"layers[end].mirror=false"}));
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].key == "layers[end].mirror");
}

TEST_CASE("attribution: one surface of a repeated layer is a separate key") {
  CHECK(
      keys(differing_keys(
          detector(), detector({"layers[pixel[1]].material=2 %",
                                "layers[pixel[2]].cylinder.radius=61 mm"}))) ==
      std::vector<std::string>{"layers[pixel[1]].material",
                               "layers[pixel[2]].cylinder.radius"});
  // undone by the same keys
  CHECK(differing_keys(detector(), detector({"layers[pixel[1]].material=1 %"}))
            .empty());
  // removed; without the last one, `repeat` would space the others differently
  for (const char* copy :
       {"layers[pixel[0]]", "layers[pixel[1]]", "layers[pixel[2]]"})
    CHECK(keys(differing_keys(detector(),
                              detector({std::string(copy) + "=null"}))) ==
          std::vector<std::string>{copy});
  const Attribution a = attributed({"layers[pixel[1]].material=2 %"});
  REQUIRE(a.changes.size() == 1);
  CHECK(a.total != 0);
  CHECK(a.changes[0].share + a.remainder == doctest::Approx(a.total));
}

TEST_CASE("attribution: both values are written with enough digits to differ") {
  const auto changes = differing_keys(
      detector(), detector({"field.solenoid=2.00000001 T",
                            "layers[strip].material={ of: Foam, thickness: "
                            "21 mm }"}));
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].before == "2 T");
  CHECK(changes[0].after == "2.00000001 T");
  CHECK(changes[1].before == "2 % (20 mm Foam)");
  CHECK(changes[1].after == "2.1 % (21 mm Foam)");
}

TEST_CASE("attribution: any number of a resolution") {
  const Detector before = detector(), after = detector({"field.solenoid=4 T"});
  const auto by_xi = attribute(before, after, track(), {},
                               [](const Resolution& r) { return r.xi; });
  const auto by_p = attribute(before, after, track(), {}, Parameter::p);
  REQUIRE(by_xi.changes.size() == 1);
  CHECK(by_xi.changes[0].exact);
  // xi = 1/(sigma(p)/p)
  CHECK(by_xi.total == doctest::Approx(-by_p.total).epsilon(1e-12));
  CHECK(by_xi.changes[0].share == by_xi.total);
}

TEST_CASE("attribution: the place of the very key in the file") {
  std::string changed = text;
  const auto replace = [&](const std::string& from, const std::string& to) {
    changed.replace(changed.find(from), from.size(), to);
  };
  replace("2 T", "3 T");
  replace("material: 0.3 %", "material: 0.4 %");
  replace("z: 20 um", "z: 21 um");
  replace("sigma: 20 um", "sigma: 21 um");
  replace("r: 50 um", "r: 51 um");
  replace("half_length: 1 m }\n    material: 2 %",
          "half_length: 2 m }\n    material: 2 %");
  const DetectorInput after =
      parse_detector(changed, "new.yaml",
                     std::vector<std::string>{"layers[end].material=2 %"});
  auto changes = differing_keys(detector(), after.detector);
  CHECK(changes[1].place.line == 7);  // the layer
  locate(changes, after);
  const struct {
    const char* key;
    int line, column;
  } places[] = {{"field.solenoid", 3, 20},
                {"layers[pipe].material", 9, 15},
                {"layers[pixel].measures.z", 14, 33},
                {"layers[strip].measures[0].sigma", 19, 34},
                {"layers[end].material", 0, 0},  // from --set
                {"layers[end].measures.r", 25, 30},
                {"layers[outer].cylinder.half_length", 27, 46}};
  REQUIRE(changes.size() == std::size(places));
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CHECK(changes[i].key == places[i].key);
    CHECK(changes[i].place.line == places[i].line);
    CHECK(changes[i].place.column == places[i].column);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
