// SPDX-License-Identifier: Apache-2.0
// Reads the geometry of the ALICE FastTracker: lines "layer.parameter: value".
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gttf/config/text.hpp"
#include "gttf/detector/decimal.hpp"
#include "gttf/detector/import/foreign_text.hpp"

namespace gttf::detail {
namespace {

constexpr int mm_of_cm = 1;
/// Layer types of the program.
constexpr double inert = 0, silicon = 1, gas = 2, timing = 3, vertex = 4;

struct Setting {
  ForeignWord name;
  ForeignWord value;
};

/// The parameters of one layer, by name.
struct LayerSettings {
  ForeignWord layer;
  std::map<std::string, Setting, std::less<>> by_name;
};

/// "layer.parameter: value # comment" split into parts; false otherwise.
bool split(const ForeignFile& file, const ForeignWord& line, ForeignWord& layer,
           Setting& parameter) {
  const std::size_t comment = std::min(line.text.find('#'), line.text.size());
  const ForeignWord content = trim({line.text.substr(0, comment), line.offset});
  if (content.text.empty()) return false;
  const auto wrong = [&](std::string problem) {
    file.error(content, std::move(problem), "write LAYER.PARAMETER: VALUE");
    return false;
  };
  const std::size_t colon = content.text.find(':');
  if (colon == content.text.npos) return wrong("there is no colon");
  const ForeignWord key = trim({content.text.substr(0, colon), content.offset});
  const std::size_t dot = key.text.find('.');
  if (dot == key.text.npos || dot != key.text.rfind('.') || dot == 0 ||
      dot + 1 == key.text.size())
    return wrong(fmt::format("{} is not a layer and a parameter with one dot",
                             in_quotes(key.text)));
  layer = {key.text.substr(0, dot), key.offset};
  parameter.name = {key.text.substr(dot + 1), key.offset + dot + 1};
  parameter.value =
      trim({content.text.substr(colon + 1), content.offset + colon + 1});
  return true;
}

std::vector<LayerSettings> read_settings(const ForeignFile& file) {
  const std::vector<std::string> known = {"r",    "z",       "x0",
                                          "xrho", "resRPhi", "resZ",
                                          "eff",  "type",    "deadPhiRegions"};
  std::vector<LayerSettings> layers;
  std::map<std::string, std::size_t, std::less<>> index;
  for (const ForeignWord& line : lines_of({file.source.text(), 0})) {
    ForeignWord layer;
    Setting parameter;
    if (!split(file, line, layer, parameter)) continue;
    if (layer.text == "global") {
      file.warning(
          {parameter.name},
          fmt::format("global.{} has no counterpart", parameter.name.text),
          "the description does not need it");
      continue;
    }
    const std::string name(parameter.name.text);
    if (std::ranges::find(known, name) == known.end()) {
      const auto near = nearest(name, known);
      file.error(parameter.name, "unknown parameter " + in_quotes(name),
                 near ? fmt::format("did you mean {}?", in_quotes(*near))
                      : "it is one of " + joined(known));
      continue;
    }
    const auto [it, is_new] =
        index.emplace(std::string(layer.text), layers.size());
    if (is_new) {
      if (file.too_many(layers.size() + 1, layer)) return {};
      layers.push_back({layer, {}});
    }
    auto& by_name = layers[it->second].by_name;
    if (const auto [old, added] = by_name.emplace(name, parameter); !added)
      file.error(parameter.name,
                 fmt::format("{}.{} is already given in line {}", layer.text,
                             name, file.place(old->second.name).line),
                 "remove one of the two");
  }
  return layers;
}

/// The numbers of one layer.
class LayerReader {
 public:
  LayerReader(const ForeignFile& file, const LayerSettings& parameters)
      : file_(file), parameters_(parameters) {}

  /// The layer, unless it is invalid or not a layer.
  std::optional<DescribedLayer> read() {
    const double r = get("r", true), z = get("z", true), x0 = get("x0", true);
    const double rphi = get("resRPhi", false), along = get("resZ", false);
    const double efficiency = get("eff", false);
    const double type = get("type", true);
    check(r > 0, "r", "the radius must be positive");
    check(z > 0, "z", "the half length must be positive");
    check(x0 >= 0, "x0", "x/X0 must not be negative");
    check(efficiency >= 0 && efficiency <= 1, "eff",
          "the efficiency must be from 0 to 1");
    check(type == inert || type == silicon || type == gas || type == timing ||
              type == vertex,
          "type",
          "the type must be 0 (inert), 1 (silicon), 2 (gas), 3 (TOF) "
          "or 4 (vertex)");
    const bool active = type != inert && efficiency > 0;
    if (active && type != vertex) {
      need("resRPhi", rphi);
      need("resZ", along);
    }
    if (!good_) return std::nullopt;
    note(type, efficiency);
    if (type == vertex) return std::nullopt;

    DescribedLayer described;
    Layer& layer = described.layer;
    layer.name = parameters_.layer.text;
    layer.place = file_.place(parameters_.layer);
    const double half = shifted(z, mm_of_cm);
    layer.surface = make_cylinder(shifted(r, mm_of_cm), {-half, half});
    layer.material = material_of(x0);
    if (active) {
      layer.coordinates = {{0, shifted(rphi, mm_of_cm)},
                           {90 * unit::deg, shifted(along, mm_of_cm)}};
      layer.efficiency = efficiency;
    }
    return described;
  }

 private:
  const Setting* find(std::string_view name) const {
    const auto it = parameters_.by_name.find(name);
    return it == parameters_.by_name.end() ? nullptr : &it->second;
  }

  double get(std::string_view name, bool required) {
    const Setting* parameter = find(name);
    if (!parameter) {
      if (required) {
        file_.error(
            parameters_.layer,
            fmt::format("the layer {} has no {}",
                        in_quotes(parameters_.layer.text), name),
            fmt::format("add {}.{}: VALUE", parameters_.layer.text, name));
        good_ = false;
      }
      return 0;
    }
    const auto number = file_.number(
        parameter->value.text.empty() ? parameter->name : parameter->value,
        fmt::format("value of {}", name));
    if (!number) {
      good_ = false;
      unreadable_.insert(std::string(name));
    }
    return number.value_or(0);
  }

  void check(bool is_right, std::string_view name, std::string_view problem) {
    const Setting* parameter = find(name);
    if (is_right || !parameter || unreadable_.contains(name)) return;
    file_.error(parameter->value,
                fmt::format("{}, got {}", problem, parameter->value.text));
    good_ = false;
  }

  /// A measuring layer needs a resolution.
  void need(std::string_view name, double value) {
    if (value > 0 || unreadable_.contains(name)) return;
    const Setting* parameter = find(name);
    file_.error(
        parameter ? parameter->value : parameters_.layer,
        fmt::format("the layer {} measures, and its {} is {}",
                    in_quotes(parameters_.layer.text), name,
                    parameter ? "not positive" : "not given"),
        fmt::format("add {}.{}: 0.0005 (cm), or {}.type: 0",
                    parameters_.layer.text, name, parameters_.layer.text));
    good_ = false;
  }

  void note(double type, double efficiency) {
    if (const Setting* dead = find("deadPhiRegions");
        dead && !dead->value.text.empty())
      file_.warning(dead->name, "dead regions in phi have no counterpart",
                    "lower \"efficiency\" of the layer instead");
    if (type == vertex)
      file_.warning(find("type")->value, "a layer of type vertex is left out",
                    "give the start point with --beam-spot");
    if (type == timing)
      file_.warning(find("type")->value,
                    "the time that a TOF layer measures has no counterpart");
    if (type == inert && efficiency > 0)
      file_.warning(find("eff")->value,
                    "an inert layer has no hits: the efficiency is left out");
    if (type != inert && type != vertex && efficiency == 0)
      file_.warning(find("type")->value,
                    "the layer measures with efficiency 0: it is passive here");
  }

  const ForeignFile& file_;
  const LayerSettings& parameters_;
  bool good_ = true;
  std::set<std::string, std::less<>> unreadable_;
};

/// One warning for the areal densities of all layers.
void note_areal_density(const ForeignFile& file,
                        const std::vector<LayerSettings>& layers) {
  for (const LayerSettings& layer : layers) {
    const auto it = layer.by_name.find("xrho");
    if (it == layer.by_name.end()) continue;
    const auto density = file.number(it->second.value, "value of xrho");
    if (!density || *density <= 0) continue;
    file.warning(it->second.name,
                 "xrho (g/cm2, for the energy loss) has no counterpart in "
                 "addition to x/X0, here and in other layers",
                 "for --energy-loss give the material: { of: silicon, "
                 "thickness: 50 um }");
    return;
  }
}

}  // namespace

ForeignDetector read_fasttracker(const ForeignFile& file) {
  const std::vector<LayerSettings> layers = read_settings(file);
  note_areal_density(file, layers);
  ForeignDetector result;
  for (const LayerSettings& parameters : layers)
    if (auto layer = LayerReader(file, parameters).read())
      result.description.layers.push_back(std::move(*layer));
  return result;
}

}  // namespace gttf::detail
