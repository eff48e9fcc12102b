// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/atomic_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "gttf/config/text.hpp"

namespace gttf {

std::string cannot_write(const std::string& name, int error) {
  std::string reason = std::generic_category().message(error);
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z')
    reason[0] = static_cast<char>(reason[0] - 'A' + 'a');
  return "cannot write \"" + name + "\": " + reason;
}

bool is_out_of_resources(int error) {
  constexpr std::array<int, 9> causes{ENOSPC, EDQUOT, EFBIG,  EIO,    ENOMEM,
                                      EMFILE, ENFILE, EAGAIN, ENOBUFS};
  return std::ranges::find(causes, error) != causes.end();
}

namespace {

/// Offset and size of blocks that bypass the page cache are multiples of it.
constexpr std::size_t alignment = 4096;
constexpr std::size_t small_buffer = std::size_t{1} << 16;
constexpr std::size_t large_buffer = std::size_t{1} << 20;
static_assert(FileStream::cached_bytes % large_buffer == 0);

struct alignas(alignment) Block {
  char bytes[alignment];
};

/// Switches direct I/O, which bypasses the page cache, on or off.
bool set_direct(int descriptor, bool direct) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) return false;
#ifdef O_DIRECT
  return fcntl(descriptor, F_SETFL,
               direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
#else
  return !direct;
#endif
}

}  // namespace

class FileStream::Buffer : public std::streambuf {
 public:
  Buffer(int fd, std::string text, bool close, Kind kind)
      : descriptor(fd),
        name(std::move(text)),
        owned(close),
        kind_(kind),
        size_(kind == Kind::own_file ? large_buffer : small_buffer),
        pages_(std::make_unique_for_overwrite<Block[]>(size_ / alignment)) {
    clear();
  }
  ~Buffer() override {
    if (owned) close(descriptor);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const int descriptor;
  const std::string name;
  const bool owned;

 private:
  int_type overflow(int_type c) override {
    drain();
    if (!traits_type::eq_int_type(c, traits_type::eof()))
      sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }

  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (kind_ != Kind::own_file && size > epptr() - pptr()) {
      drain();
      write_all(text, static_cast<std::size_t>(size));
      return size;
    }
    for (std::streamsize left = size; left > 0;) {
      if (pptr() == epptr()) drain();
      const std::streamsize n = std::min(left, epptr() - pptr());
      std::memcpy(pptr(), text, static_cast<std::size_t>(n));
      pbump(static_cast<int>(n));
      text += n;
      left -= n;
    }
    return size;
  }

  int sync() override {
    drain();
    return 0;
  }

  pos_type seekoff(off_type offset, std::ios::seekdir from,
                   std::ios::openmode) override {
    if (kind_ != Kind::own_file) return pos_type(off_type(-1));
    const off_type here = written_ + (pptr() - pbase());
    if (from == std::ios::cur && offset == 0) return here;  // tellp()
    drain();
    const int whence = from == std::ios::beg   ? SEEK_SET
                       : from == std::ios::cur ? SEEK_CUR
                                               : SEEK_END;
    const off_t position = lseek(descriptor, offset, whence);
    if (position >= 0) written_ = position;
    return pos_type(position);
  }
  pos_type seekpos(pos_type position, std::ios::openmode mode) override {
    return seekoff(off_type(position), std::ios::beg, mode);
  }

  void clear() {
    char* const begin = pages_[0].bytes;
    setp(begin, begin + size_);
  }

  void drain() {
    const auto size = static_cast<std::size_t>(pptr() - pbase());
    choose_direct(size);
    clear();
    write_all(pbase(), size);
  }

  /// Full buffers of a large file bypass the page cache.
  void choose_direct(std::size_t size) {
    const bool large = kind_ == Kind::own_file && !refused_ && size == size_ &&
                       written_ >= static_cast<off_type>(cached_bytes) &&
                       written_ % static_cast<off_type>(alignment) == 0;
    if (large == direct_) return;
    if (set_direct(descriptor, large))
      direct_ = large;
    else
      refused_ = true;
  }

  void write_all(const char* text, std::size_t size) {
    while (size > 0) {
      const ssize_t written = ::write(descriptor, text, size);
      if (written >= 0) {
        text += written;
        size -= static_cast<std::size_t>(written);
        written_ += written;
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        // For example a terminal that another program has made non-blocking.
        pollfd wait{descriptor, POLLOUT, 0};
        poll(&wait, 1, -1);
      } else if (errno == EINVAL && direct_) {
        // another size is required, or only a part was written
        set_direct(descriptor, false);
        direct_ = false;
        refused_ = true;
      } else if (errno != EINTR) {
        const int error = errno;
        if (error == EPIPE) throw ReaderGone(cannot_write(name, error), error);
        throw OutputError(cannot_write(name, error), error);
      }
    }
  }

  const Kind kind_;
  const std::size_t size_;  ///< of the buffer
  std::unique_ptr<Block[]> pages_;
  off_type written_ = 0;  ///< bytes; position of the next ones
  bool direct_ = false, refused_ = false;
};

FileStream::FileStream(int descriptor, std::string name, bool owned, Kind kind)
    : std::ostream(nullptr),
      buffer_(
          std::make_unique<Buffer>(descriptor, std::move(name), owned, kind)) {
  rdbuf(buffer_.get());
  exceptions(std::ios::badbit);  // propagate exceptions of the buffer
}

FileStream::~FileStream() = default;

int FileStream::descriptor() const { return buffer_->descriptor; }

namespace {

namespace fs = std::filesystem;

constexpr std::string_view standard_output = "standard output";

// The descriptor of a path like /dev/stdout or /dev/fd/3. (Opening it again
// would overwrite the beginning of a file that is being appended to.)
std::optional<int> open_descriptor(std::string_view path) {
  if (path == "/dev/stdin") return STDIN_FILENO;
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

// The target of `path`, also if the last link points to a missing file.
std::string link_target(const std::string& path) {
  constexpr int most_links = 40;  // same limit as Linux
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
  const std::string label = path == "-" ? std::string(standard_output)
                                        : option + " " + in_quotes(path);
  if (const auto descriptor = open_descriptor(path)) {
    struct stat info {};
    if (fstat(*descriptor, &info) != 0 || !S_ISREG(info.st_mode))
      return nullptr;
    return std::make_shared<const OutputClaim>(label, *descriptor);
  }
  if (path.empty() || is_special_file(path)) return nullptr;
  return std::make_shared<const OutputClaim>(label, link_target(path));
}

AtomicFile::AtomicFile(const std::string& path, const std::string& option)
    : AtomicFile(path, claim_output(path, option)) {}

AtomicFile::AtomicFile(const std::string& path,
                       std::shared_ptr<const OutputClaim> claim)
    : path_(path), claim_(std::move(claim)) {
  if (path.empty()) throw OutputError("cannot write \"\": no file name");
  if (const auto descriptor = open_descriptor(path)) {
    const int copy = fcntl(*descriptor, F_DUPFD_CLOEXEC, 0);
    const std::string name = path == "-" ? std::string(standard_output) : path;
    if (copy < 0) fail(name, errno);
    if ((fcntl(copy, F_GETFL) & O_ACCMODE) == O_RDONLY) {
      close(copy);
      throw OutputError(
          "cannot write " + in_quotes(name) + ": it is open for reading only",
          EBADF);
    }
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
  // A write-protected file must not be replaced.
  if (exists && access(path.c_str(), W_OK) != 0) fail(path, errno);
  if (claim_) claim_->check();
  target_ = link_target(path);
  if (target_.ends_with('/')) fail(path, EISDIR);
  // an entry of /proc leads to an open file also if this has no name any more;
  // once more, as another run may just have replaced it
  const auto is_target = [&] {
    std::error_code ignored;
    return fs::equivalent(path, target_, ignored);
  };
  if (exists && !is_target() && !is_target())
    throw OutputError("cannot write " + in_quotes(path) +
                      ": it is an open file without a name");
  open_temporary();
  if (exists) {
    const int descriptor = stream_->descriptor();
    // A different owner is preserved if permitted; the permissions always, and
    // after the owner, because changing the owner may clear some of them.
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
  const detail::SignalsHeldBack held;  // until registered for removal
  for (;;) {
    temporary_ = folder + "/.gttf-design-" + std::to_string(getpid()) + "-" +
                 std::to_string(counter++) + ".tmp";
    // the destructor does not run if the constructor throws here
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
  // Without this a power failure could leave an empty file under the new name.
  if (fsync(stream_->descriptor()) != 0) fail(path_, errno);
  if (claim_) claim_->check();
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(path_, errno);
  temporary_.clear();
  registration_.reset();
}

}  // namespace gttf
