// SPDX-License-Identifier: Apache-2.0
// FileError: a file of our own making that cannot be used.
#pragma once

#include <stdexcept>

namespace gttf {

/// A file that the program once wrote cannot be read or does not fit; the text
/// names it and says why. (Faults of files that users write are Diagnostics.)
class FileError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gttf
