// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/explore/exploration.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "gttf/detector/hit_error.hpp"

namespace gttf {

// Not in an unnamed namespace: vectors and optionals find them by
// argument-dependent lookup.

template <class List>
void transfer(List& list, Interval& i) {
  transfer_all(list, i.lower, i.upper);
}

template <class List>
void transfer(List& list, Surface& s) {
  transfer_all(list, s.shape, s.normal, s.position, s.u, s.v, s.slope,
               s.normal_vector, s.u_vector);
}

template <class List>
void transfer(List& list, DensityEffect& d) {
  transfer_all(list, d.c_bar, d.x0, d.x1, d.a, d.k, d.delta0);
}

template <class List>
void transfer(List& list, Material& m) {
  transfer_all(list, m.name, m.radiation_length, m.density, m.z_over_a,
               m.mean_excitation, m.density_effect);
}

template <class List>
void transfer(List& list, Slab& s) {
  transfer_all(list, s.material, s.thickness, s.x_over_x0, s.density,
               s.mean_loss);
}

template <class List>
void transfer(List& list, Powers& p) {
  transfer_all(list, p.length, p.energy, p.field, p.angle);
}

/// As text, which the reader has accepted before.
template <class List>
void transfer(List& list, Formula& formula, const FormulaRules& rules) {
  std::string text = formula.text();
  transfer(list, text);
  if constexpr (!List::writes) formula = parse_formula(text, rules).value;
}

/// The error of a coordinate refers to its surface.
template <class List>
void transfer(List& list, Coordinate& c, const Surface& surface) {
  transfer(list, c.angle);
  bool depends_on_track = c.error != nullptr;
  transfer(list, depends_on_track);
  if (!depends_on_track) {
    transfer(list, c.sigma);
    return;
  }
  std::string text = c.error ? c.error->text() : "";
  double drift_to = c.error ? c.error->drift_to() : 0;
  transfer_all(list, text, drift_to);
  if constexpr (!List::writes) {
    Formula formula =
        parse_formula(text, {hit_error_variables(), {.length = 1}}).value;
    c.error = std::make_shared<HitError>(std::move(formula), surface, drift_to);
    c.sigma = c.error->nominal();
  }
}

template <class List>
void transfer(List& list, DeadRegion& d) {
  transfer_all(list, d.phi, d.r, d.x, d.y, d.z);
}

template <class List>
void transfer(List& list, Layer& l) {
  transfer_all(list, l.name, l.group, l.surface, l.material, l.efficiency,
               l.dead);
  std::size_t n = l.coordinates.size();
  transfer(list, n);
  l.coordinates.resize(n);
  for (Coordinate& c : l.coordinates) transfer(list, c, l.surface);
}

template <class List>
void transfer(List& list, DipoleGap& gap) {
  transfer_all(list, gap.normal, gap.extent, gap.direction, gap.field);
}

template <class List>
void transfer(List& list, Field& field) {
  transfer_all(list, field.kind, field.bz, field.dipoles);
  if constexpr (!List::writes) set_reference(field);
}

/// The surfaces of one entry of the file, over which budgets sum; not its line
/// and column, which change when an earlier value becomes longer.
template <class List>
void transfer_entries(List& list, std::vector<Layer>& layers) {
  for (std::size_t i = 1; i < layers.size(); ++i) {
    const FilePosition& before = layers[i - 1].place;
    FilePosition& own = layers[i].place;
    bool is_same = own.line == before.line && own.column == before.column;
    transfer(list, is_same);
    if constexpr (!List::writes) own.line = before.line + (is_same ? 0 : 1);
  }
}

template <class List>
void transfer(List& list, Detector& d) {
  transfer_all(list, d.layers, d.field, d.materials, d.name, d.model.scattering,
               d.model.energy_loss);
  transfer_entries(list, d.layers);
}

template <class List>
void transfer(List& list, MomentumAxis& a) {
  transfer_all(list, a.variable, a.values);
}
template <class List>
void transfer(List& list, AngleAxis& a) {
  transfer_all(list, a.variable, a.values, a.is_range);
}
template <class List>
void transfer(List& list, BeamSpot& b) {
  transfer_all(list, b.x, b.y, b.z);
}
template <class List>
void transfer(List& list, AtRequest& a) {
  transfer_all(list, a.layer, a.own_hit);
}

template <class List>
void transfer(List& list, StudyRequest& r) {
  transfer_all(list, r.particle.name, r.particle.mass, r.particle.charge,
               r.momentum, r.angle, r.phi, r.vertex, r.scattering,
               r.energy_loss, r.turns, r.chosen.scattering,
               r.chosen.energy_loss, r.beam_spot, r.at);
}

template <class List>
void transfer(List& list, MaterialEnd& e) {
  transfer_all(list, e.layer, e.is_group, e.r, e.z);
}
template <class List>
void transfer(List& list, CheckedQuantity& q) {
  transfer_all(list, q.kind, q.name, q.powers, q.unit, q.symbol, q.shown_unit,
               q.hits, q.parameter, q.layer, q.is_group, q.cause, q.end);
}
template <class List>
void transfer(List& list, GridPoint& p) {
  transfer_all(list, p.momentum, p.angle);
}
template <class List>
void transfer(List& list, Criterion& c) {
  transfer_all(list, c.name, c.note, c.quantity, c.momentum, c.angle, c.points,
               c.texts);
  const FormulaRules rules{limit_variables(c.quantity), c.quantity.powers,
                           baseline_variable};
  for (std::optional<Limit>* limit : {&c.min, &c.max, &c.equal}) {
    bool there = limit->has_value();
    transfer(list, there);
    if (!there) continue;
    if constexpr (!List::writes) limit->emplace();
    Limit& l = **limit;
    transfer(list, l.formula, rules);
    transfer_all(list, l.tolerance.absolute, l.tolerance.relative);
  }
}

template <class List>
void transfer(List& list, RequirementFile& file) {
  transfer_all(list, file.name, file.request, file.criteria);
}

template <class List>
void transfer(List& list, Exploration& e) {
  transfer_all(list, e.detector, e.request, e.requirements);
}

namespace {

template <class T>
NumberList listed(T value) {
  NumberList list;
  ListWriter writer(list);
  transfer(writer, value);
  return list;
}

}  // namespace

NumberList to_list(const Exploration& exploration) {
  return listed(exploration);
}
NumberList to_list(const Detector& detector) { return listed(detector); }

std::vector<std::size_t> layer_begins(const Detector& detector) {
  NumberList list;
  ListWriter writer(list);
  std::size_t n = detector.layers.size();
  transfer(writer, n);
  std::vector<std::size_t> begins{list.numbers.size()};
  for (Layer layer : detector.layers) {
    transfer(writer, layer);
    begins.push_back(list.numbers.size());
  }
  return begins;
}

std::optional<Exploration> from_list(const NumberList& list) {
  std::optional<Exploration> exploration(std::in_place);
  ListReader reader(list.numbers, list.texts);
  transfer(reader, *exploration);
  if (!reader.is_complete()) exploration.reset();
  return exploration;
}

bool can_be_listed(const Detector& detector) {
  return !detector.field.map &&
         std::none_of(detector.layers.begin(), detector.layers.end(),
                      [](const Layer& layer) { return layer.has_map(); });
}

}  // namespace gttf
