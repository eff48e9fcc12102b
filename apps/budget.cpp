// SPDX-License-Identifier: Apache-2.0
// budget: what each layer contributes to the errors of a track.
#include "gttf/study/scan/budget.hpp"

#include <optional>
#include <string>
#include <utility>

#include "computation.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

int run_budget(const Call& call) {
  const Options& options = call.options;
  check_formats(options);
  const Grouping grouping = grouping_of(options, Grouping::layer);
  const Study study = read_study_of_layers(options, "explain");
  const StudyRequest& request = study.request;
  const auto parameter = parameter_of(options, request.at.has_value());
  Outputs outputs(options, provenance_of(call, &request, study.detectors));
  BudgetTable table;
  Document::List documents;
  Result result;
  std::size_t evaluated = 0;
  std::string status;
  study.for_each([&](const Detector& detector, GridPoint point) {
    const Budget budget =
        make_budget(TrackingGeometry(detector), grid_track(request, point),
                    model_of(request, detector));
    evaluated += budget.exists();
    if (!budget.exists()) status = missing_text(budget.resolution);
    table.add(detector, request, point, budget, grouping);
    documents.push_back(
        budget_document(detector, request, point, budget, grouping));
    result.summary.sections.push_back(
        budget_section(detector, request, point, budget, grouping, parameter));
  });
  result.table = std::move(table).take();
  result.document = one_or_rows(std::move(documents));
  outputs.write(result);
  outputs.commit();
  return code_of(evaluated, status, options.quiet);
}

}  // namespace

const Verb budget_verb{
    "budget",
    of::budget,
    "Print the share of every layer's scattering and hit errors",
    "Shares are of the variance: reducing one error's variance by 10 % "
    "reduces\n"
    "sigma^2 by 10 % of its share. csv and json have all parameters.",
    "budget detectors/alice_its2.yaml --p 1GeV --theta 90deg\n"
    "budget detectors/cld.yaml --pt 10GeV --eta 0.5 --parameter d0\n"
    "budget configs/barrel.yaml --by group -o budget.csv",
    run_budget};

}  // namespace gttf::app
