// SPDX-License-Identifier: Apache-2.0
#include "bench/peak_memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> counting = false;
std::atomic<std::int64_t> present = 0, most = 0;

void* counted(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  if (counting) {
    const auto size = static_cast<std::int64_t>(malloc_usable_size(block));
    const std::int64_t now = present += size;
    std::int64_t before = most;
    while (before < now && !most.compare_exchange_weak(before, now)) {
    }
  }
  return block;
}

void release(void* block) {
  if (counting && block != nullptr)
    present -= static_cast<std::int64_t>(malloc_usable_size(block));
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(std::malloc(std::max<std::size_t>(size, 1)));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto a = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(a, (size + a - 1) / a * a));
}
void operator delete(void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  release(block);
}

namespace gttf::bench {

PeakMemory::PeakMemory() {
  present = most = 0;
  counting = true;
}

PeakMemory::~PeakMemory() { counting = false; }

std::size_t PeakMemory::bytes() const {
  return static_cast<std::size_t>(most.load());
}

}  // namespace gttf::bench
