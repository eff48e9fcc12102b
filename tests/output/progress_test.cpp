// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/progress.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

// A pseudo terminal: what is drawn on `terminal` can be read back.
class Screen {
 public:
  Screen() {
    screen_ = posix_openpt(O_RDWR | O_NOCTTY);
    if (screen_ < 0 || grantpt(screen_) != 0 || unlockpt(screen_) != 0) return;
    terminal_ = open(ptsname(screen_), O_RDWR | O_NOCTTY);
  }
  ~Screen() {
    close(terminal_);
    close(screen_);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  bool works() const { return terminal_ >= 0; }
  int terminal() const { return terminal_; }

  std::string shown() const {
    std::string text;
    pollfd ready{screen_, POLLIN, 0};
    while (poll(&ready, 1, 50) > 0) {  // 50 ms: it is all there already
      char part[256];
      const ssize_t n = read(screen_, part, sizeof part);
      if (n <= 0) break;
      text.append(part, static_cast<std::size_t>(n));
    }
    return text;
  }

 private:
  int screen_ = -1;
  int terminal_ = -1;
};

Progress::Settings on(const Screen& screen, int delay_ms) {
  Progress::Settings settings;
  settings.delay = std::chrono::milliseconds(delay_ms);
  settings.descriptor = screen.terminal();
  return settings;
}

}  // namespace

TEST_CASE("progress: the text shows share, count, rate and time left") {
  CHECK(progress_text("scan", 420, 1000, 2, 80) ==
        "scan  42% [################------------------------] 420/1000  210/s"
        "  0:03 left");
  CHECK(progress_text("scan", 5000000, 10000000, 5, 80)
            .ends_with("5000000/10000000  1.0M/s  0:05 left"));
  CHECK(progress_text("scan", 1, 36000, 1, 80).ends_with("9:59:59 left"));
  CHECK(progress_text("scan", 1000, 1000, 2, 80).ends_with("1000/1000  500/s"));
  CHECK(progress_text("optimise", 20, 200, 2, 90, "starts  best 19.5 um")
            .ends_with("] 20/200 starts  best 19.5 um  10/s  0:18 left"));
  CHECK(progress_text("optimise", 20, 0, 2, 90, "combinations  best 3 m2") ==
        "optimise 20 combinations  best 3 m2");
}

TEST_CASE("progress: the text fits the terminal") {
  for (std::size_t width = 1; width < 120; ++width)
    CHECK(progress_text("scan", 420, 1000, 2, width).size() <= width);
}

TEST_CASE("progress: nothing to do is nothing to report") {
  CHECK(progress_text("scan", 0, 0, 1, 80).empty());
  CHECK(progress_text("scan", 0, 10, 1, 80).ends_with(" 0/10"));
}

TEST_CASE("progress: drawn on a terminal and erased in the end") {
  const Screen screen;
  if (!screen.works()) return;
  setenv("TERM", "xterm", 1);
  {
    Progress bar("scan", on(screen, 0));
    bar.update(1, 2);
    CHECK(screen.shown().find("\rscan  50% [") != std::string::npos);
  }
  CHECK(screen.shown() == "\r\033[K");
}

TEST_CASE("progress: erased for other output and drawn again after it") {
  const Screen screen;
  if (!screen.works()) return;
  setenv("TERM", "xterm", 1);
  Progress bar("scan", on(screen, 0));
  bar.update(1, 4);
  bar.erase();
  bar.erase();
  CHECK(screen.shown().ends_with("\033[K\r\033[K"));
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  bar.update(2, 4);
  CHECK(screen.shown().find("50%") != std::string::npos);
}

TEST_CASE("progress: work shorter than the delay shows nothing") {
  const Screen screen;
  if (!screen.works()) return;
  {
    Progress bar("scan", on(screen, 100000));
    bar.update(1, 2);
    bar.update(2, 2);
  }
  CHECK(screen.shown().empty());
}

TEST_CASE("progress: nothing on a pipe, a dumb terminal or if unwanted") {
  int ends[2];
  REQUIRE(pipe2(ends, O_NONBLOCK) == 0);
  {
    Progress bar("scan", {true, std::chrono::milliseconds(0), ends[1]});
    bar.update(1, 2);
  }
  char byte;
  CHECK(read(ends[0], &byte, 1) == -1);
  close(ends[0]);
  close(ends[1]);

  const Screen screen;
  if (!screen.works()) return;
  setenv("TERM", "dumb", 1);
  {
    Progress bar("scan", on(screen, 0));
    bar.update(1, 2);
  }
  setenv("TERM", "xterm", 1);
  Progress::Settings unwanted = on(screen, 0);
  unwanted.wanted = false;
  {
    Progress bar("scan", unwanted);
    bar.update(1, 2);
  }
  CHECK(screen.shown().empty());
}

}  // namespace gttf::test::GTTF_TEST_FILE
