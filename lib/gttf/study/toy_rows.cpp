// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/toy_rows.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "gttf/core/chi2_probability.hpp"
#include "gttf/core/units.hpp"
#include "gttf/study/row.hpp"

namespace gttf {

namespace {

/// A number of a fit and how it is written; i: parameter in the order of
/// Perigee. Curvatures in 1/m.
struct NumberColumn {
  const char* name;
  double unit;
};
constexpr std::array<NumberColumn, 5> parameters{
    {{"d0_um", unit::um},
     {"z0_um", unit::um},
     {"phi0_rad", unit::rad},
     {"theta_rad", unit::rad},
     {"kappa_per_m", 1 / unit::m}}};

}  // namespace

ToyRows::ToyRows(const Document& expected)
    : detector_(text_of(expected, "detector")),
      p_(number_of(expected, "p_GeV")),
      theta_deg_(number_of(expected, "theta_deg")) {}

void ToyRows::add(std::uint64_t toy, const std::string& fit_name,
                  const GlobalFit& fit, const Vector5& truth) {
  toy_.push_back(static_cast<std::int64_t>(toy));
  fit_.push_back(fit_name);
  const bool ok = fit.status == FitStatus::ok;
  status_.emplace_back(to_string(fit.status));
  ndf_.push_back(fit.ndf);
  auto out = numbers_.begin();
  const auto put = [&out](double x) { (out++)->push_back(x); };
  put(ok ? fit.chi2 : GlobalFit::none);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const int i = static_cast<int>(k);
    const bool bent = i == Perigee::kappa;
    const double value = bent ? fit.kappa : fit.perigee[i];
    const double error =
        bent ? fit.sigma : std::sqrt(fit.perigee_covariance(i, i));
    put(truth[i] / parameters[k].unit);
    put(ok ? value / parameters[k].unit : GlobalFit::none);
    put(ok ? error / parameters[k].unit : GlobalFit::none);
  }
}

void ToyRows::add_missed(std::uint64_t toy) {
  toy_.push_back(static_cast<std::int64_t>(toy));
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
  for (const NumberColumn& p : parameters)
    for (const char* kind : {"true_", "fit_", "sigma_"})
      t.add(std::string(kind) + p.name, std::move(numbers_[next++]));
  t.add("status", std::move(status_));
  return t;
}

}  // namespace gttf
