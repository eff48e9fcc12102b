// SPDX-License-Identifier: Apache-2.0
// Verb: one command of the program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace gttf::app {

/// One call of the program.
struct Call {
  const std::vector<std::string>& command;  ///< argv, the program first
  const Options& options;
};

/// A verb: which options it takes stands in their table.
struct Verb {
  std::string_view name;
  of::Verb id;
  std::string_view summary;   ///< imperative, no full stop
  std::string_view notes;     ///< paragraphs after the options
  std::string_view examples;  ///< command lines without the program
  /// Returns the exit code. Errors are thrown; main() prints them.
  int (*run)(const Call& call);
};

extern const Verb init_verb, validate_verb, show_verb, resolve_verb, scan_verb,
    sweep_verb, regimes_verb, budget_verb, sensitivity_verb, compare_verb,
    baseline_verb, check_verb, optimise_verb, decay_verb, toy_verb, fit_verb,
    report_verb, plot_verb, explore_verb, import_verb, export_verb,
    completion_verb, help_verb, version_verb;

/// All verbs in the order of the help.
std::span<const Verb* const> all_verbs();

/// The verb of that name. Throws UsageError with the nearest name.
const Verb& find_verb(const std::string& name);

/// The program's own help: what it is and its verbs.
std::string program_help();
std::string help_of(const Verb& verb);
/// "gttf-design scan [OPTIONS] [FILE...]".
std::string usage_of(const Verb& verb);
/// All of it as a man page, in roff.
std::string man_page();

}  // namespace gttf::app
