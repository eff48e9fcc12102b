// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/provenance.hpp"

#include <doctest/doctest.h>

#include "gttf/core/version.hpp"
#include "gttf/output/json.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

std::string quoted(std::string word) {
  return shell_quoted(std::vector<std::string>{std::move(word)});
}

}  // namespace

TEST_CASE("provenance: the command line can be pasted into a shell") {
  CHECK(quoted("--p=0.1GeV:100GeV:60") == "--p=0.1GeV:100GeV:60");
  CHECK(quoted("layers[L0].material=0.5 %") == "'layers[L0].material=0.5 %'");
  CHECK(quoted("it's") == "'it'\\''s'");
  CHECK(quoted("") == "''");
  CHECK(quoted("~/x") == "'~/x'");
  CHECK(shell_quoted(std::vector<std::string>{"a", "b c"}) == "a 'b c'");
}

TEST_CASE("provenance: a line end in an argument does not break the line") {
  CHECK(quoted("a\nb'") == "$'a\\x0ab\\''");
}

TEST_CASE("provenance: the program has its name, without its folder") {
  const Provenance p = make_provenance(
      std::vector<std::string>{"/opt/bin/gttf-design", "scan", "a/b.yaml"});
  CHECK(p.command_line == "gttf-design scan a/b.yaml");
  CHECK(p.version == version());
}

TEST_CASE("provenance: every fact has its line") {
  Provenance p;
  p.version = "1.2.3";
  p.command_line = "gttf-design scan";
  p.inputs = {{"a\nb.yaml", "ff00"}};
  p.seed = 7;
  CHECK(to_lines(p, "# ") ==
        "# gttf-design 1.2.3\n"
        "# command: gttf-design scan\n"
        "# input: a\\nb.yaml sha256:ff00\n"
        "# seed: 7\n");
}

TEST_CASE("provenance: a seed that a double cannot hold is a text in JSON") {
  Provenance p;
  p.seed = 18446744073709551615u;
  std::string text;
  append_json(text, *to_document(p).find("seed"));
  CHECK(text == "\"18446744073709551615\"");
  p.seed = 42;
  text.clear();
  append_json(text, *to_document(p).find("seed"));
  CHECK(text == "42");
}

}  // namespace gttf::test::GTTF_TEST_FILE
