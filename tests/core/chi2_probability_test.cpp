// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/statistics.hpp"

#include <doctest/doctest.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace gttf::test::GTTF_TEST_FILE {
namespace {

TEST_CASE("chi2 probability: the incomplete gamma function") {
  for (const int ndf : {1, 2, 3, 4, 9, 10, 37, 200, 641, 3001})
    for (const double per_ndf : {1e-3, 0.1, 0.5, 0.9, 1.0, 1.2, 2.0, 4.0}) {
      const double chi2 = per_ndf * ndf;
      CAPTURE(ndf);
      CAPTURE(chi2);
      CHECK(chi2_probability(chi2, ndf) ==
            doctest::Approx(boost::math::gamma_q(0.5 * ndf, 0.5 * chi2))
                .epsilon(1e-11));
    }
}

TEST_CASE("chi2 probability: the ends and nonsense") {
  CHECK(chi2_probability(0, 5) == 1);
  CHECK(chi2_probability(1e6, 5) == 0);
  CHECK(std::isnan(chi2_probability(-1, 5)));
  CHECK(std::isnan(chi2_probability(std::nan(""), 5)));
  CHECK(std::isnan(chi2_probability(1, 0)));
}

}  // namespace
}  // namespace gttf::test::GTTF_TEST_FILE
