// SPDX-License-Identifier: Apache-2.0
#include "explain.hpp"

#include <unistd.h>

#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/opened_files.hpp"
#include "gttf/core/version.hpp"
#include "gttf/output/atomic_file.hpp"
#include "messages.hpp"
#include "usage.hpp"

namespace gttf::app {

// With none left.
void explain_memory() {
  constexpr std::string_view text = "gttf-design: error: out of memory\n";
  [[maybe_unused]] const auto n =
      ::write(STDERR_FILENO, text.data(), text.size());
}

namespace {

int explain_bug(const std::exception& error) {
  print_error(std::string("internal error, please report it: ") + error.what() +
              " (version " + std::string(gttf::version()) + ")");
  return bug_of_ours;
}

}  // namespace

int explained(const std::function<int()>& work) noexcept {
  try {
    return work();
  } catch (const InputError& error) {
    show(error.diagnostics(), false);
    return bad_input;
  } catch (const UsageError& error) {
    print_error(error.what());
    return bad_input;
  } catch (const ReaderGone&) {
    return good;  // as with `| head`: the reader has read enough
  } catch (const OutputError& error) {
    print_error(error.what());
    return is_out_of_resources(error.error()) ? no_resources : bad_input;
  } catch (const FileConflict& error) {
    print_error(error.what());
    return bad_input;
  } catch (const FileError& error) {
    print_error(error.what());
    return bad_input;
  } catch (const std::bad_alloc&) {
    explain_memory();
    return no_resources;
  } catch (const std::filesystem::filesystem_error& error) {
    print_error(error.what());  // names the file
    return is_out_of_resources(error.code().value()) ? no_resources : bad_input;
  } catch (const std::system_error& error) {
    if (!is_out_of_resources(error.code().value())) return explain_bug(error);
    print_error(error.what());
    return no_resources;
  } catch (const std::exception& error) {
    return explain_bug(error);
  } catch (...) {
    print_error("internal error, please report it: unknown exception");
    return bug_of_ours;
  }
}

}  // namespace gttf::app
