// SPDX-License-Identifier: Apache-2.0
// How both sides of a change are written: short, but never alike.
#include <fmt/format.h>

#include "gttf/study/compare/design_change.hpp"
#include "gttf/study/show/key_names.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf::detail {
namespace {

constexpr int usual_digits = 6, most_digits = 17;

/// write(side, digits) with the fewest digits that tell both sides apart.
template <class Write>
TextPair distinct(const Write& write) {
  TextPair texts;
  for (int digits = usual_digits; digits <= most_digits; ++digits) {
    texts = {write(End::before, digits), write(End::after, digits)};
    if (texts.before != texts.after) break;
  }
  return texts;
}

std::string number(double value, double unit, std::string_view name,
                   int digits) {
  return fmt::format("{:.{}g} {}", value / unit, digits, name);
}

std::string length(double value, int digits) {
  return number(value, unit::mm, "mm", digits);
}

std::string range(double from, double to, int digits) {
  return fmt::format("[{}, {}]", length(from, digits), length(to, digits));
}

/// Surfaces that are no mirror images; those come last.
std::size_t n_rows(const std::vector<const Layer*>& surfaces) {
  const std::string& last = surfaces.back()->name;
  const bool mirrored = surfaces.size() > 1 && name_in_file(last) != last;
  return mirrored ? surfaces.size() / 2 : surfaces.size();
}

std::string position(const std::vector<const Layer*>& surfaces, int digits) {
  const std::size_t n = n_rows(surfaces);
  const double first = surfaces.front()->surface.position;
  return n == 1 ? length(first, digits)
                : range(first, surfaces[n - 1]->surface.position, digits);
}

std::string material(const Layer& layer, int digits) {
  if (layer.material.empty()) return "";
  std::string text = number(layer.x_over_x0(), unit::percent, "%", digits);
  if (layer.material.size() == 1 && !layer.material[0].material.empty())
    text += fmt::format(" ({} {})", length(layer.material[0].thickness, digits),
                        layer.material[0].material);
  return text;
}

}  // namespace

TextPair number_texts(double before, double after, double unit,
                      std::string_view unit_name) {
  return distinct([&](End end, int digits) {
    return number(end == End::before ? before : after, unit, unit_name, digits);
  });
}

TextPair position_texts(const std::vector<const Layer*>& before,
                        const std::vector<const Layer*>& after) {
  return distinct([&](End end, int digits) {
    return position(end == End::before ? before : after, digits);
  });
}

TextPair extent_texts(const Interval& before, const Interval& after) {
  const bool half =
      before.lower == -before.upper && after.lower == -after.upper;
  return distinct([&](End end, int digits) {
    const Interval& i = end == End::before ? before : after;
    return half ? length(i.upper, digits) : range(i.lower, i.upper, digits);
  });
}

TextPair material_texts(const Layer& before, const Layer& after) {
  return distinct([&](End end, int digits) {
    return material(end == End::before ? before : after, digits);
  });
}

TextPair field_texts(const Field& before, const Field& after) {
  return distinct([&](End end, int digits) {
    const Field& field = end == End::before ? before : after;
    return field.kind == FieldKind::none
               ? std::string("none")
               : number(field.bz, unit::T, "T", digits);
  });
}

std::string layer_text(const std::vector<const Layer*>& surfaces) {
  const Layer& layer = *surfaces.front();
  const Surface& s = layer.surface;
  std::string text =
      fmt::format("{} {}", position_name(s), position(surfaces, usual_digits));
  if (s.shape != Shape::cylinder)
    text = fmt::format("{} {}", shape_name(s), text);
  const std::size_t n = n_rows(surfaces);
  if (n > 1) text = fmt::format("{} x ", n) + text;
  if (n < surfaces.size()) text += " and -z";
  if (!layer.material.empty()) text += ", " + material(layer, usual_digits);
  for (const Coordinate& c : layer.coordinates)
    text += fmt::format(", {} {}", coordinate_name(s, c),
                        number(c.sigma, unit::um, "um", usual_digits));
  return text;
}

}  // namespace gttf::detail
