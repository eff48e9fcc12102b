// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/layer_errors.hpp"

#include <algorithm>
#include <cmath>

namespace gttf {

bool is_at_layer(Parameter q) {
  return q != Parameter::pt && q != Parameter::d0 && q != Parameter::z0;
}

PerParameter errors_of(const Resolution& r) {
  if (!r.at) return sigmas(r);
  PerParameter s;
  s.values.fill(Resolution::none);
  s[Parameter::p] = r.at->sigma_p_rel;
  for (int i = 0; i < 4; ++i)
    s[start_plane_parameters[static_cast<std::size_t>(i)]] =
        std::sqrt(r.at->slopes(i, i));
  s[Parameter::phi0] =
      std::sqrt(r.at->covariance(OnSurface::phi, OnSurface::phi));
  s[Parameter::theta] =
      std::sqrt(r.at->covariance(OnSurface::theta, OnSurface::theta));
  return s;
}

}  // namespace gttf

namespace gttf::detail {

ParameterRows<double> parameter_rows_at(const AnyTrack& track, std::size_t k) {
  ParameterRows<double> rows;
  for (Row<double>& row : rows) row.fill(Resolution::none);
  const auto set = [&rows](Parameter q, const RowVector5& row) {
    std::copy_n(row.data(), track_dim,
                rows[static_cast<std::size_t>(q)].begin());
  };
  const Matrix5 on_surface = track.on_surface(k);
  const Matrix5 slopes = track.slopes_on_surface(k);
  for (int i = 0; i < 4; ++i)
    set(start_plane_parameters[static_cast<std::size_t>(i)], slopes.row(i));
  set(Parameter::phi0, on_surface.row(OnSurface::phi));
  set(Parameter::theta, on_surface.row(OnSurface::theta));
  RowVector5 p = RowVector5::Zero();
  if (track.fits_momentum()) {
    const double kappa =
        -track.track().charge * track.b_ref() / track.crossing(k).p;
    p = -on_surface.row(OnSurface::qop) / kappa;
  }
  set(Parameter::p, p);
  return rows;
}

}  // namespace gttf::detail
