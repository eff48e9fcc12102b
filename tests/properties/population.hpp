// SPDX-License-Identifier: Apache-2.0
// Population: random detectors in a folder, and the output of the program for
// them.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "properties/description.hpp"
#include "support/run.hpp"

namespace gttf::test {

using Json = nlohmann::json;

/// Rows of a scan of one detector, in the order of the grid.
using Rows = std::vector<Json>;

/// The detectors of a test. Each depends only on its seed:
/// GTTF_PROPERTY_SEED=S GTTF_PROPERTY_COUNT=1 is the one of seed S.
std::vector<Description> population();

/// Their files, all in one folder.
class Population {
 public:
  /// The detectors for which `wanted` holds, after `change`.
  explicit Population(
      const std::function<bool(const Description&)>& wanted = {},
      const std::function<void(Description&)>& change = {});

  const std::vector<Description>& detectors() const { return detectors_; }
  const Folder& folder() const { return folder_; }
  /// The file of a detector, to be named on a command line.
  static std::string file_of(const Description& d);

  /// Scans of all, by the name of the detector; one call for each family.
  /// `options` follow those of grid_of(); its text is changed by `grid`.
  std::map<std::string, Rows> scan(
      const std::string& options = "",
      const std::function<std::string(std::string)>& grid = {}) const;

 private:
  std::vector<Description> detectors_;
  Folder folder_;
};

/// The number in the row's resolution; NaN if there is none.
double number(const Json& row, const std::string& column);
std::string status_of(const Json& row);
bool has_resolution(const Json& row);

/// Columns of one standard deviation each that every row has.
const std::vector<std::string>& sigma_columns();

/// How to reproduce a failure.
std::string recipe(const Description& d);

}  // namespace gttf::test
