// SPDX-License-Identifier: Apache-2.0
// DocumentReader: reads typed values from a document written by this program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/document.hpp"

namespace gttf {

/// Every error is a FileError: "NAME is damaged: ...".
class DocumentReader {
 public:
  explicit DocumentReader(const std::string& name);

  /// The name in quotes, for messages.
  const std::string& name() const { return name_; }

  [[noreturn]] void damaged(const std::string& why) const;

  /// Checks that the document is a file of this kind, `what` in messages, and
  /// of this version of its format.
  void check_format(const Document& document, std::string_view key,
                    std::int64_t version, std::string_view what) const;

  const Document& member(const Document& d, std::string_view key) const;
  const Document::List& list(const Document& d) const;
  const Document::List& list_of(const Document& d, std::size_t n) const;
  std::int64_t integer(const Document& d) const;
  std::uint64_t count(const Document& d) const;
  bool boolean(const Document& d) const;
  const std::string& text(const Document& d) const;
  /// A finite number.
  double real(const Document& d) const;
  std::vector<double> reals(const Document& d) const;

 private:
  std::string name_;
};

}  // namespace gttf
