// SPDX-License-Identifier: Apache-2.0
// Options and endings that the verbs about parts of a detector share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf::app {

/// --by
void declare_grouping(CLI::App& command, std::string& by, const char* group);
/// Throws UsageError.
Grouping parse_grouping(const std::string& by);

/// --parameter
void declare_parameter(CLI::App& command, std::string& parameter,
                       const char* group);
/// Throws UsageError; nothing if it was not given.
std::optional<Parameter> parse_parameter(const std::string& parameter);

/// "a,b,c" to names of columns of a scan; "all" to all of them. Throws
/// UsageError on an unknown one.
/// @param at_layer  the scan has the columns of the track at a layer
std::vector<std::string> parse_columns(const std::string& text,
                                       bool at_layer = false);

/// The exit code of a verb that has evaluated so many tracks; says why if none
/// was, `status` being that of one of them.
int code_of(std::size_t evaluated, std::string_view status, bool quiet);
int code_of(std::size_t evaluated, Status status, bool quiet);

}  // namespace gttf::app
