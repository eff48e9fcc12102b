// SPDX-License-Identifier: Apache-2.0
// Page: the content of a report: sections of text, tables and figures.
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
  bool lead = false;  ///< summary at the top
};

/// A share of a scale, drawn as a bar: +0.2 is a margin of 20 %.
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
  bool right = true;  ///< aligned to the right, like numbers
  std::string span =
      {};  ///< columns next to each other with the same text share it
};

struct PageTable {
  RichText title = {};
  RichText subtitle = {};
  std::vector<PageColumn> columns = {};
  std::vector<std::vector<PageCell>> rows = {};
  RichText caption = {};
  bool folded = false;  ///< collapsed by default; `title` is the handle
  std::string id = {};  ///< unique in the page; needed where there is data
  Table data = {};      ///< data that can be saved as CSV; no columns: none
};

/// Text next to a figure, under a small heading.
struct Aside {
  RichText title = {};
  std::vector<RichText> paragraphs = {};
};

using PageBlock = Variant<Paragraph, PageTable, Aside, Figure>;

/// Blocks next to each other: of equal width, or the first two thirds wide and
/// the others in one column (`Split::wide_first`).
struct PageRow {
  enum class Split { full, halves, wide_first };
  Split split = Split::full;
  std::vector<PageBlock> blocks = {};
};

struct PageSection {
  std::string id = {};
  RichText title = {};
  std::vector<PageRow> rows = {};
  RichText short_title = {};  ///< in the navigation; empty: not listed
};

struct Page {
  RichText title = {};
  RichText conditions = {};  ///< one line: field, particle, ranges, models
  std::vector<PageSection> sections = {};
  std::vector<std::pair<std::string, RichText>> facts = {};  ///< at the end
};

}  // namespace gttf
