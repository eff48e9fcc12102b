// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "gttf/config/text.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/output/atomic_file.hpp"
#include "usage.hpp"

namespace gttf::app {

void print(const std::string& text) {
  FileStream out(STDOUT_FILENO, "standard output", false);
  out << visible_lines(text);
  out.flush();
}

void print_note(std::string_view lines) {
  std::fputs(visible_lines(lines).c_str(), stderr);
}

bool colours(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
  return isatty(descriptor) != 0;
}

void show(const Diagnostics& diagnostics, bool quiet) {
  const bool colour = colours(STDERR_FILENO);
  for (const Diagnostic& d : diagnostics.items())
    if (!quiet || d.severity == Severity::error) {
      const bool of_a_place = !d.file.empty();
      std::fputs(of_a_place ? "" : "gttf-design: ", stderr);
      std::fputs(to_text(d, colour).c_str(), stderr);
    }
}

void print_error(std::string_view text) {
  const bool colour = colours(STDERR_FILENO);
  std::fprintf(stderr, "gttf-design: %serror:%s ", colour ? "\033[1;31m" : "",
               colour ? "\033[0m" : "");
  print_note(text);
  std::fputc('\n', stderr);
}

Progress::Settings bar_settings(const OutputOptions& options) {
  Progress::Settings settings;
  settings.wanted = !options.quiet && !options.no_progress;
  return settings;
}

void print_statistics(const BatchStatistics& s) {
  std::ostringstream text;
  const auto line = [&text](std::size_t n, const char* what) {
    if (n > 0) text << "  " << n << ' ' << what << '\n';
  };
  text << s.tracks << " tracks, " << s.groups << " groups, vectors "
       << to_string(simd_level()) << '\n';
  line(s.vectorised - s.mixed,
       "vectorised with tracks that cross the same surfaces");
  line(s.mixed, "vectorised with tracks that cross other surfaces, masked");
  line(s.half_empty, "of these in vectors that were less than half full");
  line(s.doubtful - s.not_followed,
       "scalar path: a parameter is free, or nearly so");
  line(s.not_followed,
       "scalar path: stops, bends strongly or recurls to layers");
  line(s.unsupported - s.other_way,
       "scalar path: field, model or layers not vectorised");
  line(s.other_way,
       "scalar path: along the axis, or through layers more than once");
  line(s.not_fitted, "not fitted: too few hits");
  print_note(text.str());
}

int code_of(std::size_t evaluated, std::string_view status, bool quiet) {
  if (evaluated > 0) return good;
  if (!quiet)
    print_note("gttf-design: no track has a resolution: " +
               std::string(status) + '\n');
  return no_track;
}

int code_of(std::size_t evaluated, Status status, bool quiet) {
  return code_of(evaluated, to_string(status), quiet);
}

int code_of(std::size_t evaluated) {
  if (evaluated > 0) return good;
  print_note(
      "gttf-design: no track could be evaluated; see column \"status\" for "
      "the reason\n");
  return no_track;
}

}  // namespace gttf::app
