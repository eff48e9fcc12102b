// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/node.hpp"

#include <doctest/doctest.h>

#include "support/reported.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using test::contains;
using test::text_of;

namespace {

SourcePtr source_of(const std::string& text) {
  return std::make_shared<Source>("f.yaml", text);
}

Node parsed(const std::string& text) {
  Diagnostics diagnostics;
  const auto root = parse_yaml(source_of(text), "a: 1", diagnostics);
  INFO(text_of(diagnostics));
  REQUIRE(diagnostics.empty());
  REQUIRE(root);
  return *root;
}

std::string answer(const std::string& text) {
  Diagnostics diagnostics;
  parse_yaml(source_of(text), "a: 1", diagnostics);
  return text_of(diagnostics);
}

std::pair<int, int> place(const Node& node) {
  const Diagnostic d = diagnostic_at(node);
  return {d.line, d.column};
}

std::string repeated(const std::string& text, int n) {
  std::string result;
  for (int i = 0; i < n; ++i) result += text;
  return result;
}

/// `inner` in n pairs of brackets.
std::string bracketed(const std::string& inner, int n) {
  std::string result = repeated("[", n);
  result += inner;
  result += repeated("]", n);
  return result;
}

}  // namespace

TEST_CASE("node: every kind of value has its location") {
  const Node root = parsed(
      "a: &anchor 22 mm\n"
      "\u00B5: 'x'\n"
      "list:\n"
      "  - !!str y\n"
      "  -\n"
      "  - {k: [v]}\n"
      "empty:\n"
      "last: ~\n");
  CHECK(place(*root.find("a")) == std::pair(1, 12));
  CHECK(root.find("a")->text() == "22 mm");
  CHECK_FALSE(root.find("a")->is_quoted());
  CHECK(place(*root.find("\u00B5")) == std::pair(2, 4));
  CHECK(root.find("\u00B5")->is_quoted());
  const auto& items = root.find("list")->items();
  REQUIRE(items.size() == 3);
  CHECK(place(items[0]) == std::pair(4, 11));
  CHECK(items[1].kind() == Node::Kind::null);
  CHECK(place(items[1]) == std::pair(5, 3));  // its dash
  CHECK(place(items[2].find("k")->items()[0]) == std::pair(6, 10));
  CHECK(place(*root.find("empty")) == std::pair(7, 1));  // its key
  CHECK(place(*root.find("last")) == std::pair(8, 7));
  CHECK(root.find("none") == nullptr);
  CHECK(root.find("last")->find("x") == nullptr);
}

TEST_CASE("node: byte order mark and CRLF change neither location nor text") {
  const Node root = parsed(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: two words\r\n");
  CHECK(root.find("a")->text() == "1");
  CHECK(place(*root.find("a")) == std::pair(1, 4));
  CHECK(root.find("b")->text() == "two words");
  CHECK(place(*root.find("b")) == std::pair(2, 4));
}

TEST_CASE("node: an alias has its own location and the anchor's content") {
  const Node root = parsed("a: &r 22 mm\nb: *r\n");
  const Node& b = *root.find("b");
  CHECK(b.text() == "22 mm");
  CHECK(b.alias() == "*r");
  CHECK(place(b) == std::pair(2, 4));
  CHECK(b.definition().offset == 6);
}

TEST_CASE("merge: explicit keys win, then the first of a list") {
  const Node root = parsed(
      "one: &one {a: 1, b: 1, c: 1}\n"
      "two: &two {b: 2, d: 2}\n"
      "all: {c: 0, <<: [*two, *one]}\n"
      "nested: {<<: {x: 1}, y: 2}\n"
      "text: {'<<': 5}\n");
  const Node& all = *root.find("all");
  CHECK(all.find("a")->text() == "1");
  CHECK(all.find("b")->text() == "2");
  CHECK(all.find("c")->text() == "0");
  CHECK(all.find("d")->text() == "2");
  CHECK(all.find("<<") == nullptr);
  CHECK(all.entries().size() == 4);
  CHECK(root.find("nested")->find("x")->text() == "1");
  CHECK(root.find("text")->find("<<")->text() == "5");
}

TEST_CASE("limits: depth counts through aliases") {
  CHECK(answer(bracketed("", 64)).empty());
  CHECK(contains(answer(bracketed("", 65)), "nested more than 64 levels deep"));
  std::string text = "a: &a ";
  text += bracketed("1", 40);
  text += "\nb: ";
  text += bracketed("*a", 40);
  CHECK(contains(answer(text),
                 "f.yaml:2:44: error: nested more than 64 levels deep"));
}

TEST_CASE("limits: nodes count with aliases and merges expanded") {
  std::string bomb = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";
  for (char i = '1'; i < '9'; ++i) {
    bomb += {'a', i, ':', ' ', '&', 'a', i, ' '};
    const std::string below = {'*', 'a', static_cast<char>(i - 1), ','};
    bomb += bracketed(repeated(below, 10), 1);
    bomb += '\n';
  }
  CHECK(contains(answer(bomb), "more than 500000 values, aliases expanded"));
  CHECK(contains(answer(bracketed(repeated("1,", 500001), 1)),
                 "more than 500000 values"));
  const Node twice = parsed("a: &a [1, 2]\nb: *a\n");
  CHECK(twice.node_count() == 9);  // map, two keys, two lists of three
}

TEST_CASE("limits: a long text of brackets ends quickly") {
  CHECK(contains(answer(repeated("[", 1 << 20)), "nested more than 64"));
  CHECK(contains(answer(repeated("? ", 1 << 19)), "nested more than 64"));
  CHECK(contains(answer(repeated("- ", 1 << 19)), "nested more than 64"));
}

TEST_CASE("limits: cyclic aliases are rejected") {
  CHECK(contains(answer("&a [*a]"), "*a is used inside its own value"));
  CHECK(contains(answer("&a {b: *a}"), "*a is used inside its own value"));
  CHECK(contains(answer("a: &a {<<: *a}"), "*a is used inside its own value"));
}

TEST_CASE("documents: exactly one") {
  CHECK(contains(answer("a: 1\n---\nb: 2\n"), "2:1: error: a second document"));
  CHECK(contains(answer(","), "text after the end of the document"));
  CHECK(contains(answer("- 1\n, 2\n"), "2:1: error: text after the end"));
  CHECK(answer("---\na: 1\n...\n").empty());
  CHECK(answer("%YAML 1.2\n---\na: 1\n# end\n").empty());
}

TEST_CASE("value: the part of an option after = is a value") {
  Diagnostics diagnostics;
  const auto source =
      std::make_shared<Source>("--set", "k={a: 5 um}", Source::Kind::option);
  const auto node = parse_yaml_value(source, 2, diagnostics);
  REQUIRE(node);
  const Diagnostic d = diagnostic_at(*node->find("a"));
  CHECK(d.line == 0);
  CHECK(d.column == 7);
  CHECK(d.source_line == "k={a: 5 um}");
}

}  // namespace gttf::test::GTTF_TEST_FILE
