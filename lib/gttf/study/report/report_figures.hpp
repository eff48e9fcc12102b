// SPDX-License-Identifier: Apache-2.0
// The figures and tables of a report, each made from one detector.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gttf/core/page.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/study/check/check_view.hpp"
#include "gttf/study/report/published.hpp"
#include "gttf/study/report/report_curves.hpp"
#include "gttf/study/report/report_subject.hpp"
#include "gttf/study/scan/sensitivity.hpp"

namespace gttf::detail {

// Detector
Figure layout_rz_figure(const ReportSubject& subject);
Figure layout_xy_figure(const ReportSubject& subject);
/// Do layers measure that lie along the beam? Else the views are those from the
/// sides.
bool has_barrel(const Detector& detector);
Figure layout_side_figure(const ReportSubject& subject, Axis upwards);
/// The layers near the axis; nothing where there is nothing to enlarge.
std::optional<Figure> layout_closeup_figure(const ReportSubject& subject);
Figure hits_figure(const ReportSubject& subject);
Figure material_figure(const ReportSubject& subject);
PageTable layer_page_table(const ReportSubject& subject);

// Resolution
/// Against momentum for each angle, with the limits; nothing if not measured.
std::optional<Figure> sigma_figure(const ReportSubject& subject,
                                   const std::vector<MomentumCurve>& curves,
                                   const ShownQuantity& q, bool large,
                                   const std::vector<Published>& published);
std::optional<Figure> sigma_eta_figure(const ReportSubject& subject,
                                       const std::vector<PerParameter>& sigmas,
                                       const ShownQuantity& q);
std::optional<Figure> sigma_map_figure(const ReportSubject& subject,
                                       const std::vector<PerParameter>& sigmas,
                                       const ShownQuantity& q);
std::optional<Figure> correlation_figure(const ReportSubject& subject);
/// a pT (+) b for every angle, and how far it is off.
std::optional<PageTable> parametrisation_table(
    const ReportSubject& subject, const std::vector<MomentumCurve>& curves);
PageTable benchmark_table(const ReportSubject& subject);

// What limits it
/// Budgets at the momenta of the curves and the first angle.
std::vector<Budget> budgets_along(const ReportSubject& subject);
std::optional<Figure> share_figure(const ReportSubject& subject,
                                   const std::vector<Budget>& budgets,
                                   const ShownQuantity& q);
std::optional<Figure> layer_budget_figure(const ReportSubject& subject);
std::optional<Figure> tornado_figure(const ReportSubject& subject);
std::optional<Figure> lost_layer_figure(const ReportSubject& subject);

/// What a sensitivity to a hit error is about: "*rφ*", "*u*", "91.2°".
RichText coordinate_symbol(const SensitivityRow& row);

// Regimes
std::optional<Figure> regime_figure(const ReportSubject& subject);

// Summary
std::vector<RichText> summary_sentences(
    const ReportSubject& subject, const std::vector<MomentumCurve>& curves,
    const std::vector<Budget>& budgets);

/// The fraction of the variance of q that hit errors make in each budget; NaN
/// where there is none.
std::vector<double> hit_shares(const std::vector<Budget>& budgets,
                               const ShownQuantity& q);

// The outcome of a check as sentences and tables of a report.

/// "5 of 6 requirements are met. Farthest off is ..."
RichText requirement_sentence(const CheckStory& story);

/// A row per requirement and detector: verdict, quantity, range, limit, worst
/// value, where it is found, margin. Its data are the columns of the check.
PageTable requirement_table(const CheckStory& story);

/// Why requirements are not met: a row per failure; none if all are met.
std::optional<PageTable> failure_table(const CheckStory& story);

}  // namespace gttf::detail
