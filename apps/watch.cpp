// SPDX-License-Identifier: Apache-2.0
#include "watch.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "explain.hpp"
#include "gttf/config/opened_files.hpp"
#include "gttf/config/text.hpp"
#include "messages.hpp"
#include "usage.hpp"

namespace gttf::app {
namespace {

// Identifies the content of a file; nothing if there is no file.
struct Stamp {
  ino_t inode = 0;
  off_t size = 0;
  time_t seconds = 0;
  long nanoseconds = 0;

  bool operator==(const Stamp&) const = default;
};

std::optional<Stamp> stamp_of(const std::string& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return std::nullopt;
  return Stamp{info.st_ino, info.st_size, info.st_mtim.tv_sec,
               info.st_mtim.tv_nsec};
}

// Whether a file was written or moved here since `begin`.
bool changed_since(const std::string& file,
                   std::chrono::system_clock::time_point begin) {
  using namespace std::chrono;
  constexpr auto tick = 10ms;  // of the clock of file systems, or longer
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return true;
  const auto changed =
      seconds(info.st_ctim.tv_sec) + nanoseconds(info.st_ctim.tv_nsec);
  return changed >= begin.time_since_epoch() - tick;
}

using Stamps = std::vector<std::pair<std::string, std::optional<Stamp>>>;

Stamps stamps_of(const std::vector<std::string>& files) {
  Stamps stamps;
  for (const std::string& file : files)
    stamps.emplace_back(file, stamp_of(file));
  return stamps;
}

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[16];
  const std::size_t n = std::strftime(text, sizeof text, "%H:%M:%S", &local);
  return {text, n};
}

}  // namespace

int watch(const Call& call, int (*work)(const Call&)) {
  using namespace std::chrono_literals;
  const Options& options = call.options;
  if (std::ranges::count(options.arguments, "-") > 0 ||
      std::ranges::count(options.detectors, "-") > 0)
    throw UsageError("--watch: standard input does not change; give a file");
  if (options.file == "-" && isatty(STDOUT_FILENO) == 0)
    throw UsageError("--watch: give -o FILE, a pipe cannot be written again");
  std::vector<std::string> files = options.arguments;
  files.insert(files.end(), options.detectors.begin(), options.detectors.end());
  for (;;) {
    const auto begin = std::chrono::steady_clock::now();
    const auto began_at = std::chrono::system_clock::now();
    forget_inputs();
    // a change while the work is under way is not missed
    Stamps before = stamps_of(files);
    const bool done = explained([&] { return work(call); }) == good;
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - begin;
    std::vector<std::string> read = inputs_of_run();
    for (const auto* list : {&options.arguments, &options.detectors})
      for (const std::string& file : *list)
        if (std::ranges::find(read, file) == read.end()) read.push_back(file);
    Stamps now = stamps_of(read);
    for (auto& [file, stamp] : now) {
      const auto known =
          std::ranges::find(before, file, &Stamps::value_type::first);
      if (known != before.end())
        stamp = known->second;
      else if (changed_since(file, began_at))
        stamp.reset();
    }
    if (!options.quiet) {
      const std::string text =
          done ? (options.file == "-" ? "drawn" : options.file + " written")
               : "not written";
      print_note("gttf-design: " + time_of_day() + " " + text + " (" +
                 std::to_string(static_cast<int>(took.count() * 1000)) +
                 " ms); watching " + std::to_string(read.size()) +
                 (read.size() == 1 ? " file" : " files") + ", Ctrl-C ends\n");
    }
    constexpr auto look_again = 200ms, settle = 60ms;
    while (stamps_of(read) == now) std::this_thread::sleep_for(look_again);
    // an editor may still be writing
    for (Stamps last; last != (now = stamps_of(read)); last = now)
      std::this_thread::sleep_for(settle);
    files = std::move(read);
  }
}

}  // namespace gttf::app
