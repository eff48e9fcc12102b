// SPDX-License-Identifier: Apache-2.0
// SimdLevel: which vector instructions the batched calculations use.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gttf {

/// scalar: one track at a time, on any processor. The others are for x86-64:
/// its baseline (2 numbers at once), x86-64-v3 (4) and x86-64-v4 (8).
enum class SimdLevel { scalar, sse2, avx2, avx512 };

std::string_view to_string(SimdLevel);
/// "scalar", "sse2", "avx2", "avx512".
std::optional<SimdLevel> find_simd_level(std::string_view name);

/// Levels that this program has code for and this processor can run, from
/// scalar to the best.
std::vector<SimdLevel> available_simd_levels();

/// The level in use: the one set, else that of the environment variable
/// GTTF_SIMD, else the best. Results of different levels differ in the last
/// digits; those of one level do not depend on the processor.
SimdLevel simd_level();

/// Sets the level for all threads from now on; nothing: automatic again.
/// @return  nothing, or why the level cannot be used
std::optional<std::string> set_simd_level(std::optional<SimdLevel> level);

/// What is wrong with GTTF_SIMD, which is then ignored; nothing if it is fine.
std::optional<std::string> simd_environment_fault();

}  // namespace gttf
