// SPDX-License-Identifier: Apache-2.0
// All kernels of an instruction set without fused multiplications as one unit,
// which is compiled in 0.6 of the time. Those for vectors need other options
// for exact.cpp than for the rest.
#include "gttf/kernels/exact.cpp"
#include "gttf/kernels/fused.cpp"
#include "gttf/kernels/regions.cpp"
