// SPDX-License-Identifier: Apache-2.0
#include "verb.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "gttf/config/text.hpp"
#include "usage.hpp"

namespace gttf::app {
namespace {

// Help lines without CLI11's "REQUIRED" and " ..." marks, which the usage line
// above them already tells.
class HelpFormatter : public CLI::Formatter {
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    if (option->get_type_size() == 0 || type.empty()) return {};
    return " " + type;
  }
};

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
    for (const std::string& name : option->get_snames())
      names.push_back("-" + name);
  }
  return names;
}

const CLI::Option* find_option(const CLI::App& command,
                               const std::string& name) {
  return command.get_option_no_throw(name);
}

// What other programs call an option of ours.
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

}  // namespace

Verb::Verb(std::string name, std::string description)
    : name_(std::move(name)),
      command_(std::move(description), "gttf-design " + name_) {
  constexpr std::size_t description_column = 34;
  command_.formatter(std::make_shared<HelpFormatter>());
  command_.get_formatter()->column_width(description_column);
  command_.get_formatter()->label("Positionals", "Arguments");
  command_.set_help_flag("-h,--help", "Say this and stop");
}

std::string Verb::help() const {
  std::string text = command_.help();
  // CLI11 leaves two empty lines between groups.
  for (std::size_t i = text.find("\n\n\n"); i != text.npos;
       i = text.find("\n\n\n", i))
    text.erase(i, 1);
  return text;
}

std::string program_help(const Verbs& verbs) {
  std::string text =
      "Resolution of tracking detectors by the General Triplet Track Fit:\n"
      "describe layers, material and field in YAML, get momentum, angle and\n"
      "impact-parameter resolution.\n"
      "\n"
      "Usage: gttf-design VERB [ARGUMENTS] [OPTIONS]\n"
      "\n"
      "Verbs:\n";
  for (const auto& verb : verbs)
    text +=
        "  " + verb->name() +
        std::string(13 - std::min<std::size_t>(12, verb->name().size()), ' ') +
        verb->command().get_description() + "\n";
  return text +
         "\n"
         "Options:\n"
         "  -h, --help   Say this and stop\n"
         "  --version    Tell the version and stop\n"
         "\n"
         "Examples:\n"
         "  gttf-design show detectors/alice_its2.yaml\n"
         "  gttf-design resolve detectors/alice_its2.yaml --p 1GeV "
         "--theta 90deg\n"
         "  gttf-design scan --detector detectors/alice_its2.yaml "
         "--p 0.1GeV:100GeV:60\n"
         "\n"
         "'gttf-design help VERB' tells the options of a verb.\n";
}

Verb& find_verb(const Verbs& verbs, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& verb : verbs) {
    if (verb->name() == name) return *verb;
    names.push_back(verb->name());
  }
  std::string text = "unknown verb " + in_quotes(name);
  if (const auto near = nearest(name, names))
    text += "; did you mean " + in_quotes(*near) + "?";
  else
    text += "; the verbs are " + joined(names);
  throw UsageError(text);
}

void check_options(const CLI::App& command,
                   const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") return;
    if (word.size() < 2 || word[0] != '-' || is_negative_number(word)) continue;
    const bool is_long = word[1] == '-';
    const std::string name =
        is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
    const CLI::Option* option = find_option(command, name);
    if (option == nullptr) {
      // "-pt" is a slip of "--pt" rather than an option "-p".
      const std::string meant = is_long ? name : "-" + word;
      std::string text = "unknown option " + in_quotes(is_long ? name : word);
      std::optional<std::string> near = by_another_name(name);
      if (!near) near = nearest(meant, option_names(command));
      if (near) text += "; did you mean " + in_quotes(*near) + "?";
      throw UsageError(text);
    }
    const bool value_attached = is_long ? word.find('=') != word.npos  //
                                        : word.size() > 2;
    if (option->get_items_expected_min() > 0 && !value_attached) ++i;
  }
}

std::vector<std::string> choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.find('|') == type.npos) return {};
  std::vector<std::string> values;
  for (std::size_t begin = 0; begin <= type.size();) {
    const std::size_t end = std::min(type.find('|', begin), type.size());
    values.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  return values;
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

}  // namespace gttf::app
