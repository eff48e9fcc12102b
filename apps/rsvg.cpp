// SPDX-License-Identifier: Apache-2.0
#include "rsvg.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <vector>

#include "gttf/config/text.hpp"
#include "gttf/output/atomic_file.hpp"
#include "usage.hpp"

extern char** environ;

namespace gttf::app {
namespace {

constexpr const char* converter = "rsvg-convert";

// The two ends of a pipe, closed when no longer needed.
struct Pipe {
  int ends[2] = {-1, -1};

  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw OutputError(cannot_write("a pipe", errno), errno);
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

// The converter process, terminated and waited for on destruction if necessary.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int wait() {
    int status = -1;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_;
};

// Writes `text` and returns the output, interleaved, because the converter may
// write before it has read everything.
std::string exchange(Pipe& in, Pipe& out, const std::string& text) {
  constexpr std::size_t block = 1 << 16;
  fcntl(in.ends[1], F_SETFL, O_NONBLOCK);
  std::vector<char> buffer(block);
  std::string answer;
  for (std::size_t done = 0;;) {
    if (done == text.size()) in.close_end(1);
    std::array<pollfd, 2> ready{
        {{in.ends[1], POLLOUT, 0}, {out.ends[0], POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR)
      throw OutputError(cannot_write("a pipe", errno), errno);
    if (ready[0].revents != 0) {
      const ssize_t n =
          ::write(in.ends[1], text.data() + done, text.size() - done);
      if (n >= 0)
        done += static_cast<std::size_t>(n);
      else if (errno == EPIPE)
        done = text.size();  // it has ended; see its status
      else if (errno != EINTR && errno != EAGAIN)
        throw OutputError(cannot_write("to rsvg-convert", errno), errno);
    }
    if (ready[1].revents == 0) continue;
    const ssize_t n = ::read(out.ends[0], buffer.data(), buffer.size());
    if (n == 0) return answer;
    if (n > 0)
      answer.append(buffer.data(), static_cast<std::size_t>(n));
    else if (errno != EINTR)
      throw OutputError(
          std::string("cannot read the output of rsvg-convert: ") +
              std::strerror(errno),
          errno);
  }
}

}  // namespace

ImageFormat image_format_of(const std::string& option,
                            const std::string& file) {
  if (is_special_file(file)) return ImageFormat::svg;
  const std::string ending =
      lower_case(std::filesystem::path(file).extension().string());
  if (ending == ".svg") return ImageFormat::svg;
  if (ending == ".pdf") return ImageFormat::pdf;
  if (ending == ".png") return ImageFormat::png;
  throw UsageError(option + " " + in_quotes(file) +
                   ": a figure is .svg, .pdf or .png");
}

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
  pid_t pid = 0;
  // the arguments are not changed by the child
  const int error =
      posix_spawnp(&pid, converter, &actions, nullptr,
                   const_cast<char* const*>(arguments.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (is_out_of_resources(error))
    throw OutputError(
        std::string("cannot start rsvg-convert: ") + std::strerror(error),
        error);
  if (error != 0)
    throw UsageError(
        "PDF and PNG need the program rsvg-convert, which was not found; "
        "install it (Debian and Ubuntu: apt install librsvg2-bin, Fedora: dnf "
        "install librsvg2-tools, macOS: brew install librsvg) or write .svg");
  Child child(pid);
  in.close_end(0);
  out.close_end(1);
  std::string image = exchange(in, out, svg);
  const int status = child.wait();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || image.empty())
    throw UsageError("rsvg-convert could not convert the figure (see above)");
  return image;
}

}  // namespace gttf::app
