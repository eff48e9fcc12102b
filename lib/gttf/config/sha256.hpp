// SPDX-License-Identifier: Apache-2.0
// SHA-256 of texts, files and documents, to identify
// inputs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gttf/core/document.hpp"

namespace gttf {

/// Incremental computation of a SHA-256.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void add(std::string_view bytes);
  /// Digest of all bytes added so far, in hex; resets the state.
  std::string digits();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SHA-256 of `bytes` as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

/// SHA-256 of a file of any length; empty if `path` is not a regular file (a
/// pipe can be read only once) or cannot be read.
std::string sha256_of_file(const std::string& path);

/// Name of the member with the checksum.
inline constexpr std::string_view checksum_member = "checksum";

/// SHA-256 of the content of `document`, 64 hexadecimal digits: covers all
/// names and values in order, numbers to the last bit, but not their notation
/// (1 and 1.0 are the same). The outermost members "provenance" and "checksum"
/// are excluded.
std::string checksum_of(const Document& document);

/// The document with its checksum as last member.
Document with_checksum(Document document);

/// Why the content differs from what was written; nothing if unchanged.
std::optional<std::string> checksum_error(const Document& document);

}  // namespace gttf
