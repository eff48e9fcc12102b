// SPDX-License-Identifier: Apache-2.0
#include "toy_options.hpp"

#include <charconv>
#include <cstdint>

#include "gttf/config/text.hpp"
#include "shipped_option.hpp"
#include "usage.hpp"

namespace gttf::app {
namespace {

constexpr std::uint64_t most_shards = 1000000;

// Whether `text` is a whole number and nothing else.
bool read_whole(std::string_view text, std::uint64_t& number) {
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last;
}

}  // namespace

void ToyOptions::declare(CLI::App& command) {
  constexpr auto group = "Toys";
  takes_study(command.add_option(
      "STUDY", words,
      "Study file; - is standard input; options win over it. Or "
      "merge and the parts to join"));
  takes_detector(command.add_option("--detector", track.study.detectors,
                                    "Detector file; repeatable"))
      ->allow_extra_args(false)
      ->group("Detector");
  declare_overrides(command, overrides);
  track.declare(command, true);
  const auto add = [&](const char* name, std::optional<std::string>& value,
                       const char* type, const char* description) {
    command
        .add_option_function<std::string>(
            name, [&value](const std::string& text) { value = text; },
            description)
        ->type_name(type)
        ->group(group);
  };
  add("--toys", track.study.toys, "N", "Toys of every track (default: 10000)");
  add("--seed", track.study.seed, "N",
      "Seed of the random numbers (default: 1)");
  add("--fits", track.study.fits, "NAMES",
      "Fits, as in general,ms (default: general); all: general, "
      "general-local, general-updated, general-shared, hits, hits-shared, "
      "scattering (or ms), scattering-local, scattering-updated, "
      "scattering-shared, regularised, common-curvature");
  command
      .add_option("--shard", shard,
                  "Make part k of N only, to be joined by toy merge; needs -o "
                  "PART.json")
      ->type_name("k/N")
      ->group(group);
  command
      .add_option("--checkpoint", checkpoint,
                  "Store the state in FILE now and then; a run that finds it "
                  "there goes on from it")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--checkpoint-every", checkpoint_every,
                  "Seconds between two checkpoints (default: 10)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 1e6).description(""))
      ->group(group);
  command
      .add_option("--save-toys", save_toys,
                  "Write every toy and its fits to FILE (.csv .json)")
      ->type_name("FILE")
      ->group(group);
  declare_threads(command, threads);
  declare_simd(command, simd_name);
  declare_stats(command, stats);
  output.declare(command, true);
}

std::vector<std::string> ToyOptions::parts() const {
  return {words.begin() + 1, words.end()};
}

std::string ToyOptions::study() const {
  if (words.size() > 1)
    throw UsageError("one study at a time, got " + joined(words) +
                     "; parts are joined by: toy merge PART... -o FILE");
  return words.empty() ? "" : words.front();
}

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  Shard shard;
  const bool numbers =
      slash != std::string::npos &&
      read_whole(std::string_view(text).substr(0, slash), shard.index) &&
      read_whole(std::string_view(text).substr(slash + 1), shard.count);
  if (!numbers)
    throw UsageError("--shard: expected k/N as in 2/8, got " + in_quotes(text));
  if (shard.count < 1 || shard.count > most_shards)
    throw UsageError("--shard " + text +
                     ": the number of shards must lie "
                     "between 1 and " +
                     std::to_string(most_shards));
  if (shard.index < 1 || shard.index > shard.count)
    throw UsageError("--shard " + text + ": there are the shards 1 to " +
                     std::to_string(shard.count));
  return shard;
}

}  // namespace gttf::app
