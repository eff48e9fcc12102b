// SPDX-License-Identifier: Apache-2.0
#include "detector.hpp"

#include <pybind11/stl.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "gttf/config/shipped_file.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/study/request/read_designs.hpp"
#include "gttf/study/scan/track_notes.hpp"
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

/// One line per layer for a drawing in z and r (planes: z and x or y), mm: rows
/// of z, r of one end, z, r of the other.
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
      {"turns", &StudyOptions::turns},
      {"beam_spot", &StudyOptions::beam_spot},
      {"at", &StudyOptions::at},
      {"average", &StudyOptions::average},
      {"luminous_region", &StudyOptions::luminous_region},
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

void warn(const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  const py::gil_scoped_acquire acquire;
  const py::object category =
      py::module_::import("gttf.inputs").attr("InputWarning");
  constexpr int caller = 2;  // of the function of the package
  for (const std::string& text : texts)
    if (PyErr_WarnEx(category.ptr(), text.c_str(), caller) != 0)
      throw py::error_already_set();
}

void warn(const Diagnostics& warnings) {
  std::vector<std::string> texts;
  for (const Diagnostic& d : warnings.items()) texts.push_back(to_text(d));
  warn(texts);
}

std::vector<DetectorInput> inputs_of(
    StudyRequest& request, const std::vector<DetectorPtr>& given,
    const std::vector<std::string>& overrides) {
  std::vector<DetectorInput> inputs;
  for (const DetectorPtr& d : given) inputs.push_back(d->input);
  if (!given.empty()) return inputs;
  inputs = read_designs(request, overrides);
  for (const DetectorInput& input : inputs) warn(input.warnings);
  return inputs;
}

void warn_of(const StudyRequest& request, const Detector& detector) {
  std::vector<std::string> texts = start_warnings(request, detector);
  if (auto note = assumed_materials_note(request, detector))
    texts.push_back(std::move(*note));
  warn(texts);
}

Study read_study(const StudyArguments& arguments,
                 const std::vector<std::string>& vary) {
  const auto& [detectors, path, options, overrides] = arguments;
  StudyOptions texts = options_of(options);
  texts.vary = vary;
  for (const DetectorPtr& d : detectors)
    texts.detectors.push_back(d->detector().file);
  Study study;
  study.request = read_request(path, texts);
  study.inputs = inputs_of(study.request, detectors, overrides);
  for (const DetectorInput& input : study.inputs)
    study.detectors.push_back(input.detector);
  for (const Detector& detector : study.detectors)
    warn_of(study.request, detector);
  return study;
}

void bind_detector(py::module_& m) {
  py::class_<HeldDetector, DetectorPtr>(
      m, "Detector",
      "A detector: layers, material and field. Returned by read_detector(); "
      "immutable.")
      .def_property_readonly(
          "name", [](const HeldDetector& d) { return d.detector().name; },
          "name in the description")
      .def_property_readonly(
          "file", [](const HeldDetector& d) { return d.detector().file; },
          "file name as given, `<text>` or `<dict>`")
      .def_property_readonly(
          "text", [](const HeldDetector& d) { return d.input.text; },
          "YAML text, without changes")
      .def_property_readonly(
          "sha256", [](const HeldDetector& d) { return d.detector().sha256; },
          "SHA-256 of the description with changes applied")
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
          "names of the layers, in the order of the description")
      .def_property_readonly(
          "warnings",
          [](const HeldDetector& d) { return d.input.warnings.items(); },
          "warnings about the description")
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
          "whether each layer measures")
      .def("_changed", &changed)
      .def(py::pickle(
          [](const HeldDetector& d) {
            return py::make_tuple(d.input.text, d.detector().file,
                                  d.input.overrides);
          },
          [](const py::tuple& state) {
            return parse(state[0].cast<std::string>(),
                         state[1].cast<std::string>(),
                         state[2].cast<std::vector<std::string>>());
          }))
      .def(
          "to_dict",
          [](const HeldDetector& d) {
            return object_of(detector_document(d.detector()));
          },
          "The JSON output of `gttf-design show`.")
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
