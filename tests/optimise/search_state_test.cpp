// SPDX-License-Identifier: Apache-2.0
// Searches that are interrupted, divided and continued.
#include "gttf/study/optimise/search_state.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/study/optimise/optimise.hpp"
#include "gttf/study/optimise/read_problem.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

OptimisationProblem problem(std::size_t starts) {
  Diagnostics warnings;
  OptimisationProblem its2 = read_problem(
      GTTF_SOURCE_DIR "/configs/optimise/its2.yaml", {}, {}, warnings);
  its2.starts = starts;
  return its2;
}

SearchResult searched(const OptimisationProblem& its2, SearchState& state,
                      unsigned threads = 1) {
  SearchOptions options;
  options.threads = threads;
  options.prices = false;
  options.state = &state;
  return search(its2, options);
}

void check_same(const SearchResult& a, const SearchResult& b) {
  CHECK(a.best.x == b.best.x);
  CHECK(a.best.f == b.best.f);
  CHECK(a.best.working == b.best.working);
  CHECK((a.best.result.multipliers.array() == b.best.result.multipliers.array())
            .all());
  CHECK(a.certificate.residual == b.certificate.residual);
  CHECK(a.certificate.optima == b.certificate.optima);
  CHECK(a.certificate.reached == b.certificate.reached);
  CHECK(a.effort.covariances == b.effort.covariances);
  CHECK(a.effort.gradients == b.effort.gradients);
  CHECK(a.effort.designs == b.effort.designs);
}

}  // namespace

TEST_CASE("a search from the starts of its shards is the whole one") {
  const OptimisationProblem its2 = problem(12);
  SearchState whole = plan_search(its2, false);
  const SearchResult expected = searched(its2, whole);
  CHECK(whole.starts.size() == 12);
  std::vector<SearchState> parts;
  for (std::uint64_t k = 1; k <= 5; ++k) {
    SearchState part = plan_search(its2, false, {k, 5});
    SearchOptions options;
    options.threads = static_cast<unsigned>(k);
    options.state = &part;
    search_shard(its2, options);
    CHECK(part.is_complete);
    // written and read: to the last bit
    parts.push_back(search_state_of(to_document(part), "part"));
  }
  SearchState sum = merge_searches(std::move(parts), {"1", "2", "3", "4", "5"});
  CHECK(sum.starts.size() == 12);
  check_same(searched(its2, sum, 3), expected);
  CHECK(sum.starts.size() == 12);  // nothing was solved again
}

TEST_CASE("shards of a search that need not solve all starts are the whole") {
  OptimisationProblem its2 = problem(256);
  its2.solves_all_starts = false;
  SearchState whole = plan_search(its2, false);
  const SearchResult expected = searched(its2, whole);
  CHECK(expected.certificate.starts < 200);
  CHECK(whole.starts.size() == expected.certificate.starts);
  std::vector<SearchState> parts;
  for (std::uint64_t k = 1; k <= 2; ++k) {
    SearchState part = plan_search(its2, false, {k, 2});
    SearchOptions options;
    options.state = &part;
    search_shard(its2, options);
    parts.push_back(std::move(part));
  }
  SearchState sum = merge_searches(std::move(parts), {"1", "2"});
  check_same(searched(its2, sum, 2), expected);
  // an edge of a layer in a working set is kept exactly
  SearchState state = plan_search(its2, false);
  StartRecord record;
  record.exists = true;
  record.working = {1, *HitEdge{2, 3, 4, 1}.number()};
  state.starts.emplace(StartPlace{}, record);
  const auto read = search_state_of(to_document(state), "part");
  CHECK(read.starts.begin()->second.working == record.working);
}

TEST_CASE("a hit edge is one number, and back") {
  const auto number = HitEdge{5, 1499, 88, 3}.number();
  REQUIRE(number);
  CHECK(HitEdge::is_number(*number));
  CHECK_FALSE(HitEdge::is_number(1000000));
  const HitEdge edge = HitEdge::of(*number);
  CHECK(edge.group == 5);
  CHECK(edge.track == 1499);
  CHECK(edge.layer == 88);
  CHECK(edge.side == 3);
  CHECK_FALSE(HitEdge{64, 0, 0, 0}.number());
}

TEST_CASE("a search that was interrupted continues to the same result") {
  const OptimisationProblem its2 = problem(12);
  SearchState whole = plan_search(its2, false);
  const SearchResult expected = searched(its2, whole);
  SearchState state = plan_search(its2, false);
  SearchOptions options;
  options.state = &state;
  std::atomic<int> steps = 0;
  options.keep_on = [&steps] { return ++steps < 200; };
  const SearchResult stopped = search(its2, options);
  CHECK(stopped.interrupted);
  CHECK(stopped.best.result.exists);
  CHECK(stopped.certificate.kind != Certificate::Kind::proven);
  // the one that was interrupted is not kept
  CHECK(state.starts.size() > 0);
  CHECK(state.starts.size() < 12);
  SearchState kept = search_state_of(to_document(state), "checkpoint");
  check_same_run(plan_search(its2, false), kept, "checkpoint");
  check_same(searched(its2, kept), expected);
}

TEST_CASE("a front continues, too") {
  Diagnostics warnings;
  OptimisationProblem its2 = problem(6);
  its2.pareto.of = {its2.objective, its2.objective};
  its2.pareto.of[1] = {};
  its2.pareto.of[1].kind = Objective::Kind::quantity;
  its2.pareto.of[1].name = "silicon";
  its2.pareto.points = 4;
  SearchState whole = plan_search(its2, false);
  SearchOptions options;
  options.state = &whole;
  const OptimisationResults expected = optimise(its2, options);
  REQUIRE(expected.front);
  SearchState half = plan_search(its2, false);
  std::size_t n = 0;
  for (const auto& [place, record] : whole.starts)
    if (++n % 3 != 0) half.starts.emplace(place, record);
  options.state = &half;
  const OptimisationResults again = optimise(its2, options);
  REQUIRE(again.front->points.size() == expected.front->points.size());
  for (std::size_t i = 0; i < again.front->points.size(); ++i)
    CHECK(again.front->points[i].x == expected.front->points[i].x);
  CHECK(half.starts.size() == whole.starts.size());
}

TEST_CASE("parts that do not belong together are not joined") {
  const OptimisationProblem its2 = problem(3);
  const auto part = [&](std::uint64_t k, std::uint64_t n) {
    SearchState state = plan_search(its2, false, {k, n});
    state.is_complete = true;
    return state;
  };
  const auto why = [](const auto& action) {
    try {
      action();
    } catch (const FileError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto merged = [&](std::vector<SearchState> parts) {
    return why([&] {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < parts.size(); ++i)
        names.push_back(std::string(1, static_cast<char>('a' + i)));
      merge_searches(parts, names);
    });
  };
  CHECK(merged({part(1, 2), part(2, 2)}) == "");
  CHECK(merged({part(1, 2)}) == "shard 2/2 is missing: give all parts");
  CHECK(merged({part(2, 2), part(2, 2)}) ==
        "\"a\" and \"b\" overlap: both are shard 2/2");
  CHECK(merged({part(1, 2), part(2, 3)}) ==
        "\"a\" is one of 2 parts, \"b\" is one of 3");
  SearchState unfinished = part(2, 2);
  unfinished.is_complete = false;
  CHECK(merged({part(1, 2), unfinished}) ==
        "\"b\" is not finished; run that shard again with its checkpoint");
  SearchState other = part(2, 2);
  other.study = plan_search(problem(4), false).study;
  CHECK(merged({part(1, 2), other}) ==
        "\"a\" and \"b\" are not of the same study: their starts differs");
  CHECK(why([&] {
          check_same_run(part(1, 1), other, "c");
        }).starts_with("\"c\" belongs to another study: its starts differs"));
  CHECK(why([&] {
          check_same_run(part(1, 2), part(2, 2), "c");
        }).starts_with("\"c\" belongs to another shard: it is 2/2"));
  CHECK(why([&] { search_state_of(Document().set("gttf-toys", 1), "c"); }) ==
        "\"c\" is not a part or checkpoint of a search");
  Document changed;
  const Document document = to_document(part(1, 2));
  for (const auto& [name, member] :
       std::get<Document::Members>(document.value()))
    changed.set(name, name == "complete" ? Document(false) : member);
  CHECK(why([&] {
          search_state_of(changed, "c");
        }).starts_with("\"c\" is damaged: "));
}

}  // namespace gttf::test::GTTF_TEST_FILE
