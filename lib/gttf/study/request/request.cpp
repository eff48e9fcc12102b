// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/request/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gttf/config/sha256.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/read_model.hpp"
#include "gttf/study/request/axis.hpp"
#include "gttf/study/request/read_setup.hpp"
#include "gttf/study/request/request_document.hpp"

namespace gttf {
namespace {

constexpr std::int64_t study_version = 1;
/// Beyond this, a track stays within 0.1 mrad of the beam line.
constexpr double largest_eta = 10;

AxisRules momentum_rules() {
  return {
      Dimension::energy,
      "GeV",
      "1 GeV",
      Spacing::logarithmic,
      true,
      [](double p) { return p > 0 ? "" : "the momentum must be positive"; }};
}
AxisRules theta_rules() {
  return {Dimension::angle,
          "deg",
          "90 deg",
          Spacing::linear,
          false,
          [](double theta) {
            return theta >= 0 && theta <= 180 * unit::deg
                       ? ""
                       : "theta must be between 0 and 180 deg";
          }};
}
AxisRules eta_rules() {
  return {Dimension::number, "", "0", Spacing::linear, false, [](double eta) {
            return std::abs(eta) <= largest_eta
                       ? std::string()
                       : fmt::format("eta must be between {0} and {1}",
                                     -largest_eta, largest_eta);
          }};
}

/// The values of a study, option before file.
class RequestReader {
 public:
  /// @param file  null: no file
  RequestReader(const StudyOptions& options, MapReader* file,
                Diagnostics& diagnostics)
      : options_(options), file_(file), diagnostics_(diagnostics) {}

  StudyRequest read(const std::string& path, bool single_point) {
    StudyRequest request;
    if (file_ && is_detector()) return request;
    if (file_) read_head();
    read_detectors(path, request);
    read_momentum(request.momentum, single_point);
    read_angle(request.angle, single_point);
    read_rest(request);
    check_transverse(request);
    detail::read_toys({pick("--toys", options_.toys, "toys"),
                       pick("--seed", options_.seed, "seed"),
                       pick("--fits", options_.fits, "fits")},
                      request.toys);
    const auto vary = from_file("vary");
    request.vary =
        options_.vary.empty()
            ? (vary ? read_varied_keys(*vary) : std::vector<VariedKey>{})
            : read_varied_keys(options_.vary, diagnostics_);
    if (const auto value = from_file("follow"))
      check_follow(*value, path, request);
    if (const auto value = from_file("variants"))
      request.variants = read_variants(*value);
    if (const auto value = from_file("requirements"))
      request.requirements =
          detail::named_file(*value, path, "the path of a requirement file",
                             {"configs/check"})
              .value_or("");
    if (file_) file_->finish();
    return request;
  }

  /// All keys except the axes and those for toys; the map has further keys.
  StudyRequest read_setup(const std::string& path) {
    StudyRequest request;
    read_detectors(path, request);
    read_rest(request);
    return request;
  }

  /// The given axes.
  void read_axes(detail::GivenAxes& axes) {
    for (const char* key : {"momentum", "p", "pt"})
      if (from_file(key)) axes.has_momentum = true;
    for (const char* key : {"theta", "eta"})
      if (from_file(key)) axes.has_angle = true;
    if (axes.has_momentum) read_momentum(axes.momentum, false);
    if (axes.has_angle) read_angle(axes.angle, false);
  }

  StudyRequest read_for_fit() {
    StudyRequest request;
    if (options_.p) read_momentum(request.momentum, true);
    read_rest(request);
    return request;
  }

 private:
  using Text = std::optional<std::string>;

  /// Formulas are read with the detector, see read_follow().
  static void check_follow(const Value& value, const std::string& path,
                           const StudyRequest& request) {
    MapReader map(
        value, "{ 'layers[L0].cylinder.half_length': radius / tan(40 deg) }");
    if (!map) return;
    for (const Node::Entry& entry : value.node().entries())
      if (const auto formula = map.find(entry.key.text());
          !formula->is_scalar())
        formula->expected("a formula", "write for example radius + 5 mm");
    if (path == "-")
      value.error("a study that is read from a pipe cannot have \"follow\"",
                  "write it to a file");
    if (request.vary.empty())
      value.error("there is nothing to follow",
                  "add \"vary\" with a key of the detector");
  }

  /// Particle, start and model.
  void read_rest(StudyRequest& request) {
    // braces fix the order of evaluation, and therefore of messages
    const detail::ParticleKeys by_option{
        from_option("--particle", options_.particle),
        from_option("--mass", options_.mass),
        from_option("--charge", options_.charge)};
    const detail::ParticleKeys by_file{from_file("particle"), from_file("mass"),
                                       from_file("charge")};
    request.particle = detail::read_particle(by_option, by_file);
    if (const auto phi = pick("--phi", options_.phi, "phi"))
      request.phi = phi->quantity(Dimension::angle, "deg").value_or(0);
    if (const auto vertex = pick("--vertex", options_.vertex, "vertex"))
      request.vertex = detail::read_vertex(*vertex);
    if (const auto spot = pick("--beam-spot", options_.beam_spot, "beam_spot"))
      request.beam_spot = detail::read_beam_spot(*spot);
    read_model(request);
    read_at(request);
    read_average(request);
  }

  void read_average(StudyRequest& request) {
    if (const auto size = pick("--luminous-region", options_.luminous_region,
                               "luminous_region"))
      request.luminous_region = detail::read_luminous_region(*size);
    auto value = from_file("average");
    if (options_.average) {
      Diagnostics own;
      value.emplace(detail::average_option(*options_.average, own), "",
                    diagnostics_);
      diagnostics_.add(own);
      if (own.has_errors()) return;
    }
    if (!value) return;
    request.average = detail::read_average(*value);
    if (request.average && request.average->vertex &&
        !request.luminous_region && !request.beam_spot)
      value->error(
          "vertices are averaged over the luminous region, whose size is not "
          "given",
          options_.average
              ? "add --luminous-region 10um,10um,50mm"
              : "add for example \"luminous_region: [10 um, 10 um, 50 mm]\"");
  }

  std::optional<Value> from_option(const std::string& option,
                                   const Text& text) {
    if (!text) return std::nullopt;
    Diagnostics own;
    Value value(option_node(option, *text, own), "", diagnostics_);
    diagnostics_.add(own);
    if (own.has_errors()) return std::nullopt;
    return value;
  }
  std::optional<Value> from_file(std::string_view key) {
    return file_ ? file_->find(key) : std::nullopt;
  }
  std::optional<Value> pick(const std::string& option, const Text& text,
                            std::string_view key) {
    auto value = from_file(key);
    return text ? from_option(option, text) : value;
  }

  /// An error about something missing: at the file, or without location.
  void missing(std::string problem, std::string suggestion) {
    if (file_) {
      file_->value().error(std::move(problem), std::move(suggestion));
      return;
    }
    Diagnostic d;
    d.problem = std::move(problem);
    d.suggestion = std::move(suggestion);
    diagnostics_.add(std::move(d));
  }

  /// Reports a detector file given instead of a study.
  bool is_detector() {
    const Node& root = file_->value().node();
    if (root.find("gttf-study") || !root.find("gttf-detector")) return false;
    file_->find("gttf-detector")
        ->error("this is a detector file, but a study is expected",
                "give it with --detector");
    return true;
  }

  void read_head() {
    if (const auto version = file_->require("gttf-study", "1")) {
      const auto number = version->integer("1");
      if (number && *number != study_version)
        version->error(
            fmt::format("version {} of the format is not known", *number),
            fmt::format("this program reads version {}", study_version));
    }
    for (const char* key : {"name", "note"})
      if (const auto value = file_->find(key)) value->text();
    file_->allow_prefix("x-");
  }

  void read_detectors(const std::string& path, StudyRequest& request) {
    const auto value = from_file("detectors");
    std::vector<Value> items;
    if (value)
      items = value->is_list() ? value->items() : std::vector<Value>{*value};
    if (!options_.detectors.empty()) {
      request.detectors = options_.detectors;
    } else if (value) {
      if (items.empty())
        value->error("no detectors", "write detectors: [FILE]");
      for (const Value& item : items) add_detector(item, path, request);
    } else if (!file_ || *file_) {
      missing("no detector",
              file_ ? "add \"detectors: [FILE]\"" : "give a detector file");
    }
    const auto n = std::ranges::count(request.detectors, "-");
    if (n > 1 || (n == 1 && path == "-"))
      missing("standard input (\"-\") can be read only once",
              "give the other as a file");
  }

  static void add_detector(const Value& item, const std::string& path,
                           StudyRequest& request) {
    const auto detector =
        item.is("-")
            ? std::optional<std::string>("-")
            : detail::named_file(item, path, "the path of a detector file",
                                 {"detectors"});
    if (detector) request.detectors.push_back(*detector);
  }

  /// The given one of two exclusive values; `second` is set to which
  /// one.
  std::optional<Value> exclusive(const std::optional<Value>& a,
                                 const std::optional<Value>& b,
                                 std::string_view names, bool& second) {
    if (a && b)
      b->error(fmt::format("{} cannot be used together", names),
               "remove one of the two");
    second = !a && b;
    return second ? b : a;
  }

  std::optional<Value> exclusive_options(std::array<const char*, 2> names,
                                         const Text& a, const Text& b,
                                         bool& second) {
    const auto first = from_option(names[0], a);
    const auto other = from_option(names[1], b);
    return exclusive(first, other, fmt::format("{} and {}", names[0], names[1]),
                     second);
  }

  void read_momentum(MomentumAxis& axis, bool single_point) {
    auto momentum = from_file("momentum");
    const auto p = from_file("p");
    const auto pt = from_file("pt");
    bool is_pt = false, is_alias = false;
    momentum = exclusive(momentum, p, "\"momentum\" and \"p\"", is_alias);
    auto value = exclusive(momentum, pt, "\"momentum\" and \"pt\"", is_pt);
    if (options_.p || options_.pt)
      value =
          exclusive(from_option("--p", options_.p),
                    from_option("--pt", options_.pt), "--p and --pt", is_pt);
    else if (!value && (!file_ || *file_))
      missing("no momentum",
              file_ ? "add for example \"momentum: { from: 0.1 GeV, to: 100 "
                      "GeV, points: 60 }\", or \"pt\""
                    : (single_point ? "give --p 1GeV or --pt 1GeV"
                                    : "give --p 0.1GeV:100GeV:60 or --pt"));
    axis.variable =
        is_pt ? MomentumAxis::Variable::pt : MomentumAxis::Variable::p;
    if (!value) return;
    axis.values = read_axis(*value, momentum_rules());
    axis.is_range = value->is_map();
    const Node* spacing =
        axis.is_range ? value->node().find("spacing") : nullptr;
    axis.is_linear = spacing != nullptr && spacing->text() == "linear";
    check_single(*value, axis.values, single_point, "momenta", "1 GeV");
  }

  void read_angle(AngleAxis& axis, bool single_point) {
    bool is_eta = false;
    const auto theta = from_file("theta");
    const auto eta = from_file("eta");
    auto value = exclusive(theta, eta, "\"theta\" and \"eta\"", is_eta);
    if (options_.theta || options_.eta)
      value = exclusive_options({"--theta", "--eta"}, options_.theta,
                                options_.eta, is_eta);
    axis.variable =
        is_eta ? AngleAxis::Variable::eta : AngleAxis::Variable::theta;
    axis.values = {90 * unit::deg};
    if (!value) return;
    axis.values = read_axis(*value, is_eta ? eta_rules() : theta_rules());
    axis.is_range = value->is_map();
    check_single(*value, axis.values, single_point, "angles",
                 is_eta ? "0" : "90 deg");
  }

  /// A track along z has no transverse momentum.
  void check_transverse(const StudyRequest& request) {
    if (request.momentum.variable != MomentumAxis::Variable::pt) return;
    for (std::size_t i = 0; i < request.angle.values.size(); ++i)
      if (std::sin(theta_of(request.angle, i)) < 1e-12) {
        missing("a track along z has no transverse momentum",
                "give the momentum as p");
        return;
      }
  }

  static void check_single(const Value& value,
                           const std::vector<double>& values, bool single_point,
                           std::string_view what, std::string_view example) {
    if (single_point && values.size() > 1)
      value.error(
          fmt::format("one track is expected, got {} {}", values.size(), what),
          fmt::format("give one value, for example \"{}\"", example));
  }

  void read_model(StudyRequest& request) {
    if (const auto value =
            pick("--scattering", options_.scattering, "scattering")) {
      request.chosen.scattering = true;
      if (const auto model = detail::read_scattering(*value))
        request.scattering = *model;
    }
    if (const auto value =
            pick("--energy-loss", options_.energy_loss, "energy_loss")) {
      request.chosen.energy_loss = true;
      if (const auto model = detail::read_energy_loss(*value))
        request.energy_loss = *model;
    }
    if (const auto value = pick("--turns", options_.turns, "turns"))
      request.turns = detail::read_turns(*value);
  }

  /// `at: dut`, or `at: { layer: dut, own_hit: false }`.
  void read_at(StudyRequest& request) {
    const auto value = pick("--at", options_.at, "at");
    if (!value) {
      if (options_.without_own_hit)
        missing("--without-own-hit needs a layer", "add --at LAYER");
      return;
    }
    AtRequest at;
    const auto read_layer = [&at](const Value& layer) {
      at.layer = layer.text("the name of a layer").value_or("");
      at.place = diagnostic_at(layer.node());
      at.place.path = layer.path();
    };
    if (value->is_map()) {
      MapReader map(*value, "{ layer: dut, own_hit: false }");
      if (!map) return;
      if (const auto layer = map.require("layer", "dut")) read_layer(*layer);
      if (const auto own = map.find("own_hit"))
        at.own_hit = own->boolean().value_or(true);
      map.finish();
    } else {
      read_layer(*value);
    }
    if (options_.without_own_hit) at.own_hit = false;
    if (!at.layer.empty()) request.at = std::move(at);
  }

  const StudyOptions& options_;
  MapReader* file_;
  Diagnostics& diagnostics_;
};

}  // namespace

StudyRequest read_request(const std::string& path, const StudyOptions& options,
                          bool single_point) {
  Diagnostics diagnostics;
  std::optional<Value> file;
  std::string hash;
  if (!path.empty()) {
    const SourcePtr source = read_source(path, diagnostics, "study");
    std::optional<Node> root;
    if (source) {
      hash = sha256(source->text());
      root = parse_yaml(source, "gttf-study: 1", diagnostics);
    }
    if (!root) throw InputError(std::move(diagnostics));
    file.emplace(*root, "", diagnostics);
  }
  std::optional<MapReader> map;
  if (file) map.emplace(*file, "a study (a map)");
  StudyRequest request =
      RequestReader(options, map ? &*map : nullptr, diagnostics)
          .read(path, single_point);
  if (diagnostics.has_errors()) throw InputError(std::move(diagnostics));
  request.file = path;
  request.sha256 = hash;
  return request;
}

StudyRequest read_fit_request(const StudyOptions& options) {
  Diagnostics diagnostics;
  RequestReader reader(options, nullptr, diagnostics);
  StudyRequest request = reader.read_for_fit();
  if (diagnostics.has_errors()) throw InputError(std::move(diagnostics));
  return request;
}

StudyRequest detail::read_setup(MapReader& map, const std::string& path,
                                const StudyOptions& options) {
  return RequestReader(options, &map, map.value().diagnostics())
      .read_setup(path);
}

detail::GivenAxes detail::read_axes(MapReader& map) {
  GivenAxes axes;
  RequestReader({}, &map, map.value().diagnostics()).read_axes(axes);
  return axes;
}

Scattering scattering_of(const StudyRequest& request,
                         const Detector& detector) {
  if (request.chosen.scattering) return request.scattering;
  return detector.model.scattering.value_or(request.scattering);
}

EnergyLoss energy_loss_of(const StudyRequest& request,
                          const Detector& detector) {
  if (request.chosen.energy_loss) return request.energy_loss;
  return detector.model.energy_loss.value_or(request.energy_loss);
}

std::array<double, 3> luminous_region_of(const StudyRequest& request) {
  if (request.luminous_region) return *request.luminous_region;
  if (const auto& spot = request.beam_spot) return {spot->x, spot->y, spot->z};
  return {};
}

StudyRequest with_model_of(StudyRequest request, const Detector& detector) {
  request.scattering = scattering_of(request, detector);
  request.energy_loss = energy_loss_of(request, detector);
  request.chosen = {true, true};
  return request;
}

double theta_of(const AngleAxis& axis, std::size_t i) {
  const double value = axis.values[i];
  return axis.variable == AngleAxis::Variable::theta ? value
                                                     : theta_at_eta(value);
}

double eta_of(double theta) {
  // the tangent of pi/2 as a double is finite
  if (theta >= unit::pi) return -std::numeric_limits<double>::infinity();
  return -std::log(std::tan(theta / 2));
}

double theta_at_eta(double eta) { return 2 * std::atan(std::exp(-eta)); }

}  // namespace gttf
