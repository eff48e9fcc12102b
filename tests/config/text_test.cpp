// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/text.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("in_quotes: terminal control sequences are escaped") {
  CHECK(in_quotes("22 mm") == "\"22 mm\"");
  CHECK(in_quotes("a\x1b[31m\nb\t\x7f") == "\"a\\x1b[31m\\nb\\t\\x7f\"");
  CHECK(in_quotes("\xC2\x9B") ==
        "\"\\x9b\"");  // C1 control sequence introducer
  CHECK(in_quotes("\xFFx") == "\"\uFFFDx\"");
  CHECK(in_quotes(std::string(61, 'x')) ==
        '"' + std::string(60, 'x') + "...\"");
}

TEST_CASE("nearest: slips are found, other words are not") {
  const std::vector<std::string> words = {"radius", "half_length", "z", "note"};
  CHECK(nearest("raduis", words) == "radius");  // exchanged letters
  CHECK(nearest("half-length", words) == "half_length");
  CHECK(nearest("RADIUS", words) == "radius");
  const std::vector<std::string> columns{"sigma_pt_rel", "sigma_d0_um",
                                         "p_GeV"};
  CHECK(nearest("sigma_d0", columns) == "sigma_d0_um");
  CHECK(nearest("P", columns) == "p_GeV");
  CHECK_FALSE(nearest("sig", columns));
  CHECK_FALSE(nearest("material", words));
  CHECK_FALSE(nearest("x", words));
  CHECK_FALSE(nearest("", words));
}

TEST_CASE("characters: only well-formed UTF-8 is valid") {
  using detail::character_at;
  CHECK(character_at("\u00B5", 0).code == 0xB5);
  CHECK(character_at("\U0001F600", 0).bytes == 4);
  CHECK_FALSE(character_at("\xC0\xAF", 0).valid);          // overlong
  CHECK_FALSE(character_at("\xED\xA0\x80", 0).valid);      // surrogate
  CHECK_FALSE(character_at("\xF4\x90\x80\x80", 0).valid);  // above U+10FFFF
  CHECK_FALSE(character_at("\xE2\x82", 0).valid);          // cut short
  CHECK(detail::character_count("\u00B5m") == 2);
  CHECK(detail::display_width(U'\u6E2C') == 2);
  CHECK(detail::display_width(U'\u0301') == 0);
}

TEST_CASE("characters: what cannot be seen is escaped, and unescaped") {
  // soft hyphen, spaces without width, a tag
  const std::string hidden = "a\u00AD\u180E\u200B\u2060\u206A\uFEFF\U000E0041b";
  CHECK(visible(hidden) ==
        "a\\xad\\u180e\\u200b\\u2060\\u206a\\ufeff\\U000e0041b");
  CHECK(backslash_unescaped(backslash_escaped(hidden)) == hidden);
  // emoji and scripts need joiners and variation selectors
  const std::string joined = "\u2764\uFE0F\u200D\U0001F525 \u0646\u200C";
  CHECK(visible(joined) == joined);
}

TEST_CASE("characters: text is not a command of the workflow that logs it") {
  CHECK(visible("::error::x") == "\\x3a:error::x");
  CHECK(visible("  ::stop-commands::x") == "  \\x3a:stop-commands::x");
  CHECK(visible("\u00a0::error::x") == "\u00a0\\x3a:error::x");
  CHECK(visible("a ##[add-mask]b ##[c]") == "a \\x23#[add-mask]b \\x23#[c]");
  CHECK(visible("##vso[task.x]a") == "\\x23#vso[task.x]a");
  CHECK(visible("\t::error::x") == "\\t::error::x");
  CHECK(visible("###[x]") == "#\\x23#[x]");
  for (const char* text : {"std::vector", "a: b", ":", "# 1", "##", "[1]", "",
                           "## [x]", "##a b[c]", "#[x]"}) {
    CHECK(visible(text) == text);
    CHECK(visible_lines(text) == text);
  }
  CHECK(visible_lines("a\n::b::c\n\t ::d\n\ne ##[f]\n") ==
        "a\n\\x3a:b::c\n\t \\x3a:d\n\ne \\x23#[f]\n");
}

}  // namespace gttf::test::GTTF_TEST_FILE
