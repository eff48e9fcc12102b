// SPDX-License-Identifier: Apache-2.0
// RequirementFile: limits on resolutions, read from YAML.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/formula.hpp"
#include "gttf/config/reader.hpp"
#include "gttf/study/check/baseline.hpp"
#include "gttf/study/check/checked_quantity.hpp"
#include "gttf/study/request/read_setup.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf {

/// Tolerance beyond a limit: in native units, or relative to the limit.
struct Tolerance {
  double absolute = 0;
  double relative = 0;

  double of(double limit) const;
};

/// One limit: a formula of the variables of limit_variables().
struct Limit {
  Formula formula;
  Tolerance tolerance;
  Diagnostic place;  ///< of its text, without a problem
};

/// One requirement: a quantity, the points, and its limits.
struct Criterion {
  std::string name;
  std::string note;
  CheckedQuantity quantity;
  MomentumAxis momentum;
  AngleAxis angle;
  std::vector<GridPoint> points;  ///< at least one
  std::optional<Limit> min, max, equal;
  std::vector<std::string> texts;  ///< allowed; for columns of text
  bool text_of_baseline = false;   ///< allowed is the value of the baseline
  Diagnostic place;                ///< of the requirement
  Diagnostic quantity_place;       ///< of the quantity

  bool needs_baseline() const;
};

/// A requirements file with all files it refers to.
struct RequirementFile {
  std::string name;
  StudyRequest request;  ///< without axes; `file` and `sha256` of this file
  std::optional<Baseline> baseline;
  std::string baseline_file;    ///< path; empty: none
  std::string baseline_sha256;  ///< of the file
  std::vector<Criterion> criteria;
};

/// Variables of a limit at one point: p, pT, pt, theta, eta, beta, baseline.
std::vector<FormulaVariable> limit_variables(const CheckedQuantity& quantity);
inline constexpr std::size_t n_limit_variables = 7, baseline_variable = 6;
/// Their values at a point of the grid of a request.
std::array<double, n_limit_variables> limit_values(const StudyRequest& grid,
                                                   GridPoint point,
                                                   double baseline);

/// Reads the baseline file `path` named by `value`; errors are reported there.
using BaselineLoader = std::function<std::optional<Baseline>(
    const std::string& path, const Value& value, std::string& sha256)>;

/// Reads `path` ("-": standard input). `options`: detectors to check instead of
/// those in the file. `baseline`: path that replaces the one in the file;
/// empty: none. Throws InputError with all errors.
RequirementFile read_requirements(const std::string& path,
                                  const StudyOptions& options,
                                  const std::string& baseline,
                                  const BaselineLoader& load);

}  // namespace gttf

namespace gttf::detail {

/// Data in the head of the file that apply to each requirement.
struct RequirementHead {
  StudyRequest request;
  GivenAxes grid;             ///< of the file, its study or its baseline
  bool has_baseline = false;  ///< named, possibly unreadable
};

/// The criteria of one entry: one for each quantity named. Errors are reported;
/// the result is then meaningless.
std::vector<Criterion> read_criteria(const Value& entry,
                                     const RequirementHead& head);

/// The quantities of an entry: `what`, `coverage` or `budget`.
std::vector<CheckedQuantity> read_quantities(MapReader& map,
                                             const RequirementHead& head);

/// Fills axes and points from `at` and `within`.
void read_points(MapReader& map, const RequirementHead& head,
                 Criterion& criterion);

/// The limits of an entry as written.
struct LimitKeys {
  std::optional<Value> min, max, is, relative_to_baseline, tolerance;
};
LimitKeys find_limits(MapReader& map);

/// Fills the limits of `criterion` for its quantity.
void read_limits(const Value& entry, const LimitKeys& keys, bool has_baseline,
                 Criterion& criterion);

}  // namespace gttf::detail
