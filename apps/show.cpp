// SPDX-License-Identifier: Apache-2.0
// show: what the program understood of a detector, and what a track crosses.
#include <utility>

#include "common.hpp"
#include "gttf/study/show/detector_view.hpp"
#include "gttf/study/show/track_view.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"
#include "outputs.hpp"
#include "shipped_option.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

class Show : public Verb {
 public:
  Show() : Verb("show", "What was understood: layers, material, coverage") {
    takes_detector(command().add_option("DETECTOR", detector_,
                                        "Detector file; - is standard input"))
        ->required();
    declare_overrides(command(), overrides_);
    track_.declare(command(), false);
    output_.declare(command(), false);
    command().footer(
        "\nWith a momentum it also tells what that track crosses, at 90 deg "
        "unless\n"
        "--theta or --eta is given.\n"
        "csv has one table: the crossings of the track, or the layers.\n"
        "\nExamples:\n"
        "  gttf-design show detectors/alice_its2.yaml\n"
        "  gttf-design show detectors/cld.yaml --p 1GeV --theta 20deg "
        "--format json");
  }

  int run(const Call& call) override {
    check_formats(output_);
    const Detector detector =
        load_detector(detector_, overrides_, output_.quiet);
    track_.study.detectors = {detector_};
    const StudyOptions& asked = track_.study;
    const bool with_track = asked.p || asked.pt || asked.theta || asked.eta;
    const double phi = asked.phi || with_track ? request(with_track).phi : 0;
    Outputs outputs(output_, provenance_of(call.arguments, output_, nullptr,
                                           {&detector, 1}));
    Result result;
    result.document = detector_document(detector, phi);
    result.summary = detector_summary(detector, phi);
    if (with_track)
      add_track(detector, result);
    else
      result.table = layer_table(detector);
    outputs.write(result);
    outputs.commit();
    return good;
  }

 private:
  StudyRequest request(bool with_track) const {
    if (with_track) return read_request("", track_.study, true);
    StudyOptions any = track_.study;  // only phi matters
    any.p = "1 GeV";
    any.theta = "90 deg";
    return read_request("", any, true);
  }

  void add_track(const Detector& detector, Result& result) const {
    const StudyRequest asked = request(true);
    tell_assumed_materials(asked, {&detector, 1}, output_.quiet);
    const Track track = grid_track(asked, {});
    const Resolution resolution =
        resolve(TrackingGeometry(detector), track, model_of(asked, detector));
    Section section = crossing_section(detector, resolution);
    section.facts.emplace_back("track", track_text(asked, track));
    section.facts.emplace_back("it", std::string(to_string(resolution.end)));
    result.summary.sections.push_back(std::move(section));
    result.table = crossing_table(detector, resolution);
    const Document document = track_document(detector, asked, {}, resolution);
    result.document.set("track",
                        Document()
                            .set("input", *document.find("input"))
                            .set("end", to_string(resolution.end))
                            .set("crossings", *document.find("crossings")));
  }

  std::string detector_;
  std::vector<std::string> overrides_;
  TrackOptions track_;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Verb> make_show() { return std::make_unique<Show>(); }

}  // namespace gttf::app
