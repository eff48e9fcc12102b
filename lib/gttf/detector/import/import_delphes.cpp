// SPDX-License-Identifier: Apache-2.0
// Reads the settings of Delphes' module TrackCovariance from a card.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "gttf/config/text.hpp"
#include "gttf/detector/decimal.hpp"
#include "gttf/detector/import/foreign_text.hpp"
#include "gttf/detector/import/tcl_text.hpp"

// Rows of Delphes' DetectorGeometry: 13 columns for each layer, in metres.
namespace gttf::detail {

/// Adds the layers and materials of the rows in `block` to `description`.
void read_delphes_rows(const ForeignFile& file, const ForeignWord& block,
                       Description& description);

namespace {

enum CardColumn {
  type,
  label,
  lower,
  upper,
  position,
  thickness,
  radiation_length,
  n_measured,
  angle_upper,
  angle_lower,
  sigma_upper,
  sigma_lower,
  flag,
  n_columns
};

constexpr std::array<std::string_view, n_columns> delphes_columns = {
    "type",
    "label",
    "minimum",
    "maximum",
    "position",
    "thickness",
    "radiation length",
    "number of measurements",
    "stereo angle of the upper side",
    "stereo angle of the lower side",
    "resolution of the upper side",
    "resolution of the lower side",
    "flag"};

constexpr std::string_view columns_text =
    "write type label min max position thickness X0 n_meas stereo_up "
    "stereo_down res_up res_down flag";

/// Cards round pi/2 to 1.5708, 3.7e-6 above it, beyond any real precision.
constexpr double rounded_angle = 1e-5;

double measured_angle(double stereo) {
  constexpr double right = 90 * unit::deg;
  if (std::abs(std::abs(stereo) - right) < rounded_angle) return right;
  return stereo == 0 ? 0 : -stereo;
}

/// One row: its words and the numbers in them.
class CardRow {
 public:
  CardRow(const ForeignFile& file, std::vector<ForeignWord> words)
      : file_(file), words_(std::move(words)) {}

  /// Reports errors. Returns whether the row is a layer.
  bool check() {
    if (words_.size() < n_columns) {
      file_.error(words_[0],
                  fmt::format("a layer has 13 columns, got {}", words_.size()),
                  std::string(columns_text));
      return false;
    }
    for (int i = 0; i < n_columns; ++i) {
      if (i == label) continue;
      const auto number = file_.number(word(i), name(i));
      good_ = good_ && number;
      readable_[index(i)] = number.has_value();
      value_[index(i)] = number.value_or(0);
    }
    check_shape();
    check_rest();
    return good_;
  }

  DescribedLayer layer(Description& description) {
    DescribedLayer described;
    Layer& layer = described.layer;
    layer.name = from_tcl_word(word(label).text);
    layer.place = file_.place(words_[0]);
    const Interval extent = {shifted(value(lower), mm_of_m),
                             shifted(value(upper), mm_of_m)};
    const double where = shifted(value(position), mm_of_m);
    layer.surface =
        is_barrel() ? make_cylinder(where, extent) : make_disk(where, extent);
    if (value(thickness) > 0) layer.material.push_back(slab(description));
    if (value(flag) > 0) {
      layer.coordinates = coordinates();
      if (layer.measures()) layer.efficiency = value(flag);
    }
    note();
    return described;
  }

 private:
  static std::size_t index(int column) {
    return static_cast<std::size_t>(column);
  }
  static std::string_view name(int column) {
    return delphes_columns[index(column)];
  }
  const ForeignWord& word(int column) const { return words_[index(column)]; }
  double value(int column) const { return value_[index(column)]; }
  bool is_barrel() const { return value(type) == 1; }

  void check(bool is_right, int column, std::string problem,
             std::string suggestion = "") {
    if (is_right || !readable_[index(column)]) return;
    file_.error(word(column),
                fmt::format("{}, got {}", problem, word(column).text),
                std::move(suggestion));
    good_ = false;
  }

  void check_shape() {
    check(value(type) == 1 || value(type) == 2, type,
          "the type must be 1 (barrel) or 2 (disk)");
    if (readable_[lower])
      check(value(upper) > value(lower), upper,
            "the maximum must be above the minimum");
    if (is_barrel())
      check(value(position) > 0, position, "the radius must be positive");
    else if (value(type) == 2)
      check(value(lower) >= 0, lower, "the inner radius must not be negative");
  }

  void check_rest() {
    check(value(thickness) >= 0, thickness,
          "the thickness must not be negative");
    check(value(radiation_length) > 0 || value(thickness) == 0,
          radiation_length, "the radiation length must be positive");
    const double n = value(n_measured);
    check(n == 0 || n == 1 || n == 2, n_measured,
          "the number of measurements must be 0, 1 or 2");
    check(value(sigma_upper) >= 0, sigma_upper,
          "the resolution must not be negative");
    check(value(sigma_lower) >= 0, sigma_lower,
          "the resolution must not be negative");
    check(value(flag) >= 0 && value(flag) <= 1, flag,
          "the flag must be from 0 (scatters only) to 1 (measures)",
          "values in between are the efficiency");
  }

  Slab slab(Description& description) const {
    const double x0 = shifted(value(radiation_length), mm_of_m);
    const double length = shifted(value(thickness), mm_of_m);
    return {.material = material_name(description.materials, x0),
            .thickness = length,
            .x_over_x0 = length / x0,
            .density = 0,
            .mean_loss = {}};
  }

  /// "CardSilicon" for 93.7 mm, i.e. a name if a well-known material has that
  /// radiation length to 0.1 %, else a number.
  static std::string material_name(std::vector<Material>& materials,
                                   double x0) {
    for (const Material& material : materials)
      if (material.radiation_length == x0) return material.name;
    constexpr std::array<std::string_view, 9> usual = {
        "silicon",  "beryllium", "aluminium", "iron",  "copper",
        "tungsten", "lead",      "air",       "kapton"};
    constexpr double same = 1e-3;
    std::string name = fmt::format("Card{}", materials.size() + 1);
    for (const std::string_view candidate : usual) {
      const Material* known = find_material(candidate);
      if (known == nullptr || std::abs(known->radiation_length / x0 - 1) > same)
        continue;
      std::string title(candidate);
      title[0] = static_cast<char>(title[0] - 'a' + 'A');
      const bool taken = std::ranges::any_of(materials, [&](const Material& m) {
        return m.name == "Card" + title;
      });
      if (!taken) name = "Card" + title;
      break;
    }
    Material material;
    material.name = name;
    material.radiation_length = x0;
    materials.push_back(material);
    return name;
  }

  /// Barrels measure cos(stereo) r-phi - sin(stereo) z on each side; disks
  /// measure r-phi on the upper and r on the lower side, for any angle.
  std::vector<Coordinate> coordinates() const {
    std::vector<Coordinate> result;
    const auto n = static_cast<int>(value(n_measured));
    for (int i = 0; i < n; ++i) {
      const double sigma = shifted(value(sigma_upper + i), mm_of_m);
      if (sigma <= 0) continue;
      const double disk_angle = i == 0 ? 0 : 90 * unit::deg;
      result.push_back(
          {is_barrel() ? measured_angle(value(angle_upper + i)) : disk_angle,
           sigma});
    }
    return result;
  }

  void note() const {
    const auto n = static_cast<int>(value(n_measured));
    for (int i = 0; i < n && value(flag) > 0; ++i)
      if (value(sigma_upper + i) == 0)
        file_.warning(word(sigma_upper + i),
                      "a resolution of 0 is not a measurement: it is left out");
    constexpr std::array<double, 2> read_as = {0, 90 * unit::deg};
    for (int i = 0; i < n && !is_barrel(); ++i)
      if (measured_angle(value(angle_upper + i)) != read_as[index(i)])
        file_.warning(word(angle_upper + i),
                      fmt::format("Delphes does not use the stereo angles of "
                                  "disks: this side measures {}",
                                  i == 0 ? "r-phi" : "r"));
    if (words_.size() > n_columns)
      file_.warning(words_[n_columns],
                    "Delphes reads 13 columns: the rest of the row is ignored");
  }

  const ForeignFile& file_;
  std::vector<ForeignWord> words_;
  std::array<double, n_columns> value_{};
  std::array<bool, n_columns> readable_{};
  bool good_ = true;
};

}  // namespace

void read_delphes_rows(const ForeignFile& file, const ForeignWord& block,
                       Description& description) {
  std::size_t rows = 0;
  for (const ForeignWord& line : lines_of(block, true)) {
    std::vector<ForeignWord> words = words_of(line);
    if (words.empty()) continue;
    if (file.too_many(++rows, words[0])) return;
    CardRow row(file, std::move(words));
    if (row.check()) description.layers.push_back(row.layer(description));
  }
}

namespace {

constexpr std::string_view block_name = "DetectorGeometry";

/// The description of the tracker in the card.
class Card {
 public:
  explicit Card(const ForeignFile& file) : file_(file) {}

  void read() {
    for (const TclCommand& command :
         tcl_commands(file_, {file_.source.text(), 0})) {
      const std::string_view verb = command[0].text;
      if (verb == "set") {
        read_set(command, true);
      } else if (verb == "module" && command.size() == 4) {
        read_module(command);
      } else if (verb == "source") {
        file_.warning(command[0], "the sourced file is not read",
                      "import that file if the geometry is in it");
      }
    }
    if (others_ > 0)
      file_.warning(first_other_,
                    fmt::format("only the module TrackCovariance is read: this "
                                "one{} no counterpart",
                                others_ == 1 ? std::string(" has")
                                             : fmt::format(" and {} more have",
                                                           others_ - 1)));
  }

  const std::optional<TclWord>& geometry() const { return geometry_; }
  std::optional<double> tesla() const { return tesla_; }

 private:
  void read_module(const TclCommand& command) {
    if (command[1].text != "TrackCovariance") {
      if (others_++ == 0) first_other_ = command[0];
      return;
    }
    for (const TclCommand& inner : tcl_commands(file_, command[3]))
      if (inner[0].text == "set") read_set(inner, false);
  }

  void read_set(const TclCommand& command, bool is_variable) {
    if (command.size() < 3) return;  // a query in Tcl
    const TclWord& name = command[1];
    if (name.text == block_name) {
      read_geometry(command[2]);
    } else if (name.text == "Bz") {
      read_field(command);
    } else if (is_variable) {
      variables_[std::string(name.text)] = command[2];
    } else if (name.text != "InputArray" && name.text != "OutputArray") {
      file_.warning(name, fmt::format("{} has no counterpart", name.text));
    }
  }

  void read_geometry(const TclWord& block) {
    if (geometry_)
      file_.warning(block,
                    fmt::format("this is the second geometry of the card: only "
                                "the first one, in line {}, is read",
                                file_.place(*geometry_).line));
    else
      geometry_ = block;
  }

  void read_field(const TclCommand& command) {
    if (tesla_) return;
    const TclWord& word = command[2];
    auto value = static_cast<const ForeignWord&>(word);
    const std::vector<ForeignWord> words = words_of(word);
    if (words.size() == 1) value = words[0];  // { 2.0 }
    if (word.kind != TclWord::Kind::braced && value.text.starts_with('$')) {
      std::string_view name = value.text.substr(1);
      if (name.size() > 2 && name.front() == '{' && name.back() == '}')
        name = name.substr(1, name.size() - 2);
      const auto it = variables_.find(name);
      if (it == variables_.end()) {
        file_.error(
            value,
            fmt::format("the variable {} is not set before this line", name),
            "write the number here, as in: set Bz 2.0");
        return;
      }
      value = static_cast<const ForeignWord&>(it->second);
    }
    if (value.text.starts_with('['))
      file_.error(value, "a command as the value of Bz cannot be evaluated",
                  "write the number here, as in: set Bz 2.0");
    else
      tesla_ = file_.number(value, "field");
  }

  const ForeignFile& file_;
  std::map<std::string, TclWord, std::less<>> variables_;
  std::optional<TclWord> geometry_;
  std::optional<double> tesla_;
  ForeignWord first_other_;
  std::size_t others_ = 0;
};

}  // namespace

ForeignDetector read_delphes(const ForeignFile& file) {
  ForeignDetector result;
  const std::string& text = file.source.text();
  if (text.find(block_name) == text.npos && text.find("module") == text.npos) {
    read_delphes_rows(file, {text, 0}, result.description);
    return result;
  }
  Card card(file);
  card.read();
  result.tesla = card.tesla();
  if (card.geometry())
    read_delphes_rows(file, *card.geometry(), result.description);
  else if (!file.diagnostics.has_errors())
    file.error({text, 0},
               "the card has no \"set DetectorGeometry {\" at its top or in a "
               "module TrackCovariance",
               "import a card whose tracker is described layer by layer");
  return result;
}

}  // namespace gttf::detail
