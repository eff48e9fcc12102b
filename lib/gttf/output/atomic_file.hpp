// SPDX-License-Identifier: Apache-2.0
// AtomicFile: an output file that appears whole or not at all.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "gttf/output/interrupt.hpp"
#include "gttf/output/stream.hpp"

namespace gttf {

/// An output under construction. What is written goes to a temporary file in
/// the folder of the target, which takes the target's place, permissions kept
/// and symbolic links followed, on commit(). Without commit() nothing changes.
///
/// What is no regular file (a pipe, /dev/null, a terminal) is written directly;
/// "-", /dev/stdout, /dev/stderr and /dev/fd/N are the open descriptors.
class AtomicFile {
 public:
  /// Opens the output. Throws OutputError if it cannot be written.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream() { return *stream_; }

  /// Makes the output final; once. Throws OutputError if that fails.
  void commit();

 private:
  void open_temporary();

  std::string path_;       // as given
  std::string target_;     // links resolved; empty: written directly
  std::string temporary_;  // empty: none (any more)
  std::optional<detail::RemovedOnSignal> registration_;
  std::unique_ptr<FileStream> stream_;
};

/// True if `path` names a file that stands for an open descriptor or exists
/// and is no regular file, so that its ending says nothing about its content.
bool is_special_file(const std::string& path);

}  // namespace gttf
