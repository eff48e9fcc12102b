// SPDX-License-Identifier: Apache-2.0
#include "support/broken.hpp"

#include "gttf/study/optimise/read_problem.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("broken optimisations: every mistake gets exactly these messages") {
  const auto answer = [](const std::string& file) -> std::string {
    try {
      Diagnostics warnings;
      read_problem(file, {}, {}, warnings);
    } catch (const InputError& e) {
      return e.what();
    }
    return "read without an error";
  };
  CHECK(check_broken("optimise", answer) >= 60);
}

}  // namespace gttf::test::GTTF_TEST_FILE
