// SPDX-License-Identifier: Apache-2.0
// Reads the lists of modules that `export` writes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "gttf/config/csv_reader.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/decimal.hpp"
#include "gttf/detector/import/foreign_table.hpp"
#include "gttf/detector/import/ring_joiner.hpp"

namespace gttf::detail {
namespace {

/// Columns of the list, in the order of their names.
struct Column {
  enum : std::size_t {
    name,
    group,
    centre,
    normal = centre + 3,
    u = normal + 3,
    size = u + 3,
    ends = size + 2,  ///< r and z of the first end, r and z of the last
    x_over_x0 = ends + 4,
    coordinates,
    efficiency,
    count
  };
};

constexpr std::array<std::string_view, Column::count> module_columns{
    "name",      "group",     "center_x_mm", "center_y_mm", "center_z_mm",
    "normal_x",  "normal_y",  "normal_z",    "u_x",         "u_y",
    "u_z",       "size_u_mm", "size_v_mm",   "first_r_mm",  "first_z_mm",
    "last_r_mm", "last_z_mm", "x_over_x0",   "coordinates", "efficiency"};

/// "R[3][5] (-z)" is a module of "R[3] (-z)"; empty: the name has no number.
std::string series_of(std::string_view module) {
  const std::size_t open = module.rfind('['), close = module.rfind(']');
  if (open == module.npos || close == module.npos || close < open + 2 ||
      open == 0)
    return "";
  if (!std::ranges::all_of(module.substr(open + 1, close - open - 1), is_digit))
    return "";
  return std::string(module.substr(0, open)) +
         std::string(module.substr(close + 1));
}

class RowReader {
 public:
  RowReader(const ForeignFile& file, const ForeignTable& table,
            const std::vector<ForeignWord>& cells)
      : file_(file), table_(table), cells_(cells) {}

  std::optional<DescribedLayer> read() {
    DescribedLayer described;
    Layer& layer = described.layer;
    layer.name = backslash_unescaped(word(Column::name).text);
    layer.group = backslash_unescaped(word(Column::group).text);
    layer.place = file_.place(word(Column::name));
    if (layer.name.empty()) wrong(cells_.front(), "the module has no name");
    const bool is_round = !word(Column::ends).text.empty();
    if (is_round)
      read_round(layer.surface);
    else
      read_plane(layer.surface);
    const double material = number(Column::x_over_x0);
    if (good_ && material < 0)
      wrong(word(Column::x_over_x0), "x/X0 must not be negative");
    layer.material = material_of(material);
    read_coordinates(layer);
    layer.efficiency = number(Column::efficiency);
    if (good_ && !(layer.efficiency > 0 && layer.efficiency <= 1))
      wrong(word(Column::efficiency),
            "the efficiency must be above 0 and at most 1");
    return good_ ? std::optional(described) : std::nullopt;
  }

 private:
  const ForeignWord& word(std::size_t column) const {
    return table_.cell(cells_, column);
  }
  void wrong(const ForeignWord& at, std::string problem,
             std::string suggestion = "") {
    file_.error(at, std::move(problem), std::move(suggestion));
    good_ = false;
  }
  double number(std::size_t column) {
    const ForeignWord& at = word(column);
    if (at.text.empty()) {
      wrong(cells_.front(), fmt::format("the module {} has no {}",
                                        in_quotes(word(Column::name).text),
                                        module_columns[column]));
      return 0;
    }
    const auto value = file_.number(at, module_columns[column]);
    good_ = good_ && value;
    return value.value_or(0);
  }
  template <std::size_t n>
  std::array<double, n> numbers(std::size_t first) {
    std::array<double, n> values{};
    for (std::size_t i = 0; i < n; ++i) values[i] = number(first + i);
    return values;
  }
  std::array<double, 3> direction(std::size_t first) {
    std::array<double, 3> d = numbers<3>(first);
    const double length = std::hypot(d[0], d[1], d[2]);
    if (good_ && !(length > 0)) wrong(word(first), "a direction of length 0");
    // what is a unit vector keeps its digits
    if (std::abs(length - 1) > 1e-15)
      for (double& x : d) x /= length;
    return d;
  }

  void read_plane(Surface& surface) {
    const auto at = numbers<3>(Column::centre);
    const auto n = direction(Column::normal), e = direction(Column::u);
    const auto width = numbers<2>(Column::size);
    if (!good_) return;
    for (std::size_t i = 0; i < 2; ++i)
      if (!(width[i] > 0))
        wrong(word(Column::size + i), "the width must be positive");
    constexpr double rounding = 1e-6;
    if (std::abs(n[0] * e[0] + n[1] * e[1] + n[2] * e[2]) > rounding)
      wrong(word(Column::u), "u is not normal to the normal",
            "u is a direction within the plane");
    if (good_) surface = make_inclined_plane(at, n, e, width);
  }

  void read_round(Surface& surface) {
    for (std::size_t i = Column::centre; i < Column::ends; ++i)
      if (!word(i).text.empty()) {
        wrong(word(i), "a line turned about z has no centre and directions",
              "write either a plane or first_r_mm ... last_z_mm");
        return;
      }
    const auto line = numbers<4>(Column::ends);
    if (!good_) return;
    for (const std::size_t i : {0u, 2u})
      if (line[i] < 0)
        wrong(word(Column::ends + i), "the radius must not be negative");
    if (!good_) return;
    const Interval r{line[0], line[2]}, z{line[1], line[3]};
    if (r.lower == r.upper && z.lower < z.upper && r.lower > 0)
      surface = make_cylinder(r.lower, z);
    else if (z.lower == z.upper && r.lower < r.upper)
      surface = make_disk(z.lower, r);
    else if (z.lower < z.upper)
      surface = make_cone(z, r.lower, r.upper);
    else
      wrong(word(Column::ends),
            "the line from the first to the last end must go "
            "towards larger z, or along r away from the axis");
  }

  /// ANGLE:ERROR, in deg and um, with blanks between them.
  void read_coordinates(Layer& layer) {
    for (const ForeignWord& item : words_of(word(Column::coordinates))) {
      const std::size_t colon = item.text.find(':');
      if (colon == item.text.npos) {
        wrong(item, "a coordinate has an angle and an error",
              "write 0:7 90:90, deg and um");
        continue;
      }
      const auto angle = file_.number({item.text.substr(0, colon), item.offset},
                                      "angle of a coordinate");
      const ForeignWord error{item.text.substr(colon + 1),
                              item.offset + colon + 1};
      constexpr double unknown = 1;
      std::optional<double> sigma = 0.0;
      if (!error.text.empty())
        sigma = file_.number(error, "error of a coordinate");
      if (!(sigma.value_or(unknown) > 0))
        wrong(item, "the error of a coordinate must be positive");
      good_ = good_ && angle && sigma;
      layer.coordinates.push_back({angle.value_or(0) * unit::deg,
                                   shifted(sigma.value_or(unknown), mm_of_um)});
    }
  }

  const ForeignFile& file_;
  const ForeignTable& table_;
  const std::vector<ForeignWord>& cells_;
  bool good_ = true;
};

/// From the comment "# NAME, solenoid 2 T" or "# NAME, no field" at the top.
std::optional<double> field_of(const std::string& text) {
  const std::string_view line = trimmed(
      std::string_view(text).substr(0, std::min(text.find('\n'), text.size())));
  if (!line.starts_with('#')) return std::nullopt;
  if (line.ends_with(", no field")) return 0;
  constexpr std::string_view mark = ", solenoid ";
  const std::size_t at = line.rfind(mark);
  if (at == line.npos || !line.ends_with(" T")) return std::nullopt;
  std::string_view number = line.substr(at + mark.size());
  number.remove_suffix(2);
  double tesla = 0;
  if (parse_number(number, tesla) != nullptr || !std::isfinite(tesla))
    return std::nullopt;
  return tesla;
}

}  // namespace

ForeignDetector read_module_list(const ForeignFile& file) {
  ForeignDetector result;
  const ForeignTable table(file, module_columns,
                           "export --to modules writes all of them");
  if (!table.is_good()) return result;
  result.tesla = field_of(file.source.text());
  RingJoiner layers;
  table.for_each_row([&](const std::vector<ForeignWord>& cells) {
    if (++result.rows > max_modules) {
      file.error(cells[0], fmt::format("more than {} modules", max_modules));
      return false;
    }
    if (auto layer = RowReader(file, table, cells).read()) {
      std::string series = series_of(layer->layer.name);
      layers.add(std::move(*layer), std::move(series));
    }
    return true;
  });
  if (file.diagnostics.has_errors()) return result;
  result.description.layers = layers.take();
  if (result.description.layers.size() > max_foreign_layers)
    file.too_many(max_foreign_layers + 1, {file.source.text(), 0});
  return result;
}

}  // namespace gttf::detail
