// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/junit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gttf/config/text.hpp"

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
    else if (c.code == '\r' || (blank && place == XmlPlace::attribute))
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

}  // namespace gttf
