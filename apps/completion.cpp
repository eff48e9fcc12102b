// SPDX-License-Identifier: Apache-2.0
// completion: scripts for the tab key, made from the options as they are.
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "gttf/output/stream.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

// What an option or argument takes, as a shell has to know it.
struct Operand {
  enum class Kind { nothing, choice, yaml_file, any_file, verb, other };
  Kind kind = Kind::nothing;
  std::vector<std::string> choices;
};

// Detectors, studies and requirements; not hits, cards and baselines.
bool is_yaml(const Verb& verb, const CLI::Option& option) {
  if (option.get_positional())
    return verb.name() != "import" && !option.check_name("HITS");
  return option.check_name("--detector") || option.check_name("--study") ||
         option.check_name("--requirements");
}

Operand operand_of(const Verb& verb, const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() == 0) return {};
  if (std::vector<std::string> values = choices(option); !values.empty())
    return {Operand::Kind::choice, std::move(values)};
  if (type == "VERB") return {Operand::Kind::verb, {}};
  if (type != "FILE") return {Operand::Kind::other, {}};
  return {is_yaml(verb, option) ? Operand::Kind::yaml_file
                                : Operand::Kind::any_file,
          {}};
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames())
    names.push_back("-" + name);
  for (const std::string& name : option.get_lnames())
    names.push_back("--" + name);
  return names;
}

std::string spaced(const std::vector<std::string>& words,
                   std::string_view separator = " ") {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string verb_names(const Verbs& verbs) {
  std::vector<std::string> names;
  for (const auto& verb : verbs) names.push_back(verb->name());
  return spaced(names);
}

// `text` with each of `special` preceded by a backslash, and quotes in the way
// that `quote` tells.
std::string escaped(std::string_view text, std::string_view special,
                    std::string_view quote) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += quote;
      continue;
    }
    if (special.find(c) != special.npos) out += '\\';
    out += c;
  }
  return out;
}

std::vector<const CLI::Option*> options_of(const Verb& verb) {
  return verb.command().get_options([](const CLI::Option*) { return true; });
}

// --- bash ---------------------------------------------------------------

std::string bash_action(const Operand& operand, const Verbs& verbs) {
  switch (operand.kind) {
    case Operand::Kind::choice:
      return "words='" + spaced(operand.choices) + "'";
    case Operand::Kind::verb:
      return "words='" + verb_names(verbs) + "'";
    case Operand::Kind::yaml_file:
      return "files=yaml";
    case Operand::Kind::any_file:
      return "files=any";
    case Operand::Kind::other:
    case Operand::Kind::nothing:
      break;
  }
  return "return";
}

std::string bash_verb(const Verb& verb, const Verbs& verbs) {
  std::string cases, options, argument = "words=''";
  bool any_argument = false;
  for (const CLI::Option* option : options_of(verb)) {
    const Operand operand = operand_of(verb, *option);
    if (option->get_positional()) {
      // Of several arguments each may be the next: any file is, if one is.
      if (!any_argument) argument = bash_action(operand, verbs);
      any_argument |= operand.kind == Operand::Kind::any_file;
      continue;
    }
    const std::vector<std::string> names = names_of(*option);
    options += (options.empty() ? "" : " ") + spaced(names);
    if (operand.kind != Operand::Kind::nothing)
      cases += "        " + spaced(names, "|") + ") " +
               bash_action(operand, verbs) + " ;;\n";
  }
  return "    " + verb.name() + ")\n      case $previous in\n" + cases +
         "        *)\n"
         "          case $current in\n"
         "            -*) words='" +
         options + "' ;;\n            *) " + argument +
         " ;;\n"
         "          esac ;;\n"
         "      esac ;;\n";
}

std::string bash_script(const Verbs& verbs) {
  std::string text = R"(# bash completion of gttf-design
_gttf_design() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local words='' files=''
  COMPREPLY=()
  # bash makes three words of --option=value
  if [ "$current" = = ]; then
    current=''
  elif [ "$previous" = = ] && [ "$COMP_CWORD" -ge 3 ]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ')" +
                     verb_names(verbs) +
                     R"( --help --version' -- "$current"))
    return
  fi
  case ${COMP_WORDS[1]} in
)";
  for (const auto& verb : verbs) text += bash_verb(*verb, verbs);
  return text + R"(    *) return ;;
  esac
  local word
  if [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do
      if [ "$files" = any ] || [ -d "$word" ]; then
        COMPREPLY+=("$word")
        continue
      fi
      case $word in *.yaml|*.yml) COMPREPLY+=("$word") ;; esac
    done < <(compgen -f -- "$current")
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _gttf_design gttf-design
)";
}

// --- zsh ----------------------------------------------------------------

std::string zsh_action(const Operand& operand, const Verbs& verbs) {
  switch (operand.kind) {
    case Operand::Kind::choice:
      return "(" + spaced(operand.choices) + ")";
    case Operand::Kind::verb:
      return "(" + verb_names(verbs) + ")";
    case Operand::Kind::yaml_file:
      return "_files -g \"*.(yaml|yml)(-.)\"";
    case Operand::Kind::any_file:
      return "_files";
    case Operand::Kind::other:
    case Operand::Kind::nothing:
      break;
  }
  return " ";
}

bool repeatable(const CLI::Option& option) {
  return option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll ||
         option.get_expected_max() > 1;
}

/// `position`: of an argument among those of the verb, from 1.
std::string zsh_option(const Verb& verb, const CLI::Option& option,
                       int position, const Verbs& verbs) {
  const Operand operand = operand_of(verb, option);
  const std::string quote = "'\\''";
  if (option.get_positional())
    return "      '" + (repeatable(option) ? "*" : std::to_string(position)) +
           ":" + escaped(option.get_name(true, false), ":", quote) + ":" +
           zsh_action(operand, verbs) + "'";
  std::string text;
  const std::vector<std::string> names = names_of(option);
  for (const std::string& name : names) {
    if (!text.empty()) text += " \\\n";
    text += "      '";
    text += repeatable(option) ? "*" : "(" + spaced(names) + ")";
    // "=": the value may also follow in the same word
    const bool takes_value = operand.kind != Operand::Kind::nothing;
    text += name + (takes_value && name.starts_with("--") ? "=" : "") + "[" +
            escaped(option.get_description(), "[]:\\", quote) + "]";
    if (takes_value)
      text += ":" + escaped(option.get_type_name(), ":", quote) + ":" +
              zsh_action(operand, verbs);
    text += "'";
  }
  return text;
}

std::string zsh_script(const Verbs& verbs) {
  std::string text =
      "#compdef gttf-design\n"
      "# zsh completion of gttf-design\n"
      "_gttf-design() {\n"
      "  local -a verbs\n"
      "  verbs=(\n";
  for (const auto& verb : verbs)
    text += "    '" + verb->name() + ":" +
            escaped(verb->command().get_description(), ":", "'\\''") + "'\n";
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe -t verbs verb verbs\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $verb in\n";
  for (const auto& verb : verbs) {
    text += "  " + verb->name() + ")\n    _arguments -s -S";
    int position = 0;
    for (const CLI::Option* option : options_of(*verb)) {
      position += option->get_positional();
      text += " \\\n" + zsh_option(*verb, *option, position, verbs);
    }
    text += " ;;\n";
  }
  return text +
         "  esac\n"
         "}\n"
         "if [ \"$funcstack[1]\" = _gttf-design ]; then\n"
         "  _gttf-design \"$@\"\n"
         "else\n"
         "  compdef _gttf-design gttf-design\n"
         "fi\n";
}

// --- fish ---------------------------------------------------------------

std::string fish_action(const Operand& operand, const Verbs& verbs) {
  switch (operand.kind) {
    case Operand::Kind::choice:
      return " -x -a '" + spaced(operand.choices) + "'";
    case Operand::Kind::verb:
      return " -x -a '" + verb_names(verbs) + "'";
    case Operand::Kind::yaml_file:
      return " -x -a '(__fish_complete_suffix .yaml)'";
    case Operand::Kind::any_file:
      return " -r -F";
    case Operand::Kind::other:
      return " -x";
    case Operand::Kind::nothing:
      break;
  }
  return {};
}

std::string fish_script(const Verbs& verbs) {
  const auto quoted_text = [](std::string_view text) {
    return "'" + escaped(text, "\\", "\\'") + "'";
  };
  std::string text =
      "# fish completion of gttf-design\n"
      "complete -c gttf-design -f\n"
      "complete -c gttf-design -n __fish_use_subcommand -s h -l help\n"
      "complete -c gttf-design -n __fish_use_subcommand -l version\n";
  for (const auto& verb : verbs)
    text += "complete -c gttf-design -n __fish_use_subcommand -a " +
            verb->name() + " -d " +
            quoted_text(verb->command().get_description()) + "\n";
  for (const auto& verb : verbs) {
    const std::string head =
        "complete -c gttf-design -n '__fish_seen_subcommand_from " +
        verb->name() + "'";
    for (const CLI::Option* option : options_of(*verb)) {
      const Operand operand = operand_of(*verb, *option);
      const std::string action = fish_action(operand, verbs);
      if (option->get_positional()) {
        // An argument has no name: its "-x" would forbid what it offers.
        const std::size_t values = action.find("-a ");
        if (values != action.npos)
          text += head + " " + action.substr(values) + "\n";
        else if (operand.kind == Operand::Kind::any_file)
          text += head + " -F\n";
        continue;
      }
      text += head;
      for (const std::string& name : option->get_snames())
        text += " -s " + name;
      for (const std::string& name : option->get_lnames())
        text += " -l " + name;
      text += action + " -d " + quoted_text(option->get_description()) + "\n";
    }
  }
  return text;
}

class Completion : public Verb {
 public:
  Completion()
      : Verb("completion", "Print a completion script for bash, zsh or fish") {
    command()
        .add_option("SHELL", shell_, "The shell")
        ->type_name("bash|zsh|fish")
        ->required();
    command().footer(
        "\nTo use it:\n"
        "  bash  source <(gttf-design completion bash)\n"
        "  zsh   gttf-design completion zsh > ~/.zfunc/_gttf-design  "
        "(a folder of $fpath)\n"
        "  fish  gttf-design completion fish > "
        "~/.config/fish/completions/gttf-design.fish");
  }

  int run(const Call& call) override {
    check_choice("SHELL", shell_, {"bash", "zsh", "fish"});
    FileStream out(STDOUT_FILENO, "standard output", false);
    out << (shell_ == "bash"  ? bash_script(call.verbs)
            : shell_ == "zsh" ? zsh_script(call.verbs)
                              : fish_script(call.verbs));
    out.flush();
    return good;
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Verb> make_completion() {
  return std::make_unique<Completion>();
}

}  // namespace gttf::app
