// SPDX-License-Identifier: Apache-2.0
// Verb: one command of the program with its options.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace gttf::app {

class Verb;
using Verbs = std::vector<std::unique_ptr<Verb>>;

/// What a verb knows of the call besides its own options.
struct Call {
  const Verbs& verbs;
  const std::vector<std::string>& arguments;  ///< argv, the program first
};

/// A verb declares its options on `command` in its constructor and does its
/// work in run(). Errors are thrown; main() turns them into text.
class Verb {
 public:
  Verb(std::string name, std::string description);
  virtual ~Verb() = default;
  Verb(const Verb&) = delete;
  Verb& operator=(const Verb&) = delete;

  /// Returns the exit code.
  virtual int run(const Call& call) = 0;

  const std::string& name() const { return name_; }
  std::string help() const;
  CLI::App& command() { return command_; }
  const CLI::App& command() const { return command_; }

 private:
  std::string name_;
  CLI::App command_;
};

std::unique_ptr<Verb> make_validate();
std::unique_ptr<Verb> make_show();
std::unique_ptr<Verb> make_resolve();
std::unique_ptr<Verb> make_scan();
std::unique_ptr<Verb> make_regimes_verb();
std::unique_ptr<Verb> make_budget_verb();
std::unique_ptr<Verb> make_sensitivity_verb();
std::unique_ptr<Verb> make_compare_verb();
std::unique_ptr<Verb> make_baseline_verb();
std::unique_ptr<Verb> make_check();
std::unique_ptr<Verb> make_toy();
std::unique_ptr<Verb> make_fit();
std::unique_ptr<Verb> make_report_verb();
std::unique_ptr<Verb> make_plot_verb();
std::unique_ptr<Verb> make_import();
std::unique_ptr<Verb> make_export();
std::unique_ptr<Verb> make_completion();
std::unique_ptr<Verb> make_help();
std::unique_ptr<Verb> make_version();

/// The program's own help: what it is and its verbs.
std::string program_help(const Verbs& verbs);

/// The verb of that name. Throws UsageError with the nearest name.
Verb& find_verb(const Verbs& verbs, const std::string& name);

/// Throws UsageError if a word of `words` looks like an option that `command`
/// does not have. (CLI11 would say so too, but after what it makes of the rest,
/// and without the nearest one.)
void check_options(const CLI::App& command,
                   const std::vector<std::string>& words);

/// The values that an option takes if it is a choice: its type name is then
/// "one|two|three". Empty if it is none.
std::vector<std::string> choices(const CLI::Option& option);

/// Throws UsageError with the nearest one if `value` is none of the choices
/// of `option`, as in "--format".
void check_choice(const std::string& option, const std::string& value,
                  const std::vector<std::string>& known);

}  // namespace gttf::app
