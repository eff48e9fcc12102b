// SPDX-License-Identifier: Apache-2.0
// Files read and written by a run, so that no output replaces an input.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gttf {

/// Thrown if an output is also an input or another output of the run; the text
/// names both.
class FileConflict : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The scope of a run. While one exists, every regular file that
/// open_input() opens is recorded by device and inode, so that links
/// and different spellings of a path are recognised. A program keeps
/// one for its lifetime; without one, the library records and refuses
/// nothing.
class FilesOfRun {
 public:
  FilesOfRun();
  ~FilesOfRun();
  FilesOfRun(const FilesOfRun&) = delete;
  FilesOfRun& operator=(const FilesOfRun&) = delete;
};

/// The files that open_input() has opened, or could not open, since the run
/// began or forget_inputs() was called; nothing without a run.
std::vector<std::string> inputs_of_run();

/// For a run that starts again, with the same or replaced input files: an
/// output may get the inode of a former input.
void forget_inputs();

/// The exclusive right to write one file, from before it is opened until its
/// content is final. Does not apply to pipes, devices and terminals.
/// Descriptors of one file, as of standard output and standard error, may share
/// it.
class OutputClaim {
 public:
  /// @param label   of the output in messages: -o "a.csv"
  /// @param target  the file to be replaced, symbolic links resolved; it need
  ///                not exist
  /// Throws FileConflict if the run has read this file or claimed it already.
  OutputClaim(std::string label, std::string target);
  /// The same for the regular file of an open descriptor.
  OutputClaim(std::string label, int descriptor);
  ~OutputClaim();
  OutputClaim(const OutputClaim&) = delete;
  OutputClaim& operator=(const OutputClaim&) = delete;

  /// Repeats the check immediately before the file is replaced.
  void check() const;

 private:
  struct Registry;
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const Identity&) const = default;
  };
  friend class FilesOfRun;
  friend std::vector<std::string> inputs_of_run();
  friend void forget_inputs();
  friend void record_missing(const std::string&);
  friend void record_named(const std::string&, std::string_view);
  friend void replace_named(std::string_view);
  friend void record_parsed(const std::string&);
  friend std::optional<std::string> kept_text(const std::string&);
  friend void keep_text(const std::string&, const std::string&);
  friend std::optional<std::string> next_unparsed();
  friend void record_input(int, const std::string&, std::string_view,
                           const OutputClaim*);

  static Registry& registry();
  void claim();
  void follow_named() const;
  bool is_now(const Identity& file) const;
  bool same_target(const OutputClaim& other) const;
  void check_locked() const;

  std::string label_;
  std::optional<Identity> open_;  ///< of a descriptor
  bool has_content_ = false;      ///< a file to append to; otherwise:
  std::string target_;
  std::string name_;  // of the target in its folder
  std::optional<Identity> folder_;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

/// Opens `path` for reading and records it as an input of the run. All input
/// files are opened here.
/// @param role       kind of file, for messages: "field map"; may be empty
/// @param rewritten  given by a run that continues its own file and replaces it
///                   (a checkpoint, a summary): the only case in which a file
///                   is read and written. The file of this claim is not
///                   recorded as an input. Returns null, with errno set, if the
///                   file cannot be opened. Throws FileConflict if it is an
///                   output of the run, std::system_error if there is no memory
///                   or descriptor left.
FileHandle open_input(const std::string& path, std::string_view role,
                      const OutputClaim* rewritten = nullptr);

/// The text of an open file, or the reason for failure.
struct FileText {
  std::string text;
  std::string problem;  ///< empty: none
};

/// Reads to the end of `file`, at most `most` bytes. Longer files, and files
/// with bytes of value 0, which no text contains, are refused without reading
/// to the end (a device like /dev/zero never ends).
FileText read_text(std::FILE* file, std::size_t most);

/// What the run has read from an input that cannot be read again, such as a
/// pipe: its text, by the name of the input, or nothing.
std::optional<std::string> kept_text(const std::string& path);
/// Keeps it until the run ends.
void keep_text(const std::string& path, const std::string& text);

/// Like open_input() for a file that is already open, such as standard input.
void record_input(int descriptor, const std::string& name,
                  std::string_view role,
                  const OutputClaim* rewritten = nullptr);

/// Records a regular file that another file or an option names as an input of
/// the run, although it may not be read. Throws FileConflict as open_input().
/// @param key  whose value is the name: "map"
void record_named(const std::string& path, std::string_view key);

/// For a run that writes such files: those named as values of this key are not
/// inputs until they are read.
void replace_named(std::string_view key);

/// Marks a file as parsed: what it names is recorded.
void record_parsed(const std::string& path);

/// A named file that is not marked, and marks it; nothing if there is none.
std::optional<std::string> next_unparsed();

}  // namespace gttf
