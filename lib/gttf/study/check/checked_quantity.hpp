// SPDX-License-Identifier: Apache-2.0
// CheckedQuantity: what a requirement limits, and the unit it has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gttf/config/powers.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/parameter.hpp"

namespace gttf {

/// A column of scan, the coverage of the points, or a share of an error budget.
struct CheckedQuantity {
  enum class Kind { number, text, coverage, share };

  Kind kind = Kind::number;
  std::string name;    ///< of the column: sigma_d0_um; else "coverage", "share"
  Powers powers;       ///< of its value
  double unit = 1;     ///< of the column, in native units
  std::string symbol;  ///< of the unit in which it is shown: "um", "%", ""
  double shown_unit = 1;  ///< that unit in native ones

  int hits = 0;  ///< coverage: needed at a point; 0: a resolution is

  Parameter parameter = Parameter::p;  ///< share: of its variance
  std::string layer;                   ///< entry or group; empty: all
  bool is_group = false;
  std::optional<Cause> cause;  ///< absent: scattering and hit errors

  bool is_text() const { return kind == Kind::text; }
};

/// The column of scan of that name, with or without its unit (sigma_d0_um,
/// sigma_d0), or nothing.
std::optional<CheckedQuantity> find_column(const std::string& name);

/// Names of all columns of scan, for messages, with and without units.
std::vector<std::string> column_names();
std::vector<std::string> short_column_names();

CheckedQuantity coverage_quantity(int hits);
CheckedQuantity share_quantity(Parameter parameter, std::string layer,
                               bool is_group, std::optional<Cause> cause);

/// "sigma_d0_um", "coverage", "share of L0 scattering in sigma(pt)/pt".
std::string describe(const CheckedQuantity& quantity);

/// "30.25 um": `value` in native units, so many significant digits; "none" for
/// NaN.
std::string shown(const CheckedQuantity& quantity, double value,
                  int digits = 4);

/// Digits with which two different values look different; from 4 to 12.
int digits_to_tell(double a, double b);

}  // namespace gttf
