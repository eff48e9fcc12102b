// SPDX-License-Identifier: Apache-2.0
// sensitivity: effect of changes of the detector on the errors of a track.
#include "gttf/study/scan/sensitivity.hpp"

#include <cstdio>
#include <optional>
#include <utility>

#include "computation.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/scan/what_if.hpp"
#include "gttf/study/show/track_view.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

/// The columns of a point are given in the heading of its section.
Table without_point(Table table) {
  constexpr std::ptrdiff_t point_columns = 7;
  table.columns.erase(table.columns.begin(),
                      table.columns.begin() + point_columns);
  return table;
}

/// Columns of the table of lost layers for the terminal.
Table ratios_only(const WhatIf& what, const Table& table) {
  std::vector<std::string> names{"case", "layer", "n_hits", "probability"};
  for (const Parameter q :
       shown_parameters(what.request, what.detector, what.point))
    names.push_back(
        "ratio_" + std::string(parameter_name(q, what.request.at.has_value())));
  names.emplace_back("status");
  Table short_table;
  for (const std::string& name : names)
    short_table.columns.push_back(*table.find(name));
  return short_table;
}

Document head(const WhatIf& what, const Sensitivities& list) {
  const Document track =
      track_document(what.detector, what.request, what.point, list.resolution);
  return Document()
      .set("input", *track.find("input"))
      .set("resolution", *track.find("resolution"));
}

int run_sensitivity(const Call& call) {
  const Options& options = call.options;
  check_formats(options);
  const Grouping grouping = grouping_of(options, Grouping::large);
  const Study study = read_study_of_layers(options, "vary");
  const StudyRequest& request = study.request;
  const bool at_layer = request.at.has_value();
  const auto parameter = parameter_of(options, at_layer);
  std::vector<Requirement> requirements;
  for (const std::string& text : options.limits)
    requirements.push_back(parse_requirement("--limit", text, at_layer));
  Outputs outputs(options, provenance_of(call, &request, study.detectors));
  Result result;
  Document::List documents;
  std::size_t evaluated = 0;
  std::string status;
  study.for_each([&](const Detector& detector, GridPoint point) {
    const WhatIf what{detector, request, point, grouping};
    const Sensitivities list = make_sensitivities(TrackingGeometry(detector),
                                                  what.track(), what.model());
    evaluated += list.exists();
    if (!list.exists()) status = missing_text(list.resolution);
    Document document = head(what, list);
    std::vector<Section> sections = sensitivity_sections(
        detector, request, point, list, grouping, parameter);
    SensitivityTable derivatives;
    derivatives.add(detector, request, point,
                    sensitivity_rows(detector, list, grouping));
    Table table = std::move(derivatives).take();
    document.set("sensitivity", rows_of(without_point(table)));
    if (list.exists() && (!requirements.empty() || options.drop))
      sections.resize(1);
    if (list.exists() && !requirements.empty()) {
      table = headroom_table(what, requirements);
      document.set("headroom", rows_of(without_point(table)));
      for (Section& section : headroom_sections(table))
        sections.push_back(std::move(section));
    }
    if (list.exists() && options.drop) {
      table = lost_layer_table(what);
      document.set("lost_layers", rows_of(without_point(table)));
      sections.push_back(
          {"Errors relative to all layers", {}, ratios_only(what, table)});
    }
    if (list.exists()) append_rows(result.table, std::move(table));
    documents.push_back(std::move(document));
    for (Section& section : sections)
      result.summary.sections.push_back(std::move(section));
  });
  result.document = one_or_rows(std::move(documents));
  outputs.write(result);
  outputs.commit();
  return code_of(evaluated, status, options.quiet);
}

}  // namespace

const Verb sensitivity_verb{
    "sensitivity",
    of::sensitivity,
    "Print the effect of a change of each layer on the errors",
    "Without --limit and --drop: derivatives, the change of sigma in % for 1 % "
    "more\n"
    "of each number. csv has one table: the lost layers with --drop, else the\n"
    "headroom with --limit, else the derivatives.",
    "sensitivity detectors/alice_its2.yaml --p 1GeV --parameter d0\n"
    "sensitivity detectors/cld.yaml --p 10GeV --limit 'sigma_pt_rel=0.2 %'\n"
    "sensitivity detectors/barrel.yaml --p 1GeV --drop --set "
    "'layers[*].efficiency=0.98'",
    run_sensitivity};

}  // namespace gttf::app
