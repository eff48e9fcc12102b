// SPDX-License-Identifier: Apache-2.0
// Output of the program on standard error, and its exit code.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gttf/config/diagnostics.hpp"
#include "gttf/output/progress.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/resolution.hpp"
#include "options.hpp"

namespace gttf::app {

/// Writes to standard output, control characters as escapes. Throws
/// OutputError.
void print(const std::string& text);

/// Writes lines to standard error, control characters as escapes. All output on
/// standard error uses this function or show().
void print_note(std::string_view lines);

/// Whether output to `descriptor` may have colours: a terminal, and NO_COLOR
/// (https://no-color.org) is not set.
bool colours(int descriptor);

/// Writes diagnostics to standard error, in colour on a terminal. Warnings are
/// left out if `quiet`.
void show(const Diagnostics& diagnostics, bool quiet);

/// "gttf-design: error: text".
void print_error(std::string_view text);

/// Whether a progress bar is requested.
Progress::Settings bar_settings(const OutputOptions& options);

/// --stats: how many tracks each code path handled, one line each.
void print_statistics(const BatchStatistics& statistics);

/// The exit code of a verb for the given number of evaluated tracks; if none,
/// prints the reason, given by `status` of one of them.
int code_of(std::size_t evaluated, std::string_view status, bool quiet);
int code_of(std::size_t evaluated, Status status, bool quiet);
/// The same if the result has a column with the reasons.
int code_of(std::size_t evaluated);

}  // namespace gttf::app
