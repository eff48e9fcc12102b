// SPDX-License-Identifier: Apache-2.0
// GTTF_UNROLL: unrolls the following loop of fixed small length, so that the
// elements of a small matrix live in registers.
#pragma once

#if defined(__clang__)
#define GTTF_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define GTTF_UNROLL _Pragma("GCC unroll 8")
#else
#define GTTF_UNROLL
#endif
