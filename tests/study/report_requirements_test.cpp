// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/report/report_figures.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "gttf/study/check/check_view.hpp"
#include "gttf/study/report/report.hpp"
#include "support/requirements.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using namespace gttf::detail;
using test::Gate;
using test::gate;
using test::shipped_file;

namespace {

const std::string its2 = shipped_file("alice_its2");
const std::string grid =
    "pt: [0.002 GeV, 1 GeV, 10 GeV]\ntheta: [90 deg, 70 deg]\n";

// Met, failed, and one whose slowest track meets too few layers.
Gate three() {
  return gate(its2, grid,
              "  - { name: easy, what: sigma_d0, at: { pt: 1 GeV, theta: 90 "
              "deg }, max: 30 um }\n"
              "  - { name: hard, what: sigma_d0, at: { pt: [1 GeV, 10 GeV], "
              "theta: 90 deg }, max: 2 um (+) 10 um * GeV / pT }\n"
              "  - { name: slow, what: sigma_pt_rel, max: 50 % }\n");
}

std::string words(const PageCell& cell) {
  if (const auto* text = std::get_if<RichText>(&cell)) return plain_text(*text);
  if (const auto* verdict = std::get_if<Verdict>(&cell)) return verdict->word;
  return "";
}

Verdict::State state(const PageTable& table, std::size_t row) {
  return std::get<Verdict>(table.rows.at(row).at(0)).state;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("requirements in a report: met, failed and without a value differ") {
  const Gate checked = three();
  const CheckStory story = checked.story();
  const PageTable table = requirement_table(story);
  REQUIRE(table.rows.size() == 3);
  CHECK(state(table, 0) == Verdict::State::good);
  CHECK(state(table, 1) == Verdict::State::bad);
  CHECK(state(table, 2) == Verdict::State::unknown);
  for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
  CHECK(words(table.rows[2][5]) ==
        value_text(story, checked.result(2)));  // what the track has instead
}

TEST_CASE("requirements in a report: the table is saved as the check has it") {
  const Gate checked = three();
  const CheckStory story = checked.story();
  const PageTable table = requirement_table(story);
  CHECK(table.id == "requirements");
  CHECK(table.data.rows() == table.rows.size());
  const Table whole = check_table(story, CheckDetail::all);
  REQUIRE(table.data.columns.size() == whole.columns.size());
  for (std::size_t i = 0; i < whole.columns.size(); ++i)
    CHECK(table.data.columns[i].name == whole.columns[i].name);
}

TEST_CASE("requirements in a report: numbers are those of the check") {
  const Gate checked = three();
  const CheckStory story = checked.story();
  const PageTable table = requirement_table(story);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& row = table.rows[i];
    CHECK(words(row[1]) == story.file.criteria[i].name);
    const CheckedPoint& worst = checked.result(i).worst_point();
    CHECK(std::get<MarginBar>(row.back()).value == worst.margin);
    const std::string value = value_text(story, checked.result(i));
    CHECK(has(words(row[5]), value.substr(0, value.find(' '))));
  }
  CHECK(words(table.rows[1][4]) == "≤ 2\u00a0µm ⊕ 10\u00a0µm·GeV/pT");
  CHECK(words(table.rows[1][3]) == "pT\u00a01–10\u00a0GeV, θ\u00a090°");
  CHECK(words(table.rows[1][6]) == "pT\u00a010\u00a0GeV, θ\u00a090°");
}

TEST_CASE("requirements in a report: the sentence counts and names the worst") {
  const Gate checked = three();
  const std::string text = plain_text(requirement_sentence(checked.story()));
  CHECK(text.starts_with("1 of 3 requirements are met. 1 has no value"));
  CHECK(has(text, "Largest violation: “hard”"));
  const Gate met = gate(its2, "pt: 1 GeV\ntheta: 90 deg\n",
                        "  - { name: easy, what: sigma_d0, max: 30 um }\n");
  const std::string good = plain_text(requirement_sentence(met.story()));
  CHECK(good.starts_with("1 of 1 requirement is met. Smallest margin: “easy”"));
}

TEST_CASE("requirements in a report: failures have their cause, others none") {
  const Gate met = gate(its2, "pt: 1 GeV\ntheta: 90 deg\n",
                        "  - { name: easy, what: sigma_d0, max: 30 um }\n");
  CHECK_FALSE(failure_table(met.story()));
  const Gate worse =
      gate(its2, "pt: 1 GeV\ntheta: 90 deg\n",
           "  - { name: same, what: sigma_d0, max: baseline + 0.1 % }\n",
           {"layers[L0].material=1 %"});
  const auto table = failure_table(worse.story());
  REQUIRE(table);
  CHECK(words(table->rows[0][0]) == "same");
  bool has_cause = false;
  for (const auto& row : table->rows)
    has_cause = has_cause || (words(row[1]) == "likely cause" &&
                              has(words(row[2]), "layers[L0].material") &&
                              has(words(row[2]), "→"));
  CHECK(has_cause);
}

TEST_CASE("requirements in a report: they are in its summary") {
  const Gate checked = three();
  const CheckStory story = checked.story();
  ReportOptions options;
  options.threads = 1;
  options.check = &story;
  StudyRequest request;
  request.momentum.values = {1, 10};
  request.angle.values = {90 * unit::deg};
  const Page page =
      make_report(request, {&checked.inputs[0].detector, 1}, options);
  REQUIRE(page.sections.front().id == "summary");
  int tables = 0;
  for (const PageRow& row : page.sections.front().rows)
    if (const auto* table = std::get_if<PageTable>(&row.blocks.front()))
      tables += table->title == "Requirements" ||
                table->title == "Causes of unmet requirements";
  CHECK(tables == 2);
}

TEST_CASE("printed formula: symbols, units and powers as on paper") {
  const auto plain = [](const char* text) { return printed_formula(text); };
  CHECK(plain("5 um (+) 15 um * GeV / (p * sin(theta)^(3/2))") ==
        "5\u00a0µm ⊕ 15\u00a0µm·GeV/(*p*·sin(*θ*)^{3/2})");
  CHECK(plain("0.1 % * pT / GeV (+) 1 %") ==
        "0.1\u00a0%·*p*_{T}/GeV ⊕ 1\u00a0%");
  CHECK(plain("baseline + 1e-3 mrad") == "baseline + 1e-3\u00a0mrad");
  CHECK(plain("20 deg - eta * 1 deg") == "20° − *η*·1°");
  CHECK(plain("2^eta") == "2\\^*η*");  // not a number: it stays in the line
}

}  // namespace gttf::test::GTTF_TEST_FILE
