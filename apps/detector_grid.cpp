// SPDX-License-Identifier: Apache-2.0
#include "detector_grid.hpp"

#include <optional>

#include "gttf/config/node.hpp"
#include "gttf/config/source.hpp"
#include "shipped_option.hpp"

namespace gttf::app {

bool is_study(const std::string& file) {
  if (file == "-") return false;
  Diagnostics ignored;  // the reader of the file reports them
  const SourcePtr source = read_source(file, ignored);
  if (!source) return false;
  const std::optional<Node> root = parse_yaml(source, "", ignored);
  return root && root->find("gttf-study") != nullptr;
}

void DetectorGrid::declare(CLI::App& command) {
  takes_detector_or_study(
      command.add_option(
          "FILE", file_,
          "Detector file, or a study; - is a detector from standard "
          "input"))
      ->required();
  declare_overrides(command, overrides_);
  track_.declare(command, true);
}

void DetectorGrid::read(bool quiet) {
  const bool study = is_study(file_);
  if (!study) track_.study.detectors = {file_};
  request_ = read_request(study ? file_ : "", track_.study);
  detectors_ = load_detectors(request_, overrides_, quiet);
  tell_assumed_materials(request_, detectors_, quiet);
}

}  // namespace gttf::app
