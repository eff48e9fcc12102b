// SPDX-License-Identifier: Apache-2.0
// FoundDesign: the result of a search as a description, with warnings.
#pragma once

#include <string>

#include "gttf/study/optimise/search.hpp"

namespace gttf {

struct FoundDesign {
  std::string text;      ///< empty: there is none, or it cannot be written
  Diagnostics warnings;  ///< about it, which the start does not have
  Diagnostics lost;      ///< what it has no longer of the file of the user
  Diagnostics errors;    ///< why it cannot be written
};
FoundDesign found_design(const SearchResult& result);

}  // namespace gttf
