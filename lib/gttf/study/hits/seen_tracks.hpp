// SPDX-License-Identifier: Apache-2.0
// SeenTracks: which tracks of a long file were there before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gttf/study/hits/hit_file.hpp"

namespace gttf::detail {

/// Remembers tracks that are numbered upwards, without events, by where the
/// numbers begin and end: most files need nothing else.
class SeenNumbers {
 public:
  enum class Answer : char {
    known,
    remembered,  ///< it is new
    neither,     ///< it has to be looked for, and remembered, elsewhere
  };

  /// @param alone  no track is remembered elsewhere
  Answer insert(const FileTrack& track, bool alone);

 private:
  static constexpr std::size_t most_runs = 8;
  struct Run {
    std::uint64_t first, end;
  };

  std::vector<Run> runs_;
};

/// Remembers at least the last half million keys in bounded memory (16 MB), by
/// their 64-bit hashes: of a million tracks two agree once in 40 million files.
class SeenKeys {
 public:
  static std::uint64_t hash_of(const FileTrack& track);

  /// Tells the processor what insert() will look at. Inlined, since g++ 12
  /// leaves out calls of functions that do nothing else.
  [[gnu::always_inline]] void prefetch(std::uint64_t hash) const {
    for (const Slots* slots : {&newer_, &older_})
      if (!slots->empty())
        __builtin_prefetch(&(*slots)[(hash >> 1) & (slots->size() - 1)]);
  }

  bool empty() const { return n_ == 0 && older_.empty(); }

  /// Whether the key is new.
  bool insert(std::uint64_t hash);

 private:
  using Slots = std::vector<std::uint64_t>;
  static constexpr std::size_t most = std::size_t{1} << 20;

  static std::size_t place_of(std::uint64_t hash, const Slots& slots);
  void grow();

  Slots newer_ = Slots(1024, 0), older_;
  std::size_t n_ = 0;
};

/// Remembers all tracks that are numbered upwards, and of others at least the
/// last half million.
class SeenTracks {
 public:
  /// Whether each of the tracks is new; valid until the next call.
  const std::vector<char>& insert(std::span<const FileTrack> tracks);

 private:
  SeenNumbers numbers_;
  SeenKeys keys_;
  std::vector<char> is_new_;
  std::vector<std::size_t> looked_for_;  // of the tracks, among the keys
  std::vector<std::uint64_t> hashes_;    // of these
};

}  // namespace gttf::detail
