// SPDX-License-Identifier: Apache-2.0
// Heading: how a column's name is shown to a reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/readable.hpp"

namespace gttf {

/// A column's heading: `sigma_pt_rel` is {"sigma", "pt"} in %, its numbers
/// shown 100 times as large; `sigma_d0_um` is {"sigma", "d0"} in um.
struct Heading {
  std::vector<std::string> words;
  std::string unit;  ///< empty: none
  double factor = 1;
  Zeros zeros = Zeros::strip;  ///< results keep them, inputs do not
  bool ratio = false;  ///< near 1: 1.004 is told with one digit more than 0.996
};

/// The heading of a column of that name. The rules, not a list of names: a unit
/// at the end (`_GeV`, `_um`, ...), `_rel` and `x_over_x0` in percent, `n_`
/// dropped, underscores between words.
Heading heading_of(std::string_view column_name);

/// The heading in one line: "sigma(pt) [%]".
std::string one_line(const Heading& heading);

}  // namespace gttf
