// SPDX-License-Identifier: Apache-2.0
// Page: a report as data: sections of text, tables and figures.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gttf/core/figure.hpp"
#include "gttf/core/variant.hpp"

namespace gttf {

struct Paragraph {
  RichText text = {};
  bool lead = false;  ///< the first thing to read
};

/// A share of a scale, drawn as a bar: +0.2 is 20 % to spare.
struct MarginBar {
  double value = 0;
};

/// A verdict: a sign, a word and a colour.
struct Verdict {
  enum class State { good, bad, unknown };
  State state = State::good;
  std::string word = {};
};

using PageCell = Variant<RichText, MarginBar, Verdict>;

struct PageColumn {
  RichText title = {};
  bool right = true;  ///< aligned to the right, as numbers are
  std::string span =
      {};  ///< columns next to each other with the same text share it
};

struct PageTable {
  RichText title = {};
  RichText subtitle = {};
  std::vector<PageColumn> columns = {};
  std::vector<std::vector<PageCell>> rows = {};
  RichText caption = {};
  bool folded = false;  ///< shown when asked for; `title` is the handle
  std::string id = {};  ///< unique in the page; needed where there is data
  Table data = {};      ///< what can be saved as CSV; no columns: nothing
};

/// Text beside a figure under a small heading.
struct Aside {
  RichText title = {};
  std::vector<RichText> paragraphs = {};
};

using PageBlock = Variant<Paragraph, PageTable, Aside, Figure>;

/// Blocks next to each other: the first is as wide as all others if alone, or
/// two thirds and the rest in one column (`Split::wide_first`), or equal.
struct PageRow {
  enum class Split { full, halves, wide_first };
  Split split = Split::full;
  std::vector<PageBlock> blocks = {};
};

struct PageSection {
  std::string id = {};
  RichText title = {};
  std::vector<PageRow> rows = {};
  RichText short_title = {};  ///< in the navigation; empty: not there
};

struct Page {
  RichText title = {};
  RichText conditions = {};  ///< one line: field, particle, ranges, models
  std::vector<PageSection> sections = {};
  std::vector<std::pair<std::string, RichText>> facts = {};  ///< at the end
};

}  // namespace gttf
