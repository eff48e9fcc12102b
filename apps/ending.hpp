// SPDX-License-Identifier: Apache-2.0
// Endings of files that a verb writes in one format only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gttf::app {

/// Throws UsageError if `file`, of -o, ends in none of `endings`; terminals,
/// pipes and "-" may be called what they are. `what`: "a report is a page".
void check_ending(const std::string& file,
                  const std::vector<std::string_view>& endings,
                  std::string_view what);

}  // namespace gttf::app
