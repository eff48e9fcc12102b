// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "gttf/config/sha256.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/field_map.hpp"
#include "gttf/detector/material_map.hpp"
#include "gttf/detector/override.hpp"
#include "gttf/detector/read_field.hpp"
#include "gttf/detector/read_layer.hpp"
#include "gttf/detector/read_model.hpp"

namespace gttf {
namespace {

constexpr std::int64_t format_version = 1;

void read_version(MapReader& map) {
  const auto version = map.require("gttf-detector", "1");
  if (!version) return;
  const auto number = version->integer("1");
  if (number && *number != format_version)
    version->error(
        fmt::format("version {} of the format is not known", *number),
        fmt::format("this program reads version {}", format_version));
}

/// Reports a study file given instead of a detector.
bool is_study(MapReader& map) {
  const Node& root = map.value().node();
  if (root.find("gttf-detector") || !root.find("gttf-study")) return false;
  map.find("gttf-study")
      ->error("this is a study, but a detector file is expected",
              "give one of the detectors that it names");
  return true;
}

std::vector<std::string> read_texts(const Value& value) {
  std::vector<std::string> texts;
  const auto add = [&](const Value& item) {
    if (auto text = item.text()) texts.push_back(std::move(*text));
  };
  if (value.is_list())
    for (const Value& item : value.items()) add(item);
  else
    add(value);
  return texts;
}

std::optional<Material> read_own_material(const Value& key,
                                          const Value& value) {
  MapReader map(value, "a map with radiation_length, density, ...");
  if (!map) return std::nullopt;
  Material material;
  material.name = key.node().text();
  material.source = "detector file";
  if (const auto x0 = map.require("radiation_length", "9.37 cm"))
    material.radiation_length =
        detail::read_positive(*x0, "radiation length", "cm").value_or(0);
  const auto positive = [&](std::string_view name, Dimension dimension,
                            std::string_view unit, double& target) {
    const auto given = map.find(name);
    if (!given) return;
    target = given->quantity(dimension, unit).value_or(1);
    if (target <= 0)
      given->error(
          fmt::format("it must be positive, got {}", describe(given->node())));
  };
  positive("density", Dimension::density, "g/cm3", material.density);
  positive("z_over_a", Dimension::number, "", material.z_over_a);
  positive("mean_excitation", Dimension::energy, "eV",
           material.mean_excitation);
  if (const auto source = map.find("source")) read_texts(*source);
  if (const auto note = map.find("note")) note->text();
  map.finish();
  if (material.radiation_length <= 0) return std::nullopt;
  return material;
}

std::vector<Material> read_materials(const Value& value) {
  std::vector<Material> own;
  MapReader map(value, "a map of materials");
  if (!map) return own;
  for (const Node::Entry& entry : value.node().entries()) {
    const Value key = key_value(value, entry);
    const auto item = map.find(entry.key.text());
    if (const Material* known = find_material(entry.key.text(), own)) {
      const bool is_own =
          own.data() <= known && known < own.data() + own.size();
      if (is_own)
        key.error(
            fmt::format("the material {} is already defined as {}",
                        in_quotes(entry.key.text()), in_quotes(known->name)),
            "names are compared without case, spaces, \"-\" and \"_\"");
      else
        key.warning(fmt::format("{} replaces the built-in material {}",
                                in_quotes(entry.key.text()),
                                in_quotes(known->name)));
    }
    if (auto material = read_own_material(key, *item))
      own.push_back(std::move(*material));
  }
  return own;
}

/// Reads names under `materials` even if their values are invalid, so that
/// layers that use them are not reported.
std::vector<Material> with_wrong(std::vector<Material> own,
                                 const Value& value) {
  for (const Node::Entry& entry : value.node().entries())
    if (!find_material(entry.key.text(), own))
      own.push_back({entry.key.text(), 1, 0, 0, 0, ""});
  return own;
}

void check_number_of_hits(const Detector& detector, const Value& layers,
                          bool beam_spot) {
  std::size_t measuring = 0;
  for (const Layer& layer : detector.layers) measuring += layer.measures();
  const bool bends = detector.field.kind != FieldKind::none;
  const std::size_t needed = bends ? 3 : 2;
  if (measuring >= needed) return;
  if (measuring + 1 == needed) {
    if (beam_spot) return;
    layers.warning(fmt::format("{} measuring layer{}: a {} needs {}, or a beam "
                               "spot as an additional hit",
                               measuring, measuring == 1 ? "" : "s",
                               bends ? "curvature" : "straight track", needed),
                   "add a layer, or use \"--beam-spot\"");
    return;
  }
  layers.error(
      fmt::format("{} measuring layer{}, at least {} are needed for a {}",
                  measuring == 0 ? "no" : std::to_string(measuring),
                  measuring == 1 ? "" : "s", needed,
                  bends ? "curvature" : "straight track"),
      "add layers with \"measures\", for example \"measures: { rphi: 5 um, z: "
      "5 um }\"");
}

/// Returns whether all layers could be read.
bool read_layers(const Value& value, const std::vector<Material>& own,
                 Detector& detector) {
  if (!value.is_list()) {
    value.expected("a list of layers", "begin each layer with \"- name: L0\"");
    return false;
  }
  if (value.node().items().empty()) {
    value.error("no layers", "a detector has at least one layer");
    return false;
  }
  const std::size_t errors_before = value.diagnostics().count(Severity::error);
  std::vector<detail::LayerEntry> entries;
  for (const Value& item : value.items()) {
    entries.push_back(detail::read_layer(item, {own, detector.file}));
    detail::LayerEntry& entry = entries.back();
    if (detector.layers.size() + entry.layers.size() > detail::max_layers) {
      item.error(fmt::format("more than {} surfaces", detail::max_layers),
                 "use fewer layers or a smaller \"repeat\"");
      return false;
    }
    detector.layers.insert(detector.layers.end(), entry.layers.begin(),
                           entry.layers.end());
  }
  const bool all_read =
      value.diagnostics().count(Severity::error) == errors_before;
  detail::check_geometry(entries);
  return all_read;
}

/// The files of its maps, each once.
std::vector<std::string> files_of_maps(const Detector& detector) {
  std::vector<std::string> files;
  const auto add = [&files](const std::string& path) {
    if (std::ranges::find(files, path) == files.end()) files.push_back(path);
  };
  if (detector.field.map) add(detector.field.map->path());
  for (const Layer& layer : detector.layers)
    for (const Slab& slab : layer.material)
      if (slab.map) add(slab.map->path());
  return files;
}

/// @param root  of the source; nothing if it could not be parsed
DetectorInput read_root(const SourcePtr& source, std::optional<Node> root,
                        const std::string& file,
                        std::span<const std::string> overrides, bool beam_spot,
                        Diagnostics diagnostics) {
  Detector detector;
  detector.file = file;
  std::string hashed = source ? source->text() : "";
  for (const std::string& text : overrides) hashed += "\n--set " + text;
  detector.sha256 = sha256(hashed);

  if (root) {
    *root = apply_overrides(std::move(*root), overrides, diagnostics);
    MapReader map(Value(*root, "", diagnostics), "a detector (a map)");
    map.allow_prefix("x-");
    if (map && !is_study(map)) {
      read_version(map);
      if (const auto name = map.require("name", "my tracker"))
        detector.name = name->text("a name").value_or("");
      if (const auto from = map.find("source"))
        detector.source = read_texts(*from);
      if (const auto note = map.find("note")) read_texts(*note);
      const auto field = map.require("field", "{ solenoid: 2 T }");
      if (const auto model = map.find("model"))
        detector.model = detail::read_model(*model);
      std::vector<Material> own;
      if (const auto materials = map.find("materials"))
        own = with_wrong(read_materials(*materials), *materials);
      const auto layers = map.require("layers", "[...]");
      const bool all_read = layers && read_layers(*layers, own, detector);
      if (field)
        detector.field = detail::read_field(*field, detector.layers, all_read,
                                            detector.file);
      // the missing layers may be the ones that could not be read
      if (all_read) check_number_of_hits(detector, *layers, beam_spot);
      detector.materials = std::move(own);
      map.finish();
    }
  }
  if (diagnostics.has_errors()) throw InputError(std::move(diagnostics));
  const std::vector<std::string> maps = files_of_maps(detector);
  for (const std::string& path : maps) hashed += "\n" + sha256_of_file(path);
  if (!maps.empty()) detector.sha256 = sha256(hashed);
  return {std::move(detector),
          std::move(diagnostics),
          source->text(),
          {overrides.begin(), overrides.end()}};
}

std::optional<Node> parse_description(const SourcePtr& source,
                                      Diagnostics& diagnostics) {
  if (!source) return std::nullopt;
  return parse_yaml(source, "gttf-detector: 1", diagnostics);
}

DetectorInput read_source_text(const SourcePtr& source, const std::string& file,
                               std::span<const std::string> overrides,
                               bool beam_spot, Diagnostics diagnostics) {
  std::optional<Node> root = parse_description(source, diagnostics);
  return read_root(source, std::move(root), file, overrides, beam_spot,
                   std::move(diagnostics));
}

}  // namespace

DetectorInput read_detector(const std::string& path,
                            std::span<const std::string> overrides,
                            bool beam_spot) {
  Diagnostics diagnostics;
  const SourcePtr source = read_source(path, diagnostics, "detector");
  return read_source_text(source, path, overrides, beam_spot,
                          std::move(diagnostics));
}

DetectorInput parse_detector(const std::string& text, const std::string& name,
                             std::span<const std::string> overrides,
                             bool beam_spot) {
  Diagnostics diagnostics;
  SourcePtr source = std::make_shared<Source>(name, text);
  if (!check_text(*source, diagnostics)) source = nullptr;
  return read_source_text(source, name, overrides, beam_spot,
                          std::move(diagnostics));
}

struct DetectorDescription::Parsed {
  std::string name;
  SourcePtr source;
  Node root;
};

DetectorDescription::DetectorDescription(const std::string& text,
                                         const std::string& name) {
  const SourcePtr source = std::make_shared<Source>(name, text);
  Diagnostics diagnostics;
  std::optional<Node> root;
  if (check_text(*source, diagnostics))
    root = parse_description(source, diagnostics);
  if (!root) throw InputError(std::move(diagnostics));
  parsed_ =
      std::make_shared<const Parsed>(Parsed{name, source, std::move(*root)});
}

DetectorInput DetectorDescription::read(
    std::span<const std::string> overrides) const {
  constexpr bool beam_spot = false;
  return read_root(parsed_->source, parsed_->root, parsed_->name, overrides,
                   beam_spot, {});
}

}  // namespace gttf
