// SPDX-License-Identifier: Apache-2.0
// Wide: a 113-bit float, the yardstick for rounding errors.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>

namespace gttf::test {

using Wide =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
                                      113, boost::multiprecision::digit_base_2,
                                      void, std::int32_t, -16382, 16383>,
                                  boost::multiprecision::et_off>;

}  // namespace gttf::test
