// SPDX-License-Identifier: Apache-2.0
// Where the keys that differ stand in the file.
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "gttf/config/node.hpp"
#include "gttf/detector/override.hpp"
#include "gttf/study/compare/attribution.hpp"

namespace gttf {
namespace {

/// Ways to write one key; the parts that hold it come last.
std::vector<std::string> spellings(const std::string& key) {
  std::vector<std::string> all{key};
  const auto replaced = [&](std::string_view part, std::string_view other) {
    if (const std::size_t i = key.rfind(part); i != key.npos) {
      std::string text = key;
      all.push_back(text.replace(i, part.size(), other));
    }
  };
  constexpr std::string_view measures = ".measures.";
  for (const char* parent : {".pitch.", ".measures.pitch."})
    replaced(measures, parent);
  // the general names of the axes, and those of planes
  constexpr std::array<std::pair<const char*, const char*>, 9> axes{
      {{"rphi", "u"},
       {"z", "v"},
       {"r", "v"},
       {"u", "x"},
       {"u", "y"},
       {"u", "z"},
       {"v", "x"},
       {"v", "y"},
       {"v", "z"}}};
  for (const auto& [name, other] : axes) {
    for (const std::string parent : {".measures.", ".pitch."})
      if (key.ends_with(std::string(measures) + name))
        replaced(std::string(measures) + name, parent + other);
  }
  replaced("].sigma", "].pitch");
  replaced("field.dipole.", "field.dipole[0].");
  replaced("cylinder.half_length", "cylinder.z");
  replaced("cylinder.z", "cylinder.half_length");
  for (std::string parent = key;;) {
    const std::size_t dot = parent.rfind('.');
    if (dot == parent.npos || parent.find(']', dot) != parent.npos) break;
    parent.resize(dot);
    all.push_back(parent);
    if (parent.ends_with(".measures"))
      all.push_back(parent.substr(0, dot - 8) + "pitch");
  }
  return all;
}

Place place_of(const Node& node) {
  const Origin& origin = node.definition();
  if (origin.source->kind() == Source::Kind::option) return {};
  const Diagnostic d = origin.source->at(origin.offset, origin.length);
  return {d.line, d.column};
}

}  // namespace

void locate(std::vector<KeyChange>& changes, const DetectorInput& after) {
  Diagnostics ignored;  // it has been read before
  const auto source = std::make_shared<Source>(after.detector.file, after.text);
  std::optional<Node> root = parse_yaml(source, "", ignored);
  if (!root) return;
  *root = apply_overrides(std::move(*root), after.overrides, ignored);
  for (KeyChange& change : changes)
    for (const std::string& key : spellings(change.key))
      if (const Node* node = find_key(*root, key)) {
        change.place = place_of(*node);
        break;
      }
}

}  // namespace gttf
