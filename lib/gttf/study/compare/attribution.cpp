// SPDX-License-Identifier: Apache-2.0

#include "gttf/study/compare/attribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "gttf/config/node.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/core/readable.hpp"
#include "gttf/detector/override.hpp"
#include "gttf/resolution/layer_errors.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "gttf/study/compare/comparison.hpp"
#include "gttf/study/compare/design_change.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {
namespace {

using detail::ChangeKind;
using detail::DesignChange;
using detail::Difference;
using detail::End;
using detail::EntryPair;

/// Mean of the existing values of the two; NaN if neither exists.
double mean(double a, double b) {
  if (std::isnan(a)) return b;
  return std::isnan(b) ? a : (a + b) / 2;
}

/// Shares of a change, from the differences of `value` (n numbers of a
/// detector) when it is applied alone: first, and last.
template <class Values>
class ExactShares {
 public:
  /// @param ends  value(before), value(after)
  ExactShares(const Difference& difference, Values before, Values after)
      : difference_(difference),
        before_(std::move(before)),
        after_(std::move(after)) {}

  template <class Evaluate>
  Values operator()(const DesignChange& change,
                    const Evaluate& evaluate) const {
    Values shares = before_;
    if (change.kind == ChangeKind::efficiency) {
      for (double& share : shares) share = 0;
      return shares;
    }
    const Values first = evaluate(difference_.with(change, End::before));
    const Values last = evaluate(difference_.with(change, End::after));
    for (std::size_t i = 0; i < shares.size(); ++i)
      shares[i] = mean(first[i] - before_[i], after_[i] - last[i]);
    return shares;
  }

 private:
  const Difference& difference_;
  Values before_, after_;
};

/// Derivatives at one end, by design parameter.
class Gradient {
 public:
  Gradient(const Detector& detector, const Track& track, const Model& model)
      : list_(make_sensitivities(TrackingGeometry(detector), track, model)) {
    for (const Sensitivity& item : list_.items)
      items_[{item.quantity, item.layer, item.coordinate}] = &item;
    for (const CrossingInfo& c : list_.resolution.crossings)
      crossed_.push_back(c.layer);
  }

  bool exists() const { return list_.exists(); }
  const Resolution& resolution() const { return list_.resolution; }
  /// Layers in the order of flight.
  std::span<const std::size_t> crossed() const { return crossed_; }
  bool crosses(std::size_t layer) const {
    return std::ranges::find(crossed_, layer) != crossed_.end();
  }
  /// nullptr if there is no derivative.
  const Sensitivity* find(Quantity quantity, std::size_t layer,
                          std::size_t coordinate) const {
    const auto found = items_.find({quantity, layer, coordinate});
    return found == items_.end() ? nullptr : found->second;
  }

 private:
  Sensitivities list_;
  std::vector<std::size_t> crossed_;
  std::map<std::tuple<Quantity, std::size_t, std::size_t>, const Sensitivity*>
      items_;
};

/// Shares by the mean of the gradients at both ends.
class GradientShares {
 public:
  GradientShares(const Difference& difference, const Gradient& before,
                 const Gradient& after)
      : difference_(difference),
        before_(before),
        after_(after),
        same_order_(before.exists() && after.exists() && crosses_the_same()) {}

  /// Nothing if there is no gradient of this change at both ends.
  std::optional<PerParameter> operator()(const DesignChange& change) const {
    if (!before_.exists() || !after_.exists()) return std::nullopt;
    PerParameter share;
    constexpr std::size_t no = Sensitivity::none;
    switch (change.kind) {
      case ChangeKind::field:
        if (!same_order_ || !add(Quantity::field, {no, no}, {no, no}, share))
          return std::nullopt;
        return share;
      case ChangeKind::position:
        if (!same_order_) return std::nullopt;
        return over_surfaces(change, Quantity::position, share);
      case ChangeKind::material:
        return over_surfaces(change, Quantity::x_over_x0, share);
      case ChangeKind::sigma:
        return over_surfaces(change, Quantity::sigma, share);
      case ChangeKind::angle:
        return over_surfaces(change, Quantity::angle, share);
      case ChangeKind::magnet:
      case ChangeKind::scattering_model:
      case ChangeKind::loss_model:
      case ChangeKind::layer:
      case ChangeKind::rows:
      case ChangeKind::extent:
      case ChangeKind::coordinate:
      case ChangeKind::efficiency:
      case ChangeKind::dead:
        break;
    }
    return std::nullopt;
  }

 private:
  struct Item {
    std::size_t layer, coordinate;
  };

  std::optional<PerParameter> over_surfaces(const DesignChange& change,
                                            Quantity quantity,
                                            PerParameter share) const {
    const EntryPair& pair = difference_.entries[change.entry];
    if (pair.before.size() != pair.after.size()) return std::nullopt;
    const bool of_layer =
        quantity == Quantity::position || quantity == Quantity::x_over_x0;
    constexpr std::size_t no = Sensitivity::none;
    for (std::size_t i = 0; i < pair.before.size(); ++i) {
      const std::size_t a = pair.before[i], b = pair.after[i];
      if (!before_.crosses(a) && !after_.crosses(b)) continue;
      if (!add(quantity, {a, of_layer ? no : change.coordinate},
               {b, of_layer ? no : change.coordinate_after}, share))
        return std::nullopt;
    }
    return share;
  }

  /// Adds the share of one number; false if it has no derivative at one end.
  bool add(Quantity quantity, Item of_before, Item of_after,
           PerParameter& share) const {
    const Sensitivity* a =
        before_.find(quantity, of_before.layer, of_before.coordinate);
    const Sensitivity* b =
        after_.find(quantity, of_after.layer, of_after.coordinate);
    if (a == nullptr || b == nullptr) return false;
    // sigma scales with powers of lengths, x/X0 and field: higher orders are
    // smaller for the logarithm
    const bool by_logarithm =
        a->value * b->value > 0 && quantity != Quantity::angle;
    const PerParameter e = by_logarithm ? a->elasticity() : a->slope;
    const PerParameter f = by_logarithm ? b->elasticity() : b->slope;
    const double step =
        by_logarithm ? std::log(b->value / a->value) : b->value - a->value;
    for (const Parameter q : all_parameters)
      share[q] += (e[q] + f[q]) / 2 * step;
    return true;
  }

  /// Whether both tracks cross the common layers in the same order.
  bool crosses_the_same() const {
    // names of common surfaces: entry and number in it
    using Name = std::pair<std::size_t, std::size_t>;
    std::map<std::size_t, Name> of_before, of_after;
    for (std::size_t e = 0; e < difference_.entries.size(); ++e) {
      const EntryPair& pair = difference_.entries[e];
      if (pair.before.size() != pair.after.size()) continue;
      for (std::size_t i = 0; i < pair.before.size(); ++i) {
        of_before[pair.before[i]] = {e, i};
        of_after[pair.after[i]] = {e, i};
      }
    }
    const auto sequence = [](const Gradient& end,
                             const std::map<std::size_t, Name>& names) {
      std::vector<Name> list;
      for (const std::size_t layer : end.crossed())
        if (const auto found = names.find(layer); found != names.end())
          list.push_back(found->second);
      return list;
    };
    return sequence(before_, of_before) == sequence(after_, of_after);
  }

  const Difference& difference_;
  const Gradient& before_;
  const Gradient& after_;
  bool same_order_;
};

/// Whether neither track crosses a layer that exists in only one detector: a
/// fast check for the many layers elsewhere.
bool is_out_of_reach(const Difference& difference, const DesignChange& change,
                     const Gradient& before, const Gradient& after) {
  // with another field the other track may cross a layer
  if (change.kind != ChangeKind::layer ||
      detail::field_change(difference.before.field, difference.after.field))
    return false;
  const EntryPair& pair = difference.entries[change.entry];
  const auto met_by = [](const Gradient& end) {
    return [&end](std::size_t layer) { return end.crosses(layer); };
  };
  return std::ranges::none_of(pair.before, met_by(before)) &&
         std::ranges::none_of(pair.after, met_by(after));
}

/// Sorts the changes and computes the remainder.
Attribution finished(double total, std::vector<KeyChange> changes) {
  std::ranges::stable_sort(changes, [](const KeyChange& a, const KeyChange& b) {
    if (std::isnan(a.share) || std::isnan(b.share))
      return !std::isnan(a.share) && std::isnan(b.share);
    return std::abs(a.share) > std::abs(b.share);
  });
  double sum = 0;
  for (const KeyChange& change : changes)
    if (!std::isnan(change.share)) sum += change.share;
  return {total, std::move(changes), total - sum};
}

std::vector<KeyChange> shown(const Difference& difference) {
  std::vector<KeyChange> changes;
  for (const DesignChange& change : difference.changes)
    changes.push_back(change.shown);
  return changes;
}

using Logarithms = std::array<double, n_parameters>;

Logarithms logarithms(const Resolution& resolution) {
  Logarithms result = errors_of(resolution).values;
  for (double& x : result) x = std::log(x);
  return result;
}

/// The shares of a change without effect: 0 if there is a value at all.
Logarithms unchanged(const Logarithms& before, const Logarithms& after) {
  Logarithms shares;
  for (std::size_t q = 0; q < n_parameters; ++q)
    shares[q] = mean(before[q] - before[q], after[q] - after[q]);
  return shares;
}

}  // namespace

std::vector<KeyChange> differing_keys(const Detector& before,
                                      const Detector& after) {
  return shown(detail::find_difference(before, after));
}

std::array<Attribution, n_parameters> attribute_all(const Detector& before,
                                                    const Detector& after,
                                                    const Track& track,
                                                    const ModelOf& model_of) {
  const Difference difference = detail::find_difference(before, after);
  const Gradient at_before(before, track, model_of(before)),
      at_after(after, track, model_of(after));
  const GradientShares by_gradient(difference, at_before, at_after);
  const Logarithms old = logarithms(at_before.resolution());
  const Logarithms now = logarithms(at_after.resolution());
  const ExactShares<Logarithms> exactly(difference, old, now);
  const auto evaluate = [&](const Detector& detector) {
    return logarithms(
        resolve(TrackingGeometry(detector), track, model_of(detector)));
  };

  std::array<std::vector<KeyChange>, n_parameters> changes;
  for (const DesignChange& change : difference.changes) {
    const std::optional<PerParameter> gradient = by_gradient(change);
    const Logarithms shares =
        gradient ? gradient->values
        : is_out_of_reach(difference, change, at_before, at_after)
            ? unchanged(old, now)
            : exactly(change, evaluate);
    for (std::size_t q = 0; q < n_parameters; ++q) {
      KeyChange item = change.shown;
      item.share = shares[q];
      item.exact = !gradient;
      changes[q].push_back(std::move(item));
    }
  }
  std::array<Attribution, n_parameters> result;
  for (std::size_t q = 0; q < n_parameters; ++q)
    result[q] = finished(now[q] - old[q], std::move(changes[q]));
  return result;
}

Attribution attribute(const Detector& before, const Detector& after,
                      const Track& track, const ModelOf& model_of,
                      Parameter q) {
  return std::move(attribute_all(before, after, track,
                                 model_of)[static_cast<std::size_t>(q)]);
}

Attribution attribute(const Detector& before, const Detector& after,
                      const Track& track, const ModelOf& model_of,
                      const Measure& measure) {
  using Value = std::array<double, 1>;
  const Difference difference = detail::find_difference(before, after);
  const auto evaluate = [&](const Detector& detector) {
    return Value{std::log(measure(
        resolve(TrackingGeometry(detector), track, model_of(detector))))};
  };
  const Value old = evaluate(before), now = evaluate(after);
  const ExactShares<Value> exactly(difference, old, now);
  std::vector<KeyChange> changes = shown(difference);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i].share = exactly(difference.changes[i], evaluate)[0];
    changes[i].exact = true;
  }
  return finished(now[0] - old[0], std::move(changes));
}

namespace {

/// Locations of the keys of a design; the same at every point.
std::map<std::string, FilePosition> places_of(const Detector& first,
                                              const DetectorInput& design) {
  std::vector<KeyChange> changes = differing_keys(first, design.detector);
  locate(changes, design);
  std::map<std::string, FilePosition> places;
  for (const KeyChange& change : changes) places[change.key] = change.place;
  return places;
}

}  // namespace

ModelOf models_of(const StudyRequest& request, const Detector& first,
                  Engine engine) {
  const Model model = model_of(request, first, engine);
  return {[request, model](const Detector& detector) {
    Model own = model;
    own.scattering = scattering_of(request, detector);
    own.loss = energy_loss_of(request, detector);
    // by name: a design between two others may have it elsewhere, or nowhere
    if (own.at)
      own.at->layer = static_cast<std::size_t>(
          std::ranges::find(detector.layers, request.at->layer, &Layer::name) -
          detector.layers.begin());
    return own;
  }};
}

std::vector<AttributedPoint> attribute_grid(
    const StudyRequest& request, std::span<const DetectorInput> designs,
    const ScanOptions& options) {
  const Detector& first = designs.front().detector;
  const ModelOf model = models_of(request, first, options.engine);
  std::vector<AttributedPoint> list;
  std::vector<std::map<std::string, FilePosition>> places(1);
  for (std::size_t d = 1; d < designs.size(); ++d) {
    places.push_back(places_of(first, designs[d]));
    for (const GridPoint point : grid_points(request))
      list.push_back({d, point, {}});
  }
  const auto work = [&](AttributedPoint& item) {
    item.of = attribute_all(first, designs[item.design].detector,
                            grid_track(request, item.point), model);
    for (Attribution& a : item.of)
      for (KeyChange& change : a.changes)
        change.place = places[item.design].at(change.key);
  };
  parallel_workers(list.size(), thread_count(options.threads),
                   [&](const auto& next) {
                     while (const auto i = next()) work(list[*i]);
                   });
  return list;
}

namespace {

FilePosition place_of(const Node& node) {
  const Origin& origin = node.definition();
  if (origin.source->kind() == Source::Kind::option) return {};
  const Diagnostic d = origin.source->at(origin.offset, origin.length);
  return {d.line, d.column};
}

}  // namespace

void locate(std::vector<KeyChange>& changes, const DetectorInput& after) {
  Diagnostics ignored;  // it was already read successfully
  const auto source = std::make_shared<Source>(after.detector.file, after.text);
  std::optional<Node> root = parse_yaml(source, "", ignored);
  if (!root) return;
  *root = apply_overrides(std::move(*root), after.overrides, ignored);
  for (KeyChange& change : changes)
    if (const Node* node = find_key(*root, change.key))
      change.place = place_of(*node);
}

namespace {

const char* method_of(const KeyChange& change) {
  return change.exact ? "exact" : "gradient";
}

Document text_or_null(const std::string& text) {
  return text.empty() ? Document() : Document(text);
}

/// The first parts of a long value: "radius 23.4 mm, ...".
std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 20, longest_part = 16;
  if (text.size() <= longest) return text;
  // the last break that leaves a short text, else the first one
  std::size_t cut = text.size();
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separates =
        depth == 0 && (text[i] == ',' || text.compare(i, 2, " (") == 0);
    if (separates && (i <= longest_part || cut == text.size())) cut = i;
    if (text[i] == '[') ++depth;
    if (text[i] == ']') --depth;
  }
  if (cut == text.size()) return text;
  return text.substr(0, cut) + (text[cut] == ',' ? ", ..." : " ...");
}

/// Keys to show in separate rows.
std::size_t n_shown(const Attribution& a, std::size_t most) {
  constexpr double negligible = 5e-4;
  std::size_t n = 1;
  while (n < a.changes.size() && n < most &&
         std::abs(a.changes[n].share) >= negligible * std::abs(a.total))
    ++n;
  // one additional row is not longer than the row that would replace it
  return n + 1 >= a.changes.size() ? a.changes.size() : n;
}

/// The rows for the terminal.
class ShortTable {
 public:
  explicit ShortTable(double total) : total_(total) {}

  void add(std::string key, std::string before, std::string after,
           double change, std::string method) {
    key_.push_back(std::move(key));
    before_.push_back(std::move(before));
    after_.push_back(std::move(after));
    change_.push_back(100 * change);
    share_.push_back(100 * part_of(change, total_));
    method_.push_back(std::move(method));
  }
  Table take() && {
    Table table;
    table.add("key", std::move(key_));
    table.add("before", std::move(before_));
    table.add("after", std::move(after_));
    table.add("ln(sigma)_percent", std::move(change_));
    table.add("share_percent", std::move(share_));
    table.add("by", std::move(method_));
    return table;
  }

 private:
  double total_;
  Texts key_, before_, after_, method_;
  Reals change_, share_;
};

}  // namespace

double part_of(double share, double total) {
  constexpr double rounding = 1e-12;
  return std::abs(total) > rounding ? share / total : Resolution::none;
}

std::string change_text(double change_of_ln) {
  if (std::isnan(change_of_ln)) return "-";
  return readable_change(100 * std::expm1(change_of_ln), 3) + " %";
}

void AttributionTable::add(const Detector& after, const StudyRequest& request,
                           GridPoint point, std::string_view design,
                           Parameter q, const Attribution& a) {
  const auto add = [&](std::string_view part, const KeyChange& change) {
    point_.add(after, request, point);
    design_.emplace_back(design);
    parameter_.emplace_back(parameter_name(q, request.at.has_value()));
    add_part(part, change, a.total);
  };
  for (const KeyChange& change : a.changes) add("key", change);
  KeyChange rest;
  rest.share = a.remainder;
  add("remainder", rest);
  rest.share = a.total;
  add("total", rest);
}

void AttributionTable::add_part(std::string_view part, const KeyChange& change,
                                double total) {
  part_.emplace_back(part);
  key_.push_back(change.key);
  before_.push_back(change.before);
  after_.push_back(change.after);
  line_.push_back(change.place.line);
  change_.push_back(change.share);
  share_.push_back(part_of(change.share, total));
  method_.emplace_back(part == "key" ? method_of(change) : "");
}

Table AttributionTable::take() && {
  Table table;
  std::move(point_).move_to(table);
  table.add("design", std::move(design_));
  table.add("parameter", std::move(parameter_));
  table.add("part", std::move(part_));
  table.add("key", std::move(key_));
  table.add("before", std::move(before_));
  table.add("after", std::move(after_));
  table.add("line", std::move(line_));
  table.add("change_of_ln_sigma", std::move(change_));
  table.add("share", std::move(share_));
  table.add("method", std::move(method_));
  return table;
}

Document attribution_document(Parameter q, const Attribution& a,
                              bool at_layer) {
  Document::List changes;
  for (const KeyChange& change : a.changes) {
    Document item;
    item.set("key", change.key);
    item.set("before", text_or_null(change.before));
    item.set("after", text_or_null(change.after));
    const FilePosition& place = change.place;
    item.set("line", place.line > 0 ? Document(place.line) : Document());
    item.set("column", place.line > 0 ? Document(place.column) : Document());
    item.set("change_of_ln_sigma", change.share);
    item.set("share", part_of(change.share, a.total));
    item.set("method", method_of(change));
    changes.push_back(std::move(item));
  }
  return Document()
      .set("parameter", parameter_name(q, at_layer))
      .set("total", a.total)
      .set("remainder", a.remainder)
      .set("changes", std::move(changes));
}

Section attribution_section(std::string title, Parameter q,
                            const Attribution& a, bool at_layer,
                            std::size_t most) {
  Section section{std::move(title), {}, {}};
  section.facts.emplace_back(sigma_symbol(q, at_layer), change_text(a.total));
  constexpr double small_part = 0.2;  // not explained by the shares
  if (std::abs(a.remainder) > small_part * std::abs(a.total))
    section.facts.emplace_back("note",
                               "the keys interact: the remainder is large, so "
                               "the shares are not meaningful");
  ShortTable table(a.total);
  const std::size_t shown = n_shown(a, most);
  for (std::size_t i = 0; i < shown; ++i) {
    const KeyChange& change = a.changes[i];
    table.add(change.key, shortened(change.before), shortened(change.after),
              change.share, method_of(change));
  }
  if (shown < a.changes.size()) {
    double sum = 0;
    for (std::size_t i = shown; i < a.changes.size(); ++i)
      if (!std::isnan(a.changes[i].share)) sum += a.changes[i].share;
    table.add(fmt::format("{} more keys", a.changes.size() - shown), "", "",
              sum, "");
  }
  table.add("remainder", "", "", a.remainder, "");
  table.add("total", "", "", a.total, "");
  section.table = std::move(table).take();
  return section;
}

}  // namespace gttf
