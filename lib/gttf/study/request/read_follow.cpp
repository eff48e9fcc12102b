// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/request/read_follow.hpp"

#include "gttf/config/reader.hpp"
#include "gttf/config/source.hpp"

namespace gttf {

std::optional<Node> read_follow(const std::string& study) {
  if (study.empty() || study == "-") return std::nullopt;
  Diagnostics diagnostics;
  const SourcePtr source = read_source(study, diagnostics, "study");
  const auto root =
      source ? parse_yaml(source, "gttf-study: 1", diagnostics) : std::nullopt;
  if (diagnostics.has_errors()) throw InputError(std::move(diagnostics));
  const Node* follow = root ? root->find("follow") : nullptr;
  if (follow == nullptr) return std::nullopt;
  return *follow;
}

}  // namespace gttf
