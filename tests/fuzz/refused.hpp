// SPDX-License-Identifier: Apache-2.0
// What a reader may do with invalid bytes: throw an error with a text.
#pragma once

#include <cstdlib>

#include "gttf/config/diagnostics.hpp"

namespace gttf::test {

/// Runs `read`; any exception but InputError and FileError, and one without an
/// error that can be shown, ends the program, which is a finding.
template <class Read>
void refused_or_read(const Read& read) {
  try {
    read();
  } catch (const InputError& error) {
    if (!error.diagnostics().has_errors()) std::abort();
    for (const Diagnostic& d : error.diagnostics().items())
      if (to_text(d, false).empty()) std::abort();
  } catch (const FileError& error) {
    if (*error.what() == 0) std::abort();
  }
}

}  // namespace gttf::test
