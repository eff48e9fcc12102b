// SPDX-License-Identifier: Apache-2.0
// decay: mass, vertex and recoil resolution of a decaying particle.
#include "gttf/study/decay/decay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "command_line.hpp"
#include "computation.hpp"
#include "gttf/config/text.hpp"
#include "gttf/study/request/axis.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

// At most so many simulated decays for each point.
constexpr std::uint64_t most_toys = 1'000'000'000;

// ENERGY or ENERGY,SPREAD
std::optional<Collision> collision_of(const Options& options) {
  if (options.sqrt_s.empty()) return std::nullopt;
  const std::string_view text = options.sqrt_s;
  const std::size_t comma = text.find(',');
  const auto read = [&](std::string_view part) {
    const auto value = parse_quantity(part, Dimension::energy, "GeV");
    if (!value)
      throw UsageError("--sqrt-s: " + value.problem +
                       (value.suggestion.empty() ? "" : "; ") +
                       value.suggestion);
    if (!(value.value > 0))
      throw UsageError("--sqrt-s: energies are positive, got " +
                       in_quotes(part));
    return value.value;
  };
  Collision collision{.sqrt_s = read(text.substr(0, comma))};
  if (comma != std::string_view::npos)
    collision.sigma_sqrt_s = read(text.substr(comma + 1));
  return collision;
}

// The columns that fit a terminal.
std::vector<std::string> shown_columns(const Study& study,
                                       const DecayOptions& options) {
  const StudyRequest& request = study.request;
  std::vector<std::string> names;
  if (study.detectors.size() > 1) names.emplace_back("detector");
  names.emplace_back(request.momentum.variable == MomentumAxis::Variable::pt
                         ? "pt_GeV"
                         : "p_GeV");
  names.emplace_back(
      request.angle.variable == AngleAxis::Variable::eta ? "eta" : "theta_deg");
  for (const char* name :
       {"acceptance", "sigma_m_MeV", "sigma_m_vertex_MeV", "sigma_m_median_MeV",
        "sigma_p_rel", "sigma_flight_um", "sigma_across_um", "sigma_t_fs"})
    names.emplace_back(name);
  if (options.collision) names.emplace_back("sigma_recoil_MeV");
  if (options.toys > 0)
    for (const char* name : {"toys", "pull_m_width", "pull_m_vertex_width"})
      names.emplace_back(name);
  names.emplace_back("status");
  return names;
}

/// A decay is the first argument, before the files.
bool is_file_name(const std::string& text) {
  return text == "-" || text.ends_with(".yaml") || text.ends_with(".yml") ||
         std::filesystem::is_regular_file(text);
}

int run_decay(const Call& call) {
  const Options& options = call.options;
  check_formats(options);
  use_simd(options);
  if (is_file_name(options.decay))
    throw UsageError(in_quotes(options.decay) +
                     " is a file, not a decay: write the decay first, as in "
                     "decay 'B_s0 -> mu+ mu-' " +
                     options.decay);
  DecayOptions computation;
  computation.decay = read_decay(options.decay);
  computation.configurations = options.configurations;
  computation.collision = collision_of(options);
  computation.engine = engine_of(options);
  computation.threads = options.threads;
  const Study study = read_study(options, "calculate");
  if (options.toys) computation.toys = study.request.toys.toys;
  if (computation.toys > most_toys)
    throw UsageError(fmt::format("--toys: at most {}", most_toys));
  for (const Detector& detector : study.detectors)
    if (detector.field.kind == FieldKind::none)
      throw UsageError(detector.name +
                       " has no magnetic field: masses need momenta");
  const auto provenance = provenance_of(call, &study.request, study.detectors);
  Outputs outputs(options, provenance);
  const auto all = decay_column_names(computation.collision.has_value(),
                                      computation.toys > 0);
  const std::vector<std::string> chosen =
      options.columns.empty() ? std::vector<std::string>{}
                              : parse_names("--columns", options.columns, all);
  Progress bar("decay", bar_settings(options));
  computation.progress = [&bar](std::size_t done, std::size_t total) {
    bar.update(done, total);
  };
  const std::string title = fmt::format(
      "{}{}, {} configurations",
      study.detectors.size() == 1 ? study.detectors.front().name + ": " : "",
      to_string(computation.decay), computation.configurations);
  const auto sink = outputs.table_sink(
      title, chosen.empty() ? shown_columns(study, computation) : chosen,
      chosen, &bar);
  const std::size_t measured =
      decays(study.request, study.detectors, computation, *sink);
  outputs.commit();
  return code_of(measured);
}

}  // namespace

const Verb decay_verb{
    "decay",
    of::decay,
    "Compute mass, vertex and recoil resolutions of a decaying particle",
    "Momentum and angle are those of the decaying particle, --vertex is the "
    "point of\n"
    "its decay. Errors are root mean squares over configurations of the "
    "products,\n"
    "isotropic in the rest frame; widths of particles are not included.",
    "decay 'B_s0 -> mu+ mu-' detectors/cms_phase2.yaml --pt 10GeV --eta "
    "0:2:5\n"
    "decay 'D_s+ -> (phi -> K+ K-) pi+' detectors/alice_its3.yaml --pt "
    "1GeV:10GeV:4 --toys 10000\n"
    "decay 'Z -> mu+ mu-' detectors/cld.yaml --p 50GeV --sqrt-s 240GeV,0.3GeV",
    run_decay};

}  // namespace gttf::app
