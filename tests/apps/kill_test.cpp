// SPDX-License-Identifier: Apache-2.0
// The program is killed at random moments while it overwrites an old file:
// afterwards there is the old file or the complete new one, and nothing else.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/folder.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using Clock = std::chrono::steady_clock;
using Arguments = std::vector<std::string>;
constexpr const char* old_content = "the old file\n";

/// The program with these arguments, in a separate process group and without a
/// terminal.
pid_t start(const Folder& folder, const Arguments& arguments) {
  // A signal that comes before exec() must end the child directly, without
  // calling the handlers of doctest.
  sigset_t all_signals, before;
  sigfillset(&all_signals);
  sigprocmask(SIG_BLOCK, &all_signals, &before);
  const pid_t child = fork();
  if (child == 0)
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1})
      std::signal(signal, SIG_DFL);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child != 0) return child;
  const int nothing = open("/dev/null", O_RDWR);
  for (const int descriptor : {0, 1, 2}) dup2(nothing, descriptor);
  const std::string program = GTTF_PROGRAM_DIR "/gttf-design";
  std::vector<char*> all{const_cast<char*>(program.c_str())};
  for (const std::string& a : arguments)
    all.push_back(const_cast<char*>(a.c_str()));
  all.push_back(nullptr);
  if (chdir(folder.path().c_str()) == 0) execv(program.c_str(), all.data());
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return status;
}

struct Run {
  std::string name;  ///< of the file that is written
  Arguments arguments;
};

const std::string detectors = GTTF_SOURCE_DIR "/detectors/";

const std::vector<Run>& runs() {
  const Arguments grid{"--detector", detectors + "alice_its2.yaml",
                       "--p",        "0.2GeV:50GeV:90",
                       "--eta",      "0:1.2:40"};
  const auto command = [](std::string verb, const Arguments& options,
                          const std::string& file) {
    Arguments all{std::move(verb)};
    all.insert(all.end(), options.begin(), options.end());
    for (const char* last : {"--no-provenance", "--quiet", "-o"})
      all.emplace_back(last);
    all.push_back(file);
    return all;
  };
  Arguments small = grid;
  small[3] = "0.2GeV:50GeV:15";
  small[5] = "0:1.2:5";
  Arguments toys = small;
  toys.insert(toys.end(), {"--toys", "20"});
  static const std::vector<Run> all{
      {"scan.csv", command("scan", grid, "scan.csv")},
      {"scan.json", command("scan", grid, "scan.json")},
      {"toys.json", command("toy", toys, "toys.json")},
      {"report.html", command("report", small, "report.html")},
      // a baseline always states its origin
      {"baseline.json",
       {"baseline", GTTF_SOURCE_DIR "/configs/alice_its2-grid.yaml", "-o",
        "baseline.json"}}};
  return all;
}

/// Lives while one command is killed again and again.
class Victim {
 public:
  explicit Victim(const Run& run) : run_(run) {
    // the shorter of two: other programs may have been in the way
    for (int i = 0; i < 2; ++i) {
      const auto begin = Clock::now();
      REQUIRE(wait_for(start(folder_, run.arguments)) == 0);
      time_ = std::min(time_, Clock::now() - begin);
    }
    new_content_ = folder_.read(run.name);
    REQUIRE(new_content_.size() > 2000);
    REQUIRE(new_content_ != old_content);
  }

  /// Sends `signal` after `share` of the time that the command takes, and
  /// checks what is there then. Returns whether it was in time.
  bool kill_at(double share, int signal) {
    folder_.write(run_.name, old_content);
    const pid_t child = start(folder_, run_.arguments);
    std::this_thread::sleep_for(
        std::chrono::duration_cast<std::chrono::nanoseconds>(time_) * share);
    kill(child, signal);
    const int status = wait_for(child);
    const bool killed = WIFSIGNALED(status);
    // as if the program did not care for signals: a shell makes it 128 + n
    CHECK((killed ? WTERMSIG(status) == signal : status == 0));
    const std::string content = folder_.read(run_.name);
    const bool is_new = content == new_content_;
    CHECK((is_new || (killed && content == old_content)));
    remove_rest(signal);
    return killed;
  }

  int left_behind() const { return left_behind_; }

 private:
  // Nothing can be tidied up after SIGKILL: the file under construction stays,
  // and its name identifies its owner.
  void remove_rest(int signal) {
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      if (name == run_.name) continue;
      CAPTURE(name);
      CHECK(signal == SIGKILL);
      CHECK(name.starts_with(".gttf-design-"));
      CHECK(name.ends_with(".tmp"));
      std::filesystem::remove(entry.path());
      ++left_behind_;
    }
  }

  const Run& run_;
  Folder folder_;
  Clock::duration time_ = Clock::duration::max();
  std::string new_content_;
  int left_behind_ = 0;
};

}  // namespace

TEST_CASE("killed while it writes: the old file or the whole new one") {
  std::mt19937 random(20260117);
  std::uniform_real_distribution<double> share(0, 1.1);
  for (const Run& run : runs()) {
    CAPTURE(run.name);
    Victim victim(run);
    for (const int signal :
         {SIGKILL, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1}) {
      CAPTURE(signal);
      constexpr int wanted = 4, most_tries = 60;
      int killed = 0;
      // at least once with SIGKILL while a file was under construction
      const auto is_enough = [&] {
        return killed >= wanted &&
               (signal != SIGKILL || victim.left_behind() > 0);
      };
      for (int tries = 0; !is_enough() && tries < most_tries; ++tries) {
        const double at = share(random);
        CAPTURE(at);
        killed += victim.kill_at(at, signal);
      }
      CHECK(is_enough());  // the others came too late
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
