// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/stream.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

namespace gttf {

std::string cannot_write(const std::string& name, int error) {
  std::string reason = std::generic_category().message(error);
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z')
    reason[0] = static_cast<char>(reason[0] - 'A' + 'a');
  return "cannot write \"" + name + "\": " + reason;
}

class FileStream::Buffer : public std::streambuf {
 public:
  Buffer(int fd, std::string text, bool close)
      : descriptor(fd), name(std::move(text)), owned(close), data_(1 << 16) {
    setp(data_.data(), data_.data() + data_.size());
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
    if (size <= epptr() - pptr()) {
      std::memcpy(pptr(), text, static_cast<std::size_t>(size));
      pbump(static_cast<int>(size));
    } else {
      drain();
      write_all(text, static_cast<std::size_t>(size));
    }
    return size;
  }

  int sync() override {
    drain();
    return 0;
  }

  void drain() {
    const auto size = static_cast<std::size_t>(pptr() - pbase());
    setp(data_.data(), data_.data() + data_.size());
    write_all(data_.data(), size);
  }

  void write_all(const char* text, std::size_t size) {
    while (size > 0) {
      const ssize_t written = ::write(descriptor, text, size);
      if (written >= 0) {
        text += written;
        size -= static_cast<std::size_t>(written);
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        // A terminal shared with a program that made it non-blocking.
        pollfd wait{descriptor, POLLOUT, 0};
        poll(&wait, 1, -1);
      } else if (errno != EINTR) {
        const int error = errno;
        if (error == EPIPE) throw ReaderGone(cannot_write(name, error));
        throw OutputError(cannot_write(name, error));
      }
    }
  }

  std::vector<char> data_;
};

FileStream::FileStream(int descriptor, std::string name, bool owned)
    : std::ostream(nullptr),
      buffer_(std::make_unique<Buffer>(descriptor, std::move(name), owned)) {
  rdbuf(buffer_.get());
  exceptions(std::ios::badbit);  // pass on what the buffer throws
}

FileStream::~FileStream() = default;

int FileStream::descriptor() const { return buffer_->descriptor; }

}  // namespace gttf
