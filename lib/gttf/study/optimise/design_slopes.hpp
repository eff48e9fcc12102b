// SPDX-License-Identifier: Apache-2.0
// DesignSlopes: from derivatives with respect to the numbers of a design to
// those with respect to the variables of a search.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "gttf/resolution/batch_sigmas.hpp"
#include "gttf/study/optimise/design_space.hpp"

namespace gttf {

/// How the numbers of a design change with the variables.
class DesignSlopes {
 public:
  /// @param by_variable  a row for each number, a column for each variable
  DesignSlopes(const DesignNumbers& design, const Eigen::MatrixXd& by_variable);
  DesignSlopes(const DesignSlopes&) = delete;
  DesignSlopes& operator=(const DesignSlopes&) = delete;

  std::size_t n_variables() const { return ends_.size(); }
  /// The derivatives that are needed. Valid as long as this object.
  SlopeKinds kinds() const { return kinds_; }
  /// Whether batches have all of them.
  bool in_batches() const { return in_batches_; }
  /// Whether a variable changes an efficiency.
  bool of_efficiencies() const { return of_efficiencies_; }

  /// Sums over the numbers that a variable changes, for all variables.
  template <class ByNumber>
  Eigen::VectorXd by_variables(const ByNumber& by_number) const {
    Eigen::VectorXd slope =
        Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_variables()));
    std::size_t i = 0;
    for (std::size_t v = 0; v < n_variables(); ++v)
      for (; i < ends_[v]; ++i)
        slope[static_cast<Eigen::Index>(v)] +=
            list_[i].slope * by_number(list_[i].number);
    return slope;
  }

  /// d(sigma^2)/d(variable): a row for each track, a column for each variable.
  /// @param layers  where each layer of the design is in the geometry; empty:
  ///                at the same place
  Eigen::MatrixXd variance_slopes(const BatchSensitivities& list, Parameter q,
                                  std::size_t n_tracks,
                                  const DesignNumbers& design,
                                  const TrackingGeometry& geometry,
                                  std::span<const std::size_t> layers) const;

 private:
  std::vector<NumberSlope> list_;  ///< of the first variable, then the next
  std::vector<std::size_t> ends_;  ///< of each variable in the list
  std::vector<char> layers_;       ///< of kinds_
  SlopeKinds kinds_{false, false, false, {}};
  bool in_batches_ = true, of_efficiencies_ = false;
};

}  // namespace gttf
