// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "gttf/output/interrupt.hpp"
#include "gttf/output/terminal.hpp"

namespace gttf {
namespace {

constexpr std::chrono::milliseconds redraw_after{100};

bool can_draw(int descriptor) {
  if (isatty(descriptor) == 0) return false;
  const char* terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) != "dumb";
}

void draw(int descriptor, const std::string& text) {
  // Failure to draw the bar is ignored.
  [[maybe_unused]] const auto n = ::write(descriptor, text.data(), text.size());
}

std::string with_prefix(double rate) {
  if (rate >= 1e6) return fmt::format("{:.1f}M", rate / 1e6);
  if (rate >= 1e3) return fmt::format("{:.1f}k", rate / 1e3);
  return fmt::format("{:.0f}", rate);
}

std::string duration_text(double seconds) {
  const double whole = std::ceil(std::min(seconds, 359999.0));  // 99:59:59
  const int total = static_cast<int>(whole);
  if (total >= 3600)
    return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60,
                       total % 60);
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

}  // namespace

std::string progress_text(const std::string& label, std::size_t done,
                          std::size_t total, double seconds, std::size_t width,
                          const std::string& note) {
  if (total == 0)
    return note.empty()
               ? ""
               : fmt::format("{} {} {}", label, done, note).substr(0, width);
  const double fraction =
      std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const std::string head =
      fmt::format("{} {:3d}%", label, static_cast<int>(100 * fraction));
  std::string tail =
      fmt::format(" {}/{}{}{}", done, total, note.empty() ? "" : " ", note);
  if (done > 0 && seconds > 0) {
    const double rate = static_cast<double>(done) / seconds;
    tail += fmt::format("  {}/s", with_prefix(rate));
    if (done < total)
      tail += fmt::format(
          "  {} left", duration_text(static_cast<double>(total - done) / rate));
  }
  constexpr std::size_t longest_bar = 40, shortest_bar = 5;
  const std::size_t rest = head.size() + tail.size() + 3;  // " []"
  if (width < rest + shortest_bar) return (head + tail).substr(0, width);
  const std::size_t bar = std::min(longest_bar, width - rest);
  const auto full =
      static_cast<std::size_t>(fraction * static_cast<double>(bar));
  return head + " [" + std::string(full, '#') + std::string(bar - full, '-') +
         "]" + tail;
}

Progress::Progress(std::string label, Settings settings)
    : label_(std::move(label)),
      descriptor_(settings.descriptor),
      delay_(settings.delay),
      draws_(settings.wanted && can_draw(settings.descriptor)),
      start_(Clock::now()),
      next_(start_ + delay_) {}

Progress::~Progress() { erase(); }

void Progress::update(std::size_t done, std::size_t total,
                      const std::string& note) {
  if (!draws_) return;
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  if (now < next_) return;
  next_ = now + redraw_after;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  // The last column is left empty: some terminals wrap there.
  const std::string text =
      progress_text(label_, done, total, seconds,
                    terminal_size(descriptor_).columns - 1, note);
  drawn_ = true;
  detail::bar_is_drawn(true);
  draw(descriptor_, "\r" + text + "\033[K");
}

void Progress::erase() {
  const std::lock_guard lock(mutex_);
  if (!drawn_) return;
  drawn_ = false;
  detail::bar_is_drawn(false);
  draw(descriptor_, "\r\033[K");
}

}  // namespace gttf
