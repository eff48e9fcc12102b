// SPDX-License-Identifier: Apache-2.0
// KinkedHelix: the reference of the streaming fit and its derivatives.
#pragma once

#include <vector>

#include "gttf/fit/detail/helix.hpp"
#include "gttf/fit/fit_status.hpp"
#include "gttf/trajectory/derivatives.hpp"

namespace gttf::detail {

/// Rows (across, vertical, phi) of a point against the five parameters of the
/// line at the start: displacement along the left normal of the direction and
/// along z, with the part along the track slid away.
using LineTransport = Eigen::Matrix<double, 3, 5>;

/// One crossing of the reference.
struct Node {
  std::size_t point = 0;  ///< index in TrackHits::points
  Helix before, after;    ///< after: with its kink
  double arc = 0;         ///< transverse arc from the node before
  SurfaceAxes axes;
  double kink_theta = 0, kink_phi = 0;
  LineTransport transport_before, transport_after;
  Kink<double> columns;  ///< of the kinks, in start parameters
  double variance_theta = 0, variance_phi = 0;  ///< of the kinks
};

/// Position, then (theta, phi), of a state on its surface against the start
/// parameters (d0, z0, phi, theta, kappa).
Eigen::Matrix<double, 5, 5> surface_derivatives(const Node& node,
                                                const Helix& at,
                                                const LineTransport& transport);

/// A helix that is kinked at every node.
class KinkedHelix {
 public:
  /// Crossings from the first to the last measured point, in order.
  FitStatus start(const TrackHits& track, const Helix& first);

  /// Follows the helix from the start through all surfaces with the kinks of
  /// the nodes; makes the transports.
  FitStatus follow(const TrackHits& track);

  /// Derivative of a coordinate at a node.
  Row<double> row(const Node& node, const CoordinateAxis& axis) const;

  Helix& first() { return first_; }
  const Helix& first() const { return first_; }
  std::vector<Node>& nodes() { return nodes_; }
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  Helix first_;
  std::vector<Node> nodes_;
};

}  // namespace gttf::detail
