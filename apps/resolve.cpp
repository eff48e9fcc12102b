// SPDX-License-Identifier: Apache-2.0
// resolve: everything about one track.
#include <cmath>
#include <cstdio>
#include <utility>

#include "common.hpp"
#include "gttf/study/scan/resolution_table.hpp"
#include "gttf/study/show/track_view.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"
#include "outputs.hpp"
#include "shipped_option.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

class Resolve : public Verb {
 public:
  Resolve()
      : Verb("resolve",
             "One track: resolutions, covariance, limits, crossings") {
    takes_detector(command().add_option("DETECTOR", detector_,
                                        "Detector file; - is standard input"))
        ->required();
    declare_overrides(command(), overrides_);
    track_.declare(command(), false);
    track_.declare_at(command());
    compute_.declare(command(), ComputeOptions::Machine::one_core);
    output_.declare(command(), false);
    command().footer(
        "\nExamples:\n"
        "  gttf-design resolve detectors/alice_its2.yaml --p 1GeV "
        "--theta 90deg\n"
        "  gttf-design resolve detectors/cld.yaml --pt 10GeV --eta 1.5 "
        "--particle muon -o cld.json");
  }

  int run(const Call& call) override {
    check_formats(output_);
    const Engine engine = compute_.engine();
    const Detector detector =
        load_detector(detector_, overrides_, output_.quiet);
    track_.study.detectors = {detector_};
    const StudyRequest request = read_request("", track_.study, true);
    check_engine(engine, request);
    tell_assumed_materials(request, {&detector, 1}, output_.quiet);
    const Model model = model_of(request, detector, engine);
    Outputs outputs(output_, provenance_of(call.arguments, output_, nullptr,
                                           {&detector, 1}));

    const GridPoint point;
    const Resolution resolution = gttf::resolve(
        TrackingGeometry(detector), grid_track(request, point), model);
    ResolutionTable row(request.at.has_value());
    row.add(detector, request, point, resolution);
    const bool evaluated = row.evaluated() > 0;
    outputs.write({std::move(row).take(),
                   track_document(detector, request, point, resolution),
                   track_summary(detector, request, point, resolution)});
    outputs.commit();
    if (evaluated) return good;
    if (!output_.quiet)
      std::fprintf(stderr, "gttf-design: the track has no resolution: %s\n",
                   std::string(to_string(resolution.status)).c_str());
    return no_track;
  }

 private:
  std::string detector_;
  std::vector<std::string> overrides_;
  TrackOptions track_;
  ComputeOptions compute_;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Verb> make_resolve() { return std::make_unique<Resolve>(); }

}  // namespace gttf::app
