// SPDX-License-Identifier: Apache-2.0
// validate: checks files and reports all errors.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/study/check/requirement_file.hpp"
#include "gttf/study/optimise/read_problem.hpp"
#include "gttf/study/request/read_designs.hpp"
#include "gttf/study/request/read_follow.hpp"
#include "gttf/study/scan/cracks.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/show/detector_view.hpp"
#include "gttf/study/sweep/swept_designs.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

std::string plural(std::size_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

struct Verdict {
  std::string file;
  std::string what;  // "detector, 8 layers, 7 measuring"
  Diagnostics diagnostics;

  bool good() const { return !diagnostics.has_errors(); }
  std::string text() const {
    return good() ? "good (" + what + ")"
                  : plural(diagnostics.count(Severity::error), "error");
  }
};

void add_all(Diagnostics& to, const Diagnostics& from) {
  for (const Diagnostic& d : from.items()) to.add(d);
}

// A file that refers to detectors is valid only if they are.
void check_detectors(StudyRequest request, Verdict& verdict) {
  try {
    for (const DetectorInput& input : read_designs(request, {})) {
      add_all(verdict.diagnostics, input.warnings);
      add_all(verdict.diagnostics, crack_warnings(request, input.detector));
      if (const auto follow = read_follow(request.file))
        SweptDesigns(request, follow, input);
    }
  } catch (const InputError& error) {
    add_all(verdict.diagnostics, error.diagnostics());
  }
}

void check_requirements(const std::string& file, Verdict& verdict) {
  const RequirementFile requirements =
      read_requirements(file, {}, "", load_baseline);
  check_detectors(requirements.request, verdict);
  verdict.what = "requirements, " +
                 plural(requirements.criteria.size(), "limit") + ", " +
                 plural(requirements.request.detectors.size(), "detector");
}

void check_study(const std::string& file, Verdict& verdict) {
  const StudyRequest request = read_request(file, {});
  check_detectors(request, verdict);
  std::string limits;
  if (!request.requirements.empty())
    limits =
        ", " +
        plural(requirements_for(request.requirements, request).criteria.size(),
               "limit");
  const std::size_t points =
      request.momentum.values.size() * request.angle.values.size();
  verdict.what = "study, " + plural(points, "point") + ", " +
                 plural(request.detectors.size(), "detector") +
                 (request.variants.empty()
                      ? ""
                      : ", " + plural(request.variants.size(), "variant")) +
                 limits;
}

void check_optimisation(const std::string& file, Verdict& verdict) {
  const OptimisationProblem problem =
      read_problem(file, {}, load_baseline, verdict.diagnostics);
  std::size_t limits = problem.limits.size();
  for (const RequirementFile& requirements : problem.requirements)
    limits += requirements.criteria.size();
  verdict.what = "optimisation, " +
                 plural(problem.space.variables.size(), "variable") + ", " +
                 plural(problem.choices.size(), "choice") + ", " +
                 plural(limits, "limit");
}

Verdict check(const std::string& file) {
  Verdict verdict;
  verdict.file = file == "-" ? "<stdin>" : file;
  try {
    switch (kind_of(file)) {
      case FileKind::study:
        check_study(file, verdict);
        break;
      case FileKind::requirements:
        check_requirements(file, verdict);
        break;
      case FileKind::optimisation:
        check_optimisation(file, verdict);
        break;
      case FileKind::empty:
      case FileKind::detector: {
        const DetectorInput input = read_detector(file);
        add_all(verdict.diagnostics, input.warnings);
        verdict.what = "detector, " + layer_count_text(input.detector);
        break;
      }
    }
  } catch (const InputError& error) {
    add_all(verdict.diagnostics, error.diagnostics());
  }
  return verdict;
}

// The errors as a table, one row each.
Table error_table(const std::vector<Verdict>& verdicts) {
  Texts file, severity, path, problem, suggestion;
  Integers line, column;
  for (const Verdict& verdict : verdicts) {
    for (const Diagnostic& d : verdict.diagnostics.items()) {
      file.push_back(d.file);
      line.push_back(d.line);
      column.push_back(d.column);
      severity.emplace_back(d.severity == Severity::error ? "error"
                                                          : "warning");
      path.push_back(d.path);
      problem.push_back(d.problem);
      suggestion.push_back(d.suggestion);
    }
  }
  Table table;
  table.add("file", std::move(file));
  table.add("line", std::move(line));
  table.add("column", std::move(column));
  table.add("severity", std::move(severity));
  table.add("path", std::move(path));
  table.add("problem", std::move(problem));
  table.add("suggestion", std::move(suggestion));
  return table;
}

// "FILE: good (...)" each, and the sum if there are several.
std::string verdict_lines(const std::vector<Verdict>& verdicts) {
  std::string lines;
  std::size_t good_files = 0, errors = 0, warnings = 0;
  for (const Verdict& verdict : verdicts) {
    lines += verdict.file + ": " + verdict.text() + "\n";
    good_files += verdict.good();
    errors += verdict.diagnostics.count(Severity::error);
    warnings += verdict.diagnostics.count(Severity::warning);
  }
  if (verdicts.size() > 1)
    lines +=
        plural(verdicts.size(), "file") + ": " + std::to_string(good_files) +
        " good, " + std::to_string(verdicts.size() - good_files) + " not (" +
        plural(errors, "error") + ", " + plural(warnings, "warning") + ")\n";
  return lines;
}

Document verdict_document(const std::vector<Verdict>& verdicts) {
  Document::List files;
  for (const Verdict& verdict : verdicts)
    files.push_back(Document()
                        .set("file", verdict.file)
                        .set("good", verdict.good())
                        .set("what", verdict.what.empty()
                                         ? Document()
                                         : Document(verdict.what))
                        .set("faults", rows_of(error_table({verdict}))));
  return Document().set("files", std::move(files));
}

Summary verdict_summary(const std::vector<Verdict>& verdicts) {
  Summary summary;
  Section files;
  for (const Verdict& verdict : verdicts)
    files.facts.emplace_back(verdict.file, verdict.text());
  summary.sections.push_back(std::move(files));
  Table errors = error_table(verdicts);
  if (errors.rows() > 0)
    summary.sections.push_back({"Errors and warnings", {}, std::move(errors)});
  return summary;
}

int run_validate(const Call& call) {
  const Options& options = call.options;
  const std::vector<std::string>& files = options.arguments;
  Outputs outputs(options, provenance_of(call, nullptr, {}));
  std::vector<Verdict> verdicts;
  for (const std::string& file : files) {
    verdicts.push_back(check(file));
    app::show(verdicts.back().diagnostics, options.quiet);
  }
  const bool all_good = std::all_of(verdicts.begin(), verdicts.end(),
                                    [](const Verdict& v) { return v.good(); });
  if (!options.quiet || !outputs.only(Format::table))
    outputs.write({error_table(verdicts), verdict_document(verdicts),
                   verdict_summary(verdicts), verdict_lines(verdicts)});
  outputs.commit();
  return all_good ? good : bad_input;
}

}  // namespace

const Verb validate_verb{"validate",
                         of::validate,
                         "Check files and report all errors",
                         "Errors go to standard error; with --format csv, json "
                         "or markdown they are the\n"
                         "result. The exit code is 2 if any file has errors.",
                         "validate my_detector.yaml\n"
                         "validate detectors/*.yaml configs/*.yaml",
                         run_validate};

}  // namespace gttf::app
