// SPDX-License-Identifier: Apache-2.0
// Detectors owned by Python objects, and studies of them.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "convert.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf::python {

/// A detector with its geometry; immutable.
struct HeldDetector {
  explicit HeldDetector(DetectorInput read)
      : input(std::move(read)), geometry(input.detector) {}

  DetectorInput input;
  TrackingGeometry geometry;

  const Detector& detector() const { return input.detector; }
};
using DetectorPtr = std::shared_ptr<HeldDetector>;

/// Converts options for read_request(). Throws std::invalid_argument for an
/// unknown option.
StudyOptions options_of(const Texts& options);

/// A request and its detectors.
struct Study {
  StudyRequest request;
  std::vector<DetectorInput> inputs;
  std::vector<Detector> detectors;
};

/// Issues a Python InputWarning for each. Call without the GIL; throws if
/// warnings are turned into errors.
void warn(const std::vector<std::string>& texts);
void warn(const Diagnostics& warnings);

/// Warns of hits that are not counted and of assumed materials.
void warn_of(const StudyRequest& request, const Detector& detector);

/// What describes a study: detectors, path of a study file (empty: none),
/// options, changes to the detectors. The first and the third override the
/// file.
using StudyArguments = std::tuple<std::vector<DetectorPtr>, std::string, Texts,
                                  std::vector<std::string>>;

/// @param vary  keys that a sweep varies, each KEY=VALUES
Study read_study(const StudyArguments& arguments,
                 const std::vector<std::string>& vary = {});

/// The `given` detectors, or if empty those of the request with `overrides`.
std::vector<DetectorInput> inputs_of(StudyRequest& request,
                                     const std::vector<DetectorPtr>& given,
                                     const std::vector<std::string>& overrides);

void bind_detector(py::module_& m);
void bind_tracks(py::module_& m);
void bind_studies(py::module_& m);

}  // namespace gttf::python
