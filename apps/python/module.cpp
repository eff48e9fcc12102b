// SPDX-License-Identifier: Apache-2.0
// The extension module gttf._gttf, which the files in gttf/ complete to a
// package.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "convert.hpp"
#include "detector.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/core/version.hpp"
#include "gttf/output/table_style.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf::python {
namespace {

/// (label, unit, factor) of a column: ("sigma(pt)", "%", 100).
py::tuple heading(const std::string& column) {
  const Heading h = heading_of(column);
  return py::make_tuple(one_line(h), h.unit, h.factor);
}

py::dict definitions() {
  py::dict texts;
  for (const auto& column : scan_columns())
    texts[py::str(std::string(column.text.name))] =
        std::string(column.text.definition);
  return texts;
}

std::vector<std::string> statuses() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(Status::not_determined); ++i)
    names.emplace_back(to_string(static_cast<Status>(i)));
  return names;
}

}  // namespace

PYBIND11_MODULE(_gttf, m) {
  m.doc() = "The library gttf; use the package gttf.";
  m.attr("version") = std::string(version());
  m.attr("statuses") = statuses();
  m.def("simd_level", [] { return std::string(to_string(simd_level())); });
  m.def("heading", &heading);
  m.def("definitions", &definitions);
  translate_errors(m);
  bind_detector(m);
  bind_tracks(m);
  bind_studies(m);
}

}  // namespace gttf::python
