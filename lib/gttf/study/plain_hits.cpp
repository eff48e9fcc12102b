// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>

#include "gttf/study/detail/plain_hits.hpp"

namespace gttf::detail {
namespace {

/// Reads a number that begins with a digit, behind a minus or not: nothing of
/// what std::from_chars takes besides ("nan", ".5").
/// @return  behind it; nullptr: it is written in another way
const char* read_number(const char* at, const char* end, double& value) {
  const char* const digit = at != end && *at == '-' ? at + 1 : at;
  if (digit == end || *digit < '0' || *digit > '9') return nullptr;
  const auto [stop, error] = std::from_chars(at, end, value);
  return error == std::errc() ? stop : nullptr;
}

/// The eight bytes at `from`, the first in the lowest byte.
std::uint64_t load_eight(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  if constexpr (std::endian::native == std::endian::big)
    word = __builtin_bswap64(word);
  return word;
}

/// The bytes of `text`, eight at most, that are not zero in this mask.
constexpr std::uint64_t first_bytes(std::size_t n) {
  return n < 8 ? (std::uint64_t{1} << 8 * n) - 1 : ~std::uint64_t{0};
}

}  // namespace

PlainHits::PlainHits(char separator, const HitColumns& columns,
                     const Detector& detector)
    : separator_(separator),
      possible_(!columns.sigma[0] && !columns.sigma[1]),
      cells_(columns.count, Cell::other) {
  cells_[columns.track] = Cell::track;
  if (columns.event) cells_[*columns.event] = Cell::event;
  if (columns.layer) cells_[*columns.layer] = Cell::layer;
  constexpr Cell axes[] = {Cell::x, Cell::y, Cell::z};
  for (std::size_t i = 0; i < 3; ++i) {
    cells_[columns.position[i].column] = axes[i];
    unit_[i] = columns.position[i].unit;
  }
  for (const Layer& layer : detector.layers) {
    // a name that must be quoted is no plain cell
    const bool plain =
        layer.name.find_first_of("\"#,; \t\r\n") == std::string::npos;
    layers_.push_back(plain ? std::string_view(layer.name) : "");
    measures_.push_back(layer.measures() ? 1 : 0);
    Beginning& cell = cells_of_layers_.emplace_back();
    if (!plain || layer.name.empty() || layer.name.size() >= 8) continue;
    const std::string bytes = layer.name + separator + std::string(8, '\0');
    cell.mask = first_bytes(layer.name.size() + 1);
    cell.word = load_eight(bytes.data()) & cell.mask;
  }
}

const char* PlainHits::text_end(const char* at, const char* end) const {
  if (at == end || *at == '#' || ends_cell(*at)) return nullptr;
  const char* stop = at;
  for (; stop != end && !ends_cell(*stop); ++stop)
    if (*stop == '"' || *stop == ' ' || *stop == '\t') return nullptr;
  return stop;
}

PlainHits::Row PlainHits::first_row() const {
  Row row;
  for (int layer = FileHit::nearest; layer < static_cast<int>(layers_.size());
       ++layer)
    row.followers.push_back(layer + 1);
  return row;
}

/// Most often the same as in the line before.
const char* PlainHits::read_text(const char* at, const char* end,
                                 std::string_view& cell) const {
  const std::size_t n = cell.size();
  // with what ends the cell
  if (n > 0 && n < 8 && end - at >= 8 &&
      ((load_eight(at) ^ load_eight(cell.data())) & first_bytes(n + 1)) == 0)
    return at + n;
  if (n >= 8 && static_cast<std::size_t>(end - at) > n && at[n] == separator_ &&
      std::memcmp(at, cell.data(), n) == 0)
    return at + n;
  const char* const stop = text_end(at, end);
  if (stop != nullptr) cell = {at, static_cast<std::size_t>(stop - at)};
  return stop;
}

/// Most often the one that followed that of the line before the last time.
const char* PlainHits::read_layer(const char* at, const char* end,
                                  Row& row) const {
  int& follower = row.followers[static_cast<std::size_t>(row.last_layer) + 1];
  const char* stop = nullptr;
  auto layer = static_cast<std::size_t>(follower);
  if (layer < layers_.size() && end - at >= 8 &&
      cells_of_layers_[layer].mask != 0 &&
      (load_eight(at) & cells_of_layers_[layer].mask) ==
          cells_of_layers_[layer].word) {
    stop = at + layers_[layer].size();
  } else {
    stop = text_end(at, end);
    if (stop == nullptr) return nullptr;
    const std::string_view name(at, static_cast<std::size_t>(stop - at));
    layer = static_cast<std::size_t>(std::ranges::find(layers_, name) -
                                     layers_.begin());
  }
  if (layer == layers_.size() || measures_[layer] == 0) return nullptr;
  follower = row.hit.layer = row.last_layer = static_cast<int>(layer);
  return stop;
}

std::size_t PlainHits::read(std::string_view text, Row& row) const {
  if (!possible_ || text.empty() || text.front() == '#') return 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* at = begin;
  row.hit.layer = FileHit::nearest;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (i > 0) {
      if (at == end || *at != separator_) return 0;
      ++at;
    }
    const auto number = [&](std::size_t axis) {
      double value = 0;
      const char* const stop = read_number(at, end, value);
      row.hit.position[static_cast<Eigen::Index>(axis)] = value * unit_[axis];
      return stop;
    };
    switch (cells_[i]) {
      case Cell::track:
        at = read_text(at, end, row.track);
        break;
      case Cell::event:
        at = read_text(at, end, row.event);
        break;
      case Cell::layer:
        at = read_layer(at, end, row);
        break;
      case Cell::x:
        at = number(0);
        break;
      case Cell::y:
        at = number(1);
        break;
      case Cell::z:
        at = number(2);
        break;
      case Cell::other:
        if (at == end || !ends_cell(*at)) at = text_end(at, end);
    }
    if (at == nullptr) return 0;
  }
  if (at != end && *at == '\r') ++at;
  if (at != end && *at != '\n') return 0;
  if (at != end) ++at;
  return static_cast<std::size_t>(at - begin);
}

}  // namespace gttf::detail
