// SPDX-License-Identifier: Apache-2.0
#include "baseline_file.hpp"

#include <memory>

#include "gttf/config/sha256.hpp"
#include "gttf/config/source.hpp"
#include "gttf/output/json.hpp"

namespace gttf::app {

// The size of a baseline grows with its grid, unlike files written by users.
std::optional<Baseline> load_baseline(const std::string& path,
                                      const Value& value, std::string& hash) {
  try {
    const auto source =
        std::make_shared<Source>(path, read_file(path, "baseline"));
    hash = sha256(source->text());
    return read_baseline(read_json(source->text(), path), source);
  } catch (const FileError& error) {
    value.error(error.what(), "write it with 'gttf-design baseline'");
  } catch (const InputError& error) {
    value.diagnostics().add(error.diagnostics());
  }
  return std::nullopt;
}

}  // namespace gttf::app
