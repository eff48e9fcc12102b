// SPDX-License-Identifier: Apache-2.0
// LayerSteps: derivatives of variances with respect to positions and material
// of the layers of a traced track, in a time proportional to their number.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/batch_sigmas.hpp"
#include "gttf/resolution/variance_slopes.hpp"
#include "gttf/trajectory/layer_passage.hpp"

namespace gttf::detail {

/// How far a number of a layer may change until the crossing `x` with it
/// reaches the face of a dipole, where the bend changes. On a face, the layer
/// may move out of the dipole only.
/// @param rate  of the motion of the layer along its normal there
Interval range_between_faces(const TrackingGeometry& geometry,
                             const TracedCrossing& x, double rate);

/// A traced track as a chain of steps. Step k leads from the plane normal to
/// the track after crossing k - 1, or from the start, to crossing k and on to
/// the next plane. It is a function of five numbers, point, direction and
/// kappa on the first plane, and of position and thickness of its layer:
///
///   z_k+1 = f_k(z_k, layer k),   F_k = df_k/dz_k,   M_k = F_k-1 ... F_0
///
/// The rows of coordinates are r_k M_k, the columns of kinks M_k^-1 b_k, where
/// r_k and b_k are functions of one step. Their derivatives, and those of
/// f_k and F_k, are differences of single steps. One pass inwards sums up the
/// effect of each layer on all further steps.
/// Source: docs/theory/sensitivity.md, traced tracks
class LayerSteps {
 public:
  LayerSteps(const AnyTrack& track, const Model& model);

  /// Of one parameter, the factor of a change of the row of a coordinate.
  void add_row(std::size_t k, const UserDirection& axis, std::size_t q,
               const Row<double>& factor);
  /// The kinks of crossing k contribute
  ///
  ///   w (mu.b_theta)^2 + w_phi (mu.b_phi)^2 + w_loss (mu.b_loss)^2
  ///
  /// to the variance of a parameter.
  /// @param theta, phi, loss  mu.b
  void add_kinks(std::size_t k, std::size_t q, const Row<double>& mu,
                 double theta, double phi, double loss);

  /// After all rows and kinks. Slopes that do not exist are NaN.
  void set_slopes(const SlopeKinds& kinds, std::vector<LayerSlopes>& slopes);

 private:
  // results of a step
  static constexpr int map = 0, arrival = map + track_dim * track_dim,
                       rows = arrival + track_dim, theta = rows + 2 * track_dim,
                       phi = theta + track_dim, loss = phi + track_dim,
                       w = loss + track_dim, w_phi = w + 1, w_loss = w_phi + 1,
                       x_over_x0 = w_loss + 1, xi = x_over_x0 + 1,
                       n_results = xi + 1;
  using Results = Eigen::Matrix<double, n_results, 1>;
  /// d(variance)/d(results) of every parameter.
  using Weights = Eigen::Matrix<double, n_results, int{n_parameters}>;
  using Vector = Eigen::Matrix<double, track_dim, 1>;
  using PerLine = Eigen::Matrix<double, track_dim, int{n_parameters}>;

  /// The first number is that of z_k.
  enum Variable {
    point_1,
    point_2,
    azimuth,
    polar,
    kappa,
    position,
    thickness,
    about_u,
    about_v,
    about_normal
  };

  /// The plane on which a step begins.
  struct Plane {
    Vector3 point, normal;  ///< the normal is the direction of the track
    Vector3 axis_1, axis_2;
    double phi = 0, theta = 0, qop = 0;  ///< of the track there
    double ahead = 0;  ///< path after the crossing before it, mm
  };

  FlightState<track_dim> start_of(std::size_t k, Variable v, double by) const;
  /// @param last  the plane on which it ends; null: not of interest
  std::optional<Results> step(std::size_t k, Variable v, double by,
                              const Plane* last, Plane* own_last) const;
  Plane plane_at(const FlightState<track_dim>& s) const;
  double plane_ahead(std::size_t k, const FlightState<track_dim>& s) const;
  std::optional<Results> slope(std::size_t k, Variable v) const;
  double step_size(std::size_t k, Variable v) const;
  Interval range(std::size_t k, Variable v) const;
  void add_common(std::vector<Weights>& weights) const;
  PassingTrack passing() const {
    return {track_.track(), frame_, b_ref_, model_.loss};
  }
  static Matrix5 map_of(const Results& r);
  static PlaneAxis axis_of(Variable rotation) {
    return static_cast<PlaneAxis>(rotation - about_u);
  }

  const AnyTrack& track_;
  const Model& model_;
  const TrackingGeometry& geometry_;
  const std::vector<TracedCrossing>& list_;
  Frame frame_;
  double b_ref_;               ///< 1 without field: momenta change nevertheless
  bool loses_energy_;          ///< otherwise a layer does not affect the track
  std::vector<Plane> planes_;  ///< of every step
  std::vector<Results> results_;   ///< of every step, up to the last hit
  std::vector<Matrix5> maps_;      ///< M_k
  std::vector<Matrix5> inverses_;  ///< M_k^-1
  std::vector<Weights> weights_;
};

}  // namespace gttf::detail
