// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/explore/design_faults.hpp"
#include "gttf/study/explore/design_handles.hpp"
#include "gttf/study/explore/exploration.hpp"
#include "gttf/study/explore/file_pieces.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf {
namespace {

const std::string source = GTTF_SOURCE_DIR;

// Anchors, merge keys in two steps, aliases, lists, a mirror, copies, a ring, a
// formula.
const char* const everything = R"(gttf-detector: 1
name: everything
field: { solenoid: 2 T }
layers:
  # the innermost
  - &first
    name: A
    cylinder: { radius: 2 cm, half_length: 20 cm }   # close
    material: { of: silicon, thickness: &thick 100 um }
    measures: { rphi: 10 um, z: 10 um }
  - { <<: *first, name: B, cylinder: { radius: 4 cm, half_length: 20 cm } }
  - &third    # of the first, and others of it
    <<: *first
    name: C
    cylinder: { radius: 60 mm, z: [-20 cm, 25 cm] }
  - { <<: *third, name: H, cylinder: { radius: 80 mm, half_length: 30 cm } }
  - name: D
    cylinder: { radius: 10 cm, half_length: 40 cm }
    material: [{ of: silicon, thickness: *thick }, 0.5 %]
    pitch: { rphi: 50 um, z: 400 um }
  - { name: E, disk: { z: 30 cm, radius: [3 cm, 9 cm] }, mirror: true, material: 1 %, measures: { rphi: 7 um, r: 90 um } }
  - { name: F, cylinder: { radius: [20 cm, 40 cm], half_length: 50 cm }, repeat: 5, material: 0.1 %, measures: { rphi: 5 um (+) 12 um * abs(tan(alpha)), z: 1 mm } }
  - { name: G, ring: { radius: 60 cm, z: 10 cm, count: 12, size: [20 cm, 10 cm], tilt: 20 deg }, material: 1 %, measures: { u: 30 um, v: 420 um } }
)";

std::vector<double> start_of(const std::vector<DesignHandle>& handles) {
  std::vector<double> values;
  for (const DesignHandle& h : handles) values.push_back(h.number);
  return values;
}

double largest_difference(const NumberList& a, const std::vector<double>& b) {
  REQUIRE(a.numbers.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < b.size(); ++i)
    largest = std::max(largest, std::abs(a.numbers[i] - b[i]) /
                                    std::max(1e-3, std::abs(b[i])));
  return largest;
}

const DesignHandle* find(const std::vector<DesignHandle>& handles,
                         const std::string& key) {
  const auto it = std::ranges::find(handles, key, &DesignHandle::key);
  return it == handles.end() ? nullptr : &*it;
}

}  // namespace

TEST_CASE("explore: a list gives the same exploration back") {
  for (const auto& file :
       std::filesystem::directory_iterator(source + "/detectors")) {
    if (file.path().extension() != ".yaml") continue;
    CAPTURE(file.path());
    Exploration before;
    before.detector = read_detector(file.path().string()).detector;
    before.request.momentum.values = {1, 10};
    before.request.angle.values = {0.3};
    before.request.beam_spot = BeamSpot{0.01, 0.02, 0.3};
    const NumberList list = to_list(before);
    const auto after = from_list(list);
    REQUIRE(after);
    CHECK(to_list(*after) == list);
    const Track track{.p = 2, .theta = 0.4};
    const Resolution a = resolve(TrackingGeometry(before.detector), track),
                     b = resolve(TrackingGeometry(after->detector), track);
    CHECK(a.status == b.status);
    CHECK((a.sigma_p_rel == b.sigma_p_rel ||
           (std::isnan(a.sigma_p_rel) && std::isnan(b.sigma_p_rel))));
    NumberList damaged = list;
    damaged.numbers.pop_back();
    CHECK_FALSE(from_list(damaged));
  }
}

TEST_CASE("explore: a list has the dead regions") {
  Exploration before;
  before.detector =
      parse_detector(
          everything, "all.yaml",
          std::vector<std::string>{"layers[B].dead={ phi: [0 deg, 90 deg] }",
                                   "layers[D].dead=[{ z: [5 cm, 10 cm] }]"})
          .detector;
  const auto after = from_list(to_list(before));
  REQUIRE(after);
  for (const double phi : {0.5, 2.0}) {
    const Track track{.p = 2, .theta = 0.9, .phi = phi};
    const Resolution a = resolve(TrackingGeometry(before.detector), track),
                     b = resolve(TrackingGeometry(after->detector), track);
    CHECK(a.n_hits == b.n_hits);
    CHECK(a.sigma_p_rel == b.sigma_p_rel);
  }
}

TEST_CASE("explore: budgets sum over the same surfaces") {
  Exploration before;
  // its rings of two entries have one name
  before.detector =
      read_detector(source + "/detectors/belle2_modules.yaml").detector;
  const auto after = from_list(to_list(before));
  REQUIRE(after);
  for (const Grouping grouping : {Grouping::layer, Grouping::large})
    CHECK(names_by(before.detector, grouping) ==
          names_by(after->detector, grouping));
}

TEST_CASE("explore: handles change the numbers like --set") {
  const DetectorInput input = parse_detector(everything, "all.yaml");
  const auto handles = find_handles(input);
  for (const char* key :
       {"field.solenoid", "layers[A].cylinder.radius",
        "layers[B].material.thickness", "layers[C].cylinder.z[1]",
        "layers[D].pitch.rphi", "layers[D].material[1]",
        "layers[E].disk.radius[0]", "layers[E].disk.z",
        "layers[F].cylinder.radius[1]", "layers[F].measures.z",
        "layers[G].ring.z", "layers[G].ring.size[1]"}) {
    CAPTURE(key);
    CHECK(find(handles, key) != nullptr);
  }
  // a formula, an angle, a count
  for (const char* key : {"layers[F].measures.rphi", "layers[G].ring.tilt",
                          "layers[F].repeat", "layers[A].efficiency"})
    CHECK(find(handles, key) == nullptr);
  const NumberList start = to_list(input.detector);
  for (const DesignHandle& handle : handles) {
    CAPTURE(handle.key);
    const double value = 1.02 * handle.number;
    const std::vector<std::string> set{handle.key + '=' +
                                       text_of(handle, value)};
    std::vector<double> expected = start.numbers;
    for (const auto& [n, slope] : handle.slopes)
      expected[n] += slope * (value - handle.number) * handle.factor;
    const NumberList read =
        to_list(parse_detector(everything, "all.yaml", set).detector);
    CHECK(largest_difference(read, expected) < 1e-11);
  }
}

TEST_CASE(
    "explore: values of entries that cannot be changed together are found") {
  // 0.1 um apart: some of the steps of A, B and C would make them touch; the
  // other layers take missing values from A
  const std::string close = R"(gttf-detector: 1
name: close
field: { solenoid: 2 T }
layers:
  - &a
    name: A
    cylinder: { radius: 20 mm, half_length: 100 mm }
    material: 1 %
    measures: { rphi: 5 um, z: 5 um }
  - { <<: *a, name: B, cylinder: { radius: 20.0001 mm, half_length: 100 mm } }
  - { <<: *a, name: C, cylinder: { radius: 20.0002 mm, half_length: 100 mm } }
  - { <<: *a, name: D, cylinder: { radius: 90 mm, half_length: 100 mm } }
)";
  const DetectorInput input = parse_detector(close, "close.yaml");
  const auto handles = find_handles(input);
  const std::vector<std::size_t> begins = layer_begins(input.detector);
  REQUIRE(begins.size() == 5);
  for (const std::size_t i : {0u, 1u, 2u, 3u})
    for (const char* key : {"cylinder.radius", "cylinder.half_length",
                            "material", "measures.rphi", "measures.z"}) {
      CAPTURE(i);
      CAPTURE(key);
      const DesignHandle* handle =
          find(handles, "layers[" + input.detector.layers[i].name + "]." + key);
      REQUIRE(handle != nullptr);
      for (const auto& [n, slope] : handle->slopes) {
        CHECK(n >= begins[i]);
        CHECK(n < begins[i + 1]);
        CHECK(slope != 0);
      }
    }
}

TEST_CASE("explore: the file in pieces agrees with --set") {
  const DetectorInput input = parse_detector(everything, "all.yaml");
  const auto handles = find_handles(input);
  const auto pieces = file_pieces(input, handles);
  const auto in_file = values_in_file(input, handles);
  REQUIRE_FALSE(pieces.empty());
  CHECK(in_file == start_of(handles));
  CHECK(file_text(pieces, handles, in_file, in_file) == everything);
  for (std::size_t h = 0; h < handles.size(); ++h) {
    CAPTURE(handles[h].key);
    std::vector<double> values = in_file;
    values[h] *= 1.02;
    const std::string text = file_text(pieces, handles, in_file, values);
    CHECK(text != everything);
    CHECK(text.find("# the innermost") != text.npos);
    const std::vector<std::string> set{handles[h].key + '=' +
                                       text_of(handles[h], values[h])};
    const NumberList by_file =
                         to_list(parse_detector(text, "new.yaml").detector),
                     by_set = to_list(
                         parse_detector(everything, "all.yaml", set).detector);
    CHECK(by_file == by_set);
  }
  // what --set gave before is written, too
  const std::vector<std::string> set{"layers[B].material.thickness=70 um"};
  const DetectorInput changed = parse_detector(everything, "all.yaml", set);
  const auto others = find_handles(changed);
  const std::string text =
      file_text(file_pieces(changed, others), others,
                values_in_file(changed, others), start_of(others));
  CHECK(to_list(parse_detector(text, "new.yaml").detector) ==
        to_list(changed.detector));
}

TEST_CASE("explore: numbers that are not a valid detector are reported") {
  Detector detector = parse_detector(everything, "all.yaml").detector;
  CHECK(design_faults(detector).empty());
  CHECK(layers_at_one_place(detector).empty());
  const auto faults_with = [&](const auto& change) {
    Detector copy = detector;
    change(copy);
    std::ostringstream all;
    for (const std::string& fault : design_faults(copy)) all << fault << '\n';
    return all.str();
  };
  Detector touching = detector;
  touching.layers[1].surface.position = touching.layers[0].surface.position;
  CHECK(layers_at_one_place(touching) ==
        std::vector<std::string>{"A and B are at the same place"});
  CHECK(faults_with([](Detector& d) { d.layers[0].surface.position = -1; }) ==
        "A: the radius is not positive\n");
  CHECK(faults_with([](Detector& d) {
          d.layers[0].surface.v = {1, 1};
        }) == "A: the length is not positive\n");
  CHECK(faults_with([](Detector& d) {
          d.layers[0].coordinates[0].sigma = 0;
        }) == "A: the error is not positive\n");
  CHECK(faults_with([](Detector& d) {
          d.layers[0].material[0].x_over_x0 = -1;
        }) == "A: the material is negative\n");
}

}  // namespace gttf
