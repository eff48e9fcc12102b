// SPDX-License-Identifier: Apache-2.0
// Studies: what the verbs of the program do, with results for Python.
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "baseline_file.hpp"
#include "detector.hpp"
#include "gttf/config/quantity.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/fit/triplet/fit_kinds.hpp"
#include "gttf/study/check/check_view.hpp"
#include "gttf/study/hits/fit_study.hpp"
#include "gttf/study/optimise/optimisation_view.hpp"
#include "gttf/study/optimise/pareto_view.hpp"
#include "gttf/study/optimise/read_problem.hpp"
#include "gttf/study/scan/budget.hpp"
#include "gttf/study/scan/regimes.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan.hpp"
#include "gttf/study/scan/sensitivity.hpp"
#include "gttf/study/scan/what_if.hpp"
#include "gttf/study/toys/toy_study.hpp"
#include "gttf/study/toys/toy_table.hpp"
#include "interrupt.hpp"

namespace gttf::python {
namespace {

using Detectors = std::vector<DetectorPtr>;

Grouping grouping_of(const std::string& by, Grouping usual) {
  if (by.empty()) return usual;
  if (const auto grouping = find_grouping(by)) return *grouping;
  throw std::invalid_argument(
      "by: \"layer\", \"surface\" or \"group\", got \"" + by + '"');
}

/// Calls work(detector, point) for every track of the study.
template <class Work>
void for_each_track(const Study& study, const Work& work) {
  for (const Detector& detector : study.detectors)
    for (const GridPoint point : grid_points(study.request)) {
      stop_if_interrupted();
      work(detector, point);
    }
}

py::tuple budget(const StudyArguments& arguments, const std::string& by) {
  const Grouping grouping = grouping_of(by, Grouping::layer);
  Result result;
  {
    const py::gil_scoped_release release;
    const Study study = read_study(arguments);
    const StudyRequest& request = study.request;
    BudgetTable table;
    Document::List documents;
    for_each_track(study, [&](const Detector& detector, GridPoint point) {
      const Budget found =
          make_budget(TrackingGeometry(detector), grid_track(request, point),
                      model_of(request, detector));
      table.add(detector, request, point, found, grouping);
      documents.push_back(
          budget_document(detector, request, point, found, grouping));
      result.summary.sections.push_back(
          budget_section(detector, request, point, found, grouping, {}));
    });
    result.table = std::move(table).take();
    result.document = one_or_rows(std::move(documents));
  }
  return tuple_of(std::move(result));
}

py::tuple sensitivity(const StudyArguments& arguments, const std::string& by,
                      const std::vector<std::string>& limits, bool drop) {
  const Grouping grouping = grouping_of(by, Grouping::large);
  Result result;
  Table headroom, lost;
  {
    const py::gil_scoped_release release;
    const Study study = read_study(arguments);
    const StudyRequest& request = study.request;
    std::vector<Requirement> requirements;
    for (const std::string& text : limits)
      requirements.push_back(
          parse_requirement("limits", text, request.at.has_value()));
    SensitivityTable table;
    for_each_track(study, [&](const Detector& detector, GridPoint point) {
      const WhatIf what{detector, request, point, grouping};
      const Sensitivities list = make_sensitivities(TrackingGeometry(detector),
                                                    what.track(), what.model());
      table.add(detector, request, point,
                sensitivity_rows(detector, list, grouping));
      for (Section& section :
           sensitivity_sections(detector, request, point, list, grouping, {}))
        result.summary.sections.push_back(std::move(section));
      if (list.exists() && !requirements.empty())
        append_rows(headroom, headroom_table(what, requirements));
      if (list.exists() && drop) append_rows(lost, lost_layer_table(what));
    });
    result.table = std::move(table).take();
    result.document = rows_of(result.table);
  }
  return tuple_of(std::move(result)) +
         py::make_tuple(columns_of(std::move(headroom)),
                        columns_of(std::move(lost)));
}

py::tuple regimes(const StudyArguments& arguments, bool triplets,
                  unsigned threads) {
  Result result;
  {
    const py::gil_scoped_release release;
    const Study study = read_study(arguments);
    const StudyRequest& request = study.request;
    RegimeTable of_tracks;
    TripletTable of_triplets;
    Document::List documents;
    RegimeOptions how;
    how.threads = threads;
    for (const Detector& detector : study.detectors)
      find_regimes(request, detector, how,
                   [&](GridPoint point, const TrackRegime& regime) {
                     if (triplets)
                       of_triplets.add(detector, request, point, regime);
                     else
                       of_tracks.add(detector, request, point, regime);
                     documents.push_back(
                         regime_document(detector, request, point, regime));
                     for (Section& section :
                          regime_sections(detector, request, point, regime))
                       result.summary.sections.push_back(std::move(section));
                   });
    result.table =
        triplets ? std::move(of_triplets).take() : std::move(of_tracks).take();
    result.document = one_or_rows(std::move(documents));
  }
  return tuple_of(std::move(result));
}

py::tuple toy(const StudyArguments& arguments, unsigned threads) {
  Result result;
  {
    const py::gil_scoped_release release;
    const Study study = read_study(arguments);
    ToyState state = plan_toys(study.request, study.detectors, {});
    ToyRunOptions how;
    how.threads = threads;
    how.progress = [](std::size_t, std::size_t) { stop_if_interrupted(); };
    run_toys(study.request, study.detectors, how, state);
    result = {toy_table(state), toy_results(state), toy_summary(state)};
  }
  return tuple_of(std::move(result));
}

FitStudyOptions fit_options(const std::string& kind, const std::string& weights,
                            bool keep_order, const std::string& max_distance,
                            unsigned threads) {
  FitStudyOptions options;
  const auto fits = detail::described_fits();
  const auto fit = std::ranges::find(fits, kind, &detail::DescribedFit::name);
  if (fit == fits.end())
    throw std::invalid_argument("kind: no fit \"" + kind + '"');
  options.kind = fit->kind;
  options.fit_name = kind;
  constexpr WeightSource sources[] = {
      WeightSource::estimate, WeightSource::local, WeightSource::update};
  const auto* source = std::ranges::find(
      sources, weights, [](WeightSource s) { return to_string(s); });
  if (source == std::end(sources))
    throw std::invalid_argument(
        "weights: \"estimate\", \"local\" or \"update\", got \"" + weights +
        '"');
  options.fit.weights = *source;
  options.hits.order = keep_order ? HitOrder::as_given : HitOrder::along_track;
  const auto distance = parse_quantity(max_distance, Dimension::length);
  if (!distance || !(distance.value > 0))
    throw std::invalid_argument("max_distance: a positive length, got \"" +
                                max_distance + '"');
  options.hits.max_distance = distance.value;
  options.threads = thread_count(threads);
  return options;
}

py::tuple fit(const DetectorPtr& held, const std::string& path,
              const Texts& texts, const std::string& kind,
              const std::string& weights, int iterations, bool keep_order,
              bool unsorted, bool skip_bad_rows,
              const std::string& max_distance, bool with_residuals,
              unsigned threads) {
  const Detector& detector = held->detector();
  FitStudyOptions options =
      fit_options(kind, weights, keep_order, max_distance, threads);
  options.fit.relinearisations = iterations;
  options.progress = [](std::size_t) { stop_if_interrupted(); };
  KeptRows tracks, residuals;
  std::vector<Diagnostic> messages;
  {
    const py::gil_scoped_release release;
    const StudyRequest request =
        with_model_of(read_fit_request(options_of(texts)), detector);
    if (!request.momentum.values.empty())
      options.hits.momentum = request.momentum.values[0];
    if (lacks_momentum(options, request, detector))
      throw std::invalid_argument(
          "the detector has no field, so the momentum is not measured: "
          "give p for the scattering, or scattering=\"off\"");
    HitFile file(path, detector,
                 {skip_bad_rows ? BadRows::skip : BadRows::stop,
                  unsorted ? TrackOrder::any : TrackOrder::contiguous,
                  options.threads, false});
    fit_tracks(detector, request, file, options, tracks,
               with_residuals ? &residuals : nullptr);
    messages = file.messages().items();
  }
  return py::make_tuple(columns_of(std::move(tracks.rows)),
                        columns_of(std::move(residuals.rows)), messages);
}

py::tuple check_requirements(const std::string& path, const Detectors& given,
                             const std::string& baseline,
                             const std::vector<std::string>& overrides,
                             unsigned threads) {
  Result result;
  bool passed = false;
  {
    const py::gil_scoped_release release;
    StudyOptions options;
    for (const DetectorPtr& d : given)
      options.detectors.push_back(d->detector().file);
    RequirementFile file =
        read_requirements(path, options, baseline, app::load_baseline);
    const auto inputs = inputs_of(file.request, given, overrides);
    std::vector<Detector> detectors;
    for (const DetectorInput& input : inputs)
      detectors.push_back(input.detector);
    const CheckOutcome outcome =
        check(file, detectors, Engine::streaming, threads);
    const CheckStory story = make_story(file, inputs, outcome);
    result.table = check_table(story, CheckDetail::all);
    result.document = check_document(story, CheckDetail::worst);
    result.summary = check_summary(story, CheckDetail::worst);
    passed = outcome.passed();
  }
  return tuple_of(std::move(result)) + py::make_tuple(passed);
}

py::tuple optimise_study(const std::string& path,
                         const std::vector<std::string>& overrides,
                         std::size_t starts, std::optional<std::uint64_t> seed,
                         bool local, unsigned threads) {
  Result shown;
  Table front;
  bool found = false;
  std::atomic<bool> interrupted = false;
  std::string description;
  {
    const py::gil_scoped_release release;
    Diagnostics warnings;
    OptimisationProblem problem =
        read_problem(path, overrides, app::load_baseline, warnings);
    warn(warnings);
    if (starts > 0) {
      problem.starts = starts;
      problem.solves_all_starts = true;
    }
    if (seed) problem.seed = *seed;
    SearchOptions options;
    options.local = local;
    options.threads = threads;
    // called by any thread; signals are handled by the main one
    options.progress = [&](const SearchProgress&) {
      const py::gil_scoped_acquire acquire;
      if (PyErr_CheckSignals() != 0) interrupted = true;
    };
    options.keep_on = [&] { return !interrupted; };
    const OptimisationResults results = optimise(problem, options);
    const SearchResult& search = results.search;
    found = search.found;
    if (search.best.result.exists) shown.table = optimisation_table(search);
    description = results.design.text;
    for (const Diagnostics* of_design :
         {&results.design.errors, &results.design.warnings,
          &results.design.lost})
      warn(*of_design);
    shown.document = optimisation_document(results, 0);
    shown.summary = optimisation_summary(results);
    if (results.front) front = pareto_table(*results.front);
  }
  if (interrupted) throw py::error_already_set();
  return tuple_of(std::move(shown)) +
         py::make_tuple(found, description, columns_of(std::move(front)));
}

}  // namespace

void bind_studies(py::module_& m) {
  m.def("budget", &budget);
  m.def("sensitivity", &sensitivity);
  m.def("regimes", &regimes);
  m.def("toy", &toy);
  m.def("fit", &fit);
  m.def("check", &check_requirements);
  m.def("optimise", &optimise_study);
}

}  // namespace gttf::python
