// SPDX-License-Identifier: Apache-2.0
// gttf-design: runs a verb; the only place where errors are printed.
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.hpp"
#include "explain.hpp"
#include "gttf/config/opened_files.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/output/interrupt.hpp"
#include "messages.hpp"
#include "usage.hpp"
#include "verb.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace gttf::app {
namespace {

std::string see_help(const std::string& verb) {
  return "\nsee 'gttf-design help" + (verb == "help" ? "" : " " + verb) + "'";
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    print_note(program_help());
    return bad_input;
  }
  std::string name = arguments[1];
  if (name == "-h" || name == "--help") name = "help";
  if (name == "-V" || name == "--version") name = "version";
  if (name.starts_with('-'))
    throw UsageError("the verb comes first: gttf-design VERB [OPTIONS]");
  const Verb& verb = find_verb(name);
  try {
    const Options options =
        parse_command_line(verb, {arguments.begin() + 2, arguments.end()});
    if (!options.help) return verb.run({arguments, options});
    print(help_of(verb));
    return good;
  } catch (const UsageError& error) {
    throw UsageError(error.what() + see_help(name));
  }
}

/// Without memory for an exception, the program ends without one. (So would a
/// failure of `new (std::nothrow)`, which is an exception inside.)
bool is_memory_left() {
  constexpr std::size_t much_for_an_exception = 1 << 16;
  // volatile: compilers may leave out what is freed without being used
  void* volatile memory = std::malloc(much_for_an_exception);
  std::free(memory);
  return memory != nullptr;
}

// Exceptions that cannot be caught: before main(), or through noexcept.
[[noreturn]] void end_in_an_orderly_way() {
  tidy_up_now();
  bool memory = false;
  try {
    if (std::current_exception()) throw;
    memory = !is_memory_left();
  } catch (const std::bad_alloc&) {
    memory = true;
  } catch (...) {
  }
  if (memory)
    explain_memory();
  else
    print_error("internal error, please report it: terminated");
  std::_Exit(memory ? no_resources : bug_of_ours);
}

// Before any static object. Those of shared libraries come before the
// constructors of the program, but not before its .preinit_array.
#ifdef __ELF__
void set_terminate_first() { std::set_terminate(end_in_an_orderly_way); }
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const set_first)() = set_terminate_first;
#else
[[gnu::constructor(101)]] void set_terminate_first() {
  std::set_terminate(end_in_an_orderly_way);
}
#endif

void warn_of_refused_threads() {
  const std::size_t refused = refused_threads();
  if (refused > 0)
    print_note("gttf-design: warning: the system refused " +
               std::to_string(refused) +
               " of the requested threads; the results are the same\n");
}

int run_and_explain(int argc, char** argv) noexcept {
  return explained([&] {
    const int code = run({argv, argv + argc});
    warn_of_refused_threads();
    return code;
  });
}

// Blocks of tracks allocate and free megabytes; returning them to the system
// each time would require clearing the pages again.
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
  // a closed pipe and a file at its size limit are write errors
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  gttf::tidy_up_on_signals();
  const gttf::FilesOfRun files;
  return gttf::app::run_and_explain(argc, argv);
}
