// SPDX-License-Identifier: Apache-2.0
// Usage errors and the exit codes of the program.
#pragma once

#include <stdexcept>

namespace gttf::app {

/// Exit codes of the program; docs/reference/exit-codes.md.
enum ExitCode : int {
  good = 0,
  check_failed = 1,  ///< a requirement is not met
  bad_input = 2,     ///< wrong usage, invalid input, an output that may not be
  no_track = 3,      ///< no track could be evaluated
  bug_of_ours = 70,
  no_resources = 71  ///< no memory, no space, no thread, a device that fails
};

/// The command line is invalid; the text suggests a correction.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gttf::app
