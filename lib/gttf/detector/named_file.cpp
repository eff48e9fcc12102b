// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/named_file.hpp"

#include <filesystem>

#include "gttf/config/named_files.hpp"
#include "gttf/config/text.hpp"

namespace gttf::detail {

std::string path_of_named(const Value& value, const std::string& name,
                          const std::string& detector_file) {
  require_file_key(value.path());
  const std::filesystem::path path(name);
  const auto& source = value.node().definition().source;
  const bool from_option = source && source->kind() == Source::Kind::option;
  if (path.is_absolute() || from_option) return name;
  return (folder_of(detector_file) / path).string();
}

void report_named(const Value& value, const std::string& path,
                  const Diagnostics& errors) {
  for (const Diagnostic& error : errors.items())
    if (error.line == 0)
      value.error(error.problem + ": " + in_quotes(path), error.suggestion);
    else
      value.diagnostics().add(error);
}

}  // namespace gttf::detail
