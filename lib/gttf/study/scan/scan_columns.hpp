// SPDX-License-Identifier: Apache-2.0
// The columns of scan and resolve, each described once.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "gttf/core/columns.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf {

/// A track and its resolution.
struct TrackRow {
  PointRow point;
  const Detector& detector;
  const StudyRequest& request;
  const Resolution& resolution;

  const Resolution& result() const { return resolution; }
};

/// Part of the tables whose request has `at`: the track at that layer.
inline constexpr unsigned at_layer_columns = 1;

/// The columns of scan.
std::span<const ColumnOf<TrackRow>> scan_columns();

/// The columns of a lookup table for fast simulations: the point, n_hits,
/// status, and the upper triangle of Resolution::perigee, row by row.
std::span<const ColumnOf<TrackRow>> covariance_columns();

/// Names of the columns of scan. `at_layer`: with those of the track at a
/// layer.
std::vector<std::string> scan_column_names(bool at_layer);

/// Columns that fit a terminal: the axes as given by the user and the errors.
std::vector<std::string> columns_for_reading(
    const StudyRequest& request, std::span<const Detector> detectors);

/// A table of scan without rows.
Table empty_scan_table(bool at_layer);

/// A table of scan with one row; with the columns of a layer if the request has
/// one.
Table scan_row(const Detector& detector, const StudyRequest& request,
               GridPoint point, const Resolution& resolution);

/// Whether a track has at least one resolution.
bool is_evaluated(const Resolution& resolution);

/// "ok", "not crossed" or "not determined"; empty without a resolution.
std::string_view at_status(const Resolution& r);
/// Why there are no errors: the status, or of the track at a layer at_status().
std::string_view missing_text(const Resolution& r);

/// Columns that several tables have. result() of a row is a Resolution, or
/// another struct with the members below.
template <class Row>
struct ResolutionColumns {
  static constexpr ColumnOf<Row> n_hits{
      {"n_hits", "", "measuring layers crossed, each counted once"},
      [](const Row& r) { return r.result().n_hits; }};
  static constexpr ColumnOf<Row> n_triplets{
      {"n_triplets", "",
       "triplets of consecutive hits, n_hits - 2, not below 0"},
      [](const Row& r) { return std::max(0, r.result().n_hits - 2); }};
  static constexpr ColumnOf<Row> mu_phi{
      {"mu_phi", "1",
       "square root of the share of the hit errors in the variance of the "
       "curvature, 0 ... 1",
       "no resolution, no field"},
      [](const Row& r) { return r.result().mu_phi; }};
  static constexpr ColumnOf<Row> mu_theta{
      {"mu_theta", "1", "the same for theta inside the first measuring layer",
       "no resolution"},
      [](const Row& r) { return r.result().mu_theta; }};
  static constexpr ColumnOf<Row> xi{
      {"xi", "1", "significance of the curvature, 1/`sigma_p_rel`",
       "no resolution, no field"},
      [](const Row& r) { return r.result().xi; }};
  static constexpr ColumnOf<Row> regime{
      {"regime", "",
       "`scattering`, `mixed`, `hits` or `weak`, see "
       "[regimes](../theory/regimes.md)",
       "no resolution, no field"},
      [](const Row& r) { return to_string(r.result().regime); }};
  static constexpr ColumnOf<Row> status{
      {"status", "",
       "`ok`, or the reason for missing numbers: [below](#status)"},
      [](const Row& r) { return to_string(r.result().status); }};
};

// Column names, units and text for errors of the parameters.

// `at_layer`: of the track at a layer, see is_at_layer().

/// "d0"; at a layer "u" for Parameter::x.
std::string_view parameter_name(Parameter q, bool at_layer);
/// The parameter of that name, as --parameter has it.
std::optional<Parameter> named_parameter(std::string_view name, bool at_layer);
/// All that a track has; p, phi, theta, u, v, tu, tv at a layer.
std::span<const Parameter> parameters_of(bool at_layer);

/// "sigma_d0_um": the column of scan with the error of this parameter.
std::string_view sigma_column(Parameter q, bool at_layer = false);

/// The unit of that column in native units; 1 for relative errors.
double sigma_unit(Parameter q);

/// "sigma(d0)", "sigma(p)/p".
std::string sigma_symbol(Parameter q, bool at_layer = false);

/// "12.3 um", "0.35 %"; "-" if there is none.
std::string sigma_text(Parameter q, double sigma);

/// The columns of tables on the terminal: for tracks along a beam p, x, y, tx,
/// ty, of others p, pt, d0, z0, phi0, theta; at a layer p, u, v, tu, tv.
std::span<const Parameter> shown_parameters(bool along_beam);
/// Those of a track of the request.
std::span<const Parameter> shown_parameters(const StudyRequest& request,
                                            const Detector& detector,
                                            GridPoint point);

/// ", at DUT", ", at DUT without its own hit"; empty at the start.
std::string at_text(const StudyRequest& request);

}  // namespace gttf
