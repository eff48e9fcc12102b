// SPDX-License-Identifier: Apache-2.0
// optimise: the best design within limits.
#include "gttf/study/optimise/optimise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <initializer_list>
#include <memory>
#include <utility>

#include "checkpoint.hpp"
#include "computation.hpp"
#include "gttf/config/sha256.hpp"
#include "gttf/config/source.hpp"
#include "gttf/config/text.hpp"
#include "gttf/output/atomic_file.hpp"
#include "gttf/output/csv.hpp"
#include "gttf/output/html.hpp"
#include "gttf/output/json.hpp"
#include "gttf/output/progress.hpp"
#include "gttf/study/optimise/optimisation_page.hpp"
#include "gttf/study/optimise/optimisation_view.hpp"
#include "gttf/study/optimise/pareto_view.hpp"
#include "gttf/study/optimise/read_problem.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

volatile std::sig_atomic_t interrupted = 0;
volatile std::time_t interrupted_at = 0;  ///< s, monotonic
struct sigaction handler_before {};

/// The first Ctrl-C ends the search, a later one the program. One key press may
/// arrive twice: from the terminal and from a program around this one.
void on_interrupt(int) {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (interrupted == 0) {
    interrupted_at = now.tv_sec;
    interrupted = 1;
  } else if (now.tv_sec > interrupted_at + 1) {
    // which removes files under construction
    sigaction(SIGINT, &handler_before, nullptr);
    raise(SIGINT);
  }
}

/// Ctrl-C is that of on_interrupt() as long as this object lives.
class InterruptedOnce {
 public:
  InterruptedOnce() {
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, &handler_before);
  }
  ~InterruptedOnce() { sigaction(SIGINT, &handler_before, nullptr); }
  InterruptedOnce(const InterruptedOnce&) = delete;
  InterruptedOnce& operator=(const InterruptedOnce&) = delete;
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

/// Continues from the checkpoint if there is one.
void restore(const Checkpoint& checkpoint, SearchState& state) {
  const auto document = checkpoint.stored();
  if (!document) return;
  SearchState stored = search_state_of(*document, checkpoint.path());
  check_same_run(state, stored, checkpoint.path());
  state = std::move(stored);
}

/// The problem with the starts and the seed of the options.
OptimisationProblem problem_of(const Options& options) {
  Diagnostics warnings;
  OptimisationProblem problem = read_problem(
      options.arguments.front(), options.overrides, load_baseline, warnings);
  show(warnings, options.quiet);
  auto starts = static_cast<std::int64_t>(problem.starts),
       seed = static_cast<std::int64_t>(problem.seed);
  if (!options.starts.empty()) {
    read_number("--starts", options.starts, 1, starts);
    problem.solves_all_starts = true;
  }
  if (options.seed) read_number("--seed", *options.seed, 0, seed);
  problem.starts = static_cast<std::size_t>(starts);
  problem.seed = static_cast<std::uint64_t>(seed);
  return problem;
}

std::optional<Provenance> provenance_of_search(
    const Call& call, const OptimisationProblem& problem) {
  StudyRequest request = problem.request;
  request.file = problem.file;
  request.sha256 = problem.sha256;
  auto provenance =
      provenance_of(call, &request, std::span(&problem.input.detector, 1));
  if (provenance) provenance->seed = problem.seed;
  return provenance;
}

/// Time limit and Ctrl-C end a search, with what was found until then.
class Ending {
 public:
  explicit Ending(const Options& options)
      : limit_(options.time_limit), quiet_(options.quiet) {}

  bool keep_on() {
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - began_;
    if (limit_ > 0 && taken.count() > limit_) out_of_time_ = true;
    return interrupted == 0 && !out_of_time_;
  }

  /// Reports why the search ended early.
  void print_reason(const std::string& what) const {
    if (!quiet_)
      print_note(std::string("gttf-design: ") +
                 (out_of_time_ ? "time limit reached" : "interrupted") + "; " +
                 what + '\n');
  }

 private:
  const std::chrono::steady_clock::time_point began_ =
      std::chrono::steady_clock::now();
  double limit_;
  bool quiet_;
  std::atomic<bool> out_of_time_ = false;
};

/// What a search needs while it runs: Ctrl-C, progress, checkpoints.
class RunningSearch {
 public:
  RunningSearch(const Options& options, Ending& ending, Checkpoint& checkpoint,
                SearchState& state)
      : bar_("optimise", bar_settings(options)) {
    options_.local = options.local;
    options_.threads = options.threads;
    options_.progress = [this](const SearchProgress& p) {
      bar_.update(p.done, p.total, std::string(p.what) + "  " + p.best);
    };
    options_.keep_on = [&ending] { return ending.keep_on(); };
    options_.state = &state;
    options_.added = [&checkpoint](const SearchState& s) {
      checkpoint.offer([&s] { return to_document(s); });
    };
  }
  RunningSearch(const RunningSearch&) = delete;
  RunningSearch& operator=(const RunningSearch&) = delete;

  SearchOptions& options() { return options_; }

 private:
  const InterruptedOnce once_;
  Progress bar_;
  SearchOptions options_;
};

/// Rejects options that have no meaning here.
void reject(std::initializer_list<std::pair<bool, const char*>> given,
            const std::string& with) {
  for (const auto& [is_given, name] : given)
    if (is_given)
      throw UsageError(std::string(name) + " cannot be used with " + with);
}

/// Shows warnings about the design that was found, and about the file with it.
void show_warnings(const FoundDesign& design, const SplitOutputs& outputs,
                   bool quiet) {
  Diagnostics warnings;
  for (Diagnostic d : design.warnings.items()) {
    if (!outputs.descriptions.empty()) d.file = outputs.descriptions.front();
    warnings.add(std::move(d));
  }
  if (!outputs.descriptions.empty()) warnings.add(design.lost);
  show(warnings, quiet);
}

/// Searches, with the starts that the state has, and writes everything.
int search_and_write(const Call& call, const OptimisationProblem& problem,
                     const std::optional<Provenance>& provenance,
                     SearchState state) {
  const Options& options = call.options;
  const SplitOutputs outputs_by_kind = split(options);
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
  Checkpoint checkpoint(options.checkpoint, options.checkpoint_every,
                        provenance);
  restore(checkpoint, state);

  const double before = cpu_seconds();
  std::unique_ptr<AtomicFile> history_file;
  std::unique_ptr<CsvWriter> history;
  std::int64_t n_starts = 0;
  if (!options.history.empty()) {
    history_file = std::make_unique<AtomicFile>(options.history);
    history = std::make_unique<CsvWriter>(history_file->stream(), TableStyle{});
  }
  OptimisationResults results;
  const SearchResult& result = results.search;
  Ending ending(options);
  {
    RunningSearch running(options, ending, checkpoint, state);
    if (history)
      running.options().history = [&](const DesignProgram& program,
                                      const std::vector<LookedAt>& designs) {
        history->write(history_table(program, designs, ++n_starts));
      };
    results = optimise(problem, running.options());
  }
  state.is_complete = !result.interrupted;
  checkpoint.offer([&state] { return to_document(state); }, true);
  if (history) {
    history->finish();
    history_file->commit();
  }
  const double cpu = cpu_seconds() - before;
  const FoundDesign& design = results.design;
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
    if (!design.text.empty())
      for (const auto& file : descriptions) {
        file->stream() << design.text;
        file->commit();
      }
    for (const auto& file : pages) {
      write_html(
          file->stream(),
          optimisation_page(shown.document, "the result",
                            tracks_for_drawings(problem), options.threads),
          provenance);
      file->commit();
    }
  }
  outputs.commit();
  show_warnings(design, outputs_by_kind, options.quiet);
  if (result.interrupted)
    ending.print_reason(result.is_start
                            ? "the result is the design of the file: nothing "
                              "better was found"
                            : "the result is the best so far");
  // the other outputs do without
  if (design.errors.has_errors() && !descriptions.empty())
    throw InputError(design.errors);
  if (!result.best.result.exists)
    return code_of(0, Status::too_few_hits, options.quiet);
  return result.found && !result.interrupted ? good : check_failed;
}

/// --shard: solves from a part of the starts and writes what was found.
int run_shard(const Call& call, const OptimisationProblem& problem,
              const std::optional<Provenance>& provenance) {
  const Options& options = call.options;
  const Shard shard = shard_of(options);
  if (problem.space.size() == 0)
    throw UsageError(
        "--shard: the study has choices only, hence no starts to divide");
  reject({{options.local, "--local"},
          {!options.history.empty(), "--history"},
          {!options.pareto.empty(), "--pareto"}},
         "--shard");
  if (problem.file == "-")
    throw UsageError(
        "--shard: optimise merge reads the study again; give it as a file");
  Outputs outputs(options, provenance);
  if (!outputs.only(Format::json))
    throw UsageError(
        "a shard is a part to be merged: write it with -o PART.json (or "
        "--format json)");
  if (!outputs.exact())
    throw UsageError(
        "a shard is a part to be merged: --precision cannot be used with it");
  SearchState state = plan_search(problem, false, shard);
  Checkpoint checkpoint(options.checkpoint, options.checkpoint_every,
                        provenance);
  restore(checkpoint, state);
  Ending ending(options);
  {
    RunningSearch running(options, ending, checkpoint, state);
    search_shard(problem, running.options());
  }
  checkpoint.offer([&state] { return to_document(state); }, true);
  if (!state.is_complete) {
    ending.print_reason(options.checkpoint.empty()
                            ? "nothing was written"
                            : "the checkpoint has the finished starts");
    return check_failed;
  }
  outputs.write({{}, to_document(state), {}, {}});
  outputs.commit();
  return good;
}

int merge_parts(const Call& call) {
  Options options = call.options;
  const std::vector<std::string> names(options.arguments.begin() + 1,
                                       options.arguments.end());
  if (names.empty())
    throw UsageError("nothing to merge: optimise merge PART... -o FILE");
  reject({{options.local, "--local"},
          {!options.starts.empty(), "--starts"},
          {options.seed.has_value(), "--seed"},
          {!options.overrides.empty(), "--set"},
          {!options.shard.empty(), "--shard"},
          {!options.checkpoint.empty(), "--checkpoint"},
          {!options.history.empty(), "--history"}},
         "merge");
  std::vector<SearchState> parts;
  std::vector<std::pair<std::string, std::string>> inputs;
  for (const std::string& name : names) {
    const std::string text = read_file(name, "part of a search");
    inputs.emplace_back(name, sha256(text));
    parts.push_back(search_state_of(read_json(text, name), name));
  }
  SearchState state = merge_searches(std::move(parts), names);
  const StudyOfPart study = study_of(state, names.front());
  options.arguments = {study.file};
  options.overrides = study.overrides;
  if (study.solves_all_starts) options.starts = std::to_string(study.starts);
  options.seed = std::to_string(study.seed);
  const OptimisationProblem problem = problem_of(options);
  if (const auto where =
          first_difference(plan_search(problem, false).study, state.study))
    throw FileError(fmt::format(
        "{} does not match this run: its {} differs from that of {}",
        in_quotes(names.front()), *where, in_quotes(study.file)));
  std::optional<Provenance> provenance = provenance_of_search(call, problem);
  if (provenance)
    for (auto& [name, sum] : inputs)
      provenance->inputs.push_back({std::move(name), std::move(sum)});
  return search_and_write(call, problem, provenance, std::move(state));
}

int run_optimise(const Call& call) {
  const Options& options = call.options;
  check_formats(split(options).tables);
  use_simd(options);
  if (options.arguments.front() == "merge") return merge_parts(call);
  if (options.arguments.size() > 1)
    throw UsageError("one study is solved at a time; " +
                     in_quotes(options.arguments[1]) + " is a second one");
  if (!options.history.empty() && !options.checkpoint.empty())
    throw UsageError(
        "--history cannot be used with --checkpoint: designs evaluated before "
        "an interruption would be missing");
  if (options.local) reject({{!options.starts.empty(), "--starts"}}, "--local");
  const OptimisationProblem problem = problem_of(options);
  const auto provenance = provenance_of_search(call, problem);
  if (!options.shard.empty()) return run_shard(call, problem, provenance);
  return search_and_write(call, problem, provenance,
                          plan_search(problem, options.local));
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
    "optimise configs/optimise/its2.yaml --local\n"
    "optimise configs/optimise/its2.yaml --shard 2/8 -o part2.json\n"
    "optimise merge part*.json -o best.yaml",
    run_optimise};

}  // namespace gttf::app
