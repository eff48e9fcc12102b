// SPDX-License-Identifier: Apache-2.0
#include "ending.hpp"

#include <algorithm>
#include <filesystem>

#include "gttf/config/text.hpp"
#include "gttf/output/atomic_file.hpp"
#include "usage.hpp"

namespace gttf::app {

void check_ending(const std::string& file,
                  const std::vector<std::string_view>& endings,
                  std::string_view what) {
  const std::string ending =
      lower_case(std::filesystem::path(file).extension().string());
  if (is_special_file(file) || std::ranges::count(endings, ending) > 0) return;
  throw UsageError("-o " + in_quotes(file) + ": " + std::string(what) +
                   "; use " + std::string(endings.front()));
}

}  // namespace gttf::app
