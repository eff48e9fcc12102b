// SPDX-License-Identifier: Apache-2.0
// Requirement files for tests, and checks of them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/sha256.hpp"
#include "gttf/output/json.hpp"
#include "gttf/study/check/check_view.hpp"
#include "gttf/study/scan/scan.hpp"
#include "support/folder.hpp"

namespace gttf::test {

/// As the program does it.
inline std::optional<Baseline> load_baseline(const std::string& path,
                                             const Value& value,
                                             std::string& hash) {
  try {
    const auto source = std::make_shared<Source>(path, read_file(path));
    hash = sha256(source->text());
    return read_baseline(read_json(source->text(), path), source);
  } catch (const FileError& error) {
    value.error(error.what(), "write it with 'gttf-design baseline'");
  } catch (const InputError& error) {
    value.diagnostics().add(error.diagnostics());
  }
  return std::nullopt;
}

/// Requirements on one detector and what came out.
struct Gate {
  RequirementFile file;
  std::vector<DetectorInput> inputs;
  CheckOutcome outcome;

  CheckStory story() const { return make_story(file, inputs, outcome); }
  const CheckResult& result(std::size_t i = 0) const {
    return outcome.results.at(i);
  }
};

/// Checks `requirements` (the list) on `path` changed by `overrides`, against a
/// baseline of the same file without them over the points of `grid`.
inline Gate gate(const std::string& path, const std::string& grid,
                 const std::string& requirements,
                 const std::vector<std::string>& overrides = {},
                 unsigned threads = 1) {
  const Folder folder;
  folder.write("study.yaml",
               "gttf-study: 1\ndetectors: [" + path + "]\n" + grid);
  folder.write("baseline.json", "");  // the loader makes it
  const std::string file = folder.write(
      "requirements.yaml",
      "gttf-requirements: 1\nstudy: study.yaml\nbaseline: baseline.json\n"
      "requirements:\n" +
          requirements);
  const auto load = [&](const std::string&, const Value&, std::string&) {
    Baseline baseline;
    baseline.request = read_request(folder / "study.yaml", {});
    DetectorInput input = read_detector(path);
    Table rows = scan_table(baseline.request, input.detector, {}).rows;
    baseline.detectors.push_back({std::move(input), std::move(rows)});
    return std::optional(std::move(baseline));
  };
  Gate gate;
  gate.file = read_requirements(file, {}, "", load);
  gate.inputs.push_back(read_detector(path, overrides));
  const Detector& detector = gate.inputs[0].detector;
  gate.outcome = check(gate.file, {&detector, 1}, Engine::streaming, threads);
  return gate;
}

inline std::string shipped_file(const std::string& name) {
  return GTTF_SOURCE_DIR "/detectors/" + name + ".yaml";
}

}  // namespace gttf::test
