// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/at_columns.hpp"

#include <cmath>
#include <utility>

namespace gttf {

std::string_view at_status(const Resolution& r) {
  if (!r.at) return "";
  if (!r.at->crossed) return "not crossed";
  return r.at->exists ? "ok" : "not determined";
}

void AtColumns::add(const StudyRequest& request, const Resolution& r) {
  if (!wanted_) return;
  layer_.push_back(request.at ? request.at->layer : "");
  status_.emplace_back(at_status(r));
  const auto sigma = [&r](const Matrix5 StateAtLayer::*matrix, int i,
                          double unit) {
    return r.at ? std::sqrt(((*r.at).*matrix)(i, i)) / unit : Resolution::none;
  };
  constexpr auto slopes = &StateAtLayer::slopes;
  constexpr auto angles = &StateAtLayer::covariance;
  p_.push_back(r.at && r.at->crossed ? r.crossings[r.at->crossing].p
                                     : Resolution::none);
  u_.push_back(sigma(slopes, OnSurface::u, unit::um));
  v_.push_back(sigma(slopes, OnSurface::v, unit::um));
  tu_.push_back(sigma(slopes, OnSurface::phi, unit::mrad));
  tv_.push_back(sigma(slopes, OnSurface::theta, unit::mrad));
  phi_.push_back(sigma(angles, OnSurface::phi, unit::mrad));
  theta_.push_back(sigma(angles, OnSurface::theta, unit::mrad));
  p_rel_.push_back(r.at ? r.at->sigma_p_rel : Resolution::none);
}

void AtColumns::move_to(Table& table) && {
  if (!wanted_) return;
  table.add("at_layer", std::move(layer_));
  table.add("at_status", std::move(status_));
  table.add("p_at_GeV", std::move(p_));
  table.add("sigma_u_at_um", std::move(u_));
  table.add("sigma_v_at_um", std::move(v_));
  table.add("sigma_tu_at_mrad", std::move(tu_));
  table.add("sigma_tv_at_mrad", std::move(tv_));
  table.add("sigma_phi_at_mrad", std::move(phi_));
  table.add("sigma_theta_at_mrad", std::move(theta_));
  table.add("sigma_p_at_rel", std::move(p_rel_));
}

}  // namespace gttf
