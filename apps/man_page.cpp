// SPDX-License-Identifier: Apache-2.0
// The man page, generated from the table of options.
#include <algorithm>
#include <string>
#include <string_view>

#include "gttf/core/version.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

// Escapes text for roff: hyphens that can be copied, and no requests.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out = "\\&";
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string sentence(std::string_view text) {
  std::string out = roff(text);
  if (!text.ends_with('.') && !text.ends_with('?') && !text.ends_with('!'))
    out += '.';
  return out + '\n';
}

// Literal lines; indented ones without filling.
std::string roff_lines(std::string_view text) {
  std::string out = ".PP\n";
  bool verbatim = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool indented = line.starts_with(' ');
    if (indented != verbatim) out += indented ? ".PP\n.nf\n" : ".fi\n";
    verbatim = indented;
    out += line.empty() ? ".PP\n" : roff(line) + '\n';
  }
  return verbatim ? out + ".fi\n" : out;
}

std::string man_options(const Verb& verb) {
  std::string text;
  const Option* before = nullptr;
  for (const Option* option : options_of(verb.id)) {
    if (before == nullptr || before->group != option->group)
      text += ".PP\n.I " + roff(heading(option->group)) + ":\n";
    before = option;
    text += ".TP\n.B " +
            roff(option->is_argument() ? option->name() : option->names);
    if (!option->is_flag() &&
        (!option->is_argument() || !option->choices().empty()))
      text += " " + roff(option->value);
    text += '\n' + sentence(option->help);
  }
  return text;
}

std::string man_verb(const Verb& verb) {
  std::string text = ".SS " + roff(verb.name) + '\n' + sentence(verb.summary) +
                     ".PP\n.B " + roff(usage_of(verb)) + '\n' +
                     man_options(verb);
  if (!verb.notes.empty()) text += roff_lines(verb.notes);
  if (verb.examples.empty()) return text;
  text += ".PP\nExamples:\n.PP\n.nf\n  gttf\\-design ";
  for (const char c : roff(verb.examples))
    text += c == '\n' ? std::string("\n  gttf\\-design ") : std::string(1, c);
  return text + "\n.fi\n";
}

constexpr std::string_view man_head = R"(.SH NAME
gttf\-design \- resolution of tracking detectors by the General Triplet Track Fit
.SH SYNOPSIS
.B gttf\-design
.I VERB
.RI [ ARGUMENTS ]
.RI [ OPTIONS ]
.SH DESCRIPTION
Describe layers, material and field of a tracking detector in YAML, get its
momentum, angle and impact\-parameter resolution over momentum and angle, and
the reason for each number: shares of scattering and hit errors of every layer,
sensitivities, limits, simulated tracks, fits of measured hits.
.SH VERBS
)";

constexpr std::string_view man_tail = R"(.SH EXIT STATUS
.TP
0
Good.
.TP
1
.BR check :
a requirement is not met.
.TP
2
Wrong usage, invalid input, or an output that may not be written.
.TP
3
No track could be evaluated or fitted.
.TP
70
Internal error; please report it.
.TP
71
The system has run out of memory, threads, space or descriptors, or a device fails.
.SH ENVIRONMENT
.TP
.B GTTF_DESIGN_DATA
Folder with detectors/ and configs/ to use instead of the installed one.
.TP
.B GTTF_SIMD
Vector instructions to use; \-\-simd takes precedence.
.TP
.B NO_COLOR
If set and not empty, messages have no colours.
.SH FILES
.TP
.I share/gttf\-design/detectors/
Descriptions of existing and planned detectors. One that does not exist in the
current folder is found here by its name:
.B gttf\-design show alice_its2
.TP
.I share/gttf\-design/configs/
Studies of these detectors, found in the same way; requirements files are in configs/check/.
)";

}  // namespace

std::string man_page() {
  std::string text = ".TH GTTF\\-DESIGN 1 \"\" \"gttf\\-design " +
                     roff(gttf::version()) + "\" \"User Commands\"\n";
  text += man_head;
  for (const Verb* verb : all_verbs()) text += man_verb(*verb);
  return text.append(man_tail);
}

}  // namespace gttf::app
