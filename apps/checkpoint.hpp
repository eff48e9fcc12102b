// SPDX-License-Identifier: Apache-2.0
// Checkpoint: the file from which an interrupted run continues.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gttf/core/document.hpp"
#include "gttf/output/atomic_file.hpp"
#include "gttf/output/provenance.hpp"

namespace gttf::app {

/// Stores the state of a run now and then, whole or not at all.
class Checkpoint {
 public:
  /// @param path  empty: nothing is stored
  Checkpoint(std::string path, double seconds,
             std::optional<Provenance> provenance);

  const std::string& path() const { return path_; }

  /// What an earlier run has stored; nothing if there is no file.
  std::optional<Document> stored() const;

  /// Stores document() if it is due, or at once if `now`. This takes at most a
  /// twentieth of the time.
  void offer(const std::function<Document()>& document, bool now = false);

 private:
  using Clock = std::chrono::steady_clock;

  std::string path_;
  std::shared_ptr<const OutputClaim> claim_;
  std::optional<Provenance> provenance_;
  std::chrono::duration<double> interval_;
  Clock::time_point last_ = Clock::now();
  Clock::duration cost_{0};
};

}  // namespace gttf::app
