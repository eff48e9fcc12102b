// SPDX-License-Identifier: Apache-2.0
// Progress: a bar on a terminal for work that takes longer than a second.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace gttf {

/// Draws "scan  42% [####------] 420/1000  1.2k/s  0:03 left" on standard
/// error. Nothing is drawn in the first second, more than ten times a second,
/// or if standard error is not a terminal; the bar is erased at the end.
/// Thread-safe.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  struct Settings {
    bool wanted = true;  ///< false: never draws
    std::chrono::milliseconds delay{1000};
    int descriptor = 2;  ///< output file
  };

  Progress(std::string label, Settings settings);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of `total` units of work are finished.
  /// @param total  0: not known
  /// @param note   shown behind it
  void update(std::size_t done, std::size_t total,
              const std::string& note = {});

  /// Removes the bar until the next update, for other output.
  void erase();

 private:
  const std::string label_;
  const int descriptor_;
  const Clock::duration delay_;
  bool draws_;
  const Clock::time_point start_;
  Clock::time_point next_;
  bool drawn_ = false;
  std::mutex mutex_;
};

/// The text of the bar, at most `width` characters, `seconds` after the start.
/// Without a total it has no share, and needs a note.
std::string progress_text(const std::string& label, std::size_t done,
                          std::size_t total, double seconds, std::size_t width,
                          const std::string& note = {});

}  // namespace gttf
