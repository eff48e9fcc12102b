// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/request/named_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "gttf/config/shipped_file.hpp"
#include "gttf/config/source.hpp"
#include "gttf/config/text.hpp"

namespace gttf::detail {

namespace fs = std::filesystem;

std::string beside(const std::string& file, const std::string& path) {
  const fs::path folder = file == "-" ? "" : fs::path(file).parent_path();
  return (folder / path).lexically_normal().string();
}

std::optional<std::string> named_file(
    const Value& value, const std::string& file, std::string_view what,
    const std::vector<std::string_view>& folders) {
  const auto name = value.text(what);
  if (!name) return std::nullopt;
  const std::string path = or_shipped(beside(file, *name), *name, folders);
  if (std::error_code ignored; !fs::exists(path, ignored))
    value.error(fmt::format("no such file: {}", in_quotes(path)),
                suggest_file(path));
  return path;
}

}  // namespace gttf::detail
