// SPDX-License-Identifier: Apache-2.0
// resolve: all results for one track.

#include "computation.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/show/track_view.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"
#include "inputs.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

int run_resolve(const Call& call) {
  const Options& options = call.options;
  check_formats(options);
  const Detector detector = load_detector(options);
  const StudyRequest request = read_request("", options, true);
  const Model model = model_of(request, detector, engine_of(options));
  print_notes(request, {&detector, 1}, options.quiet);
  Outputs outputs(options, provenance_of(call, nullptr, {&detector, 1}));

  const GridPoint point;
  const Resolution resolution = gttf::resolve(
      TrackingGeometry(detector), grid_track(request, point), model);
  outputs.write({scan_row(detector, request, point, resolution),
                 track_document(detector, request, point, resolution),
                 track_summary(detector, request, point, resolution)});
  outputs.commit();
  if (is_evaluated(resolution)) return good;
  if (!options.quiet)
    print_note("gttf-design: the track has no resolution: " +
               std::string(to_string(resolution.status)) + '\n');
  return no_track;
}

}  // namespace

const Verb resolve_verb{
    "resolve",
    of::resolve,
    "Resolve one track: resolutions, covariance, limits, crossings",
    "",
    "resolve detectors/alice_its2.yaml --p 1GeV --theta 90deg\n"
    "resolve detectors/cld.yaml --pt 10GeV --eta 1.5 --particle muon -o "
    "cld.json",
    run_resolve};

}  // namespace gttf::app
