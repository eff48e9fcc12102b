// SPDX-License-Identifier: Apache-2.0
// HitParser: lines of a file of hits to numbers, with what is wrong with them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gttf/study/hits/hit_file.hpp"
#include "gttf/study/hits/plain_hits.hpp"

namespace gttf::detail {

/// What became of a block of lines. Tracks may go on in the next one.
struct ParsedBlock {
  HitBlock tracks;
  Diagnostics faults;  ///< the first HitFile::max_faults
  std::size_t n_faults = 0;
};

/// Immutable: any thread may use it.
class HitParser {
 public:
  HitParser(const CsvReader& file, const HitColumns& columns,
            const Detector& detector);

  ParsedBlock parse(const CsvBlock& block) const;
  const std::string& file() const { return file_; }

 private:
  class Row;

  std::string file_;
  char separator_;
  HitColumns columns_;
  const Detector& detector_;
  PlainHits plain_;
  std::map<std::string, int, std::less<>> layers_;
  std::vector<std::array<bool, 2>> measures_;  // per layer, along u and v
};

}  // namespace gttf::detail
