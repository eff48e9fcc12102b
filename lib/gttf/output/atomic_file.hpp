// SPDX-License-Identifier: Apache-2.0
// AtomicFile: an output file that appears whole or not at all.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "gttf/config/opened_files.hpp"
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
  /// Opens the output that the user named by `option`. Throws OutputError if
  /// it cannot be written, FileConflict if it is an input or another output of
  /// the run.
  explicit AtomicFile(const std::string& path,
                      const std::string& option = "-o");
  /// The same for a file that is claimed longer than it is written.
  /// `claim`: of claim_output() for this path.
  AtomicFile(const std::string& path, std::shared_ptr<const OutputClaim> claim);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream() { return *stream_; }

  /// Makes the output final; once. Throws OutputError if that fails and
  /// FileConflict if the target has become an input since it was opened.
  void commit();

 private:
  void open_temporary();

  std::string path_;                          // as given
  std::shared_ptr<const OutputClaim> claim_;  // null: no file
  std::string target_;     // links resolved; empty: written directly
  std::string temporary_;  // empty: none (any more)
  std::optional<detail::RemovedOnSignal> registration_;
  std::unique_ptr<FileStream> stream_;
};

/// The right to write `path` for as long as the claim lives, so that no other
/// output takes it and no input comes from it; null for what is no regular
/// file. Throws FileConflict.
std::shared_ptr<const OutputClaim> claim_output(const std::string& path,
                                                const std::string& option);

/// True if `path` names a file that stands for an open descriptor or exists
/// and is no regular file, so that its ending says nothing about its content.
bool is_special_file(const std::string& path);

}  // namespace gttf
