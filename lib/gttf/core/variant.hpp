// SPDX-License-Identifier: Apache-2.0
// Variant: a std::variant that can be copied safely when memory runs out.
#pragma once

#include <type_traits>
#include <variant>

namespace gttf {

/// A std::variant of different types. If copying an alternative throws, the
/// exception propagates without further effect. (Copying a std::variant of
/// libstdc++ up to version 12 then destroys an object that was never
/// constructed.) Works with std::visit, std::get etc.
template <class... Alternatives>
class Variant : public std::variant<Alternatives...> {
 public:
  using Base = std::variant<Alternatives...>;
  using Base::Base;
  using Base::operator=;

  Variant() = default;
  Variant(const Variant& other) : Base(copy_of(other)) {}
  Variant(Variant&&) noexcept(std::is_nothrow_move_constructible_v<Base>) =
      default;
  Variant& operator=(const Variant& other) {
    if (this != &other) Base::operator=(copy_of(other));
    return *this;
  }
  Variant& operator=(Variant&&) noexcept(
      std::is_nothrow_move_assignable_v<Base>) = default;
  ~Variant() = default;

 private:
  static Base copy_of(const Base& other) {
    return std::visit(
        [](const auto& value) {
          using Alternative = std::remove_cvref_t<decltype(value)>;
          return Base(std::in_place_type<Alternative>, value);
        },
        other);
  }
};

}  // namespace gttf
