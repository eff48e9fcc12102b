// SPDX-License-Identifier: Apache-2.0
#include "rsvg.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <thread>
#include <vector>

#include "gttf/output/stream.hpp"
#include "usage.hpp"

extern char** environ;

namespace gttf::app {
namespace {

constexpr const char* converter = "rsvg-convert";

// Two ends, closed when nobody needs them any more.
struct Pipe {
  int ends[2] = {-1, -1};

  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw OutputError(cannot_write("a pipe", errno));
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(int i) {
    if (ends[i] >= 0) ::close(ends[i]);
    ends[i] = -1;
  }
};

void write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n =
        ::write(descriptor, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the converter has ended; its status tells why
    done += static_cast<std::size_t>(n);
  }
}

std::string read_all(int descriptor) {
  constexpr std::size_t block = 1 << 16;
  std::vector<char> buffer(block);
  std::string text;
  for (;;) {
    const ssize_t n = ::read(descriptor, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

std::string convert_svg(const std::string& svg, ImageFormat format,
                        double zoom) {
  if (format == ImageFormat::svg) return svg;
  const std::string zoom_text = "--zoom=" + std::to_string(zoom);
  std::array<const char*, 4> arguments{
      converter, format == ImageFormat::pdf ? "--format=pdf" : "--format=png",
      format == ImageFormat::pdf ? nullptr : zoom_text.c_str(), nullptr};
  Pipe in, out;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  pid_t child = 0;
  // the arguments are not changed by the child
  const int error =
      posix_spawnp(&child, converter, &actions, nullptr,
                   const_cast<char* const*>(arguments.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw UsageError(
        "PDF and PNG need the program rsvg-convert, which was not found; "
        "install it (Debian and Ubuntu: apt install librsvg2-bin, Fedora: dnf "
        "install librsvg2-tools, macOS: brew install librsvg) or write .svg");
  in.close_end(0);
  out.close_end(1);
  std::thread writer([&] {
    write_all(in.ends[1], svg);
    in.close_end(1);
  });
  std::string image = read_all(out.ends[0]);
  writer.join();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || image.empty())
    throw UsageError("rsvg-convert could not convert the figure (see above)");
  return image;
}

}  // namespace gttf::app
