// SPDX-License-Identifier: Apache-2.0
// Least squares of the triplet system and covariance of what follows from it.
#include "gttf/fit/triplet/triplet_covariance.hpp"

#include <Eigen/QR>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "gttf/fit/triplet/band_square_root.hpp"
#include "gttf/fit/triplet/triplet_model.hpp"

namespace gttf {

namespace {

using detail::NuisanceError;
using detail::Output;
using detail::TripletModel;

/// The parameters without any prior: unmeasured coordinates, in units of their
/// auxiliary standard deviation, and, last, kappa.
class FreeParameters {
 public:
  /// M = L^-1 (B, rho); Cov = (M^T M)^-1 = R^-1 R^-T with M = Q R.
  FreeParameters(const TripletModel& model, const BandSquareRoot& root,
                 bool fit_kappa)
      : fit_kappa_(fit_kappa) {
    for (std::size_t i = 0; i < model.nuisances.size(); ++i)
      if (model.nuisances[i].unmeasured) unmeasured_.push_back(i);
    const auto n = static_cast<Eigen::Index>(unmeasured_.size());
    design_.resize(root.rows(), n + (fit_kappa ? 1 : 0));
    for (Eigen::Index i = 0; i < n; ++i) {
      const NuisanceError& e =
          model.nuisances[unmeasured_[static_cast<std::size_t>(i)]];
      Eigen::VectorXd column = Eigen::VectorXd::Zero(root.rows());
      for (Eigen::Index k = 0; k < e.n_rows; ++k)
        column[e.first_row + k] = e.kinks[static_cast<std::size_t>(k)];
      design_.col(i) = root.solve(std::move(column));
    }
    if (fit_kappa) design_.col(n) = root.solve(model.rho);
    if (design_.cols() == 0) return;
    if (design_.rows() < design_.cols()) {
      determined_ = false;
      return;
    }
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(design_);
    r_ = qr.matrixQR().topRows(design_.cols());
    // What remains of a column after the others: of a dependent one only
    // rounding, some 1e-15 per row, else at least the lever arm of the
    // coordinate against the reach of the detector.
    constexpr double rounding = 1e-10;
    for (Eigen::Index i = 0; i < design_.cols(); ++i)
      if (!(std::abs(r_(i, i)) > rounding * design_.col(i).norm()))
        determined_ = false;
  }

  bool determined() const { return determined_; }
  Eigen::Index size() const { return design_.cols(); }
  const std::vector<std::size_t>& unmeasured() const { return unmeasured_; }
  const Eigen::MatrixXd& design() const { return design_; }

  double variance_kappa() const {
    return fit_kappa_
               ? 1 / (r_(size() - 1, size() - 1) * r_(size() - 1, size() - 1))
               : 0;
  }

  /// Rows (d R^-1)^T: products of two of them are covariances. The last column
  /// belongs to kappa.
  Eigen::MatrixXd whiten(const Eigen::MatrixXd& coefficients) const {
    if (size() == 0) return Eigen::MatrixXd::Zero(coefficients.rows(), 0);
    return r_.triangularView<Eigen::Upper>()
        .transpose()
        .solve(coefficients.transpose())
        .transpose();
  }

  /// Covariance of a whitened function with kappa.
  Eigen::VectorXd with_kappa(const Eigen::MatrixXd& whitened) const {
    if (!fit_kappa_) return Eigen::VectorXd::Zero(whitened.rows());
    return whitened.col(size() - 1) / r_(size() - 1, size() - 1);
  }

 private:
  bool fit_kappa_;
  bool determined_ = true;
  std::vector<std::size_t> unmeasured_;
  Eigen::MatrixXd design_;
  Eigen::MatrixXd r_;
};

/// A solved fit together with linear functions of the track.
struct Solution {
  TripletStatus status = TripletStatus::ok;
  double variance_kappa = 0;
  Eigen::MatrixXd covariance;  ///< diagonal blocks, n_functions x block
  Eigen::VectorXd with_kappa;
};

/// @param function  change of the functions by an error (NuisanceError -> )
/// @param slope     their derivatives with respect to kappa at fixed hits
template <class Function>
Solution solve(const TripletModel& model, bool fit_kappa,
               const Function& function, const Eigen::VectorXd& slope,
               Eigen::Index block) {
  BandSquareRoot root(model.kink_sigma, slope.size(), block);
  for (const NuisanceError& e : model.nuisances)
    root.add(e.first_row,
             std::span(e.kinks).first(static_cast<std::size_t>(e.n_rows)),
             function(e));
  Solution s;
  if (!root.is_regular()) {
    s.status = TripletStatus::singular;
    return s;
  }
  const FreeParameters free(model, root, fit_kappa);
  if (!free.determined()) {
    s.status = TripletStatus::not_determined;
    return s;
  }
  // functions = own coefficients of the free parameters, less what the kinks
  // already say about the functions
  Eigen::MatrixXd coefficients(slope.size(), free.size());
  for (std::size_t i = 0; i < free.unmeasured().size(); ++i)
    coefficients.col(static_cast<Eigen::Index>(i)) =
        function(model.nuisances[free.unmeasured()[i]]);
  if (fit_kappa) coefficients.col(free.size() - 1) = slope;
  coefficients -= root.functions() * free.design();
  const Eigen::MatrixXd z = free.whiten(coefficients);
  s.variance_kappa = free.variance_kappa();
  s.with_kappa = free.with_kappa(z);
  s.covariance = root.remainder();
  for (Eigen::Index k = 0; k < slope.size(); k += block)
    s.covariance.middleRows(k, block) +=
        z.middleRows(k, block) * z.middleRows(k, block).transpose();
  return s;
}

/// Rows and columns `pick` of the functions, kappa appended.
Matrix5 select_rows(const Solution& s, const std::array<int, 4>& pick) {
  Matrix5 m;
  for (int i = 0; i < 4; ++i) {
    const int from = pick[static_cast<std::size_t>(i)];
    for (int j = 0; j < 4; ++j)
      m(i, j) = s.covariance(from, pick[static_cast<std::size_t>(j)]);
    m(i, 4) = m(4, i) = s.with_kappa[from];
  }
  m(4, 4) = s.variance_kappa;
  return m;
}

bool enough_hits(const TripletModel& model, bool fit_kappa) {
  return model.n_hits > (model.start_hit ? 1 : 0) &&
         model.n_hits >= (fit_kappa ? 3 : 2);
}

Solution solve_outputs(const TripletModel& model, bool fit_kappa) {
  return solve(
      model, fit_kappa,
      [](const NuisanceError& e) { return Eigen::VectorXd(e.outputs); },
      model.output_slope, Output::size);
}

constexpr std::array<int, 4> on_surface = {Output::u, Output::v, Output::phi,
                                           Output::theta};
constexpr std::array<int, 4> at_start = {Output::d0, Output::z0, Output::phi0,
                                         Output::theta0};

/// The track without scattering in the first measuring layer and inside it.
TripletTrack without_inner_scattering(TripletTrack track) {
  track.start_kink_variance = 0;
  for (TripletPoint& c : track.crossings) {
    c.kink_variance = 0;
    if (c.measures()) break;
  }
  return track;
}

}  // namespace

TripletCovariance triplet_covariance(const TripletTrack& track,
                                     const TripletOptions& options) {
  constexpr double pole = 0.05;
  const auto model_of = [&options](const TripletTrack& t) {
    return detail::make_triplet_model(t, options.errors,
                                      options.auxiliary_scale);
  };
  const TripletModel model = model_of(track);
  TripletCovariance c;
  c.n_hits = static_cast<int>(model.n_hits) - (model.start_hit ? 1 : 0);
  c.index_pole = model.smallest_inverse_index < pole;
  c.first_hit.fill(std::numeric_limits<double>::quiet_NaN());
  c.perigee = c.perigee_without_inner = c.first_hit;
  c.variance_kappa = c.first_hit(0, 0);
  if (!enough_hits(model, track.fit_kappa)) return c;
  const Solution s = solve_outputs(model, track.fit_kappa);
  c.status = s.status;
  if (s.status != TripletStatus::ok) return c;
  c.variance_kappa = s.variance_kappa;
  c.first_hit = select_rows(s, on_surface);
  c.perigee = c.perigee_without_inner = select_rows(s, at_start);
  if (options.errors == Errors::hits_only) return c;
  if (!model.start_hit) {
    c.perigee += detail::inner_scattering(track);
    return c;
  }
  // inner material lies between hits and is part of the fit
  const Solution bare =
      solve_outputs(model_of(without_inner_scattering(track)), track.fit_kappa);
  if (bare.status == TripletStatus::ok)
    c.perigee_without_inner = select_rows(bare, at_start);
  else
    c.perigee_without_inner.fill(std::numeric_limits<double>::quiet_NaN());
  return c;
}

std::vector<FittedPosition> fitted_positions(const TripletTrack& track,
                                             const TripletOptions& options) {
  const TripletModel model = detail::make_triplet_model(
      track, options.errors, options.auxiliary_scale);
  std::vector<FittedPosition> list;
  if (!enough_hits(model, track.fit_kappa)) return list;
  const Eigen::Index n = 2 * model.n_hits;
  const Solution s = solve(
      model, track.fit_kappa,
      [n](const NuisanceError& e) {
        Eigen::VectorXd f = Eigen::VectorXd::Zero(n);
        if (e.hit >= 0) f.segment<2>(2 * e.hit) = e.in_plane;
        return f;
      },
      Eigen::VectorXd::Zero(n), 2);
  if (s.status != TripletStatus::ok) return list;
  for (Eigen::Index k = model.start_hit ? 2 : 0; k < n; k += 2)
    list.push_back({s.covariance.middleRows<2>(k), s.with_kappa.segment<2>(k)});
  return list;
}

}  // namespace gttf
