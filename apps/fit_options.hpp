// SPDX-License-Identifier: Apache-2.0
// Options of the verb fit.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common.hpp"
#include "gttf/study/hits/fit_study.hpp"

namespace gttf::app {

struct FitVerbOptions {
  std::string detector, hits;  ///< files; "-": standard input
  std::vector<std::string> overrides;
  std::string kind = "general", weights, bad_rows = "stop";
  std::string max_distance = "1cm";
  std::string columns, residuals;
  bool unsorted = false, keep_order = false, fit_losses = false;
  int iterations = 0;
  unsigned threads = 0;
  std::string simd_name;
  bool stats = false;
  TrackOptions track;
  OutputOptions output;

  void declare(CLI::App& command);

  /// These throw UsageError for what cannot be.
  HitFileOptions reading() const;
  FitStudyOptions study() const;
  /// The losses that the fit adjusts stand in the table of residuals.
  void ask_for_losses(StudyRequest& request) const;
  /// The columns to write; none: those of the format. Throws UsageError.
  std::vector<std::string> column_names(bool events, const Detector& of) const;

 private:
  void declare_hits(CLI::App& command);
  void declare_fit(CLI::App& command);
};

/// With the momentum that the scattering angles are for; UsageError if it is
/// needed and not given.
FitStudyOptions with_momentum(FitStudyOptions study,
                              const StudyRequest& request,
                              const Detector& detector);

}  // namespace gttf::app
