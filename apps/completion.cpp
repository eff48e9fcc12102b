// SPDX-License-Identifier: Apache-2.0
// completion: shell completion scripts, generated from the table of options.
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/config/shipped_file.hpp"
#include "gttf/config/source.hpp"
#include "gttf/detector/override.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/study/hits/fit_table.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/trajectory/track.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "report_request.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

// Kind of value of an option or argument for the shell.
struct Operand {
  enum class Kind { nothing, choice, list, yaml_file, any_file, asked, other };
  Kind kind = Kind::nothing;
  std::vector<std::string> choices;
  /// The argument of `completion --words`; for a file, the installed ones.
  std::string_view words = {};
};

// For comma-separated names; "all" means all of them.
Operand list_of(std::vector<std::string> names) {
  names.emplace_back("all");
  return {Operand::Kind::list, std::move(names)};
}

Operand operand_of(const Option& option) {
  if (option.is_flag()) return {};
  switch (option.values) {
    case Values::choice:
      return {Operand::Kind::choice, option.choices()};
    case Values::verb: {
      Operand operand{Operand::Kind::choice, {}};
      for (const Verb* verb : all_verbs())
        operand.choices.emplace_back(verb->name);
      return operand;
    }
    case Values::particle:
      return {Operand::Kind::choice, particle_names()};
    case Values::file:
      return {Operand::Kind::any_file, {}};
    case Values::yaml:
    case Values::detector:
    case Values::detector_before_study:
      return {Operand::Kind::yaml_file, {}, "detectors"};
    case Values::study:
    case Values::study_before_detector:
      return {Operand::Kind::yaml_file, {}, "studies"};
    case Values::requirements:
      return {Operand::Kind::yaml_file, {}, "requirements"};
    case Values::layer:
      return {Operand::Kind::asked, {}, "layers"};
    case Values::key:
      return {Operand::Kind::asked, {}, "keys"};
    case Values::figure:
      return {Operand::Kind::asked, {}, "figures"};
    case Values::scan_columns:
      return list_of(scan_column_names(true));
    case Values::fit_columns:
      return list_of(fit_column_names(all_fit_columns));
    case Values::toy_fits:
      return {Operand::Kind::list, fit_names()};
    default:
      return {Operand::Kind::other, {}};
  }
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

std::string verb_names() {
  std::vector<std::string> names;
  for (const Verb* verb : all_verbs()) names.emplace_back(verb->name);
  return spaced(names);
}

// `text` with each of `special` preceded by a backslash, and quotes escaped as
// given by `quote`.
std::string escaped_for_shell(std::string_view text, std::string_view special,
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

// --- bash ---------------------------------------------------------------

std::string bash_action(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::choice:
      return "words='" + spaced(operand.choices) + "'";
    case Operand::Kind::list:
      return "words='" + spaced(operand.choices) + "' list=yes";
    case Operand::Kind::yaml_file:
      return "files=yaml ask=" + std::string(operand.words);
    case Operand::Kind::asked:
      return "ask=" + std::string(operand.words);
    case Operand::Kind::any_file:
      return "files=any";
    case Operand::Kind::other:
    case Operand::Kind::nothing:
      break;
  }
  return "return";
}

std::string bash_verb(const Verb& verb) {
  std::string cases, options, argument = "words=''";
  bool any_argument = false;
  for (const Option* option : options_of(verb.id)) {
    const Operand operand = operand_of(*option);
    if (option->is_argument()) {
      // Any of several arguments may be next: any file, if one is.
      if (!any_argument) argument = bash_action(operand);
      any_argument |= operand.kind == Operand::Kind::any_file;
      continue;
    }
    const std::vector<std::string> names = option->all_names();
    options += (options.empty() ? "" : " ") + spaced(names);
    if (operand.kind != Operand::Kind::nothing)
      cases += "        " + spaced(names, "|") + ") " + bash_action(operand) +
               " ;;\n";
  }
  return "    " + std::string(verb.name) + ")\n      case $previous in\n" +
         cases +
         "        *)\n"
         "          case $current in\n"
         "            -*) words='" +
         options + "' ;;\n            *) " + argument +
         " ;;\n"
         "          esac ;;\n"
         "      esac ;;\n";
}

std::string bash_script() {
  std::string text = R"(# bash completion of gttf-design
_gttf_design() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local words='' files='' list='' ask=''
  COMPREPLY=()
  # bash makes three words of --option=value
  if [ "$current" = = ]; then
    current=''
  elif [ "$previous" = = ] && [ "$COMP_CWORD" -ge 3 ]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ')" +
                     verb_names() +
                     R"( --help --version' -- "$current"))
    return
  fi
  case ${COMP_WORDS[1]} in
)";
  for (const Verb* verb : all_verbs()) text += bash_verb(*verb);
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
  fi
  if [ -n "$ask" ]; then
    # what the files on this line have; installed files where there are no others
    [ ${#COMPREPLY[@]} = 0 ] || return
    local -a line=()
    for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do line+=("--on=$word"); done
    [ "$ask" != keys ] || compopt -o nospace 2>/dev/null
    while IFS= read -r word; do
      case $word in "${current#[\"\']}"*) ;; *) continue ;; esac
      case $current in
        [\"\']*) ;;
        *) printf -v word %q "$word" ;;
      esac
      COMPREPLY+=("$word")
    done < <(gttf-design completion --words "$ask" "${line[@]}" 2>/dev/null)
  elif [ -n "$files" ]; then
    return
  elif [ -n "$list" ]; then
    # names with commas between: the last one is being typed
    local before=${current%"${current##*,}"}
    COMPREPLY=($(compgen -P "$before" -W "$words" -- "${current##*,}"))
    compopt -o nospace 2>/dev/null
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _gttf_design gttf-design
)";
}

// --- zsh ----------------------------------------------------------------

std::string zsh_action(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::choice:
      return "(" + spaced(operand.choices) + ")";
    case Operand::Kind::list:
      return "_values -s , column " + spaced(operand.choices);
    case Operand::Kind::yaml_file:
      return "{_files -g \"*.(yaml|yml)(-.)\" || _gttf_words " +
             std::string(operand.words) + "}";
    case Operand::Kind::asked:
      return "{_gttf_words " + std::string(operand.words) + "}";
    case Operand::Kind::any_file:
      return "_files";
    case Operand::Kind::other:
    case Operand::Kind::nothing:
      break;
  }
  return " ";
}

/// `position`: of an argument among those of the verb, from 1.
std::string zsh_option(const Option& option, int position) {
  const Operand operand = operand_of(option);
  const std::string quote = "'\\''";
  if (option.is_argument())
    return "      '" +
           (option.is_repeatable() ? "*" : std::to_string(position)) + ":" +
           escaped_for_shell(option.name(), ":", quote) + ":" +
           zsh_action(operand) + "'";
  std::string text;
  const std::vector<std::string> names = option.all_names();
  for (const std::string& name : names) {
    if (!text.empty()) text += " \\\n";
    text += "      '";
    text += option.is_repeatable() ? "*" : "(" + spaced(names) + ")";
    // "=": the value may also be in the same word
    const bool takes_value = operand.kind != Operand::Kind::nothing;
    text += name + (takes_value && name.starts_with("--") ? "=" : "") + "[" +
            escaped_for_shell(option.help, "[]:\\", quote) + "]";
    if (takes_value)
      text += ":" + escaped_for_shell(option.value, ":", quote) + ":" +
              zsh_action(operand);
    text += "'";
  }
  return text;
}

std::string zsh_script() {
  std::string text =
      "#compdef gttf-design\n"
      "# zsh completion of gttf-design\n"
      "# what the files on the line have\n"
      "_gttf_words() {\n"
      "  local -a found\n"
      "  found=(${(f)\"$(gttf-design completion --words $1 "
      "${${(Q)words[2,CURRENT-1]}/#/--on=} 2>/dev/null)\"})\n"
      "  [[ $1 = keys ]] && compadd -S '' -a found || compadd -a found\n"
      "}\n"
      "_gttf-design() {\n"
      "  local -a verbs\n"
      "  verbs=(\n";
  for (const Verb* verb : all_verbs())
    text += "    '" + std::string(verb->name) + ":" +
            escaped_for_shell(verb->summary, ":", "'\\''") + "'\n";
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
  for (const Verb* verb : all_verbs()) {
    text += "  " + std::string(verb->name) + ")\n    _arguments -s -S";
    int position = 0;
    for (const Option* option : options_of(verb->id)) {
      position += option->is_argument();
      text += " \\\n" + zsh_option(*option, position);
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

std::string fish_action(const Operand& operand) {
  const std::string asked = "gttf-design completion --words " +
                            std::string(operand.words) +
                            " (string replace -r -- \"^\" --on= "
                            "(commandline -opc)[3..]) 2>/dev/null";
  switch (operand.kind) {
    case Operand::Kind::choice:
      return " -x -a '" + spaced(operand.choices) + "'";
    case Operand::Kind::list:
      return " -x -a '(__fish_append , " + spaced(operand.choices) + ")'";
    case Operand::Kind::yaml_file:
      return " -x -a '(__fish_complete_suffix .yaml; " + asked + ")'";
    case Operand::Kind::asked:
      return " -x -a '(" + asked + ")'";
    case Operand::Kind::any_file:
      return " -r -F";
    case Operand::Kind::other:
      return " -x";
    case Operand::Kind::nothing:
      break;
  }
  return {};
}

std::string fish_script() {
  const auto quoted_text = [](std::string_view text) {
    return "'" + escaped_for_shell(text, "\\", "\\'") + "'";
  };
  std::string text =
      "# fish completion of gttf-design\n"
      "complete -c gttf-design -f\n"
      "complete -c gttf-design -n __fish_use_subcommand -s h -l help\n"
      "complete -c gttf-design -n __fish_use_subcommand -l version\n";
  for (const Verb* verb : all_verbs())
    text += "complete -c gttf-design -n __fish_use_subcommand -a " +
            std::string(verb->name) + " -d " + quoted_text(verb->summary) +
            "\n";
  for (const Verb* verb : all_verbs()) {
    const std::string head =
        "complete -c gttf-design -n '__fish_seen_subcommand_from " +
        std::string(verb->name) + "'";
    for (const Option* option : options_of(verb->id)) {
      const Operand operand = operand_of(*option);
      const std::string action = fish_action(operand);
      if (option->is_argument()) {
        // An argument has no name: its "-x" would forbid what it offers.
        const std::size_t values = action.find("-a ");
        if (values != action.npos)
          text += head + " " + action.substr(values) + "\n";
        else if (operand.kind == Operand::Kind::any_file)
          text += head + " -F\n";
        continue;
      }
      text += head;
      for (const std::string& name : option->all_names())
        text += name.starts_with("--") ? " -l " + name.substr(2)
                                       : " -s " + name.substr(1);
      text += action + " -d " + quoted_text(option->help) + "\n";
    }
  }
  return text;
}

// --- contents of the files on a line ----------------------------------------

/// The detectors named on a line, directly or in a study. Other words, and
/// files that cannot be read, are ignored.
std::vector<std::string> detectors_on(const std::vector<std::string>& line) {
  std::vector<std::string> files;
  for (const std::string& word : line) {
    const std::string file = or_shipped(word, word, {"detectors", "configs"});
    if (word.starts_with('-') || !std::filesystem::is_regular_file(file))
      continue;
    if (kind_of(file) == FileKind::detector) {
      files.push_back(file);
      continue;
    }
    try {
      const StudyRequest request = read_request(file, {});
      files.insert(files.end(), request.detectors.begin(),
                   request.detectors.end());
    } catch (const std::exception&) {
    }
  }
  return files;
}

void append_layers(const std::string& file, std::vector<std::string>& words) {
  for (const Layer& layer : read_detector(file).detector.layers)
    words.push_back(layer.name);
}

void append_keys(const std::string& file, std::vector<std::string>& words) {
  Diagnostics ignored;
  const SourcePtr source = read_source(file, ignored);
  const auto root = source ? parse_yaml(source, "", ignored) : std::nullopt;
  if (!root) return;
  for (const std::string& key : keys_in(*root)) words.push_back(key + '=');
}

std::vector<std::string> figures_on(const Call& call) {
  Options options;
  options.quiet = true;
  for (const std::string& word : call.options.arguments) {
    const std::string file = or_shipped(word, word, {"configs", "detectors"});
    if (!word.starts_with('-') && std::filesystem::is_regular_file(file))
      options.arguments.push_back(file);
  }
  const auto page_of = [](const Options& o) {
    return ReportRequest(o).make_page();
  };
  Page page;
  try {
    page = page_of(options);
  } catch (const std::exception&) {
    options.p = "1GeV";  // a detector, and no momentum on the line yet
    page = page_of(options);
  }
  std::vector<std::string> names;
  for (const Figure* figure : figures_of(page)) names.push_back(figure->id);
  return names;
}

std::vector<std::string> installed(std::string_view folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(shipped_folder()) / folder, none))
    if (entry.path().extension() == ".yaml")
      names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> words_for(const Call& call) {
  const std::string& what = call.options.words;
  if (what == "detectors") return installed("detectors");
  if (what == "studies") return installed("configs");
  if (what == "requirements") return installed("configs/check");
  std::vector<std::string> words;
  try {
    if (what == "figures") return figures_on(call);
    for (const std::string& file : detectors_on(call.options.arguments))
      what == "layers" ? append_layers(file, words) : append_keys(file, words);
  } catch (const std::exception&) {
    // an incomplete line need not be valid
  }
  return words;
}

int run_completion(const Call& call) {
  const std::string& shell = call.options.shell;
  if (!call.options.words.empty()) {
    for (const std::string& word : words_for(call)) print(word + '\n');
    return good;
  }
  if (shell.empty()) throw UsageError("no shell given: use bash, zsh or fish");
  print(shell == "bash"  ? bash_script()
        : shell == "zsh" ? zsh_script()
                         : fish_script());
  return good;
}

}  // namespace

const Verb completion_verb{
    "completion",
    of::completion,
    "Print a completion script for bash, zsh or fish",
    "To use it:\n"
    "  bash  source <(gttf-design completion bash)\n"
    "  zsh   gttf-design completion zsh > ~/.zfunc/_gttf-design  "
    "(a folder of $fpath)\n"
    "  fish  gttf-design completion fish > "
    "~/.config/fish/completions/gttf-design.fish",
    "",
    run_completion};

}  // namespace gttf::app
