// SPDX-License-Identifier: Apache-2.0
// AtColumns: the columns of the track at a layer.
#pragma once

#include "gttf/core/table.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// "ok", "not crossed" or "not determined"; empty without a resolution.
std::string_view at_status(const Resolution& r);

/// Columns at_layer, at_status, p_at_GeV, sigma_u_at_um, sigma_v_at_um,
/// sigma_tu_at_mrad, sigma_tv_at_mrad, sigma_phi_at_mrad, sigma_theta_at_mrad,
/// sigma_p_at_rel.
class AtColumns {
 public:
  /// @param wanted  false: no columns at all
  explicit AtColumns(bool wanted) : wanted_(wanted) {}
  void add(const StudyRequest& request, const Resolution& r);
  /// Puts the columns at the end of `table`.
  void move_to(Table& table) &&;

 private:
  bool wanted_;
  Texts layer_, status_;
  Reals p_, u_, v_, tu_, tv_, phi_, theta_, p_rel_;
};

}  // namespace gttf
