// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/found_design.hpp"

#include <set>

#include "gttf/study/optimise/best_file.hpp"
#include "gttf/study/optimise/optimisation_view.hpp"

namespace gttf {
namespace {

/// The problem without the number of a line.
std::string words_of(const Diagnostic& d) {
  return d.problem.substr(0, d.problem.find(" (line "));
}

}  // namespace

FoundDesign found_design(const SearchResult& result) {
  FoundDesign found;
  if (!result.best.result.exists) return found;
  const DetectorInput& start = result.program->problem().input;
  try {
    found.text = best_file(*result.program, result.best.x,
                           best_file_header(result), &found.lost);
  } catch (const InputError& error) {
    found.errors = error.diagnostics();
    return found;
  }
  std::set<std::string> known;
  for (const Diagnostic& d : start.warnings.items()) known.insert(words_of(d));
  const Diagnostics all = parse_detector(found.text, "best design").warnings;
  for (const Diagnostic& d : all.items())
    if (!known.contains(words_of(d))) found.warnings.add(d);
  return found;
}

}  // namespace gttf
