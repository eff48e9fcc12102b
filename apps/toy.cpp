// SPDX-License-Identifier: Apache-2.0
// toy: simulated and fitted tracks, compared with the expected resolution.
#include "gttf/study/toys/toy_study.hpp"

#include <memory>
#include <sstream>
#include <utility>

#include "checkpoint.hpp"
#include "computation.hpp"
#include "gttf/config/sha256.hpp"
#include "gttf/config/source.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/output/json.hpp"
#include "gttf/study/toys/toy_table.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

Result result_of(const ToyState& state) {
  return {toy_table(state), toy_results(state), toy_summary(state), {}};
}

std::string text_of(const BatchStatistics& s) {
  std::ostringstream text;
  const auto line = [&text](std::size_t n, const char* what) {
    if (n > 0) text << "  " << n << ' ' << what << '\n';
  };
  text << s.tracks << " toys, vectors " << to_string(simd_level()) << '\n';
  line(s.tracks - s.unsupported, "vectorised");
  line(s.doubtful, "of these fitted on the scalar path: doubtful fits");
  line(s.unsupported, "scalar path: field, model or layers not vectorised");
  line(s.not_fitted, "left the layers of the reference track");
  return text.str();
}

// Continues from the checkpoint if there is one.
void restore(const Checkpoint& checkpoint, ToyState& state) {
  const auto document = checkpoint.stored();
  if (!document) return;
  ToyState stored = toy_state_of(*document, checkpoint.path());
  check_same_run(state, stored, checkpoint.path());
  state = std::move(stored);
}

int code_of_toys(const ToyState& state) {
  if (fitted_toys(state) > 0) return good;
  print_note(
      "gttf-design: no toy could be fitted; see the columns \"status\" and "
      "\"n_failed\" for the reason\n");
  return no_track;
}

void run_all(const Study& study, const Options& options,
             const std::optional<Provenance>& provenance,
             Checkpoint& checkpoint, BatchStatistics& statistics,
             ToyState& state) {
  Progress bar("toy", bar_settings(options));
  const std::size_t before = static_cast<std::size_t>(state.done());
  ToyRunOptions how;
  how.threads = options.threads;
  how.statistics = &statistics;
  // work before an interruption does not count for the speed
  how.progress = [&bar, before](std::size_t done, std::size_t total) {
    bar.update(done - before, total - before);
  };
  how.checkpoint = [&checkpoint](const ToyState& s) {
    checkpoint.offer([&s] { return to_document(s); }, s.is_complete());
  };
  if (options.save_toys.empty()) {
    run_toys(study.request, study.detectors, how, state);
    return;
  }
  OutputOptions saving;
  saving.files = {options.save_toys};
  Outputs toys(saving, provenance, "--save-toys");
  const auto sink = toys.table_sink("", {}, {}, &bar);
  how.toys = sink.get();
  run_toys(study.request, study.detectors, how, state);
  toys.commit();
}

int merge_all(const Call& call) {
  const Options& options = call.options;
  const std::vector<std::string> names(options.arguments.begin() + 1,
                                       options.arguments.end());
  if (names.empty())
    throw UsageError("nothing to merge: toy merge PART... -o FILE");
  std::optional<Provenance> provenance = provenance_of(call, nullptr, {});
  std::vector<ToyState> parts;
  for (const std::string& name : names) {
    const std::string text = read_file(name, "part of toys");
    if (provenance) provenance->inputs.push_back({name, sha256(text)});
    parts.push_back(toy_state_of(read_json(text, name), name));
  }
  if (provenance) provenance->seed = parts.front().seed;
  Outputs outputs(options, provenance);
  const ToyState state = merge_toys(std::move(parts), names);
  outputs.write(result_of(state));
  outputs.commit();
  return code_of_toys(state);
}

// Hours of work, which an interruption would lose.
void check_can_be_lost(const ToyState& state) {
  constexpr std::uint64_t most = 10'000'000'000;
  if (state.total() > most)
    throw UsageError(
        std::to_string(state.total()) + " toys in one run, at most " +
        std::to_string(most) +
        " without --checkpoint FILE, which keeps what is done if the run is "
        "interrupted");
}

int run_toy(const Call& call) {
  const Options& options = call.options;
  if (!options.arguments.empty() && options.arguments.front() == "merge")
    return merge_all(call);
  use_simd(options);
  const bool sharded = !options.shard.empty();
  const Shard shard = sharded ? shard_of(options) : Shard{};
  if (!options.save_toys.empty() && !options.checkpoint.empty())
    throw UsageError(
        "--save-toys cannot be used with --checkpoint: toys simulated before "
        "an interruption would be missing");

  const Study study = read_study(options, "simulate");
  std::optional<Provenance> provenance =
      provenance_of(call, &study.request, study.detectors);
  if (provenance) provenance->seed = study.request.toys.seed;
  Outputs outputs(options, provenance);
  if (sharded && !outputs.only(Format::json))
    throw UsageError(
        "a shard is a part to be merged: write it with -o PART.json (or "
        "--format json)");
  if (sharded && !outputs.exact())
    throw UsageError(
        "a shard is a part to be merged: --precision cannot be used with it");
  if (!options.save_toys.empty()) {
    std::vector<std::string> taken = options.files;
    if (taken.empty()) taken.emplace_back("-");
    check_given_once("--save-toys", options.save_toys, taken);
  }

  ToyState state = plan_toys(study.request, study.detectors, shard);
  if (options.checkpoint.empty()) check_can_be_lost(state);
  Checkpoint checkpoint(options.checkpoint, options.checkpoint_every,
                        provenance);
  restore(checkpoint, state);
  BatchStatistics statistics;
  run_all(study, options, provenance, checkpoint, statistics, state);
  if (sharded)
    outputs.write({{}, to_document(state), {}, {}});
  else
    outputs.write(result_of(state));
  outputs.commit();
  if (options.stats) print_note(text_of(statistics));
  return sharded ? good : code_of_toys(state);
}

}  // namespace

const Verb toy_verb{
    "toy",
    of::toy,
    "Simulate and fit tracks: biases, pulls and chi2 against the expected "
    "resolution",
    "",
    "toy detectors/alice_its2.yaml --p 1GeV --toys 100000 --fits general,ms\n"
    "toy study.yaml --checkpoint toys.state -o toys.json\n"
    "toy study.yaml --shard 2/8 -o part2.json\n"
    "toy merge part*.json -o toys.csv",
    run_toy};

}  // namespace gttf::app
