// SPDX-License-Identifier: Apache-2.0
// Reads one entry of `layers`.
#include "gttf/detector/read_layer.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "gttf/config/text.hpp"
#include "gttf/detector/hit_error.hpp"
#include "gttf/detector/material_map.hpp"
#include "gttf/detector/surface_outline.hpp"

namespace gttf::detail {
namespace {

/// The layer for which an error is read.
struct ErrorContext {
  const Surface& surface;
  std::optional<double> drift_to = std::nullopt;  ///< mm
  bool has_drift = false;  ///< whether the key exists, valid or not
};

/// An error, and its dependence on the track if any.
struct ReadError {
  double sigma = 0;
  std::shared_ptr<const HitError> error = {};
};

/// Whether it is a formula; not because of a sign in front or in an exponent.
bool is_formula(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '*' || text[i] == '/' || text[i] == '^')
      return true;
    const bool is_sign = text[i] == '+' || text[i] == '-';
    const std::size_t before = text.find_last_not_of(' ', i == 0 ? 0 : i - 1);
    if (is_sign && i > 0 && before != text.npos && text[before] != 'e' &&
        text[before] != 'E')
      return true;
  }
  return text.find("\u2295") != text.npos;
}

std::optional<ReadError> read_error_formula(const Value& value,
                                            const ErrorContext& context) {
  Parsed<Formula> parsed = parse_formula(
      value.node().text(), {hit_error_variables(), {.length = 1}});
  if (!parsed) {
    value.part(parsed.offset, parsed.length)
        .error(parsed.problem, parsed.suggestion);
    return std::nullopt;
  }
  auto error = std::make_shared<HitError>(
      std::move(parsed.value), context.surface, context.drift_to.value_or(0));
  if (error->uses_drift() && !context.drift_to) {
    if (context.has_drift) return std::nullopt;
    value.error("the error depends on the drift length, which is not given",
                "add \"drift: { to: 2.2 m }\", |z| of the end of the drift "
                "volume");
    return std::nullopt;
  }
  if (!(error->nominal() > 0) || !std::isfinite(error->nominal())) {
    value.error(
        fmt::format("the error must be positive, got {:.6g} um for a "
                    "track of 1 GeV at normal incidence",
                    error->nominal() / unit::um));
    return std::nullopt;
  }
  return ReadError{error->nominal(), error};
}

/// A hit resolution, or the pitch p of a digital sensor: sigma = p/sqrt(12),
/// the standard deviation of a uniform distribution.
std::optional<ReadError> read_sigma(const Value& value, bool is_pitch,
                                    const ErrorContext& context) {
  if (value.is_scalar() && is_formula(value.node().text())) {
    if (!is_pitch) return read_error_formula(value, context);
    value.error("a pitch is the same for all tracks",
                "write the error as a formula under \"measures\"");
    return std::nullopt;
  }
  const auto length =
      read_positive(value, is_pitch ? "pitch" : "resolution", "um");
  if (!length) return std::nullopt;
  return ReadError{is_pitch ? *length / std::sqrt(12.0) : *length};
}

/// The coordinates u and v by name, each at most once.
class NamedCoordinates {
 public:
  explicit NamedCoordinates(const ErrorContext& context)
      : context_(context), axes_(axis_names(context.surface)) {}

  void read(MapReader& map, bool is_pitch) {
    bool any = false;
    for (const bool general : {false, true})
      for (std::size_t i = 0; i < 2; ++i) {
        const auto& names = general ? general_axes : axes_;
        if (general && names[i] == axes_[i]) continue;
        const auto value = map.find(names[i]);
        if (!value) continue;
        any = true;
        const auto error = read_sigma(*value, is_pitch, context_);
        if (seen_[i])
          value->error(fmt::format("{} is measured twice", in_quotes(axes_[i])),
                       "remove one of the two");
        seen_[i] = true;
        if (error) error_[i] = *error;
      }
    empty_ = empty_ && !any;
  }

  bool is_empty() const { return empty_; }

  std::vector<Coordinate> coordinates() const {
    std::vector<Coordinate> result;
    for (std::size_t i = 0; i < error_.size(); ++i)
      if (const ReadError& e = error_[i]; e.sigma > 0)
        result.push_back({i == 0 ? 0 : 90 * unit::deg, e.sigma, e.error});
    return result;
  }

 private:
  const ErrorContext& context_;
  std::array<std::string_view, 2> axes_;
  std::array<bool, 2> seen_{};
  std::array<ReadError, 2> error_;
  bool empty_ = true;
};

std::vector<Coordinate> read_general(const std::vector<Value>& items,
                                     const ErrorContext& context) {
  std::vector<Coordinate> result;
  for (const Value& item : items) {
    MapReader map(item, "{ angle: ..., sigma: ... }");
    if (!map) continue;
    const auto angle = map.require("angle", "0 deg");
    const auto sigma = map.find("sigma");
    const auto pitch = map.find("pitch");
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    const double radians =
        angle ? angle->quantity(Dimension::angle).value_or(unknown) : unknown;
    if (sigma && pitch)
      pitch->error("\"sigma\" and \"pitch\" cannot be used together",
                   "remove one of the two");
    else if (!sigma && !pitch)
      map.require("sigma", "20 um");
    ReadError error;
    if (sigma) error = read_sigma(*sigma, false, context).value_or(ReadError{});
    if (pitch) error = read_sigma(*pitch, true, context).value_or(ReadError{});
    map.finish();
    if (std::isnan(radians) || error.sigma <= 0) continue;
    for (const Coordinate& other : result)
      if (std::abs(std::sin(other.angle - radians)) < 1e-9)
        item.warning("this direction is measured twice",
                     "the two hits are treated as independent");
    result.push_back({radians, error.sigma, error.error});
  }
  return result;
}

/// Number of surfaces, 0 if it is invalid.
std::size_t read_repeat(const Value& value) {
  const auto number = value.integer();
  if (!number) return 0;
  constexpr auto most = static_cast<std::int64_t>(max_layers);
  if (*number >= 2 && *number <= most) return static_cast<std::size_t>(*number);
  value.error(
      fmt::format("\"repeat\" must be from 2 to {}, got {}", most, *number));
  return 0;
}

std::vector<Layer> expand(const Layer& pattern, const ShapeSpec& spec,
                          std::size_t rows,
                          const std::vector<DeadEntry>& dead) {
  std::vector<Layer> layers;
  const auto kill = [&dead](std::size_t ring, std::size_t module, Layer& of) {
    for (const DeadEntry& entry : dead)
      if (entry.covers(ring, module)) of.dead.push_back(entry.region);
  };
  for (std::size_t i = 0; i < spec.rings.size(); ++i) {
    const std::string ring =
        spec.rings.size() > 1 ? name_of_copy(pattern.name, i) : pattern.name;
    for (std::size_t k = 0; k < spec.rings[i].size(); ++k) {
      Layer& module = layers.emplace_back(pattern);
      module.surface = spec.rings[i][k];
      module.name = name_of_copy(ring, k);
      kill(i, k, module);
    }
  }
  if (!layers.empty()) return layers;
  for (std::size_t i = 0; i < rows; ++i) {
    Layer layer = pattern;
    layer.surface.position = position_of_copy(spec.first, spec.last, i, rows);
    if (rows > 1) layer.name = name_of_copy(pattern.name, i);
    kill(0, 0, layer);
    layers.push_back(std::move(layer));
  }
  return layers;
}

/// The maps of a layer at -z, from those of the layer at z.
void mirror_maps(Layer& layer) {
  using C = MapCoordinate;
  for (Slab& slab : layer.material) {
    if (!slab.map) continue;
    // v is reversed, see below
    const bool turns = slab.map->uses(C::v) && layer.surface.is_inclined();
    if (turns)
      slab.map =
          std::make_shared<const MaterialMap>(slab.map->mirrored({C::v}));
    else if (slab.map->uses(C::z))
      slab.map =
          std::make_shared<const MaterialMap>(slab.map->mirrored({C::z}));
  }
}

/// Adds the mirrored surfaces at -z; reports if this is meaningless.
void mirror(std::vector<Layer>& layers, const Value& place) {
  const std::size_t n = layers.size();
  for (std::size_t i = 0; i < n; ++i) {
    Layer copy = layers[i];
    Surface& s = copy.surface;
    for (DeadRegion& region : copy.dead)
      if (region.z) region.z = {-region.z->upper, -region.z->lower};
    mirror_maps(copy);
    const bool is_cone = s.shape == Shape::cone;
    const bool is_barrel = s.shape == Shape::cylinder || is_cone;
    if (s.is_inclined()) {
      const double z = s.position * s.normal_vector[2] +
                       0.5 * (s.u.lower + s.u.upper) * s.u_vector[2] +
                       0.5 * (s.v.lower + s.v.upper) * s.v_vector()[2];
      if (std::abs(z) <= same_place) {
        place.error("its mirror image at -z would coincide with it",
                    "remove \"mirror\"");
        return;
      }
      // normal and u are mirrored; v = normal x u then changes sign
      s.normal_vector[2] = -s.normal_vector[2];
      s.u_vector[2] = -s.u_vector[2];
      s.v = {-s.v.upper, -s.v.lower};
      copy.name += z < 0 ? " (+z)" : " (-z)";
      layers.push_back(std::move(copy));
      continue;
    }
    if (s.shape == Shape::plane && s.normal != Axis::z) {
      place.error("only a layer on one side of z = 0 can have a mirror image",
                  "write the second plane as a separate layer");
      return;
    }
    const bool at_centre =
        is_barrel ? s.v.lower < 0 && s.v.upper > 0 : s.position == 0;
    if (at_centre) {
      place.error(is_cone ? "its mirror image at -z would cut through it"
                          : "its mirror image at -z would coincide with it",
                  is_cone ? "make it two layers" : "remove \"mirror\"");
      return;
    }
    const bool behind = is_barrel ? s.v.upper <= 0 : s.position < 0;
    if (is_barrel)
      s.v = {-s.v.upper, -s.v.lower};
    else
      s.position = -s.position;
    if (is_cone) s.slope = -s.slope;
    copy.name += behind ? " (+z)" : " (-z)";
    layers.push_back(std::move(copy));
  }
}

}  // namespace

std::string name_of_copy(const std::string& name, std::size_t index) {
  return fmt::format("{}[{}]", name, index);
}

double position_of_copy(double first, double last, std::size_t index,
                        std::size_t n) {
  if (index == 0) return first;
  if (index + 1 == n) return last;
  return first + (last - first) * static_cast<double>(index) /
                     static_cast<double>(n - 1);
}

std::vector<Coordinate> read_coordinates(MapReader& layer,
                                         const Surface& surface) {
  const auto measures = layer.find("measures");
  const auto pitch = layer.find("pitch");
  ErrorContext context{surface};
  if (const auto drift = layer.find("drift")) {
    context.has_drift = true;
    MapReader map(*drift, "a map such as { to: 2.2 m }");
    if (map) {
      if (const auto to = map.require("to", "2.2 m"))
        context.drift_to = read_positive(*to, "end of the drift volume", "m");
      map.finish();
    }
  }
  NamedCoordinates named(context);
  if (measures && measures->is_list()) {
    if (pitch)
      pitch->error("with a list under \"measures\" this key is not allowed",
                   "write the pitch into the list: { angle: 0 deg, pitch: 50 "
                   "um }");
    if (measures->node().items().empty())
      measures->error("nothing is measured",
                      "remove \"measures\" from a passive layer");
    return read_general(measures->items(), context);
  }
  if (measures && measures->node().find("angle")) {
    measures->error("a coordinate at an angle must be in a list",
                    "write a list: [{ angle: 0 deg, sigma: 20 um }]");
  } else if (measures) {
    MapReader map(*measures, "a map such as { rphi: 5 um, z: 5 um } or a list");
    if (map) {
      named.read(map, false);
      if (const auto inner = map.find("pitch")) {
        MapReader pitches(*inner, "a map such as { rphi: 50 um }");
        named.read(pitches, true);
        pitches.finish();
      }
      map.finish();
    }
  }
  if (pitch) {
    MapReader map(*pitch, "a map such as { rphi: 50 um, z: 50 um }");
    named.read(map, true);
    if (map) map.finish();
  }
  const Value* given = measures ? &*measures : (pitch ? &*pitch : nullptr);
  if (given && given->is_map() && given->node().entries().empty() &&
      named.is_empty())
    given->error("nothing is measured", "remove the key from a passive layer");
  return named.coordinates();
}

namespace {

/// Warns where a surface reaches beyond the bins of a map: those at the edges
/// count there.
void check_maps(const Value& material, const std::vector<Layer>& layers) {
  for (const Layer& layer : layers)
    for (const Slab& slab : layer.material) {
      if (!slab.map) continue;
      for (const MapCoordinate c : {MapCoordinate::z, MapCoordinate::r}) {
        const MaterialMap::Bins* axis = slab.map->axis(c);
        if (!axis) continue;
        const Interval own = c == MapCoordinate::z
                                 ? extent(layer.surface, Axis::z)
                                 : radii(layer.surface);
        const double from = axis->lower(0),
                     to = axis->upper(axis->centres.size() - 1);
        constexpr double rounding = 1e-6;  // mm
        if (own.lower >= from - rounding && own.upper <= to + rounding)
          continue;
        material.warning(
            fmt::format("the bins of {} reach from {:.6g} to {:.6g} mm, the "
                        "surface {} from {:.6g} to {:.6g} mm",
                        column_name(c), from, to, in_quotes(layer.name),
                        own.lower, own.upper),
            "the values of the outermost bins are used beyond them");
        return;
      }
    }
}

}  // namespace

LayerEntry read_layer(const Value& value, const LayerContext& context) {
  MapReader map(value, "a layer (a map with name, shape, material, ...)");
  const Diagnostic place = diagnostic_at(value.node());
  LayerEntry entry{value, value, "", place.line, {}};
  if (!map) return entry;
  Layer layer;
  layer.place = {place.line, place.column};
  if (const auto name = map.require("name", "L0")) {
    entry.name = layer.name = name->text("a name").value_or("");
    entry.name_value = *name;
  }

  std::size_t rows = 1;  // 0: could not be read
  const auto repeat_value = map.find("repeat");
  if (repeat_value) rows = read_repeat(*repeat_value);
  const ShapeSpec spec = read_shape(map, repeat_value.has_value(), entry.shape);
  const auto mirror_value = map.find("mirror");
  const bool mirrors = mirror_value && mirror_value->boolean().value_or(false);

  const auto material = map.find("material");
  if (material)
    layer.material = read_material(*material, context,
                                   spec.has_axes ? &spec.surface : nullptr);
  layer.surface = spec.surface;
  if (spec.has_axes) {
    Surface first = spec.surface;
    first.position = spec.first;
    layer.coordinates = read_coordinates(map, first);
  } else {
    for (const std::string_view key : {"measures", "pitch", "drift"})
      map.find(key);
  }
  const bool has_hits =
      value.node().find("measures") || value.node().find("pitch");
  if (!material && has_hits)
    value.warning("the layer has no material",
                  "add \"material: 0\" if this is intended");
  if (!material && !has_hits)
    value.warning("the layer has no material and measures nothing",
                  "add \"material\" or \"measures\", or remove the layer");

  if (const auto efficiency = map.find("efficiency")) {
    const auto number = efficiency->quantity(Dimension::fraction);
    if (number && !(*number > 0 && *number <= 1))
      efficiency->error(
          fmt::format("the efficiency must be above 0 and at most 1, got {}",
                      describe(efficiency->node())));
    else if (number)
      layer.efficiency = *number;
  }
  std::vector<DeadEntry> dead;
  if (const auto regions = map.find("dead")) {
    dead = read_dead(*regions, spec);
    if (!has_hits)
      regions->warning("the layer measures nothing: it has no hits to lose",
                       "remove \"dead\", or add \"measures\"");
  }
  if (const auto group = map.find("group"))
    layer.group = group->text("a name").value_or("");
  if (const auto note = map.find("note"))
    layer.note = note->text().value_or("");
  map.finish();

  if (!spec.is_good || rows == 0) return entry;
  entry.layers = expand(layer, spec, rows, dead);
  if (!spec.rings.empty()) entry.modules = spec.rings.front().size();
  if (mirrors) mirror(entry.layers, *mirror_value);
  if (material) check_maps(*material, entry.layers);
  return entry;
}

namespace {

constexpr std::array<std::string_view, 3> axis_letters = {"x", "y", "z"};

/// A position, or a range of positions for `repeat`.
bool read_position(const Value& value, ShapeSpec& spec, bool repeats) {
  spec.is_range = value.is_list();
  if (spec.is_range) {
    const auto range = read_range(value);
    if (!range) return false;
    spec.first = range->lower;
    spec.last = range->upper;
    if (!repeats)
      value.error("a range of positions without \"repeat\"",
                  "add \"repeat: N\" to the layer, or give one position");
    return repeats;
  }
  const auto position = value.quantity(Dimension::length);
  if (!position) return false;
  spec.first = spec.last = *position;
  if (repeats)
    value.error(fmt::format("\"repeat\" needs a range of positions, got {}",
                            describe(value.node())),
                "write [FIRST, LAST], both ends included");
  return !repeats;
}

ShapeSpec read_cylinder(MapReader& map, bool repeats) {
  ShapeSpec spec;
  spec.surface.shape = Shape::cylinder;
  spec.has_axes = true;
  bool good = false;
  if (const auto radius = map.require("radius", "22 mm")) {
    good = read_position(*radius, spec, repeats);
    if (good && spec.first <= 0) {
      radius->error(fmt::format(
          "the radius must be positive, got {}",
          radius->is_list() ? in_quotes(radius->node().items()[0].text())
                            : describe(radius->node())));
      good = false;
    }
  }
  const auto half_length = map.find("half_length");
  const auto z = map.find("z");
  if (half_length && z) {
    z->error("\"z\" and \"half_length\" cannot be used together",
             "remove one of the two");
    good = false;
  } else if (half_length) {
    const auto length = read_positive(*half_length, "half length");
    good = good && length;
    if (length) spec.surface.v = {-*length, *length};
  } else if (z) {
    const auto range = read_range(*z);
    good = good && range;
    if (range) spec.surface.v = *range;
  } else {
    map.require("half_length", "400 mm");
    good = false;
  }
  spec.is_good = good;
  return spec;
}

ShapeSpec read_disk(MapReader& map, bool repeats) {
  ShapeSpec spec;
  spec.surface.shape = Shape::disk;
  spec.has_axes = true;
  const auto z = map.require("z", "500 mm");
  bool good = z && read_position(*z, spec, repeats);
  if (const auto radius = map.require("radius", "[40 mm, 160 mm]")) {
    const auto range = read_range(*radius);
    if (range) spec.surface.v = *range;
    good = good && range;
    if (range && range->lower < 0) {
      radius->error(fmt::format("the inner radius must not be negative, got {}",
                                in_quotes(radius->node().items()[0].text())),
                    "a full disk begins at 0 mm");
      good = false;
    }
  }
  spec.is_good = good;
  return spec;
}

/// The radii at both ends of a cone, which may rise or fall.
std::optional<std::array<double, 2>> read_end_radii(const Value& value) {
  const std::vector<Value> items = value.items();
  if (items.size() != 2) {
    value.error(fmt::format("two radii are needed, at both ends of \"z\"; "
                            "{} given",
                            items.size()),
                "write [FIRST, LAST]");
    return std::nullopt;
  }
  const auto first = items[0].quantity(Dimension::length);
  const auto last = items[1].quantity(Dimension::length);
  if (!first || !last) return std::nullopt;
  return std::array{*first, *last};
}

/// Radii at both ends, or the radius halfway between them with the slope dr/dz.
ShapeSpec read_cone(MapReader& map, bool repeats) {
  ShapeSpec spec;
  Surface& s = spec.surface;
  s.shape = Shape::cone;
  spec.has_axes = true;
  bool good = false;
  if (const auto z = map.require("z", "[300 mm, 500 mm]"))
    if (const auto range = read_range(*z)) {
      s.v = *range;
      good = true;
    }
  const auto radius = map.require("radius", "[40 mm, 90 mm]");
  const auto slope = map.find("slope");
  if (!radius) {
    good = false;
  } else if (slope) {
    const auto rise = slope->quantity(Dimension::number);
    if (rise) s.slope = *rise;
    good = read_position(*radius, spec, repeats) && rise && good;
  } else if (!radius->is_list()) {
    radius->error("a cone needs two radii",
                  "write [FIRST, LAST], the radii at both ends of \"z\", or "
                  "add \"slope\": dr/dz");
    good = false;
  } else if (repeats) {
    radius->error("a cone with \"repeat\" needs its slope",
                  "add \"slope\": dr/dz; \"radius\" is then the range of the "
                  "radii halfway between the ends");
    good = false;
  } else {
    const auto ends = read_end_radii(*radius);
    good = ends && good;
    if (good) {
      s = make_cone(s.v, (*ends)[0], (*ends)[1]);
      spec.first = spec.last = s.position;
    }
  }
  const double rise = 0.5 * std::abs(s.slope) * s.v.length();
  const double least = std::min(spec.first, spec.last) - rise;
  if (good && (least < -same_place || std::min(spec.first, spec.last) <= 0)) {
    radius->error(fmt::format("the radii must not be negative, got {:.6g} mm "
                              "at one end",
                              least),
                  "a full cone ends at 0 mm");
    good = false;
  }
  spec.is_good = good;
  return spec;
}

/// The fixed coordinate of a plane: `normal`, or the only one without a range.
std::optional<std::size_t> find_normal(
    MapReader& map, const std::array<std::optional<Value>, 3>& axes) {
  if (const auto normal = map.find("normal"))
    return normal->choice("axis", {"x", "y", "z"});
  std::optional<std::size_t> fixed;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!axes[i] || axes[i]->is_list()) continue;
    if (fixed) {
      axes[i]->error(
          fmt::format("{} and {} are both single values: a plane is fixed in "
                      "one coordinate",
                      axis_letters[*fixed], axis_letters[i]),
          fmt::format("write {}: [-10 cm, 10 cm]", axis_letters[i]));
      return std::nullopt;
    }
    fixed = i;
  }
  if (!fixed)
    map.value().error("x, y and z are all ranges: one must be fixed",
                      "with \"repeat\" add for example \"normal: z\", else "
                      "give one coordinate as a single value");
  return fixed;
}

using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector scaled(const Vector& a, double factor) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}
Vector sum(const Vector& a, const Vector& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

/// 0 instead of the rounding error of cos(90 deg), so that planes normal to an
/// axis are recognised.
Vector snapped(const Vector& a) {
  Vector b = a;
  for (double& x : b)
    if (std::abs(x) < 1e-15) x = 0;
  return b;
}

/// A list of `n` quantities.
std::optional<std::vector<double>> read_list(const Value& value, std::size_t n,
                                             Dimension dimension,
                                             std::string_view example) {
  const std::string advice = fmt::format("write {}", example);
  if (!value.is_list()) {
    value.expected(fmt::format("a list of {} values", n), advice);
    return std::nullopt;
  }
  const std::vector<Value> items = value.items();
  if (items.size() != n) {
    value.error(fmt::format("{} values are needed, got {}", n, items.size()),
                advice);
    return std::nullopt;
  }
  std::vector<double> numbers;
  bool good = true;
  for (const Value& item : items) {
    const auto number = item.quantity(dimension);
    good = good && number;
    numbers.push_back(number.value_or(0));
  }
  return good ? std::optional(numbers) : std::nullopt;
}

std::optional<Vector> read_vector(const Value& value, Dimension dimension,
                                  std::string_view example) {
  const auto list = read_list(value, 3, dimension, example);
  if (!list) return std::nullopt;
  return Vector{(*list)[0], (*list)[1], (*list)[2]};
}

/// A vector of any length, normalised.
std::optional<Vector> read_direction(const Value& value,
                                     std::string_view example) {
  const auto direction = read_vector(value, Dimension::number, example);
  if (!direction) return std::nullopt;
  const double length =
      std::hypot((*direction)[0], (*direction)[1], (*direction)[2]);
  if (length > 0 && std::isfinite(length))
    return scaled(*direction, 1 / length);
  value.error("a direction of length 0", fmt::format("write {}", example));
  return std::nullopt;
}

/// The widths of a rectangle along u and v, both positive.
std::optional<std::array<double, 2>> read_size(MapReader& map) {
  constexpr std::string_view example = "[20 mm, 10 mm]";
  const auto size = map.require("size", example);
  if (!size) return std::nullopt;
  const auto widths = read_list(*size, 2, Dimension::length, example);
  if (!widths) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i)
    if (!((*widths)[i] > 0)) {
      size->items()[i].error(fmt::format("the width must be positive, got {}",
                                         describe(size->items()[i].node())));
      return std::nullopt;
    }
  return std::array{(*widths)[0], (*widths)[1]};
}

/// Three rotations about fixed axes, in the order of the letters, of a plane
/// with normal z and u along x.
std::optional<PlaneDirections> read_orientation(const Value& value) {
  MapReader map(value, "a map such as { xyz: [10 deg, 0 deg, 90 deg] }");
  if (!map) return std::nullopt;
  std::optional<PlaneDirections> found;
  bool any = false;
  for (const std::string_view order : {"xyz", "xyx", "zxz"}) {
    const auto angles = map.find(order);
    if (!angles) continue;
    if (any) {
      angles->error("the orientation is given twice", "remove one of the two");
      found.reset();
      break;
    }
    any = true;
    const auto list =
        read_list(*angles, 3, Dimension::angle, "[10 deg, 0 deg, 90 deg]");
    if (!list) continue;
    found = turned_plane(order, {(*list)[0], (*list)[1], (*list)[2]});
  }
  if (!any)
    value.error("the orientation has no angles",
                "write { xyz: [10 deg, 0 deg, 90 deg] }, xyx or zxz");
  map.finish();
  return found;
}

/// A plane by its centre and its directions.
ShapeSpec read_inclined_plane(MapReader& map, bool repeats) {
  ShapeSpec spec;
  spec.surface.shape = Shape::plane;
  spec.surface.normal = Axis::none;
  spec.has_axes = true;
  if (repeats)
    map.value().error("a plane with a center cannot be repeated",
                      "write a layer for each plane");
  constexpr std::string_view somewhere = "[0 mm, 0 mm, 130 mm]";
  const auto centre = map.require("center", somewhere);
  const auto at = centre ? read_vector(*centre, Dimension::length, somewhere)
                         : std::nullopt;
  const auto orientation = map.find("orientation");
  const auto normal = map.find("normal"), u = map.find("u");
  std::optional<PlaneDirections> directions;
  if (orientation) {
    for (const auto& other : {normal, u})
      if (other)
        other->error("the directions are already given by \"orientation\"",
                     "remove one of the two");
    directions = read_orientation(*orientation);
    if (normal || u) directions.reset();
  } else {
    const auto n = map.require("normal", "[0.1, 0, 0.995]");
    const auto e = map.require("u", "[0.995, 0, -0.1]");
    const auto unit_n =
        n ? read_direction(*n, "[0.1, 0, 0.995]") : std::nullopt;
    const auto unit_u =
        e ? read_direction(*e, "[0.995, 0, -0.1]") : std::nullopt;
    if (unit_n && unit_u) {
      // the component of u along the normal is removed
      const double along = dot(*unit_n, *unit_u);
      const Vector in_plane = sum(*unit_u, scaled(*unit_n, -along));
      const double length = std::hypot(in_plane[0], in_plane[1], in_plane[2]);
      constexpr double parallel = 1e-6;
      if (length < parallel)
        e->error("u is parallel to the normal",
                 "u is a direction within the plane");
      else
        directions = PlaneDirections{*unit_n, scaled(in_plane, 1 / length)};
    }
  }
  const auto size = read_size(map);
  if (!at || !directions || !size || repeats) return spec;
  spec.surface = make_inclined_plane(*at, snapped(directions->normal),
                                     snapped(directions->u), *size);
  spec.first = spec.last = spec.surface.position;
  spec.is_good = true;
  return spec;
}

/// A number for each ring of an entry: one number for all, or a list.
class PerRing {
 public:
  PerRing(MapReader& map, std::string_view key, Dimension dimension,
          std::optional<std::string_view> example) {
    const auto value = example ? map.require(key, *example) : map.find(key);
    if (!value) {
      good_ = !example;
      return;
    }
    value_ = value;
    if (!value->is_list()) {
      const auto number = value->quantity(dimension);
      good_ = number.has_value();
      numbers_ = {number.value_or(0)};
      return;
    }
    numbers_.clear();
    for (const Value& item : value->items()) {
      const auto number = item.quantity(dimension);
      good_ = good_ && number;
      numbers_.push_back(number.value_or(0));
    }
    is_list_ = true;
    if (numbers_.empty()) {
      value->error("the list is empty", "one value for each ring");
      good_ = false;
    }
  }

  bool is_good() const { return good_; }
  /// Whether the list has the length of previous lists; the first one sets it.
  bool agrees_with(std::optional<std::size_t>& length) const {
    if (!is_list_) return true;
    if (!length) length = numbers_.size();
    if (*length == numbers_.size()) return true;
    value_->error(fmt::format("{} values, but another list of this ring has {}",
                              numbers_.size(), *length),
                  "the lists go together, one value for each ring");
    return false;
  }
  double operator[](std::size_t i) const { return numbers_[is_list_ ? i : 0]; }
  Value item(std::size_t i) const {
    return is_list_ ? value_->items()[i] : *value_;
  }

 private:
  std::optional<Value> value_;
  std::vector<double> numbers_ = {0};
  bool is_list_ = false, good_ = true;
};

/// Equal planes about the z axis, one ring or several.
ShapeSpec read_ring(MapReader& map, bool repeats) {
  ShapeSpec spec;
  spec.surface.shape = Shape::plane;
  spec.surface.normal = Axis::none;
  spec.has_axes = true;
  if (repeats)
    map.value().error(
        "a ring cannot be repeated",
        "write lists: { radius: 228 mm, z: [15 mm, 62 mm], ... }");
  const PerRing radius(map, "radius", Dimension::length, "252 mm"),
      z(map, "z", Dimension::length, "172 mm"),
      tilt(map, "tilt", Dimension::angle, std::nullopt);
  const auto count_value = map.require("count", "18");
  std::size_t count = 0;
  if (count_value)
    if (const auto number = count_value->integer()) {
      if (*number >= 1 && *number <= static_cast<std::int64_t>(max_layers))
        count = static_cast<std::size_t>(*number);
      else
        count_value->error(fmt::format("\"count\" must be from 1 to {}, got {}",
                                       max_layers, *number));
    }
  const auto size = read_size(map);
  const auto angle = [&map](std::string_view key) -> std::optional<double> {
    const auto value = map.find(key);
    return value ? value->quantity(Dimension::angle) : std::optional(0.0);
  };
  const auto turn = angle("turn"), phi = angle("phi");
  std::optional<std::size_t> length;
  bool good = radius.agrees_with(length);
  good = z.agrees_with(length) && good;
  good = tilt.agrees_with(length) && good;
  if (!good || !radius.is_good() || !z.is_good() || !tilt.is_good() ||
      count == 0 || !size || !turn || !phi || repeats)
    return spec;
  const std::size_t rings = length.value_or(1);
  if (rings * count > max_layers) {
    count_value->error(fmt::format("{} rings of {} modules: more than {}",
                                   rings, count, max_layers));
    return spec;
  }
  for (std::size_t i = 0; i < rings; ++i) {
    if (!(radius[i] > 0)) {
      radius.item(i).error(fmt::format("the radius must be positive, got {}",
                                       describe(radius.item(i).node())));
      return spec;
    }
    std::vector<Surface>& modules = spec.rings.emplace_back();
    for (std::size_t k = 0; k < count; ++k) {
      const double azimuth = *phi + 2 * unit::pi * static_cast<double>(k) /
                                        static_cast<double>(count);
      const Vector e_r{std::cos(azimuth), std::sin(azimuth), 0};
      const Vector e_phi{-e_r[1], e_r[0], 0};
      const Vector n0 =
          sum(scaled(e_r, std::cos(tilt[i])), {0, 0, std::sin(tilt[i])});
      const Vector normal =
          sum(scaled(n0, std::cos(*turn)), scaled(e_phi, std::sin(*turn)));
      const Vector u =
          sum(scaled(e_phi, std::cos(*turn)), scaled(n0, -std::sin(*turn)));
      modules.push_back(
          make_inclined_plane(sum(scaled(e_r, radius[i]), {0, 0, z[i]}),
                              snapped(normal), snapped(u), *size));
    }
  }
  spec.surface = spec.rings.front().front();
  spec.first = spec.last = spec.surface.position;
  spec.is_good = true;
  return spec;
}

ShapeSpec read_plane(MapReader& map, bool repeats) {
  for (const std::string_view key : {"center", "orientation", "size"})
    if (map.value().node().find(key)) return read_inclined_plane(map, repeats);
  const std::array<std::optional<Value>, 3> axes = {
      map.require("x", "1.2 m"), map.require("y", "[-10 cm, 10 cm]"),
      map.require("z", "[-10 cm, 10 cm]")};
  const bool complete = axes[0] && axes[1] && axes[2];
  const auto normal = find_normal(map, axes);
  ShapeSpec spec;
  spec.surface.shape = Shape::plane;
  if (!normal) return spec;
  spec.surface.normal = static_cast<Axis>(*normal);
  spec.has_axes = true;
  if (!complete) return spec;
  const bool good = read_position(*axes[*normal], spec, repeats);
  // (u, v) are the next two axes in the order x, y, z, x, y
  const auto u = read_range(*axes[(*normal + 1) % 3]);
  const auto v = read_range(*axes[(*normal + 2) % 3]);
  if (!good || !u || !v) return spec;
  spec.surface.u = *u;
  spec.surface.v = *v;
  spec.is_good = true;
  return spec;
}

}  // namespace

std::optional<double> read_positive(const Value& value, std::string_view what,
                                    std::string_view example_unit) {
  const auto number = value.quantity(Dimension::length, example_unit);
  if (!number || *number > 0) return number;
  value.error(fmt::format("the {} must be positive, got {}", what,
                          describe(value.node())));
  return std::nullopt;
}

std::optional<Interval> read_range(const Value& value) {
  if (value.is_scalar()) {
    const bool is_length(
        parse_quantity(value.node().text(), Dimension::length));
    value.expected("a range", is_length ? fmt::format("write [0 mm, {}]",
                                                      value.node().text())
                                        : "write [FROM, TO]");
    return std::nullopt;
  }
  return read_ends(value, "a range", Dimension::length);
}

std::optional<Interval> read_ends(const Value& value, std::string_view what,
                                  Dimension dimension,
                                  std::string_view example_unit,
                                  std::string_view if_inverted) {
  if (!value.is_list()) {
    value.expected(what, "write [FROM, TO]");
    return std::nullopt;
  }
  const std::vector<Value> items = value.items();
  if (items.size() != 2) {
    value.error(fmt::format("a range has 2 values, got {}", items.size()),
                "write [FROM, TO]");
    return std::nullopt;
  }
  const auto from = items[0].quantity(dimension, example_unit);
  const auto to = items[1].quantity(dimension, example_unit);
  if (!from || !to) return std::nullopt;
  if (*from < *to) return Interval{*from, *to};
  const std::string& a = items[0].node().text();
  const std::string& b = items[1].node().text();
  if (*from == *to)
    value.error(fmt::format("the range [{}, {}] is empty", a, b),
                "the second value must be larger");
  else
    value.error(fmt::format("the range [{}, {}] is inverted", a, b),
                fmt::format("write [{}, {}]{}", b, a, if_inverted));
  return std::nullopt;
}

ShapeSpec read_shape(MapReader& layer, bool repeats, Value& place) {
  using Reader = ShapeSpec (*)(MapReader&, bool);
  constexpr std::array<std::pair<std::string_view, Reader>, 5> readers = {{
      {"cylinder", read_cylinder},
      {"disk", read_disk},
      {"plane", read_plane},
      {"cone", read_cone},
      {"ring", read_ring},
  }};
  ShapeSpec spec;
  std::string_view found;
  for (const auto& [name, read] : readers) {
    const auto value = layer.find(name);
    if (!value) continue;
    if (!found.empty()) {
      value->error(fmt::format("the layer is a {} already", found),
                   "a layer has one shape: make it two layers");
      spec.is_good = false;
      continue;
    }
    found = name;
    place = *value;
    MapReader map(*value, "a map");
    if (!map) continue;
    spec = read(map, repeats);
    map.finish();
  }
  if (found.empty())
    layer.value().error(
        "the layer has no shape",
        "add for example \"cylinder: { radius: 22 mm, half_length: 400 mm }\"");
  return spec;
}

}  // namespace gttf::detail
