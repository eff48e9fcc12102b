// SPDX-License-Identifier: Apache-2.0
// Document: a tree of values, passed from a study to the JSON writer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/core/variant.hpp"

namespace gttf {

/// A value, a list of documents or named members in the order they were added.
/// A real number that is not finite means "no value".
class Document {
 public:
  using List = std::vector<Document>;
  using Members = std::vector<std::pair<std::string, Document>>;
  using Value = Variant<std::monostate, bool, std::int64_t, double, std::string,
                        List, Members>;

  Document() = default;
  Document(bool v) : value_(v) {}
  Document(int v) : value_(std::int64_t{v}) {}
  Document(std::int64_t v) : value_(v) {}
  Document(double v) : value_(v) {}
  Document(std::string v) : value_(std::move(v)) {}
  Document(std::string_view v) : value_(std::string(v)) {}
  Document(const char* v) : value_(std::string(v)) {}
  Document(List v) : value_(std::move(v)) {}
  Document(Members v) : value_(std::move(v)) {}

  const Value& value() const { return value_; }

  /// Appends a member; an empty document becomes one with members.
  Document& set(std::string name, Document member) {
    if (!std::holds_alternative<Members>(value_)) value_ = Members{};
    std::get<Members>(value_).emplace_back(std::move(name), std::move(member));
    return *this;
  }

  /// Appends to a list; an empty document becomes a list.
  Document& append(Document item) {
    if (!std::holds_alternative<List>(value_)) value_ = List{};
    std::get<List>(value_).push_back(std::move(item));
    return *this;
  }

  /// The member with this name, or nullptr.
  const Document* find(std::string_view name) const {
    if (const auto* members = std::get_if<Members>(&value_))
      for (const auto& [key, member] : *members)
        if (key == name) return &member;
    return nullptr;
  }

 private:
  Value value_;
};

}  // namespace gttf
