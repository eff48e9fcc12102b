// SPDX-License-Identifier: Apache-2.0
// StreamedFit: the streaming fit of data around a reference, for one track or
// one track per vector element.
#pragma once

#include <vector>

#include "gttf/fit/streaming/split_column.hpp"
#include "gttf/fit/streaming/stream.hpp"
#include "gttf/fit/track/batch_outcome.hpp"

namespace gttf::detail {

/// Linear fits around a reference, which is moved to the fitted track after
/// each fit. A Reference (KinkedHelix, KinkedTrajectory) is a source of
/// crossings, whose coordinates are each a DataCoordinate, and has
///
///   Scalar
///   size(), node(k)    nodes with kinks, their changes so_far, gain, offset
///   has_kinks()        called when a change of a node was updated
///   has_field()
template <class Reference>
class StreamedFit : public AnyFit {
 public:
  using S = typename Reference::Scalar;

  explicit StreamedFit(Reference& reference) : reference_(reference) {}

  /// Equations, line, gains.
  /// @param on_outside  called with the number of a node and the equations
  ///                    about the line outside of it
  template <class OnOutside>
  [[gnu::flatten]] void solve(BatchOutcome<S>& outcome,
                              OnOutside&& on_outside) {
    split_ = {};
    split_column_ = {};
    n_coordinates_ = 0;
    Observer<OnOutside> observer{{}, split_, on_outside};
    stream_inwards(reference_, 0, reference_.size(), observer, *this);
    equations_ = split_.whole();
    column_ = split_column_.whole();
    if (!reference_.has_field()) forbid_curvature(equations_, column_);
    outcome.require(is_determined(equations_), FitStatus::not_determined);
    line_ = gttf::solve(equations_, column_);
    outcome.require(is_finite(column_.chi2 + line_[0]),
                    FitStatus::not_converged);
  }
  void solve(BatchOutcome<S>& outcome) {
    solve(outcome, [](std::size_t, const FiveEquations<S>&) {});
  }

  /// Sets the changes of the reference to the fitted ones.
  /// @param on_change called with a node and the step of its changes
  template <class OnChange>
  [[gnu::flatten]] void move_kinks(OnChange&& on_change) {
    Row<S> line = line_;
    for (std::size_t k = 0; k < reference_.size(); ++k) {
      if (!reference_.scatters(k)) continue;
      auto& n = reference_.node(k);
      const auto rest = pass_kinks(n.kinks, n.gain, n.offset, line);
      for (std::size_t i = 0; i < rest.size(); ++i)
        n.so_far[i] = n.so_far[i] + rest[i];
      reference_.has_kinks();
      on_change(n, rest);
    }
  }
  void move_kinks() {
    move_kinks([](const auto&, const auto&) {});
  }

  /// Fitted minus reference at the start.
  const Row<S>& line() const { return line_; }
  const FiveEquations<S>& equations() const { return equations_; }
  const S& chi2() const { return column_.chi2; }
  /// Whether the last step has moved the curvature by at most its standard
  /// deviation, times sqrt(chi2/n) if the errors are too small. If not, the
  /// reference was too far away for a linear fit.
  MaskOf<S> is_linear() const {
    const S n(static_cast<double>(n_coordinates_)), v = equations_.v[4];
    const S moved2 = line_[4] * line_[4];
    return either(moved2 <= v, n * moved2 <= v * column_.chi2);
  }

  template <class Kinks>
  void on_kinks(std::size_t k, const Kinks& kinks) {
    auto& n = reference_.node(k);
    scatter(split_, split_column_, kinks, n.so_far, n.gain, n.offset);
  }
  void on_coordinates(std::size_t, const DataCoordinate<S>& c) {
    measure(split_, split_column_, c.row, c.residual, c.variance);
    ++n_coordinates_;
  }

 private:
  template <class OnOutside>
  struct Observer : AnyFit {
    const SplitEquations<S>& equations;
    OnOutside& callback;
    void on_outside(std::size_t k) { callback(k, equations.whole()); }
  };

  Reference& reference_;
  SplitEquations<S> split_;  ///< during the pass
  SplitColumn<S> split_column_;
  FiveEquations<S> equations_;
  ResidualColumn<S> column_;
  Row<S> line_{};
  int n_coordinates_ = 0;
};

/// Information of all hits about the line before and after the layers of a
/// reference, in the outward pass.
/// @tparam OnNode  called with the number of a node that measures and with the
///                 equations before and after its layer
template <class Reference, class OnNode>
class SmoothedLines : public AnyFit {
 public:
  using Equations = FiveEquations<double>;

  /// @param outer  about the line outside of each node, from solve()
  SmoothedLines(const Reference& reference, const std::vector<Equations>& outer,
                OnNode& on_node)
      : reference_(reference), outer_(outer), on_node_(on_node) {}

  void on_inside(std::size_t k) {
    before_ = inside_;
    behind_ = outer_[k];
    measures_ = false;
  }
  void on_coordinates(std::size_t, const DataCoordinate<double>& c) {
    measures_ = true;
    for (Equations* e : {&inside_, &before_})
      measure<ZeroVariance::excluded>(*e, c.row, c.variance);
  }
  template <class Kinks>
  void on_kinks(std::size_t, const Kinks& kinks) {
    for (Equations* e : {&inside_, &behind_})
      scatter<ZeroVariance::excluded, false>(*e, kinks);
  }
  void on_outside(std::size_t k) {
    if (!measures_) return;
    Equations after = inside_;
    join(before_, behind_);
    join(after, outer_[k]);
    if (!reference_.has_field()) before_.v[4] = after.v[4] = 0;
    on_node_(k, before_, after);
  }

 private:
  const Reference& reference_;
  const std::vector<Equations>& outer_;
  OnNode& on_node_;
  Equations inside_;  ///< information of the previous nodes
  Equations before_, behind_;
  bool measures_ = false;
};

template <class Reference, class OnNode>
void smooth(const Reference& reference,
            const std::vector<FiveEquations<double>>& outer, OnNode&& on_node) {
  SmoothedLines<Reference, OnNode> lines(reference, outer, on_node);
  stream_outwards(reference, 0, reference.size(), lines);
}

}  // namespace gttf::detail
