// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "gttf/study/hits/seen_tracks.hpp"

namespace gttf::detail {
namespace {

/// "17", but not "017"; of a file without events.
std::optional<std::uint64_t> number_of(const FileTrack& track) {
  const std::string& id = track.id;
  constexpr std::size_t digits = 18;
  if (!track.event.empty() || id.empty() || id.size() > digits ||
      (id.front() == '0' && id.size() > 1))
    return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = id.data() + id.size();
  if (std::from_chars(id.data(), end, number).ptr != end) return std::nullopt;
  return number;
}

}  // namespace

SeenNumbers::Answer SeenNumbers::insert(const FileTrack& track, bool alone) {
  const auto number = number_of(track);
  if (!number) return Answer::neither;
  for (const Run& run : runs_)
    if (*number >= run.first && *number < run.end) return Answer::known;
  if (!alone) return Answer::neither;
  if (!runs_.empty() && runs_.back().end == *number)
    ++runs_.back().end;
  else if (runs_.size() < most_runs)
    runs_.push_back({*number, *number + 1});
  else
    return Answer::neither;
  return Answer::remembered;
}

std::uint64_t SeenKeys::hash_of(const FileTrack& track) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  const std::hash<std::string> hash;
  const std::uint64_t of_event =
      track.event.empty() ? 0 : odd * hash(track.event);
  return (hash(track.id) ^ of_event) | 1;  // 0: free
}

bool SeenKeys::insert(std::uint64_t hash) {
  if (!older_.empty() && older_[place_of(hash, older_)] == hash) return false;
  if (2 * n_ >= newer_.size()) grow();
  std::uint64_t& slot = newer_[place_of(hash, newer_)];
  if (slot == hash) return false;
  slot = hash;
  ++n_;
  return true;
}

/// Where the hash is, or would be put.
std::size_t SeenKeys::place_of(std::uint64_t hash, const Slots& slots) {
  std::size_t i = (hash >> 1) & (slots.size() - 1);
  while (slots[i] != 0 && slots[i] != hash) i = (i + 1) & (slots.size() - 1);
  return i;
}

void SeenKeys::grow() {
  if (newer_.size() == most) {
    older_ = std::exchange(newer_, Slots(most, 0));
    n_ = 0;
    return;
  }
  Slots larger(4 * newer_.size(), 0);  // rarely, since all move
  for (const std::uint64_t hash : newer_)
    if (hash != 0) larger[place_of(hash, larger)] = hash;
  newer_ = std::move(larger);
}

const std::vector<char>& SeenTracks::insert(std::span<const FileTrack> tracks) {
  using Answer = SeenNumbers::Answer;
  is_new_.assign(tracks.size(), 1);
  looked_for_.clear();
  hashes_.clear();
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const bool alone = keys_.empty() && looked_for_.empty();
    const Answer answer = numbers_.insert(tracks[i], alone);
    if (answer == Answer::known) is_new_[i] = 0;
    if (answer != Answer::neither) continue;
    looked_for_.push_back(i);
    hashes_.push_back(SeenKeys::hash_of(tracks[i]));
    keys_.prefetch(hashes_.back());
  }
  for (std::size_t k = 0; k < looked_for_.size(); ++k)
    is_new_[looked_for_[k]] = keys_.insert(hashes_[k]) ? 1 : 0;
  return is_new_;
}

}  // namespace gttf::detail
