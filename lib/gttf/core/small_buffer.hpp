// SPDX-License-Identifier: Apache-2.0
// SmallBuffer: an array of plain numbers, without an allocation if it is short.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace gttf {

/// Elements are uninitialised. Cannot be copied or moved.
/// @tparam most  elements that are stored in the object itself
template <class T, std::size_t most>
class SmallBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit SmallBuffer(std::size_t n) {
    if (n <= most) return;
    many_ = std::make_unique_for_overwrite<T[]>(n);
    begin_ = many_.get();
  }
  SmallBuffer(const SmallBuffer&) = delete;
  SmallBuffer& operator=(const SmallBuffer&) = delete;

  T& operator[](std::size_t i) { return begin_[i]; }
  const T& operator[](std::size_t i) const { return begin_[i]; }

 private:
  alignas(T) std::byte few_[most * sizeof(T)];
  std::unique_ptr<T[]> many_;
  T* begin_ = reinterpret_cast<T*>(few_);
};

}  // namespace gttf
