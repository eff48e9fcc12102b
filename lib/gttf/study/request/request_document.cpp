// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/request/request_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "gttf/config/named_files.hpp"
#include "gttf/config/shipped_file.hpp"
#include "gttf/config/source.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/read_model.hpp"
#include "gttf/study/scan/row.hpp"

namespace gttf {
namespace {

/// The angles were given as from, to, points.
constexpr const char* range_of_angles = "range_of_angles";
/// Models that were chosen rather than taken from the detectors.
constexpr const char* chosen_scattering = "scattering_chosen";
constexpr const char* chosen_energy_loss = "energy_loss_chosen";

/// Index of a text; nothing if it is not in the list.
template <class Names>
std::optional<std::size_t> index_of(const Names& names, std::string_view text) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

Document list_of(std::span<const double> values) {
  Document::List list;
  for (const double v : values) list.emplace_back(v);
  return list;
}

/// Numbers of a list; empty if one is not a number.
std::vector<double> numbers_of(const Document& study, std::string_view name) {
  const Document* member = study.find(name);
  const auto* list =
      member ? std::get_if<Document::List>(&member->value()) : nullptr;
  std::vector<double> numbers;
  if (list == nullptr) return numbers;
  for (const Document& item : *list) {
    const double x = number_of(item);
    if (!std::isfinite(x)) return {};
    numbers.push_back(x);
  }
  return numbers;
}

/// The average as written by describe_tracks().
bool read_average(const Document& study, StudyRequest& request) {
  request.average.reset();
  const Document* average = study.find("average");
  if (average == nullptr) return true;
  AverageRequest& read = request.average.emplace();
  const Document* over = average->find("over");
  const auto* names =
      over != nullptr ? std::get_if<Document::List>(&over->value()) : nullptr;
  if (names == nullptr) return false;
  for (const Document& name : *names) {
    const auto* text = std::get_if<std::string>(&name.value());
    if (text == nullptr) return false;
    read.phi = read.phi || *text == "phi";
    read.vertex = read.vertex || *text == "vertex";
  }
  if (average->find("tracks") != nullptr) {
    const double n = number_of(*average, "tracks");
    if (!(n >= 2 && n <= static_cast<double>(most_sample))) return false;
    read.tracks = static_cast<std::size_t>(n);
  }
  if (!read.vertex) return true;
  const std::vector<double> size = numbers_of(*average, "luminous_region_mm");
  const auto is_size = [](double x) { return x >= 0; };
  if (size.size() != 3 || !std::ranges::all_of(size, is_size)) return false;
  std::ranges::copy(size, request.luminous_region.emplace().begin());
  return true;
}

}  // namespace

void describe_tracks(const StudyRequest& request, Document& study) {
  study.set("particle", request.particle.name);
  study.set("mass_GeV", request.particle.mass);
  study.set("charge", request.particle.charge);
  const bool by_pt = request.momentum.variable == MomentumAxis::Variable::pt;
  study.set(by_pt ? "pt_GeV" : "p_GeV", list_of(request.momentum.values));
  const bool by_eta = request.angle.variable == AngleAxis::Variable::eta;
  study.set(by_eta ? "eta" : "theta_rad", list_of(request.angle.values));
  if (request.angle.is_range) study.set(range_of_angles, true);
  study.set("phi_rad", request.phi);
  study.set("vertex_mm", list_of(request.vertex));
  study.set("scattering", to_string(request.scattering));
  if (request.energy_loss != EnergyLoss::off)
    study.set("energy_loss", to_string(request.energy_loss));
  if (request.chosen.scattering) study.set(chosen_scattering, true);
  if (request.chosen.energy_loss) study.set(chosen_energy_loss, true);
  if (request.turns > 0) study.set("turns", request.turns);
  if (!request.variants.empty()) {
    Document::List variants;
    for (const DesignVariant& variant : request.variants) {
      Document::List keys;
      for (const std::string& text : variant.texts()) keys.emplace_back(text);
      variants.push_back(
          Document().set("name", variant.name).set("set", std::move(keys)));
    }
    study.set("variants", std::move(variants));
  }
  if (request.at)
    study.set("at", Document()
                        .set("layer", request.at->layer)
                        .set("own_hit", request.at->own_hit));
  if (const auto& spot = request.beam_spot)
    study.set("beam_spot_mm", list_of(std::array{spot->x, spot->y, spot->z}));
  if (const auto& average = request.average) {
    Document::List over;
    if (average->phi) over.emplace_back("phi");
    if (average->vertex) over.emplace_back("vertex");
    over.emplace_back("hits");
    Document d;
    d.set("over", std::move(over));
    if (average->tracks > 0)
      d.set("tracks", static_cast<std::int64_t>(average->tracks));
    if (average->vertex)
      d.set("luminous_region_mm", list_of(luminous_region_of(request)));
    study.set("average", std::move(d));
  }
}

std::optional<std::string> read_tracks(const Document& study,
                                       StudyRequest& request) {
  request.particle = {text_of(study, "particle"), number_of(study, "mass_GeV"),
                      number_of(study, "charge")};
  if (!(request.particle.mass >= 0)) return "mass_GeV";
  if (!std::isfinite(request.particle.charge) || request.particle.charge == 0)
    return "charge";

  const bool by_pt = study.find("pt_GeV") != nullptr;
  request.momentum = {
      by_pt ? MomentumAxis::Variable::pt : MomentumAxis::Variable::p,
      numbers_of(study, by_pt ? "pt_GeV" : "p_GeV")};
  const auto positive = [](double x) { return x > 0; };
  if (request.momentum.values.empty() ||
      !std::ranges::all_of(request.momentum.values, positive))
    return by_pt ? "pt_GeV" : "p_GeV";
  const bool by_eta = study.find("eta") != nullptr;
  request.angle = {
      by_eta ? AngleAxis::Variable::eta : AngleAxis::Variable::theta,
      numbers_of(study, by_eta ? "eta" : "theta_rad")};
  request.angle.is_range = study.find(range_of_angles) != nullptr;
  if (request.angle.values.empty()) return by_eta ? "eta" : "theta_rad";

  request.phi = number_of(study, "phi_rad");
  if (!std::isfinite(request.phi)) return "phi_rad";
  const std::vector<double> vertex = numbers_of(study, "vertex_mm");
  if (vertex.size() != request.vertex.size()) return "vertex_mm";
  std::ranges::copy(vertex, request.vertex.begin());
  const auto model = index_of(scattering_names, text_of(study, "scattering"));
  if (!model) return "scattering";
  request.scattering = static_cast<Scattering>(*model);
  request.energy_loss = EnergyLoss::off;
  if (study.find("energy_loss") != nullptr) {
    const auto loss =
        index_of(energy_loss_names, text_of(study, "energy_loss"));
    if (!loss) return "energy_loss";
    request.energy_loss = static_cast<EnergyLoss>(*loss);
  }
  request.chosen = {study.find(chosen_scattering) != nullptr,
                    study.find(chosen_energy_loss) != nullptr};
  request.turns = 0;
  if (study.find("turns") != nullptr) {
    request.turns = number_of(study, "turns");
    if (!(request.turns > 0)) return "turns";
  }
  request.at.reset();
  if (const Document* at = study.find("at")) {
    const Document* own = at->find("own_hit");
    const auto* own_hit =
        own != nullptr ? std::get_if<bool>(&own->value()) : nullptr;
    const std::string layer = text_of(*at, "layer");
    if (layer.empty() || own_hit == nullptr) return "at";
    request.at = AtRequest{layer, *own_hit};
  }
  request.beam_spot.reset();
  if (study.find("beam_spot_mm") != nullptr) {
    const std::vector<double> spot = numbers_of(study, "beam_spot_mm");
    if (spot.size() != 3 || !std::ranges::all_of(spot, positive))
      return "beam_spot_mm";
    request.beam_spot = BeamSpot{spot[0], spot[1], spot[2]};
  }
  if (!read_average(study, request)) return "average";
  return std::nullopt;
}

}  // namespace gttf

namespace gttf::detail {

namespace fs = std::filesystem;

std::optional<std::string> named_file(
    const Value& value, const std::string& file, std::string_view what,
    const std::vector<std::string_view>& folders) {
  require_file_key(value.path());
  const auto name = value.text(what);
  if (!name) return std::nullopt;
  const std::string path = or_shipped(beside(file, *name), *name, folders);
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    value.error(fmt::format("no such file: {}", in_quotes(path)),
                suggest_file(path));
  return path;
}

}  // namespace gttf::detail
