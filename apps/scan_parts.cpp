// SPDX-License-Identifier: Apache-2.0
#include "scan_parts.hpp"

#include <cstdint>
#include <sstream>

#include "gttf/config/sha256.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/output/json.hpp"
#include "gttf/output/json_read.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {

void mark_as_part(const ScanPart& part, Outputs& outputs) {
  if (!outputs.only(Format::csv) || !outputs.exact())
    throw UsageError(
        "a shard is a part to be merged: write it with -o PART.csv (or "
        "--format csv), without --precision");
  std::string json;
  append_json(json, to_document(part));
  std::string lines;
  std::istringstream text(json);
  for (std::string line; std::getline(text, line);)
    lines += part_line + line + '\n';
  outputs.set_csv_comment(lines);
}

int merge_scans(const Call& call, const std::vector<std::string>& names,
                const OutputOptions& options) {
  if (names.empty())
    throw UsageError("nothing to merge: scan merge PART... -o FILE");
  std::optional<Provenance> provenance;
  if (!options.no_provenance) provenance = make_provenance(call.arguments);
  std::vector<ScanPart> parts;
  for (const std::string& name : names) {
    parts.push_back(scan_part_of(read_json(part_lines(name), name), name));
    if (provenance) provenance->inputs.push_back({name, sha256_of_file(name)});
  }
  parts = ordered_parts(std::move(parts));
  Outputs outputs(options, provenance);
  Progress::Settings settings;
  settings.wanted = false;
  Progress bar("merge", settings);
  join_parts(parts, *outputs.table_sink("", {}, {}, &bar));
  outputs.commit();
  return good;
}

std::string text_of(const BatchStatistics& s) {
  std::ostringstream text;
  const auto line = [&text](std::size_t n, const char* what) {
    if (n > 0) text << "  " << n << ' ' << what << '\n';
  };
  text << s.tracks << " tracks, " << s.groups << " groups, vectors "
       << to_string(simd_level()) << '\n';
  line(s.vectorised - s.mixed,
       "vectorised with tracks that cross the same surfaces");
  line(s.mixed, "vectorised with tracks that cross other surfaces, masked");
  line(s.doubtful, "scalar path: a parameter is free, or nearly so");
  line(s.unsupported, "scalar path: field, model or direction not vectorised");
  line(s.not_fitted, "not fitted: too few hits");
  return text.str();
}

}  // namespace gttf::app
