// SPDX-License-Identifier: Apache-2.0
#include "parse.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "gttf/config/text.hpp"
#include "gttf/study/scan/resolution_table.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {

void declare_grouping(CLI::App& command, std::string& by, const char* group) {
  command
      .add_option("--by", by,
                  "One row for each surface, layer or group (default: layer; "
                  "the rows of a repeated layer together)")
      ->type_name("surface|layer|group")
      ->group(group);
}

Grouping parse_grouping(const std::string& by) {
  if (by.empty()) return Grouping::layer;
  check_choice("--by", by, {"surface", "layer", "group"});
  if (by == "surface") return Grouping::surface;
  return by == "layer" ? Grouping::layer : Grouping::group;
}

void declare_parameter(CLI::App& command, std::string& parameter,
                       const char* group) {
  command
      .add_option("--parameter", parameter,
                  "Only this parameter, in more detail")
      ->type_name("p|pt|d0|z0|phi0|theta|x|y|tx|ty")
      ->group(group);
}

std::optional<Parameter> parse_parameter(const std::string& parameter) {
  if (parameter.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const Parameter q : all_parameters) names.emplace_back(to_string(q));
  check_choice("--parameter", parameter, names);
  return find_parameter(parameter);
}

std::vector<std::string> parse_columns(const std::string& text, bool at_layer) {
  std::vector<std::string> known;
  for (const Column& column : ResolutionTable(at_layer).take().columns)
    known.push_back(column.name);
  if (text == "all") return known;
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    names.emplace_back(
        trimmed(std::string_view(text).substr(begin, end - begin)));
    check_choice("--columns", names.back(), known);
    begin = end + 1;
  }
  return names;
}

int code_of(std::size_t evaluated, std::string_view status, bool quiet) {
  if (evaluated > 0) return good;
  if (!quiet)
    std::fprintf(stderr, "gttf-design: no track has a resolution: %s\n",
                 std::string(status).c_str());
  return no_track;
}

int code_of(std::size_t evaluated, Status status, bool quiet) {
  return code_of(evaluated, to_string(status), quiet);
}

}  // namespace gttf::app
