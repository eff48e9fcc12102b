// SPDX-License-Identifier: Apache-2.0

#include "gttf/study/hits/hit_parser.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "gttf/config/quantity.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/study/hits/line_cells.hpp"

namespace gttf::detail {
namespace {

/// A numeric identifier of a name; 0 for an empty cell.
std::uint64_t module_of(std::string_view name) {
  return name.empty() ? 0 : std::hash<std::string_view>()(name) | 1;
}

}  // namespace

HitParser::HitParser(const CsvReader& file, const HitColumns& columns,
                     const Detector& detector)
    : file_(file.name()),
      separator_(file.separator()),
      columns_(columns),
      detector_(detector),
      plain_(separator_, columns, detector) {
  for (std::size_t i = 0; i < detector.layers.size(); ++i) {
    const Layer& layer = detector.layers[i];
    layers_.emplace(layer.name, static_cast<int>(i));
    auto& measures = measures_.emplace_back();
    for (std::size_t axis = 0; axis < 2; ++axis)
      for (const Coordinate& c : layer.coordinates)
        if (is_along(c, axis)) measures[axis] = true;
  }
}

/// Conversion of one line to a hit.
class HitParser::Row {
 public:
  /// @param last_layer  of the previous hit; set to the layer of this hit
  Row(const HitParser& parser, const CsvLine& line, int& last_layer,
      ParsedBlock& block)
      : parser_(parser), line_(line), last_layer_(last_layer), block_(block) {}

  /// Whether the line is valid; otherwise an error was added.
  bool read(MeasuredHit& hit) {
    const HitColumns& columns = parser_.columns_;
    if (!line_.problem.empty()) return add(line_.at_problem(parser_.file_));
    if (line_.cells.size() != columns.count) return wrong_count();
    if (line_.cells[columns.track].empty())
      return error(columns.track, "the track has no name or number");
    for (int i = 0; i < 3; ++i) {
      const LengthColumn& c = columns.position[static_cast<std::size_t>(i)];
      if (!number(c.column, hit.position[i])) return false;
      hit.position[i] *= c.unit;
    }
    hit.line = line_.number;
    if (columns.module) hit.module = module_of(line_.cells[*columns.module]);
    return read_layer(hit) && read_sigmas(hit);
  }

 private:
  bool read_layer(MeasuredHit& hit) {
    hit.layer = MeasuredHit::nearest;
    if (!parser_.columns_.layer) return true;
    const std::size_t column = *parser_.columns_.layer;
    const std::string_view name = line_.cells[column];
    if (name.empty()) return true;
    // usually the one after the layer of the previous hit
    const auto& layers = parser_.detector_.layers;
    const auto next = static_cast<std::size_t>(last_layer_) + 1;
    if (next < layers.size() && layers[next].name == name) {
      hit.layer = static_cast<int>(next);
      last_layer_ = hit.layer;
      return true;
    }
    const auto at = parser_.layers_.find(name);
    if (at != parser_.layers_.end()) {
      hit.layer = at->second;
      last_layer_ = hit.layer;
      return true;
    }
    std::vector<std::string> names;
    for (const Layer& layer : parser_.detector_.layers)
      names.push_back(layer.name);
    const auto near = nearest(name, names);
    return error(column,
                 fmt::format("the detector has no layer {}", in_quotes(name)),
                 near ? fmt::format("did you mean {}?", in_quotes(*near))
                      : "its layers are " + joined(names));
  }

  bool read_sigmas(MeasuredHit& hit) {
    hit.sigma = {MeasuredHit::none, MeasuredHit::none};
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const auto& c = parser_.columns_.sigma[axis];
      if (!c || line_.cells[c->column].empty()) continue;
      double sigma = 0;
      if (!number(c->column, sigma)) return false;
      if (!(sigma > 0) || !std::isfinite(sigma))
        return error(c->column,
                     fmt::format("an error must be positive, got {}",
                                 in_quotes(line_.cells[c->column])),
                     "leave the cell empty to use the error of the layer");
      hit.sigma[axis] = sigma * c->unit;
      if (!check_axis(hit, axis, c->column)) return false;
    }
    const bool passive = hit.layer >= 0 && !layer_of(hit).measures() &&
                         std::isnan(hit.sigma[0]) && std::isnan(hit.sigma[1]);
    if (passive)
      return error(*parser_.columns_.layer,
                   fmt::format("the layer {} measures nothing",
                               in_quotes(layer_of(hit).name)),
                   "add \"measures\" to it in the detector file, or give "
                   "sigma_u and sigma_v here");
    if (hit.layer >= 0 && lacks_error(hit))
      return error(*parser_.columns_.layer,
                   fmt::format("the error of the layer {} depends on the track",
                               in_quotes(layer_of(hit).name)),
                   "give the errors of its hits: sigma_u_um, sigma_v_um");
    return true;
  }

  /// Whether the layer error depends on the track and the hit has none itself.
  bool lacks_error(const MeasuredHit& hit) const {
    return std::ranges::any_of(
        layer_of(hit).coordinates, [&](const Coordinate& c) {
          const std::size_t axis = std::abs(std::cos(c.angle)) > 0.5 ? 0 : 1;
          return c.error != nullptr && std::isnan(hit.sigma[axis]);
        });
  }

  /// An error of a coordinate that the layer does not measure would have no
  /// effect. A passive layer accepts both.
  bool check_axis(const MeasuredHit& hit, std::size_t axis,
                  std::size_t column) {
    if (hit.layer < 0) return true;
    const Layer& layer = layer_of(hit);
    const auto index = static_cast<std::size_t>(hit.layer);
    if (!layer.measures() || parser_.measures_[index][axis]) return true;
    return error(column,
                 fmt::format("the layer {} measures no coordinate along {}",
                             in_quotes(layer.name), general_axes[axis]),
                 "leave the cell empty");
  }

  const Layer& layer_of(const MeasuredHit& hit) const {
    return parser_.detector_.layers[static_cast<std::size_t>(hit.layer)];
  }

  bool number(std::size_t column, double& value) {
    const std::string_view cell = line_.cells[column];
    const char* const problem = parse_number(cell, value);
    if (problem == nullptr) return true;
    if (cell.empty()) return error(column, "an empty cell, expected a number");
    const std::size_t comma = cell.find(',');
    std::string suggestion;
    if (comma != cell.npos) {
      std::string mended(cell);
      mended[comma] = '.';
      suggestion = fmt::format("write {}", in_quotes(mended));
    } else if (Parsed<double> p = parse_quantity(cell, Dimension::length); p) {
      suggestion = "units belong in the header line only";
    }
    return error(column, fmt::format("{}: {}", problem, in_quotes(cell)),
                 std::move(suggestion));
  }

  bool wrong_count() {
    const std::size_t have = line_.cells.size(), want = parser_.columns_.count;
    const bool many = have > want;
    return error(many ? want : have,
                 fmt::format("{} cells, the header line has {}", have, want),
                 many && parser_.separator_ == ','
                     ? "a decimal comma? write a point"
                     : "");
  }

  bool error(std::size_t cell, std::string problem,
             std::string suggestion = {}) {
    if (block_.n_errors >= HitFile::max_errors) return add({});
    Diagnostic d = line_.at(parser_.file_, cell);
    d.problem = std::move(problem);
    d.suggestion = std::move(suggestion);
    return add(std::move(d));
  }

  bool add(Diagnostic d) {
    if (block_.n_errors++ < HitFile::max_errors)
      block_.errors.add(std::move(d));
    return false;
  }

  const HitParser& parser_;
  const CsvLine& line_;
  int& last_layer_;
  ParsedBlock& block_;
};

ParsedBlock HitParser::parse(const CsvBlock& block) const {
  ParsedBlock parsed;
  constexpr std::size_t short_line = 32;  // bytes
  std::vector<MeasuredHit>& hits = parsed.tracks.hits;
  hits.reserve(block.text.size() / short_line);
  std::vector<FileTrack>& tracks = parsed.tracks.tracks;
  constexpr std::size_t few_hits = 8;
  tracks.reserve(hits.capacity() / few_hits);
  // adds to the track of the last hit, or to a new one
  const auto add = [&](std::string_view id, std::string_view event) {
    if (tracks.empty() || tracks.back().id != id ||
        tracks.back().event != event) {
      FileTrack& track = tracks.emplace_back();
      track.event = event;
      track.id = id;
      track.first = hits.size() - 1;
      track.line = hits.back().line;
    }
    ++tracks.back().count;
  };
  CsvLines lines(block, separator_);
  PlainHits::Row plain = plain_.first_row();
  while (true) {
    const char* const track = plain.track.data();
    const char* const event = plain.event.data();
    // constructed in place, because a copy would stall
    MeasuredHit& hit = hits.emplace_back();
    if (const std::size_t n =
            plain_.read(block.text, lines.offset(), plain, hit);
        n > 0) {
      hit.line = lines.number();
      lines.pass(n);
      // equal cells are taken from the previous line
      if (track != nullptr && track == plain.track.data() &&
          event == plain.event.data())
        ++tracks.back().count;
      else
        add(plain.track, plain.event);
      continue;
    }
    plain.track = plain.event = {};
    hits.pop_back();
    const CsvLine* line = lines.next();
    if (line == nullptr) break;
    if (!Row(*this, *line, plain.last_layer, parsed)
             .read(hits.emplace_back())) {
      hits.pop_back();
      continue;
    }
    add(line->cells[columns_.track],
        columns_.event ? line->cells[*columns_.event] : std::string_view());
  }
  return parsed;
}

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

namespace {

bool has_track_errors(const Detector& detector) {
  return std::ranges::any_of(detector.layers, [](const Layer& layer) {
    return std::ranges::any_of(layer.coordinates, [](const Coordinate& c) {
      return c.error != nullptr;
    });
  });
}

}  // namespace

PlainHits::PlainHits(char separator, const HitColumns& columns,
                     const Detector& detector)
    : separator_(separator),
      possible_(!columns.sigma[0] && !columns.sigma[1] && !columns.module &&
                columns.count <= most_columns && !has_track_errors(detector)),
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
    // a name that must be quoted is not a plain cell
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

/// Usually the same as in the previous line.
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

/// Usually the layer that last followed the layer of the previous line.
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
