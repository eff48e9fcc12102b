// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/request/read_follow.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/config/reader.hpp"
#include "gttf/config/source.hpp"
#include "gttf/config/text.hpp"

namespace gttf {
namespace {

/// Part of an option, without the spaces around it.
Node part_of_option(const SourcePtr& source, std::size_t begin,
                    std::size_t end) {
  const std::string_view text = source->text();
  const std::string_view part = trimmed(text.substr(begin, end - begin));
  const std::size_t at =
      part.empty() ? begin
                   : static_cast<std::size_t>(part.data() - text.data());
  return Node::make_scalar({source, at, std::max<std::size_t>(1, part.size())},
                           std::string(part), false);
}

Node follow_of_options(std::span<const std::string> options) {
  Diagnostics diagnostics;
  std::vector<Node::Entry> entries;
  for (const std::string& text : options) {
    const SourcePtr source =
        std::make_shared<Source>("--follow", text, Source::Kind::option);
    if (!check_text(*source, diagnostics)) continue;
    const auto error = [&](std::string problem, std::string suggestion) {
      Diagnostic d = source->at(0, std::max<std::size_t>(1, text.size()));
      d.problem = std::move(problem);
      d.suggestion = std::move(suggestion);
      diagnostics.add(std::move(d));
    };
    const std::size_t equals = text.find('=');
    if (equals == text.npos || trimmed(text).front() == '=') {
      error("expected KEY=FORMULA",
            "write for example 'layers[L0].cylinder.half_length=radius / "
            "tan(15 deg)'");
      continue;
    }
    Node key = part_of_option(source, 0, equals);
    if (std::ranges::any_of(entries, [&key](const Node::Entry& other) {
          return other.key.text() == key.text();
        })) {
      error("the key " + in_quotes(key.text()) + " is given twice",
            "remove one of the two");
      continue;
    }
    entries.push_back(
        {std::move(key), part_of_option(source, equals + 1, text.size())});
  }
  if (diagnostics.has_errors()) throw InputError(std::move(diagnostics));
  Origin origin = entries.front().key.origin();
  return Node::make_map(std::move(origin), std::move(entries));
}

}  // namespace

std::optional<Node> read_follow(const std::string& study,
                                std::span<const std::string> options) {
  if (!options.empty()) return follow_of_options(options);
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
