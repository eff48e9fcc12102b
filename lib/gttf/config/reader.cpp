// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gttf/config/text.hpp"

namespace gttf {

void Value::add(Severity severity, std::string problem,
                std::string suggestion) const {
  Diagnostic d = diagnostic_at(node_);
  d.severity = severity;
  d.path = path_;
  d.problem = std::move(problem);
  d.suggestion = std::move(suggestion);
  if (!node_.alias().empty()) {
    const Origin& there = node_.definition();
    d.problem += fmt::format(" ({} is set in line {})", node_.alias(),
                             there.source->line_of(there.offset));
  }
  diagnostics_->add(std::move(d));
}

void Value::error(std::string problem, std::string suggestion) const {
  add(Severity::error, std::move(problem), std::move(suggestion));
}

void Value::warning(std::string problem, std::string suggestion) const {
  add(Severity::warning, std::move(problem), std::move(suggestion));
}

void Value::expected(std::string_view what, std::string suggestion) const {
  error(fmt::format("expected {}, got {}", what, describe(node_)),
        std::move(suggestion));
}

Value Value::part(std::size_t offset, std::size_t length) const {
  const Origin& origin = node_.origin();
  const std::string_view written =
      std::string_view(origin.source->text()).substr(origin.offset);
  if (length == 0 || !written.starts_with(node_.text())) return *this;
  const Origin place{origin.source, origin.offset + offset, length};
  return {node_.used_at(place, node_.alias()), path_, *diagnostics_};
}

template <class Number>
std::optional<Number> Value::report(const Parsed<Number>& parsed) const {
  if (parsed) return parsed.value;
  part(parsed.offset, parsed.length).error(parsed.problem, parsed.suggestion);
  return std::nullopt;
}

std::optional<double> Value::quantity(Dimension dimension,
                                      std::string_view example_unit) const {
  if (is_scalar())
    return report(parse_quantity(node_.text(), dimension, example_unit));
  expected(name_of(dimension));
  return std::nullopt;
}

std::optional<std::int64_t> Value::integer(std::string_view example) const {
  if (is_scalar()) return report(parse_integer(node_.text(), example));
  expected("a whole number");
  return std::nullopt;
}

std::optional<std::string> Value::text(std::string_view what) const {
  if (!is_scalar()) {
    expected(what);
    return std::nullopt;
  }
  if (trimmed(node_.text()).empty()) {
    error(fmt::format("expected {}, got an empty text", what));
    return std::nullopt;
  }
  return node_.text();
}

std::optional<bool> Value::boolean() const {
  if (is("true")) return true;
  if (is("false")) return false;
  const std::string lower = is_scalar() ? lower_case(node_.text()) : "";
  const bool yes =
      lower == "yes" || lower == "on" || lower == "y" || lower == "true";
  const bool no =
      lower == "no" || lower == "off" || lower == "n" || lower == "false";
  expected("true or false", yes ? "write true" : (no ? "write false" : ""));
  return std::nullopt;
}

std::optional<std::size_t> Value::choice(
    std::string_view what, const std::vector<std::string>& choices) const {
  if (!is_scalar()) {
    expected(what, fmt::format("one of {}", joined(choices)));
    return std::nullopt;
  }
  const auto it = std::ranges::find(choices, node_.text());
  if (it != choices.end())
    return static_cast<std::size_t>(it - choices.begin());
  const auto near = nearest(node_.text(), choices);
  error(fmt::format("unknown {} {}", what, in_quotes(node_.text())),
        near ? fmt::format("did you mean {}? known: {}", in_quotes(*near),
                           joined(choices))
             : fmt::format("known: {}", joined(choices)));
  return std::nullopt;
}

std::vector<Value> Value::items() const {
  std::vector<Value> values;
  for (std::size_t i = 0; i < node_.items().size(); ++i)
    values.emplace_back(node_.items()[i], fmt::format("{}[{}]", path_, i),
                        *diagnostics_);
  return values;
}

MapReader::MapReader(const Value& value, std::string_view what)
    : value_(value) {
  if (!value_.is_map()) value_.expected(what);
}

std::string MapReader::path_of(std::string_view key) const {
  const bool is_plain =
      !key.empty() && key.find_first_of(".[] ") == std::string_view::npos;
  if (!is_plain) return fmt::format("{}[{}]", value_.path(), key);
  if (value_.path().empty()) return std::string(key);
  return fmt::format("{}.{}", value_.path(), key);
}

std::optional<Value> MapReader::find(std::string_view key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.emplace_back(key);
  const Node* node = value_.node().find(key);
  if (!node) return std::nullopt;
  return Value(*node, path_of(key), value_.diagnostics());
}

std::optional<Value> MapReader::require(std::string_view key,
                                        std::string_view example) {
  std::optional<Value> value = find(key);
  if (!value && *this)
    value_.error(fmt::format("the key {} is missing", in_quotes(key)),
                 fmt::format("add for example \"{}: {}\"", key, example));
  return value;
}

void MapReader::finish() {
  for (const Node::Entry& entry : value_.node().entries()) {
    const std::string& key = entry.key.text();
    if (std::ranges::find(known_, key) != known_.end()) continue;
    if (!prefix_.empty() && key.starts_with(prefix_)) continue;
    const auto near = nearest(key, known_);
    Value(entry.key, path_of(key), value_.diagnostics())
        .error(fmt::format("unknown key {}", in_quotes(key)),
               near ? fmt::format("did you mean {}? allowed: {}",
                                  in_quotes(*near), joined(known_))
                    : fmt::format("allowed: {}", joined(known_)));
  }
}

Value key_value(const Value& map, const Node::Entry& entry) {
  const std::string& key = entry.key.text();
  return {entry.key, map.path().empty() ? key : map.path() + '.' + key,
          map.diagnostics()};
}

}  // namespace gttf
