// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/simd.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace gttf {
namespace {

#define GTTF_NAME(name, ...) , #name
constexpr std::string_view names[] = {"scalar" GTTF_X86_LEVELS(GTTF_NAME)};
#undef GTTF_NAME

#define LEVEL(name) SimdLevel::name,
constexpr SimdLevel compiled[] = {GTTF_COMPILED_LEVELS};  // lib/simd.cmake
#undef LEVEL

constexpr int automatic = -1;
std::atomic<int> chosen = automatic;

bool is_compiled(SimdLevel level) {
  return std::ranges::find(compiled, level) != std::end(compiled);
}

bool is_supported(SimdLevel level) {
#if GTTF_SIMD_X86
#define GTTF_SUPPORTED(name, supported) \
  case SimdLevel::name:                 \
    return supported;
  switch (level) {
    case SimdLevel::scalar:
      return true;
      GTTF_X86_LEVELS(GTTF_SUPPORTED)
  }
#undef GTTF_SUPPORTED
#endif
  return level == SimdLevel::scalar;
}

bool can_run(SimdLevel level) {
  return is_compiled(level) && is_supported(level);
}

std::string joined(const auto& words) {
  std::string text;
  for (const auto& word : words)
    text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

std::string refusal(SimdLevel level) {
  std::vector<std::string_view> supported;
  for (const SimdLevel known : available_simd_levels())
    supported.push_back(to_string(known));
  const std::string name(to_string(level));
  return (is_compiled(level)
              ? "this processor cannot run " + name + " code"
              : "this program was built without " + name +
                    " code (all: configure with -DGTTF_SIMD_X86=ON)") +
         "; available: " + joined(supported);
}

struct FromEnvironment {
  std::optional<SimdLevel> level;
  std::optional<std::string> error;
};

FromEnvironment read_environment() {
  const char* text = std::getenv("GTTF_SIMD");
  if (text == nullptr || *text == '\0' || std::string_view(text) == "auto")
    return {};
  const auto level = find_simd_level(text);
  if (!level)
    return {{},
            "GTTF_SIMD: unknown level \"" + std::string(text) +
                "\"; known: " + joined(simd_choices())};
  if (!can_run(*level)) return {{}, "GTTF_SIMD: " + refusal(*level)};
  return {level, {}};
}

const FromEnvironment& environment() {
  static const FromEnvironment value = read_environment();
  return value;
}

}  // namespace

std::string_view to_string(SimdLevel level) {
  return names[static_cast<std::size_t>(level)];
}

std::optional<SimdLevel> find_simd_level(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<SimdLevel>(found - std::begin(names));
}

std::vector<std::string> simd_choices() {
  std::vector<std::string> choices{"auto"};
  choices.insert(choices.end(), std::begin(names), std::end(names));
  return choices;
}

std::vector<SimdLevel> available_simd_levels() {
  std::vector<SimdLevel> available;
  for (const std::string_view name : names)
    if (const auto level = find_simd_level(name); can_run(*level))
      available.push_back(*level);
  return available;
}

SimdLevel simd_level() {
  const int level = chosen.load(std::memory_order_relaxed);
  if (level != automatic) return static_cast<SimdLevel>(level);
  if (environment().level) return *environment().level;
  static const SimdLevel best = available_simd_levels().back();
  return best;
}

std::optional<std::string> set_simd_level(std::optional<SimdLevel> level) {
  if (level && !can_run(*level)) return refusal(*level);
  chosen = level ? static_cast<int>(*level) : automatic;
  return std::nullopt;
}

std::optional<std::string> simd_environment_fault() {
  return environment().error;
}

}  // namespace gttf
