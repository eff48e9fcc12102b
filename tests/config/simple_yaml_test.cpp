// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/simple_yaml.hpp"

#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "gttf/config/node.hpp"
#include "support/reported.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

struct NoEvents {
  void scalar(std::size_t, const std::string&, bool, std::size_t) {}
  void null(std::size_t, std::size_t) {}
  void alias(std::size_t, std::size_t) {}
  void open_list(std::size_t, bool, std::size_t) {}
  void open_map(std::size_t, bool, std::size_t) {}
  void close_list() {}
  void close_map() {}
};

bool is_simple(const std::string& text) {
  NoEvents events;
  return detail::SimpleYaml(text, events).parse();
}

/// Everything that a node knows.
std::string written(const Node& node) {
  std::string text = '<' + std::to_string(static_cast<int>(node.kind())) +
                     (node.is_quoted() ? "quoted " : " ") + node.text() +
                     node.alias();
  for (const std::size_t number :
       {node.origin().offset, node.origin().length, node.definition().offset,
        node.definition().length})
    text += ' ' + std::to_string(number);
  for (const Node& item : node.items()) text += written(item);
  for (const Node::Entry& entry : node.entries())
    text += written(entry.key) + (entry.merged ? " << " : ": ") +
            written(entry.value);
  return text + '>';
}

std::string answer(const std::string& text) {
  Diagnostics diagnostics;
  const auto root =
      parse_yaml(std::make_shared<Source>("f.yaml", text), "a: 1", diagnostics);
  return (root ? written(*root) : "nothing ") + text_of(diagnostics);
}

/// The same for the complete parser: a tab, here in a comment, is not simple.
std::string complete_answer(const std::string& text) {
  return answer(text + "\n#\t\n");
}

std::vector<std::string> shipped_texts() {
  std::vector<std::string> texts;
  for (const char* folder : {"detectors", "configs"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(GTTF_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".yaml") {
        std::ifstream file(entry.path());
        texts.emplace_back(std::istreambuf_iterator<char>(file),
                           std::istreambuf_iterator<char>());
      }
  return texts;
}

}  // namespace

TEST_CASE("simple YAML: shipped files are simple, and read as by yaml-cpp") {
  const std::vector<std::string> texts = shipped_texts();
  REQUIRE(texts.size() > 30);
  std::size_t simple = 0;
  for (const std::string& text : texts) {
    simple += is_simple(text);
    CHECK(answer(text) == complete_answer(text));
  }
  // a few have scalars of several lines
  CHECK(10 * simple >= 9 * texts.size());
}

TEST_CASE("simple YAML: what is unusual or wrong is left to yaml-cpp") {
  for (const char* text : {"",
                           "# comment",
                           "text",
                           "--- \na: 1",
                           "a: 1\n...\n",
                           "%YAML 1.2\na: 1",
                           "a: |\n  text",
                           "a: two\n  lines",
                           "a: \"\\n\"",
                           "a: !!str b",
                           "? a\n: b",
                           "a: 1\n b: 2",
                           "- a\n- - b",
                           "a: [1, 2",
                           "a: [1,]",
                           "a: [b: 1]",
                           "a: {b}",
                           "a: b: c",
                           "a: *b",
                           "&a b: 1",
                           "a:\tb",
                           "a: 1\r\n",
                           "a: 'b' c",
                           "a: [b\n c]",
                           "a: ~",
                           "a: [\n---\n]",
                           "a: 1\n- b",
                           "- a\nb: 1"}) {
    INFO(text);
    CHECK_FALSE(is_simple(text));
  }
}

TEST_CASE("simple YAML: an accepted text has the meaning that yaml-cpp finds") {
  const std::vector<std::string> texts = shipped_texts();
  constexpr std::array pieces{
      "a",   "b: ", "- ",    "\n",     "\n  ", "\n    ", "\n- ",  "\n  - ",
      "[",   "]",   "{",     "}",      ", ",   " # c",   "'x y'", "\"q\"",
      "&a ", "*a",  "null",  "~",      "k:\n", "<<: ",   "x y",   "1.5 mm",
      ": ",  "?",   "h://x", "#",      "''",   " ",      "\n\n",  "a:b",
      "-1",  "...", "---",   "'it''s'"};
  std::mt19937_64 engine(1);
  const auto below = [&](std::size_t n) { return engine() % n; };
  int simple = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    if (i % 2 == 0) {  // pieces in any order
      for (std::size_t n = 1 + below(12); n > 0; --n)
        text += pieces[below(pieces.size())];
    } else {  // some lines of a file, changed
      const std::string& all = texts[below(texts.size())];
      text = all.substr(all.find('\n', below(all.size() / 2)) + 1, 600);
      for (std::size_t n = 1 + below(3); n > 0; --n)
        text.insert(below(text.size() + 1), pieces[below(pieces.size())]);
    }
    if (!is_simple(text)) continue;
    ++simple;
    INFO(text);
    REQUIRE(answer(text) == complete_answer(text));
  }
  CHECK(simple > 2000);
}

}  // namespace gttf::test::GTTF_TEST_FILE
