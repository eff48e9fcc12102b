// SPDX-License-Identifier: Apache-2.0
// Attributions as table, document and text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/study/compare/attribution.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf {

/// How much of a change of ln(sigma) a share is, 1 being all of it; NaN if
/// there is no change but for rounding.
double part_of(double share, double total);

/// "+12.3 %", "-0.05 %": the change of sigma for a change of ln(sigma).
std::string change_text(double change_of_ln);

/// Columns: those of the point, design, parameter, part ("key", "remainder",
/// "total"), key, before, after, line, change_of_ln_sigma, share (of the
/// total), method ("gradient" or "exact").
class AttributionTable {
 public:
  void add(const Detector& after, const StudyRequest& request, GridPoint point,
           std::string_view design, Parameter q, const Attribution& a);
  std::size_t rows() const { return point_.rows(); }
  Table take() &&;

 private:
  void add_part(std::string_view part, const KeyChange& change, double total);

  PointColumns point_;
  Texts design_, parameter_, part_, key_, before_, after_, method_;
  Integers line_;
  Reals change_, share_;
};

/// {parameter, total, remainder, changes: [{key, before, after, line, column,
/// change_of_ln_sigma, share, method}]}.
Document attribution_document(Parameter q, const Attribution& a);

/// What people read: the keys that matter (above 0.05 % of the change), up to
/// `most`, what the others do together, and the remainder. Long values are cut.
Section attribution_section(std::string title, Parameter q,
                            const Attribution& a, std::size_t most = 15);

}  // namespace gttf
