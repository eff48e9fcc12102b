// SPDX-License-Identifier: Apache-2.0
// Results for one track, as table, document and summary.
#pragma once

#include <array>
#include <string>

#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {

/// Crossings in the order of flight. Columns: layer, s_mm, x_mm, y_mm, z_mm,
/// cos_incidence, x_over_x0, with energy loss p_GeV before the layer and
/// energy_loss_GeV, theta0_rad, measured ("true" or "false").
Table crossing_table(const Detector& detector, const Resolution& resolution);

/// The document of docs/reference/columns.md: input, crossings, resolution,
/// covariance_perigee, covariance_perigee_without_inner_material,
/// covariance_first_hit. Numbers that do not exist are null.
Document track_document(const Detector& detector, const StudyRequest& request,
                        GridPoint point, const Resolution& resolution);

/// Sections: resolutions, limits, covariance, correlations and crossings.
Summary track_summary(const Detector& detector, const StudyRequest& request,
                      GridPoint point, const Resolution& resolution);

/// The section of the crossings.
Section crossing_section(const Detector& detector,
                         const Resolution& resolution);

/// "pion"; "custom particle (3.7 GeV, charge 2)".
std::string particle_text(const Particle& particle);

/// ", from (0, 0, 5) mm"; empty at the origin.
std::string start_text(const std::array<double, 3>& vertex);

/// "pion, p = 1 GeV, theta = 90 deg, phi = 0 deg".
std::string track_text(const StudyRequest& request, const Track& track);

}  // namespace gttf
