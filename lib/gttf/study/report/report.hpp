// SPDX-License-Identifier: Apache-2.0
// Report: a complete page about a study, and its figures by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gttf/core/page.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/study/check/check_view.hpp"
#include "gttf/study/report/published.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

struct ReportOptions {
  std::uint64_t toys = 0;  ///< per point; 0: no simulation
  unsigned threads = 0;    ///< 0: all cores; the result does not depend on it
  std::vector<Published> published;   ///< for comparison
  const CheckStory* check = nullptr;  ///< requirements to show; null: none
  /// Called with the number of finished parts of the page, and of all.
  std::function<void(std::size_t, std::size_t)> progress = {};
};

/// The page of a study: summary, then for each detector its layout, its
/// resolutions, what limits them and the regimes; several detectors are
/// compared first. The same request gives the same page.
Page make_report(const StudyRequest& request,
                 std::span<const Detector> detectors,
                 const ReportOptions& options);

/// A scan at a glance: the first error that exists, against momentum or, if
/// there are more angles, against pseudorapidity; of several detectors with the
/// ratio to the first. Nothing if there is only one point or no resolution.
std::optional<Figure> scan_figure(const StudyRequest& request,
                                  std::span<const Detector> detectors,
                                  unsigned threads);

/// The figures of a page, in order.
std::vector<const Figure*> figures_of(const Page& page);

}  // namespace gttf
