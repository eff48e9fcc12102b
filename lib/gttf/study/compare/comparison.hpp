// SPDX-License-Identifier: Apache-2.0
// Comparison: the resolutions of several designs.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/study/compare/attribution.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan.hpp"

namespace gttf {

/// Maximum number of designs in a comparison.
inline constexpr std::size_t max_designs = 26;

/// "A", "B", ...
std::string design_label(std::size_t design);

/// "ratio_d0" for sigma_d0_um; other columns keep their name after "ratio_".
std::string ratio_name(std::string_view column);

/// Designs over a grid; the first is the reference.
struct Comparison {
  std::size_t designs = 0;
  /// A row for every point of the grid. Columns: particle, p_GeV, pt_GeV,
  /// theta_deg, eta, phi_deg; then of every column of a scan A_..., B_...,
  /// and of real ones B_ratio_..., B/A.
  Table table;
  std::vector<std::size_t> evaluated;  ///< for each: tracks with a resolution

  /// Cells of A_..., B_...; `column` must have real numbers.
  const Reals& values(std::size_t design, std::string_view column) const;
  /// Whether all parameters of every track are measured in every design.
  bool all_ok() const;
};

Comparison compare(const StudyRequest& request,
                   std::span<const Detector> designs,
                   const ScanOptions& options);

/// The most significant difference between a design and the first one.
struct WorstPoint {
  GridPoint point;
  Parameter parameter = Parameter::p;
  double ratio = 1;  ///< of sigma, relative to the first
};

/// The largest ratio over the grid and `parameters`, for equal ratios the first
/// parameter. If nothing got worse, or by less than a hundredth of the largest
/// gain, the smallest ratio, i.e. that gain. Nothing if no track is measured by
/// both.
std::optional<WorstPoint> worst_point(const Comparison& comparison,
                                      const StudyRequest& request,
                                      std::size_t design,
                                      std::span<const Parameter> parameters);

/// Parameters by importance for readers.
std::span<const Parameter> compared_parameters(bool along_beam, bool at_layer);

/// The change of one design against the first one, at one point.
struct AttributedPoint {
  std::size_t design = 1;
  GridPoint point;
  std::array<Attribution, n_parameters> of;  ///< index: Parameter
};

/// How the tracks of `request` are resolved in `first` and in detectors that
/// differ from it: a requested layer is a layer of `first`.
ModelOf models_of(const StudyRequest& request, const Detector& first,
                  Engine engine = Engine::streaming);

/// For every design but the first, in turn, at every point of the grid.
/// Locations refer to the keys in the file of the design.
std::vector<AttributedPoint> attribute_grid(
    const StudyRequest& request, std::span<const DetectorInput> designs,
    const ScanOptions& options);

/// The columns of `columns` (names of a scan) for the terminal: for two designs
/// both values and the ratio, for more the values of A and the ratios.
std::vector<std::string> columns_for_reading(
    const Comparison& comparison, const StudyRequest& request,
    std::span<const std::string> columns);

/// The columns of the point, then all that belong to `columns`.
std::vector<std::string> columns_of(const Comparison& comparison,
                                    std::span<const std::string> columns);

}  // namespace gttf
