// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/search_state.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/document_reader.hpp"
#include "gttf/config/sha256.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/core/version.hpp"

namespace gttf {
namespace {

constexpr std::int64_t state_version = 2;
constexpr const char* format_name = "gttf-search";

Document integer(std::uint64_t n) { return static_cast<std::int64_t>(n); }

Document document_of(const StartPlace& place, const StartRecord& record) {
  Document d;
  d.set("place",
        Document::List{integer(place.search), integer(place.combination),
                       integer(place.stage), integer(place.start)});
  d.set("effort", Document::List{integer(record.effort.covariances),
                                 integer(record.effort.gradients),
                                 integer(record.effort.designs)});
  if (!record.exists) return d;
  Document::List working;
  for (const std::size_t i : record.working) working.push_back(integer(i));
  return d.set("f", record.f)
      .set("violation", record.violation)
      .set("x", Document::List(record.x.begin(), record.x.end()))
      .set("working", std::move(working));
}

/// Reads a state from a document; every error is a FileError.
class StateReader : private DocumentReader {
 public:
  using DocumentReader::DocumentReader;

  SearchState read(const Document& document) const {
    check_format(document, format_name, state_version,
                 "part or checkpoint of a search");
    SearchState state;
    state.study = member(document, "study");
    state.file = text(member(document, "file"));
    const auto& shard = list_of(member(document, "shard"), 2);
    state.shard = {count(shard[0]), count(shard[1])};
    if (state.shard.index < 1 || state.shard.index > state.shard.count)
      damaged("its shard is none");
    state.is_complete = boolean(member(document, "complete"));
    for (const Document& start : list(member(document, "starts")))
      read_start(start, state);
    if (const auto error = checksum_error(document)) damaged(*error);
    return state;
  }

  StudyOfPart study_of(const SearchState& state) const {
    StudyOfPart study;
    study.file = state.file;
    for (const Document& item : list(member(state.study, "set")))
      study.overrides.push_back(text(item));
    study.starts = count(member(state.study, "starts"));
    study.solves_all_starts = boolean(member(state.study, "all_starts"));
    study.seed = count(member(state.study, "seed"));
    return study;
  }

 private:
  void read_start(const Document& d, SearchState& state) const {
    const auto& place = list_of(member(d, "place"), 4);
    const auto& effort = list_of(member(d, "effort"), 3);
    StartRecord record;
    record.effort = {count(effort[0]), count(effort[1]), count(effort[2])};
    if (const Document* f = d.find("f")) {
      record.exists = true;
      record.f = real(*f);
      record.violation = real(member(d, "violation"));
      record.x = reals(member(d, "x"));
      for (const Document& item : list(member(d, "working")))
        record.working.push_back(count(item));
    }
    state.starts.emplace(StartPlace{count(place[0]), count(place[1]),
                                    count(place[2]), count(place[3])},
                         std::move(record));
  }
};

}  // namespace

SearchState plan_search(const OptimisationProblem& problem, bool local,
                        const Shard& shard) {
  SearchState state;
  state.file = problem.file;
  state.shard = shard;
  state.study.set("version", version());
  // last digits depend on it
  state.study.set("simd", to_string(simd_level()));
  state.study.set("sha256", problem.sha256);
  const Detector& detector = problem.input.detector;
  state.study.set(
      "detector",
      Document().set("name", detector.name).set("sha256", detector.sha256));
  Document::List requirements, overrides;
  for (const RequirementFile& file : problem.requirements)
    requirements.push_back(Document()
                               .set("sha256", file.request.sha256)
                               .set("baseline", file.baseline_sha256));
  for (const std::string& text : problem.overrides)
    overrides.emplace_back(text);
  state.study.set("requirements", std::move(requirements));
  state.study.set("set", std::move(overrides));
  state.study.set("local", local);
  state.study.set("starts", integer(problem.starts));
  state.study.set("all_starts", problem.solves_all_starts);
  state.study.set("seed", integer(problem.seed));
  return state;
}

Document to_document(const SearchState& state) {
  Document::List starts;
  for (const auto& [place, record] : state.starts)
    starts.push_back(document_of(place, record));
  return with_checksum(
      Document()
          .set(format_name, Document(state_version))
          .set("study", state.study)
          .set("file", state.file)
          .set("shard", Document::List{integer(state.shard.index),
                                       integer(state.shard.count)})
          .set("complete", state.is_complete)
          .set("starts", std::move(starts)));
}

SearchState search_state_of(const Document& document, const std::string& name) {
  return StateReader(name).read(document);
}

StudyOfPart study_of(const SearchState& state, const std::string& name) {
  return StateReader(name).study_of(state);
}

void check_same_run(const SearchState& planned, const SearchState& stored,
                    const std::string& name) {
  check_same_study(planned.study, stored.study, name);
  if (stored.shard.index != planned.shard.index ||
      stored.shard.count != planned.shard.count)
    throw FileError(fmt::format(
        "{} belongs to another shard: it is {}/{}, this one is {}/{}; every "
        "shard needs a file of its own",
        in_quotes(name), stored.shard.index, stored.shard.count,
        planned.shard.index, planned.shard.count));
}

SearchState merge_searches(std::vector<SearchState> parts,
                           const std::vector<std::string>& names) {
  const auto name = [&](std::size_t i) { return in_quotes(names[i]); };
  const std::uint64_t n = parts.front().shard.count;
  std::map<std::uint64_t, std::size_t> part_of;  // of each shard
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (const auto where = first_difference(parts[0].study, parts[i].study))
      throw FileError(
          fmt::format("{} and {} are not of the same study: their {} differs",
                      name(0), name(i), *where));
    const Shard& shard = parts[i].shard;
    if (shard.count != n)
      throw FileError(fmt::format("{} is one of {} parts, {} is one of {}",
                                  name(0), n, name(i), shard.count));
    if (!parts[i].is_complete)
      throw FileError(fmt::format(
          "{} is not finished; run that shard again with its checkpoint",
          name(i)));
    const auto [other, is_new] = part_of.emplace(shard.index, i);
    if (!is_new)
      throw FileError(fmt::format("{} and {} overlap: both are shard {}/{}",
                                  name(other->second), name(i), shard.index,
                                  n));
  }
  for (std::uint64_t k = 1; k <= n; ++k)
    if (!part_of.contains(k))
      throw FileError(
          fmt::format("shard {}/{} is missing: give all parts", k, n));
  SearchState sum = std::move(parts.front());
  sum.shard = {};
  for (std::size_t i = 1; i < parts.size(); ++i)
    sum.starts.merge(parts[i].starts);
  return sum;
}

}  // namespace gttf
