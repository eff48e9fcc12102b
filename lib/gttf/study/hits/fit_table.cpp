// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hits/fit_table.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gttf/core/chi2_probability.hpp"
#include "gttf/core/units.hpp"

namespace gttf {
namespace {

constexpr double none = GlobalFit::none;

constexpr std::array<const char*, 29> fit_columns{"p_GeV",
                                                  "pt_GeV",
                                                  "charge",
                                                  "qop_per_GeV",
                                                  "d0_um",
                                                  "z0_um",
                                                  "phi0_rad",
                                                  "theta_rad",
                                                  "sigma_p_rel",
                                                  "sigma_pt_rel",
                                                  "sigma_qop_per_GeV",
                                                  "sigma_d0_um",
                                                  "sigma_z0_um",
                                                  "sigma_phi0_mrad",
                                                  "sigma_theta_mrad",
                                                  "chi2",
                                                  "chi2_per_ndf",
                                                  "chi2_probability",
                                                  "x_um",
                                                  "y_um",
                                                  "tx",
                                                  "ty",
                                                  "sigma_x_um",
                                                  "sigma_y_um",
                                                  "sigma_tx_mrad",
                                                  "sigma_ty_mrad",
                                                  "p_ms_GeV",
                                                  "sigma_p_ms_GeV",
                                                  "p_ms_min_GeV"};

constexpr std::array<const char*, 11> residual_columns{"x_mm",
                                                       "y_mm",
                                                       "z_mm",
                                                       "residual_u_um",
                                                       "residual_v_um",
                                                       "sigma_residual_u_um",
                                                       "sigma_residual_v_um",
                                                       "pull_u",
                                                       "pull_v",
                                                       "energy_loss_MeV",
                                                       "sigma_energy_loss_MeV"};

constexpr std::size_t first_of_plane = 18;  // of the columns of a fit
constexpr std::size_t first_of_momentum = 26;
constexpr std::size_t first_of_losses = 9;  // of those of a residual

double root(double variance) {
  return variance >= 0 ? std::sqrt(variance) : none;
}

template <std::size_t n>
void append(std::array<Reals, n>& columns, const std::array<double, n>& row) {
  for (std::size_t i = 0; i < n; ++i) columns[i].push_back(row[i]);
}

bool is_sound(const Vector5& parameters, const Matrix5& covariance) {
  // Scattering fits may know a parameter exactly.
  return parameters.allFinite() && covariance.allFinite() &&
         covariance.diagonal().minCoeff() >= 0;
}

/// Of tracks along z only the parameters on the plane exist.
bool is_sound(const GlobalFit& fit) {
  const double theta = fit.perigee[Perigee::theta];
  const bool perigee = is_sound(fit.perigee, fit.perigee_covariance) &&
                       theta > 0 && theta < unit::pi;
  return fit.chi2 >= 0 &&
         (perigee || is_sound(fit.start_plane, fit.start_plane_covariance));
}

constexpr auto all_none = [] {
  std::array<double, fit_columns.size()> row{};
  row.fill(none);
  return row;
}();

/// Residual of a hit along the axes u and v of its layer.
struct Residual {
  Eigen::Vector2d value = Eigen::Vector2d::Constant(none);
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Constant(none);
};

/// From the measured coordinates m = A (u', v') to the axes of the user; of a
/// single coordinate the residual is given along the axis that is nearer.
Residual residual_of(const TrackHit& hit, const HitFit& fit,
                     const std::pair<CoordinateAxis, CoordinateAxis>& user) {
  Eigen::Matrix2d axes;  // rows: user u and v in (u', v')
  axes << user.first.cosine, user.first.sine, user.second.cosine,
      user.second.sine;
  Eigen::Matrix2d measured = Eigen::Matrix2d::Zero();
  for (int i = 0; i < hit.n_coordinates; ++i) {
    const CoordinateAxis& a = hit.coordinates[static_cast<std::size_t>(i)];
    measured.row(i) << a.cosine, a.sine;
  }
  Residual r;
  if (hit.n_coordinates == 2) {
    const Eigen::Matrix2d turn = axes * measured.inverse();
    r.value = turn * fit.residual;
    r.covariance = turn * fit.residual_covariance * turn.transpose();
  } else if (hit.n_coordinates == 1) {
    const Eigen::Vector2d along = axes * measured.row(0).transpose();
    const int axis = std::abs(along[0]) >= std::abs(along[1]) ? 0 : 1;
    r.value[axis] = fit.residual[0] * (along[axis] < 0 ? -1 : 1);
    r.covariance(axis, axis) = fit.residual_covariance(0, 0);
  }
  return r;
}

}  // namespace

bool is_beam_detector(const Detector& detector) {
  const Field& field = detector.field;
  if (field.kind == FieldKind::dipole) return true;
  if (field.kind == FieldKind::solenoid ||
      (field.kind == FieldKind::map && field.axis == Axis::z))
    return false;
  return std::ranges::all_of(detector.layers, [](const Layer& layer) {
    const Surface& s = layer.surface;
    return !layer.measures() ||
           (s.shape == Shape::plane && s.normal == Axis::z);
  });
}

FitTable::FitTable(FitTableStyle style, double b_ref, double charge,
                   std::string_view fit_name)
    : style_(style),
      b_ref_(b_ref),
      charge_(std::abs(charge)),
      fit_name_(fit_name) {
  for (std::size_t i = 0; i < n_numbers; ++i) {
    const bool of_plane = i >= first_of_plane && i < first_of_momentum;
    if (of_plane ? style.along_beam : i < first_of_plane || style.momentum)
      shown_.push_back(i);
  }
}

void FitTable::add_numbers(const std::array<double, n_numbers>& row) {
  for (const std::size_t i : shown_) numbers_[i].push_back(row[i]);
}

void FitTable::reserve(std::size_t rows) {
  if (style_.events) event_.reserve(rows);
  for (Texts* c : {&id_, &status_}) c->reserve(rows);
  for (Integers* c : {&line_, &n_hits_, &ndf_}) c->reserve(rows);
  for (const std::size_t i : shown_) numbers_[i].reserve(rows);
}

void FitTable::add_head(const FileTrack& track, std::string_view status) {
  if (style_.events) event_.push_back(track.event);
  id_.push_back(track.id);
  line_.push_back(track.line);
  n_hits_.push_back(static_cast<std::int64_t>(track.count + track.left_out));
  status_.emplace_back(status);
}

void FitTable::add_unfitted(const FileTrack& track, std::string_view status) {
  add_head(track, status);
  ndf_.push_back(0);
  momentum_status_.emplace_back();
  add_numbers(all_none);
}

bool is_result(const GlobalFit& fit) {
  return fit.status == FitStatus::ok && is_sound(fit);
}

void FitTable::add(const FileTrack& track, const GlobalFit& fit) {
  if (!is_result(fit)) {
    const bool ok = fit.status == FitStatus::ok;
    add_unfitted(track, to_string(ok ? FitStatus::singular : fit.status));
    return;
  }
  add_head(track, to_string(fit.status));
  ++fitted_;
  ndf_.push_back(fit.ndf);
  const Vector5& x = fit.perigee;
  const Matrix5& v = fit.perigee_covariance;
  const auto sigma = [&v](int i) { return root(v(i, i)); };
  std::array<double, n_numbers> row = all_none;
  if (b_ref_ != 0) {
    const double kappa = fit.kappa, qop = -kappa / b_ref_;
    const double sine = std::sin(x[Perigee::theta]);
    const double cot = std::cos(x[Perigee::theta]) / sine;
    const double p = charge_ / std::abs(qop);
    row[0] = p;
    row[1] = p * sine;  // NaN along z
    row[2] = std::copysign(charge_, qop);
    row[3] = qop;
    row[8] = fit.sigma / std::abs(kappa);
    // ln pT = ln sin(theta) - ln kappa
    row[9] = root(v(Perigee::kappa, Perigee::kappa) / (kappa * kappa) +
                  cot * cot * v(Perigee::theta, Perigee::theta) -
                  2 * cot / kappa * v(Perigee::theta, Perigee::kappa));
    row[10] = fit.sigma / std::abs(b_ref_);
  }
  row[4] = x[Perigee::d0] / unit::um;
  row[5] = x[Perigee::z0] / unit::um;
  row[6] = x[Perigee::phi];
  row[7] = x[Perigee::theta];
  row[11] = sigma(Perigee::d0) / unit::um;
  row[12] = sigma(Perigee::z0) / unit::um;
  row[13] = sigma(Perigee::phi) / unit::mrad;
  row[14] = sigma(Perigee::theta) / unit::mrad;
  row[15] = fit.chi2;
  row[16] = fit.ndf > 0 ? fit.chi2 / fit.ndf : none;
  row[17] = chi2_probability(fit.chi2, fit.ndf);
  const Vector5& plane = fit.start_plane;
  for (int i = 0; i < 4; ++i) {
    const double error = root(fit.start_plane_covariance(i, i));
    const auto k = static_cast<std::size_t>(i);
    row[first_of_plane + k] = plane[i] / (i < 2 ? unit::um : 1);
    row[first_of_plane + 4 + k] = error / (i < 2 ? unit::um : unit::mrad);
  }
  std::string momentum_status;
  if (const auto& m = fit.scattering_momentum) {
    momentum_status = m->finite ? "ok" : "no finite estimate";
    if (m->finite) {
      row[first_of_momentum] = m->p;
      row[first_of_momentum + 1] = m->sigma;
    }
    row[first_of_momentum + 2] = m->lower_bound;
  }
  momentum_status_.push_back(std::move(momentum_status));
  add_numbers(row);
}

Table FitTable::take() && {
  const std::size_t n = rows();
  Table t;
  if (style_.events) t.add("event", std::move(event_));
  t.add("track", std::move(id_));
  t.add("line", std::move(line_));
  t.add("n_hits", std::move(n_hits_));
  for (const std::size_t i : shown_) {
    t.add(fit_columns[i], std::move(numbers_[i]));
    if (std::string_view(fit_columns[i]) == "chi2")
      t.add("ndf", std::move(ndf_));
  }
  if (style_.momentum) t.add("p_ms_status", std::move(momentum_status_));
  t.add("fit", Texts(n, fit_name_));
  t.add("status", std::move(status_));
  return t;
}

ResidualTable::ResidualTable(FitTableStyle style, const Detector& detector,
                             const TrackingGeometry& geometry)
    : style_(style), detector_(detector), geometry_(geometry) {}

void ResidualTable::add(const FileTrack& track, std::span<const FileHit> hits,
                        const HitTrackBuilder& built, const GlobalFit& fit) {
  std::int64_t number = 0;
  for (const HitFit& f : fit.hits) {
    const int source = built.sources()[f.point];
    if (source < 0) continue;
    const auto i = static_cast<std::size_t>(source);
    const auto layer = static_cast<std::size_t>(built.layers()[i]);
    const Residual r = residual_of(built.track().points[f.point], f,
                                   geometry_.surfaces()[layer].user_axes());
    if (style_.events) event_.push_back(track.event);
    id_.push_back(track.id);
    number_.push_back(++number);
    line_.push_back(hits[i].line);
    layer_.push_back(detector_.layers[layer].name);
    const double sigma_u = root(r.covariance(0, 0));
    const double sigma_v = root(r.covariance(1, 1));
    const auto pull = [](double value, double sigma) {
      return sigma > 0 ? value / sigma : none;
    };
    const Vector6& at = f.after.parameters;
    append(numbers_,
           {at[0], at[1], at[2], r.value[0] / unit::um, r.value[1] / unit::um,
            sigma_u / unit::um, sigma_v / unit::um, pull(r.value[0], sigma_u),
            pull(r.value[1], sigma_v), f.energy_loss / unit::MeV,
            f.sigma_energy_loss / unit::MeV});
  }
}

Table ResidualTable::take() && {
  Table t;
  if (style_.events) t.add("event", std::move(event_));
  t.add("track", std::move(id_));
  t.add("hit", std::move(number_));
  t.add("line", std::move(line_));
  t.add("layer", std::move(layer_));
  const std::size_t n_shown =
      style_.losses ? residual_columns.size() : first_of_losses;
  for (std::size_t i = 0; i < n_shown; ++i)
    t.add(residual_columns[i], std::move(numbers_[i]));
  return t;
}

}  // namespace gttf
