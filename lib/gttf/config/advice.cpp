// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "gttf/config/advice.hpp"

namespace gttf::detail {
namespace {

constexpr std::array<Advice, 14> advices = {{
    {"end of sequence flow not found", "the bracket \"[\" is not closed",
     "add \"]\", or \",\" between the values", Advice::Place::bracket},
    {"end of map flow not found", "the brace \"{\" is not closed",
     "add \"}\", or \",\" between the entries", Advice::Place::bracket},
    {"end of sequence not found", "this line does not fit the list above it",
     "indent it like the lines before it"},
    {"end of map not found", "this line does not fit the keys above it",
     "write \"key: value\", indented like its neighbours"},
    {"illegal map value", "a \":\" is not allowed here",
     "check the indentation here and the \":\" in the line before"},
    {"illegal block entry", "a list cannot begin here",
     "begin it on a line of its own, or write [a, b]"},
    {"illegal map key", "a key cannot begin here",
     "begin it on a line of its own"},
    {"illegal EOF in scalar", "this quotation mark is not closed",
     "close it on the same line", Advice::Place::quote},
    {"illegal document indicator in scalar",
     "this quotation mark is not closed", "close it on the same line",
     Advice::Place::quote},
    {"illegal flow end", "this bracket closes nothing", "remove it"},
    {"illegal tab when looking for indentation", "a tab indents this line",
     "indent with spaces"},
    {"unknown token", "a value cannot begin with this character",
     "put the value in quotes"},
    {"the referenced anchor is not defined", "there is no anchor of this name",
     "define it before, as in \"&name value\""},
    {"unknown escape character: ", "unknown escape in a quoted text",
     "use single quotes for text with backslashes"},
}};

}  // namespace

const Advice* advice_on(std::string_view message) {
  for (const Advice& advice : advices)
    if (message.starts_with(advice.theirs)) return &advice;
  return nullptr;
}

}  // namespace gttf::detail
