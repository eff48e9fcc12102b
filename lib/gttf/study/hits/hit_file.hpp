// SPDX-License-Identifier: Apache-2.0
// HitFile: the tracks of a file of measured hits, block by block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gttf/config/csv_reader.hpp"
#include "gttf/core/matrix.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/fit/track/order_hits.hpp"

// HitColumns: the columns of a file of hits and their units.
namespace gttf {

/// A complete header line, for messages.
inline constexpr std::string_view hit_header_example =
    "track,layer,x_mm,y_mm,z_mm";

/// A column of lengths.
struct LengthColumn {
  std::size_t column = 0;
  double unit = 1;  ///< mm
};

/// Columns of a file of hits; absent ones are empty.
struct HitColumns {
  std::size_t count = 0;  ///< cells in a line
  std::optional<std::size_t> event, layer, module;
  std::size_t track = 0;
  std::array<LengthColumn, 3> position;
  std::array<std::optional<LengthColumn>, 2> sigma;  ///< of u and v
};

/// Reads a header line: `track` (or `track_id`), `event`, `layer`,
/// `module`, and with their units, as `x_mm` or `x [mm]`, x, y, z, sigma_u,
/// sigma_v. Other columns give a warning. Throws InputError with all
/// errors.
HitColumns read_hit_columns(const CsvReader& file, Diagnostics& warnings);

namespace detail {
struct ParsedBlock;
}

/// Hits of a track: a part of HitBlock::hits.
struct FileTrack {
  std::string event, id;
  std::size_t first = 0, count = 0;
  std::int64_t line = 0;     ///< of its first hit
  std::size_t left_out = 0;  ///< hits above HitFile::max_hits
};

/// Complete tracks.
struct HitBlock {
  std::vector<MeasuredHit> hits;
  std::vector<FileTrack> tracks;

  std::span<const MeasuredHit> hits_of(const FileTrack& track) const {
    return std::span(hits).subspan(track.first, track.count);
  }
};

/// Treatment of a line that cannot be read.
enum class BadRows { stop, skip };

/// Whether the hits of a track are contiguous.
enum class TrackOrder { contiguous, any };

struct HitFileOptions {
  BadRows bad_rows = BadRows::stop;
  TrackOrder order = TrackOrder::contiguous;  ///< any: all in memory
  unsigned threads = 1;  ///< for reading; the result does not depend on it
  bool hashed = false;   ///< whether reader().sha256() is needed
};

/// Reads the hits of tracks from a file, in the order of the file. Memory does
/// not grow with its length (TrackOrder::contiguous).
///
/// A track whose hits continue after another track is an error, if fewer than
/// half a million tracks lie between.
class HitFile {
 public:
  /// Hits beyond this number are left out and counted.
  static constexpr std::size_t max_hits = 4096;
  /// Maximum number of errors kept with their text; all are counted.
  static constexpr std::size_t max_errors = 20;

  /// Opens the file ("-": standard input) and reads its header. Throws
  /// InputError. The detector must outlive the HitFile.
  HitFile(const std::string& path, const Detector& detector,
          const HitFileOptions& options);
  ~HitFile();
  HitFile(const HitFile&) = delete;
  HitFile& operator=(const HitFile&) = delete;

  bool has_events() const;
  const CsvReader& reader() const;

  /// The next blocks, one or more per thread; where blocks end depends only on
  /// the file. Empty at the end. Throws InputError: for bad lines only with
  /// BadRows::stop.
  std::vector<HitBlock> next();

  /// The same for TrackOrder::contiguous in three steps, the second of
  /// which may run in parallel for many blocks of lines: read() them one
  /// after the other, parse() them, and in the order of the file join()
  /// split tracks. Complete tracks are returned; finish() returns the last
  /// track.
  bool read(CsvBlock& lines);
  detail::ParsedBlock parse(const CsvBlock& lines) const;
  HitBlock join(detail::ParsedBlock parsed);
  HitBlock finish();
  bool in_steps() const;  ///< whether the tracks are contiguous

  /// Warnings; with BadRows::skip also the errors of the first bad lines.
  const Diagnostics& messages() const;
  std::size_t bad_rows() const;  ///< lines that were skipped

 private:
  class Assembler;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gttf

namespace gttf::detail {

/// Remembers tracks with increasing numbers, without events, as ranges:
/// sufficient for most files.
class SeenNumbers {
 public:
  enum class Answer : char {
    known,
    remembered,  ///< it is new
    neither,     ///< it must be searched, and remembered, elsewhere
  };

  /// Whether tracks are remembered elsewhere. A new one may then be among them,
  /// and is not remembered here.
  enum class Elsewhere : char { none, some };
  Answer insert(const FileTrack& track, Elsewhere others);

 private:
  static constexpr std::size_t most_runs = 8;
  struct Run {
    std::uint64_t first, end;
  };

  std::vector<Run> runs_;
};

/// Remembers at least the last half million keys in bounded memory (16 MB), by
/// their 64-bit hashes: with a million tracks, one collision in 40 million.
class SeenKeys {
 public:
  static std::uint64_t hash_of(const FileTrack& track);

  /// Prefetches the data that insert() will access. Inlined, since g++ 12 omits
  /// calls of functions that do nothing else.
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

/// Remembers all tracks with increasing numbers, and at least the last half
/// million of others.
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
