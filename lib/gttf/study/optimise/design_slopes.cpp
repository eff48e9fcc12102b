// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/design_slopes.hpp"

#include <span>

namespace gttf {
namespace {

/// The derivatives of all tracks with respect to a number; empty: there are
/// none.
/// @param layer  of the number, in the geometry
std::span<const double> slopes_by(const BatchSensitivities& list, Parameter q,
                                  const DesignNumbers& design,
                                  const DesignNumber& number, std::size_t layer,
                                  const TrackingGeometry& g) {
  using Kind = DesignNumber::Kind;
  switch (number.kind) {
    case Kind::position:
      return list.by_position(q, layer);
    case Kind::x_over_x0:
      return list.by_material(q, layer);
    case Kind::sigma: {
      const SurfaceRecord& s = g.surfaces()[layer];
      const auto axis = design.axis_of(number.layer, number.part);
      if (!axis || *axis >= s.n_axes) return {};
      return list.by_sigma(q, s.first_axis + *axis);
    }
    default:
      return {};
  }
}

}  // namespace

DesignSlopes::DesignSlopes(const DesignNumbers& design,
                           const Eigen::MatrixXd& by_variable) {
  using Kind = DesignNumber::Kind;
  layers_.assign(design.detector().layers.size(), 0);
  kinds_.layers = layers_;
  for (Eigen::Index v = 0; v < by_variable.cols(); ++v) {
    for (std::size_t k = 0; k < design.size(); ++k) {
      const double slope = by_variable(static_cast<Eigen::Index>(k), v);
      if (slope == 0) continue;
      list_.push_back({k, slope});
      const Kind kind = design[k].kind;
      in_batches_ = in_batches_ && kind != Kind::angle && kind != Kind::field;
      of_efficiencies_ = of_efficiencies_ || kind == Kind::efficiency;
      kinds_.others = kinds_.others || kind == Kind::field;
      if (design[k].layer != DesignNumber::none) layers_[design[k].layer] = 1;
      kinds_.position = kinds_.position || kind == Kind::position;
      kinds_.material = kinds_.material || kind == Kind::x_over_x0;
    }
    ends_.push_back(list_.size());
  }
}

Eigen::MatrixXd DesignSlopes::variance_slopes(
    const BatchSensitivities& list, Parameter q, std::size_t n_tracks,
    const DesignNumbers& design, const TrackingGeometry& geometry,
    std::span<const std::size_t> layers) const {
  Eigen::MatrixXd sum =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n_tracks),
                            static_cast<Eigen::Index>(n_variables()));
  std::size_t i = 0;
  for (std::size_t v = 0; v < n_variables(); ++v)
    for (; i < ends_[v]; ++i) {
      const DesignNumber& number = design[list_[i].number];
      if (number.layer == DesignNumber::none) continue;
      const std::size_t layer =
          layers.empty() ? number.layer : layers[number.layer];
      if (layer == DesignNumber::none) continue;
      const std::span<const double> row =
          slopes_by(list, q, design, number, layer, geometry);
      if (!row.empty())
        sum.col(static_cast<Eigen::Index>(v)) +=
            list_[i].slope *
            Eigen::Map<const Eigen::VectorXd>(row.data(), sum.rows());
    }
  return sum;
}

}  // namespace gttf
