// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/html.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "gttf/config/sha256.hpp"
#include "gttf/output/plot/svg_plot.hpp"
#include "support/xml.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Figure sample_figure() {
  Figure figure;
  figure.id = "sample";
  figure.title = literal_text("<script>alert(1)</script>");
  figure.data.add("x", Reals{0, 1});
  figure.data.add("y </script>", Reals{2, 3});
  Plot plot;
  Panel panel;
  panel.y.upper = 4;
  Curve curve{.id = "c", .x = {0, 1}, .y = {2, 3}};
  curve.column = 1;
  panel.curves.push_back(curve);
  plot.panels.push_back(panel);
  figure.content = plot;
  return figure;
}

Page sample_page() {
  Page page;
  page.title = literal_text("A <b>detector</b> & more");
  PageTable table;
  table.columns = {{"verdict", false}, {"quantity", false}, {"margin", false}};
  table.rows = {{Verdict{Verdict::State::good, "pass"}, RichText("*d*_{0}"),
                 MarginBar{0.2}},
                {Verdict{Verdict::State::bad, "fail"}, RichText("*z*_{0}"),
                 MarginBar{-3}}};
  PageSection section{"summary", "Summary", {}, "Summary"};
  section.rows.push_back({PageRow::Split::full, {table}});
  section.rows.push_back({PageRow::Split::halves, {sample_figure()}});
  page.sections.push_back(section);
  page.facts.emplace_back("Source", literal_text("https://example.org/a"));
  return page;
}

std::string text_of(const Page& page) {
  std::ostringstream out;
  Provenance provenance;
  provenance.version = "1";
  provenance.command_line = "a <b>";
  write_html(out, page, provenance);
  return out.str();
}

std::string between(const std::string& text, const std::string& from,
                    const std::string& to) {
  const std::size_t begin = text.find(from) + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

}  // namespace

TEST_CASE("html: verdicts differ without colour, margins have telling digits") {
  PageTable table;
  table.columns = {{"verdict", false}, {"margin", false}};
  table.rows = {
      {Verdict{Verdict::State::good, "met"}, MarginBar{0}},
      {Verdict{Verdict::State::bad, "failed"}, MarginBar{-8.3}},
      {Verdict{Verdict::State::unknown, "no value"}, MarginBar{1e-4}}};
  const std::string html = html_table(table);
  CHECK(has(html, "ok\">✓ met<"));
  CHECK(has(html, "wrong\">✗ failed<"));
  CHECK(has(html, "wrong\">? no value<"));
  CHECK(has(html, ">0 %<"));
  CHECK(has(html, ">−830 %<"));
  CHECK(has(html, ">+0.010 %<"));
}

TEST_CASE("html: the policy forbids loading anything") {
  const std::string html = text_of(sample_page());
  const std::string policy =
      between(html, "Content-Security-Policy\" content=\"", "\"");
  CHECK(has(policy, "default-src 'none'"));
  CHECK_FALSE(has(policy, "http"));
  CHECK_FALSE(has(policy, "*"));
  CHECK_FALSE(has(policy, "script-src 'unsafe-inline'"));
  for (const char* loading : {"src=\"http", "href=\"http", "url(http",
                              "@import", "fetch(", "XMLHttpRequest"})
    CHECK_FALSE(has(html, loading));
}

TEST_CASE("html: the policy lets that one script run which is there") {
  const std::string html = text_of(sample_page());
  const std::string script = between(html, "</script>\n<script>", "</script>");
  REQUIRE(script.size() > 1000);
  const std::string base64 = between(html, "script-src 'sha256-", "'");
  REQUIRE(base64.size() == 44);
  const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string hex;
  unsigned bits = 0;
  int held = 0;
  for (const char c : base64.substr(0, 43)) {
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    for (held += 6; held >= 4 && hex.size() < 64; held -= 4)
      hex += "0123456789abcdef"[bits >> (held - 4) & 15];
  }
  CHECK(hex == sha256(script));
  // nothing else may need one
  for (const char* inline_script : {" onclick=", " onload=", "javascript:"})
    CHECK_FALSE(has(html, inline_script));
}

TEST_CASE("html: user input is only text") {
  const std::string html = text_of(sample_page());
  CHECK(has(html, "A &lt;b&gt;detector&lt;/b&gt; &amp; more"));
  CHECK(has(html, "<code>a &lt;b&gt;</code>"));
  CHECK_FALSE(has(html, "<script>alert"));
  // three script elements: data and script; each ends once
  std::size_t ends = 0;
  for (std::size_t i = html.find("</script"); i != html.npos;
       i = html.find("</script", i + 1))
    ++ends;
  CHECK(ends == 2);
}

TEST_CASE("html: the data are JSON with the numbers of the figure") {
  const auto json = nlohmann::json::parse(
      between(text_of(sample_page()), "id=\"data\">", "</script>"));
  const auto& figure = json["figures"]["sample"];
  CHECK(figure["data"][1]["name"] == "y </script>");
  CHECK(figure["data"][1]["cells"] == nlohmann::json({2.0, 3.0}));
  CHECK(figure["panels"][0]["series"][0]["col"] == 1);
  CHECK(json["light"]["paper"] == "#ffffff");
}

TEST_CASE("html: verdicts have a sign and a word, margins a number") {
  const std::string html = text_of(sample_page());
  CHECK(has(html, "✓ pass"));
  CHECK(has(html, "✗ fail"));
  CHECK(has(html, "+20.0 %"));
  CHECK(has(html, "−300 %"));
}

TEST_CASE("html: the same page gives the same bytes") {
  CHECK(text_of(sample_page()) == text_of(sample_page()));
}

TEST_CASE("html: figures are well-formed in pages and files") {
  CHECK(test::xml_fault(figure_in_page(sample_figure())) == "");
  CHECK(test::xml_fault(figure_file(sample_figure())) == "");
}

TEST_CASE("html: the check of XML finds errors") {
  CHECK(test::xml_fault("<a><b/></a>") == "");
  for (const char* fault : {"<a>", "<a></b>", "<a b=\"1\" b=\"2\"/>",
                            "<a b=1/>", "<a>&</a>", "<a/><a/>", "<a b=\"<\"/>"})
    CHECK(test::xml_fault(fault) != "");
}

}  // namespace gttf::test::GTTF_TEST_FILE
