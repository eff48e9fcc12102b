// SPDX-License-Identifier: Apache-2.0
// SHA-256 of texts and files: what tells one input from another.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace gttf {

/// A SHA-256 in the making.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void add(std::string_view bytes);
  /// That of all bytes added, as 64 hexadecimal digits; begins anew.
  std::string digits();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SHA-256 of `bytes` as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

/// SHA-256 of a file of any length; empty if `path` is no regular file (a pipe
/// can be read only once) or cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace gttf
