// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/check/baseline.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <sstream>
#include <string>

#include "gttf/output/json.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan.hpp"
#include "support/reported.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

const std::string folder = GTTF_SOURCE_DIR "/detectors/";

StudyRequest request(const std::string& detector = "barrel.yaml") {
  StudyOptions options;
  options.detectors = {folder + detector};
  options.pt = "0.02GeV,1GeV,30GeV";
  options.eta = "0,0.3,3";
  options.phi = "10deg";
  options.particle = "kaon";
  options.vertex = "0.1mm,0mm,5mm";
  options.scattering = "rossi";
  options.beam_spot = "10um,5um,20mm";
  return read_request("", options);
}

std::vector<BaselineDetector> results(const StudyRequest& request,
                                      const std::vector<std::string>& set) {
  std::vector<BaselineDetector> list;
  for (const std::string& file : request.detectors) {
    DetectorInput input = read_detector(file, set);
    Table rows = scan_table(request, input.detector, {}).rows;
    list.push_back({std::move(input), std::move(rows)});
  }
  return list;
}

std::string text_of_baseline(const std::vector<std::string>& set = {}) {
  const StudyRequest r = request();
  TableStyle style;
  style.provenance.emplace();
  style.provenance->version = "1.2.3";
  style.provenance->command_line = "gttf-design baseline";
  std::ostringstream out;
  write_json(out, baseline_document(r, results(r, set), Engine::triplet),
             style);
  return out.str();
}

Baseline read(const std::string& text) {
  return read_baseline(read_json(text, "b.json"),
                       std::make_shared<Source>("b.json", text));
}

std::string replaced(std::string text, const std::string& from,
                     const std::string& to) {
  const std::size_t i = text.find(from);
  REQUIRE(i != text.npos);
  return text.replace(i, from.size(), to);
}

/// The only error in a baseline.
Diagnostic fault(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    REQUIRE(error.diagnostics().items().size() == 1);
    return error.diagnostics().items().front();
  }
  FAIL("no error");
  return {};
}

}  // namespace

TEST_CASE("baseline: is read back exactly as written") {
  const std::vector<std::string> set{"layers[L1].material=0.4 %"};
  const StudyRequest r = request();
  const auto written = results(r, set);
  const Baseline b = read(text_of_baseline(set));

  CHECK(b.version == "1.2.3");
  CHECK(b.command_line == "gttf-design baseline");
  CHECK(b.engine == Engine::triplet);
  CHECK(b.request.particle.name == "kaon");
  CHECK(b.request.particle.mass == r.particle.mass);
  CHECK(b.request.particle.charge == r.particle.charge);
  CHECK(b.request.momentum.variable == MomentumAxis::Variable::pt);
  CHECK(b.request.momentum.values == r.momentum.values);
  CHECK(b.request.angle.variable == AngleAxis::Variable::eta);
  CHECK(b.request.angle.values == r.angle.values);
  CHECK(b.request.phi == r.phi);
  CHECK(b.request.vertex == r.vertex);
  CHECK(b.request.scattering == Scattering::rossi);
  REQUIRE(b.request.beam_spot);
  CHECK(b.request.beam_spot->y == r.beam_spot->y);
  CHECK(b.request.detectors == r.detectors);

  REQUIRE(b.detectors.size() == 1);
  const DetectorInput& input = b.detectors[0].input;
  CHECK(input.text == written[0].input.text);
  CHECK(input.overrides == set);
  CHECK(input.detector.sha256 == written[0].input.detector.sha256);
  CHECK(input.detector.file == written[0].input.detector.file);
  CHECK(input.detector.layers.size() ==
        written[0].input.detector.layers.size());
  const Table &table = b.detectors[0].rows, &before = written[0].rows;
  CHECK(table.rows() == 9);
  REQUIRE(table.columns.size() == before.columns.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    CHECK(table.columns[c].name == before.columns[c].name);
    if (const auto* reals = std::get_if<Reals>(&table.columns[c].cells)) {
      const auto& others = std::get<Reals>(before.columns[c].cells);
      for (std::size_t i = 0; i < reals->size(); ++i)
        CHECK(((*reals)[i] == others[i] ||
               (std::isnan((*reals)[i]) && std::isnan(others[i]))));
    } else {
      CHECK(table.columns[c].cells == before.columns[c].cells);
    }
  }
}

TEST_CASE("baseline: names the models that a detector brings along") {
  StudyOptions options;
  options.detectors = {folder + "barrel.yaml"};
  options.p = "1GeV";
  options.theta = "90deg";
  const auto entry = [&options](const std::vector<std::string>& set) {
    const StudyRequest r = read_request("", options);
    const Document d = baseline_document(r, results(r, set), Engine::streaming);
    return std::get<Document::List>(d.find("detectors")->value()).front();
  };
  CHECK(entry({}).find("scattering") == nullptr);
  const std::vector<std::string> set{
      "model={ scattering: highland-total, energy_loss: mean }"};
  CHECK(text_of(entry(set), "scattering") == "highland-total");
  CHECK(text_of(entry(set), "energy_loss") == "mean");
  options.scattering = "rossi";
  CHECK(entry(set).find("scattering") == nullptr);
}

TEST_CASE("baseline: the same study gives the same bytes on any threads") {
  const StudyRequest r = request();
  const auto text = [&r](unsigned threads) {
    DetectorInput input = read_detector(r.detectors[0]);
    Table rows =
        scan_table(r, input.detector, {Engine::streaming, threads, {}}).rows;
    std::vector<BaselineDetector> list;
    list.push_back({std::move(input), std::move(rows)});
    std::ostringstream out;
    write_json(out, baseline_document(r, list, Engine::streaming), {});
    return out.str();
  };
  CHECK(text(1) == text(4));
}

TEST_CASE("baseline: every shipped detector is kept whole") {
  for (const Detector& d : shipped_detectors()) {
    CAPTURE(d.name);
    StudyRequest r = request();
    r.detectors = {d.file};
    std::ostringstream out;
    write_json(out, baseline_document(r, results(r, {}), Engine::streaming),
               {});
    // without provenance it is not a file of the program: `provenance` is
    // missing
    const std::string text =
        "{\"provenance\": {}," + out.str().substr(out.str().find('{') + 1);
    const Baseline b = read(text);
    CHECK(b.detectors[0].input.detector.sha256 == d.sha256);
    CHECK(b.find(d) == &b.detectors[0]);
  }
}

TEST_CASE("baseline: errors are reported with their line") {
  const std::string good = text_of_baseline();
  const auto line_with = [](const std::string& text, const std::string& part) {
    const std::size_t at = text.find(part);
    return 1 + static_cast<int>(std::count(
                   text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at),
                   '\n'));
  };
  Diagnostic d = fault("{\"rows\": []}");
  CHECK(d.problem.find("not a baseline") != std::string::npos);

  std::string text =
      replaced(good, "\"gttf-baseline\": 1", "\"gttf-baseline\": 7");
  d = fault(text);
  CHECK(d.problem.find("version 7") != std::string::npos);
  CHECK(d.line == line_with(text, "\"gttf-baseline\""));
  CHECK(d.file == "b.json");

  text = replaced(good, "\"scattering\": \"rossi\"", "\"scattering\": \"x\"");
  d = fault(text);
  CHECK(d.problem == "study.scattering is missing or wrong");
  CHECK(d.line == line_with(text, "\"scattering\""));

  text = good.substr(0, good.find("\"detectors\"")) + "\"detectors\": []}";
  CHECK(fault(text).problem == "the baseline has no detector");

  text = replaced(good, "solenoid: 2 T", "solenoid: 3 T");
  d = fault(text);
  CHECK(d.problem.find("sha256") != std::string::npos);
  CHECK(d.line == line_with(text, "\"description\"") - 2);

  text = replaced(good, "solenoid: 2 T", "solenoid: 3");
  d = fault(text);
  CHECK(d.file.find("barrel.yaml in b.json") != std::string::npos);
  CHECK(d.line == 7);  // of the description

  text = replaced(good, "\"pt_GeV\": [0.02, 1, 30]", "\"pt_GeV\": [0.02, 1]");
  CHECK(fault(text).problem.find("9 rows for 6 points") != std::string::npos);

  text = replaced(good, "\"n_hits\",", "");
  CHECK(fault(text).problem.find("one cell for each column") !=
        std::string::npos);
  text = replaced(good, "\"n_hits\",", "\"hits\",");
  CHECK(fault(text).problem.find("the checksum differs") != std::string::npos);
  text = replaced(text, "\"checksum\"", "\"of earlier versions\"");
  CHECK(read(text).detectors[0].rows.find("n_hits") == nullptr);
}

}  // namespace gttf::test::GTTF_TEST_FILE
