// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/layer_passage.hpp"

#include <algorithm>
#include <cmath>

#include "gttf/core/matrix.hpp"
#include "gttf/core/units.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf::detail {

Vector3 direction_of(const Track& track) {
  double cosine = std::cos(track.theta);
  if (std::abs(cosine) < 1e-12) cosine = 0;  // as Line does
  const double sine = std::sin(track.theta);
  return {sine * std::cos(track.phi), sine * std::sin(track.phi), cosine};
}

FlightState<track_dim> start_state(const Track& track, const Frame& frame,
                                   double b_ref) {
  FlightState<track_dim> s;
  const Vector3 direction = direction_of(track);
  s.position = Vector3(track.vertex[0], track.vertex[1], track.vertex[2]);
  s.direction = direction;
  s.qop = track.charge / track.p;
  const FrameAngles angles(frame, direction);
  s.d_position.col(Perigee::d0) = angles.along_phi;
  s.d_position.col(Perigee::z0) = frame.out_of({0, 0, 1});
  s.d_direction.col(Perigee::phi) = angles.sin_theta * angles.along_phi;
  s.d_direction.col(Perigee::theta) = angles.along_theta;
  if (b_ref != 0) s.d_qop[Perigee::kappa] = -1 / b_ref;
  return s;
}

Matrix5 inverse_map(const Matrix5& m, double distance) {
  // for a surface at the start, any length is suitable
  const double length = std::max(distance, 1 * unit::mm);
  const double unit[] = {1, 1, 1 / length, 1 / length, 1 / (length * length)};
  constexpr int n = track_dim;
  Matrix5 scaled;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) scaled(i, j) = m(i, j) * unit[j] / unit[i];
  Matrix5 result = inverse(scaled);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) result(i, j) = result(i, j) * unit[i] / unit[j];
  return result;
}

namespace {

class Passage {
 public:
  Passage(const PassedLayer& layer, const PassingTrack& track,
          const FlightState<track_dim>& s, const Vector3& bend,
          const Eigen::Matrix<double, 1, track_dim>& slip, TracedCrossing& x)
      : layer_(layer),
        track_(track),
        s_(s),
        bend_(bend),
        slip_(slip),
        normal_(layer.level.gradient(s.position)),
        x_(x) {}

  std::optional<BehindLayer> run() {
    x_.position = s_.position;
    x_.direction = s_.direction;
    x_.p = x_.p_scatter = track_.track.charge / s_.qop;
    x_.cos_incidence = std::abs(normal_.dot(s_.direction));
    x_.x_over_x0 = layer_.x_over_x0 / x_.cos_incidence;
    set_rows();
    if (track_.loss != EnergyLoss::off && !layer_.slabs.empty())
      return lose_energy();
    set_kinks(x_.on_surface[4]);
    return std::nullopt;
  }

 private:
  /// The momentum after a layer, p' = sqrt((E - loss)^2 - m^2), and its
  /// derivatives with respect to the momentum before it and to the incidence.
  BehindLayer lose_energy() {
    BehindLayer result;
    const Projectile projectile{track_.track.mass, track_.track.charge};
    const LayerLoss loss =
        energy_loss(layer_.slabs, projectile, x_.p, 1 / x_.cos_incidence);
    x_.energy_loss = loss.mean;
    x_.p_scatter = loss.p_scatter;
    const double m = projectile.rest_energy();
    const double energy = std::hypot(x_.p, m), behind = energy - loss.mean;
    result.stopped = loss.stopped || !(behind > m);
    if (result.stopped) {
      set_kinks(x_.on_surface[4]);
      return result;
    }
    const double p = std::sqrt((behind - m) * (behind + m));
    const double ratio = x_.p / p;
    const double slope = ratio * ratio * ratio * (behind / energy) *
                         loss.transmission;  // d(q/p')/d(q/p)
    const double qop = track_.track.charge / p;
    const double per_energy = -qop * behind / (p * p);  // d(q/p')/dE'
    // incidence 1/|n.t|; the normal of a cylinder depends on the point
    const Eigen::Matrix<double, 3, track_dim> moved =
        s_.d_position - s_.direction * slip_;
    const Eigen::Matrix<double, 1, track_dim> cosine =
        normal_.transpose() * s_.d_direction - normal_.dot(bend_) * slip_ +
        layer_.level.normal_turn(s_.position, s_.direction, moved);
    const double incidence = normal_.dot(s_.direction);
    const Eigen::Matrix<double, 1, track_dim> paths =
        -cosine / (incidence * std::abs(incidence));
    const Eigen::Matrix<double, 1, track_dim> d_qop =
        slope * s_.d_qop - per_energy * loss.per_path * paths;
    Row<double> kappa = x_.on_surface[4];
    if (track_.b_ref != 0)
      for (std::size_t i = 0; i < track_dim; ++i)
        kappa[i] = -track_.b_ref * d_qop[static_cast<int>(i)];
    set_kinks(kappa);
    if (track_.b_ref != 0)
      slow_kinks(-track_.b_ref * per_energy / (incidence * incidence), loss);
    x_.stretch.xi = loss.xi;  // its own, until all are known
    result.qop = qop;
    result.d_qop = d_qop;
    return result;
  }

  /// Effect of scattering angles on the loss in the rest of the layer.
  /// @param per_loss d(kappa after)/d(energy after)/cos^2(incidence)
  void slow_kinks(double per_loss, const LayerLoss& loss) {
    const FrameAngles angles(track_.frame, s_.direction);
    // d(paths) = -d(n.t)/(n.t)^2 for n along the flight
    const Vector3 ahead =
        normal_.dot(s_.direction) < 0 ? Vector3(-normal_) : normal_;
    const double by_theta = per_loss * ahead.dot(angles.along_theta);
    const double by_phi = per_loss * ahead.dot(angles.along_phi);
    for (std::size_t i = 0; i < track_dim; ++i) {
      x_.theta_kink[i] +=
          loss.per_path_behind_kink * by_theta * x_.loss_kink[i];
      x_.phi_kink[i] += loss.per_path_behind_kink * by_phi * angles.sin_theta *
                        x_.loss_kink[i];
    }
    const double rms = loss.per_path_behind_kink_rms;
    x_.kink_loss_variance =
        rms * rms * (by_theta * by_theta + by_phi * by_phi);  // per theta0^2
  }

  void set_rows() {
    const auto [u, v] = surface_axes(layer_.record, s_.position);
    const FrameAngles angles(track_.frame, s_.direction);
    const double inv_sin = 1 / angles.sin_theta;
    const auto set = [](Row<double>& row,
                        const Eigen::Matrix<double, 1, track_dim>& values) {
      std::copy_n(values.data(), track_dim, row.begin());
    };
    set(x_.on_surface[0],
        u.transpose() * s_.d_position - u.dot(s_.direction) * slip_);
    set(x_.on_surface[1],
        v.transpose() * s_.d_position - v.dot(s_.direction) * slip_);
    set(x_.on_surface[2],
        inv_sin * (angles.along_phi.transpose() * s_.d_direction -
                   angles.along_phi.dot(bend_) * slip_));
    set(x_.on_surface[3], angles.along_theta.transpose() * s_.d_direction -
                              angles.along_theta.dot(bend_) * slip_);
    if (track_.b_ref != 0)
      set(x_.on_surface[4], -track_.b_ref * s_.d_qop);
    else
      x_.on_surface[4] = {0, 0, 0, 0, 1};
    x_.inv_sin2 = inv_sin * inv_sin;
  }

  /// The columns of the inverse of d(u', v', phi, theta, kappa)/d(s) after the
  /// layer, where `kappa` is the last row.
  void set_kinks(const Row<double>& kappa) {
    x_.kappa_behind = kappa;
    Matrix5 m;
    for (std::size_t i = 0; i < track_dim; ++i)
      for (std::size_t j = 0; j < track_dim; ++j)
        m(static_cast<int>(i), static_cast<int>(j)) =
            (i < 4 ? x_.on_surface[i] : kappa)[j];
    const Matrix5 columns = inverse_map(m, x_.path);
    const auto set = [&](int row, Row<double>& kink) {
      for (std::size_t j = 0; j < track_dim; ++j)
        kink[j] = columns(static_cast<int>(j), row);
    };
    set(OnSurface::phi, x_.phi_kink);
    set(OnSurface::theta, x_.theta_kink);
    set(OnSurface::qop, x_.loss_kink);
  }

  const PassedLayer& layer_;
  const PassingTrack& track_;
  const FlightState<track_dim>& s_;
  const Vector3& bend_;
  const Eigen::Matrix<double, 1, track_dim>& slip_;
  Vector3 normal_;
  TracedCrossing& x_;
};

}  // namespace

std::optional<BehindLayer> pass_layer(
    const PassedLayer& layer, const PassingTrack& track,
    const FlightState<track_dim>& s, const Vector3& bend,
    const Eigen::Matrix<double, 1, track_dim>& slip, TracedCrossing& x) {
  return Passage(layer, track, s, bend, slip, x).run();
}

double loss_variance(std::span<const LossSlab> slabs, const PassingTrack& track,
                     const TracedCrossing& x) {
  if (slabs.empty()) return 0;
  const Projectile particle{track.track.mass, track.track.charge};
  const double m = particle.rest_energy();
  const double sigma = straggling(slabs, particle, x.p, 1 / x.cos_incidence,
                                  x.stretch, track.loss);
  // kappa = -q B_ref/p of the energy after the layer
  const double behind = std::hypot(x.p, m) - x.energy_loss;
  if (!(sigma > 0) || !(behind > m)) return 0;
  const double square = (behind - m) * (behind + m);
  const double per_energy =
      track.track.charge * track.b_ref * behind / (square * std::sqrt(square));
  return per_energy * per_energy * sigma * sigma;
}

}  // namespace gttf::detail
