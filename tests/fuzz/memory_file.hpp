// SPDX-License-Identifier: Apache-2.0
// MemoryFile: bytes that a reader of files can open, without a disk.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace gttf::test {

/// Lives as long as the bytes may be read by path().
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* bytes, std::size_t n)
      : descriptor_(memfd_create("fuzz", 0)) {
    if (descriptor_ < 0) std::abort();
    while (n > 0) {
      const ssize_t written = write(descriptor_, bytes, n);
      if (written <= 0) std::abort();
      bytes += written;
      n -= static_cast<std::size_t>(written);
    }
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const {
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

}  // namespace gttf::test
