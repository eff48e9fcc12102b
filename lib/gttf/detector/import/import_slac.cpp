// SPDX-License-Identifier: Apache-2.0
// Reads the four columns of slaclab/TrackingResolution: x/X0, errors, radius.
#include <fmt/format.h>

#include <array>
#include <map>

#include "gttf/detector/decimal.hpp"
#include "gttf/detector/import/foreign_text.hpp"

namespace gttf::detail {
namespace {

constexpr std::size_t columns = 4;
/// The format has no layer ends.
constexpr double endless = 100 * unit::m;

}  // namespace

ForeignDetector read_slac(const ForeignFile& file) {
  ForeignDetector result;
  std::map<double, int> line_of_radius;
  std::size_t rows = 0;
  for (const ForeignWord& line : lines_of({file.source.text(), 0})) {
    const std::vector<ForeignWord> words = words_of(line);
    if (words.empty()) continue;
    if (file.too_many(++rows, words[0])) break;
    if (words.size() != columns) {
      file.error(words[words.size() < columns ? 0 : columns],
                 fmt::format("a layer has 4 columns, got {}", words.size()),
                 "write x/X0, error in r-phi, error in z, radius (in metres)");
      continue;
    }
    constexpr std::array<std::string_view, columns> names = {
        "x/X0", "error in r-phi", "error in z", "radius"};
    std::array<double, columns> value{};
    bool good = true;
    for (std::size_t i = 0; i < columns; ++i) {
      const auto number = file.number(words[i], names[i]);
      good = good && number;
      if (!number) continue;
      value[i] = *number;
      if (i == 0 ? *number < 0 : *number <= 0) {
        file.error(words[i],
                   fmt::format("the {} must {}, got {}", names[i],
                               i == 0 ? "not be negative" : "be positive",
                               words[i].text));
        good = false;
      }
    }
    if (!good) continue;
    const FilePosition place = file.place(words[0]);
    const auto [it, is_new] = line_of_radius.emplace(value[3], place.line);
    if (!is_new) {
      file.error(
          words[3],
          fmt::format("line {} already has a layer at this radius", it->second),
          "move one of the two");
      continue;
    }
    DescribedLayer described;
    Layer& layer = described.layer;
    layer.name = "L";
    layer.place = place;
    layer.surface =
        make_cylinder(shifted(value[3], mm_of_m), {-endless, endless});
    layer.material = material_of(value[0]);
    layer.coordinates = {{0, shifted(value[1], mm_of_m)},
                         {90 * unit::deg, shifted(value[2], mm_of_m)}};
    result.description.layers.push_back(std::move(described));
  }
  result.description.comments.emplace_back(
      "That program has no ends of layers: here they are 100 m long.");
  return result;
}

}  // namespace gttf::detail
