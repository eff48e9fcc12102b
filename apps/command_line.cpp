// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "gttf/config/quantity.hpp"
#include "gttf/config/shipped_file.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/readable.hpp"
#include "usage.hpp"

namespace gttf::app {
namespace {

// Names of our options in other programs.
std::optional<std::string> by_another_name(std::string_view option) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> known{{
      {"--csv", "--format csv"},
      {"--json", "--format json"},
      {"--markdown", "--format markdown"},
      {"--out", "--output"},
      {"--momentum", "--p"},
      {"--jobs", "--threads"},
      {"--silent", "--quiet"},
      {"-q", "--quiet"},
  }};
  for (const auto& [theirs, ours] : known)
    if (theirs == option) return std::string(ours);
  return std::nullopt;
}

bool is_negative_number(const std::string& word) {
  return word.size() > 1 && word[0] == '-' &&
         ((word[1] >= '0' && word[1] <= '9') || word[1] == '.');
}

// Reports the value of an option that the shell has split: --p 1 GeV.
void check_not_a_unit(const std::string& option, const std::string& value,
                      const std::string& word) {
  const char last = value.empty() ? '\0' : value.back();
  if (option.starts_with('-') && last >= '0' && last <= '9' &&
      detail::find_unit(word) != nullptr && !std::filesystem::exists(word))
    throw UsageError(in_quotes(word) +
                     " is a unit, not a file: write values without a space or "
                     "in quotes, as in " +
                     option + ' ' + value + word);
}

// CLI11 reports an unknown option only after interpreting the words
// around it, and without the nearest one. Returns the options in
// `words`.
std::vector<const Option*> check_known(const Verb& verb,
                                       const std::vector<std::string>& words) {
  std::vector<const Option*> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") break;
    if (i > 1) check_not_a_unit(words[i - 2], words[i - 1], word);
    if (word.size() < 2 || word[0] != '-' || is_negative_number(word)) continue;
    const bool is_long = word[1] == '-';
    const std::string name =
        is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
    const Option* option = find_option(verb.id, name);
    if (option == nullptr) {
      // "-pt" is a misspelling of "--pt" rather than an option "-p".
      const std::string meant = is_long ? name : "-" + word;
      std::vector<std::string> known;
      for (const Option* o : options_of(verb.id))
        if (!o->is_argument())
          for (std::string& n : o->all_names()) known.push_back(std::move(n));
      std::string text = "unknown option " + in_quotes(is_long ? name : word);
      std::optional<std::string> near = by_another_name(name);
      if (!near) near = nearest(meant, known);
      if (near) text += "; did you mean " + in_quotes(*near) + "?";
      throw UsageError(text);
    }
    found.push_back(option);
    const bool value_attached =
        is_long ? word.find('=') != word.npos : word.size() > 2;
    if (!option->is_flag() && !value_attached) ++i;
  }
  return found;
}

CLI::Option* declare(CLI::App& app, const Option& row, Options& options) {
  // the dots of a repeatable argument are only for the help
  const std::string names(row.is_argument() ? row.name() : row.names);
  return std::visit(
      [&](auto member) -> CLI::Option* {
        auto& value = options.*member;
        using Value = std::remove_reference_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>)
          return app.add_flag(names, value);
        else if constexpr (std::is_same_v<Value, std::optional<std::string>>)
          return app.add_option_function<std::string>(
              names, [&value](const std::string& text) { value = text; });
        else
          return app.add_option(names, value);
      },
      row.target);
}

// The text of CLI11, improved where possible.
std::string explained(const CLI::ParseError& error) {
  std::string text = error.what();
  const auto after = [&text](std::string_view part) {
    const std::size_t i = text.find(part);
    return i == text.npos ? std::string() : text.substr(i + part.size());
  };
  if (const std::string word = after("not expected: "); !word.empty())
    return "unexpected argument " + in_quotes(word);
  if (!after("At Most 1 required but received").empty())
    return text.substr(0, text.find(':')) + ": given more than once";
  return text;
}

void check_range(const Option& row, const Options& options,
                 const std::string& text) {
  const auto [low, high] = row.range;
  if (low == high) return;
  const double value = std::visit(
      [&](auto member) -> double {
        using Value = std::remove_cvref_t<decltype(options.*member)>;
        if constexpr (std::is_arithmetic_v<Value>)
          return static_cast<double>(options.*member);
        else
          return 0;
      },
      row.target);
  if (!(value >= low && value <= high))  // NaN is also out of range
    throw UsageError(std::string(row.name()) + ": Value " + text +
                     " not in range " + readable(low, 6) + " to " +
                     readable(high, 6));
}

// Replaces names of missing files by installed ones.
void find_shipped(const Option& row, Options& options) {
  const std::vector<std::string_view> folders = shipped_folders(row.values);
  if (folders.empty()) return;
  const auto find = [&](std::string& file) {
    file = or_shipped(file, file, folders);
  };
  if (const auto* one = std::get_if<std::string Options::*>(&row.target))
    find(options.*(*one));
  if (const auto* several =
          std::get_if<std::vector<std::string> Options::*>(&row.target))
    for (std::string& file : options.*(*several)) find(file);
}

void check_value(const Option& row, Options& options,
                 const CLI::Option& parsed) {
  const std::string name(row.name());
  // the library reports the others with their position
  if (const auto* text = std::get_if<std::string Options::*>(&row.target);
      text != nullptr && row.values == Values::choice)
    check_choice(name, options.*(*text), row.choices());
  check_range(row, options,
              parsed.results().empty() ? "" : parsed.results()[0]);
  find_shipped(row, options);
}

}  // namespace

Options parse_command_line(const Verb& verb,
                           const std::vector<std::string>& words) {
  Options options;
  options.given = check_known(verb, words);
  CLI::App app;
  app.set_help_flag("-h,--help");
  std::vector<std::pair<const Option*, const CLI::Option*>> declared;
  for (const Option* row : options_of(verb.id)) {
    if (row->names == "-h,--help") continue;
    // --detector replaces the argument
    if (row->names == "DETECTOR" && is_given(options, "--detector")) continue;
    CLI::Option* option = declare(app, *row, options);
    if (!row->is_flag()) option->type_name(std::string(row->value));
    if (!row->is_repeatable() && !row->is_flag()) option->expected(1);
    if (!row->is_repeatable() || !row->is_argument())
      option->allow_extra_args(false);
    declared.emplace_back(row, option);
  }
  try {
    // CLI11 expects the words in reverse order.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    options.help = true;
    return options;
  } catch (const CLI::ParseError& error) {
    throw UsageError(explained(error));
  }
  const auto is_used = [&declared](std::string_view name) {
    return std::ranges::any_of(declared, [name](const auto& other) {
      return other.first->name() == name && other.second->count() > 0;
    });
  };
  for (const auto& [row, parsed] : declared) {
    if (parsed->count() > 0 && !row->excludes.empty() && is_used(row->excludes))
      throw UsageError(std::string(row->name()) + " and " +
                       std::string(row->excludes) + " cannot be used together");
    if (parsed->count() > 0)
      check_value(*row, options, *parsed);
    else if (row->required &&
             !(row->is_repeatable() && is_given(options, "--detector")))
      throw UsageError(std::string(row->name()) + " is required");
  }
  return options;
}

void check_choice(const std::string& option, const std::string& value,
                  const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return;
  std::string text = option + ": unknown value " + in_quotes(value);
  if (const auto near = nearest(value, known))
    text += "; did you mean " + in_quotes(*near) + "?";
  else
    text += "; it is one of " + joined(known);
  throw UsageError(text);
}

std::vector<std::string> parse_names(const std::string& option,
                                     const std::string& text,
                                     const std::vector<std::string>& known) {
  if (text == "all") return known;
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    names.emplace_back(
        trimmed(std::string_view(text).substr(begin, end - begin)));
    check_choice(option, names.back(), known);
    begin = end + 1;
  }
  return names;
}

}  // namespace gttf::app
