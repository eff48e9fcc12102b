// SPDX-License-Identifier: Apache-2.0
// explore: a page in which a detector can be changed, and its resolutions
// follow.
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "explorer/explorer_page.hpp"
#include "gttf/config/text.hpp"
#include "gttf/output/atomic_file.hpp"
#include "gttf/study/explore/exploration.hpp"
#include "gttf/study/explore/exploration_document.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

int run_explore(const Call& call) {
  Options options = call.options;
  const std::string& target = options.file;
  check_ending(target, {".html", ".htm"}, "the explorer is a page");
  if (!has_explorer_module())
    throw UsageError(
        "this program was built without the module that the page computes "
        "with; install clang-16, lld-16, wasi-libc, libc++-16-dev-wasm32, "
        "libc++abi-16-dev-wasm32 and libclang-rt-16-dev-wasm32, run \"cmake "
        "--workflow --preset wasm\" in the source folder, and build the "
        "program again");
  add_usual_tracks(options, "0.1GeV:100GeV:60", "1GeV:100GeV:60");
  const Study study = read_study(options, "explore");
  if (study.inputs.size() != 1)
    throw UsageError("one detector at a time; choose one with --detector FILE");
  const DetectorInput& input = study.inputs.front();
  if (!can_be_listed(input.detector))
    throw UsageError(in_quotes(input.detector.file) +
                     " has a map of its field or of material, which the page "
                     "cannot carry; use compare or sweep");
  std::optional<RequirementFile> requirements;
  const std::string& path = options.requirements.empty()
                                ? study.request.requirements
                                : options.requirements;
  if (!path.empty()) requirements = requirements_for(path, study.request);

  std::optional<Provenance> provenance =
      provenance_of(call, &study.request, study.detectors);
  if (provenance && requirements)
    provenance->inputs.push_back(
        {requirements->request.file, requirements->request.sha256});
  AtomicFile file(target);
  write_explorer(
      file.stream(),
      exploration_document(input, study.request, requirements, options.threads),
      provenance);
  file.commit();
  return good;
}

}  // namespace

const Verb explore_verb{
    "explore",
    of::explore,
    "Write a page in which the design can be changed",
    "Sliders and the drawing move radii, lengths, thicknesses, errors and the "
    "field;\n"
    "resolutions, budgets and margins follow, computed by the page itself "
    "without\n"
    "network. The page exports the changed file and the --set options for it.\n"
    "Without tracks on the command line or in a study: pt from 0.1 to 100 GeV "
    "at\n"
    "90 deg, and along a beam p from 1 to 100 GeV.",
    "explore my.yaml -o my.html\n"
    "explore detectors/cld.yaml --requirements configs/check/cld.yaml -o "
    "cld.html\n"
    "explore configs/alice_its2.yaml --particle kaon -o its2.html",
    run_explore};

}  // namespace gttf::app
