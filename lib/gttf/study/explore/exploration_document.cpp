// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/explore/exploration_document.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gttf/core/rich_text.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/study/explore/design_handles.hpp"
#include "gttf/study/explore/exploration.hpp"
#include "gttf/study/explore/file_pieces.hpp"
#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/report/report_subject.hpp"
#include "gttf/study/request/axis.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/trajectory/track.hpp"

namespace gttf {
namespace {

/// A number as JavaScript's Number() reads it.
Document number(double x) {
  if (std::isnan(x)) return Document("NaN");
  if (std::isinf(x)) return Document(x > 0 ? "Infinity" : "-Infinity");
  return Document(x);
}

template <class List>
Document list_of(const List& values) {
  Document::List list;
  for (const auto& value : values)
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>)
      list.push_back(number(value));
    else
      list.emplace_back(value);
  return list;
}

Document handle_document(const DesignHandle& handle) {
  Document::List slopes;
  for (const auto& [index, slope] : handle.slopes) {
    slopes.emplace_back(static_cast<std::int64_t>(index));
    slopes.emplace_back(slope);
  }
  return Document()
      .set("key", handle.key)
      .set("entry", handle.entry)
      .set("label", handle.label)
      .set("number", handle.number)
      .set("unit", handle.unit)
      .set("factor", handle.factor)
      .set("step", handle.step)
      .set("slopes", std::move(slopes));
}

Document piece_document(const FilePiece& piece) {
  if (piece.triggers.empty()) return piece.text;
  Document::List changed, on;
  for (const auto& part : piece.changed)
    if (const auto* handle = std::get_if<std::size_t>(&part))
      changed.emplace_back(static_cast<std::int64_t>(*handle));
    else
      changed.emplace_back(std::get<std::string>(part));
  for (const std::size_t handle : piece.triggers)
    on.emplace_back(static_cast<std::int64_t>(handle));
  return Document()
      .set("text", piece.text)
      .set("changed", std::move(changed))
      .set("on", std::move(on));
}

std::vector<double> start_values(std::span<const DesignHandle> handles) {
  std::vector<double> values;
  for (const DesignHandle& handle : handles) values.push_back(handle.number);
  return values;
}

/// Whether the pieces give the detector of `input` with the values of some
/// handles changed by their steps. Nothing if this is not a valid detector.
std::optional<bool> is_faithful(const DetectorInput& input,
                                std::span<const DesignHandle> handles,
                                std::span<const FilePiece> pieces,
                                std::span<const double> in_file,
                                const auto& is_changed) {
  const NumberList start = to_list(input.detector);
  std::vector<double> values = start_values(handles);
  std::vector<double> expected = start.numbers;
  for (std::size_t h = 0; h < handles.size(); ++h) {
    if (!is_changed(handles[h])) continue;
    values[h] += handles[h].step;
    for (const auto& [index, slope] : handles[h].slopes)
      expected[index] += slope * handles[h].step * handles[h].factor;
  }
  try {
    const NumberList written =
        to_list(parse_detector(file_text(pieces, handles, in_file, values),
                               input.detector.file)
                    .detector);
    if (written.texts != start.texts ||
        written.numbers.size() != expected.size())
      return false;
    constexpr double rounding = 1e-11, small = 1e-3;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (std::abs(written.numbers[i] - expected[i]) >
          rounding * std::max(small, std::abs(expected[i])))
        return false;
  } catch (const InputError&) {
    return std::nullopt;
  }
  return true;
}

/// Whether this is the case without changes, with all values changed, and, if
/// these together are not a valid detector, with the values of each layer.
bool are_faithful(const DetectorInput& input,
                  std::span<const DesignHandle> handles,
                  std::span<const FilePiece> pieces,
                  std::span<const double> in_file) {
  if (pieces.empty()) return false;
  const auto check = [&](const auto& is_changed) {
    return is_faithful(input, handles, pieces, in_file, is_changed);
  };
  const auto none = [](const DesignHandle&) { return false; };
  const auto all = [](const DesignHandle&) { return true; };
  if (!check(none).value_or(false)) return false;
  if (const auto together = check(all)) return *together;
  std::string entry;
  for (const DesignHandle& handle : handles) {
    if (handle.entry == entry) continue;
    entry = handle.entry;
    const auto of_entry = [&entry](const DesignHandle& h) {
      return h.entry == entry;
    };
    if (!check(of_entry).value_or(false)) return false;
  }
  return true;
}

Document axis_document(int variable, const std::vector<double>& values) {
  return Document().set("variable", variable).set("values", list_of(values));
}

/// The angles covered by the detector, independently of the study: eta, or
/// theta along a beam.
AngleAxis all_angles(const StudyRequest& request,
                     const detail::ReportSubject& subject, unsigned threads) {
  constexpr double usual_eta = 4, usual_theta = 50 * unit::mrad, beyond = 1.2;
  constexpr std::size_t points = 81;
  StudyRequest wide = request;
  AngleAxis& axis = wide.angle;
  axis.values.clear();
  for (std::size_t i = 0; i < request.angle.values.size(); ++i)
    axis.values.push_back(theta_of(request.angle, i));
  if (subject.along_beam) {
    const double last =
        beyond * *std::max_element(axis.values.begin(), axis.values.end());
    axis.variable = AngleAxis::Variable::theta;
    axis.values =
        spaced(0, std::max(last, usual_theta), points, Spacing::linear);
    return axis;
  }
  axis.variable = AngleAxis::Variable::eta;
  for (double& value : axis.values) value = eta_of(value);
  axis.values.push_back(usual_eta);
  return detail::make_subject(wide, subject.detector, 0, 1, threads)
      .against_eta.angle;
}

Document quantities(bool along_beam) {
  Document::List list;
  const auto place =
      along_beam ? detail::Place::start_plane : detail::Place::perigee;
  for (const detail::ShownQuantity& q : detail::shown_quantities(place))
    list.push_back(Document()
                       .set("column", std::string(sigma_column(q.parameter)))
                       .set("parameter", std::string(to_string(q.parameter)))
                       .set("symbol", q.symbol)
                       .set("unit", q.unit)
                       .set("title", q.title)
                       .set("factor", sigma_unit(q.parameter) * q.factor));
  return list;
}

}  // namespace

Document exploration_document(
    const DetectorInput& input, const StudyRequest& asked,
    const std::optional<RequirementFile>& requirements, unsigned threads) {
  const Detector& detector = input.detector;
  const StudyRequest request = with_model_of(asked, detector);
  const detail::ReportSubject subject =
      detail::make_subject(request, detector, 0, 1, threads);

  const AngleAxis angles = all_angles(request, subject, threads);
  Exploration exploration{detector, request, std::nullopt};
  Document::List names, left_out;
  if (requirements) {
    exploration.requirements = *requirements;
    exploration.requirements->baseline.reset();
    // the page has neither the baseline nor averages
    const auto is_left_out = [&](const Criterion& c) {
      return requirements->request.average || c.needs_baseline();
    };
    auto& criteria = exploration.requirements->criteria;
    for (const Criterion& c : criteria)
      (is_left_out(c) ? left_out : names).emplace_back(c.name);
    std::erase_if(criteria, is_left_out);
  }
  const NumberList list = to_list(exploration);

  const std::vector<DesignHandle> handles = find_handles(input, threads);
  const std::vector<double> in_file = values_in_file(input, handles);
  std::vector<FilePiece> pieces = file_pieces(input, handles);
  const bool writes_file = are_faithful(input, handles, pieces, in_file);
  Document::List handle_list, piece_list, paints, legend;
  for (const DesignHandle& handle : handles)
    handle_list.push_back(handle_document(handle));
  if (writes_file)
    for (const FilePiece& piece : pieces)
      piece_list.push_back(piece_document(piece));
  for (const std::size_t system : subject.groups.of_layer)
    paints.emplace_back(static_cast<std::int64_t>(system));
  for (const detail::Subsystem& system : subject.groups.systems)
    legend.push_back(
        Document()
            .set("name", system.name)
            .set("tone", static_cast<int>(system.edge.tone))
            .set("index", static_cast<std::int64_t>(system.edge.index)));

  const bool by_eta = request.angle.variable == AngleAxis::Variable::eta;
  const std::vector<double> momenta = subject.points.momentum.values;
  return Document()
      .set("name", detector.name)
      .set("file", detector.file)
      .set("particle", request.particle.name)
      .set("model",
           plain_text(detail::models_text(request, {&detector, 1}, ", ")))
      .set("numbers", list_of(list.numbers))
      .set("texts", list_of(list.texts))
      .set("handles", std::move(handle_list))
      .set("in_file", list_of(in_file))
      .set("pieces", std::move(piece_list))
      .set("overrides", list_of(input.overrides))
      .set("momentum",
           axis_document(static_cast<int>(request.momentum.variable),
                         subject.curves.momentum.values)
               .set("symbol", subject.momentum.symbol)
               .set("unit", subject.momentum.unit)
               .set("factor", subject.momentum.factor))
      .set("angles",
           axis_document(static_cast<int>(angles.variable), angles.values))
      .set("track", Document()
                        .set("momentum", momenta[momenta.size() / 2])
                        .set("variable", by_eta ? 1 : 0)
                        .set("angle", request.angle.values.front()))
      .set("quantities", quantities(subject.along_beam))
      .set("columns", list_of(columns_for_reading(request, {&detector, 1})))
      .set("requirements", std::move(names))
      .set("left_out", std::move(left_out))
      .set("paint", std::move(paints))
      .set("systems", std::move(legend));
}

}  // namespace gttf
