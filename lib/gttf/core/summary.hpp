// SPDX-License-Identifier: Apache-2.0
// Summary: facts and tables under headings, what a study says to a reader.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gttf/core/table.hpp"

namespace gttf {

/// A heading with facts ("field": "2 T") and then a table; each may be empty.
struct Section {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;
  Table table;
  int digits = 0;  ///< significant digits of the table; 0: the usual number
};

/// What a study says about one thing, in the order of reading.
struct Summary {
  std::string title;
  std::vector<Section> sections;
};

}  // namespace gttf
