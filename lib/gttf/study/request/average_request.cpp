// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/request/average_request.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "gttf/config/source.hpp"
#include "gttf/config/text.hpp"
#include "gttf/study/request/axis.hpp"

namespace gttf {

std::string to_string(const AverageRequest& average) {
  if (average.phi && average.vertex) return "phi, vertex and hits";
  if (average.phi) return "phi and hits";
  return average.vertex ? "vertex and hits" : "hits";
}

}  // namespace gttf

namespace gttf::detail {
namespace {

bool number_begins(std::string_view text) {
  return text.find_first_of("0123456789+-.") == 0;
}

/// "phi:1000,hits" is refused: the number of tracks stands at the end.
bool check_number_last(const Source& source, std::size_t colon,
                       Diagnostics& diagnostics) {
  const std::string_view text = source.text();
  const std::size_t comma = text.find(',', colon);
  if (comma == text.npos) return true;
  const std::string_view after = trimmed(text.substr(comma + 1));
  if (after.empty() || number_begins(after)) return true;  // phi:1,000
  const std::string_view number =
      trimmed(text.substr(colon + 1, comma - colon - 1));
  Diagnostic d = source.at(comma + 1, text.size() - comma - 1);
  d.problem = fmt::format("{} after the number of tracks", in_quotes(after));
  d.suggestion = fmt::format("the number stands at the end: write {},{}:{}",
                             trimmed(text.substr(0, colon)), after, number);
  diagnostics.add(std::move(d));
  return false;
}

constexpr std::string_view averaged_things = "phi, vertex or hits";

void read_over(const Value& value, AverageRequest& average) {
  const std::vector<Value> items =
      value.is_list() ? value.items() : std::vector<Value>{value};
  if (items.empty())
    value.error("the list is empty", "write for example [phi, vertex]");
  for (const Value& item : items) {
    if (item.is("phi")) {
      average.phi = true;
    } else if (item.is("vertex")) {
      average.vertex = true;
    } else if (!item.is("hits")) {
      item.expected(averaged_things, "write for example phi, or [phi, vertex]");
    }
  }
}

}  // namespace

std::optional<AverageRequest> read_average(const Value& value) {
  if (value.is("off")) return std::nullopt;
  AverageRequest average;
  if (!value.is_map()) {
    read_over(value, average);
    return average;
  }
  MapReader map(value, "{ over: [phi, vertex], tracks: 256 }");
  if (const auto over = map.require("over", "phi")) read_over(*over, average);
  if (const auto tracks = map.find("tracks")) {
    const auto n = tracks->integer("256");
    if (n && (*n < 2 || *n > static_cast<std::int64_t>(most_sample)))
      tracks->error(
          fmt::format("the number of tracks must lie between 2 and {}, got {}",
                      most_sample, *n));
    else if (n)
      average.tracks = static_cast<std::size_t>(*n);
  }
  map.finish();
  return average;
}

Node average_option(const std::string& text, Diagnostics& diagnostics) {
  const std::string_view first = trimmed(text).substr(0, 1);
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || first == "{" || first == "[")
    return option_node("--average", text, diagnostics);
  const auto source =
      std::make_shared<Source>("--average", text, Source::Kind::option);
  const Origin whole{source, 0, std::max<std::size_t>(1, text.size())};
  if (!check_text(*source, diagnostics) ||
      !check_number_last(*source, colon, diagnostics))
    return Node::make_null(whole);
  const auto scalar = [&](std::size_t begin, std::size_t end) {
    const std::string_view part =
        trimmed(std::string_view(text).substr(begin, end - begin));
    const std::size_t at =
        part.empty() ? begin
                     : static_cast<std::size_t>(part.data() - text.data());
    return Node::make_scalar(
        {source, at, std::max<std::size_t>(1, part.size())}, std::string(part),
        false);
  };
  std::vector<Node> names;
  for (std::size_t begin = 0; begin <= colon;) {
    const std::size_t end = std::min(text.find(',', begin), colon);
    names.push_back(scalar(begin, end));
    begin = end + 1;
  }
  Node tracks = scalar(colon + 1, text.size());
  std::vector<Node::Entry> entries;
  entries.push_back({Node::make_scalar(names[0].origin(), "over", false),
                     Node::make_list(whole, names)});
  entries.push_back(
      {Node::make_scalar(tracks.origin(), "tracks", false), tracks});
  return Node::make_map(whole, std::move(entries));
}

}  // namespace gttf::detail
