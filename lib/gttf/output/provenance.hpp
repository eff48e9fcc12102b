// SPDX-License-Identifier: Apache-2.0
// Provenance: the origin of a result, so that it can be reproduced.
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

/// An input file.
struct InputFile {
  std::string file;    ///< as given by the user
  std::string sha256;  ///< of the content; hex; empty: unknown (a stream)
  /// The same, if another thread is still computing it; hash() waits.
  std::shared_future<std::string> pending = {};

  const std::string& hash() const {
    return pending.valid() ? pending.get() : sha256;
  }
};

/// The origin of a result. Without time and machine: the same inputs give the
/// same bytes.
struct Provenance {
  std::string program = "gttf-design";
  std::string version;
  std::string command_line;  ///< in shell syntax
  std::vector<InputFile> inputs;
  /// Models chosen in the inputs: "IDEA: scattering highland-total".
  std::vector<std::string> models;
  std::optional<std::uint64_t> seed;  ///< of random numbers; absent: none used
};

/// Provenance of this version of the program, called with `arguments`
/// (argv[0] first, reduced to the name of the file).
Provenance make_provenance(std::span<const std::string> arguments);

/// `arguments` quoted so that a shell reads them back; one line.
std::string shell_quoted(std::span<const std::string> arguments);

/// A hash that was not yet known when its line was written.
struct LateHash {
  std::size_t at = 0;  ///< of text() in the lines
  std::shared_future<std::string> hash;

  /// The text to insert; waits for the hash.
  std::string text() const;
};

/// One fact per line, each line beginning with `prefix` and ending in '\n'.
/// Waits for hashes, or, with `late`, leaves blanks for hashes that another
/// thread is still computing and adds them to `late`.
std::string to_lines(const Provenance& provenance, std::string_view prefix,
                     std::vector<LateHash>* late = nullptr);

Document to_document(const Provenance& provenance);

}  // namespace gttf
