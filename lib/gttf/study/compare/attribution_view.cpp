// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/compare/attribution_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gttf/core/readable.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {
namespace {

const char* method_of(const KeyChange& change) {
  return change.exact ? "exact" : "gradient";
}

Document text_or_null(const std::string& text) {
  return text.empty() ? Document() : Document(text);
}

/// The first parts of a long value: "radius 23.4 mm, ...".
std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 20, longest_part = 16;
  if (text.size() <= longest) return text;
  // the last place to cut that leaves a short text, else the first one
  std::size_t cut = text.size();
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separates =
        depth == 0 && (text[i] == ',' || text.compare(i, 2, " (") == 0);
    if (separates && (i <= longest_part || cut == text.size())) cut = i;
    if (text[i] == '[') ++depth;
    if (text[i] == ']') --depth;
  }
  if (cut == text.size()) return text;
  return text.substr(0, cut) + (text[cut] == ',' ? ", ..." : " ...");
}

/// Keys to show in rows of their own.
std::size_t n_shown(const Attribution& a, std::size_t most) {
  constexpr double negligible = 5e-4;
  std::size_t n = 1;
  while (n < a.changes.size() && n < most &&
         std::abs(a.changes[n].share) >= negligible * std::abs(a.total))
    ++n;
  // one more row is no longer than the row that would stand for it
  return n + 1 >= a.changes.size() ? a.changes.size() : n;
}

/// The rows that people read.
class ShortTable {
 public:
  explicit ShortTable(double total) : total_(total) {}

  void add(std::string key, std::string before, std::string after,
           double change, std::string method) {
    key_.push_back(std::move(key));
    before_.push_back(std::move(before));
    after_.push_back(std::move(after));
    change_.push_back(100 * change);
    share_.push_back(100 * part_of(change, total_));
    method_.push_back(std::move(method));
  }
  Table take() && {
    Table table;
    table.add("key", std::move(key_));
    table.add("before", std::move(before_));
    table.add("after", std::move(after_));
    table.add("ln(sigma)_percent", std::move(change_));
    table.add("share_percent", std::move(share_));
    table.add("by", std::move(method_));
    return table;
  }

 private:
  double total_;
  Texts key_, before_, after_, method_;
  Reals change_, share_;
};

}  // namespace

double part_of(double share, double total) {
  constexpr double rounding = 1e-12;
  return std::abs(total) > rounding ? share / total : Resolution::none;
}

std::string change_text(double change_of_ln) {
  if (std::isnan(change_of_ln)) return "-";
  return readable_change(100 * std::expm1(change_of_ln), 3) + " %";
}

void AttributionTable::add(const Detector& after, const StudyRequest& request,
                           GridPoint point, std::string_view design,
                           Parameter q, const Attribution& a) {
  const auto add = [&](std::string_view part, const KeyChange& change) {
    point_.add(after, request, point);
    design_.emplace_back(design);
    parameter_.emplace_back(to_string(q));
    add_part(part, change, a.total);
  };
  for (const KeyChange& change : a.changes) add("key", change);
  KeyChange rest;
  rest.share = a.remainder;
  add("remainder", rest);
  rest.share = a.total;
  add("total", rest);
}

void AttributionTable::add_part(std::string_view part, const KeyChange& change,
                                double total) {
  part_.emplace_back(part);
  key_.push_back(change.key);
  before_.push_back(change.before);
  after_.push_back(change.after);
  line_.push_back(change.place.line);
  change_.push_back(change.share);
  share_.push_back(part_of(change.share, total));
  method_.emplace_back(part == "key" ? method_of(change) : "");
}

Table AttributionTable::take() && {
  Table table;
  std::move(point_).move_to(table);
  table.add("design", std::move(design_));
  table.add("parameter", std::move(parameter_));
  table.add("part", std::move(part_));
  table.add("key", std::move(key_));
  table.add("before", std::move(before_));
  table.add("after", std::move(after_));
  table.add("line", std::move(line_));
  table.add("change_of_ln_sigma", std::move(change_));
  table.add("share", std::move(share_));
  table.add("method", std::move(method_));
  return table;
}

Document attribution_document(Parameter q, const Attribution& a) {
  Document::List changes;
  for (const KeyChange& change : a.changes) {
    Document item;
    item.set("key", change.key);
    item.set("before", text_or_null(change.before));
    item.set("after", text_or_null(change.after));
    const FilePosition& place = change.place;
    item.set("line", place.line > 0 ? Document(place.line) : Document());
    item.set("column", place.line > 0 ? Document(place.column) : Document());
    item.set("change_of_ln_sigma", change.share);
    item.set("share", part_of(change.share, a.total));
    item.set("method", method_of(change));
    changes.push_back(std::move(item));
  }
  return Document()
      .set("parameter", to_string(q))
      .set("total", a.total)
      .set("remainder", a.remainder)
      .set("changes", std::move(changes));
}

Section attribution_section(std::string title, Parameter q,
                            const Attribution& a, std::size_t most) {
  Section section{std::move(title), {}, {}};
  section.facts.emplace_back(sigma_symbol(q), change_text(a.total));
  constexpr double small_part = 0.2;  // that shares leave unexplained
  if (std::abs(a.remainder) > small_part * std::abs(a.total))
    section.facts.emplace_back("note",
                               "the keys act together: the remainder is large, "
                               "the shares tell little");
  ShortTable table(a.total);
  const std::size_t shown = n_shown(a, most);
  for (std::size_t i = 0; i < shown; ++i) {
    const KeyChange& change = a.changes[i];
    table.add(change.key, shortened(change.before), shortened(change.after),
              change.share, method_of(change));
  }
  if (shown < a.changes.size()) {
    double sum = 0;
    for (std::size_t i = shown; i < a.changes.size(); ++i)
      if (!std::isnan(a.changes[i].share)) sum += a.changes[i].share;
    table.add(fmt::format("{} more keys", a.changes.size() - shown), "", "",
              sum, "");
  }
  table.add("remainder", "", "", a.remainder, "");
  table.add("total", "", "", a.total, "");
  section.table = std::move(table).take();
  return section;
}

}  // namespace gttf
