// SPDX-License-Identifier: Apache-2.0
// The figures and tables of a report.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/page.hpp"
#include "gttf/core/rich_text.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/study/check/check_view.hpp"
#include "gttf/study/report/published.hpp"
#include "gttf/study/report/report_subject.hpp"
#include "gttf/study/scan/sensitivity.hpp"
#include "gttf/study/toys/toy_state.hpp"

namespace gttf::detail {

// Detector
Figure layout_rz_figure(const ReportSubject& subject);
Figure layout_xy_figure(const ReportSubject& subject);
/// Whether there are measuring layers parallel to the beam. Otherwise side
/// views are drawn.
bool has_barrel(const Detector& detector);
Figure layout_side_figure(const ReportSubject& subject, Axis upwards);
/// The layers close to the axis; nothing if there is nothing to enlarge.
std::optional<Figure> layout_closeup_figure(const ReportSubject& subject);
Figure hits_figure(const ReportSubject& subject);
Figure material_figure(const ReportSubject& subject);
PageTable layer_page_table(const ReportSubject& subject);

// Resolution
/// Errors of a track, and the errors from each single cause.
struct LimitedSigmas {
  PerParameter all, hits, scattering;  ///< native units; NaN: none
  /// Of averages: the 16 % quantile `low` and the 84 % quantile
  /// `high`.
  PerParameter low, high;
  double efficiency = 1;  ///< share of tracks that have errors
  int n_hits = 0;
};

/// Errors along one axis of a grid, the other one fixed. The path has
/// more points than the grid: where the set of crossed layers
/// changes, it is interrupted (found by bisection), with a row of NaN
/// between.
struct ErrorCurve {
  std::vector<double> x;  ///< GeV, or pseudorapidity; of the path
  std::vector<LimitedSigmas> path;
  std::vector<LimitedSigmas> grid;  ///< at the points of the axis
  bool broken = false;
};

/// Against momentum for every angle of ReportSubject::curves, with the limits.
/// Of averages the path has the points of the grid only.
std::vector<ErrorCurve> momentum_curves(const ReportSubject& subject);

/// Against pseudorapidity for every momentum of ReportSubject::against_eta,
/// without the limits.
std::vector<ErrorCurve> eta_curves(const ReportSubject& subject);

/// The ratio of an error of `curve` to that of `reference`, both along the
/// momenta of ReportSubject::curves at the angle `fixed`, or along the angles
/// of against_eta at the momentum `fixed`: broken where either is.
struct RatioCurve {
  Reals x, y;  ///< x as in ErrorCurve
};
enum class Along { momentum, eta };
RatioCurve ratio_curve(const ReportSubject& subject, const ErrorCurve& curve,
                       const ReportSubject& reference,
                       const ErrorCurve& reference_curve, Along along,
                       std::size_t fixed, const ShownQuantity& q);

/// Errors at every point of `request`, in the order of grid_points().
std::vector<PerParameter> sigmas_on_grid(const ReportSubject& subject,
                                         const StudyRequest& request);

/// An error of a path or grid as a column, in units of `q`.
enum class Limit { all, hits, scattering, low, high };
Reals column_of(const std::vector<LimitedSigmas>& sigmas,
                const ShownQuantity& q, Limit limit = Limit::all);

/// Against momentum for each angle, with the limits; nothing if not measured.
std::optional<Figure> sigma_figure(const ReportSubject& subject,
                                   const std::vector<ErrorCurve>& curves,
                                   const ShownQuantity& q, bool large,
                                   const std::vector<Published>& published);
std::optional<Figure> sigma_eta_figure(const ReportSubject& subject,
                                       const std::vector<ErrorCurve>& curves,
                                       const ShownQuantity& q);
std::optional<Figure> sigma_map_figure(const ReportSubject& subject,
                                       const std::vector<PerParameter>& sigmas,
                                       const ShownQuantity& q);
std::optional<Figure> correlation_figure(const ReportSubject& subject);
/// a pT (+) b for every angle, and its largest deviation.
std::optional<PageTable> parametrisation_table(
    const ReportSubject& subject, const std::vector<ErrorCurve>& curves);
PageTable benchmark_table(const ReportSubject& subject);

/// The share of tracks that have errors, of averages; nothing of single tracks.
std::optional<Figure> efficiency_figure(const ReportSubject& subject,
                                        const std::vector<ErrorCurve>& curves);
/// Efficiency, hits and distributions of errors, of averages; the same.
std::optional<PageTable> average_page_table(const ReportSubject& subject);
/// momentum_curves() or eta_curves(), of averages.
std::vector<ErrorCurve> average_curves(const ReportSubject& subject,
                                       Along along);
/// Means of errors at every point of `request`, in the order of grid_points().
std::vector<PerParameter> average_sigmas(const ReportSubject& subject,
                                         const StudyRequest& request);

/// With hit errors so small that only scattering is left.
Detector without_hit_errors(Detector detector);
void remove_errors(BeamSpot& spot);

// What limits it
/// Budgets at the momenta of the curves and the first angle.
std::vector<Budget> budgets_along(const ReportSubject& subject);
std::optional<Figure> share_figure(const ReportSubject& subject,
                                   const std::vector<Budget>& budgets,
                                   const ShownQuantity& q);
std::optional<Figure> layer_budget_figure(const ReportSubject& subject);
std::optional<Figure> tornado_figure(const ReportSubject& subject);
std::optional<Figure> lost_layer_figure(const ReportSubject& subject);

/// The coordinate of a sensitivity to a hit error: "*rφ*", "*u*", "91.2°".
RichText coordinate_symbol(const SensitivityRow& row);

// Regimes
std::optional<Figure> regime_figure(const ReportSubject& subject);

// Summary
std::vector<RichText> summary_sentences(const ReportSubject& subject,
                                        const std::vector<ErrorCurve>& curves,
                                        const std::vector<Budget>& budgets);

/// The fraction of hit errors in the variance of q in each budget; NaN if there
/// is none.
std::vector<double> hit_shares(const std::vector<Budget>& budgets,
                               const ShownQuantity& q);

// The outcome of a check as sentences and tables of a report.

/// "5 of 6 requirements are met. Largest violation: ..."
RichText requirement_sentence(const CheckStory& story);

/// A row per requirement and detector: verdict, quantity, range, limit, worst
/// value, its location, margin. Its data are the columns of the check.
PageTable requirement_table(const CheckStory& story);

/// Causes of unmet requirements: a row per failure; none if all are met.
std::optional<PageTable> failure_table(const CheckStory& story);

// Comparison, toys
/// A detector with its computed results.
struct ComparedDetector {
  const ReportSubject& subject;
  const std::vector<ErrorCurve>& curves;
  const std::vector<ErrorCurve>& along_eta;
};

/// An error of all detectors, and below its ratio to the first of them: against
/// momentum at the angle `fixed` of ReportSubject::curves, or against
/// pseudorapidity at the momentum `fixed` of against_eta; nothing if none has
/// it.
std::optional<Figure> compare_figure(
    const std::vector<ComparedDetector>& detectors, const ShownQuantity& q,
    Along along, std::size_t fixed);

/// Measurements and material of all detectors against pseudorapidity.
std::vector<Figure> compare_profiles(
    const std::vector<ComparedDetector>& detectors);

/// The layouts of all detectors on the same scale.
std::vector<Figure> compare_layouts(
    const std::vector<ComparedDetector>& detectors);

/// What straight tracks from the origin meet up to their last measurement, at
/// the angles of ReportSubject::against_eta and at the edges of layers.
struct Totals {
  Reals eta, hits, x_over_x0;  ///< x/X0 in %
};
Totals total_profile(const ReportSubject& subject);

/// The end of an axis from 0: a round number above `value`.
double nice_upper(double value);
FigureAxis eta_figure_axis(const StudyRequest& request);
/// The range of an axis for these errors; `with_limits`: those of the first
/// curve are drawn, too.
DataRange range_of(const std::vector<ErrorCurve>& curves,
                   const ShownQuantity& q, bool with_limits = false);

/// Errors of all detectors at the points of the study.
PageTable compare_table(const std::vector<ComparedDetector>& detectors);

/// Toys at some momenta and the first angle: pulls at one of them, means and
/// widths of pulls against momentum, the probability of chi2.
PageSection toy_section(const ReportSubject& subject, std::uint64_t toys,
                        std::uint64_t seed);

/// The text of a formula with the symbols of its variables and units, and
/// powers raised. Names without symbol are kept.
RichText printed_formula(std::string_view formula);

// Parts of drawings
/// A layer as a line in a plane of the drawing, mm.
struct LayerLine {
  std::size_t layer = 0;
  Reals x, y;
};

/// Layers in z and r, clipped to the drawing.
std::vector<LayerLine> lines_in_rz(const Detector& detector);
/// Layers in x and y; disks, in front view, are left out.
std::vector<LayerLine> lines_in_xy(const Detector& detector);

/// Layers in z and x or y.
std::vector<LayerLine> lines_from_the_side(const Detector& detector,
                                           Axis upwards);

/// Whether a subsystem has so many measuring cylinders, such as rows of wires
/// or pads, that they are drawn as a light area.
bool has_many_rows(const ReportSubject& subject, std::size_t system);

/// A sentence on the meaning of the line weights.
RichText layers_caption(const ReportSubject& subject);

/// Layers as curves: one for passive and one for measuring layers of each
/// subsystem, the measuring ones on top.
void draw_layers(const ReportSubject& subject,
                 const std::vector<LayerLine>& lines, Panel& panel);

/// A track up to its last crossing: points on it, and its measurements.
struct DrawnTrack {
  Reals x, y, z;
  Reals hit_x, hit_y, hit_z;
};
DrawnTrack draw_track(const ReportSubject& subject, const Track& track);

/// The name of each subsystem next to one of its lines, if there is space.
void name_systems(const ReportSubject& subject,
                  const std::vector<LayerLine>& lines, const FigureAxis& x,
                  const FigureAxis& y, Panel& panel);

/// The name of each measuring layer at its line, if there is space.
void name_layers(const ReportSubject& subject,
                 const std::vector<LayerLine>& lines, const FigureAxis& x,
                 const FigureAxis& y, Panel& panel);

/// The text on a layer at the pointer; nothing if there are very many layers.
void add_hover(const ReportSubject& subject,
               const std::vector<LayerLine>& lines, Panel& panel);

/// Rays of constant pseudorapidity from the origin to the frame, with labels
/// except on the left.
void draw_eta_rays(const FigureAxis& x, const FigureAxis& y, Panel& panel);

}  // namespace gttf::detail
