// SPDX-License-Identifier: Apache-2.0
#include "shipped_option.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/config/shipped_file.hpp"

namespace gttf::app {
namespace {

constexpr const char* detectors = "detectors";
constexpr const char* studies = "configs";
constexpr const char* requirements = "configs/check";

CLI::Option* takes_file(CLI::Option* option,
                        std::vector<std::string_view> folders) {
  return option->type_name("FILE")->transform(CLI::Validator(
      [folders = std::move(folders)](std::string& file) {
        file = or_shipped(file, file, folders);
        return std::string();
      },
      ""));
}

}  // namespace

CLI::Option* takes_detector(CLI::Option* option) {
  return takes_file(option, {detectors});
}

CLI::Option* takes_study(CLI::Option* option) {
  return takes_file(option, {studies});
}

CLI::Option* takes_detector_or_study(CLI::Option* option) {
  return takes_file(option, {detectors, studies});
}

CLI::Option* takes_requirements(CLI::Option* option) {
  return takes_file(option, {requirements});
}

}  // namespace gttf::app
