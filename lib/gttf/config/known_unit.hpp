// SPDX-License-Identifier: Apache-2.0
// The table of units that quantities and formulas are written in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/quantity.hpp"

namespace gttf::detail {

struct KnownUnit {
  std::string_view name;
  Dimension dimension;
  double factor;          ///< to native units
  bool is_alias = false;  ///< understood, not listed
};

/// The unit of that name, `GeV/c` and `GeV/c^2` included, or nullptr.
const KnownUnit* find_unit(std::string_view name);

/// Names to list in messages.
std::vector<std::string> units_of(Dimension dimension);

/// The unit to show where none was written; empty for a plain number.
std::string_view usual_unit(Dimension dimension);

}  // namespace gttf::detail
