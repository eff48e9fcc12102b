// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/report/report_subject.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "gttf/detector/surface_outline.hpp"
#include "gttf/study/request/axis.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/show/detector_view.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf::detail {
namespace {

constexpr std::size_t most_systems = 8;
constexpr std::size_t bunches = 5;  // of measuring layers, if names are many

std::vector<std::string> unique_inside_out(
    const Detector& detector, const std::vector<std::string>& names,
    bool measuring) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (detector.layers[i].measures() == measuring) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return inner_radius(detector.layers[a]) < inner_radius(detector.layers[b]);
  });
  std::vector<std::string> unique;
  for (const std::size_t i : order)
    if (std::find(unique.begin(), unique.end(), names[i]) == unique.end())
      unique.push_back(names[i]);
  return unique;
}

// Names of layers or groups, or of combined groups if there are many.
std::vector<std::string> system_names(const Detector& detector) {
  std::vector<std::string> names = names_by(detector, Grouping::group);
  const auto measuring = unique_inside_out(detector, names, true);
  const auto passive = unique_inside_out(detector, names, false);
  if (measuring.size() + passive.size() <= most_systems) return names;
  const std::size_t parts = std::min(bunches, measuring.size());
  for (std::string& name : names) {
    const auto found = std::find(measuring.begin(), measuring.end(), name);
    if (found == measuring.end()) {
      name = "passive layers";
      continue;
    }
    const auto i = static_cast<std::size_t>(found - measuring.begin());
    const std::size_t part = i * parts / measuring.size();
    const std::size_t first = (part * measuring.size() + parts - 1) / parts;
    const std::size_t last =
        ((part + 1) * measuring.size() + parts - 1) / parts - 1;
    name = first == last ? measuring[first]
                         : measuring[first] + " – " + measuring[last];
  }
  return names;
}

void paint(std::vector<Subsystem>& systems) {
  int next = 0;
  for (Subsystem& system : systems) {
    const auto owner = std::find_if(
        systems.begin(), systems.end(), [&](const Subsystem& other) {
          return other.measures && !system.measures &&
                 system.name.starts_with(other.name + " ");
        });
    if (owner != systems.end()) continue;
    // Grey is used for the first system if it is passive (a beam pipe).
    if (next == 0 && system.measures) next = 1;
    // Blue, green, red, yellow, ...: neighbours differ most.
    constexpr std::array<int, n_group_paints - 1> order{1, 2, 4, 3, 5, 6, 7};
    const int index =
        next == 0 ? 0
                  : order[static_cast<std::size_t>(next - 1) % order.size()];
    ++next;
    system.fill = {Tone::group, index};
    system.edge = {Tone::edge, index};
  }
  for (Subsystem& system : systems)
    for (const Subsystem& other : systems)
      if (other.measures && !system.measures &&
          system.name.starts_with(other.name + " ")) {
        system.fill = {Tone::pale_group, other.fill.index};
        system.edge = other.edge;
        break;
      }
}

}  // namespace

double inner_radius(const Layer& layer) {
  const Surface& s = layer.surface;
  return is_round(s) ? radii(s).lower : std::abs(s.position);
}

GroupPaints make_group_paints(const Detector& detector) {
  const std::vector<std::string> names = system_names(detector);
  GroupPaints paints;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto found = std::find_if(
        paints.systems.begin(), paints.systems.end(),
        [&](const Subsystem& system) { return system.name == names[i]; });
    if (found == paints.systems.end()) {
      Subsystem system;
      system.name = names[i];
      system.inner = std::numeric_limits<double>::infinity();
      paints.systems.push_back(std::move(system));
      found = paints.systems.end() - 1;
    }
    found->measures = found->measures || detector.layers[i].measures();
    found->inner = std::min(found->inner, inner_radius(detector.layers[i]));
  }
  std::stable_sort(
      paints.systems.begin(), paints.systems.end(),
      [](const Subsystem& a, const Subsystem& b) { return a.inner < b.inner; });
  paint(paints.systems);
  for (const std::string& name : names)
    for (std::size_t k = 0; k < paints.systems.size(); ++k)
      if (paints.systems[k].name == name) paints.of_layer.push_back(k);
  return paints;
}

std::vector<LegendEntry> GroupPaints::legend() const {
  std::vector<LegendEntry> entries;
  for (const Subsystem& system : systems)
    entries.push_back({.key = LegendEntry::Key::box,
                       .text = literal_text(system.name),
                       .paint = system.fill});
  return entries;
}

namespace {

constexpr std::size_t curve_points = 100, most_angles = 6;
constexpr double linear_range = 6;  // an axis with a smaller range is linear

double largest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}
double smallest(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

// A single momentum is shown with a decade on either side.
std::pair<double, double> momentum_range(const StudyRequest& request) {
  const double lower = smallest(request.momentum.values);
  const double upper = largest(request.momentum.values);
  return lower < upper ? std::pair(lower, upper)
                       : std::pair(lower / 10, upper * 10);
}

Spacing spacing_of(double lower, double upper) {
  return upper / lower < linear_range ? Spacing::linear : Spacing::logarithmic;
}

// The momenta of the study among many others.
std::vector<double> dense(const StudyRequest& request) {
  const auto [lower, upper] = momentum_range(request);
  std::vector<double> values =
      spaced(lower, upper, curve_points, spacing_of(lower, upper));
  constexpr std::size_t most_own = 200;
  if (request.momentum.values.size() <= most_own)
    values.insert(values.end(), request.momentum.values.begin(),
                  request.momentum.values.end());
  std::sort(values.begin(), values.end());
  constexpr double same = 1 + 1e-9;
  values.erase(std::unique(values.begin(), values.end(),
                           [](double a, double b) { return b <= a * same; }),
               values.end());
  return values;
}

// Evenly chosen, including the first and the last.
std::vector<double> chosen(const std::vector<double>& values,
                           std::size_t most) {
  if (values.size() <= most) return values;
  std::vector<double> few;
  for (std::size_t i = 0; i < most; ++i)
    few.push_back(values[i * (values.size() - 1) / (most - 1)]);
  return few;
}

// The momenta of the study if they are few, else three round ones within their
// range: 1, 10, 100 GeV if it is wide.
std::vector<double> table_momenta(const StudyRequest& request) {
  constexpr std::size_t few = 4;
  if (request.momentum.values.size() <= few) {
    std::vector<double> own = request.momentum.values;
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    return own;
  }
  const auto [lower, upper] = momentum_range(request);
  std::vector<double> decades;
  for (int e = -3; e <= 5; ++e)
    if (const double v = std::pow(10.0, e);
        v >= lower * 0.999 && v <= upper * 1.001)
      decades.push_back(v);
  if (decades.size() >= 3)
    return std::vector<double>(decades.end() - 3, decades.end());
  const double middle = spacing_of(lower, upper) == Spacing::linear
                            ? (lower + upper) / 2
                            : std::sqrt(lower * upper);
  const double digit = std::pow(10.0, std::floor(std::log10(middle)));
  const double round = std::round(middle / digit * 10) / 10 * digit;
  return {lower, round, upper};
}

bool runs_along_axis(const StudyRequest& request) {
  constexpr double smallest = 1e-6;
  for (std::size_t i = 0; i < request.angle.values.size(); ++i)
    if (std::sin(theta_of(request.angle, i)) > smallest) return false;
  return true;
}

// Whether the angles are those of a curve, not a few to be compared.
bool asks_for_range(const AngleAxis& axis) {
  return axis.values.size() > 1 &&
         (axis.is_range || axis.values.size() > most_angles);
}

// The angles of the study among `points` others between its ends.
std::vector<double> dense_eta(const StudyRequest& request, double lower,
                              double upper, std::size_t points) {
  std::vector<double> values = spaced(lower, upper, points, Spacing::linear);
  if (request.angle.variable == AngleAxis::Variable::eta)
    values.insert(values.end(), request.angle.values.begin(),
                  request.angle.values.end());
  std::sort(values.begin(), values.end());
  constexpr double same = 1e-9;
  values.erase(std::unique(values.begin(), values.end(),
                           [](double a, double b) { return b <= a + same; }),
               values.end());
  return values;
}

AngleAxis eta_axis(const Detector& detector, const StudyRequest& request,
                   std::size_t points) {
  constexpr double usual = 4, farthest = 8;
  double asked_lower = farthest, asked_upper = -farthest;
  for (std::size_t i = 0; i < request.angle.values.size(); ++i) {
    const double eta = request.angle.variable == AngleAxis::Variable::eta
                           ? request.angle.values[i]
                           : std::clamp(eta_of(theta_of(request.angle, i)),
                                        -farthest, farthest);
    asked_lower = std::min(asked_lower, eta);
    asked_upper = std::max(asked_upper, eta);
  }
  AngleAxis axis;
  axis.variable = AngleAxis::Variable::eta;
  if (asks_for_range(request.angle) && asked_upper > asked_lower) {
    axis.values = dense_eta(request, asked_lower, asked_upper, points);
    return axis;
  }
  const double end = std::max(usual, asked_upper + 0.5);
  double lower = end, upper = -end;
  for (const Layer& layer : detector.layers) {
    if (!layer.measures()) continue;
    const PolarRange range = polar_range(layer.surface);
    lower = std::min(lower, std::max(range.eta_min(), -usual));
    upper = std::max(upper, std::min(range.eta_max(), end));
  }
  // Detectors that are symmetric are shown on one side, unless the study uses
  // the other side; forward detectors around the angles of the study; all at
  // most half a unit beyond it.
  if (std::abs(lower + upper) < 1e-6 && asked_lower > -1e-6) lower = 0;
  if (asked_lower > 1) lower = std::max(lower, asked_lower - 1);
  if (!(upper > lower)) upper = lower + 1;
  const double beyond = std::max(asked_upper + 0.5, 1.0);
  axis.values = spaced(lower, std::min(upper, std::max(beyond, lower + 1)),
                       points, Spacing::linear);
  return axis;
}

}  // namespace

const std::vector<ShownQuantity>& shown_quantities(Place place) {
  static const std::vector<ShownQuantity> layer{
      {Parameter::p, "p", "*σ*(*p*)/*p*", "sigma(p)/p", "%", 100,
       "Momentum at the layer"},
      {Parameter::x, "u", "*σ*(*u*)", "sigma(u)", "µm", 1 / unit::um,
       "Position *u* at the layer"},
      {Parameter::y, "v", "*σ*(*v*)", "sigma(v)", "µm", 1 / unit::um,
       "Position *v* at the layer"},
      {Parameter::tx, "tu", "*σ*(*t*_{u})", "sigma(tu)", "mrad", 1 / unit::mrad,
       "Slope *t*_{u} at the layer"},
      {Parameter::ty, "tv", "*σ*(*t*_{v})", "sigma(tv)", "mrad", 1 / unit::mrad,
       "Slope *t*_{v} at the layer"},
  };
  static const std::vector<ShownQuantity> beam{
      {Parameter::p, "p", "*σ*(*p*)/*p*", "sigma(p)/p", "%", 100, "Momentum"},
      {Parameter::x, "x", "*σ*(*x*)", "sigma(x)", "µm", 1 / unit::um,
       "Position *x* at the start"},
      {Parameter::y, "y", "*σ*(*y*)", "sigma(y)", "µm", 1 / unit::um,
       "Position *y* at the start"},
      {Parameter::tx, "tx", "*σ*(*t*_{x})", "sigma(tx)", "mrad", 1 / unit::mrad,
       "Direction *t*_{x} = d*x*/d*z*"},
      {Parameter::ty, "ty", "*σ*(*t*_{y})", "sigma(ty)", "mrad", 1 / unit::mrad,
       "Direction *t*_{y} = d*y*/d*z*"},
  };
  static const std::vector<ShownQuantity> all{
      {Parameter::pt, "pt", "*σ*(*p*_{T})/*p*_{T}", "sigma(pT)/pT", "%", 100,
       "Transverse momentum"},
      {Parameter::d0, "d0", "*σ*(*d*_{0})", "sigma(d0)", "µm", 1 / unit::um,
       "Transverse impact parameter"},
      {Parameter::z0, "z0", "*σ*(*z*_{0})", "sigma(z0)", "µm", 1 / unit::um,
       "Longitudinal impact parameter"},
      {Parameter::phi0, "phi0", "*σ*(*φ*_{0})", "sigma(phi0)", "mrad",
       1 / unit::mrad, "Azimuth"},
      {Parameter::theta, "theta", "*σ*(*θ*)", "sigma(theta)", "mrad",
       1 / unit::mrad, "Polar angle"},
  };
  return place == Place::layer         ? layer
         : place == Place::start_plane ? beam
                                       : all;
}

const ShownQuantity& shown_quantity(Parameter q) {
  const auto& all = shown_quantities();
  return *std::find_if(all.begin(), all.end(), [q](const ShownQuantity& s) {
    return s.parameter == q;
  });
}

FigureAxis MomentumUnit::axis(const std::vector<double>& values) const {
  FigureAxis axis;
  axis.title = symbol + " [" + unit + "]";
  axis.name = name;
  axis.unit = unit;
  axis.lower = values.front() * factor;
  axis.upper = values.back() * factor;
  if (spacing_of(axis.lower, axis.upper) == Spacing::logarithmic)
    axis.scale = AxisScale::logarithmic;
  return axis;
}

RichText MomentumUnit::text(double value) const {
  return fmt::format("{:.4g} {}", value * factor, unit);
}

RichText MomentumUnit::rounded(double value) const {
  constexpr double whole = 99.5;  // two digits would need an exponent
  const double shown = value * factor;
  return shown < whole ? fmt::format("{:.2g} {}", shown, unit)
                       : fmt::format("{:.0f} {}", shown, unit);
}

RichText MomentumUnit::equation(double value) const {
  return symbol + " = " + text(value);
}

RichText angle_text(const StudyRequest& request, std::size_t i) {
  if (request.angle.variable == AngleAxis::Variable::eta)
    return fmt::format("*η* = {:.3g}", request.angle.values[i]);
  return fmt::format("{:.4g}°", in_degrees(request.angle.values[i]));
}

RichText angle_equation(const StudyRequest& request, std::size_t i) {
  return (request.angle.variable == AngleAxis::Variable::eta ? "" : "*θ* = ") +
         angle_text(request, i);
}

std::vector<std::size_t> in_order(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool down = !values.empty() && values.back() < values.front();
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return down ? values[b] < values[a] : values[a] < values[b];
  });
  return order;
}

std::vector<LineStyle> ordered_styles(const std::vector<double>& values) {
  std::vector<LineStyle> styles(values.size());
  const std::vector<std::size_t> order = in_order(values);
  for (std::size_t k = 0; k < order.size(); ++k)
    styles[order[k]] = ordered_style(k, order.size());
  return styles;
}

RichText angle_list(const StudyRequest& request) {
  RichText text = angle_equation(request, 0);
  for (std::size_t i = 1; i < request.angle.values.size(); ++i) {
    const RichText angle = angle_text(request, i);
    const std::size_t sign = angle.find("= ");
    text += ", " + (sign == RichText::npos ? angle : angle.substr(sign + 2));
  }
  return text;
}

RichText momentum_list(const MomentumUnit& unit,
                       const std::vector<double>& values) {
  RichText text = unit.symbol + " = ";
  for (std::size_t i = 0; i < values.size(); ++i)
    text += (i > 0 ? ", " : "") + unit.text(values[i]);
  return text;
}

RichText scattering_text(Scattering scattering) {
  switch (scattering) {
    case Scattering::highland:
      return "Highland scattering, logarithm per layer";
    case Scattering::highland_total:
      return "Highland scattering, logarithm of the whole path";
    case Scattering::highland_1991:
      return "Highland scattering of 1991";
    case Scattering::rossi:
      return "scattering of Rossi";
    case Scattering::off:
      break;
  }
  return "no scattering";
}

RichText loss_text(EnergyLoss loss) {
  switch (loss) {
    case EnergyLoss::off:
      break;
    case EnergyLoss::mean:
      return "mean energy loss";
    case EnergyLoss::straggling:
      return "energy loss with straggling";
    case EnergyLoss::straggling_variance:
      return "energy loss with the variance of straggling";
  }
  return "no energy loss";
}

RichText place_text(const StudyRequest& request) {
  if (!request.at) return "";
  return "at " + literal_text(request.at->layer) +
         (request.at->own_hit ? "" : " without its own hit");
}

RichText models_text(const StudyRequest& request,
                     std::span<const Detector> detectors,
                     const std::string& joint) {
  std::vector<RichText> texts;
  for (const Detector& detector : detectors)
    texts.push_back(scattering_text(scattering_of(request, detector)) + joint +
                    loss_text(energy_loss_of(request, detector)));
  const auto same_as_first = [&](const RichText& text) {
    return text == texts.front();
  };
  if (std::ranges::all_of(texts, same_as_first)) return texts.front();
  RichText text;
  for (std::size_t i = 0; i < texts.size(); ++i)
    text +=
        (i > 0 ? "; " : "") + literal_text(detectors[i].name) + ": " + texts[i];
  return text;
}

Detector ReportSubject::grouped() const {
  Detector copy = detector;
  for (std::size_t i = 0; i < copy.layers.size(); ++i)
    copy.layers[i].group = groups.systems[groups.of_layer[i]].name;
  return copy;
}

Figure ReportSubject::figure(const std::string& name, const RichText& title,
                             const RichText& subtitle,
                             const std::string& description) const {
  return {.id = id(name),
          .title = title,
          .subtitle = subtitle,
          .description = description};
}

Figure ReportSubject::wide_figure(const std::string& name,
                                  const RichText& title,
                                  const RichText& subtitle,
                                  const std::string& description) const {
  Figure wide = figure(name, title, subtitle, description);
  wide.width = page_width;
  wide.height = 0;
  return wide;
}

RichText ReportSubject::point_text(std::size_t i, std::size_t j) const {
  return momentum.equation(points.momentum.values[i]) + ", " +
         angle_equation(points, j);
}

ReportSubject make_subject(const StudyRequest& request,
                           const Detector& detector, std::size_t index,
                           std::size_t total, unsigned threads) {
  ReportSubject s{.detector = detector,
                  .request = request,
                  .curves = request,
                  .against_eta = request,
                  .map = request,
                  .points = request,
                  .momentum = {},
                  .groups = make_group_paints(detector),
                  .along_beam = along_beam(request, {&detector, 1}),
                  .on_axis = runs_along_axis(request),
                  .suffix = total > 1 ? fmt::format("-{}", index + 1) : "",
                  .threads = threads};
  if (request.at)
    s.place = Place::layer;
  else if (s.along_beam)
    s.place = Place::start_plane;
  if (request.momentum.variable == MomentumAxis::Variable::pt) {
    s.momentum.symbol = "*p*_{T}";
    s.momentum.name = "pT";
  }
  constexpr double small = 0.5 * unit::GeV;
  if (largest(request.momentum.values) < small) {
    s.momentum.factor = 1 / unit::MeV;
    s.momentum.unit = "MeV";
  }
  constexpr std::size_t eta_points = 161, map_momenta = 40, map_angles = 52;
  s.curves.momentum.values = dense(request);
  s.curves.angle.values = chosen(request.angle.values, most_angles);
  s.points.momentum.values = table_momenta(request);
  // nine tracks fit into a table
  constexpr std::size_t few = 3;
  s.points.angle.values =
      chosen(request.angle.values,
             s.points.momentum.values.size() > few ? few - 1 : few);
  s.against_eta.momentum = s.points.momentum;
  s.against_eta.angle = eta_axis(detector, request, eta_points);
  const auto [lower, upper] = momentum_range(request);
  s.map.momentum.values =
      spaced(lower, upper, map_momenta, spacing_of(lower, upper));
  s.map.angle = eta_axis(detector, request, map_angles);
  return s;
}

std::string column_name(const std::string& what, const std::string& unit) {
  return plain_text(what) + (unit.empty() ? "" : " [" + unit + "]");
}

void DataRange::add(double value) {
  if (!(value > 0) || std::isinf(value)) return;
  lower = upper > 0 ? std::min(lower, value) : value;
  upper = std::max(upper, value);
}

void DataRange::add(const Reals& values) {
  for (const double value : values) add(value);
}

FigureAxis log_axis(const DataRange& range) {
  // the next 1, 2, 5 outside; with 3 % margin for the width of lines
  const auto next = [](double value, bool up) {
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    const double steps[] = {1, 2, 5, 10};
    double best = up ? 10 * power : power;
    for (const double step : steps) {
      if (up && step * power >= value) return step * power;
      if (!up && step * power <= value) best = step * power;
    }
    return best;
  };
  FigureAxis axis;
  axis.scale = AxisScale::logarithmic;
  axis.lower = next(range.lower * 0.97, false);
  axis.upper = next(range.upper * 1.03, true);
  return axis;
}

}  // namespace gttf::detail
