// SPDX-License-Identifier: Apache-2.0
// NumberList: structs as a list of numbers and a list of texts, and back.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gttf {

/// Numbers and texts in the order in which transfer() meets them.
struct NumberList {
  std::vector<double> numbers;
  std::vector<std::string> texts;

  friend bool operator==(const NumberList&, const NumberList&) = default;
};

// The template `transfer(list, value)` of a struct lists its members once, for
// both directions. Integers, booleans and enumerators are numbers, too; a
// vector or an optional begins with its size.

/// Appends values to a NumberList.
class ListWriter {
 public:
  explicit ListWriter(NumberList& to) : list_(to) {}
  static constexpr bool writes = true;

  void number(double& x) { list_.numbers.push_back(x); }
  void text(std::string& s) { list_.texts.push_back(s); }

 private:
  NumberList& list_;
};

/// Reads the values. A list that is too short gives zeros and empty texts.
class ListReader {
 public:
  ListReader(std::span<const double> numbers,
             std::span<const std::string> texts)
      : numbers_(numbers), texts_(texts) {}
  static constexpr bool writes = false;

  void number(double& x) {
    x = n_ < numbers_.size() ? numbers_[n_] : 0;
    ++n_;
  }
  void text(std::string& s) {
    s = t_ < texts_.size() ? texts_[t_] : std::string();
    ++t_;
  }
  /// Whether the list had exactly these values.
  bool is_complete() const {
    return n_ == numbers_.size() && t_ == texts_.size();
  }

 private:
  std::span<const double> numbers_;
  std::span<const std::string> texts_;
  std::size_t n_ = 0, t_ = 0;
};

template <class List>
void transfer(List& list, double& x) {
  list.number(x);
}
template <class List>
void transfer(List& list, std::string& s) {
  list.text(s);
}

/// Whole numbers, bool, enumerators.
template <class List, class T>
requires(std::is_integral_v<T> || std::is_enum_v<T>) void transfer(List& list,
                                                                   T& value) {
  double x = static_cast<double>(value);
  list.number(x);
  if constexpr (!List::writes) value = static_cast<T>(static_cast<long>(x));
}

template <class List, class T, std::size_t n>
void transfer(List& list, std::array<T, n>& values) {
  for (T& value : values) transfer(list, value);
}

template <class List, class T>
void transfer(List& list, std::vector<T>& values) {
  std::size_t n = values.size();
  transfer(list, n);
  if constexpr (!List::writes) values.resize(n);
  for (T& value : values) transfer(list, value);
}

template <class List, class T>
void transfer(List& list, std::optional<T>& value) {
  bool there = value.has_value();
  transfer(list, there);
  if constexpr (!List::writes) {
    value.reset();
    if (there) value.emplace();
  }
  if (there) transfer(list, *value);
}

/// Several members, one after the other.
template <class List, class... Members>
void transfer_all(List& list, Members&... members) {
  (transfer(list, members), ...);
}

}  // namespace gttf
