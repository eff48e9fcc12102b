// SPDX-License-Identifier: Apache-2.0
// Provenance: what made a result, so that it can be made again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/document.hpp"

namespace gttf {

/// A file that was read.
struct InputFile {
  std::string file;    ///< as given by the user
  std::string sha256;  ///< of what was read; hex; empty: a stream, unknown
  /// The same where another thread is still making it; hash() waits.
  std::shared_future<std::string> pending = {};

  const std::string& hash() const {
    return pending.valid() ? pending.get() : sha256;
  }
};

/// What made a result. No time and no machine: the same inputs give the same
/// bytes.
struct Provenance {
  std::string program = "gttf-design";
  std::string version;
  std::string command_line;  ///< as one would type it into a shell
  std::vector<InputFile> inputs;
  /// Models that inputs chose themselves: "IDEA: scattering highland-total".
  std::vector<std::string> models;
  std::optional<std::uint64_t> seed;  ///< of random numbers; absent: none used
};

/// Provenance of this version of the program, called with `arguments`
/// (argv[0] first, reduced to the name of the file).
Provenance make_provenance(std::span<const std::string> arguments);

/// `arguments` quoted so that a shell reads them back; one line.
std::string shell_quoted(std::span<const std::string> arguments);

/// A hash that was not known yet when its line was written.
struct LateHash {
  std::size_t at = 0;  ///< of text() in the lines
  std::shared_future<std::string> hash;

  /// What belongs there; waits for it.
  std::string text() const;
};

/// Each fact in a line of its own, every line beginning with `prefix` and
/// ending in '\n'. Waits for hashes, or, with `late`, leaves blanks for those
/// that another thread is still making and adds them to it.
std::string to_lines(const Provenance& provenance, std::string_view prefix,
                     std::vector<LateHash>* late = nullptr);

Document to_document(const Provenance& provenance);

}  // namespace gttf
