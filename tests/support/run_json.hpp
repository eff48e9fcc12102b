// SPDX-License-Identifier: Apache-2.0
// What a command of the program prints as JSON.
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/run.hpp"

namespace gttf::test {

inline nlohmann::json json_of(const Folder& folder,
                              const std::string& command) {
  const Outcome r = run(folder, command + " --format json");
  INFO(command);
  INFO(r.err);
  REQUIRE(r.code == 0);
  return nlohmann::json::parse(r.out);
}

inline nlohmann::json json_of(const std::string& command) {
  return json_of(Folder(), command);
}

}  // namespace gttf::test
