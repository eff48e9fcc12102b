// SPDX-License-Identifier: Apache-2.0
// Writes the surfaces of a detector as a list of modules.
#include "gttf/detector/import/export.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "gttf/config/text.hpp"
#include "gttf/detector/decimal.hpp"
#include "gttf/detector/surface_outline.hpp"

namespace gttf {
namespace {

using detail::computed_text;
using detail::shifted_text;

constexpr int um_of_mm = 3;

constexpr std::string_view module_list_header =
    "name,group,center_x_mm,center_y_mm,center_z_mm,normal_x,normal_y,normal_z,"
    "u_x,u_y,u_z,size_u_mm,size_v_mm,first_r_mm,first_z_mm,last_r_mm,"
    "last_z_mm,x_over_x0,coordinates,efficiency";

/// A name as a cell, from which backslash_unescaped() restores it: the reader
/// takes what separates cells apart, and removes spaces at the ends.
std::string name_cell(std::string_view name) {
  const std::string text = backslash_escaped(name);
  std::string cell;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_at_end = i == 0 || i + 1 == text.size();
    if (c == ',' || c == '#' || c == '"' || (c == ' ' && is_at_end))
      fmt::format_to(std::back_inserter(cell), "\\x{:02x}",
                     static_cast<unsigned char>(c));
    else
      cell += c;
  }
  return cell;
}

std::string three_cells(const std::array<double, 3>& x) {
  return fmt::format("{},{},{}", x[0], x[1], x[2]);
}

/// Unit normal and u of any plane.
PlaneDirections directions_of(const Surface& plane) {
  if (plane.is_inclined()) return {plane.normal_vector, plane.u_vector};
  const auto unit_vector = [](std::size_t axis) {
    std::array<double, 3> e{};
    e[axis] = 1;
    return e;
  };
  const auto normal = static_cast<std::size_t>(plane.normal);
  return {unit_vector(normal), unit_vector((normal + 1) % 3)};
}

std::string position_of(const Surface& s) {
  if (is_round(s)) {
    const Meridian line = meridian(s);
    return fmt::format(",,,,,,,,,,,{},{},{},{}", line.r[0], line.z[0],
                       line.r[1], line.z[1]);
  }
  const Corners all = corners(s);
  std::array<double, 3> centre{};
  for (std::size_t i = 0; i < 3; ++i) centre[i] = 0.5 * (all[0][i] + all[2][i]);
  const PlaneDirections d = directions_of(s);
  return fmt::format("{},{},{},{},{},,,,", three_cells(centre),
                     three_cells(d.normal), three_cells(d.u),
                     computed_text(s.u.length()), computed_text(s.v.length()));
}

/// "0:7 90:90": angle in degrees and error in um of each.
std::string coordinates_of(const Layer& layer) {
  std::string text;
  for (const Coordinate& c : layer.coordinates)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ",
                        computed_text(c.angle / unit::deg),
                        shifted_text(c.sigma, um_of_mm));
  return text;
}

void lose_in_list(Exported& list, const Detector& detector, FilePosition place,
                  std::string problem, std::string suggestion) {
  Diagnostic d;
  d.file = detector.file;
  d.line = place.line;
  d.column = place.column;
  d.problem = std::move(problem);
  d.suggestion = std::move(suggestion);
  list.losses.add(std::move(d));
}

}  // namespace

Exported to_module_list(const Detector& detector) {
  Exported result;
  const Field& field = detector.field;
  std::string magnet = "no field";
  if (field.kind == FieldKind::solenoid)
    magnet = fmt::format("solenoid {} T", computed_text(field.bz / unit::T));
  else if (field.kind != FieldKind::none)
    lose_in_list(result, detector, {},
                 "a list of modules supports only the field of a solenoid",
                 "with --lossy it has none");
  result.text = fmt::format("# {}, {}\n{}\n", visible(detector.name), magnet,
                            module_list_header);
  int reported = 0;  // the line of an entry whose loss is known
  for (const Layer& layer : detector.layers) {
    for (const Coordinate& c : layer.coordinates)
      if (c.error && layer.place.line != reported) {
        reported = layer.place.line;
        lose_in_list(result, detector, layer.place,
                     fmt::format("the errors of {} depend on the track",
                                 in_quotes(layer.name)),
                     "with --lossy the errors at normal incidence are written");
      }
    result.text += fmt::format(
        "{},{},{},{},{},{}\n", name_cell(layer.name), name_cell(layer.group),
        position_of(layer.surface), computed_text(layer.x_over_x0()),
        coordinates_of(layer), computed_text(layer.efficiency));
    ++result.rows;
  }
  return result;
}

}  // namespace gttf
