// SPDX-License-Identifier: Apache-2.0
#include "computation.hpp"

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "command_line.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/study/scan/scan_columns.hpp"
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

void use_simd(const Options& options) {
  if (options.simd.empty()) {
    if (const auto error = simd_environment_fault()) throw UsageError(*error);
  } else if (options.simd == "auto") {
    set_simd_level(available_simd_levels().back());
  } else if (const auto refusal =
                 set_simd_level(find_simd_level(options.simd))) {
    throw UsageError("--simd " + options.simd + ": " + *refusal);
  }
}

Engine engine_of(const Options& options) {
  return options.engine == "triplet" ? Engine::triplet : Engine::streaming;
}

Grouping grouping_of(const Options& options, Grouping usual) {
  return find_grouping(options.by).value_or(usual);
}

std::optional<Parameter> parameter_of(const Options& options, bool at_layer) {
  if (options.parameter.empty()) return std::nullopt;
  const auto parameter = named_parameter(options.parameter, at_layer);
  if (parameter) return parameter;
  std::vector<std::string> names;
  for (const Parameter q : parameters_of(at_layer))
    names.emplace_back(parameter_name(q, at_layer));
  throw UsageError("--parameter: a track " +
                   std::string(at_layer ? "at a layer" : "at its start") +
                   " has no " + in_quotes(options.parameter) + "; it has " +
                   joined(names) +
                   (at_layer ? "" : " (--at LAYER: u, v, tu, tv, phi)"));
}

std::vector<std::string> columns_of(const Options& options, bool at_layer) {
  if (options.columns.empty()) return {};
  return parse_names("--columns", options.columns, scan_column_names(at_layer));
}

Shard shard_of(const Options& options) {
  const std::string& text = options.shard;
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
                     ": the number of shards must be between 1 and " +
                     std::to_string(most_shards));
  if (shard.index < 1 || shard.index > shard.count)
    throw UsageError("--shard " + text + ": there are the shards 1 to " +
                     std::to_string(shard.count));
  return shard;
}

}  // namespace gttf::app
