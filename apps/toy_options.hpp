// SPDX-License-Identifier: Apache-2.0
// Options of the verb toy.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common.hpp"
#include "gttf/study/toys/toy_state.hpp"

namespace gttf::app {

struct ToyOptions {
  std::vector<std::string> words;  ///< STUDY, or "merge" and the parts
  std::vector<std::string> overrides;
  TrackOptions track;
  std::string shard;             ///< "k/N"; empty: all
  std::string checkpoint;        ///< empty: none
  double checkpoint_every = 10;  ///< s
  std::string save_toys;         ///< empty: do not
  unsigned threads = 0;
  std::string simd_name;
  bool stats = false;
  OutputOptions output;

  void declare(CLI::App& command);

  bool is_merge() const { return !words.empty() && words.front() == "merge"; }
  std::vector<std::string> parts() const;
  /// Empty: options only. Throws UsageError if there is more than one.
  std::string study() const;
};

/// "2/8". Throws UsageError.
Shard parse_shard(const std::string& text);

}  // namespace gttf::app
