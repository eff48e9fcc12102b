// SPDX-License-Identifier: Apache-2.0
// CheckedQuantity: the quantity limited by a requirement, and its unit.
#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/quantity.hpp"
#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf {

/// The end of the summed material: a layer, or a cylinder around z.
struct MaterialEnd {
  std::string layer;  ///< name or group; its last crossing is used
  bool is_group = false;
  double r = std::numeric_limits<double>::infinity();  ///< mm
  double z = std::numeric_limits<double>::infinity();  ///< mm, to both sides
};

/// A column of scan, the coverage of the points, a share of an error budget, or
/// the material up to some position.
struct CheckedQuantity {
  enum class Kind { number, text, coverage, share, material };

  Kind kind = Kind::number;
  std::string name;    ///< of the column: sigma_d0_um; else "coverage", "share"
  Powers powers;       ///< of its value
  double unit = 1;     ///< of the column, in native units
  std::string symbol;  ///< of the unit in which it is shown: "um", "%", ""
  double shown_unit = 1;  ///< that unit in native ones

  int hits = 0;  ///< coverage: required at a point; 0: requires a resolution

  Parameter parameter = Parameter::p;  ///< share: of its variance
  std::string layer;                   ///< entry or group; empty: all
  bool is_group = false;
  std::optional<Cause> cause;  ///< absent: scattering and hit errors

  MaterialEnd end;  ///< of material

  bool is_text() const { return kind == Kind::text; }
  /// x/X0 along the track?
  bool is_material() const { return name.starts_with("x_over_x0"); }
};

/// The column of scan with this name, with or without its unit (sigma_d0_um,
/// sigma_d0), or nothing.
/// @param average  of a scan of averages (sigma_d0_um_q95, sigma_d0_q95)
std::optional<CheckedQuantity> find_column(const std::string& name,
                                           bool average = false);

/// Names of all columns of scan, for messages, with and without units.
std::vector<std::string> column_names(bool average = false);
std::vector<std::string> short_column_names(bool average = false);

CheckedQuantity coverage_quantity(int hits);
CheckedQuantity share_quantity(Parameter parameter, std::string layer,
                               bool is_group, std::optional<Cause> cause);

CheckedQuantity material_quantity(MaterialEnd end);

/// "sigma_d0_um", "coverage", "share of L0 scattering in sigma(pt)/pt".
std::string describe(const CheckedQuantity& quantity);

/// "30.25 um": `value` in native units, with the given number of significant
/// digits; "none" for NaN.
std::string shown(const CheckedQuantity& quantity, double value,
                  int digits = 4);

/// Digits with which two different values look different; from 4 to 12.
int distinct_digits(double a, double b);

}  // namespace gttf

// Values for requirements: columns of scans and shares of budgets.
namespace gttf::detail {

/// Tables of scans, computed once for all requirements on a grid. The latest
/// are kept: thousands of requirements may be on as many grids.
class ScanCache {
 public:
  static constexpr std::size_t most_rows = 20000;  ///< 10 MB

  ScanCache(std::span<const Detector> detectors, Engine engine,
            unsigned threads)
      : detectors_(detectors), engine_(engine), threads_(threads) {}

  /// All points of the grid, in the order of grid_points().
  std::shared_ptr<const Table> rows(const StudyRequest& grid,
                                    std::size_t detector);

 private:
  struct Entry {
    MomentumAxis momentum;
    AngleAxis angle;
    std::size_t detector;
    std::shared_ptr<const Table> rows;
  };
  std::span<const Detector> detectors_;
  Engine engine_;
  unsigned threads_;
  std::deque<Entry> entries_;  // the oldest first
  std::size_t n_rows_ = 0;     // of all
};

/// A cell as a number; NaN if there is none.
double number_at(const Table& table, std::string_view column, std::size_t row);
std::string text_at(const Table& table, std::string_view column,
                    std::size_t row);

/// Indices of the layers named by a quantity; all layers if none are named.
std::vector<std::size_t> layers_of(const Detector& detector,
                                   const CheckedQuantity& quantity);

/// Possible names in this detector.
std::vector<std::string> layer_names(const Detector& detector, bool groups);

/// The share at each point; NaN without a budget.
std::vector<double> shares_at(const Detector& detector,
                              const StudyRequest& grid,
                              std::span<const GridPoint> points,
                              const CheckedQuantity& share, unsigned threads);

/// The crossings of a track that contribute to a quantity that is_material().
/// @return indices in Resolution::crossings; nothing if the track does not
///         cross the final layer
std::optional<std::vector<std::size_t>> counted_crossings(
    const Detector& detector, const CheckedQuantity& quantity,
    const Resolution& resolution);

/// The x/X0 of these crossings; NaN if there are none.
double material_of(const Detector& detector, const CheckedQuantity& quantity,
                   const Resolution& resolution);

/// The same of the track at each point.
std::vector<double> material_at(const Detector& detector,
                                const StudyRequest& grid,
                                std::span<const GridPoint> points,
                                const CheckedQuantity& quantity);

}  // namespace gttf::detail
