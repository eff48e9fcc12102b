// SPDX-License-Identifier: Apache-2.0
// Reads detectors files of Corryvreckan and Allpix Squared: sections of keys.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "gttf/config/quantity.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/import/foreign_text.hpp"
#include "gttf/detector/surface_outline.hpp"

namespace gttf::detail {
namespace {

/// Removes enclosing quotation marks.
ForeignWord unquoted(ForeignWord word) {
  const bool quoted = word.text.size() >= 2 && word.text.front() == '"' &&
                      word.text.back() == '"';
  if (!quoted) return word;
  return {word.text.substr(1, word.text.size() - 2), word.offset + 1};
}

struct KeyAndValue {
  ForeignWord key, value;
};

/// A detector of the file.
struct Section {
  ForeignWord name;
  std::map<std::string, KeyAndValue, std::less<>> keys;
};

/// Keys that describe the plane; all others describe its readout or
/// simulation.
constexpr std::array<std::string_view, 9> used_keys{
    "position",         "orientation", "orientation_mode",
    "number_of_pixels", "pixel_pitch", "spatial_resolution",
    "material_budget",  "role",        "coordinates"};

std::vector<Section> read_sections(const ForeignFile& file) {
  std::vector<Section> sections;
  std::map<std::string, int, std::less<>> line_of_name;
  for (const ForeignWord& line : lines_of({file.source.text(), 0})) {
    const std::size_t comment = std::min(line.text.find('#'), line.text.size());
    const ForeignWord content =
        trim({line.text.substr(0, comment), line.offset});
    if (content.text.empty()) continue;
    if (content.text.front() == '[') {
      if (content.text.back() != ']' || content.text.size() < 3) {
        file.error(content, "the name of a detector is not closed",
                   "write [NAME]");
        continue;
      }
      if (file.too_many(sections.size() + 1, content)) return {};
      const ForeignWord name = {content.text.substr(1, content.text.size() - 2),
                                content.offset + 1};
      const auto [it, is_new] =
          line_of_name.emplace(std::string(name.text), file.place(name).line);
      if (!is_new)
        file.error(name,
                   fmt::format("the detector {} is already defined in line {}",
                               in_quotes(name.text), it->second),
                   "names must be unique");
      sections.push_back({name, {}});
      continue;
    }
    const std::size_t equals = content.text.find('=');
    if (equals == content.text.npos || equals == 0) {
      file.error(content, "this is neither [NAME] nor a key",
                 "write KEY = VALUE");
      continue;
    }
    const KeyAndValue pair{
        trim({content.text.substr(0, equals), content.offset}),
        unquoted(trim(
            {content.text.substr(equals + 1), content.offset + equals + 1}))};
    if (sections.empty()) continue;  // of the whole set-up
    const auto [it, is_new] =
        sections.back().keys.emplace(std::string(pair.key.text), pair);
    if (!is_new)
      file.error(pair.key,
                 fmt::format("{} is already given in line {}",
                             in_quotes(pair.key.text),
                             file.place(it->second.key).line),
                 "remove one of the two");
  }
  return sections;
}

class PlaneReader {
 public:
  PlaneReader(const ForeignFile& file, const Section& section)
      : file_(file), section_(section) {}

  /// The layer, unless it is invalid or not a plane.
  std::optional<DescribedLayer> read() {
    const std::string role = text("role");
    if (role == "auxiliary") {
      file_.warning(section_.name,
                    fmt::format("the auxiliary detector {} is left out",
                                in_quotes(section_.name.text)));
      return std::nullopt;
    }
    if (!role.empty() && role != "dut" && role != "reference" &&
        role != "passive" && role != "none")
      wrong("role", "the role must be dut, reference, passive or auxiliary");
    const std::string system = text("coordinates");
    if (!system.empty() && system != "cartesian")
      wrong("coordinates", "only cartesian coordinates have a counterpart");
    const bool measures = role != "passive";

    const auto position = list<3>("position", Dimension::length, true);
    const auto angles = list<3>("orientation", Dimension::angle, false);
    const auto pixels = list<2>("number_of_pixels", Dimension::number, true);
    const auto pitch = list<2>("pixel_pitch", Dimension::length, true);
    const auto resolution =
        list<2>("spatial_resolution", Dimension::length, false);
    for (const char* key : {"number_of_pixels", "pixel_pitch"})
      positive(key, key == std::string_view("pixel_pitch") ? pitch : pixels);
    if (measures) positive("spatial_resolution", resolution);
    double material = 0;
    if (const auto budget =
            list<1>("material_budget", Dimension::number, false))
      material = (*budget)[0];
    else if (good_)
      file_.warning(
          section_.name,
          fmt::format("{} has no material_budget: no material is assumed",
                      in_quotes(section_.name.text)));
    if (material < 0) wrong("material_budget", "x/X0 must not be negative");
    std::string mode = text("orientation_mode");
    if (mode.empty()) mode = "xyz";
    if (mode != "xyz" && mode != "xyx")
      wrong("orientation_mode",
            "the mode must be xyz or xyx (turns about fixed axes)");
    if (!good_) return std::nullopt;

    DescribedLayer described;
    Layer& layer = described.layer;
    layer.name = section_.name.text;
    layer.place = file_.place(section_.name);
    std::array<double, 3> turns{};
    if (angles) turns = *angles;
    const std::array<double, 2> width{(*pixels)[0] * (*pitch)[0],
                                      (*pixels)[1] * (*pitch)[1]};
    const PlaneDirections directions = turned_plane(mode, turns);
    layer.material = material_of(material);
    std::array<double, 2> sigma{(*pitch)[0] / std::sqrt(12.0),
                                (*pitch)[1] / std::sqrt(12.0)};
    if (resolution) sigma = *resolution;
    layer.surface = surface(*position, directions, width, sigma);
    if (measures)
      layer.coordinates = {{0, sigma[0]}, {90 * unit::deg, sigma[1]}};
    return described;
  }

 private:
  /// A plane normal to z with u along x or y is written in the short form; u
  /// and v may then be exchanged.
  static Surface surface(const std::array<double, 3>& at,
                         const PlaneDirections& d, std::array<double, 2> width,
                         std::array<double, 2>& sigma) {
    constexpr double rounding = 1e-12;
    const auto is_along = [&](double component) {
      return std::abs(std::abs(component) - 1) < rounding;
    };
    if (!is_along(d.normal[2]) || (!is_along(d.u[0]) && !is_along(d.u[1])))
      return make_inclined_plane(at, d.normal, d.u, width);
    if (is_along(d.u[1])) {
      std::swap(width[0], width[1]);
      std::swap(sigma[0], sigma[1]);
    }
    return make_plane(Axis::z, at[2],
                      {at[0] - 0.5 * width[0], at[0] + 0.5 * width[0]},
                      {at[1] - 0.5 * width[1], at[1] + 0.5 * width[1]});
  }

  const KeyAndValue* find(std::string_view key) const {
    const auto it = section_.keys.find(key);
    return it == section_.keys.end() ? nullptr : &it->second;
  }
  std::string text(std::string_view key) const {
    const KeyAndValue* found = find(key);
    return found ? lower_case(found->value.text) : "";
  }
  void wrong(std::string_view key, std::string_view problem) {
    const KeyAndValue* found = find(key);
    file_.error(
        found->value.text.empty() ? found->key : found->value,
        fmt::format("{}, got {}", problem, in_quotes(found->value.text)));
    good_ = false;
  }
  template <std::size_t n>
  void positive(std::string_view key,
                const std::optional<std::array<double, n>>& values) {
    if (values && std::ranges::any_of(*values, [](double x) { return x <= 0; }))
      wrong(key, fmt::format("{} must be positive", key));
  }

  /// `n` comma-separated numbers; mm and rad if there is no unit.
  template <std::size_t n>
  std::optional<std::array<double, n>> list(std::string_view key,
                                            Dimension dimension,
                                            bool required) {
    const KeyAndValue* found = find(key);
    if (!found) {
      if (required) {
        file_.error(section_.name,
                    fmt::format("the detector {} has no {}",
                                in_quotes(section_.name.text), key),
                    fmt::format("add {} = ...", key));
        good_ = false;
      }
      return std::nullopt;
    }
    std::array<double, n> values{};
    std::size_t begin = 0, i = 0;
    const ForeignWord& whole = found->value;
    bool right = true;
    for (; begin <= whole.text.size(); ++i) {
      const std::size_t comma =
          std::min(whole.text.find(',', begin), whole.text.size());
      const ForeignWord item =
          trim({whole.text.substr(begin, comma - begin), whole.offset + begin});
      begin = comma + 1;
      if (i >= n) continue;
      const Parsed<double> bare = parse_quantity(item.text, Dimension::number);
      const Parsed<double> read =
          bare ? bare : parse_quantity(item.text, dimension);
      if (read) {
        values[i] = read.value;
        continue;
      }
      file_.error(item.text.empty() ? found->key : item,
                  fmt::format("{}: {}", key, read.problem), read.suggestion);
      right = false;
    }
    if (right && i != n) {
      file_.error(whole.text.empty() ? found->key : whole,
                  fmt::format("{} needs {} value{}, got {}", key, n,
                              n == 1 ? "" : "s", i));
      right = false;
    }
    good_ = good_ && right;
    if (!right) return std::nullopt;
    return values;
  }

  const ForeignFile& file_;
  const Section& section_;
  bool good_ = true;
};

/// One warning for each key without a counterpart, at its first occurrence.
void note_unused(const ForeignFile& file,
                 const std::vector<Section>& sections) {
  const std::array<std::string_view, 2> of_no_interest{"type",
                                                       "time_resolution"};
  std::set<std::string, std::less<>> noted;
  for (const Section& section : sections)
    for (const auto& [key, pair] : section.keys)
      if (std::ranges::find(used_keys, key) == used_keys.end() &&
          std::ranges::find(of_no_interest, key) == of_no_interest.end() &&
          noted.insert(key).second)
        file.warning(pair.key,
                     fmt::format("{} has no counterpart, here and in other "
                                 "detectors",
                                 in_quotes(key)));
}

}  // namespace

ForeignDetector read_corryvreckan(const ForeignFile& file) {
  const std::vector<Section> sections = read_sections(file);
  note_unused(file, sections);
  ForeignDetector result;
  result.tesla = 0;  // the file format does not describe a field
  for (const Section& section : sections)
    if (auto layer = PlaneReader(file, section).read()) {
      if (const auto role = section.keys.find("role");
          role != section.keys.end() && role->second.value.text == "dut")
        file.warning(section.name,
                     fmt::format("{} is the device under test: its hits count",
                                 in_quotes(section.name.text)),
                     "exclude them with --without-own-hit, or remove "
                     "\"measures\"");
      result.description.layers.push_back(std::move(*layer));
    }
  return result;
}

}  // namespace gttf::detail
