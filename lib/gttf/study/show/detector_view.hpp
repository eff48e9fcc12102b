// SPDX-License-Identifier: Apache-2.0
// What the program understood of a detector, as table, document and summary.
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

/// Everything: name, file, sources, field, layers, sums by group, material
/// against eta at azimuth `phi`.
Document detector_document(const Detector& detector, double phi = 0);

/// The same for reading: layers that repeat with even spacing in one row.
Summary detector_summary(const Detector& detector, double phi = 0);

/// "8 layers, 7 measuring".
std::string layer_count_text(const Detector& detector);

// The field of a detector for reading, and as a document.

/// Names and texts, one line each: `field`, and for dipoles and maps what the
/// program makes of them.
std::vector<std::pair<std::string, std::string>> field_facts(
    const Field& field);

/// Kind, strengths and places; lengths in mm, fields in T.
Document field_document(const Field& field);

}  // namespace gttf
