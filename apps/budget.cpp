// SPDX-License-Identifier: Apache-2.0
// budget: what each layer contributes to the errors of a track.
#include "gttf/study/scan/budget.hpp"

#include <optional>
#include <utility>

#include "detector_grid.hpp"
#include "outputs.hpp"
#include "parse.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

class BudgetVerb : public Verb {
 public:
  BudgetVerb()
      : Verb("budget", "Share of every layer's scattering and hit errors") {
    grid_.declare(command());
    declare_grouping(command(), by_, "Budget");
    declare_parameter(command(), parameter_, "Budget");
    output_.declare(command(), false);
    command().footer(
        "\nShares are of the variance: sigma^2 falls by a tenth of the share "
        "if that\nerror's variance does. csv and json have all parameters.\n"
        "\nExamples:\n"
        "  gttf-design budget detectors/alice_its2.yaml --p 1GeV "
        "--theta 90deg\n"
        "  gttf-design budget detectors/cld.yaml --pt 10GeV --eta 0.5 "
        "--parameter d0\n"
        "  gttf-design budget configs/barrel.yaml --by group -o budget.csv");
  }

  int run(const Call& call) override {
    check_formats(output_);
    const Grouping grouping = parse_grouping(by_);
    const std::optional<Parameter> parameter = parse_parameter(parameter_);
    grid_.read(output_.quiet);
    Outputs outputs(output_,
                    provenance_of(call.arguments, output_, &grid_.request(),
                                  grid_.detectors()));
    BudgetTable table;
    Document::List documents;
    Result result;
    std::size_t evaluated = 0;
    Status status = Status::ok;
    const StudyRequest& request = grid_.request();
    grid_.for_each([&](const Detector& detector, GridPoint point) {
      const Budget budget =
          make_budget(TrackingGeometry(detector), grid_track(request, point),
                      model_of(request, detector));
      evaluated += budget.exists();
      if (!budget.exists()) status = budget.resolution.status;
      table.add(detector, request, point, budget, grouping);
      documents.push_back(
          budget_document(detector, request, point, budget, grouping));
      result.summary.sections.push_back(budget_section(
          detector, request, point, budget, grouping, parameter));
    });
    result.table = std::move(table).take();
    result.document = one_or_rows(std::move(documents));
    outputs.write(result);
    outputs.commit();
    return code_of(evaluated, status, output_.quiet);
  }

 private:
  DetectorGrid grid_;
  std::string by_, parameter_;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Verb> make_budget_verb() {
  return std::make_unique<BudgetVerb>();
}

}  // namespace gttf::app
