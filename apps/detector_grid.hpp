// SPDX-License-Identifier: Apache-2.0
// DetectorGrid: tracks through detectors, from a detector file or a study.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf::app {

/// Whether a file is a study. Standard input is taken for a detector: it can be
/// read only once.
bool is_study(const std::string& file);

/// The argument FILE, a detector or a study, with the options of the track:
/// a verb that explains one track explains a grid of them as well.
class DetectorGrid {
 public:
  void declare(CLI::App& command);

  /// Reads all files. Throws InputError.
  void read(bool quiet);

  const StudyRequest& request() const { return request_; }
  const std::vector<Detector>& detectors() const { return detectors_; }

  /// Calls work(detector, point) for every point of every detector.
  template <class Work>
  void for_each(const Work& work) const {
    for (const Detector& detector : detectors_)
      for (const GridPoint point : grid_points(request_)) work(detector, point);
  }

 private:
  std::string file_;
  std::vector<std::string> overrides_;
  TrackOptions track_;
  StudyRequest request_;
  std::vector<Detector> detectors_;
};

}  // namespace gttf::app
