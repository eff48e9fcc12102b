// SPDX-License-Identifier: Apache-2.0
// FileStream: an output stream on a file descriptor that reports every failure.
#pragma once

#include <memory>
#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <string>

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
/// memory, descriptors, a limit) or that a device fails: no fault of the one
/// who named a file.
bool is_out_of_resources(int error);

/// The reader of a pipe has gone: nobody wants the rest. No fault of anyone.
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

}  // namespace gttf
