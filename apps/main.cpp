// SPDX-License-Identifier: Apache-2.0
// gttf-design: the list of verbs, and the one place where errors become text.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "common.hpp"
#include "gttf/config/diagnostics.hpp"
#include "gttf/config/opened_files.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/file_error.hpp"
#include "gttf/core/version.hpp"
#include "gttf/output/interrupt.hpp"
#include "gttf/output/stream.hpp"
#include "usage.hpp"
#include "verb.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace gttf::app {
namespace {

Verbs all_verbs() {
  Verbs verbs;
  verbs.push_back(make_validate());
  verbs.push_back(make_show());
  verbs.push_back(make_resolve());
  verbs.push_back(make_scan());
  verbs.push_back(make_regimes_verb());
  verbs.push_back(make_budget_verb());
  verbs.push_back(make_sensitivity_verb());
  verbs.push_back(make_compare_verb());
  verbs.push_back(make_baseline_verb());
  verbs.push_back(make_check());
  verbs.push_back(make_toy());
  verbs.push_back(make_fit());
  verbs.push_back(make_report_verb());
  verbs.push_back(make_plot_verb());
  verbs.push_back(make_import());
  verbs.push_back(make_export());
  verbs.push_back(make_completion());
  verbs.push_back(make_help());
  verbs.push_back(make_version());
  return verbs;
}

void say_error(std::string_view text) {
  const bool colour = colours(STDERR_FILENO);
  std::fprintf(stderr, "gttf-design: %serror:%s %.*s\n",
               colour ? "\033[1;31m" : "", colour ? "\033[0m" : "",
               static_cast<int>(text.size()), text.data());
}

void print(const std::string& text) {
  FileStream out(STDOUT_FILENO, "standard output", false);
  out << text;
  out.flush();
}

// CLI11's text, clearer where it can be.
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

std::string see_help(const std::string& verb) {
  return "\nsee 'gttf-design help" + (verb == "help" ? "" : " " + verb) + "'";
}

int run(const std::vector<std::string>& arguments) {
  const Verbs verbs = all_verbs();
  if (arguments.size() < 2) {
    std::fputs(program_help(verbs).c_str(), stderr);
    return bad_input;
  }
  std::string name = arguments[1];
  if (name == "-h" || name == "--help") name = "help";
  if (name == "-V" || name == "--version") name = "version";
  if (name.starts_with('-'))
    throw UsageError("the verb comes first: gttf-design VERB [OPTIONS]");
  Verb& verb = find_verb(verbs, name);

  try {
    const std::vector<std::string> words(arguments.begin() + 2,
                                         arguments.end());
    check_options(verb.command(), words);
    // CLI11 takes the words from the end.
    verb.command().parse(
        std::vector<std::string>(words.rbegin(), words.rend()));
    return verb.run({verbs, arguments});
  } catch (const CLI::CallForHelp&) {
    print(verb.help());
    return good;
  } catch (const CLI::ParseError& error) {
    throw UsageError(explained(error) + see_help(name));
  } catch (const UsageError& error) {
    throw UsageError(error.what() + see_help(name));
  }
}

// The one catch of the program.
int run_and_explain(const std::vector<std::string>& arguments) noexcept {
  try {
    return run(arguments);
  } catch (const InputError& error) {
    show(error.diagnostics(), false);
    return bad_input;
  } catch (const UsageError& error) {
    say_error(error.what());
    return bad_input;
  } catch (const ReaderGone&) {
    return good;  // as with `| head`: the reader has what it wanted
  } catch (const OutputError& error) {
    say_error(error.what());
    return bad_input;
  } catch (const FileConflict& error) {
    say_error(error.what());
    return bad_input;
  } catch (const FileError& error) {
    say_error(error.what());
    return bad_input;
  } catch (const std::bad_alloc&) {
    say_error("out of memory");
    return bug_of_ours;
  } catch (const std::exception& error) {
    say_error(std::string("this is a bug of ours, please report it: ") +
              error.what() + " (version " + std::string(gttf::version()) + ")");
    return bug_of_ours;
  } catch (...) {
    say_error("this is a bug of ours, please report it: unknown exception");
    return bug_of_ours;
  }
}

// Blocks of tracks come and go by the megabyte: given back to the system each
// time, their pages would have to be cleared again.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

}  // namespace
}  // namespace gttf::app

int main(int argc, char** argv) {
  gttf::app::keep_freed_memory();
  std::signal(SIGPIPE, SIG_IGN);  // writing to a closed pipe is an error value
  gttf::tidy_up_on_signals();
  const gttf::FilesOfRun files;
  const std::vector<std::string> arguments(argv, argv + argc);
  return gttf::app::run_and_explain(arguments);
}
