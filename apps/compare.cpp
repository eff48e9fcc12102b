// SPDX-License-Identifier: Apache-2.0
// compare: resolutions of designs, and the causes of the differences.
#include "gttf/study/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <cassert>
#include "command_line.hpp"
#include "computation.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/readable.hpp"
#include "gttf/study/compare/attribution.hpp"
#include "gttf/study/scan/average.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/show/track_view.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

/// The columns of `names`, in that order.
Table chosen(const Table& table, const std::vector<std::string>& names) {
  Table result;
  for (const std::string& name : names) {
    const Column* column = table.find(name);
    assert(column != nullptr);
    if (result.find(name) == nullptr) result.columns.push_back(*column);
  }
  return result;
}

class Comparer {
 public:
  explicit Comparer(const Options& options) : options_(options) {}

  int run(const Call& call) {
    check_formats(options_);
    computation_ = {engine_of(options_), options_.threads, {}};
    read();
    const std::vector<std::string> columns = columns_asked();
    parameter_chosen_ = parameter_of(options_, at_layer());
    for (const Detector& detector : detectors_)
      model_of(request_, detector, computation_.engine);
    Outputs outputs(options_, provenance_of(call, &request_, detectors_));
    if (options_.attribution && !outputs.any_of_rows())
      throw UsageError(
          "--attribution is for csv and npz: add --format csv or -o FILE.csv");

    const Comparison comparison = compare(request_, detectors_, computation_);
    Result result;
    if (options_.attribution && request_.average)
      throw UsageError("--attribution is of single tracks, not of averages");
    const bool all_points = (outputs.any(Format::json) && !request_.average) ||
                            options_.attribution;
    const std::vector<AttributedPoint> attributed =
        all_points ? attribute_grid(request_at_, designs_, computation_)
                   : std::vector<AttributedPoint>{};
    if (options_.attribution)
      result.table = attribution_table(attributed);
    else
      result.table = columns.empty() ? comparison.table
                                     : chosen(comparison.table,
                                              columns_of(comparison, columns));
    if (outputs.any(Format::json))
      result.document = document(comparison, columns, attributed);
    result.summary =
        summary(comparison, columns.empty() ? usual_columns() : columns);
    outputs.write(result);
    outputs.commit();
    return code(comparison);
  }

 private:
  std::vector<std::string> columns_asked() const {
    if (!request_.average || options_.columns.empty())
      return columns_of(options_, at_layer());
    return parse_names("--columns", options_.columns,
                       average_column_names(request_));
  }

  /// Changes are read like --set; errors name the option that they came from.
  Diagnostics with_changes_named(const Diagnostics& errors) const {
    Diagnostics named;
    for (Diagnostic error : errors.items()) {
      if (error.file == "--set" &&
          std::ranges::count(options_.changes, error.source_line))
        error.file = "--change";
      named.add(std::move(error));
    }
    return named;
  }

  void read() {
    asked_ = sort_arguments(options_);
    if (!options_.study_file.empty()) {
      if (!asked_.file.empty())
        throw UsageError(
            "one study at a time, got " +
            joined(std::vector<std::string>{asked_.file, options_.study_file}));
      asked_.file = options_.study_file;
    }
    request_ = read_request(asked_.file, asked_.options);
    check_held(request_, "compare");
    designs_ = load_inputs(request_, options_.overrides, options_.quiet);
    if (!options_.changes.empty()) {
      const DetectorInput& first = designs_.front();
      std::vector<std::string> all = options_.overrides;
      all.insert(all.end(), options_.changes.begin(), options_.changes.end());
      try {
        designs_.push_back(
            parse_detector(first.text, first.detector.file, all));
      } catch (const InputError& error) {
        throw InputError(with_changes_named(error.diagnostics()));
      }
    }
    if (designs_.size() < 2)
      throw UsageError(
          "nothing to compare: give a second detector, or --change "
          "KEY=VALUE");
    if (designs_.size() > max_designs)
      throw UsageError("more than " + std::to_string(max_designs) +
                       " detectors");
    for (const DetectorInput& design : designs_)
      detectors_.push_back(design.detector);
    request_at_ = options_.at_point.empty() ? request_ : read_point();
  }

  /// The request for the one track of --at-point.
  StudyRequest read_point() const {
    StudyOptions options = asked_.options;
    const std::size_t comma = options_.at_point.find(',');
    const bool by_pt = request_.momentum.variable == MomentumAxis::Variable::pt;
    options.p = options.pt = std::nullopt;
    (by_pt ? options.pt : options.p) = options_.at_point.substr(0, comma);
    if (comma != options_.at_point.npos) {
      const bool by_eta = request_.angle.variable == AngleAxis::Variable::eta;
      options.theta = options.eta = std::nullopt;
      (by_eta ? options.eta : options.theta) =
          options_.at_point.substr(comma + 1);
    }
    return read_request(asked_.file, options, true);
  }

  /// "ALICE ITS2 (detectors/alice_its2.yaml)".
  std::string name_of(std::size_t design) const {
    const Detector& detector = detectors_[design];
    std::string text = detector.name + " (" + detector.file + ')';
    if (!options_.changes.empty() && design + 1 == designs_.size())
      for (const std::string& change : options_.changes)
        text +=
            (&change == &options_.changes.front() ? " with " : ", ") + change;
    return text;
  }

  bool at_layer() const { return request_.at.has_value(); }

  std::vector<std::string> usual_columns() const {
    std::vector<std::string> columns;
    if (request_.average) columns.emplace_back("efficiency");
    if (parameter_chosen_)
      columns.emplace_back(sigma_column(*parameter_chosen_, at_layer()));
    else if (at_layer())
      columns.insert(columns.end(),
                     {"sigma_p_at_rel", "sigma_u_at_um", "sigma_v_at_um"});
    else if (along_beam(request_, detectors_))
      columns.insert(columns.end(),
                     {"sigma_p_rel", "sigma_x_um", "sigma_y_um"});
    else
      columns.insert(columns.end(),
                     {"sigma_pt_rel", "sigma_d0_um", "sigma_z0_um"});
    return columns;
  }

  std::span<const Parameter> parameters_to_explain() const {
    if (parameter_chosen_) return {&*parameter_chosen_, 1};
    return compared_parameters(along_beam(request_at_, detectors_), at_layer());
  }

  bool is_wanted(Parameter q) const {
    return !parameter_chosen_ || *parameter_chosen_ == q;
  }

  Table attribution_table(const std::vector<AttributedPoint>& points) const {
    AttributionTable table;
    for (const AttributedPoint& item : points)
      for (const Parameter q : parameters_of(at_layer()))
        if (is_wanted(q) &&
            !std::isnan(item.of[static_cast<std::size_t>(q)].total))
          table.add(detectors_[item.design], request_at_, item.point,
                    design_label(item.design), q,
                    item.of[static_cast<std::size_t>(q)]);
    return std::move(table).take();
  }

  Document document(const Comparison& comparison,
                    const std::vector<std::string>& columns,
                    const std::vector<AttributedPoint>& points) const {
    Document::List designs, attributions;
    for (std::size_t d = 0; d < detectors_.size(); ++d)
      designs.push_back(Document()
                            .set("label", design_label(d))
                            .set("name", detectors_[d].name)
                            .set("file", detectors_[d].file)
                            .set("sha256", detectors_[d].sha256));
    for (const AttributedPoint& item : points) {
      const Track track = grid_track(request_at_, item.point);
      Document::List of;
      for (const Parameter q : parameters_of(at_layer()))
        if (is_wanted(q))
          of.push_back(attribution_document(
              q, item.of[static_cast<std::size_t>(q)], at_layer()));
      attributions.push_back(Document()
                                 .set("design", design_label(item.design))
                                 .set("p_GeV", track.p)
                                 .set("theta_deg", in_degrees(track.theta))
                                 .set("parameters", std::move(of)));
    }
    return Document()
        .set("designs", std::move(designs))
        .set("rows",
             rows_of(columns.empty() ? comparison.table
                                     : chosen(comparison.table,
                                              columns_of(comparison, columns))))
        .set("attribution", std::move(attributions));
  }

  Summary summary(const Comparison& comparison,
                  std::vector<std::string> columns) const {
    Summary summary;
    summary.title = particle_text(request_.particle);
    if (!request_.average || !request_.average->phi)
      summary.title +=
          ", phi = " + readable(in_degrees(request_.phi), 6) + " deg";
    summary.title += start_text(request_.vertex);
    if (request_.average)
      summary.title += ", averages over " + to_string(*request_.average);
    Section legend;
    for (std::size_t d = 0; d < detectors_.size(); ++d)
      legend.facts.emplace_back(design_label(d), name_of(d));
    summary.sections.push_back(std::move(legend));
    if (!comparison.all_ok() &&
        std::ranges::find(columns, "status") == columns.end())
      columns.emplace_back("status");
    summary.sections.push_back(
        {"Resolutions",
         {},
         chosen(comparison.table,
                columns_for_reading(comparison, request_, columns))});
    // the cause of a changed average is not in a single track
    if (!request_.average)
      for (std::size_t d = 1; d < detectors_.size(); ++d)
        add_attribution(comparison, d, summary);
    return summary;
  }

  void add_attribution(const Comparison& comparison, std::size_t design,
                       Summary& summary) const {
    const std::string pair =
        design_label(design) + " against " + design_label(0);
    const Detector &first = detectors_.front(), &own = detectors_[design];
    if (differing_keys(first, own).empty()) {
      summary.sections.push_back(
          {pair,
           {{"no difference",
             "the descriptions agree in everything the fit depends on"}},
           {}});
      return;
    }
    std::optional<WorstPoint> at;
    if (options_.at_point.empty()) {
      at = worst_point(comparison, request_, design, parameters_to_explain());
    } else {
      const Comparison there = compare(request_at_, detectors_, computation_);
      at = worst_point(there, request_at_, design, parameters_to_explain());
    }
    if (!at) {
      summary.sections.push_back(
          {pair, {{"no attribution", "no track is measured by both"}}, {}});
      return;
    }
    const Track track = grid_track(request_at_, at->point);
    const Attribution a = attribute(
        first, own, track, models_of(request_, first, computation_.engine),
        at->parameter);
    summary.sections.push_back(
        attribution_section(pair +
                                (options_.at_point.empty()
                                     ? at->ratio > 1 ? ", where it is worst: "
                                                     : ", where it gains most: "
                                     : ": ") +
                                track_text(request_, track),
                            at->parameter, a, at_layer()));
  }

  int code(const Comparison& comparison) const {
    std::size_t evaluated = 0;
    for (const std::size_t n : comparison.evaluated) evaluated += n;
    const std::string& status =
        std::get<Texts>(comparison.table.find("A_status")->cells).front();
    return code_of(evaluated, status, options_.quiet);
  }

  const Options& options_;
  std::optional<Parameter> parameter_chosen_;
  ScanOptions computation_;
  SortedArguments asked_;
  StudyRequest request_, request_at_;
  std::vector<DetectorInput> designs_;
  std::vector<Detector> detectors_;  ///< of the designs
};

int run_compare(const Call& call) { return Comparer(call.options).run(call); }

}  // namespace

const Verb compare_verb{
    "compare",
    of::compare,
    "Compare the resolutions of designs and attribute the differences to keys",
    "A is the first detector, B the second; B ratio is B/A. --set changes all "
    "of\n"
    "them. json has the resolutions and the attribution of every point, or of\n"
    "--at-point.",
    "compare detectors/alice_its2.yaml detectors/alice_its3.yaml --p "
    "0.2GeV,1GeV,10GeV\n"
    "compare old.yaml new.yaml --study grid.yaml --parameter d0\n"
    "compare detectors/barrel.yaml --p 1GeV --change 'field.solenoid=3 T'",
    run_compare};

}  // namespace gttf::app
