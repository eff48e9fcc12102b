// SPDX-License-Identifier: Apache-2.0
// Figures of a report that are not of one detector alone: overlays, toys.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gttf/core/page.hpp"
#include "gttf/study/report/report_curves.hpp"
#include "gttf/study/toys/toy_state.hpp"

namespace gttf::detail {

/// A detector with what was computed of it.
struct ComparedDetector {
  const ReportSubject& subject;
  const std::vector<MomentumCurve>& curves;
};

/// An error against momentum for all detectors at the first angle, and below
/// its ratio to the first of them; nothing if none has it.
std::optional<Figure> compare_figure(
    const std::vector<ComparedDetector>& detectors, const ShownQuantity& q);

/// Errors of all detectors at the momenta that are told.
PageTable compare_table(const std::vector<ComparedDetector>& detectors);

/// Toys at some momenta and the first angle: pulls at one of them, means and
/// widths of pulls against momentum, the probability of chi2.
PageSection toy_section(const ReportSubject& subject, std::uint64_t toys,
                        std::uint64_t seed);

}  // namespace gttf::detail
