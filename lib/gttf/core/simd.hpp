// SPDX-License-Identifier: Apache-2.0
// SimdLevel: which vector instructions the batched calculations use.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The instruction sets besides scalar, in ascending order: name, and whether
// the processor and the operating system support it. Features are listed
// because clang 14 does not accept x86-64-v3. The vector types of each are in
// core/isa_<name>.hpp, its compiler options in lib/simd.cmake.
#define GTTF_X86_LEVELS(LEVEL)                                                 \
  LEVEL(avx2,                                                                  \
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&     \
            __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))   \
  LEVEL(avx512,                                                                \
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&     \
            __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && \
            __builtin_cpu_supports("avx512f") &&                               \
            __builtin_cpu_supports("avx512bw") &&                              \
            __builtin_cpu_supports("avx512cd") &&                              \
            __builtin_cpu_supports("avx512dq") &&                              \
            __builtin_cpu_supports("avx512vl"))

namespace gttf {

#define GTTF_NAME(name, ...) , name
/// scalar: one track at a time, on any processor. avx2 (x86-64-v3) processes
/// four numbers per instruction, avx512 (x86-64-v4) eight.
enum class SimdLevel { scalar GTTF_X86_LEVELS(GTTF_NAME) };
#undef GTTF_NAME

std::string_view to_string(SimdLevel);
/// The level with this name, or nothing if unknown.
std::optional<SimdLevel> find_simd_level(std::string_view name);
/// Values accepted by --simd and GTTF_SIMD: "auto" and the names of all levels.
std::vector<std::string> simd_choices();

/// Levels that are compiled in and supported by this processor, from scalar to
/// the best.
std::vector<SimdLevel> available_simd_levels();

/// The level in use: the level set, else the environment variable GTTF_SIMD,
/// else the best. Results of different levels differ in the last digits;
/// results of one level do not depend on the processor.
SimdLevel simd_level();

/// Sets the level for all threads from now on; without value: automatic.
/// @return nothing, or the reason why the level cannot be used
std::optional<std::string> set_simd_level(std::optional<SimdLevel> level);

/// The error in GTTF_SIMD, which is then ignored; nothing if it is valid.
std::optional<std::string> simd_environment_fault();

}  // namespace gttf
