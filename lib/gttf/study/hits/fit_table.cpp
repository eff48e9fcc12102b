// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hits/fit_table.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "gttf/core/matrix.hpp"
#include "gttf/core/statistics.hpp"
#include "gttf/core/units.hpp"

namespace gttf {

/// Residual of a hit along the axes u and v of its layer.
struct HitResidual {
  Eigen::Vector2d value = Eigen::Vector2d::Constant(GlobalFit::none);
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Constant(GlobalFit::none);
};

namespace {

constexpr double none = GlobalFit::none;

double root(double variance) {
  return variance >= 0 ? std::sqrt(variance) : none;
}

/// A straight track in a field has q/p = 0, and no momentum.
double finite(double x) { return std::isfinite(x) ? x : none; }

bool is_sound(const Vector5& parameters, const Matrix5& covariance) {
  // In scattering fits a parameter may be exact.
  return parameters.allFinite() && covariance.allFinite() &&
         covariance.diagonal().minCoeff() >= 0;
}

/// For tracks along z only the parameters on the plane exist.
bool is_sound(const GlobalFit& fit) {
  const double theta = fit.perigee[Perigee::theta];
  const bool perigee = is_sound(fit.perigee, fit.perigee_covariance) &&
                       theta > 0 && theta < unit::pi;
  return fit.chi2 >= 0 &&
         (perigee || is_sound(fit.start_plane, fit.start_plane_covariance));
}

/// For tracks that are not fitted.
const GlobalFit& no_fit() {
  static const GlobalFit fit = [] {
    GlobalFit empty;
    clear(empty);
    return empty;
  }();
  return fit;
}

/// From the measured coordinates m = A (u', v') to the axes of the user; for a
/// single coordinate the residual is given along the closer axis.
HitResidual residual_of(const TrackHit& hit, const HitFit& fit,
                        const std::pair<CoordinateAxis, CoordinateAxis>& user) {
  Eigen::Matrix2d axes;  // rows: user u and v in (u', v')
  axes << user.first.cosine, user.first.sine, user.second.cosine,
      user.second.sine;
  Eigen::Matrix2d measured = Eigen::Matrix2d::Zero();
  for (int i = 0; i < hit.n_coordinates; ++i) {
    const CoordinateAxis& a = hit.coordinates[static_cast<std::size_t>(i)];
    measured.row(i) << a.cosine, a.sine;
  }
  HitResidual r;
  if (hit.n_coordinates == 2) {
    const Eigen::Matrix2d turn = axes * measured.inverse();
    r.value = turn * fit.residual;
    r.covariance = propagated(turn, fit.residual_covariance);
  } else if (hit.n_coordinates == 1) {
    const Eigen::Vector2d along = axes * measured.row(0).transpose();
    const int axis = std::abs(along[0]) >= std::abs(along[1]) ? 0 : 1;
    r.value[axis] = fit.residual[0] * (along[axis] < 0 ? -1 : 1);
    r.covariance(axis, axis) = fit.residual_covariance(0, 0);
  }
  return r;
}

constexpr unsigned event_column = 1, beam_columns = 2, momentum_columns = 4,
                   loss_columns = 8;

unsigned parts_of(const FitTableStyle& style) {
  return (style.events ? event_column : 0) |
         (style.along_beam ? beam_columns : 0) |
         (style.momentum ? momentum_columns : 0) |
         (style.losses ? loss_columns : 0);
}

}  // namespace

/// A track of a file and its fit, all NaN if there is no result.
struct FitRow {
  FitRow(const FileTrack& of, std::string_view fit_status, const GlobalFit& f,
         double b_ref, double charge_size, std::string_view name)
      : track(of), status(fit_status), fit(f), fit_name(name) {
    if (b_ref == 0) return;
    kappa = fit.kappa;
    qop = -kappa / b_ref;
    sigma_qop = fit.sigma / std::abs(b_ref);
    p = finite(charge_size / std::abs(qop));
    charge = std::isnan(p) ? none : std::copysign(charge_size, qop);
    const double theta = fit.perigee[Perigee::theta];
    sine = std::sin(theta);
    cot = std::cos(theta) / sine;
  }

  double sigma(int i) const { return root(fit.perigee_covariance(i, i)); }
  double sigma_at_start(int i) const {
    return root(fit.start_plane_covariance(i, i));
  }
  double sigma_p_rel() const { return finite(fit.sigma / std::abs(kappa)); }
  /// ln pT = ln sin(theta) - ln kappa
  double sigma_pt_rel() const {
    const Matrix5& v = fit.perigee_covariance;
    return finite(root(v(Perigee::kappa, Perigee::kappa) / (kappa * kappa) +
                       cot * cot * v(Perigee::theta, Perigee::theta) -
                       2 * cot / kappa * v(Perigee::theta, Perigee::kappa)));
  }
  std::string_view momentum_status() const {
    const auto& m = fit.scattering_momentum;
    return !m ? "" : m->finite ? "ok" : "no finite estimate";
  }

  const FileTrack& track;
  std::string_view status;
  const GlobalFit& fit;
  std::string_view fit_name;
  /// In a field: momentum and derived quantities.
  double kappa = none, qop = none, p = none, charge = none, sigma_qop = none,
         sine = none, cot = none;
};

/// A hit of a fitted track.
struct ResidualRow {
  const FileTrack& track;
  std::int64_t number, line;
  std::string_view layer;
  const HitFit& fit;
  HitResidual residual;

  double at(int i) const { return fit.after.parameters[i]; }
  double sigma(int axis) const { return root(residual.covariance(axis, axis)); }
  double pull(int axis) const {
    return sigma(axis) > 0 ? residual.value[axis] / sigma(axis) : none;
  }
};

namespace {

constexpr std::string_view no_result = "no result";
constexpr std::string_view no_q = "no result, no field";
constexpr std::string_view no_momentum = "no result, no field, no curvature";
constexpr std::string_view not_measured = "not measured";

constexpr auto columns_of_fit = std::to_array<ColumnOf<FitRow>>({
    {{"event", "", "as in the file; only if the file has it"},
     [](const FitRow& r) -> std::string_view { return r.track.event; },
     event_column},
    {{"track", "", "as in the file"},
     [](const FitRow& r) -> std::string_view { return r.track.id; }},
    {{"line", "", "line of the file with the first hit of the track"},
     [](const FitRow& r) { return r.track.line; }},
    {{"n_hits", "",
      "hits of the track in the file; the beam spot does not count"},
     [](const FitRow& r) { return r.track.count + r.track.left_out; }},
    {{"p_GeV", "GeV", "momentum at the vertex", no_momentum},
     [](const FitRow& r) { return r.p; }},
    {{"pt_GeV", "GeV", "transverse momentum",
      "no result, no field, no curvature; along z"},
     [](const FitRow& r) { return r.p * r.sine; }},
    {{"charge", "e", "the particle's, with the measured sign", no_momentum},
     [](const FitRow& r) { return r.charge; }},
    {{"qop_per_GeV", "e/GeV", "q/p", no_q},
     [](const FitRow& r) { return r.qop; }},
    {{"d0_um", "um",
      "signed distance from the vertex (`--vertex`) at closest approach, as in "
      "[covariances](#covariances)",
      no_result},
     [](const FitRow& r) { return r.fit.perigee[Perigee::d0] / unit::um; }},
    {{"z0_um", "um", "z there, relative to the vertex", no_result},
     [](const FitRow& r) { return r.fit.perigee[Perigee::z0] / unit::um; }},
    {{"phi0_rad", "rad", "azimuth of the direction there, -pi to pi",
      no_result},
     [](const FitRow& r) { return r.fit.perigee[Perigee::phi]; }},
    {{"theta_rad", "rad", "its polar angle", no_result},
     [](const FitRow& r) { return r.fit.perigee[Perigee::theta]; }},
    {{"sigma_p_rel", "1",
      "one standard deviation of p over p, as in `scan`, at the fitted "
      "parameters, like all errors below",
      no_momentum},
     [](const FitRow& r) { return r.sigma_p_rel(); }},
    {{"sigma_pt_rel", "1", "of pT over pT",
      "no result, no field, no curvature; along z"},
     [](const FitRow& r) { return r.sigma_pt_rel(); }},
    {{"sigma_qop_per_GeV", "e/GeV", "of q/p", no_q},
     [](const FitRow& r) { return r.sigma_qop; }},
    {{"sigma_d0_um", "um", "of d0", no_result},
     [](const FitRow& r) { return r.sigma(Perigee::d0) / unit::um; }},
    {{"sigma_z0_um", "um", "of z0", no_result},
     [](const FitRow& r) { return r.sigma(Perigee::z0) / unit::um; }},
    {{"sigma_phi0_mrad", "mrad", "of phi0", no_result},
     [](const FitRow& r) { return r.sigma(Perigee::phi) / unit::mrad; }},
    {{"sigma_theta_mrad", "mrad", "of theta", no_result},
     [](const FitRow& r) { return r.sigma(Perigee::theta) / unit::mrad; }},
    {{"chi2", "1", "minimum of chi2", no_result},
     [](const FitRow& r) { return r.fit.chi2; }},
    {{"ndf", "", "degrees of freedom; 0 without a result"},
     [](const FitRow& r) { return r.fit.ndf; }},
    {{"chi2_per_ndf", "1", "their ratio", "no result, no degree of freedom"},
     [](const FitRow& r) {
       return r.fit.ndf > 0 ? r.fit.chi2 / r.fit.ndf : none;
     }},
    {{"chi2_probability", "1", "probability of a chi2 at least as large",
      "no result, no degree of freedom"},
     [](const FitRow& r) { return chi2_probability(r.fit.chi2, r.fit.ndf); }},
    {{"x_um", "um",
      "spectrometers and telescopes only: position at the z of the vertex",
      no_result},
     [](const FitRow& r) { return r.fit.start_plane[0] / unit::um; },
     beam_columns},
    {{"y_um", "um", "the same", no_result},
     [](const FitRow& r) { return r.fit.start_plane[1] / unit::um; },
     beam_columns},
    {{"tx", "1", "the same: slope dx/dz", no_result},
     [](const FitRow& r) { return r.fit.start_plane[2]; },
     beam_columns},
    {{"ty", "1", "the same: slope dy/dz", no_result},
     [](const FitRow& r) { return r.fit.start_plane[3]; },
     beam_columns},
    {{"sigma_x_um", "um", "their standard deviations", no_result},
     [](const FitRow& r) { return r.sigma_at_start(0) / unit::um; },
     beam_columns},
    {{"sigma_y_um", "um", "the same", no_result},
     [](const FitRow& r) { return r.sigma_at_start(1) / unit::um; },
     beam_columns},
    {{"sigma_tx_mrad", "mrad", "the same (1 mrad = 0.001)", no_result},
     [](const FitRow& r) { return r.sigma_at_start(2) / unit::mrad; },
     beam_columns},
    {{"sigma_ty_mrad", "mrad", "the same", no_result},
     [](const FitRow& r) { return r.sigma_at_start(3) / unit::mrad; },
     beam_columns},
    {{"p_ms_GeV", "GeV",
      "without field only: momentum estimated from the scattering of the track "
      "itself "
      "(maximum likelihood, hit errors included)",
      "`p_ms_status` is not `ok`"},
     [](const FitRow& r) {
       const auto& m = r.fit.scattering_momentum;
       return m && m->finite ? m->p : none;
     },
     momentum_columns},
    {{"sigma_p_ms_GeV", "GeV", "the same: its expected width",
      "`p_ms_status` is not `ok`"},
     [](const FitRow& r) {
       const auto& m = r.fit.scattering_momentum;
       return m && m->finite ? m->sigma : none;
     },
     momentum_columns},
    {{"p_ms_min_GeV", "GeV", "the same: its lower bound, 95 % confidence",
      no_result},
     [](const FitRow& r) {
       const auto& m = r.fit.scattering_momentum;
       return m ? m->lower_bound : none;
     },
     momentum_columns},
    {{"p_ms_status", "",
      "the same: `ok`, or `no finite estimate`: the kinks are compatible with "
      "hit errors only, and only the bound is valid",
      no_result},
     [](const FitRow& r) { return r.momentum_status(); },
     momentum_columns},
    {{"fit", "", "kind of fit"}, [](const FitRow& r) { return r.fit_name; }},
    {{"status", "",
      "`ok`, or the reason for missing numbers: [below](#status-of-fits)"},
     [](const FitRow& r) { return r.status; }},
});

constexpr auto columns_of_residuals = std::to_array<ColumnOf<ResidualRow>>({
    {{"event", "", "as in the file; only if the file has it"},
     [](const ResidualRow& r) -> std::string_view { return r.track.event; },
     event_column},
    {{"track", "", "as in the file"},
     [](const ResidualRow& r) -> std::string_view { return r.track.id; }},
    {{"hit", "", "number in order of flight from 1"},
     [](const ResidualRow& r) { return r.number; }},
    {{"line", "", "its line in the file"},
     [](const ResidualRow& r) { return r.line; }},
    {{"layer", "", "its layer"}, [](const ResidualRow& r) { return r.layer; }},
    {{"x_mm", "mm", "fitted position"},
     [](const ResidualRow& r) { return r.at(0); }},
    {{"y_mm", "mm", "the same"}, [](const ResidualRow& r) { return r.at(1); }},
    {{"z_mm", "mm", "the same"}, [](const ResidualRow& r) { return r.at(2); }},
    {{"residual_u_um", "um",
      "measured minus fitted position along the local axis u of the layer. The "
      "residual of a single rotated coordinate is listed for the nearer axis",
      not_measured},
     [](const ResidualRow& r) { return r.residual.value[0] / unit::um; }},
    {{"residual_v_um", "um", "the same along v", not_measured},
     [](const ResidualRow& r) { return r.residual.value[1] / unit::um; }},
    {{"sigma_residual_u_um", "um",
      "standard deviation, smaller than the error of the hit", not_measured},
     [](const ResidualRow& r) { return r.sigma(0) / unit::um; }},
    {{"sigma_residual_v_um", "um", "the same along v", not_measured},
     [](const ResidualRow& r) { return r.sigma(1) / unit::um; }},
    {{"pull_u", "1", "residual over its standard deviation",
      "not measured; scattering fits, which take hits as exact"},
     [](const ResidualRow& r) { return r.pull(0); }},
    {{"pull_v", "1", "the same along v",
      "not measured; scattering fits, which take hits as exact"},
     [](const ResidualRow& r) { return r.pull(1); }},
    {{"energy_loss_MeV", "MeV",
      "with `--energy-loss`: loss in the layer of the hit. With `straggling` "
      "it "
      "is fitted together with the track; for the first and last hit it is the "
      "expected loss"},
     [](const ResidualRow& r) { return r.fit.energy_loss / unit::MeV; },
     loss_columns},
    {{"sigma_energy_loss_MeV", "MeV", "its error"},
     [](const ResidualRow& r) { return r.fit.sigma_energy_loss / unit::MeV; },
     loss_columns},
});

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

std::vector<std::string> fit_column_names(const FitTableStyle& style) {
  return names_of(columns_of_fit, parts_of(style));
}

std::vector<DescribedColumn> described_fit_columns() {
  return described(columns_of_fit);
}
std::vector<DescribedColumn> described_residual_columns() {
  return described(columns_of_residuals);
}

FitTable::FitTable(FitTableStyle style, double b_ref, double charge,
                   std::string_view fit_name)
    : rows_(columns_of_fit, parts_of(style)),
      b_ref_(b_ref),
      charge_(std::abs(charge)),
      fit_name_(fit_name) {}

void FitTable::reserve(std::size_t rows) { rows_.reserve(rows); }

void FitTable::add_unfitted(const FileTrack& track, std::string_view status) {
  rows_.add({track, status, no_fit(), b_ref_, charge_, fit_name_});
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
  rows_.add({track, to_string(fit.status), fit, b_ref_, charge_, fit_name_});
  ++fitted_;
}

Table FitTable::take() && { return std::move(rows_).take(); }

ResidualTable::ResidualTable(FitTableStyle style, const Detector& detector,
                             const TrackingGeometry& geometry)
    : rows_(columns_of_residuals, parts_of(style)),
      detector_(detector),
      geometry_(geometry) {}

void ResidualTable::add(const FileTrack& track,
                        std::span<const MeasuredHit> hits,
                        const HitTrackBuilder& built, const GlobalFit& fit) {
  std::int64_t number = 0;
  for (const HitFit& f : fit.hits) {
    const int source = built.sources()[f.point];
    if (source < 0) continue;
    const auto i = static_cast<std::size_t>(source);
    const auto layer = static_cast<std::size_t>(built.layers()[i]);
    rows_.add({track, ++number, hits[i].line, detector_.layers[layer].name, f,
               residual_of(built.track().points[f.point], f,
                           geometry_.surfaces()[layer].user_axes())});
  }
}

Table ResidualTable::take() && { return std::move(rows_).take(); }

}  // namespace gttf
