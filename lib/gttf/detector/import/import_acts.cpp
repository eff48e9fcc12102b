// SPDX-License-Identifier: Apache-2.0
// Reads surfaces with material as ACTS writes them in JSON.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "gttf/config/text.hpp"
#include "gttf/detector/decimal.hpp"
#include "gttf/detector/import/foreign_table.hpp"
#include "gttf/detector/import/json_text.hpp"
#include "gttf/detector/import/ring_joiner.hpp"
#include "gttf/detector/surface_outline.hpp"

namespace gttf::detail {
namespace {

using Vector = std::array<double, 3>;
using JsonKind = JsonValue::Kind;

/// Angles (rad) and parts of directions that differ by less are equal: files
/// may be in single precision.
constexpr double acts_rounding = 1e-5;

/// The levels of a geometry identifier that a surface can have.
constexpr std::array<std::string_view, 5> levels{"volume", "boundary", "layer",
                                                 "approach", "sensitive"};
constexpr std::size_t volume_level = 0, layer_level = 2, sensitive_level = 4;

struct GeometryId {
  std::array<long, levels.size()> of{};

  /// "v8_l2_s15"
  std::string name() const {
    std::string text;
    for (std::size_t i = 0; i < levels.size(); ++i)
      if (i == volume_level || of[i] != 0)
        text +=
            fmt::format("{}{}{}", text.empty() ? "" : "_", levels[i][0], of[i]);
    return text;
  }
};

// ---------------------------------------------------------------- the table

struct ErrorsOfUser {
  double sigma_u = 0, sigma_v = 0;  ///< mm; 0: not measured
  bool used = false;
  ForeignWord place;
};
/// By volume and layer; -1: all layers.
using ErrorTable = std::map<std::pair<long, long>, ErrorsOfUser>;

constexpr std::string_view acts_table_advice =
    "the table has the columns volume, layer (empty: all of the volume), "
    "sigma_u_um and sigma_v_um (empty: not measured)";

ErrorTable read_error_table(const ForeignFile& file) {
  constexpr std::array<std::string_view, 4> names{"volume", "layer",
                                                  "sigma_u_um", "sigma_v_um"};
  ErrorTable errors;
  const ForeignTable table(file, names, acts_table_advice);
  if (!table.is_good()) return errors;
  table.for_each_row([&](const std::vector<ForeignWord>& cells) {
    const auto whole = [&](std::size_t i) -> long {
      const ForeignWord& word = table.cell(cells, i);
      if (i == 1 && word.text.empty()) return -1;
      const auto number = file.number(word, names[i]);
      if (number && *number >= 0 && *number < 1e9 &&
          *number == std::floor(*number))
        return static_cast<long>(*number);
      if (number)
        file.error(word, fmt::format("the {} is a whole number, got {}",
                                     names[i], in_quotes(word.text)));
      return -2;
    };
    ErrorsOfUser row;
    row.place = table.cell(cells, 0);
    const long volume = whole(0), layer = whole(1);
    for (const std::size_t i : {2u, 3u}) {
      const ForeignWord& word = table.cell(cells, i);
      if (word.text.empty()) continue;
      const auto error = file.number(word, names[i]);
      if (error && !(*error > 0))
        file.error(word, "the error must be positive",
                   "leave the cell empty if this direction is not measured");
      (i == 2 ? row.sigma_u : row.sigma_v) =
          shifted(error.value_or(0), mm_of_um);
    }
    if (!errors.emplace(std::pair(volume, layer), row).second)
      file.error(row.place, "the volume and layer are already defined",
                 "one row for each");
    return true;
  });
  return errors;
}

// ------------------------------------------------------------- the surfaces

/// What cannot be expressed: once for each reason and volume.
class LeftOut {
 public:
  explicit LeftOut(const ForeignFile& file) : file_(file) {}

  /// @param detail  of this surface
  void note(const ForeignWord& place, long volume, std::string reason,
            std::string detail = "this is the first") {
    Group& group = groups_[{std::move(reason), volume}];
    if (group.count++ > 0) return;
    group.first = place;
    group.detail = std::move(detail);
  }
  void report() const {
    for (const auto& [key, group] : groups_)
      file_.warning(
          group.first,
          fmt::format("volume {}: {} surface{} {}", key.second, group.count,
                      group.count == 1 ? "" : "s", key.first),
          group.detail);
  }

 private:
  struct Group {
    int count = 0;
    ForeignWord first;
    std::string detail;
  };
  const ForeignFile& file_;
  std::map<std::pair<std::string, long>, Group> groups_;  ///< reason, volume
};

/// x/X0 along one direction of a surface, constant between edges.
struct Profile {
  std::vector<double> edges;  ///< mm; one more than values; empty: everywhere
  std::vector<double> x_over_x0;
  double least = 0, greatest = 0;  ///< of all bins, of other directions too
  bool is_mean = false;            ///< of bins that differ
};

struct Rotation {
  std::array<double, 9> of{1, 0, 0, 0, 1, 0, 0, 0, 1};
  Vector column(std::size_t i) const { return {of[i], of[3 + i], of[6 + i]}; }
};

/// An axis of a binned material.
struct BinAxis {
  std::string along;  ///< "x", "y", "z", "r", "phi"
  std::vector<double> edges;
};

class ActsReader {
 public:
  ActsReader(const ForeignFile& file, ErrorTable* errors)
      : file_(file), errors_(errors), left_out_(file) {}

  ForeignDetector read(const JsonValue& root) {
    ForeignDetector result;
    const std::vector<const JsonValue*> surfaces = find_surfaces(root);
    for (const JsonValue* entry : surfaces) {
      if (++result.rows > max_modules) {
        file_.error(entry->place,
                    fmt::format("more than {} surfaces", max_modules));
        break;
      }
      read_surface(*entry);
    }
    left_out_.report();
    if (file_.diagnostics.has_errors()) return result;
    result.description.layers = layers_.take();
    if (result.description.layers.empty() && !surfaces.empty())
      file_.error(surfaces.front()->place,
                  "no surface is left that measures or has material",
                  "surfaces need type, transform and bounds");
    if (result.description.layers.size() > max_foreign_layers)
      file_.too_many(max_foreign_layers + 1, surfaces.front()->place);
    return result;
  }

 private:
  // -- values

  void wrong(const JsonValue& value, std::string problem,
             std::string suggestion = "") {
    file_.error(value.place, std::move(problem), std::move(suggestion));
    good_ = false;
  }
  /// The value of a key of the right kind; an error if it is not.
  const JsonValue* get(const JsonValue& map, std::string_view key,
                       JsonKind kind, bool required = true) {
    const JsonValue* value = map.find(key);
    if (!value) {
      if (required) wrong(map, fmt::format("there is no {}", in_quotes(key)));
      return nullptr;
    }
    if (value->is(kind)) return value;
    constexpr std::array<std::string_view, 6> kinds{
        "null", "true or false", "a number", "a text", "a list", "a map"};
    wrong(*value, fmt::format("{} must be {}", in_quotes(key),
                              kinds[static_cast<std::size_t>(kind)]));
    return nullptr;
  }
  /// The numbers of a list; null is infinite, as ACTS writes it.
  std::optional<std::vector<double>> numbers(const JsonValue& list,
                                             std::string_view what) {
    std::vector<double> values;
    for (const JsonValue& item : list.items) {
      if (!item.is(JsonKind::number) && !item.is(JsonKind::null)) {
        wrong(item, fmt::format("{} must hold numbers", what));
        return std::nullopt;
      }
      values.push_back(item.is(JsonKind::number)
                           ? item.number
                           : std::numeric_limits<double>::infinity());
    }
    return values;
  }
  template <std::size_t n>
  std::optional<std::array<double, n>> exactly(const JsonValue& list,
                                               std::string_view what) {
    const auto values = numbers(list, what);
    if (!values) return std::nullopt;
    if (values->size() != n || !std::ranges::all_of(*values, [](double x) {
          return std::isfinite(x);
        })) {
      wrong(list, fmt::format("{} needs {} numbers", what, n));
      return std::nullopt;
    }
    std::array<double, n> result{};
    std::ranges::copy(*values, result.begin());
    return result;
  }

  // -- the file

  std::vector<const JsonValue*> find_surfaces(const JsonValue& root) {
    std::vector<const JsonValue*> found;
    const auto take = [&](const JsonValue& list) {
      for (const JsonValue& entry : list.items)
        if (entry.is(JsonKind::map))
          found.push_back(&entry);
        else
          wrong(entry, "a surface is a map");
      return found;
    };
    constexpr std::string_view advice =
        "ACTS writes { \"Surfaces\": { \"entries\": [...] } }, { \"entries\": "
        "[...] } or { \"surfaces\": [...] }";
    if (root.is(JsonKind::list)) return take(root);
    if (!root.is(JsonKind::map)) {
      wrong(root, "there are no surfaces", std::string(advice));
      return found;
    }
    if (const JsonValue* volumes = root.find("Volumes"))
      if (const JsonValue* entries = volumes->find("entries"))
        if (const auto material = std::ranges::find_if(
                entries->items,
                [](const JsonValue& entry) {
                  const JsonValue* value = entry.find("value");
                  return value && value->find("material");
                });
            material != entries->items.end())
          file_.warning(material->place,
                        "material of volumes has no counterpart",
                        "it must be on surfaces");
    const JsonValue* map = root.find("Surfaces");
    if (map && !map->is(JsonKind::map)) {
      wrong(*map, "\"Surfaces\" must be a map", std::string(advice));
      return found;
    }
    for (const auto& [place, key] :
         {std::pair(map, "entries"), std::pair(&root, "entries"),
          std::pair(&root, "surfaces")})
      if (place)
        if (const JsonValue* list = place->find(key)) {
          if (list->is(JsonKind::list)) return take(*list);
          wrong(*list, fmt::format("{} must be a list", in_quotes(key)),
                std::string(advice));
          return found;
        }
    wrong(root, "there are no surfaces", std::string(advice));
    return found;
  }

  GeometryId read_id(const JsonValue& entry) {
    GeometryId id;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const JsonValue* value = entry.find(levels[i]);
      // a flat list has "sensitive": true of the surface itself
      if (!value || value->is(JsonKind::boolean)) continue;
      if (!value->is(JsonKind::number) || !(value->number >= 0) ||
          !(value->number < 1e9) ||
          value->number != std::floor(value->number)) {
        wrong(*value,
              fmt::format("{} must be a whole number", in_quotes(levels[i])));
        continue;
      }
      id.of[i] = static_cast<long>(value->number);
    }
    return id;
  }

  void read_surface(const JsonValue& entry) {
    good_ = true;
    const JsonValue* inner = entry.find("value");
    const JsonValue& value = inner && inner->is(JsonKind::map) ? *inner : entry;
    GeometryId id = read_id(entry);
    if (const JsonValue* own = value.find("geo_id");
        own && own->is(JsonKind::map))
      id = read_id(*own);
    const long volume = id.of[volume_level];
    if (!value.find("bounds") || !value.find("type")) {
      left_out_.note(entry.place, volume,
                     value.find("material")
                         ? "with material only, without bounds and transform"
                         : "without bounds and transform");
      return;
    }
    const JsonValue* flag = value.find("sensitive");
    const bool sensitive =
        id.of[sensitive_level] > 0 ||
        (flag && flag->is(JsonKind::boolean) && flag->boolean);
    const std::optional<Surface> surface = read_shape(value, volume);
    if (!surface) return;
    const std::optional<Profile> material =
        read_material(value, *surface, volume);
    if (!good_) return;
    DescribedLayer described;
    Layer& layer = described.layer;
    layer.surface = *surface;
    layer.place = file_.place(entry.place);
    layer.name = id.name();
    layer.group = fmt::format("volume{}", volume);
    if (sensitive) measure(described, entry, id);
    const bool has_material =
        material && std::ranges::any_of(material->x_over_x0,
                                        [](double x) { return x > 0; });
    if (layer.coordinates.empty() && !has_material) return;
    // a module of a ring has no separate number
    GeometryId series = id;
    series.of[sensitive_level] = 0;
    const bool may_join = id.of[sensitive_level] > 0 && surface->is_inclined();
    add(std::move(described), material, volume, entry,
        may_join ? series.name() + "_s" : "");
  }

  void measure(DescribedLayer& described, const JsonValue& entry,
               const GeometryId& id) {
    if (!errors_) {
      if (!asked_for_table_)
        file_.error(entry.place,
                    "the surface is sensitive, and the file has no errors",
                    fmt::format("give them with --table FILE.csv: {}",
                                acts_table_advice));
      asked_for_table_ = true;
      good_ = false;
      return;
    }
    const long volume = id.of[volume_level], layer = id.of[layer_level];
    auto row = errors_->find({volume, layer});
    if (row == errors_->end()) row = errors_->find({volume, -1});
    if (row == errors_->end()) {
      if (missing_.insert({volume, layer}).second)
        file_.error(entry.place,
                    fmt::format("the table has no errors for volume {}, "
                                "layer {}",
                                volume, layer),
                    "add a row; empty errors make it passive");
      good_ = false;
      return;
    }
    row->second.used = true;
    const auto& [sigma_u, sigma_v, used, place] = row->second;
    if (sigma_u > 0) described.layer.coordinates.push_back({0, sigma_u});
    if (sigma_v > 0)
      described.layer.coordinates.push_back({90 * unit::deg, sigma_v});
  }

  /// A layer whose material varies along z or r is cut at the edges of its
  /// bins.
  void add(DescribedLayer described, const std::optional<Profile>& material,
           long volume, const JsonValue& entry, const std::string& series) {
    if (!material) {
      layers_.add(std::move(described), series);
      return;
    }
    if (material->is_mean)
      left_out_.note(
          entry.place, volume,
          "with x/X0 that varies along a direction that cannot be expressed: "
          "the mean over it is taken",
          fmt::format("from {:.3g} to {:.3g} % in this one",
                      100 * material->least, 100 * material->greatest));
    const std::size_t n = material->x_over_x0.size();
    if (n == 1) {
      described.layer.material = material_of(material->x_over_x0.front());
      layers_.add(std::move(described), series);
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      DescribedLayer part = described;
      Surface& s = part.layer.surface;
      const double lower = std::max(s.v.lower, material->edges[i]),
                   upper = std::min(s.v.upper, material->edges[i + 1]);
      const bool is_empty =
          material->x_over_x0[i] == 0 && part.layer.coordinates.empty();
      if (!(upper > lower) || is_empty) continue;
      if (s.shape == Shape::cone) {
        const Meridian line = meridian(described.layer.surface);
        const auto radius = [&](double z) {
          return line.r[0] + s.slope * (z - line.z[0]);
        };
        s = make_cone({lower, upper}, radius(lower), radius(upper));
      } else {
        s.v = {lower, upper};
      }
      part.layer.name += fmt::format("_bin{}", i);
      part.layer.material = material_of(material->x_over_x0[i]);
      layers_.add(std::move(part));
    }
  }

  // -- shapes

  struct Transform {
    Vector translation{};
    Rotation rotation;
  };

  Transform read_transform(const JsonValue& value) {
    Transform t;
    const JsonValue* map = get(value, "transform", JsonKind::map, false);
    if (!map) return t;
    if (const JsonValue* list = get(*map, "translation", JsonKind::list, false))
      if (const auto x = exactly<3>(*list, "a translation")) t.translation = *x;
    const JsonValue* list = get(*map, "rotation", JsonKind::list, false);
    if (!list) return t;
    const auto r = exactly<9>(*list, "a rotation");
    if (!r) return t;
    t.rotation.of = *r;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k <= i; ++k) {
        const Vector a = t.rotation.column(i), b = t.rotation.column(k);
        const double product = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        if (std::abs(product - (i == k ? 1 : 0)) > acts_rounding) {
          wrong(*list,
                "this is not a rotation: its columns are not orthogonal unit "
                "vectors");
          return t;
        }
      }
    return t;
  }

  std::optional<Surface> read_shape(const JsonValue& value, long volume) {
    const JsonValue* type = get(value, "type", JsonKind::text);
    const JsonValue* bounds = get(value, "bounds", JsonKind::map);
    if (!type || !bounds) return std::nullopt;
    const JsonValue* of_bounds = get(*bounds, "type", JsonKind::text);
    const Transform at = read_transform(value);
    if (!of_bounds || !good_) return std::nullopt;
    const std::string both = type->text + " of " + of_bounds->text;
    using Make = std::optional<Surface> (ActsReader::*)(
        const std::vector<double>&, const Transform&, std::string&);
    struct Row {
      std::string_view surface, bounds;
      std::size_t values;
      Make make;
    };
    constexpr std::array<Row, 4> rows{{
        {"PlaneSurface", "RectangleBounds", 4, &ActsReader::make_rectangle},
        {"DiscSurface", "RadialBounds", 4, &ActsReader::make_disc},
        {"CylinderSurface", "CylinderBounds", 2, &ActsReader::make_barrel},
        {"ConeSurface", "ConeBounds", 3, &ActsReader::make_conical},
    }};
    const auto row = std::ranges::find_if(rows, [&](const Row& r) {
      return r.surface == type->text && r.bounds == of_bounds->text;
    });
    if (row == rows.end()) {
      left_out_.note(value.place, volume,
                     fmt::format("of the kind {} left out", both));
      return std::nullopt;
    }
    const JsonValue* list = get(*bounds, "values", JsonKind::list);
    if (!list) return std::nullopt;
    const auto numbers_of_it = numbers(*list, "bounds");
    if (!numbers_of_it) return std::nullopt;
    if (numbers_of_it->size() < row->values) {
      wrong(*list, fmt::format("{} need {} values, got {}", of_bounds->text,
                               row->values, numbers_of_it->size()));
      return std::nullopt;
    }
    std::string reason;
    const std::optional<Surface> surface =
        (this->*row->make)(*numbers_of_it, at, reason);
    if (surface) return surface;
    if (reason.empty())
      wrong(*list,
            fmt::format("these {} are empty or inverted", of_bounds->text));
    else
      left_out_.note(value.place, volume,
                     fmt::format("of the kind {}, {}, left out", both, reason));
    return std::nullopt;
  }

  std::optional<Surface> make_rectangle(const std::vector<double>& b,
                                        const Transform& at, std::string&) {
    const std::array<double, 2> width{b[2] - b[0], b[3] - b[1]};
    if (!(width[0] > 0) || !(width[1] > 0)) return std::nullopt;
    const Vector u = at.rotation.column(0), v = at.rotation.column(1);
    Vector centre = at.translation;
    for (std::size_t i = 0; i < 3; ++i)
      centre[i] += 0.5 * (b[0] + b[2]) * u[i] + 0.5 * (b[1] + b[3]) * v[i];
    return make_inclined_plane(centre, at.rotation.column(2), u, width);
  }

  /// Sign of the local z axis along z; 0 and a reason if the surface is not
  /// centred on z or not all around it.
  double direction_of_axis(const Transform& at, double half_sector,
                           std::string& reason) const {
    const Vector axis = at.rotation.column(2);
    if (std::hypot(axis[0], axis[1]) > acts_rounding)
      reason = "whose axis is not along z";
    else if (std::hypot(at.translation[0], at.translation[1]) > same_place)
      reason = "which is not centred on z";
    else if (half_sector < unit::pi - acts_rounding)
      reason = "which is not all around z";
    return reason.empty() ? std::copysign(1.0, axis[2]) : 0;
  }

  std::optional<Surface> make_disc(const std::vector<double>& b,
                                   const Transform& at, std::string& reason) {
    if (!(b[1] > b[0]) || b[0] < 0) return std::nullopt;
    if (direction_of_axis(at, b[2], reason) == 0) return std::nullopt;
    return make_disk(at.translation[2], {b[0], b[1]});
  }

  std::optional<Surface> make_barrel(const std::vector<double>& b,
                                     const Transform& at, std::string& reason) {
    if (!(b[0] > 0) || !(b[1] > 0)) return std::nullopt;
    const double half_sector = b.size() > 2 ? b[2] : unit::pi;
    if (direction_of_axis(at, half_sector, reason) == 0) return std::nullopt;
    if (!std::isfinite(b[1])) reason = "which has no ends";
    if (b.size() > 5 && (b[4] != 0 || b[5] != 0))
      reason = "which is cut at an angle";
    if (!reason.empty()) return std::nullopt;
    const double z = at.translation[2];
    return make_cylinder(b[0], {z - b[1], z + b[1]});
  }

  std::optional<Surface> make_conical(const std::vector<double>& b,
                                      const Transform& at,
                                      std::string& reason) {
    const bool has_ends = std::isfinite(b[1]) && std::isfinite(b[2]);
    if (!(b[0] > 0) || (has_ends && !(b[2] > b[1]))) return std::nullopt;
    const double sign =
        direction_of_axis(at, b.size() > 3 ? b[3] : unit::pi, reason);
    if (!has_ends)
      reason = "which has no ends";
    else if (b[1] < 0 && b[2] > 0)
      reason = "which has its apex between its ends";
    if (!reason.empty()) return std::nullopt;
    const double slope = std::tan(b[0]);
    std::array<double, 2> z{at.translation[2] + sign * b[1],
                            at.translation[2] + sign * b[2]};
    std::array<double, 2> r{slope * std::abs(b[1]), slope * std::abs(b[2])};
    if (z[0] > z[1]) {
      std::swap(z[0], z[1]);
      std::swap(r[0], r[1]);
    }
    return make_cone({z[0], z[1]}, r[0], r[1]);
  }

  // -- material

  /// x/X0 of a slab, thickness over radiation length.
  double read_slab(const JsonValue& slab) {
    if (slab.is(JsonKind::null)) return 0;
    if (!slab.is(JsonKind::map)) {
      wrong(slab, "a slab of material is a map");
      return 0;
    }
    const JsonValue* material = get(slab, "material", JsonKind::list, false);
    if (!material || material->items.empty()) return 0;  // vacuum
    const JsonValue* thickness = get(slab, "thickness", JsonKind::number);
    const JsonValue& x0 = material->items.front();
    if (!x0.is(JsonKind::number) || !(x0.number > 0)) {
      wrong(x0, "the radiation length must be positive");
      return 0;
    }
    if (!thickness) return 0;
    if (!(thickness->number >= 0)) {
      wrong(*thickness, "the thickness must not be negative");
      return 0;
    }
    return thickness->number / x0.number;
  }

  std::optional<BinAxis> read_axis(const JsonValue& data) {
    if (!data.is(JsonKind::map)) {
      wrong(data, "an axis of bins is a map");
      return std::nullopt;
    }
    const JsonValue* value = get(data, "value", JsonKind::text);
    const JsonValue* bins = get(data, "bins", JsonKind::number);
    const JsonValue* type = get(data, "type", JsonKind::text);
    if (!value || !bins || !type) return std::nullopt;
    BinAxis axis;
    // "AxisZ", and "binZ" before v40
    for (const std::string_view prefix : {"Axis", "bin"})
      if (value->text.starts_with(prefix))
        axis.along = lower_case(value->text.substr(prefix.size()));
    constexpr std::array<std::string_view, 6> known{"x", "y",   "z",
                                                    "r", "phi", "rphi"};
    if (std::ranges::find(known, axis.along) == known.end()) {
      wrong(*value, fmt::format("bins along {} have no counterpart",
                                in_quotes(value->text)));
      return std::nullopt;
    }
    if (axis.along == "rphi") axis.along = "phi";
    if (data.find("subdata")) {
      wrong(*data.find("subdata"), "bins within bins have no counterpart");
      return std::nullopt;
    }
    if (!(bins->number >= 1) || !(bins->number <= 100000) ||
        bins->number != std::floor(bins->number)) {
      wrong(*bins, "the number of bins must be a whole number from 1 on");
      return std::nullopt;
    }
    const auto n = static_cast<std::size_t>(bins->number);
    if (type->text == "arbitrary") {
      const JsonValue* list = get(data, "boundaries", JsonKind::list);
      if (!list) return std::nullopt;
      const auto edges = numbers(*list, "boundaries");
      if (!edges) return std::nullopt;
      axis.edges = *edges;
      if (edges->size() != n + 1) {
        wrong(*list, fmt::format("{} bins have {} boundaries, got {}", n, n + 1,
                                 edges->size()));
        return std::nullopt;
      }
    } else {
      const JsonValue* low = get(data, "min", JsonKind::number);
      const JsonValue* high = get(data, "max", JsonKind::number);
      if (!low || !high) return std::nullopt;
      for (std::size_t i = 0; i <= n; ++i)
        axis.edges.push_back(low->number + (high->number - low->number) *
                                               static_cast<double>(i) /
                                               static_cast<double>(n));
    }
    for (std::size_t i = 0; i < n; ++i)
      if (!(axis.edges[i + 1] > axis.edges[i])) {
        wrong(data, "the edges of the bins must increase");
        return std::nullopt;
      }
    return axis;
  }

  /// Nothing: no material, or an unsupported kind.
  std::optional<Profile> read_material(const JsonValue& value,
                                       const Surface& surface, long volume) {
    const JsonValue* material = get(value, "material", JsonKind::map, false);
    if (!material) return std::nullopt;
    const JsonValue* type = get(*material, "type", JsonKind::text);
    if (!type) return std::nullopt;
    if (const JsonValue* mapped = material->find("mapMaterial");
        type->text == "proto" ||
        (mapped && mapped->is(JsonKind::boolean) && !mapped->boolean)) {
      if (type->text == "proto")
        left_out_.note(
            material->place, volume,
            "with proto material, which has bins but no material yet");
      return std::nullopt;
    }
    if (type->text != "homogeneous" && type->text != "binned") {
      left_out_.note(
          material->place, volume,
          fmt::format("with material of the type {}, which is not supported",
                      in_quotes(type->text)));
      return std::nullopt;
    }
    const JsonValue* data = get(*material, "data", JsonKind::list);
    if (!data) return std::nullopt;
    std::vector<BinAxis> axes;
    double shift = 0;  // of the bins along z
    if (type->text == "binned") {
      const JsonValue* utility = get(*material, "binUtility", JsonKind::map);
      if (!utility) return std::nullopt;
      const JsonValue* list = get(*utility, "binningdata", JsonKind::list);
      if (!list) return std::nullopt;
      for (const JsonValue& item : list->items)
        if (auto axis = read_axis(item)) axes.push_back(std::move(*axis));
      shift = read_transform(*utility).translation[2];
      if (good_ && (axes.empty() || axes.size() > 2))
        wrong(*list, "a surface has bins along one or two axes");
    }
    if (!good_) return std::nullopt;
    const std::size_t inner = axes.empty() ? 1 : axes[0].edges.size() - 1,
                      outer = axes.size() < 2 ? 1 : axes[1].edges.size() - 1;
    if (data->items.size() != outer) {
      wrong(*data, fmt::format("the material has {} rows for {} bins along its "
                               "second axis",
                               data->items.size(), outer));
      return std::nullopt;
    }
    std::vector<double> x(inner * outer);
    for (std::size_t j = 0; j < outer; ++j) {
      const JsonValue& row = data->items[j];
      if (!row.is(JsonKind::list) || row.items.size() != inner) {
        wrong(row, fmt::format("a row of the material needs {} bins, got {}",
                               inner, row.items.size()));
        continue;
      }
      for (std::size_t i = 0; i < inner; ++i)
        x[j * inner + i] = read_slab(row.items[i]);
    }
    if (!good_) return std::nullopt;
    return profile_of(surface, axes, shift, x);
  }

  /// The bins along z of a cylinder or cone and along r of a disk are kept;
  /// other bins are averaged, weighted by their widths.
  static Profile profile_of(const Surface& surface,
                            const std::vector<BinAxis>& axes, double shift,
                            const std::vector<double>& x) {
    const std::string_view along = surface.shape == Shape::disk    ? "r"
                                   : surface.shape == Shape::plane ? ""
                                                                   : "z";
    std::optional<std::size_t> kept;
    for (std::size_t a = 0; a < axes.size(); ++a)
      if (axes[a].along == along) kept = a;
    const std::size_t inner = axes.empty() ? 1 : axes[0].edges.size() - 1;
    const auto width = [&](std::size_t a, std::size_t i) {
      return a < axes.size() ? axes[a].edges[i + 1] - axes[a].edges[i] : 1.0;
    };
    const std::size_t n = kept ? axes[*kept].edges.size() - 1 : 1;
    std::vector<double> sum(n), weight(n);
    std::vector<Interval> range(n, Interval{x.front(), x.front()});
    std::vector<bool> seen(n);
    Profile profile;
    const auto [least, greatest] = std::ranges::minmax(x);
    profile.least = least;
    profile.greatest = greatest;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const std::size_t i = k % inner, j = k / inner;
      const std::size_t bin = !kept ? 0 : *kept == 0 ? i : j;
      const double w =
          (kept == 0 ? 1 : width(0, i)) * (kept == 1 ? 1 : width(1, j));
      sum[bin] += w * x[k];
      weight[bin] += w;
      range[bin] = seen[bin] ? Interval{std::min(range[bin].lower, x[k]),
                                        std::max(range[bin].upper, x[k])}
                             : Interval{x[k], x[k]};
      seen[bin] = true;
    }
    for (std::size_t bin = 0; bin < n; ++bin) {
      const bool is_mean = range[bin].upper != range[bin].lower;
      profile.is_mean = profile.is_mean || is_mean;
      const double value = is_mean ? sum[bin] / weight[bin] : range[bin].lower;
      // equal neighbours are one
      if (!profile.x_over_x0.empty() && profile.x_over_x0.back() == value) {
        profile.edges.back() = axes[*kept].edges[bin + 1] + shift;
        continue;
      }
      profile.x_over_x0.push_back(value);
      if (!kept) continue;
      if (profile.edges.empty())
        profile.edges.push_back(axes[*kept].edges[bin] + shift);
      profile.edges.push_back(axes[*kept].edges[bin + 1] + shift);
    }
    // what lies beyond the bins has the material of the last one
    if (!profile.edges.empty()) {
      profile.edges.front() = -std::numeric_limits<double>::infinity();
      profile.edges.back() = std::numeric_limits<double>::infinity();
    }
    return profile;
  }

  const ForeignFile& file_;
  ErrorTable* errors_;
  LeftOut left_out_;
  RingJoiner layers_;
  bool good_ = true, asked_for_table_ = false;
  std::set<std::pair<long, long>> missing_;
};

}  // namespace

ForeignDetector read_acts(const ForeignFile& file, const ForeignFile* table) {
  ForeignDetector result;
  std::optional<ErrorTable> errors;
  if (table) {
    errors = read_error_table(*table);
    if (table->diagnostics.has_errors()) return result;
  }
  const std::optional<JsonValue> root = read_json(file);
  if (!root) return result;
  result = ActsReader(file, errors ? &*errors : nullptr).read(*root);
  if (errors && !file.diagnostics.has_errors())
    for (const auto& [key, row] : *errors)
      if (!row.used)
        table->warning(
            row.place,
            fmt::format("no sensitive surface is in volume {}{}", key.first,
                        key.second < 0
                            ? std::string()
                            : fmt::format(", layer {}", key.second)));
  return result;
}

}  // namespace gttf::detail
