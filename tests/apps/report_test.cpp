// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/run.hpp"
#include "support/xml.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

std::vector<std::string> shipped_studies() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(GTTF_SOURCE_DIR) / "configs"))
    if (entry.path().extension() == ".yaml")
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// The svg elements of a page that are figures.
std::vector<std::string> figures_in(const std::string& html) {
  std::vector<std::string> figures;
  const std::string start = "<svg class=\"plot\"";
  for (std::size_t i = html.find(start); i != html.npos;
       i = html.find(start, i + 1))
    figures.push_back(html.substr(i, html.find("</svg>", i) + 6 - i));
  return figures;
}

bool has_converter() {
  return std::system("command -v rsvg-convert > /dev/null 2>&1") == 0;
}

/// Not as a part of "provenance".
bool has_word(const std::string& text, const std::string& word) {
  const auto is_letter = [&](std::size_t i) {
    return i < text.size() &&
           std::isalpha(static_cast<unsigned char>(text[i])) != 0;
  };
  for (std::size_t i = text.find(word); i != std::string::npos;
       i = text.find(word, i + 1))
    if (!is_letter(i - 1) && !is_letter(i + word.size())) return true;
  return false;
}

}  // namespace

TEST_CASE("report: every shipped study gives a whole page of valid figures") {
  for (const std::string& study : shipped_studies()) {
    INFO(study);
    const Folder folder;
    const Outcome r =
        run(folder, "gttf-design report $CONFIGS/" + study + " -o r.html");
    CHECK(r.code == 0);
    CHECK(r.out == "");
    const std::string html = folder.read("r.html");
    CHECK(html.starts_with("<!doctype html>"));
    CHECK(html.ends_with("</body></html>\n"));
    CHECK_FALSE(has_word(html, "nan"));
    const auto figures = figures_in(html);
    CHECK(figures.size() >= 12);
    for (const std::string& figure : figures) CHECK(xml_fault(figure) == "");
  }
}

TEST_CASE("report: the same call gives the same bytes on any threads") {
  const Folder folder;
  CHECK(run(folder,
            "for n in 1 3; do gttf-design report $CONFIGS/alice_its2.yaml "
            "--toys 50 --no-provenance --threads $n -o r$n.html; done; "
            "cmp r1.html r3.html")
            .code == 0);
}

TEST_CASE("report: it states version, command and inputs, unless disabled") {
  const Folder folder;
  run(folder,
      "gttf-design report $CONFIGS/barrel.yaml -o a.html; gttf-design report "
      "$CONFIGS/barrel.yaml --no-provenance -o b.html");
  CHECK(has(folder.read("a.html"), "sha256"));
  CHECK(has(folder.read("a.html"), "gttf-design report"));
  CHECK_FALSE(has(folder.read("b.html"), "sha256 <code>"));
}

TEST_CASE("report: wrong uses are reported before the work") {
  for (const auto& [command, text] :
       {std::pair("report -o x.html", "nothing to show"),
        std::pair("report $CONFIGS/cld.yaml -o x.pdf", "use .html"),
        std::pair("report $CONFIGS/cld.yaml", "--output is required"),
        std::pair("plot $CONFIGS/cld.yaml", "--list"),
        std::pair("plot $CONFIGS/cld.yaml -o x.jpg", ".svg, .pdf or .png"),
        std::pair("plot $CONFIGS/cld.yaml --figure sigma-p -o x.svg",
                  "did you mean \"sigma-pt\"?")}) {
    const Folder folder;
    const Outcome r = run(folder, std::string("gttf-design ") + command);
    CAPTURE(r.err);
    CHECK(r.code == 2);
    CHECK(has(r.err, text));
    CHECK(folder.entries() == 0);
  }
}

TEST_CASE("report: an input is not written over") {
  const Folder folder;
  CHECK(run(folder,
            "cp $DETECTORS/barrel.yaml d.html && gttf-design report --detector "
            "d.html --p 1GeV --theta 90deg -o d.html")
            .code == 2);
  CHECK(has(folder.read("d.html"), "gttf-detector"));
}

TEST_CASE("report: published figures are compared with") {
  const Folder folder;
  const Outcome r = run(folder,
                        "gttf-design report $CONFIGS/cld.yaml --published "
                        "$DETECTORS/published.csv -o r.html");
  CHECK(r.code == 0);
  CHECK(has(folder.read("r.html"), "Published figures"));
  CHECK(run("gttf-design report $CONFIGS/cld.yaml --published nothing.csv -o "
            "r.html")
            .code == 2);
}

TEST_CASE("report: requirements are evaluated for its detectors") {
  const Folder folder;
  const Outcome r = run(
      folder,
      "gttf-design report $CONFIGS/cld.yaml --requirements "
      "$CONFIGS/check/cld.yaml --set 'layers[VTX1].material=1 %' -o r.html");
  CHECK(r.code == 0);  // a report is not a gate
  CHECK(r.err == "");
  const std::string html = folder.read("r.html");
  CHECK(has(html, "4 of 5 requirements are met"));
  CHECK(has(html, "✗ failed"));
  CHECK(has(html, "VTX1 scattering"));
  CHECK(has(html, "check/cld.yaml</code> · sha256"));
  const Outcome wrong = run(folder,
                            "gttf-design report $CONFIGS/cld.yaml "
                            "--requirements $CONFIGS/cld.yaml -o s.html");
  CHECK(wrong.code == 2);
  CHECK(has(wrong.err, "but a requirements file is expected"));
  CHECK(folder.entries() == 1);
  CHECK(run("gttf-design plot $CONFIGS/cld.yaml --requirements x -o x.svg")
            .code == 2);
}

TEST_CASE("report: a study names its requirements, the option wins") {
  const Folder folder;
  folder.write("limits.yaml",
               "gttf-requirements: 1\nname: gate\npt: 1 GeV\nrequirements:\n"
               "  - { name: hits, what: n_hits, min: 99 }\n");
  folder.write("study.yaml",
               "gttf-study: 1\ndetectors: [barrel.yaml]\npt: 1 GeV\n"
               "requirements: limits.yaml\n");
  CHECK(run(folder,
            "cp $DETECTORS/barrel.yaml . && gttf-design report study.yaml -o "
            "a.html")
            .code == 0);
  CHECK(has(folder.read("a.html"), "0 of 1 requirement is met"));
  CHECK(has(folder.read("a.html"), "limits.yaml</code> · sha256"));
  CHECK(run(folder,
            "sed 's/99/1/' limits.yaml > other.yaml && gttf-design report "
            "study.yaml --requirements other.yaml -o b.html")
            .code == 0);
  CHECK(has(folder.read("b.html"), "1 of 1 requirement is met"));
  CHECK(has(run(folder, "gttf-design validate study.yaml").out,
            "good (study, 1 point, 1 detector, 1 limit)"));
  CHECK(run(folder, "sed -i s/n_hits/n_hit/ limits.yaml").code == 0);
  const Outcome wrong = run(folder, "gttf-design validate study.yaml");
  CHECK(wrong.code == 2);
  CHECK(has(wrong.err, "limits.yaml:5:25: error: "));
  // verbs that show no requirements do not read them
  CHECK(run(folder, "gttf-design plot study.yaml -o a.svg").code == 0);
}

TEST_CASE("plot: along a beam the momentum is the first figure, too") {
  const Folder folder;
  CHECK(run(folder, "gttf-design plot $CONFIGS/faser.yaml -o p.svg").code == 0);
  CHECK(has(folder.read("p.svg"), "Momentum"));
}

TEST_CASE("plot: --list names the figures, each is available as a file") {
  const Outcome list = run("gttf-design plot $CONFIGS/barrel.yaml --list");
  CHECK(list.code == 0);
  CHECK(has(list.out, "sigma-pt "));
  const Folder folder;
  for (std::size_t i = 0; i < list.out.size(); i = list.out.find('\n', i) + 1) {
    const std::string name = list.out.substr(i, list.out.find(' ', i) - i);
    INFO(name);
    CHECK(run(folder, "gttf-design plot $CONFIGS/barrel.yaml --figure " + name +
                          " -o f.svg")
              .code == 0);
    CHECK(xml_fault(folder.read("f.svg")) == "");
    CHECK_FALSE(has(folder.read("f.svg"), "var("));
  }
}

TEST_CASE("plot: rsvg-convert writes PDF and PNG" *
          doctest::skip(!has_converter())) {
  const Folder folder;
  CHECK(run(folder,
            "gttf-design plot $CONFIGS/barrel.yaml -o a.pdf && gttf-design "
            "plot $CONFIGS/barrel.yaml -o a.png --zoom 1")
            .code == 0);
  CHECK(folder.read("a.pdf").starts_with("%PDF"));
  CHECK(folder.read("a.png").substr(1, 3) == "PNG");
}

TEST_CASE("plot: without rsvg-convert it names the package") {
  const Folder folder;
  const Outcome r = run(folder,
                        "P=$(command -v gttf-design); PATH=/nowhere $P plot "
                        "$CONFIGS/barrel.yaml -o a.pdf");
  CHECK(r.code == 2);
  CHECK(has(r.err, "apt install librsvg2-bin"));
  CHECK(folder.entries() == 0);
}

}  // namespace gttf::test::GTTF_TEST_FILE
