// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/simd.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

namespace gttf {
namespace {

constexpr std::array levels = {SimdLevel::scalar, SimdLevel::sse2,
                               SimdLevel::avx2, SimdLevel::avx512};
constexpr int automatic = -1;
std::atomic<int> chosen = automatic;

/// Features, not the names of levels, which clang 14 does not know. They
/// include that the operating system keeps the registers.
bool can_run(SimdLevel level) {
#if GTTF_SIMD_X86
  switch (level) {
    case SimdLevel::scalar:
    case SimdLevel::sse2:
      return true;
    case SimdLevel::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    case SimdLevel::avx512:
      return can_run(SimdLevel::avx2) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") &&
             __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
  }
  return false;
#else
  return level == SimdLevel::scalar;
#endif
}

std::string refusal(SimdLevel level) {
  std::string text = "this processor cannot run " +
                     std::string(to_string(level)) + " code; it has: ";
  for (const SimdLevel known : available_simd_levels())
    text += std::string(known == SimdLevel::scalar ? "" : ", ") +
            std::string(to_string(known));
  return text;
}

struct FromEnvironment {
  std::optional<SimdLevel> level;
  std::optional<std::string> fault;
};

FromEnvironment read_environment() {
  const char* text = std::getenv("GTTF_SIMD");
  if (text == nullptr || *text == '\0' || std::string_view(text) == "auto")
    return {};
  const auto level = find_simd_level(text);
  if (!level)
    return {{},
            "GTTF_SIMD: unknown level \"" + std::string(text) +
                "\"; known: auto, scalar, sse2, avx2, avx512"};
  if (!can_run(*level)) return {{}, "GTTF_SIMD: " + refusal(*level)};
  return {level, {}};
}

const FromEnvironment& environment() {
  static const FromEnvironment value = read_environment();
  return value;
}

}  // namespace

std::string_view to_string(SimdLevel level) {
  switch (level) {
    case SimdLevel::scalar:
      return "scalar";
    case SimdLevel::sse2:
      return "sse2";
    case SimdLevel::avx2:
      return "avx2";
    case SimdLevel::avx512:
      return "avx512";
  }
  return "";
}

std::optional<SimdLevel> find_simd_level(std::string_view name) {
  for (const SimdLevel level : levels)
    if (to_string(level) == name) return level;
  return std::nullopt;
}

std::vector<SimdLevel> available_simd_levels() {
  std::vector<SimdLevel> available;
  std::copy_if(levels.begin(), levels.end(), std::back_inserter(available),
               can_run);
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
  return environment().fault;
}

}  // namespace gttf
