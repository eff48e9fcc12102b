// SPDX-License-Identifier: Apache-2.0
// sensitivity: what a change of the detector would do to the errors of a track.
#include "gttf/study/scan/sensitivity.hpp"

#include <cstdio>
#include <optional>
#include <utility>

#include "detector_grid.hpp"
#include "gttf/study/scan/parameter_columns.hpp"
#include "gttf/study/scan/resolution_table.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan_table.hpp"
#include "gttf/study/scan/what_if.hpp"
#include "gttf/study/show/track_view.hpp"
#include "outputs.hpp"
#include "parse.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

/// The columns of a point are told by the heading of its section.
Table without_point(Table table) {
  constexpr std::ptrdiff_t point_columns = 7;
  table.columns.erase(table.columns.begin(),
                      table.columns.begin() + point_columns);
  return table;
}

/// What people read of the table of lost layers.
Table ratios_only(const WhatIf& what, const Table& table) {
  std::vector<std::string> names{"case", "layer", "n_hits", "probability"};
  for (const Parameter q :
       shown_parameters(along_beam(what.detector, what.track())))
    names.push_back("ratio_" + std::string(to_string(q)));
  names.emplace_back("status");
  Table short_table;
  for (const std::string& name : names)
    short_table.columns.push_back(*table.find(name));
  return short_table;
}

class SensitivityVerb : public Verb {
 public:
  SensitivityVerb()
      : Verb("sensitivity",
             "What a change of each layer would do to the errors") {
    constexpr auto group = "Sensitivity";
    grid_.declare(command());
    declare_grouping(command(), by_, group);
    declare_parameter(command(), parameter_, group);
    command()
        .add_option("--limit", limits_,
                    "Headroom: how bad each layer may get if 'sigma_d0=30 um' "
                    "is to hold; repeatable")
        ->type_name("REQUIREMENT")
        ->allow_extra_args(false)
        ->group(group);
    command()
        .add_flag("--drop", drop_,
                  "Resolution without each layer, and averaged over the hit "
                  "efficiencies")
        ->group(group);
    output_.declare(command(), false);
    command().footer(
        "\nWithout --limit and --drop: derivatives, the change of sigma in % "
        "for 1 % more\nof each number. csv has one table: the lost layers with "
        "--drop, else the\nheadroom with --limit, else the derivatives.\n"
        "\nExamples:\n"
        "  gttf-design sensitivity detectors/alice_its2.yaml --p 1GeV "
        "--parameter d0\n"
        "  gttf-design sensitivity detectors/cld.yaml --p 10GeV "
        "--limit 'sigma_pt_rel=0.2 %'\n"
        "  gttf-design sensitivity detectors/barrel.yaml --p 1GeV --drop "
        "--set 'layers[*].efficiency=0.98'");
  }

  int run(const Call& call) override {
    check_formats(output_);
    const Grouping grouping = parse_grouping(by_);
    const auto parameter = parse_parameter(parameter_);
    std::vector<Requirement> requirements;
    for (const std::string& text : limits_)
      requirements.push_back(parse_requirement("--limit", text));
    grid_.read(output_.quiet);
    const StudyRequest& request = grid_.request();
    Outputs outputs(output_, provenance_of(call.arguments, output_, &request,
                                           grid_.detectors()));
    Result result;
    Document::List documents;
    std::size_t evaluated = 0;
    Status status = Status::ok;
    grid_.for_each([&](const Detector& detector, GridPoint point) {
      const WhatIf what{detector, request, point, grouping};
      const Sensitivities list = make_sensitivities(TrackingGeometry(detector),
                                                    what.track(), what.model());
      evaluated += list.exists();
      if (!list.exists()) status = list.resolution.status;
      Document document = head(what, list);
      std::vector<Section> sections = sensitivity_sections(
          detector, request, point, list, grouping, parameter);
      SensitivityTable derivatives;
      derivatives.add(detector, request, point,
                      sensitivity_rows(detector, list, grouping));
      Table table = std::move(derivatives).take();
      document.set("sensitivity", rows_of(without_point(table)));
      if (list.exists() && (!requirements.empty() || drop_)) sections.resize(1);
      if (list.exists() && !requirements.empty()) {
        table = headroom_table(what, requirements);
        document.set("headroom", rows_of(without_point(table)));
        sections.push_back({"Headroom", {}, without_point(table)});
      }
      if (list.exists() && drop_) {
        table = lost_layer_table(what);
        document.set("lost_layers", rows_of(without_point(table)));
        sections.push_back({"Errors relative to those with all layers",
                            {},
                            ratios_only(what, table)});
      }
      if (list.exists()) append_rows(result.table, std::move(table));
      documents.push_back(std::move(document));
      for (Section& section : sections)
        result.summary.sections.push_back(std::move(section));
    });
    result.document = one_or_rows(std::move(documents));
    outputs.write(result);
    outputs.commit();
    return code_of(evaluated, status, output_.quiet);
  }

 private:
  static Document head(const WhatIf& what, const Sensitivities& list) {
    const Document track = track_document(what.detector, what.request,
                                          what.point, list.resolution);
    return Document()
        .set("input", *track.find("input"))
        .set("resolution", *track.find("resolution"));
  }

  DetectorGrid grid_;
  std::string by_, parameter_;
  std::vector<std::string> limits_;
  bool drop_ = false;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Verb> make_sensitivity_verb() {
  return std::make_unique<SensitivityVerb>();
}

}  // namespace gttf::app
