// SPDX-License-Identifier: Apache-2.0
// Comparison: the resolutions of several designs side by side.
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

/// Most designs of a comparison.
inline constexpr std::size_t max_designs = 26;

/// "A", "B", ...
std::string design_label(std::size_t design);

/// "ratio_d0" for sigma_d0_um; other columns keep their name behind "ratio_".
std::string ratio_name(std::string_view column);

/// Designs over a grid; the first is the one the others are compared with.
struct Comparison {
  std::size_t designs = 0;
  /// A row for every point of the grid. Columns: particle, p_GeV, pt_GeV,
  /// theta_deg, eta, phi_deg; then of every column of a scan A_..., B_...,
  /// and of real ones B_ratio_..., B/A.
  Table table;
  std::vector<std::size_t> evaluated;  ///< of each: tracks with a resolution

  /// Cells of A_..., B_...; `column` is one with real numbers.
  const Reals& values(std::size_t design, std::string_view column) const;
  /// Whether every track of every design is measured in full.
  bool all_ok() const;
};

Comparison compare(const StudyRequest& request,
                   std::span<const Detector> designs,
                   const ScanOptions& options);

/// Where a design differs from the first one so that it is worth a look.
struct WorstPoint {
  GridPoint point;
  Parameter parameter = Parameter::p;
  double ratio = 1;  ///< of sigma, to that of the first
};

/// The largest ratio over the grid and `parameters`, of equal ones that of the
/// parameter that comes first. If nothing got worse, or by less than a
/// hundredth of the largest gain, the smallest one: that gain. Nothing if no
/// track is measured by both.
std::optional<WorstPoint> worst_point(const Comparison& comparison,
                                      const StudyRequest& request,
                                      std::size_t design,
                                      std::span<const Parameter> parameters);

/// Parameters people look at, those they look at first in front.
std::span<const Parameter> compared_parameters(bool along_beam, bool at_layer);

/// The change of one design against the first one, at one point.
struct AttributedPoint {
  std::size_t design = 1;
  GridPoint point;
  std::array<Attribution, n_parameters> of;  ///< index: Parameter
};

/// How the tracks of `request` are resolved in `first` and in detectors that
/// differ from it: a layer asked for is that of `first`.
ModelOf models_of(const StudyRequest& request, const Detector& first,
                  Engine engine = Engine::streaming);

/// For every design but the first, in turn, at every point of the grid. Places
/// are those of the keys in the design's file.
std::vector<AttributedPoint> attribute_grid(
    const StudyRequest& request, std::span<const DetectorInput> designs,
    const ScanOptions& options);

/// The columns of `columns` (names of a scan) for people: of two designs both
/// values and the ratio, of more the values of A and the ratios.
std::vector<std::string> columns_for_reading(
    const Comparison& comparison, const StudyRequest& request,
    std::span<const std::string> columns);

/// The columns of the point, then all that belong to `columns`.
std::vector<std::string> columns_of(const Comparison& comparison,
                                    std::span<const std::string> columns);

}  // namespace gttf
