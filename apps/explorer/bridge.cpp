// SPDX-License-Identifier: Apache-2.0
// The functions of the explorer's module that its page calls. Arguments and
// results are arrays of numbers and texts; the module keeps one exploration.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gttf/resolution/budget.hpp"
#include "gttf/study/check/check.hpp"
#include "gttf/study/explore/design_faults.hpp"
#include "gttf/study/explore/exploration.hpp"
#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/scan/budget.hpp"
#include "gttf/study/scan/scan.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

#define GTTF_EXPORT(name) extern "C" [[clang::export_name(#name)]]

namespace gttf {
namespace {

/// Buffers written and read by the page.
struct Memory {
  NumberList input, output;
  std::string texts_in, texts_out;  ///< each followed by a zero byte
};

struct Module {
  Memory memory;
  std::optional<Exploration> exploration;
  std::optional<TrackingGeometry> geometry;
  std::vector<ColumnOf<TrackRow>> columns;  ///< of the last scan
};

Module& module() {
  static auto* const only = new Module;
  return *only;
}

NumberList& output() { return module().memory.output; }

void put(double number) { output().numbers.push_back(number); }
void put(std::string_view text) { output().texts.emplace_back(text); }

/// Starts a result.
void begin_output() { output() = {}; }

void end_output() {
  std::string& all = module().memory.texts_out;
  all.clear();
  for (const std::string& text : output().texts) all.append(text) += '\0';
}

/// The next number of the input.
class Input {
 public:
  double next() {
    const auto& numbers = module().memory.input.numbers;
    return at_ < numbers.size() ? numbers[at_++] : 0;
  }
  std::size_t count() { return static_cast<std::size_t>(next()); }
  std::vector<double> list() {
    std::vector<double> values(count());
    for (double& value : values) value = next();
    return values;
  }

 private:
  std::size_t at_ = 0;
};

/// The axes of a request, as written by the page.
void read_axes(Input& input, StudyRequest& request) {
  request.momentum.variable =
      static_cast<MomentumAxis::Variable>(input.count());
  request.momentum.values = input.list();
  request.angle.variable = static_cast<AngleAxis::Variable>(input.count());
  request.angle.values = input.list();
}

void put_cells(const Column& column) {
  if (const auto* reals = std::get_if<Reals>(&column.cells))
    for (const double x : *reals) put(x);
  else if (const auto* integers = std::get_if<Integers>(&column.cells))
    for (const auto n : *integers) put(static_cast<double>(n));
  else
    for (const std::string& text : std::get<Texts>(column.cells)) put(text);
}

Grouping grouping_of(double number) {
  return static_cast<Grouping>(static_cast<int>(number));
}

}  // namespace
}  // namespace gttf

using namespace gttf;  // NOLINT(google-build-using-namespace)

/// Space for `n` numbers that the page writes before a call.
GTTF_EXPORT(input_numbers) double* input_numbers(std::size_t n) {
  auto& numbers = module().memory.input.numbers;
  numbers.resize(n);
  return numbers.data();
}
/// Space for `n` bytes of texts, each followed by a zero byte.
GTTF_EXPORT(input_texts) char* input_texts(std::size_t n) {
  std::string& texts = module().memory.texts_in;
  texts.resize(n);
  return texts.data();
}
GTTF_EXPORT(output_numbers) const double* output_numbers() {
  return output().numbers.data();
}
GTTF_EXPORT(output_size) std::size_t output_size() {
  return output().numbers.size();
}
GTTF_EXPORT(output_texts) const char* output_texts() {
  return module().memory.texts_out.data();
}
GTTF_EXPORT(output_bytes) std::size_t output_bytes() {
  return module().memory.texts_out.size();
}

/// Replaces the exploration by the input, to_list(). Without texts: replaces
/// the numbers of the current detector, from the first one. Returns whether the
/// input is valid.
GTTF_EXPORT(load) int load() {
  Module& m = module();
  static NumberList& whole = *new NumberList;
  NumberList& in = m.memory.input;
  if (!m.memory.texts_in.empty()) {
    in.texts.clear();
    std::string_view rest = m.memory.texts_in;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\0'), rest.size() - 1);
      in.texts.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    m.memory.texts_in.clear();
    whole = in;
  } else {
    if (in.numbers.size() > whole.numbers.size()) return 0;
    std::copy(in.numbers.begin(), in.numbers.end(), whole.numbers.begin());
  }
  m.exploration = from_list(whole);
  m.geometry.reset();
  if (!m.exploration) return 0;
  m.geometry.emplace(m.exploration->detector);
  return 1;
}

/// Texts: errors in the numbers of layers and of the field; none: they are
/// valid.
GTTF_EXPORT(faults) void faults() {
  begin_output();
  for (const std::string& fault : design_faults(module().exploration->detector))
    put(fault);
  end_output();
}
/// Texts: layers at the same place. Compares pairs: slow for many surfaces.
/// @pre the numbers of all layers are valid
GTTF_EXPORT(coincident_layers) void coincident_layers() {
  begin_output();
  for (const std::string& fault :
       layers_at_one_place(module().exploration->detector))
    put(fault);
  end_output();
}

/// All columns of scans, in the order of scan(). Texts: name, unit, definition,
/// when empty; a number: 0 real, 1 whole, 2 text.
GTTF_EXPORT(columns) void columns() {
  begin_output();
  for (const ColumnOf<TrackRow>& column : scan_columns()) {
    put(static_cast<double>(column.cell.index()));
    put(column.text.name);
    put(column.text.unit);
    put(column.text.definition);
    put(column.text.empty);
  }
  end_output();
}

/// The parameters of budgets. Texts: name, column of scan with its error.
GTTF_EXPORT(parameters) void parameters() {
  begin_output();
  for (const Parameter q : all_parameters) {
    put(to_string(q));
    put(sigma_column(q));
  }
  end_output();
}

/// The lines of all layers in the z-r plane, one line for a ring. Numbers of
/// each: layer, z, r of both ends, x/X0, coordinates measured; texts: name,
/// group.
GTTF_EXPORT(outline) void outline() {
  begin_output();
  const Detector& detector = module().exploration->detector;
  for (const detail::LayerLine& line : detail::lines_in_rz(detector)) {
    const Layer& layer = detector.layers[line.layer];
    put(static_cast<double>(line.layer));
    for (std::size_t i = 0; i < 2; ++i) {
      put(line.x[i]);
      put(line.y[i]);
    }
    put(layer.x_over_x0());
    put(static_cast<double>(layer.coordinates.size()));
    put(layer.name);
    put(layer.group);
  }
  end_output();
}

/// Rows of a scan. Input: momentum variable, momenta, angle variable, angles,
/// columns (indices), first row, row after the last. Returns the cells column
/// by column.
GTTF_EXPORT(scan_rows) void scan_rows() {
  begin_output();
  Module& m = module();
  Input input;
  StudyRequest request = m.exploration->request;
  read_axes(input, request);
  m.columns.clear();
  const auto all = scan_columns();
  for (const double index : input.list())
    m.columns.push_back(all[static_cast<std::size_t>(index)]);
  const std::size_t begin = input.count(), end = input.count();
  const ScanBlock block = scan_block(request, m.exploration->detector,
                                     *m.geometry, m.columns, {}, begin, end);
  for (const Column& column : block.table.columns) put_cells(column);
  end_output();
}

/// The path of a track. Input: axes of one point. Numbers of each crossing: z,
/// r, layer, x/X0, whether it is measured.
GTTF_EXPORT(track_path) void track_path() {
  begin_output();
  Module& m = module();
  Input input;
  StudyRequest request = m.exploration->request;
  read_axes(input, request);
  const Resolution resolution =
      resolve(*m.geometry, grid_track(request, {}),
              model_of(request, m.exploration->detector));
  for (const CrossingInfo& crossing : resolution.crossings) {
    put(crossing.position.z());
    put(std::hypot(crossing.position.x(), crossing.position.y()));
    put(static_cast<double>(crossing.layer));
    put(crossing.x_over_x0);
    put(crossing.measured);
  }
  end_output();
}

/// The budget of a track, the sum last. Input: axes of one point, Grouping.
/// Numbers of each row: x/X0, shares, variances; texts: layer, group, cause,
/// coordinate.
GTTF_EXPORT(budget_of_track) void budget_of_track() {
  begin_output();
  Module& m = module();
  Input input;
  StudyRequest request = m.exploration->request;
  read_axes(input, request);
  const Detector& detector = m.exploration->detector;
  const Budget budget = make_budget(*m.geometry, grid_track(request, {}),
                                    model_of(request, detector));
  for (const BudgetRow& row :
       budget_rows(detector, budget, grouping_of(input.next()))) {
    put(row.x_over_x0);
    for (const double share : row.share.values) put(share);
    for (const double variance : row.variance.values) put(variance);
    for (const std::string* text :
         {&row.layer, &row.group, &row.cause, &row.coordinate})
      put(*text);
  }
  end_output();
}

/// The requirement of that index. Numbers: passed, points that fail, points,
/// and of the worst point its value, lower and upper limit (in the unit shown),
/// margin, momentum and angle in the variables of the requirement. Texts: name,
/// quantity, unit, the value if it is a text, status of that track.
GTTF_EXPORT(check_requirement) void check_requirement(std::size_t index) {
  begin_output();
  Module& m = module();
  RequirementFile file;
  const RequirementFile& all = *m.exploration->requirements;
  file.request = all.request;
  file.criteria = {all.criteria[index]};
  const std::span<const Detector> detectors(&m.exploration->detector, 1);
  const CheckOutcome outcome = check(file, detectors, Engine::streaming, 1);
  const CheckResult& result = outcome.results.front();
  const Criterion& criterion = file.criteria.front();
  const CheckedPoint& worst = result.worst_point();
  put(result.passed());
  put(static_cast<double>(result.n_failed));
  put(static_cast<double>(result.n_checked));
  for (const double value : {worst.value, worst.lower, worst.upper})
    put(value / criterion.quantity.shown_unit);
  put(worst.margin);
  put(criterion.momentum.values[worst.point.momentum]);
  put(result.angle.values[worst.point.angle]);
  put(criterion.momentum.variable == MomentumAxis::Variable::pt);
  put(criterion.angle.variable == AngleAxis::Variable::eta);
  put(criterion.name);
  put(describe(criterion.quantity));
  put(criterion.quantity.symbol);
  put(worst.text);
  put(worst.status);
  end_output();
}
