// SPDX-License-Identifier: Apache-2.0
// Advice: the YAML parser's messages in our words.
#pragma once

#include <string_view>

namespace gttf::detail {

/// A message of the parser, what we say instead, and what to do.
struct Advice {
  /// Where the fault is: as told, or at the bracket or quote that is open.
  enum class Place { as_told, bracket, quote };

  std::string_view theirs, ours, suggestion;
  Place place = Place::as_told;
};

/// What to say instead of `message`, or nullptr.
const Advice* advice_on(std::string_view message);

}  // namespace gttf::detail
