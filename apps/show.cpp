// SPDX-License-Identifier: Apache-2.0
// show: the detector as interpreted, and the layers crossed by a track.
#include <utility>

#include "gttf/study/show/detector_view.hpp"
#include "gttf/study/show/track_view.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"
#include "inputs.hpp"
#include "outputs.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

double azimuth(const Options& options) {
  if (!options.phi) return 0;
  StudyOptions any = options;  // only phi matters
  any.p = "1 GeV";
  any.theta = "90 deg";
  return read_request("", any, true).phi;
}

void add_track(const Detector& detector, const StudyRequest& request,
               Result& result) {
  const Track track = grid_track(request, {});
  const Resolution resolution =
      resolve(TrackingGeometry(detector), track, model_of(request, detector));
  Section section = crossing_section(detector, resolution);
  section.facts.emplace_back("track", track_text(request, track));
  section.facts.emplace_back("it", std::string(to_string(resolution.end)));
  result.summary.sections.push_back(std::move(section));
  result.table = crossing_table(detector, resolution);
  const Document document = track_document(detector, request, {}, resolution);
  result.document.set("track",
                      Document()
                          .set("input", *document.find("input"))
                          .set("end", to_string(resolution.end))
                          .set("crossings", *document.find("crossings")));
}

int run_show(const Call& call) {
  const Options& options = call.options;
  check_formats(options);
  const Detector detector = load_detector(options);
  const bool with_track =
      options.p || options.pt || options.theta || options.eta;
  std::optional<StudyRequest> request;
  if (with_track) request = read_request("", options, true);
  const double phi = request ? request->phi : azimuth(options);
  Outputs outputs(options, provenance_of(call, nullptr, {&detector, 1}));
  Result result;
  result.document = detector_document(detector, phi);
  result.summary = detector_summary(detector, phi);
  if (request) {
    print_notes(*request, {&detector, 1}, options.quiet);
    add_track(detector, *request, result);
  } else {
    result.table = layer_table(detector);
  }
  outputs.write(result);
  outputs.commit();
  return good;
}

}  // namespace

const Verb show_verb{
    "show",
    of::show,
    "Show the detector as interpreted: layers, material, coverage",
    "With a momentum, also shows the layers crossed by that track, at 90 deg "
    "unless\n"
    "--theta or --eta is given. csv has one table: the crossings of the track, "
    "or\n"
    "the layers.",
    "show detectors/alice_its2.yaml\n"
    "show detectors/cld.yaml --p 1GeV --theta 20deg --format json",
    run_show};

}  // namespace gttf::app
