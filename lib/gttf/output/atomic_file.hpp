// SPDX-License-Identifier: Apache-2.0
// AtomicFile: an output file that appears whole or not at all.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <string>

#include "gttf/config/opened_files.hpp"
#include "gttf/output/interrupt.hpp"

// FileStream: an output stream on a file descriptor that reports every failure.
namespace gttf {

/// An output cannot be opened or written; the text gives name and cause.
class OutputError : public std::runtime_error {
 public:
  explicit OutputError(const std::string& text, int error = 0)
      : std::runtime_error(text), error_(error) {}

  /// The errno value of the cause; 0: none.
  int error() const { return error_; }

 private:
  int error_;
};

/// Whether an errno value indicates exhausted resources (space,
/// memory, descriptors, a limit) or a failing device rather than a
/// user error.
bool is_out_of_resources(int error);

/// Thrown if the reader of a pipe has closed it. Not an error.
class ReaderGone : public OutputError {
  using OutputError::OutputError;
};

/// Writes to `descriptor` through a buffer. Every operation that fails throws
/// OutputError (ReaderGone for EPIPE) instead of setting a flag. The destructor
/// discards data that were not flushed.
class FileStream : public std::ostream {
 public:
  enum class Kind {
    any,  ///< a pipe, a terminal, a file also written by others
    /// A new, empty regular file, not used by others. Supports seekp() and
    /// tellp(). Large files bypass the page cache if the file system allows it,
    /// which saves time and memory.
    own_file,
  };
  /// Size up to which an own_file uses the page cache.
  static constexpr std::size_t cached_bytes = std::size_t{1} << 24;

  /// `name` is used in messages; `descriptor` is closed at the end if `owned`.
  FileStream(int descriptor, std::string name, bool owned,
             Kind kind = Kind::any);
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;
  ~FileStream() override;

  int descriptor() const;

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

/// "cannot write "NAME": REASON" for an errno value.
std::string cannot_write(const std::string& name, int error);

/// An output under construction. Data go to a temporary file, which replaces
/// the target on commit(), keeping permissions and links.
///
/// Anything other than a regular file (a pipe, /dev/null, a terminal) is
/// written directly; "-", /dev/stdout, /dev/stderr and /dev/fd/N are the open
/// descriptors.
class AtomicFile {
 public:
  /// Opens the output given by the user with `option`. Throws OutputError if it
  /// cannot be written, FileConflict if it is an input or another output of the
  /// run.
  explicit AtomicFile(const std::string& path,
                      const std::string& option = "-o");
  /// The same for a file that is claimed for longer than it is written.
  /// `claim`: from claim_output() for this path.
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
  std::string temporary_;  // empty: none
  std::optional<detail::RemovedOnSignal> registration_;
  std::unique_ptr<FileStream> stream_;
};

/// The exclusive right to write `path` during the lifetime of the claim, so
/// that it is not used as another output or as an input, also if it is the file
/// of an open descriptor; null if it is not a regular file. Throws
/// FileConflict.
std::shared_ptr<const OutputClaim> claim_output(const std::string& path,
                                                const std::string& option);

/// Whether `path` names an open descriptor or an existing file that is not a
/// regular file, so that its extension does not determine the format.
bool is_special_file(const std::string& path);

}  // namespace gttf
