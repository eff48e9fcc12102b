// SPDX-License-Identifier: Apache-2.0
// Summary: the result of a study for a reader: facts and tables under headings.
#pragma once

#include <algorithm>
#include <cstddef>
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

/// One section of a study, in reading order.
struct Summary {
  std::string title;
  std::vector<Section> sections;
};

// TestReport: verdicts with a location in a file, for test-result readers.

/// One check and its verdict.
struct TestCase {
  std::string suite;  ///< what was checked
  std::string name;   ///< unique within the suite
  bool passed = true;
  std::string message;  ///< one line
  std::string details;  ///< further lines; may be empty
  std::string file;     ///< file with the cause; empty: unknown
  int line = 0;         ///< from 1; 0: unknown
  int column = 0;       ///< from 1; 0: unknown
};

struct TestReport {
  std::string name;
  std::vector<TestCase> cases;  ///< grouped by suite

  std::size_t n_failed() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        cases, [](const TestCase& c) { return !c.passed; }));
  }
};

}  // namespace gttf
