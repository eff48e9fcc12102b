// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/request/design_variant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "gttf/config/reader.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/read_model.hpp"

namespace gttf {
namespace {

Diagnostic place_of(const Value& value) {
  Diagnostic place = diagnostic_at(value.node());
  place.path = value.path();
  return place;
}

void add_key(std::string_view key, const Value& value, DesignVariant& variant) {
  if (!value.is_scalar()) {
    value.expected("a value", "write for example 0.1 %");
    return;
  }
  variant.keys.push_back(
      {fmt::format("{}={}", key, value.node().text()), place_of(value)});
}

void read_keys(const Value& value, DesignVariant& variant) {
  MapReader map(value,
                "a map from keys to values, as in \"layers[L0].material: 0.1 "
                "%\"");
  if (!map) return;
  for (const Node::Entry& entry : value.node().entries())
    add_key(entry.key.text(), *map.find(entry.key.text()), variant);
}

DesignVariant read_variant(const Value& value) {
  DesignVariant variant;
  MapReader map(value, "a variant, as in { name: thin, set: { ... } }");
  if (!map) return variant;
  if (const auto name = map.require("name", "thin"))
    variant.name = name->text("a name").value_or("");
  const auto set = map.find("set");
  if (set) read_keys(*set, variant);
  const auto scattering = map.find("scattering");
  if (scattering && detail::read_scattering(*scattering))
    add_key("model.scattering", *scattering, variant);
  const auto loss = map.find("energy_loss");
  if (loss && detail::read_energy_loss(*loss))
    add_key("model.energy_loss", *loss, variant);
  map.finish();
  if (!set && !scattering && !loss)
    value.error("the variant changes nothing",
                "give \"set\" with keys of the detector, \"scattering\" or "
                "\"energy_loss\"");
  return variant;
}

}  // namespace

std::vector<std::string> DesignVariant::texts() const {
  std::vector<std::string> list;
  for (const DesignVariantKey& key : keys) list.push_back(key.text);
  return list;
}

std::vector<DesignVariant> read_variants(const Value& value) {
  std::vector<DesignVariant> variants;
  if (!value.is_list()) {
    value.expected("a list of variants",
                   "write variants: [{ name: thin, set: { ... } }]");
    return variants;
  }
  for (const Value& item : value.items()) {
    DesignVariant variant = read_variant(item);
    if (!variant.name.empty() &&
        std::ranges::find(variants, variant.name, &DesignVariant::name) !=
            variants.end())
      item.error(fmt::format("the variant {} is defined twice",
                             in_quotes(variant.name)),
                 "give each a name of its own");
    variants.push_back(std::move(variant));
  }
  if (variants.empty())
    value.error("no variants", "name at least one, or remove it");
  return variants;
}

}  // namespace gttf
