// SPDX-License-Identifier: Apache-2.0
// Writes the geometry block of a Delphes card.
#include "gttf/detector/import/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "gttf/config/text.hpp"
#include "gttf/detector/decimal.hpp"
#include "gttf/detector/import/tcl_text.hpp"
#include "gttf/detector/ring.hpp"
#include "gttf/detector/surface_outline.hpp"

namespace gttf {
namespace {

using detail::computed_text;
using detail::shifted;
using detail::tcl_word;

constexpr int m_of_mm = -3;
constexpr double right_angle = 90 * unit::deg;
/// Tolerance for angles converted from text in degrees or mrad.
constexpr double same_angle = 1e-12;

bool same(double a, double b) { return std::abs(a - b) < same_angle; }

std::string metres(double length) {
  return computed_text(shifted(length, m_of_mm));
}

/// The label of a layer; mirror images share one name.
std::string label_of(std::string_view name) {
  for (const std::string_view suffix : {" (-z)", " (+z)"})
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return tcl_word(name);
}

/// Thickness and radiation length in metres whose ratio is x/X0.
std::pair<std::string, std::string> material_of(const Layer& layer,
                                                const Detector& detector) {
  double thickness = 0;
  bool complete = true;
  for (const Slab& slab : layer.material) {
    thickness += slab.thickness;
    complete = complete && slab.thickness > 0;
  }
  const double x = layer.x_over_x0();
  if (x == 0) return {"0", "1"};
  if (!complete) return {computed_text(x), "1"};  // 1 m of 1 m
  double x0 = thickness / x;
  // the number in the description, not a rounded one
  if (const Material* m =
          find_material(layer.material[0].material, detector.materials))
    if (std::abs(m->radiation_length / x0 - 1) <
        4 * std::numeric_limits<double>::epsilon())
      x0 = m->radiation_length;
  return {metres(thickness), metres(x0)};
}

/// One layer as a row of 13 columns.
class RowWriter {
 public:
  RowWriter(const Detector& detector, Diagnostics& losses)
      : detector_(detector), rings_(detector), losses_(losses) {}

  /// The row with its line end; empty if the layer cannot be written.
  std::string row(std::size_t index) {
    const Layer& layer = detector_.layers[index];
    const Surface& surface = layer.surface;
    if (surface.shape != Shape::cylinder && surface.shape != Shape::disk) {
      constexpr const char* shapes = "Delphes has cylinders and disks only";
      if (const Ring* ring = rings_.of(index)) {
        if (reported_.insert(ring->entry).second)
          lose(layer, ring->entry,
               fmt::format("is a ring of planes: {}", shapes),
               "it is left out");
        return "";
      }
      lose(layer, layer.name,
           fmt::format("is a {}: {}", shape_name(surface), shapes),
           "it is left out");
      return "";
    }
    std::array<double, 2> stereo{}, sigma{};
    std::size_t n = 0;
    for (const Coordinate& c : layer.coordinates) {
      const std::optional<double> angle = stereo_of(layer, c, n);
      if (!angle) continue;
      stereo[n] = *angle;
      sigma[n++] = c.sigma;
    }
    if (n > 0 && layer.efficiency != 1)
      lose(layer, layer.name,
           fmt::format("has the efficiency {}: versions of Delphes before it "
                       "became the last column read it as 0",
                       computed_text(layer.efficiency)),
           "it is written as the last column");
    const auto [thickness, x0] = material_of(layer, detector_);
    const auto side = [&](const std::array<double, 2>& values, std::size_t i) {
      return i < n ? values[i] : 0;
    };
    return fmt::format("    {} {} {} {} {} {} {} {} {} {} {} {} {}\n",
                       surface.shape == Shape::disk ? 2 : 1,
                       label_of(layer.name), metres(surface.v.lower),
                       metres(surface.v.upper), metres(surface.position),
                       thickness, x0, n, computed_text(side(stereo, 0)),
                       computed_text(side(stereo, 1)), metres(side(sigma, 0)),
                       metres(side(sigma, 1)),
                       n > 0 ? computed_text(layer.efficiency) : "0");
  }

 private:
  void lose(const Layer& layer, const std::string& name,
            const std::string& problem, std::string suggestion) {
    Diagnostic d;
    d.file = detector_.file;
    d.line = layer.place.line;
    d.column = layer.place.column;
    d.problem = fmt::format("the layer {} {}", in_quotes(name), problem);
    d.suggestion = "with --lossy " + std::move(suggestion);
    losses_.add(std::move(d));
  }

  /// Delphes measures cos(stereo) r-phi - sin(stereo) z on a barrel, r-phi and
  /// then r on a disk. Nothing if coordinate n cannot be written.
  std::optional<double> stereo_of(const Layer& layer, const Coordinate& c,
                                  std::size_t n) {
    if (n == 2) {
      lose(layer, layer.name, "measures more than two coordinates",
           "only the first two are written");
      return std::nullopt;
    }
    const bool is_v = same(std::abs(c.angle), right_angle);
    if (layer.surface.shape == Shape::cylinder)
      return is_v ? right_angle : (c.angle == 0 ? 0 : -c.angle);
    if (n == 0 ? same(c.angle, 0) : is_v) return n == 0 ? 0 : right_angle;
    lose(layer, layer.name,
         "is a disk that measures neither r-phi nor r-phi and r",
         "that coordinate is left out");
    return std::nullopt;
  }

  const Detector& detector_;
  const Rings rings_;
  std::set<std::string> reported_;  ///< entries of rings
  Diagnostics& losses_;
};

}  // namespace

Exported to_delphes(const Detector& detector) {
  Exported result;
  double bz = 0;
  if (detector.field.kind == FieldKind::solenoid) {
    bz = detector.field.bz / unit::T;
  } else {
    Diagnostic d;
    d.file = detector.file;
    d.problem = "Delphes supports only the field of a solenoid";
    d.suggestion = "with --lossy Bz is 0";
    result.losses.add(std::move(d));
  }
  std::string& text = result.text;
  text = fmt::format(
      "  # {}, for a module TrackCovariance\n"
      "  set Bz {}\n"
      "\n"
      "  set DetectorGeometry {{\n"
      "    # type (1 barrel, 2 disk), label, min, max (z or r), r or z, "
      "thickness, X0,\n"
      "    # measurements, stereo angles up and down, resolutions up and down, "
      "flag\n",
      tcl_word(detector.name), computed_text(bz));
  RowWriter writer(detector, result.losses);
  for (std::size_t i = 0; i < detector.layers.size(); ++i) {
    const std::string row = writer.row(i);
    result.rows += !row.empty();
    text += row;
  }
  text += "  }\n";
  return result;
}

}  // namespace gttf
