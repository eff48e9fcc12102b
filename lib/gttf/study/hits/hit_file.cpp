// SPDX-License-Identifier: Apache-2.0

#include "gttf/study/hits/hit_file.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gttf/config/quantity.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/study/hits/hit_parser.hpp"

namespace gttf {
namespace {

enum Name : std::size_t {
  track,
  event,
  layer,
  module_name,
  x,
  y,
  z,
  sigma_u,
  sigma_v
};
constexpr std::array<std::string_view, 9> names{
    "track", "event", "layer", "module", "x", "y", "z", "sigma_u", "sigma_v"};
constexpr bool is_length(std::size_t name) { return name >= x; }

/// "x_mm", "x [mm]" or "x (mm)" as name and unit.
struct Heading {
  std::string name, unit;
};

Heading split(std::string_view cell) {
  const std::size_t open = cell.find_first_of("[(");
  if (open != cell.npos && (cell.ends_with(']') || cell.ends_with(')')))
    return {
        std::string(trimmed(cell.substr(0, open))),
        std::string(trimmed(cell.substr(open + 1, cell.size() - open - 2)))};
  for (std::size_t i = names.size(); i-- > x;) {
    const std::string_view name = names[i];
    if (cell.starts_with(name) && cell.substr(name.size()).starts_with('_'))
      return {std::string(name), std::string(cell.substr(name.size() + 1))};
  }
  return {std::string(cell), ""};
}

/// Millimetres of a unit of length; nothing for other texts.
std::optional<double> length_of(const std::string& unit) {
  if (unit.empty() || (unit[0] >= '0' && unit[0] <= '9')) return std::nullopt;
  const Parsed<double> one = parse_quantity("1 " + unit, Dimension::length);
  if (!one) return std::nullopt;
  return one.value;
}

class HeaderReader {
 public:
  explicit HeaderReader(const CsvReader& file)
      : file_(file), header_(file.header()) {}

  HitColumns read(Diagnostics& warnings) {
    for (std::size_t i = 0; i < header_.cells.size(); ++i) take(i);
    for (std::size_t n = 0; n < names.size(); ++n)
      if (!found_[n]) explain_missing(n);
    warn_of_unused(warnings);
    if (errors_.has_errors()) throw InputError(std::move(errors_));
    HitColumns columns;
    columns.count = header_.cells.size();
    columns.track = found_[track]->column;
    if (found_[event]) columns.event = found_[event]->column;
    if (found_[layer]) columns.layer = found_[layer]->column;
    if (found_[module_name]) columns.module = found_[module_name]->column;
    for (std::size_t i = 0; i < 3; ++i) columns.position[i] = *found_[x + i];
    for (std::size_t i = 0; i < 2; ++i) columns.sigma[i] = found_[sigma_u + i];
    return columns;
  }

 private:
  std::string cell(std::size_t i) const {
    return std::string(header_.cells[i]);
  }

  void take(std::size_t i) {
    std::string name = cell(i), unit;
    const std::string lower = lower_case(name);
    if (lower == "track_id") name = "track";
    if (lower == "event_id") name = "event";
    if (const Heading heading = split(name); length_of(heading.unit)) {
      name = heading.name;
      unit = heading.unit;
    }
    const auto at = std::ranges::find(names, lower_case(name));
    const auto n = static_cast<std::size_t>(at - names.begin());
    if (at == names.end() || is_length(n) == unit.empty()) {
      unused_.push_back(i);
      return;
    }
    if (found_[n]) {
      error(i, fmt::format("a second column for {}", in_quotes(names[n])),
            "remove one of the two");
      return;
    }
    found_[n] = LengthColumn{i, is_length(n) ? *length_of(unit) : 1};
  }

  /// A required column, or a column intended to be one.
  void explain_missing(std::size_t n) {
    const bool required = n == track || (is_length(n) && n < sigma_u);
    const std::string name(names[n]);
    const std::string example =
        is_length(n) ? name + (n < sigma_u ? "_mm" : "_um") : name;
    for (auto it = unused_.begin(); it != unused_.end(); ++it) {
      const Heading heading = split(cell(*it));
      const bool same = is_length(n) && lower_case(heading.name) == name;
      if (!same) continue;
      // x_over_x0 and similar names are other columns if x is present
      const std::size_t i = *it;
      unused_.erase(it);
      if (heading.unit.empty())
        error(i, fmt::format("missing unit of {}", in_quotes(cell(i))),
              fmt::format("write for example \"{}\"", example));
      else
        error(i,
              fmt::format("unknown unit {} in {}: expected a length",
                          in_quotes(heading.unit), in_quotes(cell(i))),
              fmt::format("write for example \"{}\"; lengths are in nm, um, "
                          "mm, cm, m",
                          example));
      return;
    }
    const std::vector<std::string> wanted{example};
    for (auto it = unused_.begin(); it != unused_.end(); ++it) {
      // A single letter is similar to every other one.
      if (header_.cells[*it].size() < 3 || !nearest(header_.cells[*it], wanted))
        continue;
      const std::size_t i = *it;
      unused_.erase(it);
      error(i, fmt::format("unknown column {}", in_quotes(cell(i))),
            fmt::format("did you mean {}?", in_quotes(example)));
      return;
    }
    if (required)
      error(header_.cells.size(),
            fmt::format("no column {}", in_quotes(example)),
            fmt::format("write for example \"{}\"", hit_header_example));
  }

  void warn_of_unused(Diagnostics& warnings) const {
    if (unused_.empty()) return;
    std::vector<std::string> cells;
    for (const std::size_t i : unused_) cells.push_back(cell(i));
    Diagnostic d = header_.at(file_.name(), unused_.front());
    d.severity = Severity::warning;
    d.problem = fmt::format("not used: {}", joined(cells));
    warnings.add(std::move(d));
  }

  void error(std::size_t i, std::string problem, std::string suggestion) {
    Diagnostic d = header_.at(file_.name(), i);
    d.problem = std::move(problem);
    d.suggestion = std::move(suggestion);
    errors_.add(std::move(d));
  }

  const CsvReader& file_;
  const CsvLine& header_;
  std::array<std::optional<LengthColumn>, names.size()> found_;
  std::vector<std::size_t> unused_;
  Diagnostics errors_;
};

}  // namespace

HitColumns read_hit_columns(const CsvReader& file, Diagnostics& warnings) {
  return HeaderReader(file).read(warnings);
}

namespace {

constexpr std::size_t blocks_per_thread = 4;
constexpr std::size_t hits_per_block = 4096;  // TrackOrder::any

std::string key_of(const FileTrack& track) {
  // Cells do not contain line breaks.
  return track.event + '\n' + track.id;
}

}  // namespace

/// Joins tracks that are split between blocks of lines.
class HitFile::Assembler {
 public:
  using ParsedBlock = detail::ParsedBlock;
  using SeenTracks = detail::SeenTracks;

  /// Adds a block and extracts the complete tracks: all except the last one.
  /// Repeated tracks are left out and reported as errors.
  HitBlock add(ParsedBlock& parsed) {
    HitBlock block = std::move(parsed.tracks);
    if (block.tracks.empty()) return block;
    join(block);
    open_ = {};
    FileTrack& last = block.tracks.back();
    const auto first = block.hits.begin() + at(last.first);
    open_.hits.assign(first, first + at(last.count));
    open_.tracks.push_back(std::move(last));
    open_.tracks.back().first = 0;
    block.tracks.pop_back();
    for (FileTrack& track : block.tracks) bound(track);
    // The last one may continue.
    leave_out_known(block, parsed);
    trim_open();
    return block;
  }

  /// The incomplete track.
  HitBlock finish(ParsedBlock& parsed) {
    HitBlock block = std::exchange(open_, {});
    leave_out_known(block, parsed);
    return block;
  }

  std::size_t left_out() const { return left_out_; }

 private:
  static std::ptrdiff_t at(std::size_t i) {
    return static_cast<std::ptrdiff_t>(i);
  }

  /// Puts the open track before the tracks of the block, or joins it with the
  /// first; its hits are appended, so that the others are not moved.
  void join(HitBlock& block) {
    if (open_.tracks.empty()) return;
    std::vector<MeasuredHit>& hits = block.hits;
    FileTrack& open = open_.tracks.front();
    FileTrack& first = block.tracks.front();
    open.first = hits.size();
    hits.insert(hits.end(), open_.hits.begin(), open_.hits.end());
    if (open.id != first.id || open.event != first.event) {
      block.tracks.insert(block.tracks.begin(), std::move(open));
      return;
    }
    hits.resize(hits.size() + first.count);
    std::copy_n(hits.begin() + at(first.first), first.count,
                hits.end() - at(first.count));
    first.first = open.first;
    first.count += open.count;
    first.line = open.line;
    first.left_out += open.left_out;
  }

  static void bound(FileTrack& track) {
    if (track.count <= max_hits) return;
    track.left_out += track.count - max_hits;
    track.count = max_hits;
  }

  void trim_open() {
    FileTrack& open = open_.tracks.front();
    bound(open);
    open_.hits.resize(open.count);
  }

  /// Leaves out tracks that occurred before.
  void leave_out_known(HitBlock& block, ParsedBlock& parsed) {
    const std::vector<char>& is_new = seen_.insert(block.tracks);
    std::size_t n_kept = 0;
    for (std::size_t i = 0; i < block.tracks.size(); ++i) {
      FileTrack& track = block.tracks[i];
      if (is_new[i] == 0) {
        add_error(track, parsed);
        continue;
      }
      if (n_kept != i) block.tracks[n_kept] = std::move(track);
      ++n_kept;
    }
    block.tracks.resize(n_kept);
  }

  void add_error(const FileTrack& track, ParsedBlock& parsed) {
    left_out_ += track.count + track.left_out;
    ++parsed.n_errors;
    Diagnostic d;
    d.line = static_cast<int>(track.line);
    d.column = 1;
    d.problem = fmt::format(
        "the hits of track {} are not contiguous: earlier lines also contain "
        "it",
        in_quotes(track.event.empty() ? track.id
                                      : track.event + "/" + track.id));
    d.suggestion = "sort the file by track, or add --unsorted";
    if (parsed.errors.items().size() < max_errors)
      parsed.errors.add(std::move(d));
  }

  HitBlock open_;  // one track or none
  SeenTracks seen_;
  std::size_t left_out_ = 0;
};

struct HitFile::State {
  State(const std::string& path, const Detector& detector,
        const HitFileOptions& o)
      : reader(path, hit_header_example, o.hashed, "hits"),
        columns(read_hit_columns(reader, messages)),
        parser(reader, columns, detector),
        options(o) {}

  std::vector<detail::ParsedBlock> parse_next();
  void judge(detail::ParsedBlock& block);
  std::vector<HitBlock> read_all();

  Diagnostics messages;
  CsvReader reader;
  HitColumns columns;
  detail::HitParser parser;
  HitFileOptions options;
  Assembler assembler;
  std::vector<HitBlock> sorted;  // TrackOrder::any, last first
  bool at_end = false;
  std::size_t bad_lines = 0, shown = 0;
};

/// The next blocks of lines; empty at the end.
std::vector<detail::ParsedBlock> HitFile::State::parse_next() {
  std::vector<CsvBlock> lines;
  CsvBlock block;
  while (lines.size() < blocks_per_thread * options.threads &&
         reader.next(block))
    lines.push_back(std::move(block));
  std::vector<detail::ParsedBlock> parsed(lines.size());
  parallel_workers(lines.size(), options.threads, [&](const auto& next) {
    while (const auto i = next()) {
      parsed[*i] = parser.parse(lines[*i]);
      lines[*i] = {};
    }
  });
  return parsed;
}

/// Stops at the first block with errors, or keeps them as messages.
void HitFile::State::judge(detail::ParsedBlock& block) {
  if (block.n_errors == 0) return;
  Diagnostics errors;
  for (Diagnostic d : block.errors.items()) {
    d.file = parser.file();
    if (options.bad_rows == BadRows::skip) {
      if (shown++ >= max_errors) break;
      d.severity = Severity::warning;
      messages.add(std::move(d));
    } else {
      errors.add(std::move(d));
    }
  }
  if (options.bad_rows == BadRows::skip) return;
  if (block.n_errors > errors.items().size()) {
    Diagnostic d;
    d.file = parser.file();
    d.problem = fmt::format("{} more bad lines near these",
                            block.n_errors - errors.items().size());
    errors.add(std::move(d));
  }
  throw InputError(std::move(errors));
}

/// Collects the hits of every track, in the order of their first hits.
std::vector<HitBlock> HitFile::State::read_all() {
  struct Collected {
    FileTrack track;
    std::vector<MeasuredHit> hits;
  };
  std::vector<Collected> all;
  std::unordered_map<std::string, std::size_t> index;
  for (auto wave = parse_next(); !wave.empty(); wave = parse_next()) {
    for (detail::ParsedBlock& block : wave) {
      bad_lines += block.n_errors;
      judge(block);
      for (FileTrack& part : block.tracks.tracks) {
        const auto [it, is_new] = index.emplace(key_of(part), all.size());
        if (is_new) all.push_back({part, {}});
        Collected& c = all[it->second];
        const auto hits = block.tracks.hits_of(part);
        const std::size_t room = max_hits - c.hits.size();
        const std::size_t n = std::min(room, hits.size());
        c.hits.insert(c.hits.end(), hits.data(), hits.data() + n);
        c.track.left_out += hits.size() - n;
      }
    }
  }
  std::vector<HitBlock> blocks;
  for (Collected& c : all) {
    if (blocks.empty() || blocks.back().hits.size() >= hits_per_block)
      blocks.emplace_back();
    HitBlock& block = blocks.back();
    c.track.first = block.hits.size();
    c.track.count = c.hits.size();
    block.hits.insert(block.hits.end(), c.hits.begin(), c.hits.end());
    block.tracks.push_back(std::move(c.track));
    c.hits = {};
  }
  return blocks;
}

HitFile::HitFile(const std::string& path, const Detector& detector,
                 const HitFileOptions& options)
    : state_(std::make_unique<State>(path, detector, options)) {}
HitFile::~HitFile() = default;

bool HitFile::has_events() const { return state_->columns.event.has_value(); }
const CsvReader& HitFile::reader() const { return state_->reader; }
const Diagnostics& HitFile::messages() const { return state_->messages; }
std::size_t HitFile::bad_rows() const {
  return state_->bad_lines + state_->assembler.left_out();
}

std::vector<HitBlock> HitFile::next() {
  State& s = *state_;
  std::vector<HitBlock> blocks;
  if (s.options.order == TrackOrder::any) {
    if (std::exchange(s.at_end, true)) return blocks;
    return s.read_all();
  }
  while (blocks.empty() && !s.at_end) {
    std::vector<detail::ParsedBlock> parsed = s.parse_next();
    s.at_end = parsed.empty();
    if (s.at_end) blocks.push_back(finish());
    for (detail::ParsedBlock& block : parsed)
      blocks.push_back(join(std::move(block)));
    std::erase_if(blocks, [](const HitBlock& b) { return b.tracks.empty(); });
  }
  return blocks;
}

bool HitFile::in_steps() const {
  return state_->options.order == TrackOrder::contiguous;
}

bool HitFile::read(CsvBlock& lines) { return state_->reader.next(lines); }

detail::ParsedBlock HitFile::parse(const CsvBlock& lines) const {
  return state_->parser.parse(lines);
}

HitBlock HitFile::join(detail::ParsedBlock parsed) {
  state_->bad_lines += parsed.n_errors;
  HitBlock complete = state_->assembler.add(parsed);
  state_->judge(parsed);
  return complete;
}

HitBlock HitFile::finish() {
  detail::ParsedBlock none;
  HitBlock last = state_->assembler.finish(none);
  state_->judge(none);
  return last;
}

}  // namespace gttf

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

SeenNumbers::Answer SeenNumbers::insert(const FileTrack& track,
                                        Elsewhere others) {
  const auto number = number_of(track);
  if (!number) return Answer::neither;
  for (const Run& run : runs_)
    if (*number >= run.first && *number < run.end) return Answer::known;
  if (others == Elsewhere::some) return Answer::neither;
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

/// Position of the hash, or where it would be inserted.
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
  Slots larger(4 * newer_.size(), 0);  // rarely, because all entries are moved
  for (const std::uint64_t hash : newer_)
    if (hash != 0) larger[place_of(hash, larger)] = hash;
  newer_ = std::move(larger);
}

const std::vector<char>& SeenTracks::insert(std::span<const FileTrack> tracks) {
  using Answer = SeenNumbers::Answer;
  using Elsewhere = SeenNumbers::Elsewhere;
  is_new_.assign(tracks.size(), 1);
  looked_for_.clear();
  hashes_.clear();
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const bool no_others = keys_.empty() && looked_for_.empty();
    const Answer answer = numbers_.insert(
        tracks[i], no_others ? Elsewhere::none : Elsewhere::some);
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
