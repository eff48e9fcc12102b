// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/annotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "gttf/config/sha256.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/document.hpp"
#include "gttf/output/json.hpp"

namespace gttf {
namespace {

enum class CommandPart { message, property };

std::string command_escaped(std::string_view text, CommandPart part) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const detail::Character c = detail::character_at(text, i);
    const bool special =
        c.code == '%' || c.code == '\r' || c.code == '\n' ||
        (part == CommandPart::property && (c.code == ':' || c.code == ','));
    if (!c.valid)
      out += "\uFFFD";
    else if (special)
      out += fmt::format("%{:02X}", static_cast<unsigned>(c.code));
    else if (detail::is_invisible(c.code) && c.code != '\t')
      detail::append_escape(out, c.code);
    else
      out += text.substr(i, c.bytes);
    i += c.bytes;
  }
  return out;
}

struct Annotation {
  std::string_view level = "error";
  std::string file, title, message;
  int line = 0, column = 0;
};

void write(std::ostream& out, const Annotation& a) {
  std::string properties;
  const auto add = [&properties](std::string_view name,
                                 std::string_view value) {
    properties += properties.empty() ? ' ' : ',';
    properties += name;
    properties += '=';
    properties += command_escaped(value, CommandPart::property);
  };
  if (!a.file.empty()) add("file", a.file);
  if (!a.file.empty() && a.line > 0) add("line", std::to_string(a.line));
  if (!a.file.empty() && a.column > 0) add("col", std::to_string(a.column));
  if (!a.title.empty()) add("title", a.title);
  out << "::" << a.level << properties
      << "::" << command_escaped(a.message, CommandPart::message) << '\n';
}

/// Without the line end that a message would show as an empty line.
std::string joined_lines(const std::string& first, const std::string& others) {
  std::string text = others.empty() ? first : first + '\n' + others;
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

}  // namespace

void write_github(std::ostream& out, const TestReport& report) {
  for (const TestCase& test : report.cases) {
    if (test.passed) continue;
    Annotation a;
    a.file = test.file;
    a.line = test.line;
    a.column = test.column;
    a.title = test.name;
    a.message = joined_lines(test.message, test.details);
    write(out, a);
  }
  out.flush();
}

void write_github(std::ostream& out, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.items()) {
    Annotation a;
    if (d.severity == Severity::warning) a.level = "warning";
    if (d.line > 0) a.file = d.file;
    a.line = d.line;
    a.column = d.column;
    a.message = d.path.empty() ? d.problem : d.path + ": " + d.problem;
    if (!d.suggestion.empty()) a.message += "; " + d.suggestion;
    write(out, a);
  }
  out.flush();
}

void write_code_quality(std::ostream& out, const TestReport& report) {
  Document list = Document::List{};
  for (const TestCase& test : report.cases) {
    if (test.passed) continue;
    const std::string identity =
        test.file + '\n' + test.suite + '\n' + test.name;
    list.append(
        Document()
            .set("description", test.name + ": " + test.message)
            .set("check_name", "gttf-design check")
            .set("fingerprint", sha256(identity))
            .set("severity", "major")
            .set("location",
                 Document()
                     .set("path", test.file)
                     .set("lines",
                          Document().set("begin", std::max(1, test.line)))));
  }
  std::string text;
  append_json(text, list);
  out << text << '\n';
  out.flush();
}

}  // namespace gttf
