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

/// An output cannot be opened or written; the text names it and the cause.
class OutputError : public std::runtime_error {
 public:
  explicit OutputError(const std::string& text, int error = 0)
      : std::runtime_error(text), error_(error) {}

  /// The errno value behind it; 0: none.
  int error() const { return error_; }

 private:
  int error_;
};

/// Whether an errno value says that the system has run out of something (space,
/// memory, descriptors, a limit) or that a device fails, for which the user who
/// named the file cannot be blamed.
bool is_out_of_resources(int error);

/// The reader of a pipe has closed it: the rest is not wanted. Not an error.
class ReaderGone : public OutputError {
  using OutputError::OutputError;
};

/// Writes to `descriptor` through a buffer. Every operation that fails throws
/// OutputError (ReaderGone for EPIPE) instead of setting a flag. The destructor
/// writes nothing: what was not flushed is dropped.
class FileStream : public std::ostream {
 public:
  enum class Kind {
    any,  ///< a pipe, a terminal, a file that others write, too
    /// A regular file, empty and nobody else's. seekp() and tellp() work. A
    /// large one is written past the page cache where the file system lets it:
    /// neither time nor memory goes to pages that nobody reads now.
    own_file,
  };
  /// An own_file up to here stays in the page cache.
  static constexpr std::size_t cached_bytes = std::size_t{1} << 24;

  /// `name` stands in messages; `descriptor` is closed in the end if `owned`.
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
