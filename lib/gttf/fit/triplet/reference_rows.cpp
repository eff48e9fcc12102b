// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/reference_rows.hpp"

#include <algorithm>
#include <cmath>

#include "gttf/fit/track/perigee_transport.hpp"
#include "gttf/fit/triplet/segment.hpp"

namespace gttf::detail {

namespace {

using Rows = Eigen::Matrix<double, 2, 3>;  // d(theta, phi)/d(x, y, z)

Eigen::RowVector3d row(const Cartesian<double>& c) { return {c.x, c.y, c.z}; }

Eigen::Matrix<double, 3, 2> axes(const TripletPoint& c) {
  Eigen::Matrix<double, 3, 2> m;
  m << c.u, c.v;
  return m;
}

Segment<double> helix_arc(const TripletTrack& track, const TripletPoint& from,
                          const TripletPoint& to) {
  return make_segment(cartesian(from.position), cartesian(to.position),
                      0.5 * (to.turn - from.turn),
                      track.kappa / std::sin(track.theta));
}

InPlaneArc make_helix_arc(const TripletTrack& track, const TripletPoint& from,
                          const TripletPoint& to) {
  const Segment<double> s = helix_arc(track, from, to);
  const SegmentDerivatives<double> d = derivatives(s);
  Rows start, end;  // against end - start
  start << row(d.polar), row(d.azimuth_start);
  end << row(d.polar), row(d.azimuth_end);
  const auto wide = [](const Eigen::Matrix2d& m) { return m.cast<Wide>(); };
  return {.start_by_start = wide(-start * axes(from)),
          .start_by_end = wide(start * axes(to)),
          .end_by_start = wide(-end * axes(from)),
          .end_by_end = wide(end * axes(to)),
          .start_by_kappa = {Wide(d.polar_slope), Wide(-d.azimuth_slope)},
          .end_by_kappa = {Wide(d.polar_slope), Wide(d.azimuth_slope)},
          .length = s.length,
          .inverse_index = s.inverse_index};
}

/// From x_end = T x_start, x = (u, v, phi, theta, kappa): the direction at the
/// start for given points follows from the block that maps directions to
/// points.
InPlaneArc make_traced_arc(const TripletPoint& from, const TripletPoint& to) {
  using Matrix2 = InPlaneArc::Matrix2;
  using Vector2 = InPlaneArc::Vector2;
  const WideBlock<track_dim, track_dim> t =
      product<track_dim, track_dim, track_dim>(to.traced->local,
                                               inverse(from.traced->local));
  const auto block = [&t](int row, int column) {
    return Matrix2(t.block<2, 2>(row, column));
  };
  const auto by_kappa = [&t](int row) {
    return Vector2(t.block<2, 1>(row, 4));
  };
  const Matrix2 by_end = inverse<2>(block(0, 2)), turn = block(2, 2);
  // rows phi, theta
  const Matrix2 start_by_start = -product<2, 2, 2>(by_end, block(0, 0));
  const Vector2 start_by_kappa = -product<2, 2, 1>(by_end, by_kappa(0));
  const auto swapped = [](const auto& m) {
    return m.colwise().reverse().eval();
  };
  return {.start_by_start = swapped(start_by_start),
          .start_by_end = swapped(by_end),
          .end_by_start = swapped(
              (block(2, 0) + product<2, 2, 2>(turn, start_by_start)).eval()),
          .end_by_end = swapped(product<2, 2, 2>(turn, by_end)),
          .start_by_kappa = swapped(start_by_kappa),
          .end_by_kappa = swapped(
              (by_kappa(2) + product<2, 2, 1>(turn, start_by_kappa)).eval()),
          .length = to.traced->path - from.traced->path};
}

}  // namespace

TripletPoint start_crossing(const TripletTrack& track) {
  TripletPoint c{.position = track.start,
                 .turn = 0,
                 .u = {-std::sin(track.phi), std::cos(track.phi), 0},
                 .v = Vector3::UnitZ(),
                 .coordinates = track.start_coordinates,
                 .kink_variance = track.start_kink_variance,
                 .traced = {}};
  if (track.traced) {
    const double sine = std::sin(track.theta);
    c.traced.emplace();
    c.traced->inv_sin2 = 1 / (sine * sine);
  }
  return c;
}

InPlaneArc make_arc(const TripletTrack& track, const TripletPoint& from,
                    const TripletPoint& to) {
  return track.traced ? make_traced_arc(from, to)
                      : make_helix_arc(track, from, to);
}

WideBlock<track_dim, track_dim> perigee_jacobian(const TripletTrack& track,
                                                 const TripletPoint& crossing) {
  if (track.traced) return inverse(crossing.traced->local);
  const PerigeeOf<double> p = perigee_of(
      Helix<double>{cartesian(crossing.position) - cartesian(track.start),
                    track.theta, track.phi + crossing.turn, track.kappa});
  Matrix5 j = Matrix5::Identity();
  for (const int i : {Perigee::d0, Perigee::z0, Perigee::phi}) {
    const double(&by)[state_dim] = p.jacobian[i];
    j.block<1, 2>(i, 0) =
        row({by[StateIndex::x], by[StateIndex::y], by[StateIndex::z]}) *
        axes(crossing);
    j(i, OnSurface::phi) = by[StateIndex::phi];
    j(i, OnSurface::theta) = by[StateIndex::theta];
    j(i, OnSurface::qop) = by[StateIndex::kappa];
  }
  return j.cast<Wide>();
}

double inverse_sine_squared(const TripletTrack& track,
                            const TripletPoint& crossing) {
  if (track.traced) return crossing.traced->inv_sin2;
  const double sine = std::sin(track.theta);
  return 1 / (sine * sine);
}

}  // namespace gttf::detail

namespace gttf::detail {

namespace {

using Wide2 = WideBlock<2, 2>;

Block<Wide>& assign(Block<Wide>& block, const Wide2& m) {
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) block[r][c] = m(r, c);
  return block;
}

Wide2 identity() { return Eigen::Matrix2d::Identity().cast<Wide>(); }

bool is_same_place(const TripletPoint& a, const TripletPoint& b) {
  return (a.position - b.position).norm() <= same_place;
}

/// Whether all coordinates measure along the same direction.
bool are_parallel(const std::vector<TripletCoordinate>& coordinates) {
  const TripletCoordinate& first = coordinates.front();
  return std::ranges::all_of(coordinates, [&first](const TripletCoordinate& a) {
    constexpr double parallel = 1e-12;  // rad
    return !(abs(first.cosine * a.sine - first.sine * a.cosine) >
             Wide(parallel));
  });
}

/// Independent errors of the position within the surface. Coordinates that are
/// not orthogonal, or more than two, are combined by adding their information:
/// rows (cosine, sine)/sigma rotated into upper triangular form [a b; 0 d],
/// whose inverse has the errors as columns.
Wide2 combined_errors(const std::vector<TripletCoordinate>& coordinates) {
  Wide a(0), b(0), d2(0);
  for (const TripletCoordinate& axis : coordinates) {
    const Wide sigma = sqrt(Wide(axis.variance));
    const Wide x = axis.cosine / sigma, y = axis.sine / sigma;
    const Wide length = sqrt(a * a + x * x);
    if (!(length > Wide(0))) {
      d2 += y * y;
      continue;
    }
    const Wide c = a / length, s = x / length;
    const Wide rest = c * y - s * b;
    d2 += rest * rest;
    b = c * b + s * y;
    a = length;
  }
  const Wide d = sqrt(d2);
  Wide2 errors;
  errors << Wide(1) / a, -b / (a * d), Wide(0), Wide(1) / d;
  return errors;
}

}  // namespace

ReferenceRows::ReferenceRows(const TripletTrack& track, Errors errors,
                             double auxiliary_scale) {
  if (!track.start_coordinates.empty()) {
    crossings.push_back(start_crossing(track));
    surface_hit = 1;
  }
  crossings.insert(crossings.end(), track.crossings.begin(),
                   track.crossings.end());
  for (std::size_t i = 0; i < crossings.size(); ++i)
    if (crossings[i].measures()) hits.push_back({.crossing = i});
  if (hits.size() < 2) return;
  const std::size_t n_segments = hits.size() - 1;
  for (std::size_t k = 0; k < n_segments; ++k)
    arcs.push_back(make_arc(track, crossings[hits[k].crossing],
                            crossings[hits[k + 1].crossing]));
  for (std::size_t k = 0; k < hits.size(); ++k)
    set_errors(hits[k], errors,
               auxiliary_scale * arcs[std::min(k, n_segments - 1)].length);
  rows.resize(n_segments - 1);
  scattering2.resize(rows.size());
  for (std::size_t j = 0; j < rows.size(); ++j) set_row(track, j);
  sums.assign(n_segments, PassiveSums<Wide>{});
  if (errors == Errors::hits_only) return;
  for (std::size_t j = 0; j < rows.size(); ++j)
    scattering2[j] = Wide(crossings[hits[j + 1].crossing].kink_variance);
  for (std::size_t k = 0; k < n_segments; ++k) add_passive(track, k);
}

void ReferenceRows::set_errors(ReferenceHit& hit, Errors errors,
                               double auxiliary_sigma) {
  const auto& coordinates = crossings[hit.crossing].coordinates;
  hit.unmeasured = are_parallel(coordinates);
  if (hit.unmeasured) {
    double information = 0;
    for (const TripletCoordinate& a : coordinates)
      information += 1 / a.variance;
    const Wide sigma(1 / std::sqrt(information)), auxiliary(auxiliary_sigma);
    const TripletCoordinate& first = coordinates.front();
    hit.error << sigma * first.cosine, -(auxiliary * first.sine),
        sigma * first.sine, auxiliary * first.cosine;
  } else {
    hit.error = combined_errors(coordinates);
  }
  if (errors != Errors::scattering_only) return;
  hit.error.col(0).setZero();
  if (!hit.unmeasured) hit.error.col(1).setZero();
}

void ReferenceRows::set_row(const TripletTrack& track, std::size_t j) {
  const InPlaneArc &in = arcs[j], &out = arcs[j + 1];
  KinkRows<Wide>& row = rows[j];
  const InPlaneArc::Vector2 rho = out.start_by_kappa - in.end_by_kappa;
  const Wide2 by_hit[] = {-in.end_by_start, out.start_by_start - in.end_by_end,
                          out.start_by_end};
  for (int r = 0; r < 2; ++r) {
    row.psi[r] = Wide(0);
    row.rho[r] = rho[r];
  }
  for (std::size_t i = 0; i < 3; ++i)
    assign(row.shift[i], product<2, 2, 2>(by_hit[i], hits[j + i].error));
  row.inv_sin2 =
      Wide(inverse_sine_squared(track, crossings[hits[j + 1].crossing]));
}

void ReferenceRows::add_passive(const TripletTrack& track, std::size_t k) {
  const TripletPoint& before = crossings[hits[k].crossing];
  const TripletPoint& after = crossings[hits[k + 1].crossing];
  for (std::size_t i = hits[k].crossing + 1; i < hits[k + 1].crossing; ++i) {
    const TripletPoint& layer = crossings[i];
    if (!(layer.kink_variance > 0)) continue;
    Wide2 leaving = Wide2::Zero(), arriving = Wide2::Zero();
    // at one of the hits it turns the track only there
    if (is_same_place(layer, before)) {
      leaving = -identity();
    } else if (is_same_place(layer, after)) {
      arriving = identity();
    } else {
      const InPlaneArc in = make_arc(track, before, layer);
      const InPlaneArc out = make_arc(track, layer, after);
      // the crossing point shifts within the layer until the arcs join at the
      // kink; it is the end of the first arc and the start of the second
      const Wide2 shift =
          inverse<2>((out.start_by_start - in.end_by_end).eval());
      leaving = product<2, 2, 2>(in.start_by_end, shift);
      arriving = product<2, 2, 2>(out.end_by_start, shift);
    }
    const Wide variance(layer.kink_variance);
    const Wide variances[] = {
        variance, variance * Wide(inverse_sine_squared(track, layer))};
    Block<Wide> on_leaving, on_arriving;
    add_layer(assign(on_leaving, leaving), assign(on_arriving, arriving),
              variances, sums[k]);
  }
}

}  // namespace gttf::detail
