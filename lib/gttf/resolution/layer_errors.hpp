// SPDX-License-Identifier: Apache-2.0
// Errors of a track at a layer, as parameters.
#pragma once

#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"

namespace gttf {

/// Whether `q` is a parameter of a track at a layer: p, phi0, theta are
/// momentum and direction there; x, y, tx, ty stand for u, v and the slopes
/// along them.
bool is_at_layer(Parameter q);

/// sigmas(), or those at the layer of Model::at if it was given; native units,
/// NaN: none.
PerParameter errors_of(const Resolution& resolution);

}  // namespace gttf

namespace gttf::detail {

/// The parameters at crossing k, before the layer, as linear functions of the
/// line at the start; NaN for those that are not parameters at a layer.
ParameterRows<double> parameter_rows_at(const AnyTrack& track, std::size_t k);

}  // namespace gttf::detail
