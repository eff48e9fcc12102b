// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

#include "gttf/config/text.hpp"

namespace gttf {
namespace {

namespace fs = std::filesystem;

// The descriptor that a path like /dev/stdout or /dev/fd/3 stands for. (Opening
// it anew would write over the start of a file that is being appended to.)
std::optional<int> open_descriptor(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* end = path.data() + path.size();
    const auto read = std::from_chars(path.data() + folder.size(), end, number);
    if (read.ec == std::errc() && read.ptr == end) return number;
  }
  return std::nullopt;
}

[[noreturn]] void fail(const std::string& path, int error) {
  throw OutputError(cannot_write(path, error), error);
}

// Where `path` leads, also if the last link points to nothing yet.
std::string link_target(const std::string& path) {
  constexpr int most_links = 40;  // as Linux
  fs::path target = path;
  for (int i = 0; i < most_links; ++i) {
    std::error_code error;
    const fs::path link = fs::read_symlink(target, error);
    if (error) return target.string();
    target = link.is_absolute() ? link : target.parent_path() / link;
  }
  fail(path, ELOOP);
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

bool is_special_file(const std::string& path) {
  if (open_descriptor(path)) return true;
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
         !S_ISDIR(info.st_mode);
}

std::shared_ptr<const OutputClaim> claim_output(const std::string& path,
                                                const std::string& option) {
  if (path.empty() || is_special_file(path)) return nullptr;
  return std::make_shared<const OutputClaim>(option + " " + in_quotes(path),
                                             link_target(path));
}

AtomicFile::AtomicFile(const std::string& path, const std::string& option)
    : AtomicFile(path, claim_output(path, option)) {}

AtomicFile::AtomicFile(const std::string& path,
                       std::shared_ptr<const OutputClaim> claim)
    : path_(path), claim_(std::move(claim)) {
  if (path.empty()) throw OutputError("cannot write \"\": no file name");
  if (const auto descriptor = open_descriptor(path)) {
    const int copy = fcntl(*descriptor, F_DUPFD_CLOEXEC, 0);
    const std::string name = path == "-" ? "standard output" : path;
    if (copy < 0) fail(name, errno);
    stream_ = std::make_unique<FileStream>(copy, name, true);
    return;
  }
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) fail(path, errno);
  if (exists && S_ISDIR(info.st_mode)) fail(path, EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) fail(path, errno);
    stream_ = std::make_unique<FileStream>(descriptor, path, true);
    return;
  }
  // A file that is write-protected shall stay as it is.
  if (exists && access(path.c_str(), W_OK) != 0) fail(path, errno);
  if (claim_) claim_->check();
  target_ = link_target(path);
  if (target_.ends_with('/')) fail(path, EISDIR);
  open_temporary();
  if (exists) {
    const int descriptor = stream_->descriptor();
    // Another owner is kept where that is allowed; the permissions always,
    // and after the owner, whose change may clear some of them.
    [[maybe_unused]] const int ignored =
        fchown(descriptor, info.st_uid, info.st_gid);
    fchmod(descriptor, info.st_mode & 0777);
  }
}

void AtomicFile::open_temporary() {
  static std::atomic<unsigned> counter = 0;
  const std::string folder = folder_of(target_);
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0) {
    const int error = errno;
    if (error != ENOENT) fail(path_, error);
    throw OutputError("cannot write \"" + path_ + "\": there is no folder \"" +
                      folder + "\"");
  }
  const detail::SignalsHeldBack held;  // until a signal would remove the file
  for (;;) {
    temporary_ = folder + "/.gttf-design-" + std::to_string(getpid()) + "-" +
                 std::to_string(counter++) + ".tmp";
    // no destructor tidies up after a constructor that ends here
    const int descriptor =
        open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) try {
        registration_.emplace(temporary_);
        stream_ = std::make_unique<FileStream>(descriptor, path_, true,
                                               FileStream::Kind::own_file);
        return;
      } catch (...) {
        close(descriptor);
        unlink(temporary_.c_str());
        throw;
      }
    if (errno != EEXIST) {
      const int error = errno;
      temporary_.clear();
      fail(path_, error);
    }
  }
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::commit() {
  stream_->flush();
  if (temporary_.empty()) return;
  // Without this a power cut could leave the new name with no content.
  if (fsync(stream_->descriptor()) != 0) fail(path_, errno);
  if (claim_) claim_->check();
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(path_, errno);
  temporary_.clear();
  registration_.reset();
}

}  // namespace gttf
