// SPDX-License-Identifier: Apache-2.0
// optimise: the best design within limits.
#include "gttf/study/optimise/optimise.hpp"

#include <chrono>
#include <csignal>
#include <ctime>
#include <memory>
#include <utility>

#include "computation.hpp"
#include "gttf/config/text.hpp"
#include "gttf/output/atomic_file.hpp"
#include "gttf/output/csv.hpp"
#include "gttf/output/html.hpp"
#include "gttf/output/progress.hpp"
#include "gttf/study/optimise/best_file.hpp"
#include "gttf/study/optimise/optimisation_page.hpp"
#include "gttf/study/optimise/optimisation_view.hpp"
#include "gttf/study/optimise/read_problem.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

volatile std::sig_atomic_t interrupted = 0;

/// The first Ctrl-C ends the search, a second one the program.
class InterruptedOnce {
 public:
  InterruptedOnce() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigaction(SIGINT, &action, &before_);
  }
  ~InterruptedOnce() { sigaction(SIGINT, &before_, nullptr); }
  InterruptedOnce(const InterruptedOnce&) = delete;
  InterruptedOnce& operator=(const InterruptedOnce&) = delete;

 private:
  struct sigaction before_ {};
};

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Splits the outputs into descriptions and others.
struct SplitOutputs {
  OutputOptions tables;
  std::vector<std::string> descriptions, pages;
};
SplitOutputs split(const Options& options) {
  SplitOutputs result{options, {}, {}};
  result.tables.files.clear();
  for (const std::string& file : options.files)
    if (file.ends_with(".yaml") || file.ends_with(".yml"))
      result.descriptions.push_back(file);
    else if (file.ends_with(".html") || file.ends_with(".htm"))
      result.pages.push_back(file);
    else
      result.tables.files.push_back(file);
  return result;
}

void read_number(const std::string& option, const std::string& text,
                 std::int64_t least, std::int64_t& number) {
  const auto parsed = parse_integer(text);
  if (!parsed) throw UsageError(option + ": " + parsed.problem);
  if (parsed.value < least)
    throw UsageError(option + ": at least " + std::to_string(least) + ", got " +
                     in_quotes(text));
  number = parsed.value;
}

int run_optimise(const Call& call) {
  const Options& options = call.options;
  SplitOutputs outputs_by_kind = split(options);
  check_formats(outputs_by_kind.tables);
  Diagnostics warnings;
  OptimisationProblem problem = read_problem(
      options.study_file, options.overrides, load_baseline, warnings);
  show(warnings, options.quiet);
  auto starts = static_cast<std::int64_t>(problem.starts),
       seed = static_cast<std::int64_t>(problem.seed);
  if (!options.starts.empty())
    read_number("--starts", options.starts, 1, starts);
  if (options.seed) read_number("--seed", *options.seed, 0, seed);
  problem.starts = static_cast<std::size_t>(starts);
  problem.seed = static_cast<std::uint64_t>(seed);

  StudyRequest request = problem.request;
  request.file = problem.file;
  request.sha256 = problem.sha256;
  auto provenance =
      provenance_of(call, &request, std::span(&problem.input.detector, 1));
  if (provenance) provenance->seed = problem.seed;
  Outputs outputs(outputs_by_kind.tables, provenance);
  std::vector<std::unique_ptr<AtomicFile>> descriptions, pages;
  for (const std::string& file : outputs_by_kind.descriptions)
    descriptions.push_back(std::make_unique<AtomicFile>(file));
  for (const std::string& file : outputs_by_kind.pages)
    pages.push_back(std::make_unique<AtomicFile>(file));
  std::unique_ptr<Outputs> front_file;
  if (!options.pareto.empty()) {
    check_ending(options.pareto, {".csv"}, "the points of a front are CSV");
    if (problem.pareto.of.empty())
      throw UsageError("--pareto: the study has no \"pareto\"");
    OutputOptions only = outputs_by_kind.tables;
    only.files = {options.pareto};
    only.format.clear();
    front_file = std::make_unique<Outputs>(only, provenance, "--pareto");
  }

  use_simd(options);
  const double before = cpu_seconds();
  SearchOptions search_options;
  search_options.local = options.local;
  search_options.threads = options.threads;
  std::unique_ptr<AtomicFile> history_file;
  std::unique_ptr<CsvWriter> history;
  std::int64_t n_starts = 0;
  if (!options.history.empty()) {
    history_file = std::make_unique<AtomicFile>(options.history);
    history = std::make_unique<CsvWriter>(history_file->stream(), TableStyle{});
    search_options.history = [&](const DesignProgram& program,
                                 const std::vector<LookedAt>& designs) {
      history->write(history_table(program, designs, ++n_starts));
    };
  }
  OptimisationResults results;
  const SearchResult& result = results.search;
  bool out_of_time = false;
  {
    const InterruptedOnce once;
    Progress bar("starts", bar_settings(options));
    const auto began = std::chrono::steady_clock::now();
    search_options.progress = [&](std::size_t done, std::size_t total) {
      if (done > 0) bar.update(done, total);
      const std::chrono::duration<double> taken =
          std::chrono::steady_clock::now() - began;
      out_of_time =
          options.time_limit > 0 && taken.count() > options.time_limit;
      return interrupted == 0 && !out_of_time;
    };
    results = optimise(problem, search_options);
  }
  if (history) {
    history->finish();
    history_file->commit();
  }
  const double cpu = cpu_seconds() - before;
  Result shown;
  if (result.best.result.exists) shown.table = optimisation_table(result);
  shown.document = optimisation_document(results, cpu);
  shown.summary = optimisation_summary(results);
  outputs.write(shown);
  if (front_file && results.front) {
    Result front;
    front.table = pareto_table(*results.front);
    front_file->write(front);
    front_file->commit();
  }
  if (result.best.result.exists) {
    const std::string text = descriptions.empty()
                                 ? ""
                                 : best_file(*result.program, result.best.x,
                                             best_file_header(result));
    for (const auto& file : descriptions) file->stream() << text;
    for (const auto& file : descriptions) file->commit();
    for (const auto& file : pages) {
      write_html(file->stream(), optimisation_page(results, options.threads),
                 provenance);
      file->commit();
    }
  }
  outputs.commit();
  if (result.interrupted && !options.quiet)
    tell(std::string("gttf-design: ") +
         (out_of_time ? "out of time" : "interrupted") +
         "; the result is the best so far\n");
  if (!result.best.result.exists)
    return code_of(0, Status::too_few_hits, options.quiet);
  return result.found && !result.interrupted ? good : check_failed;
}

}  // namespace

const Verb optimise_verb{
    "optimise",
    of::optimise,
    "Find the best design within given limits",
    "The study lists the variables, the objective and the constraints, see\n"
    "docs/reference/optimise.md. -o FILE.yaml writes the description with the "
    "numbers\n"
    "found. The exit code is 0 if a design was found and verified, 1 if none "
    "meets the\n"
    "limits or the search was interrupted, 2 if the file is wrong, 3 if no "
    "track has\n"
    "a value.",
    "optimise configs/optimise/its2.yaml\n"
    "optimise configs/optimise/its2.yaml -o best.yaml -o result.json\n"
    "optimise configs/optimise/its2.yaml -o result.html\n"
    "optimise configs/optimise/its2.yaml --local",
    run_optimise};

}  // namespace gttf::app
