// SPDX-License-Identifier: Apache-2.0
// Fits the tracks of a file of hits in a streaming fashion.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "gttf/core/table.hpp"
#include "gttf/fit/batch_fit.hpp"
#include "gttf/study/hits/hit_file.hpp"
#include "gttf/study/hits/hit_track.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

struct FitStudyOptions {
  FitKind kind = FitKind::general;
  FitOptions fit;  ///< weights and re-linearisations are used
  HitTrackOptions hits;
  std::string fit_name;  ///< for the column `fit`
  unsigned threads = 1;  ///< the result does not depend on it
  /// Called from one thread with the number of tracks done; may be empty.
  std::function<void(std::size_t tracks)> progress;
};

/// Whether a momentum for scattering is missing: not measured without field.
bool lacks_momentum(const FitStudyOptions& options, const StudyRequest& request,
                    const Detector& detector);

struct FitCounts {
  std::size_t tracks = 0, fitted = 0;
  BatchStatistics batch;  ///< number of tracks for which a fit was attempted
};

/// Fits all tracks of `file`: a row of `tracks` for each, in the order of the
/// file, and a row of `residuals`, unless nullptr, for every hit of those that
/// could be fitted. Uses particle, vertex, beam spot and scattering of the
/// request. Memory does not grow with the number of tracks. Throws InputError.
FitCounts fit_tracks(const Detector& detector, const StudyRequest& request,
                     HitFile& file, const FitStudyOptions& options,
                     TableSink& tracks, TableSink* residuals);

}  // namespace gttf
