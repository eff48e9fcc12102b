// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/shipped_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace gttf {
namespace {

namespace fs = std::filesystem;

constexpr const char* ending = ".yaml";

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool can_be_shipped(const fs::path& name) {
  return !name.empty() && name != "-" && name.is_relative() &&
         std::ranges::none_of(name,
                              [](const fs::path& p) { return p == ".."; });
}

}  // namespace

std::string shipped_folder() {
  if (const char* given = std::getenv("GTTF_DESIGN_DATA");
      given != nullptr && *given != '\0')
    return is_folder(given) ? given : "";
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed && program.parent_path().filename() == "bin") {
    const fs::path prefix = program.parent_path().parent_path();
    if (const fs::path beside = prefix / "share" / "gttf-design";
        is_folder(beside))
      return beside.string();
  }
  return is_folder(GTTF_INSTALLED_DATA) ? GTTF_INSTALLED_DATA : "";
}

std::string or_shipped(const std::string& path, const std::string& name,
                       const std::vector<std::string_view>& folders) {
  if (!can_be_shipped(name) || exists(path) || exists(path + ending))
    return path;
  const fs::path shipped = shipped_folder();
  if (shipped.empty()) return path;
  std::error_code ignored;
  const auto is_file = [&](const fs::path& p) {
    return fs::is_regular_file(p, ignored);
  };
  if (is_file(shipped / name)) return (shipped / name).string();
  for (const std::string_view folder : folders) {
    const fs::path file = shipped / folder / name;
    if (is_file(file)) return file.string();
    if (is_file(file.string() + ending)) return file.string() + ending;
  }
  return path;
}

}  // namespace gttf
