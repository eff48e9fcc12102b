// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hits/hit_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gttf/config/quantity.hpp"
#include "gttf/config/text.hpp"

namespace gttf {
namespace {

enum Name : std::size_t { track, event, layer, x, y, z, sigma_u, sigma_v };
constexpr std::array<std::string_view, 8> names{
    "track", "event", "layer", "x", "y", "z", "sigma_u", "sigma_v"};
constexpr bool is_length(std::size_t name) { return name >= x; }

/// "x_mm", "x [mm]" or "x (mm)" as name and unit.
struct Heading {
  std::string name, unit;
};

Heading split(std::string_view cell) {
  const std::size_t open = cell.find_first_of("[(");
  if (open != cell.npos && (cell.ends_with(']') || cell.ends_with(')')))
    return {
        std::string(trimmed(cell.substr(0, open))),
        std::string(trimmed(cell.substr(open + 1, cell.size() - open - 2)))};
  for (std::size_t i = names.size(); i-- > x;) {
    const std::string_view name = names[i];
    if (cell.starts_with(name) && cell.substr(name.size()).starts_with('_'))
      return {std::string(name), std::string(cell.substr(name.size() + 1))};
  }
  return {std::string(cell), ""};
}

/// Millimetres of a unit of length; nothing for other texts.
std::optional<double> length_of(const std::string& unit) {
  if (unit.empty() || (unit[0] >= '0' && unit[0] <= '9')) return std::nullopt;
  const Parsed<double> one = parse_quantity("1 " + unit, Dimension::length);
  if (!one) return std::nullopt;
  return one.value;
}

class HeaderReader {
 public:
  explicit HeaderReader(const CsvReader& file)
      : file_(file), header_(file.header()) {}

  HitColumns read(Diagnostics& warnings) {
    for (std::size_t i = 0; i < header_.cells.size(); ++i) take(i);
    for (std::size_t n = 0; n < names.size(); ++n)
      if (!found_[n]) explain_missing(n);
    warn_of_unused(warnings);
    if (faults_.has_errors()) throw InputError(std::move(faults_));
    HitColumns columns;
    columns.count = header_.cells.size();
    columns.track = found_[track]->column;
    if (found_[event]) columns.event = found_[event]->column;
    if (found_[layer]) columns.layer = found_[layer]->column;
    for (std::size_t i = 0; i < 3; ++i) columns.position[i] = *found_[x + i];
    for (std::size_t i = 0; i < 2; ++i) columns.sigma[i] = found_[sigma_u + i];
    return columns;
  }

 private:
  std::string cell(std::size_t i) const {
    return std::string(header_.cells[i]);
  }

  void take(std::size_t i) {
    std::string name = cell(i), unit;
    const std::string lower = lower_case(name);
    if (lower == "track_id") name = "track";
    if (lower == "event_id") name = "event";
    if (const Heading heading = split(name); length_of(heading.unit)) {
      name = heading.name;
      unit = heading.unit;
    }
    const auto at = std::ranges::find(names, lower_case(name));
    const auto n = static_cast<std::size_t>(at - names.begin());
    if (at == names.end() || is_length(n) == unit.empty()) {
      unused_.push_back(i);
      return;
    }
    if (found_[n]) {
      fault(i, fmt::format("a second column for {}", in_quotes(names[n])),
            "remove one of the two");
      return;
    }
    found_[n] = LengthColumn{i, is_length(n) ? *length_of(unit) : 1};
  }

  /// A column that must be there, or that something was meant to be.
  void explain_missing(std::size_t n) {
    const bool required = n == track || (is_length(n) && n < sigma_u);
    const std::string name(names[n]);
    const std::string example =
        is_length(n) ? name + (n < sigma_u ? "_mm" : "_um") : name;
    for (auto it = unused_.begin(); it != unused_.end(); ++it) {
      const Heading heading = split(cell(*it));
      const bool same = is_length(n) && lower_case(heading.name) == name;
      if (!same) continue;
      // x_over_x0 and the like, where x is not missing, is another thing
      const std::size_t i = *it;
      unused_.erase(it);
      if (heading.unit.empty())
        fault(i, fmt::format("missing unit of {}", in_quotes(cell(i))),
              fmt::format("write for example \"{}\"", example));
      else
        fault(i,
              fmt::format("unknown unit {} in {}: expected a length",
                          in_quotes(heading.unit), in_quotes(cell(i))),
              fmt::format("write for example \"{}\"; lengths are in nm, um, "
                          "mm, cm, m",
                          example));
      return;
    }
    const std::vector<std::string> wanted{example};
    for (auto it = unused_.begin(); it != unused_.end(); ++it) {
      // A single letter is near to every other one.
      if (header_.cells[*it].size() < 3 || !nearest(header_.cells[*it], wanted))
        continue;
      const std::size_t i = *it;
      unused_.erase(it);
      fault(i, fmt::format("unknown column {}", in_quotes(cell(i))),
            fmt::format("did you mean {}?", in_quotes(example)));
      return;
    }
    if (required)
      fault(header_.cells.size(),
            fmt::format("no column {}", in_quotes(example)),
            fmt::format("write for example \"{}\"", hit_header_example));
  }

  void warn_of_unused(Diagnostics& warnings) const {
    if (unused_.empty()) return;
    std::vector<std::string> cells;
    for (const std::size_t i : unused_) cells.push_back(cell(i));
    Diagnostic d = header_.at(file_.name(), unused_.front());
    d.severity = Severity::warning;
    d.problem = fmt::format("not used: {}", joined(cells));
    warnings.add(std::move(d));
  }

  void fault(std::size_t i, std::string problem, std::string suggestion) {
    Diagnostic d = header_.at(file_.name(), i);
    d.problem = std::move(problem);
    d.suggestion = std::move(suggestion);
    faults_.add(std::move(d));
  }

  const CsvReader& file_;
  const CsvLine& header_;
  std::array<std::optional<LengthColumn>, names.size()> found_;
  std::vector<std::size_t> unused_;
  Diagnostics faults_;
};

}  // namespace

HitColumns read_hit_columns(const CsvReader& file, Diagnostics& warnings) {
  return HeaderReader(file).read(warnings);
}

}  // namespace gttf
