// SPDX-License-Identifier: Apache-2.0
#include "detector.hpp"

#include <pybind11/stl.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "gttf/config/shipped_file.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/study/show/detector_view.hpp"

namespace gttf::python {
namespace {

DetectorPtr held(DetectorInput input) {
  return std::make_shared<HeldDetector>(std::move(input));
}

DetectorPtr read(const std::string& path,
                 const std::vector<std::string>& overrides) {
  const py::gil_scoped_release release;
  return held(read_detector(or_shipped(path, path, {"detectors"}), overrides));
}

DetectorPtr parse(const std::string& text, const std::string& name,
                  const std::vector<std::string>& overrides) {
  const py::gil_scoped_release release;
  return held(parse_detector(text, name, overrides));
}

/// A line for each layer in a drawing of z and r, of planes z and the axis
/// across z that shows them: rows of z, r, z, r; mm.
py::array_t<double> outlines(const HeldDetector& d) {
  const auto& layers = d.detector().layers;
  py::array_t<double> array({layers.size(), std::size_t{4}});
  auto cells = array.mutable_unchecked<2>();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Surface& s = layers[i].surface;
    std::array<double, 4> line{};
    if (is_round(s)) {
      const Meridian m = meridian(s);
      line = {m.z[0], m.r[0], m.z[1], m.r[1]};
    } else {
      const Axis across = flat_normal(s) == Axis::y ? Axis::y : Axis::x;
      const Interval z = extent(s, Axis::z), r = extent(s, across);
      line = {z.lower, r.lower, z.upper, r.upper};
    }
    for (std::size_t k = 0; k < line.size(); ++k)
      cells(static_cast<py::ssize_t>(i), static_cast<py::ssize_t>(k)) = line[k];
  }
  return array;
}

DetectorPtr changed(const HeldDetector& d,
                    const std::vector<std::string>& overrides) {
  std::vector<std::string> all = d.input.overrides;
  all.insert(all.end(), overrides.begin(), overrides.end());
  return parse(d.input.text, d.detector().file, all);
}

}  // namespace

StudyOptions options_of(const Texts& options) {
  using Text = std::optional<std::string> StudyOptions::*;
  static const std::map<std::string, Text> members{
      {"particle", &StudyOptions::particle},
      {"p", &StudyOptions::p},
      {"pt", &StudyOptions::pt},
      {"theta", &StudyOptions::theta},
      {"eta", &StudyOptions::eta},
      {"phi", &StudyOptions::phi},
      {"vertex", &StudyOptions::vertex},
      {"mass", &StudyOptions::mass},
      {"charge", &StudyOptions::charge},
      {"scattering", &StudyOptions::scattering},
      {"energy_loss", &StudyOptions::energy_loss},
      {"beam_spot", &StudyOptions::beam_spot},
      {"at", &StudyOptions::at},
      {"toys", &StudyOptions::toys},
      {"seed", &StudyOptions::seed},
      {"fits", &StudyOptions::fits}};
  StudyOptions result;
  for (const auto& [name, text] : options) {
    const auto member = members.find(name);
    if (name == "without_own_hit")
      result.without_own_hit = true;
    else if (member == members.end())
      throw std::invalid_argument("no option " + name);
    else
      result.*member->second = text;
  }
  return result;
}

std::vector<DetectorInput> inputs_of(
    const StudyRequest& request, const std::vector<DetectorPtr>& given,
    const std::vector<std::string>& overrides) {
  std::vector<DetectorInput> inputs;
  for (const DetectorPtr& d : given) inputs.push_back(d->input);
  if (!given.empty()) return inputs;
  Diagnostics errors;
  for (const std::string& path : request.detectors) try {
      inputs.push_back(read_detector(path, overrides));
    } catch (const InputError& error) {
      errors.add(error.diagnostics());
    }
  if (errors.has_errors()) throw InputError(std::move(errors));
  return inputs;
}

Study read_study(const std::vector<DetectorPtr>& detectors,
                 const std::string& path, const Texts& options) {
  StudyOptions texts = options_of(options);
  for (const DetectorPtr& d : detectors)
    texts.detectors.push_back(d->detector().file);
  Study study;
  study.request = read_request(path, texts);
  study.inputs = inputs_of(study.request, detectors, {});
  for (const DetectorInput& input : study.inputs)
    study.detectors.push_back(input.detector);
  return study;
}

void bind_detector(py::module_& m) {
  py::class_<HeldDetector, DetectorPtr>(
      m, "Detector",
      "A detector: layers, material and field. Made by read_detector(); never "
      "changes.")
      .def_property_readonly(
          "name", [](const HeldDetector& d) { return d.detector().name; },
          "as the description has it")
      .def_property_readonly(
          "file", [](const HeldDetector& d) { return d.detector().file; },
          "the file as given, `<text>` or `<dict>`")
      .def_property_readonly(
          "text", [](const HeldDetector& d) { return d.input.text; },
          "the description, before overrides")
      .def_property_readonly(
          "sha256", [](const HeldDetector& d) { return d.detector().sha256; },
          "of the description after overrides")
      .def_property_readonly(
          "field_T",
          [](const HeldDetector& d) { return d.geometry.b_ref() / unit::T; },
          "magnetic field at the origin, T")
      .def_property_readonly(
          "layer_names",
          [](const HeldDetector& d) {
            std::vector<std::string> names;
            for (const Layer& layer : d.detector().layers)
              names.push_back(layer.name);
            return names;
          },
          "in the order of the description")
      .def_property_readonly(
          "warnings",
          [](const HeldDetector& d) { return d.input.warnings.items(); },
          "what is odd, but not wrong, about the description")
      .def("_layers",
           [](const HeldDetector& d) {
             return columns_of(layer_table(d.detector()));
           })
      .def("_profile",
           [](const HeldDetector& d, double phi) {
             return columns_of(material_profile(d.detector(), phi));
           })
      .def("_outlines", &outlines)
      .def_property_readonly(
          "measures",
          [](const HeldDetector& d) {
            std::vector<bool> measure;
            for (const Layer& layer : d.detector().layers)
              measure.push_back(layer.measures());
            return measure;
          },
          "of each layer whether it has hits")
      .def("_changed", &changed)
      .def(
          "to_dict",
          [](const HeldDetector& d) {
            return object_of(detector_document(d.detector()));
          },
          "What `gttf-design show -o FILE.json` writes.")
      .def("__len__",
           [](const HeldDetector& d) { return d.detector().layers.size(); })
      .def("__str__",
           [](const HeldDetector& d) {
             return text_of(detector_summary(d.detector()));
           })
      .def("__repr__", [](const HeldDetector& d) {
        return "<gttf.Detector " + d.detector().name + ": " +
               layer_count_text(d.detector()) + ">";
      });
  m.def("read", &read);
  m.def("parse", &parse);
}

}  // namespace gttf::python
