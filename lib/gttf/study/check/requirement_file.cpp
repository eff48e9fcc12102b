// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/check/requirement_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "gttf/config/named_files.hpp"
#include "gttf/config/sha256.hpp"
#include "gttf/config/text.hpp"
#include "gttf/study/request/request_document.hpp"

namespace gttf {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t format_version = 1;

bool same(double a, double b) {
  constexpr double rounding = 1e-12;
  return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}

/// The setting in which a baseline differs from this file; empty if they agree.
std::string_view other_in_baseline(const StudyRequest& a,
                                   const StudyRequest& b) {
  if (!same(a.particle.mass, b.particle.mass) ||
      !same(a.particle.charge, b.particle.charge))
    return "particle";
  if (a.scattering != b.scattering ||
      a.chosen.scattering != b.chosen.scattering)
    return "scattering";
  if (a.energy_loss != b.energy_loss ||
      a.chosen.energy_loss != b.chosen.energy_loss)
    return "energy_loss";
  if (a.turns != b.turns) return "turns";
  if (a.at.has_value() != b.at.has_value() ||
      (a.at && (a.at->layer != b.at->layer || a.at->own_hit != b.at->own_hit)))
    return "at";
  if (!same(a.phi, b.phi)) return "phi";
  for (std::size_t i = 0; i < a.vertex.size(); ++i)
    if (!same(a.vertex[i], b.vertex[i])) return "vertex";
  if (a.beam_spot.has_value() != b.beam_spot.has_value()) return "beam_spot";
  if (a.beam_spot && !(same(a.beam_spot->x, b.beam_spot->x) &&
                       same(a.beam_spot->y, b.beam_spot->y) &&
                       same(a.beam_spot->z, b.beam_spot->z)))
    return "beam_spot";
  if (a.average != b.average) return "average";
  if (a.average && a.average->vertex) {
    const auto mine = luminous_region_of(a), theirs = luminous_region_of(b);
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (!same(mine[i], theirs[i])) return "luminous_region";
  }
  return {};
}

class Reader {
 public:
  Reader(const std::string& path, const StudyOptions& options,
         const std::string& baseline, const BaselineLoader& load,
         Diagnostics& diagnostics)
      : path_(path),
        options_(options),
        baseline_(baseline),
        load_(load),
        diagnostics_(diagnostics) {}

  RequirementFile read(const Node& root) {
    const Value value(root, "", diagnostics_);
    MapReader map(value, "a file of requirements (a map)");
    if (!map || is_other_file(map)) return {};
    read_head(map);
    detail::RequirementHead head = read_setup(map);
    read_baseline(map, head);
    file_.request = head.request;
    const auto list = map.require("requirements", "[{ what: ..., max: ... }]");
    if (list) read_list(*list, head);
    map.finish();
    return std::move(file_);
  }

 private:
  bool is_other_file(MapReader& map) {
    const Node& root = map.value().node();
    if (root.find("gttf-requirements")) return false;
    for (const auto& [key, what] : {std::pair{"gttf-detector", "a detector"},
                                    std::pair{"gttf-study", "a study"}}) {
      const auto version = map.find(key);
      if (!version) continue;
      version->error(
          fmt::format("this is {}, but a requirements file is expected", what),
          "write one that names it, see "
          "docs/reference/requirements.md");
      return true;
    }
    return false;
  }

  void read_head(MapReader& map) {
    if (const auto version = map.require("gttf-requirements", "1")) {
      const auto number = version->integer("1");
      if (number && *number != format_version)
        version->error(
            fmt::format("version {} of the format is not known", *number),
            fmt::format("this program reads version {}", format_version));
    }
    if (const auto name = map.find("name"))
      file_.name = name->text("a name").value_or("");
    if (const auto note = map.find("note")) note->text();
    map.allow_prefix("x-");
  }

  /// Particle, model and grid: of a study, or written here.
  detail::RequirementHead read_setup(MapReader& map) {
    detail::RequirementHead head;
    const auto study = map.find("study");
    if (!study) {
      head.request = detail::read_setup(map, path_, options_);
      if (const auto variants = map.find("variants"))
        head.request.variants = read_variants(*variants);
      head.grid = detail::read_axes(map);
      return head;
    }
    const auto file = detail::named_file(
        *study, path_, "the path of a study file", {"configs"});
    if (file) read_study(*file, head);
    for (const char* key :
         {"detectors", "particle", "mass", "charge", "momentum", "p", "pt",
          "theta", "eta", "phi", "vertex", "beam_spot", "scattering",
          "energy_loss", "turns", "at", "variants", "average",
          "luminous_region"})
      if (const auto own = map.find(key))
        own->error(fmt::format("{} belongs in the study", in_quotes(key)),
                   "remove it, or write all keys here instead of \"study\"");
    return head;
  }

  void read_study(const std::string& path, detail::RequirementHead& head) {
    if (std::error_code ignored; !fs::exists(path, ignored))
      return;  // reported
    try {
      head.request = read_request(path, options_);
      head.grid = {true, true, head.request.momentum, head.request.angle};
    } catch (const InputError& error) {
      diagnostics_.add(error.diagnostics());
    }
  }

  void read_baseline(MapReader& map, detail::RequirementHead& head) {
    auto value = map.find("baseline");
    if (!baseline_.empty()) {
      const auto source = std::make_shared<Source>("--baseline", baseline_,
                                                   Source::Kind::option);
      value.emplace(
          Node::make_scalar({source, 0, baseline_.size()}, baseline_, true), "",
          diagnostics_);
    }
    if (!value) return;
    head.has_baseline = true;
    const auto name = value->text("the path of a baseline file");
    if (!name) return;
    if (baseline_.empty()) require_file_key(value->path());
    file_.baseline_file =
        baseline_.empty() ? detail::beside(path_, *name) : baseline_;
    std::error_code ignored;
    if (!fs::exists(file_.baseline_file, ignored)) {
      const std::string near = suggest_file(file_.baseline_file);
      value->error(
          fmt::format("no such file: {}", in_quotes(file_.baseline_file)),
          near.empty() ? "write it with 'gttf-design baseline'" : near);
      return;
    }
    file_.baseline = load_(file_.baseline_file, *value, file_.baseline_sha256);
    if (!file_.baseline) return;  // reported
    const StudyRequest& theirs = file_.baseline->request;
    if (const auto key = other_in_baseline(head.request, theirs); !key.empty())
      value->error(
          fmt::format("the baseline was made with another {}", in_quotes(key)),
          "regenerate it, or set the same here");
    if (!head.grid.has_momentum && !head.grid.has_angle)
      head.grid = {true, true, theirs.momentum, theirs.angle};
  }

  void read_list(const Value& list, const detail::RequirementHead& head) {
    if (!list.is_list()) {
      list.expected("a list of requirements",
                    "begin each with \"- \" on a line of its own");
      return;
    }
    if (list.items().empty())
      list.error("there are no requirements", "add at least one");
    for (const Value& entry : list.items())
      for (Criterion& criterion : detail::read_criteria(entry, head)) {
        check_name(entry, criterion);
        file_.criteria.push_back(std::move(criterion));
      }
  }

  /// Names identify requirements in reports.
  void check_name(const Value& entry, const Criterion& criterion) {
    const auto [first, is_new] =
        line_of_name_.emplace(criterion.name, criterion.place.line);
    if (!is_new)
      entry.error(
          fmt::format("the name {} is already used by the requirement in line "
                      "{}",
                      in_quotes(criterion.name), first->second),
          "add a unique \"name\"");
  }

  const std::string& path_;
  const StudyOptions& options_;
  const std::string& baseline_;
  const BaselineLoader& load_;
  Diagnostics& diagnostics_;
  RequirementFile file_;
  std::unordered_map<std::string, int> line_of_name_;
};

}  // namespace

RequirementFile read_requirements(const std::string& path,
                                  const StudyOptions& options,
                                  const std::string& baseline,
                                  const BaselineLoader& load) {
  Diagnostics diagnostics;
  const SourcePtr source = read_source(path, diagnostics, "requirements");
  std::optional<Node> root;
  if (source) root = parse_yaml(source, "gttf-requirements: 1", diagnostics);
  if (!root) throw InputError(std::move(diagnostics));
  RequirementFile file =
      Reader(path, options, baseline, load, diagnostics).read(*root);
  if (diagnostics.has_errors()) throw InputError(std::move(diagnostics));
  file.request.file = path;
  file.request.sha256 = sha256(source->text());
  return file;
}

}  // namespace gttf
