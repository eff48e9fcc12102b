// SPDX-License-Identifier: Apache-2.0
// Whether a text is well-formed XML, as far as SVG files need it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gttf::test {

/// The first error in `text`; empty if it is one element with elements, text
/// and the five entities in it, tags closed in order, attributes quoted and
/// given once. A declaration may come first.
inline std::string xml_fault(std::string_view text) {
  const auto entities_hold = [](std::string_view part) {
    for (std::size_t i = part.find('&'); i != part.npos;
         i = part.find('&', i + 1)) {
      bool known = false;
      for (const std::string_view e :
           {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
        known = known || part.substr(i).starts_with(e);
      if (!known) return false;
    }
    return true;
  };
  if (text.starts_with("<?xml")) text.remove_prefix(text.find("?>") + 2);
  std::vector<std::string> open;
  int roots = 0;
  while (!text.empty()) {
    const std::size_t tag = text.find('<');
    const std::string_view before = text.substr(0, tag);
    if (!entities_hold(before)) return "bare & in " + std::string(before);
    if (open.empty() && before.find_first_not_of(" \n") != before.npos)
      return "text outside of the element";
    if (tag == text.npos) break;
    text.remove_prefix(tag + 1);
    // up to the end of the tag, > in quotes does not end it
    std::size_t end = 0;
    for (bool quoted = false; end < text.size(); ++end) {
      if (text[end] == '"') quoted = !quoted;
      if (text[end] == '>' && !quoted) break;
    }
    if (end == text.size()) return "a tag does not end";
    std::string_view inside = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (inside.starts_with('/')) {
      if (open.empty() || open.back() != inside.substr(1))
        return "unexpected </" + std::string(inside.substr(1)) + ">";
      open.pop_back();
      continue;
    }
    const bool closed = inside.ends_with('/');
    if (closed) inside.remove_suffix(1);
    const std::size_t space = inside.find(' ');
    const std::string name(inside.substr(0, space));
    std::string_view rest =
        space == inside.npos ? std::string_view() : inside.substr(space);
    std::vector<std::string> names;
    while (!rest.empty()) {
      if (rest.find_first_not_of(' ') == rest.npos) break;
      rest.remove_prefix(rest.find_first_not_of(' '));
      const std::size_t is = rest.find("=\"");
      if (is == rest.npos) return "attribute without value in " + name;
      const std::string attribute(rest.substr(0, is));
      for (const std::string& other : names)
        if (other == attribute) return "attribute twice: " + attribute;
      names.push_back(attribute);
      rest.remove_prefix(is + 2);
      const std::size_t close = rest.find('"');
      if (close == rest.npos) return "attribute does not end in " + name;
      const std::string_view value = rest.substr(0, close);
      if (value.find('<') != value.npos || !entities_hold(value))
        return "bare sign in " + attribute;
      rest.remove_prefix(close + 1);
    }
    if (open.empty() && ++roots > 1) return "two elements";
    if (!closed) open.push_back(name);
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

}  // namespace gttf::test
