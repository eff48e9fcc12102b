// SPDX-License-Identifier: Apache-2.0
// A detector as interpreted by the program, as table, document and summary.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/detector/field.hpp"

namespace gttf {

/// One row per layer, in the order of the file. Columns: layer, group, shape,
/// position_mm, u_min_mm, u_max_mm, v_min_mm, v_max_mm, x_over_x0 (normal
/// incidence), measures, theta_min_deg, theta_max_deg, eta_min, eta_max (from
/// the origin), efficiency, note.
Table layer_table(const Detector& detector);

/// Complete description: name, file, sources, field, layers, sums by group,
/// material against eta at azimuth `phi`.
Document detector_document(const Detector& detector, double phi = 0);

/// The same for the terminal: layers that repeat with even spacing in one row.
Summary detector_summary(const Detector& detector, double phi = 0);

/// "8 layers, 7 measuring".
std::string layer_count_text(const Detector& detector);

// The field of a detector as text, and as a document.

/// Names and texts, one line each: `field`, and for dipoles and maps their
/// interpretation.
std::vector<std::pair<std::string, std::string>> field_facts(
    const Field& field);

/// Kind, strengths and positions; lengths in mm, fields in T.
Document field_document(const Field& field);

/// Closed range of polar angles, rad; eta is -ln tan(theta/2).
struct PolarRange {
  double theta_min = 0;
  double theta_max = 0;

  double eta_min() const;  ///< -infinity along the negative z axis
  double eta_max() const;
};

/// Polar angles of `surface` from the origin, for any azimuth. Exact: theta =
/// atan2(rho, z) increases with the distance rho from the axis and decreases
/// with z, so its extremes are at the extremes of rho and z.
PolarRange polar_range(const Surface& surface);

/// Layers, hits and material against eta for straight tracks from the origin at
/// azimuth `phi` [rad], over the range of eta covered by measuring layers, with
/// |eta| <= 4. Columns: eta, theta_deg, n_hits, n_layers, x_over_x0,
/// x_over_x0_tracker (up to and including the last measuring layer, NaN without
/// one), x_over_x0_inner (the same for the first).
Table material_profile(const Detector& detector, double phi = 0);

/// Layers and material of each group. Columns: group, n_layers, n_measuring,
/// and for directions with three hits (or with one hit if there are none)
/// x_over_x0_eta_1 or, along the z axis, x_over_x0_along_z: the material of the
/// group crossed by a straight track.
Table group_table(const Detector& detector, double phi = 0);

/// "11.8 % at eta 0, 23.5 % at eta 1": for straight tracks up to their last
/// hit, in the same directions; empty if there are none.
std::string material_text(const Detector& detector, double phi = 0);

}  // namespace gttf
