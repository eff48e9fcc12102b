// SPDX-License-Identifier: Apache-2.0

#include "gttf/output/ci_report.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gttf/config/sha256.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/document.hpp"
#include "gttf/output/json.hpp"

namespace gttf {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name,
                     xml_escaped(value, XmlPlace::attribute));
}

std::string counts(std::size_t tests, std::size_t failures) {
  return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"0\"", tests,
                     failures);
}

void write_case(std::ostream& out, const TestCase& test) {
  out << "    <testcase" << attribute("name", test.name)
      << attribute("classname", test.suite);
  if (test.passed) {
    out << "/>\n";
    return;
  }
  std::string details = test.details;
  if (!test.file.empty()) {
    std::string place = test.file;
    if (test.line > 0) place += fmt::format(":{}:{}", test.line, test.column);
    details = place + '\n' + details;
  }
  out << ">\n      <failure" << attribute("message", test.message)
      << attribute("type", "requirement") << '>'
      << xml_escaped(details, XmlPlace::text)
      << "</failure>\n    </testcase>\n";
}

}  // namespace

std::string xml_escaped(std::string_view text, XmlPlace place) {
  constexpr std::string_view replacement = "\uFFFD";
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const detail::Character c = detail::character_at(text, i);
    const std::string_view bytes = text.substr(i, c.bytes);
    const bool command = detail::is_command(text, i);
    i += c.bytes;
    const bool blank = c.code == '\t' || c.code == '\n' || c.code == '\r';
    const bool legal = c.valid && (blank || c.code >= 0x20) &&
                       (c.code < 0xD800 || c.code > 0xDFFF) &&
                       c.code != 0xFFFE && c.code != 0xFFFF;
    if (!legal)
      out += replacement;
    else if (detail::is_invisible(c.code) && !blank)
      detail::append_escape(out, c.code);
    else if (c.code == '&')
      out += "&amp;";
    else if (c.code == '<')
      out += "&lt;";
    else if (c.code == '>')
      out += "&gt;";
    else if (c.code == '"')
      out += "&quot;";
    else if (command || c.code == '\r' ||
             (blank && place == XmlPlace::attribute))
      out += fmt::format("&#{};", static_cast<unsigned>(c.code));
    else
      out += bytes;
  }
  return out;
}

void write_junit(std::ostream& out, const TestReport& report) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"
      << attribute("name", report.name)
      << counts(report.cases.size(), report.n_failed()) << ">\n";
  for (auto first = report.cases.begin(); first != report.cases.end();) {
    const auto last = std::find_if(
        first, report.cases.end(),
        [&](const TestCase& test) { return test.suite != first->suite; });
    const auto failed = std::count_if(
        first, last, [](const TestCase& test) { return !test.passed; });
    out << "  <testsuite" << attribute("name", first->suite)
        << counts(static_cast<std::size_t>(last - first),
                  static_cast<std::size_t>(failed))
        << " skipped=\"0\">\n";
    for (; first != last; ++first) write_case(out, *first);
    out << "  </testsuite>\n";
  }
  out << "</testsuites>\n";
  out.flush();
}

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
    else if ((detail::is_invisible(c.code) && c.code != '\t') ||
             detail::is_command(text, i))
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

/// Removes the final line end, which would appear as an empty line.
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
