// SPDX-License-Identifier: Apache-2.0
// help and version, and the texts of the help.
#include <array>

#include "gttf/config/text.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/core/version.hpp"
#include "messages.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

constexpr std::size_t help_column = 34;

constexpr std::array verbs_in_order{
    &init_verb,        &validate_verb,   &show_verb,     &resolve_verb,
    &scan_verb,        &sweep_verb,      &regimes_verb,  &budget_verb,
    &sensitivity_verb, &compare_verb,    &baseline_verb, &check_verb,
    &optimise_verb,    &decay_verb,      &toy_verb,      &fit_verb,
    &report_verb,      &plot_verb,       &explore_verb,  &import_verb,
    &export_verb,      &completion_verb, &help_verb,     &version_verb,
};

void add_column(std::string& text, const std::string& left,
                std::string_view right, std::size_t column) {
  text += left;
  if (left.size() >= column)
    text += '\n' + std::string(column, ' ');
  else
    text += std::string(column - left.size(), ' ');
  text += right;
  text += '\n';
}

// "  -o,--output FILE", "  DETECTOR"
std::string left_of(const Option& option) {
  std::string left = "  ";
  left += option.is_argument() ? option.name() : option.names;
  if (option.is_flag() || (option.is_argument() && option.choices().empty()))
    return left;
  return left + ' ' + std::string(option.value);
}

int run_help(const Call& call) {
  const std::string& verb = call.options.verb;
  print(call.options.man_page ? man_page()
        : verb.empty()        ? program_help()
                              : help_of(find_verb(verb)));
  return good;
}

int run_version(const Call&) {
  std::string text = "gttf-design " + std::string(gttf::version()) +
                     "\nsimd: " + std::string(to_string(simd_level())) + " of";
  for (const SimdLevel level : available_simd_levels())
    text += ' ' + std::string(to_string(level));
  print(text + '\n');
  return good;
}

}  // namespace

std::span<const Verb* const> all_verbs() { return verbs_in_order; }

const Verb& find_verb(const std::string& name) {
  std::vector<std::string> names;
  const std::string wanted = name == "optimize" ? "optimise" : name;
  for (const Verb* verb : all_verbs()) {
    if (verb->name == wanted) return *verb;
    names.emplace_back(verb->name);
  }
  std::string text = "unknown verb " + in_quotes(name);
  if (const auto near = nearest(name, names))
    text += "; did you mean " + in_quotes(*near) + "?";
  else
    text += "; the verbs are " + joined(names);
  throw UsageError(text);
}

std::string program_help() {
  constexpr std::size_t column = 15;
  std::string text =
      "Resolution of tracking detectors by the General Triplet Track Fit:\n"
      "describe layers, material and field in YAML, get momentum, angle and\n"
      "impact-parameter resolution.\n"
      "\n"
      "Usage: gttf-design VERB [ARGUMENTS] [OPTIONS]\n"
      "\n"
      "Verbs:\n";
  for (const Verb* verb : all_verbs())
    add_column(text, "  " + std::string(verb->name), verb->summary, column);
  return text +
         "\n"
         "Options:\n"
         "  -h, --help   Show this help and exit\n"
         "  --version    Print the version and exit\n"
         "\n"
         "Examples:\n"
         "  gttf-design show detectors/alice_its2.yaml\n"
         "  gttf-design resolve detectors/alice_its2.yaml --p 1GeV "
         "--theta 90deg\n"
         "  gttf-design scan detectors/alice_its2.yaml "
         "--p 0.1GeV:100GeV:60\n"
         "\n"
         "Run 'gttf-design help VERB' for the options of a verb.\n";
}

std::string usage_of(const Verb& verb) {
  std::string text = "gttf-design " + std::string(verb.name) + " [OPTIONS]";
  for (const Option* option : options_of(verb.id)) {
    if (!option->is_argument()) continue;
    const std::string name(option->names);
    text += option->required ? ' ' + name : " [" + name + ']';
  }
  return text;
}

std::string help_of(const Verb& verb) {
  std::string text =
      std::string(verb.summary) + "\nUsage: " + usage_of(verb) + '\n';
  const Option* before = nullptr;
  for (const Option* option : options_of(verb.id)) {
    if (before == nullptr || before->group != option->group)
      text += '\n' + std::string(heading(option->group)) + ":\n";
    add_column(text, left_of(*option), option->help, help_column);
    before = option;
  }
  if (!verb.notes.empty()) text += '\n' + std::string(verb.notes) + '\n';
  if (verb.examples.empty()) return text;
  text += "\nExamples:\n  gttf-design ";
  for (const char c : verb.examples)
    text += c == '\n' ? std::string("\n  gttf-design ") : std::string(1, c);
  return text + '\n';
}

const Verb help_verb{"help", of::help, "Show the verbs, or the options of one",
                     "",     "",       run_help};

const Verb version_verb{"version",
                        of::version,
                        "Print the version and the vector instructions in use",
                        "",
                        "",
                        run_version};

}  // namespace gttf::app
