// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/toys/toy_rows.hpp"

#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "gttf/core/chi2_probability.hpp"
#include "gttf/core/units.hpp"
#include "gttf/study/scan/row.hpp"

namespace gttf {

namespace {

/// A number of a fit and how it is written; i: parameter in the order of
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
                  const GlobalFit& fit, const ToyTrack& toy) {
  add(toy_number, fit_name, fitted_toy(fit, toy, parameters_), fit.status,
      fit.chi2, fit.ndf);
}

void ToyRows::add(std::uint64_t toy_number, const std::string& fit_name,
                  const FittedToys& toys, std::size_t i) {
  const FitStatus status = toys.status(i);
  add(toy_number, fit_name, toys.toy(i), status, toys.fits.chi2[i],
      status == FitStatus::ok ? toys.ndf : 0);
}

void ToyRows::add(std::uint64_t toy_number, const std::string& fit_name,
                  const FittedToy& f, FitStatus status, double chi2, int ndf) {
  toy_.push_back(static_cast<std::int64_t>(toy_number));
  fit_.push_back(fit_name);
  const bool ok = status == FitStatus::ok;
  status_.emplace_back(to_string(status));
  ndf_.push_back(ndf);
  auto out = numbers_.begin();
  const auto put = [&out](double x) { (out++)->push_back(x); };
  put(ok ? chi2 : GlobalFit::none);
  const bool plane = parameters_ == ToyParameters::plane;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const bool of_plane = k >= n_perigee;
    const bool given = of_plane == plane || k == Perigee::kappa;
    const int i = static_cast<int>(of_plane ? k - n_perigee : k);
    put(given ? f.truth[i] / parameters[k].unit : GlobalFit::none);
    put(given && ok ? f.fitted[i] / parameters[k].unit : GlobalFit::none);
    put(given && ok ? f.sigma[i] / parameters[k].unit : GlobalFit::none);
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
