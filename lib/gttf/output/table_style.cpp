// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/table_style.hpp"

#include <array>
#include <utility>

namespace gttf {

std::vector<std::size_t> shown_columns(const Table& table,
                                       const TableStyle& style) {
  std::vector<std::size_t> indices;
  if (style.columns.empty()) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) indices.push_back(i);
  }
  for (const std::string& name : style.columns)
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].name == name) indices.push_back(i);
  return indices;
}

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> units{{
    {"_per_GeV", "1/GeV"},  // before GeV
    {"_GeV", "GeV"},
    {"_MeV", "MeV"},
    {"_mm", "mm"},
    {"_um", "um"},
    {"_mrad", "mrad"},
    {"_rad", "rad"},
    {"_deg", "deg"},
    {"_percent", "%"},
    {"_T", "T"},
    {"_s", "s"},
}};

/// Of averages, as in AverageNumber::ending.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6>
    average_endings{{{"_error", "error"},
                     {"_rms", "rms"},
                     {"_q16", "16 %"},
                     {"_q50", "50 %"},
                     {"_q84", "84 %"},
                     {"_q95", "95 %"}}};

bool take_prefix(std::string_view& text, std::string_view prefix) {
  const bool found = text.substr(0, prefix.size()) == prefix;
  if (found) text.remove_prefix(prefix.size());
  return found;
}

bool is_capital(std::string_view word) {
  return word.size() == 1 && word[0] >= 'A' && word[0] <= 'Z';
}

void append_words(std::vector<std::string>& words, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('_'), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

Heading heading_of(std::string_view name) {
  Heading heading;
  // of averages: "sigma_d0_um_rms"
  std::string_view behind;
  for (const auto& [ending, word] : average_endings)
    if (name.ends_with(ending)) {
      behind = word;
      name.remove_suffix(ending.size());
      break;
    }
  for (const auto& [ending, unit] : units) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      heading.unit = unit;
      name.remove_suffix(ending.size());
      break;
    }
  }
  // of several designs: "A_sigma_d0_um"
  if (is_capital(name.substr(0, name.find('_'))) && name.size() > 2) {
    heading.words.emplace_back(name.substr(0, 1));
    name.remove_prefix(2);
  }
  if (take_prefix(name, "sigma_")) {
    heading.words.emplace_back("sigma");
    heading.zeros = Zeros::keep;
  } else if (name == "sigma" || name.starts_with("pull_width") ||
             name == "chi2_per_ndf") {
    heading.zeros = Zeros::keep;
  } else if (name.starts_with("ratio")) {
    heading.zeros = Zeros::keep;
    heading.ratio = true;
  } else {
    take_prefix(name, "n_");
  }
  if (take_prefix(name, "x_over_x0")) {
    heading.words.emplace_back("x/X0");
    heading.unit.assign(1, '%');
    heading.factor = 100;
  }
  const std::size_t rel = name.find("_rel");
  if (rel != std::string_view::npos &&
      (rel + 4 == name.size() || name[rel + 4] == '_')) {
    append_words(heading.words, name.substr(0, rel));
    name.remove_prefix(rel + 4);
    heading.unit.assign(1, '%');
    heading.factor = 100;
  }
  append_words(heading.words, name);
  if (!behind.empty()) heading.words.emplace_back(behind);
  return heading;
}

std::string one_line(const Heading& heading) {
  std::string text;
  std::size_t next = 0;
  if (!heading.words.empty() && is_capital(heading.words[0]))
    text = heading.words[next++];
  if (heading.words.size() > next + 1 && heading.words[next] == "sigma" &&
      heading.words[next + 1] != "without") {
    if (next > 0) text += ' ';
    text += "sigma(" + heading.words[next + 1] + ")";
    next += 2;
  }
  for (; next < heading.words.size(); ++next) {
    if (!text.empty()) text += ' ';
    text += heading.words[next];
  }
  if (!heading.unit.empty()) text += " [" + heading.unit + "]";
  return text;
}

}  // namespace gttf
