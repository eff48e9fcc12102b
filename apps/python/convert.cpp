// SPDX-License-Identifier: Apache-2.0
#include "convert.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/output/table_style.hpp"
#include "gttf/output/text.hpp"

namespace gttf::python {
namespace {

/// A view of `cells`, which `owner` keeps alive.
template <class Cell>
py::array view_of(const std::vector<Cell>& cells, const py::capsule& owner) {
  return py::array_t<Cell>(static_cast<py::ssize_t>(cells.size()), cells.data(),
                           owner);
}

/// Equal texts share one str: columns of text repeat a few values.
py::array text_array(const std::vector<std::string>& cells) {
  py::array array(py::dtype("O"), static_cast<py::ssize_t>(cells.size()));
  auto* items = static_cast<PyObject**>(array.mutable_data());
  std::unordered_map<std::string_view, py::str> known;
  for (const std::string& cell : cells) {
    const auto found = known.try_emplace(cell, cell).first;
    PyObject* before = *items;
    *items++ = found->second.inc_ref().ptr();
    Py_XDECREF(before);
  }
  return array;
}

/// Replaces names of options, `--beam-spot`, by names of arguments,
/// `beam_spot`.
std::string with_arguments(std::string text) {
  for (std::size_t at = 0; (at = text.find("--", at)) != text.npos;) {
    text.erase(at, 2);
    for (; at < text.size() &&
           (std::islower(static_cast<unsigned char>(text[at])) ||
            text[at] == '-');
         ++at)
      if (text[at] == '-') text[at] = '_';
  }
  return text;
}

Diagnostic with_arguments(Diagnostic d) {
  if (d.line > 0) return d;  // of a file
  for (std::string* text : {&d.file, &d.problem, &d.suggestion})
    *text = with_arguments(std::move(*text));
  return d;
}

InputError of_arguments(const InputError& error) {
  Diagnostics diagnostics;
  for (const Diagnostic& d : error.diagnostics().items())
    diagnostics.add(with_arguments(d));
  return InputError(std::move(diagnostics));
}

}  // namespace

py::dict columns_of(Table table) {
  auto* kept = new Table(std::move(table));
  const py::capsule owner(kept, [](void* p) { delete static_cast<Table*>(p); });
  py::dict columns;
  for (const Column& column : kept->columns) {
    const py::str name(column.name);
    if (const auto* texts = std::get_if<gttf::Texts>(&column.cells))
      columns[name] = text_array(*texts);
    else if (const auto* reals = std::get_if<Reals>(&column.cells))
      columns[name] = view_of(*reals, owner);
    else
      columns[name] = view_of(std::get<Integers>(column.cells), owner);
  }
  return columns;
}

py::object object_of(const Document& document) {
  struct Convert {
    py::object operator()(std::monostate) const { return py::none(); }
    py::object operator()(bool v) const { return py::bool_(v); }
    py::object operator()(std::int64_t v) const { return py::int_(v); }
    py::object operator()(double v) const { return py::float_(v); }
    py::object operator()(const std::string& v) const { return py::str(v); }
    py::object operator()(const Document::List& v) const {
      py::list list;
      for (const Document& item : v) list.append(object_of(item));
      return list;
    }
    py::object operator()(const Document::Members& v) const {
      py::dict dict;
      for (const auto& [name, member] : v)
        dict[py::str(name)] = object_of(member);
      return dict;
    }
  };
  return std::visit(Convert{}, document.value());
}

std::string text_of(const Summary& summary) {
  std::ostringstream text;
  write_text(text, summary, {});
  return text.str();
}

py::array_t<double> array_of(const Matrix5& matrix) {
  py::array_t<double> array({track_dim, track_dim});
  auto cells = array.mutable_unchecked<2>();
  for (int i = 0; i < track_dim; ++i)
    for (int j = 0; j < track_dim; ++j) cells(i, j) = matrix(i, j);
  return array;
}

py::tuple tuple_of(Result result) {
  return py::make_tuple(columns_of(std::move(result.table)),
                        object_of(result.document), text_of(result.summary));
}

void translate_errors(py::module_& m) {
  py::class_<Diagnostic>(
      m, "Diagnostic",
      "One error or warning about an input, with its location.")
      .def_readonly("file", &Diagnostic::file,
                    "file name, `<text>`, `<dict>`, or name of an argument")
      .def_readonly("line", &Diagnostic::line,
                    "counted from 1; 0 if there is no line")
      .def_readonly("column", &Diagnostic::column,
                    "in characters, counted from 1")
      .def_readonly("path", &Diagnostic::path,
                    "key path, for example layers[3].cylinder.radius")
      .def_readonly("message", &Diagnostic::problem,
                    "description of the problem")
      .def_readonly("suggestion", &Diagnostic::suggestion,
                    "suggested correction; may be empty")
      .def_property_readonly(
          "severity",
          [](const Diagnostic& d) {
            return d.severity == Severity::error ? "error" : "warning";
          },
          "`error` or `warning`")
      .def("__str__", [](const Diagnostic& d) { return to_text(d); })
      .def("__repr__", [](const Diagnostic& d) {
        return "<gttf.Diagnostic " + d.file + ":" + std::to_string(d.line) +
               ":" + std::to_string(d.column) + ": " + d.problem + ">";
      });
  // never destroyed: the interpreter is gone by then
  static const py::object& input_error =
      *new py::exception<InputError>(m, "InputError", PyExc_ValueError);
  input_error.attr("__doc__") =
      "Invalid input. `errors` lists all errors, each with file, line, column "
      "and message.";
  py::register_exception<FileError>(m, "FileError", PyExc_ValueError)
      .attr("__doc__") =
      "A file written by the program cannot be read or does not match.";
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const InputError& e) {
      const InputError error = of_arguments(e);
      py::object raised = input_error(error.what());
      py::list errors;
      for (const Diagnostic& d : error.diagnostics().items())
        if (d.severity == Severity::error) errors.append(d);
      raised.attr("errors") = errors;
      PyErr_SetObject(input_error.ptr(), raised.ptr());
    }
  });
}

}  // namespace gttf::python
