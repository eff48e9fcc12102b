// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "gttf/study/hits/line_cells.hpp"
#include "gttf/study/hits/plain_hits.hpp"

namespace gttf::detail {
namespace {

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
      possible_(!columns.sigma[0] && !columns.sigma[1] && !columns.module &&
                columns.count <= most_columns),
      count_(columns.count),
      track_(columns.track),
      event_(columns.event),
      layer_(columns.layer),
      position_(columns.position) {
  for (std::size_t i = 0; i < count_; ++i)
    if (i != track_ && i != event_ && i != layer_ &&
        std::ranges::find(position_, i, &LengthColumn::column) ==
            position_.end())
      others_.push_back(i);
  for (const Layer& layer : detector.layers) {
    // a name that must be quoted is no plain cell
    const bool plain =
        layer.name.find_first_of("\"#,; \t\r\n") == std::string::npos;
    layers_.push_back(plain ? std::string_view(layer.name) : "");
    measures_.push_back(layer.measures() ? 1 : 0);
    Beginning& cell = cells_of_layers_.emplace_back();
    if (!plain || layer.name.empty() || layer.name.size() > 8) continue;
    const std::string bytes = layer.name + std::string(8, '\0');
    cell.mask = first_bytes(layer.name.size());
    cell.word = load_eight(bytes.data()) & cell.mask;
  }
}

bool PlainHits::is_plain(std::string_view cell) {
  return !cell.empty() && cell.front() != '#' &&
         cell.find_first_of("\" \t") == cell.npos;
}

PlainHits::Row PlainHits::first_row() const {
  Row row;
  for (int layer = MeasuredHit::nearest;
       layer < static_cast<int>(layers_.size()); ++layer)
    row.followers.push_back(layer + 1);
  return row;
}

/// Most often the same as in the line before.
[[gnu::always_inline]] inline bool PlainHits::read_text(
    std::string_view text, const char* end, std::string_view& cell) {
  const std::size_t n = text.size();
  const bool same =
      n == cell.size() && n > 0 &&
      (n <= 8 && end - text.data() >= 8
           ? ((load_eight(text.data()) ^ load_eight(cell.data())) &
              first_bytes(n)) == 0
           : text == cell);
  if (same) return true;
  if (!is_plain(text)) return false;
  cell = text;
  return true;
}

/// Most often the one that followed that of the line before the last time.
[[gnu::always_inline]] inline bool PlainHits::read_layer(std::string_view text,
                                                         const char* end,
                                                         Row& row) const {
  int& follower = row.followers[static_cast<std::size_t>(row.last_layer + 1)];
  auto layer = static_cast<std::size_t>(follower);
  const bool known =
      layer < layers_.size() && text.size() == layers_[layer].size() &&
      (cells_of_layers_[layer].mask != 0 && end - text.data() >= 8
           ? (load_eight(text.data()) & cells_of_layers_[layer].mask) ==
                 cells_of_layers_[layer].word
           : text == layers_[layer]);
  if (!known)
    layer = static_cast<std::size_t>(std::ranges::find(layers_, text) -
                                     layers_.begin());
  if (layer == layers_.size() || measures_[layer] == 0 || text.empty())
    return false;
  follower = row.last_layer = static_cast<int>(layer);
  return true;
}

template <class Cells>
[[gnu::always_inline]] inline std::size_t PlainHits::read_cells(
    const char* begin, const char* end, Row& row, MeasuredHit& hit) const {
  const Cells cells(begin, end, separator_);
  std::array<const char*, most_columns + 1> begins;
  if (!cells.find(count_, begins.data())) return 0;
  const auto cell = [&](std::size_t column) {
    return std::string_view(begins[column], begins[column + 1] - 1);
  };
  bool good = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string_view text = cell(position_[i].column);
    double value = 0;
    good &= cells.read_number(text.data(), text.data() + text.size(), value);
    hit.position[static_cast<Eigen::Index>(i)] = value * position_[i].unit;
  }
  if (!good) return 0;
  for (const std::size_t column : others_)
    if (!cell(column).empty() && !is_plain(cell(column))) return 0;
  if (!read_text(cell(track_), end, row.track)) return 0;
  if (event_ && !read_text(cell(*event_), end, row.event)) return 0;
  if (layer_) {
    if (!read_layer(cell(*layer_), end, row)) return 0;
    hit.layer = row.last_layer;
  }
  const char* stop = begins[count_] - 1;
  if (stop != end && *stop == '\r') ++stop;
  if (stop != end && *stop != '\n') return 0;
  if (stop != end) ++stop;
  return static_cast<std::size_t>(stop - begin);
}

std::size_t PlainHits::read(std::string_view text, std::size_t from, Row& row,
                            MeasuredHit& hit) const {
  if (!possible_ || from == text.size() || text[from] == '#') return 0;
  const char* const begin = text.data() + from;
  const char* const end = text.data() + text.size();
#if defined(__SSE2__)
  if (from >= MarkedCells::before && text.size() - from >= MarkedCells::ahead)
    if (const std::size_t n = read_cells<MarkedCells>(begin, end, row, hit);
        n > 0)
      return n;
#endif
  return read_cells<SearchedCells>(begin, end, row, hit);
}

}  // namespace gttf::detail
