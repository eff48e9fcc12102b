// SPDX-License-Identifier: Apache-2.0

#include "gttf/study/toys/toy_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "gttf/core/columns.hpp"
#include "gttf/core/statistics.hpp"
#include "gttf/core/units.hpp"
#include "gttf/fit/triplet/bias.hpp"
#include "gttf/fit/triplet/scattering_momentum.hpp"
#include "gttf/study/scan/row.hpp"

namespace gttf {

namespace {

std::optional<BiasedFit> biased_fit(const FitChoice& fit) {
  switch (fit.kind) {
    case FitKind::regularised:
      return BiasedFit::regularised;
    case FitKind::common_curvature:
      return BiasedFit::common_curvature;
    case FitKind::scattering:
      if (fit.weights == WeightSource::local) return BiasedFit::unregularised;
      if (fit.weights == WeightSource::update) return BiasedFit::updated;
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace

BiasColumns bias_columns(const FitChoice& fit, int n, double relative) {
  constexpr double none = GlobalFit::none;
  if (n < 1) return {{none, none}, {none, none}};
  if (const auto biased = biased_fit(fit)) {
    const double r = relative * std::sqrt(n);
    return {predicted_bias(*biased, r, n), printed_bias(*biased, r, n)};
  }
  // with the true weights the estimate is linear
  if (fit.kind == FitKind::scattering) return {{0, 0}, {0, 0}};
  return {{none, none}, {none, none}};
}

namespace {

/// A track parameter in columns; expected errors come from the columns of scan.
struct ParameterNames {
  std::string_view name;      ///< "d0"
  std::string_view column;    ///< "d0_um"
  std::string_view unit;      ///< "um"
  std::string_view expected;  ///< "sigma_d0_um"
};

/// Parameters of tracks along the beam, then of the perigee.
constexpr std::array<ParameterNames, 2 * n_toy_parameters - 1> toy_parameters{
    {{"x", "x_um", "um", "sigma_x_um"},
     {"y", "y_um", "um", "sigma_y_um"},
     {"tx", "tx_mrad", "mrad", "sigma_tx_mrad"},
     {"ty", "ty_mrad", "mrad", "sigma_ty_mrad"},
     {"d0", "d0_um", "um", "sigma_d0_um"},
     {"z0", "z0_um", "um", "sigma_z0_um"},
     {"phi0", "phi0_mrad", "mrad", "sigma_phi0_mrad"},
     {"theta", "theta_mrad", "mrad", "sigma_theta_mrad"},
     {"qop", "qop_per_GeV", "1/GeV", "sigma_qop_per_GeV"}}};
constexpr std::size_t n_plane = n_toy_parameters - 1;  // without qop

/// The parameter with this index in the statistics of a point.
const ParameterNames& parameter_of(ToyParameters kind, std::size_t i) {
  const bool plane = kind == ToyParameters::plane && i < n_plane;
  return toy_parameters[plane ? i : i + n_plane];
}

/// Results of the toys of a point for a parameter over its expected error.
struct ParameterToys {
  double expected;
  const ExactMoments& residual;
  const ExactMoments& pull;
  const Histogram& pulls;
  double sign;  ///< of the true q/p: its statistics have the sign of kappa
};

/// A fit of the toys of a point.
struct ToyRow {
  ToyRow(const ToyState& of, const ToyPoint& at, std::size_t index)
      : state(of),
        point(at),
        fit(of.fits[index]),
        toys(at.statistics),
        s(at.statistics.fits[index]),
        bias(bias_columns(fit, static_cast<int>(count("n_triplets")),
                          number("sigma_p_rel_ms_only"))) {}

  double number(std::string_view column) const {
    return number_of(point.row, column);
  }
  std::int64_t count(std::string_view column) const {
    const double n = number(column);
    return n >= 0 && n < 1e9 ? std::llround(n) : 0;
  }
  std::string text(std::string_view column) const {
    return text_of(point.row, column);
  }
  double efficiency() const {
    return static_cast<double>(s.fitted) / static_cast<double>(toys.simulated);
  }
  double expected_efficiency() const {
    if (!point.has_toys) return GlobalFit::none;
    const double drawn = number("efficiency");
    return std::isnan(drawn) ? 1 : drawn;
  }
  /// That of the point; the reason, if every fit failed for the same one.
  std::string status() const {
    const auto failed = [](std::uint64_t n) { return n > 0; };
    if (s.fitted > 0 || std::ranges::count_if(s.failed, failed) != 1)
      return text("status");
    const auto reason = std::ranges::find_if(s.failed, failed);
    return std::string(
        to_string(static_cast<FitStatus>(reason - s.failed.begin())));
  }
  /// Errors of the curvature, over the true one.
  double scale() const { return number("sigma_p_rel"); }
  const ExactMoments& residual() const {
    return s.residuals[Perigee::kappa].moments;
  }
  const ExactMoments& pull() const { return s.pulls[Perigee::kappa].moments; }
  const ExactMoments& momentum() const { return s.momentum.moments; }

  /// Empty if the tracks of the point are described by other parameters.
  ParameterToys of_parameter(std::size_t i) const {
    static const ExactMoments no_toys;
    static const Histogram no_pulls(0, 1, 1);
    const bool at_plane = point.parameters() == ToyParameters::plane;
    const bool is_qop = i == toy_parameters.size() - 1;
    if (!is_qop && at_plane != (i < n_plane))
      return {GlobalFit::none, no_toys, no_toys, no_pulls, 1};
    const std::size_t k = i < n_plane ? i : i - n_plane;
    const double sign = number_of(state.study, "charge") < 0 ? -1 : 1;
    return {number(toy_parameters[i].expected), s.residuals[k].moments,
            s.pulls[k].moments, s.pulls[k].histogram, is_qop ? sign : 1};
  }

  const ToyState& state;
  const ToyPoint& point;
  const FitChoice& fit;
  const ToyStatistics& toys;
  const FitStatistics& s;
  BiasColumns bias;
};

constexpr unsigned if_along_beam = 1, if_straight = 2;

constexpr auto columns_before =
    std::to_array<ColumnOf<ToyRow>>({
        {{"detector", "", "as in [scan](columns.md), like the next columns"},
         [](const ToyRow& r) { return r.text("detector"); }},
        {{"particle", "", ""},
         [](const ToyRow& r) { return r.text("particle"); }},
        {{"p_GeV", "GeV", ""},
         [](const ToyRow& r) { return r.number("p_GeV"); }},
        {{"pt_GeV", "GeV", ""},
         [](const ToyRow& r) { return r.number("pt_GeV"); }},
        {{"theta_deg", "deg", ""},
         [](const ToyRow& r) { return r.number("theta_deg"); }},
        {{"eta", "1", "", "along z"},
         [](const ToyRow& r) { return r.number("eta"); }},
        {{"phi_deg", "deg", ""},
         [](const ToyRow& r) { return r.number("phi_deg"); }},
        {{"n_hits", "", ""}, [](const ToyRow& r) { return r.count("n_hits"); }},
        {{"n_triplets", "", ""},
         [](const ToyRow& r) { return r.count("n_triplets"); }},
        {{"fit", "", "name of the fit"},
         [](const ToyRow& r) { return std::string(name_of(r.fit)); }},
        {{"n_toys", "", "simulated"},
         [](const ToyRow& r) { return r.toys.simulated; }},
        {{"n_missed", "", "left the layers"},
         [](const ToyRow& r) { return r.toys.missed; }},
        {{"n_failed", "", "without a result of the fit"},
         [](const ToyRow& r) { return r.s.failures(); }},
        {{"n_outliers", "",
          "pull of kappa beyond 4096: counted, but not in means and widths"},
         [](const ToyRow& r) { return r.pull().beyond_limit(); }},
        {{"efficiency", "1", "fitted over simulated", "no toys"},
         [](const ToyRow& r) { return r.efficiency(); }},
        {{"efficiency_error", "1", "its binomial error", "no toys"},
         [](const ToyRow& r) {
           const double e = r.efficiency();
           return std::sqrt(e * (1 - e) /
                            static_cast<double>(r.toys.simulated));
         }},
        {{"expected_efficiency", "1",
          "fraction of tracks with a resolution; 1 unless toys draw azimuths, "
          "vertices "
          "or hits",
          "no toys"},
         [](const ToyRow& r) { return r.expected_efficiency(); }},
        {{"efficiency_deviation", "1",
          "(efficiency - expected) over the error of both",
          "no toys; no error"},
         [](const ToyRow& r) {
           const double e = r.expected_efficiency();
           const double binomial =
               std::sqrt(e * (1 - e) / static_cast<double>(r.toys.simulated));
           const double of_expected = r.number("efficiency_error");
           const double error =
               std::hypot(binomial, std::isnan(of_expected) ? 0 : of_expected);
           return error > 0 ? (r.efficiency() - e) / error : GlobalFit::none;
         }},
        {{"ndf", "1", "degrees of freedom, mean", "no fit"},
         [](const ToyRow& r) {
           return r.s.fitted > 0 ? static_cast<double>(r.s.ndf) /
                                       static_cast<double>(r.s.fitted)
                                 : GlobalFit::none;
         }},
        {{"chi2_per_ndf", "1", "mean of chi2/ndf", "no fit"},
         [](const ToyRow& r) { return r.s.chi2_per_ndf.moments.mean(); }},
        {{"chi2_per_ndf_error", "1", "its error", "no fit"},
         [](const ToyRow& r) { return r.s.chi2_per_ndf.moments.mean_error(); }},
        {{"chi2_prob_distance", "1",
          "largest distance of the distribution of the chi2 probability from a "
          "flat one (Kolmogorov and Smirnov, at 100 edges)",
          "no fit"},
         [](const ToyRow& r) { return flatness(r.s.probability); }},
        {{"chi2_prob_flatness", "1",
          "probability of a distance at least this large for a flat "
          "distribution",
          "no fit"},
         [](const ToyRow& r) {
           return flatness_probability(flatness(r.s.probability),
                                       r.s.probability.total());
         }},
    });

/// A column for each parameter: its name is appended to the column name, with
/// or without unit.
struct ParameterColumn {
  std::string_view name;  ///< "bias_"
  bool has_unit;
  std::string_view definition;
  double (*cell)(const ParameterToys&);
};

constexpr auto parameter_columns = std::to_array<ParameterColumn>({
    {"expected_", true, "standard deviation predicted by `scan`",
     [](const ParameterToys& q) { return q.expected; }},
    {"bias_", true, "mean of fitted minus true",
     [](const ParameterToys& q) {
       return q.sign * q.expected * q.residual.mean();
     }},
    {"bias_error_", true, "its error",
     [](const ParameterToys& q) {
       return q.expected * q.residual.mean_error();
     }},
    {"width_", true, "standard deviation of fitted minus true",
     [](const ParameterToys& q) { return q.expected * q.residual.width(); }},
    {"width_error_", true, "its error",
     [](const ParameterToys& q) {
       return q.expected * q.residual.width_error();
     }},
    {"bias_deviation_", false, "bias over its error",
     [](const ParameterToys& q) {
       return q.sign * q.residual.mean() / q.residual.mean_error();
     }},
    {"width_deviation_", false, "(width - expected) over its error",
     [](const ParameterToys& q) {
       return (q.residual.width() - 1) / q.residual.width_error();
     }},
    {"pull_mean_", false, "mean of (fitted - true)/(error of the fit)",
     [](const ParameterToys& q) { return q.sign * q.pull.mean(); }},
    {"pull_mean_error_", false, "its error",
     [](const ParameterToys& q) { return q.pull.mean_error(); }},
    {"pull_width_", false, "standard deviation of this pull",
     [](const ParameterToys& q) { return q.pull.width(); }},
    {"pull_width_error_", false, "its error",
     [](const ParameterToys& q) { return q.pull.width_error(); }},
    {"pull_core_", false,
     "half the width of the central 68.27 % of this pull, from 120 bins",
     [](const ParameterToys& q) {
       constexpr double outside = 0.158655254;
       return 0.5 * (q.pulls.quantile(1 - outside) - q.pulls.quantile(outside));
     }},
});

/// "bias_d0_um"
template <std::size_t parameter, std::size_t column>
constexpr auto name_of_column = [] {
  constexpr const ParameterColumn& c = parameter_columns[column];
  constexpr const ParameterNames& q = toy_parameters[parameter];
  constexpr std::string_view end = c.has_unit ? q.column : q.name;
  std::array<char, c.name.size() + end.size()> text{};
  std::ranges::copy(end, std::ranges::copy(c.name, text.begin()).out);
  return text;
}();

/// parameter_columns of every parameter.
constexpr auto columns_of_parameters = [] {
  constexpr std::size_t n = parameter_columns.size();
  const auto column =
      []<std::size_t k>(std::integral_constant<std::size_t, k>) {
        constexpr std::size_t q = k / n, c = k % n;
        constexpr auto& name = name_of_column<q, c>;
        return ColumnOf<ToyRow>(
            {std::string_view(name.data(), name.size()),
             parameter_columns[c].has_unit ? toy_parameters[q].unit : "1",
             parameter_columns[c].definition, "no fit"},
            [](const ToyRow& r) {
              return parameter_columns[c].cell(r.of_parameter(q));
            },
            q < n_plane ? if_along_beam : 0);
      };
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    return std::array{column(std::integral_constant<std::size_t, k>())...};
  }
  (std::make_index_sequence<toy_parameters.size() * n>());
}();

constexpr std::string_view not_biased =
    "fits with hit errors; where these matter";

constexpr auto columns_behind = std::to_array<ColumnOf<ToyRow>>({
    {{"bias_kappa_rel", "1", "mean of (fitted - true)/true of the curvature",
      "no fit, no field"},
     [](const ToyRow& r) { return r.scale() * r.residual().mean(); }},
    {{"bias_error_kappa_rel", "1", "its error", "no fit, no field"},
     [](const ToyRow& r) { return r.scale() * r.residual().mean_error(); }},
    {{"expected_bias_kappa_rel", "1",
      "of a fit with scattering only, where scattering dominates: "
      "[theory](../theory/bias-study.md)",
      not_biased},
     [](const ToyRow& r) { return r.bias.expected.curvature; }},
    {{"paper_bias_kappa_rel", "1", "the same as printed in [GTTF]", not_biased},
     [](const ToyRow& r) { return r.bias.paper.curvature; }},
    {{"bias_deviation_kappa", "1", "(bias - expected) over its error",
      not_biased},
     [](const ToyRow& r) {
       return (r.scale() * r.residual().mean() - r.bias.expected.curvature) /
              (r.scale() * r.residual().mean_error());
     }},
    {{"pull_mean_kappa", "1", "mean pull; positive: too much curvature",
      "no fit"},
     [](const ToyRow& r) { return r.pull().mean(); }},
    {{"pull_mean_error_kappa", "1", "its error", "no fit"},
     [](const ToyRow& r) { return r.pull().mean_error(); }},
    {{"expected_pull_mean_kappa", "1", "as `expected_bias_kappa_rel`",
      not_biased},
     [](const ToyRow& r) { return r.bias.expected.pull; }},
    {{"paper_pull_mean_kappa", "1", "as `paper_bias_kappa_rel`", not_biased},
     [](const ToyRow& r) { return r.bias.paper.pull; }},
    {{"pull_mean_deviation_kappa", "1", "(mean pull - expected) over its error",
      not_biased},
     [](const ToyRow& r) {
       return (r.pull().mean() - r.bias.expected.pull) / r.pull().mean_error();
     }},
    {{"n_p_ms_unbounded", "",
      "without field: toys whose kinks are compatible with hit errors only"},
     [](const ToyRow& r) { return r.s.unbounded; },
     if_straight},
    {{"p_ms_rel", "1",
      "without field: mean of the momentum estimated from the scattering of "
      "the toy itself, over the true one; of those for which it is finite",
      "no fit"},
     [](const ToyRow& r) { return r.momentum().mean(); },
     if_straight},
    {{"p_ms_rel_error", "1", "its error", "no fit"},
     [](const ToyRow& r) { return r.momentum().mean_error(); },
     if_straight},
    {{"width_p_ms_rel", "1", "its width", "no fit"},
     [](const ToyRow& r) { return r.momentum().width(); },
     if_straight},
    {{"width_error_p_ms_rel", "1", "error of the width", "no fit"},
     [](const ToyRow& r) { return r.momentum().width_error(); },
     if_straight},
    {{"expected_p_ms_rel", "1",
      "without field, for precise hits: 3/(8 n) above 1 for n triplets",
      "fewer than 2 triplets"},
     [](const ToyRow& r) {
       const auto n = r.count("n_triplets");
       return n > 1 ? scattering_momentum_mean(static_cast<int>(n))
                    : GlobalFit::none;
     },
     if_straight},
    {{"expected_width_p_ms_rel", "1", "the same: 1/(2 sqrt(n))", "no triplet"},
     [](const ToyRow& r) {
       const double n = r.number("n_triplets");
       return n > 0 ? 0.5 / std::sqrt(n) : GlobalFit::none;
     },
     if_straight},
    {{"status", "",
      "of the point, as in `scan`: only `ok` and `no_field` have toys. If all "
      "fits failed for one reason, this reason, as in the rows of single toys"},
     [](const ToyRow& r) { return r.status(); }},
});

constexpr auto columns_of_toys =
    joined_columns(columns_before, columns_of_parameters, columns_behind);

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
  const ToyParameters kind = point.parameters();
  Document d;
  const auto set = [&](const char* what, const auto& distributions) {
    for (std::size_t i = 0; i < n_toy_parameters; ++i)
      d.set(what + std::string(parameter_of(kind, i).name),
            histogram(distributions[i].histogram));
  };
  set("residual_over_expected_", s.residuals);
  set("pull_", s.pulls);
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

}  // namespace

std::vector<DescribedColumn> described_toy_columns() {
  std::vector<DescribedColumn> list = described(columns_before);
  for (const ParameterColumn& column : parameter_columns)
    list.push_back({{column.name, column.has_unit ? "of P" : "1",
                     column.definition, "no fit"}});
  const auto behind = described(columns_behind);
  list.insert(list.end(), behind.begin(), behind.end());
  return list;
}

std::vector<DescribedColumn> all_toy_columns() {
  return described(columns_of_toys);
}

Table toy_table(const ToyState& state) {
  RowTable<ToyRow> rows(columns_of_toys,
                        (state.any_at_plane() ? if_along_beam : 0) |
                            (state.any_without_field() ? if_straight : 0));
  for (const ToyPoint& point : state.points)
    for (std::size_t i = 0; i < state.fits.size(); ++i)
      rows.add({state, point, i});
  return std::move(rows).take();
}

Document toy_results(const ToyState& state) {
  const Table table = toy_table(state);
  Document::List rows;
  for (const ToyPoint& point : state.points)
    for (const FitStatistics& fit : point.statistics.fits) {
      Document row = row_of(table, rows.size());
      row.set("failures", failures(fit));
      row.set("histograms", histograms(point, fit));
      rows.push_back(std::move(row));
    }
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
  // the variables of the grid, as given
  const bool by_pt = state.study.find("pt_GeV") != nullptr;
  const bool by_eta = state.study.find("eta") != nullptr;
  const auto wanted = [&](std::string_view name) {
    if (name == "detector") return several;
    if (name == (by_pt ? "pt_GeV" : "p_GeV")) return true;
    if (name == (by_eta ? "eta" : "theta_deg")) return true;
    for (std::size_t i = n_plane; i < toy_parameters.size() - 1; ++i)
      if (name == "pull_width_" + std::string(toy_parameters[i].name))
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

namespace {

/// A number of a fit and its output format; i: parameter in the order of
/// Perigee. Curvatures in 1/m.
struct NumberColumn {
  const char* name;
  double unit;
};
constexpr std::array<NumberColumn, 9> parameters{{{"d0_um", unit::um},
                                                  {"z0_um", unit::um},
                                                  {"phi0_rad", unit::rad},
                                                  {"theta_rad", unit::rad},
                                                  {"kappa_per_m", 1 / unit::m},
                                                  {"x_um", unit::um},
                                                  {"y_um", unit::um},
                                                  {"tx", 1},
                                                  {"ty", 1}}};
constexpr std::size_t n_perigee = track_dim;

}  // namespace

ToyRows::ToyRows(const ToyPoint& point, bool at_plane)
    : detector_(text_of(point.row, "detector")),
      p_(number_of(point.row, "p_GeV")),
      theta_deg_(number_of(point.row, "theta_deg")),
      parameters_(point.parameters()),
      at_plane_(at_plane) {}

void ToyRows::add(std::uint64_t toy_number, const std::string& fit_name,
                  const FittedToys& toys, std::size_t i) {
  toy_.push_back(static_cast<std::int64_t>(toy_number));
  fit_.push_back(fit_name);
  const bool ok = toys.status[i] == FitStatus::ok;
  status_.emplace_back(to_string(toys.status[i]));
  ndf_.push_back(toys.ndf[i]);
  auto out = numbers_.begin();
  const auto put = [&out](double x) { (out++)->push_back(x); };
  put(ok ? toys.chi2[i] : GlobalFit::none);
  const bool plane = parameters_ == ToyParameters::plane;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const bool of_plane = k >= n_perigee;
    const bool given = of_plane == plane || k == Perigee::kappa;
    const std::size_t q = of_plane ? k - n_perigee : k;
    const auto shown = [&](const std::vector<double>& column) {
      return column[i] / parameters[k].unit;
    };
    put(given ? shown(toys.truth[q]) : GlobalFit::none);
    put(given && ok ? shown(toys.fitted[q]) : GlobalFit::none);
    put(given && ok ? shown(toys.sigma[q]) : GlobalFit::none);
  }
}

void ToyRows::add_missed(std::uint64_t toy_number) {
  toy_.push_back(static_cast<std::int64_t>(toy_number));
  fit_.emplace_back();
  status_.emplace_back("missed");
  ndf_.push_back(0);
  for (Reals& cells : numbers_) cells.push_back(GlobalFit::none);
}

Table ToyRows::take() && {
  const std::size_t n = toy_.size();
  Table t;
  t.add("detector", Texts(n, detector_));
  t.add("p_GeV", Reals(n, p_));
  t.add("theta_deg", Reals(n, theta_deg_));
  t.add("toy", std::move(toy_));
  t.add("fit", std::move(fit_));
  t.add("chi2", std::move(numbers_[0]));
  t.add("ndf", std::move(ndf_));
  std::size_t next = 1;
  const std::size_t n_shown = at_plane_ ? parameters.size() : n_perigee;
  for (const NumberColumn& p : std::span(parameters).first(n_shown))
    for (const char* kind : {"true_", "fit_", "sigma_"})
      t.add(std::string(kind) + p.name, std::move(numbers_[next++]));
  t.add("status", std::move(status_));
  return t;
}

}  // namespace gttf
