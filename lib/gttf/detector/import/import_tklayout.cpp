// SPDX-License-Identifier: Apache-2.0
// Reads tkLayout's list of modules (allCoordinates.csv).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "gttf/config/quantity.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/decimal.hpp"
#include "gttf/detector/import/foreign_table.hpp"
#include "gttf/detector/import/ring_joiner.hpp"

namespace gttf::detail {
namespace {

<<<<<<< HEAD
constexpr int mm_of_um = -3;

/// More modules than any tracker has: stops reading unsuitable files early.
constexpr std::size_t max_modules = 200000;

std::vector<ForeignWord> cells_of(const ForeignWord& line) {
  std::vector<ForeignWord> cells;
  for (std::size_t begin = 0; begin <= line.text.size();) {
    const std::size_t comma =
        std::min(line.text.find(',', begin), line.text.size());
    cells.push_back(
        trim({line.text.substr(begin, comma - begin), line.offset + begin}));
    begin = comma + 1;
  }
  return cells;
}

/// A table with a header, by names of columns.
class NamedTable {
 public:
  /// @param names of the required columns; a column may have a suffix after its
  ///              name: "tiltAngle_deg/D"
  NamedTable(const ForeignFile& file, std::span<const std::string_view> names,
             std::string_view advice)
      : file_(file) {
    for (const ForeignWord& line : lines_of({file.source.text(), 0}))
      if (const ForeignWord content = trim(line);
          !content.text.empty() && content.text.front() != '#')
        lines_.push_back(content);
    if (lines_.empty()) {
      file.error({file.source.text(), 0}, "the table is empty",
                 std::string(advice));
      return;
    }
    header_ = cells_of(lines_.front());
    for (const std::string_view name : names) {
      index_.push_back(find(name));
      if (index_.back() == none)
        file.error(lines_.front(),
                   fmt::format("there is no column {}", in_quotes(name)),
                   std::string(advice));
    }
    good_ = std::ranges::find(index_, none) == index_.end();
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  bool is_good() const { return good_; }
  std::size_t find(std::string_view name) const {
    for (std::size_t i = 0; i < header_.size(); ++i)
      if (const std::string_view text = header_[i].text;
          text == name ||
          (text.starts_with(name) &&
           text.find_first_of("/(", name.size()) == name.size()))
        return i;
    return none;
  }
  /// Calls f(line, cells) for every complete row; stops if f returns false.
  template <class F>
  void for_each_row(const F& f) const {
    for (std::size_t k = 1; k < lines_.size(); ++k) {
      const std::vector<ForeignWord> cells = cells_of(lines_[k]);
      if (cells.size() != header_.size()) {
        file_.error(lines_[k],
                    fmt::format("the row has {} cells, the header {}",
                                cells.size(), header_.size()));
        continue;
      }
      if (!f(cells)) return;
    }
  }
  /// The cell of the i-th requested column.
  const ForeignWord& cell(const std::vector<ForeignWord>& cells,
                          std::size_t i) const {
    return cells[index_[i]];
  }
  std::size_t n_rows() const { return lines_.empty() ? 0 : lines_.size() - 1; }

 private:
  const ForeignFile& file_;
  std::vector<ForeignWord> lines_, header_;
  std::vector<std::size_t> index_;
  bool good_ = false;
};

/// Data given by the user for the modules of a section.
=======
/// Data given by the user for the modules of a section.
>>>>>>> origin/main
struct SectionOfUser {
  double pitch_u = 0, pitch_v = 0;  ///< mm
  double x_over_x0 = 0;             ///< of a module
  int sensors = 1;
  bool used = false;
  ForeignWord name;
};
using Sections = std::map<std::string, SectionOfUser, std::less<>>;

constexpr std::string_view table_advice =
    "the table has the columns section, pitch_u_um, pitch_v_um, x_over_x0 and, "
    "if you like, sensors (1 or 2)";

Sections read_table(const ForeignFile& file) {
  constexpr std::array<std::string_view, 4> names{"section", "pitch_u_um",
                                                  "pitch_v_um", "x_over_x0"};
  Sections sections;
  const ForeignTable table(file, names, table_advice);
  if (!table.is_good()) return sections;
  const std::size_t sensors = table.find("sensors");
  table.for_each_row([&](const std::vector<ForeignWord>& cells) {
    SectionOfUser s;
    s.name = table.cell(cells, 0);
    const auto u = file.number(table.cell(cells, 1), "pitch along u");
    const auto v = file.number(table.cell(cells, 2), "pitch along v");
    const ForeignWord& material = table.cell(cells, 3);
    const Parsed<double> x0 =
        parse_quantity(material.text, Dimension::fraction);
    if (!x0)
      file.error(material, x0.problem, x0.suggestion);
    else if (x0.value < 0)
      file.error(material, "x/X0 must not be negative");
    for (const std::size_t i : {1u, 2u})
      if (const auto& pitch = i == 1 ? u : v; pitch && !(*pitch > 0))
        file.error(table.cell(cells, i), "the pitch must be positive");
    s.pitch_u = shifted(u.value_or(1), mm_of_um);
    s.pitch_v = shifted(v.value_or(1), mm_of_um);
    s.x_over_x0 = x0 ? x0.value : 0;
    if (sensors != ForeignTable::none) {
      const std::string_view text = cells[sensors].text;
      if (text != "1" && text != "2")
        file.error(cells[sensors], fmt::format("a module has 1 or 2 sensors, "
                                               "got {}",
                                               in_quotes(text)));
      s.sensors = text == "2" ? 2 : 1;
    }
    if (!sections.emplace(std::string(s.name.text), s).second)
      file.error(s.name,
                 fmt::format("the section {} is already defined",
                             in_quotes(s.name.text)),
                 "a section has one row");
    return true;
  });
  return sections;
}

/// Modules that differ only in azimuth.
struct RingKey {
  std::string section, layer, ring;
  double radius, z, tilt, width, length, spacing;
  auto operator<=>(const RingKey&) const = default;
};

struct RingOfList {
  RingKey key;
  FilePosition place;
  std::vector<double> phi;  ///< deg
};

std::vector<RingOfList> read_modules(const ForeignFile& file,
                                     const Sections& sections,
                                     std::size_t& rows) {
  constexpr std::array<std::string_view, 13> names{
      "Section",           "Layer",         "Ring",          "SensorCenter rho",
      "SensorCenter z",    "tiltAngle_deg", "skewAngle_deg", "yawAngle_deg",
      "phi_deg",           "meanWidth_mm",  "length_mm",     "sensorSpacing_mm",
      "sensorThickness_mm"};
  const ForeignTable table(file, names,
                           "allCoordinates.csv of tkLayout has these columns");
  std::vector<RingOfList> rings;
  if (!table.is_good()) return rings;
  std::map<RingKey, std::size_t> index;
  std::set<std::string, std::less<>> unknown;
  table.for_each_row([&](const std::vector<ForeignWord>& cells) {
    if (++rows > max_modules) {
      file.error(cells[0], fmt::format("more than {} modules", max_modules));
      return false;
    }
    const auto text = [&](std::size_t i) {
      return std::string(table.cell(cells, i).text);
    };
    std::array<double, names.size()> value{};
    bool good = true;
    for (std::size_t i = 3; i < names.size(); ++i) {
      const auto number =
          file.number(table.cell(cells, i), fmt::format("{}", names[i]));
      good = good && number;
      value[i] = number.value_or(0);
    }
    if (!good) return true;
    for (const std::size_t i : {6u, 7u})
      if (value[i] != 0) {
        file.error(table.cell(cells, i),
                   fmt::format("{} has no counterpart", names[i]),
                   "modules are tilted about their u axis only");
        good = false;
      }
    for (const std::size_t i : {3u, 9u, 10u})
      if (!(value[i] > 0)) {
        file.error(table.cell(cells, i),
                   fmt::format("{} must be positive", names[i]));
        good = false;
      }
    if (!sections.contains(text(0)) && unknown.insert(text(0)).second)
      file.error(table.cell(cells, 0),
                 fmt::format("the table has no section {}", in_quotes(text(0))),
                 "add a row with its pitches and its x/X0");
    if (!good) return true;
    const RingKey key{text(0),  text(1),  text(2),   value[3], value[4],
                      value[5], value[9], value[10], value[11]};
    const auto [it, is_new] = index.emplace(key, rings.size());
    if (is_new) rings.push_back({key, file.place(cells[0]), {}});
    rings[it->second].phi.push_back(value[8]);
    return true;
  });
  return rings;
}

<<<<<<< HEAD
/// Whether the modules are equally spaced around the full circle. Angles have
/// six decimals in the file.
bool is_regular(std::vector<double>& phi) {
  for (double& angle : phi) angle -= 360 * std::floor(angle / 360);
  std::ranges::sort(phi);
  const double step = 360.0 / static_cast<double>(phi.size());
  for (std::size_t k = 1; k < phi.size(); ++k)
    if (std::abs(phi[k] - phi[0] - step * static_cast<double>(k)) > 1e-4)
      return false;
  return true;
}

=======
>>>>>>> origin/main
}  // namespace

ForeignDetector read_tklayout(const ForeignFile& file,
                              const ForeignFile* table) {
  ForeignDetector result;
  if (!table) {
    file.error(
        {file.source.text(), 0},
        "a list of modules has no pitches and no material",
        fmt::format("give them with --table FILE.csv: {}", table_advice));
    return result;
  }
  Sections sections = read_table(*table);
  if (table->diagnostics.has_errors()) return result;
  std::vector<RingOfList> rings = read_modules(file, sections, result.rows);
  if (file.diagnostics.has_errors()) return result;
  for (RingOfList& ring : rings) {
    const RingKey& key = ring.key;
    SectionOfUser& section = sections.find(key.section)->second;
    section.used = true;
    // a module with gaps in azimuth is kept individually
    std::vector<std::pair<double, int>> parts;
    if (stand_around(ring.phi))
      parts.emplace_back(ring.phi.front(), static_cast<int>(ring.phi.size()));
    else
      for (const double phi : ring.phi) parts.emplace_back(phi, 1);
    const double tilt = key.tilt * unit::deg;
    for (const auto& [phi, count] : parts)
      for (int k = 0; k < section.sensors; ++k) {
        DescribedLayer& described = result.description.layers.emplace_back();
        Layer& layer = described.layer;
        layer.name =
            fmt::format("{}_L{}_R{}", key.section, key.layer, key.ring);
        layer.group = key.section;
        layer.place = ring.place;
        layer.surface.shape = Shape::plane;
        layer.surface.normal = Axis::none;
        const double off = section.sensors == 1 ? 0 : (k - 0.5) * key.spacing;
        described.ring = DescribedRing{key.radius + off * std::cos(tilt),
                                       key.z + off * std::sin(tilt),
                                       key.tilt,
                                       phi,
                                       0,
                                       count,
                                       {key.width, key.length}};
        const double x_over_x0 = section.x_over_x0 / section.sensors;
        if (x_over_x0 > 0)
          layer.material.push_back({.material = "",
                                    .thickness = 0,
                                    .x_over_x0 = x_over_x0,
                                    .density = 0,
                                    .mean_loss = {}});
        described.pitch = {section.pitch_u, section.pitch_v};
        layer.coordinates = {
            {0, section.pitch_u / std::sqrt(12.0)},
            {90 * unit::deg, section.pitch_v / std::sqrt(12.0)}};
      }
  }
  for (const auto& [name, section] : sections)
    if (!section.used)
      table->warning(section.name, fmt::format("no module is in section {}",
                                               in_quotes(name)));
  return result;
}

}  // namespace gttf::detail
