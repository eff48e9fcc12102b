// SPDX-License-Identifier: Apache-2.0
// Runs something that may throw InputError and returns its message.
#pragma once

#include <string>

#include "gttf/config/diagnostics.hpp"

namespace gttf::test {

/// what() of the InputError that `action` throws, or an empty text.
template <class Action>
std::string reported(Action action) {
  try {
    action();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

inline std::string text_of(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.items()) text += to_text(d);
  return text;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace gttf::test
