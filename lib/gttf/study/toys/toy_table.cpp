// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/toys/toy_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "gttf/fit/triplet/scattering_momentum.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/toys/bias_columns.hpp"

namespace gttf {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// A track parameter in columns; expected errors come from the scan's columns.
struct Parameter {
  const char* name;      ///< "d0"
  const char* column;    ///< "d0_um"
  const char* expected;  ///< "sigma_d0_um"
};
constexpr std::array<Parameter, n_toy_parameters> perigee_parameters{
    {{"d0", "d0_um", "sigma_d0_um"},
     {"z0", "z0_um", "sigma_z0_um"},
     {"phi0", "phi0_mrad", "sigma_phi0_mrad"},
     {"theta", "theta_mrad", "sigma_theta_mrad"},
     {"qop", "qop_per_GeV", "sigma_qop_per_GeV"}}};
constexpr std::array<Parameter, n_toy_parameters> plane_parameters{
    {{"x", "x_um", "sigma_x_um"},
     {"y", "y_um", "sigma_y_um"},
     {"tx", "tx_mrad", "sigma_tx_mrad"},
     {"ty", "ty_mrad", "sigma_ty_mrad"},
     {"qop", "qop_per_GeV", "sigma_qop_per_GeV"}}};

const std::array<Parameter, n_toy_parameters>& parameters_of(
    const ToyPoint& point) {
  return point.parameters() == ToyParameters::plane ? plane_parameters
                                                    : perigee_parameters;
}

/// Members of one row in the order of the columns.
class RowWriter {
 public:
  void put(std::string name, Document value) {
    row_.set(std::move(name), std::move(value));
  }
  void count(std::string name, std::uint64_t n) {
    put(std::move(name), static_cast<std::int64_t>(n));
  }
  Document take() { return std::move(row_); }

 private:
  Document row_;
};

void put_efficiency(RowWriter& row, const ToyStatistics& point,
                    const FitStatistics& fit) {
  const double n = static_cast<double>(point.simulated);
  const double e = static_cast<double>(fit.fitted) / n;
  row.count("n_toys", point.simulated);
  row.count("n_missed", point.missed);
  row.count("n_failed", fit.failures());
  row.count("n_outliers", fit.pulls[Perigee::kappa].moments.beyond_limit());
  row.put("efficiency", e);
  row.put("efficiency_error", std::sqrt(e * (1 - e) / n));
}

/// @param sign  of the true q/p: its statistics have the sign of kappa
void put_parameter(RowWriter& row, const Parameter& p, double expected,
                   const ExactMoments& residual, const ExactMoments& pull,
                   double sign) {
  const std::string column = p.column, name = p.name;
  row.put("expected_" + column, expected);
  row.put("bias_" + column, sign * expected * residual.mean());
  row.put("bias_error_" + column, expected * residual.mean_error());
  row.put("width_" + column, expected * residual.width());
  row.put("width_error_" + column, expected * residual.width_error());
  row.put("bias_deviation_" + name,
          sign * residual.mean() / residual.mean_error());
  row.put("width_deviation_" + name,
          (residual.width() - 1) / residual.width_error());
  row.put("pull_mean_" + name, sign * pull.mean());
  row.put("pull_mean_error_" + name, pull.mean_error());
  row.put("pull_width_" + name, pull.width());
  row.put("pull_width_error_" + name, pull.width_error());
}

void put_curvature(RowWriter& row, const ToyPoint& point, const ToyFit& fit,
                   const FitStatistics& s) {
  const double scale = number_of(point.row, "sigma_p_rel");
  const ExactMoments& residual = s.residuals[Perigee::kappa].moments;
  const ExactMoments& pull = s.pulls[Perigee::kappa].moments;
  const BiasColumns bias =
      bias_columns(fit, static_cast<int>(number_of(point.row, "n_triplets")),
                   number_of(point.row, "sigma_p_rel_ms_only"));
  const double value = scale * residual.mean();
  const double error = scale * residual.mean_error();
  row.put("bias_kappa_rel", value);
  row.put("bias_error_kappa_rel", error);
  row.put("expected_bias_kappa_rel", bias.expected.curvature);
  row.put("paper_bias_kappa_rel", bias.paper.curvature);
  row.put("bias_deviation_kappa", (value - bias.expected.curvature) / error);
  row.put("pull_mean_kappa", pull.mean());
  row.put("pull_mean_error_kappa", pull.mean_error());
  row.put("expected_pull_mean_kappa", bias.expected.pull);
  row.put("paper_pull_mean_kappa", bias.paper.pull);
  row.put("pull_mean_deviation_kappa",
          (pull.mean() - bias.expected.pull) / pull.mean_error());
}

/// Momentum from scattering, over the true one.
void put_momentum(RowWriter& row, const ToyPoint& point,
                  const FitStatistics& s) {
  const ExactMoments& m = s.momentum.moments;
  const double n = number_of(point.row, "n_triplets");
  row.count("n_p_ms_unbounded", s.unbounded);
  row.put("p_ms_rel", m.mean());
  row.put("p_ms_rel_error", m.mean_error());
  row.put("width_p_ms_rel", m.width());
  row.put("width_error_p_ms_rel", m.width_error());
  row.put("expected_p_ms_rel",
          n > 1 ? scattering_momentum_mean(static_cast<int>(n)) : none);
  row.put("expected_width_p_ms_rel", n > 0 ? 0.5 / std::sqrt(n) : none);
}

void put_chi2(RowWriter& row, const FitStatistics& s) {
  const double n = static_cast<double>(s.fitted);
  row.put("ndf", s.fitted > 0 ? static_cast<double>(s.ndf) / n : none);
  row.put("chi2_per_ndf", s.chi2_per_ndf.moments.mean());
  row.put("chi2_per_ndf_error", s.chi2_per_ndf.moments.mean_error());
  const double distance = flatness(s.probability);
  row.put("chi2_prob_distance", distance);
  row.put("chi2_prob_flatness",
          flatness_probability(distance, s.probability.total()));
}

Document make_row(const ToyState& state, const ToyPoint& point,
                  std::size_t fit) {
  const FitStatistics& s = point.statistics.fits[fit];
  RowWriter row;
  for (const char* name :
       {"detector", "particle", "p_GeV", "pt_GeV", "theta_deg", "eta",
        "phi_deg", "n_hits", "n_triplets"}) {
    const Document* value = point.row.find(name);
    row.put(name, value != nullptr ? *value : Document());
  }
  row.put("fit", name_of(state.fits[fit]));
  put_efficiency(row, point.statistics, s);
  put_chi2(row, s);
  const double sign = number_of(state.study, "charge") < 0 ? -1 : 1;
  const auto put = [&](const Parameter& p, std::size_t i, bool given) {
    static const ExactMoments no_toys;
    put_parameter(row, p, given ? number_of(point.row, p.expected) : none,
                  given ? s.residuals[i].moments : no_toys,
                  given ? s.pulls[i].moments : no_toys,
                  i == Perigee::qop ? sign : 1);
  };
  const bool at_plane = point.parameters() == ToyParameters::plane;
  if (state.any_at_plane())
    for (std::size_t i = 0; i < Perigee::qop; ++i)
      put(plane_parameters[i], i, at_plane);
  for (std::size_t i = 0; i < n_toy_parameters; ++i)
    put(perigee_parameters[i], i, !at_plane || i == Perigee::qop);
  put_curvature(row, point, state.fits[fit], s);
  if (state.any_without_field()) put_momentum(row, point, s);
  row.put("status", text_of(point.row, "status"));
  return row.take();
}

Document histogram(const Histogram& h) {
  Document::List counts;
  for (const std::uint64_t n : h.bins)
    counts.emplace_back(static_cast<std::int64_t>(n));
  return Document()
      .set("from", h.lower)
      .set("to", h.upper)
      .set("below", static_cast<std::int64_t>(h.below))
      .set("above", static_cast<std::int64_t>(h.above))
      .set("counts", std::move(counts));
}

Document histograms(const ToyPoint& point, const FitStatistics& s) {
  const auto& parameters = parameters_of(point);
  Document d;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    d.set(std::string("residual_over_expected_") + parameters[i].name,
          histogram(s.residuals[i].histogram));
  for (std::size_t i = 0; i < parameters.size(); ++i)
    d.set(std::string("pull_") + parameters[i].name,
          histogram(s.pulls[i].histogram));
  d.set("chi2_per_ndf", histogram(s.chi2_per_ndf.histogram));
  d.set("chi2_probability", histogram(s.probability));
  return d;
}

Document failures(const FitStatistics& s) {
  Document d(Document::Members{});
  for (std::size_t i = 0; i < s.failed.size(); ++i)
    if (s.failed[i] > 0)
      d.set(std::string(to_string(static_cast<FitStatus>(i))),
            static_cast<std::int64_t>(s.failed[i]));
  return d;
}

template <class Visit>
void for_each_row(const ToyState& state, const Visit& visit) {
  for (const ToyPoint& point : state.points)
    for (std::size_t f = 0; f < state.fits.size(); ++f)
      visit(make_row(state, point, f), point, point.statistics.fits[f]);
}

/// Columns of the kind of their first cell: in a row a real number without a
/// value, or a whole one that was read back, cannot be told from others.
bool is_whole(std::string_view column) { return column.starts_with("n_"); }

void append(Table& table, const Document& row) {
  const auto& members = std::get<Document::Members>(row.value());
  const bool first = table.columns.empty();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& [name, value] = members[i];
    const bool is_text = name == "detector" || name == "particle" ||
                         name == "fit" || name == "status";
    if (first) {
      if (is_text)
        table.add<Texts>(name);
      else if (is_whole(name))
        table.add<Integers>(name);
      else
        table.add<Reals>(name);
    }
    auto& cells = table.columns[i].cells;
    if (is_text)
      std::get<Texts>(cells).push_back(text_of(row, name));
    else if (is_whole(name))
      std::get<Integers>(cells).push_back(
          static_cast<std::int64_t>(number_of(row, name)));
    else
      std::get<Reals>(cells).push_back(number_of(row, name));
  }
}

}  // namespace

Table toy_table(const ToyState& state) {
  Table table;
  for_each_row(state, [&table](const Document& row, const ToyPoint&,
                               const FitStatistics&) { append(table, row); });
  return table;
}

Document toy_results(const ToyState& state) {
  Document::List rows;
  for_each_row(state, [&rows](Document row, const ToyPoint& point,
                              const FitStatistics& s) {
    row.set("failures", failures(s));
    row.set("histograms", histograms(point, s));
    rows.push_back(std::move(row));
  });
  return Document().set("study", state.study).set("rows", std::move(rows));
}

Summary toy_summary(const ToyState& state) {
  Table all = toy_table(state), shown;
  const auto* detectors = all.find("detector");
  const bool several =
      detectors != nullptr &&
      std::ranges::adjacent_find(std::get<Texts>(detectors->cells),
                                 std::ranges::not_equal_to()) !=
          std::get<Texts>(detectors->cells).end();
  const bool perigee =
      std::ranges::any_of(state.points, [](const ToyPoint& point) {
        return point.parameters() == ToyParameters::perigee;
      });
  // the variables of the grid, as it was given
  const bool by_pt = state.study.find("pt_GeV") != nullptr;
  const bool by_eta = state.study.find("eta") != nullptr;
  const auto wanted = [&](std::string_view name) {
    if (name == "detector") return several;
    if (name == (by_pt ? "pt_GeV" : "p_GeV")) return true;
    if (name == (by_eta ? "eta" : "theta_deg")) return true;
    for (std::size_t i = 0; i < Perigee::qop; ++i)
      if (name == std::string("pull_width_") + perigee_parameters[i].name)
        return perigee;
    for (const std::string_view known :
         {"n_triplets", "fit", "efficiency", "chi2_per_ndf", "pull_width_x",
          "pull_width_y", "pull_width_tx", "pull_width_ty", "pull_width_qop",
          "pull_mean_kappa", "bias_kappa_rel", "width_deviation_qop",
          "p_ms_rel", "width_p_ms_rel", "status"})
      if (name == known) return true;
    return false;
  };
  const auto first = [&all](std::string_view name) {
    const Column* column = all.find(name);
    return column && column->size() > 0 ? std::get<Texts>(column->cells).front()
                                        : std::string();
  };
  Section section;
  if (!several) section.facts.emplace_back("detector", first("detector"));
  section.facts.emplace_back("particle", first("particle"));
  section.facts.emplace_back("toys per point", std::to_string(state.toys));
  section.facts.emplace_back("seed", std::to_string(state.seed));
  for (Column& column : all.columns)
    if (wanted(column.name)) shown.columns.push_back(std::move(column));
  section.table = std::move(shown);
  Summary summary;
  summary.title = "Toys";
  summary.sections.push_back(std::move(section));
  return summary;
}

std::uint64_t fitted_toys(const ToyState& state) {
  std::uint64_t sum = 0;
  for (const ToyPoint& point : state.points)
    for (const FitStatistics& fit : point.statistics.fits) sum += fit.fitted;
  return sum;
}

}  // namespace gttf
