// SPDX-License-Identifier: Apache-2.0
#include "support/broken.hpp"

#include "gttf/study/request/read_designs.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("broken studies: every error is reported with exactly this text") {
  const auto answer = [](const std::string& file) -> std::string {
    try {
      StudyRequest request = read_request(file, {});
      if (!request.variants.empty()) read_designs(request, {});
    } catch (const gttf::InputError& e) {
      return e.what();
    }
    return "read without an error";
  };
  CHECK(gttf::test::check_broken("study", answer) >= 40);
}

}  // namespace gttf::test::GTTF_TEST_FILE
