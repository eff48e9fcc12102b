// SPDX-License-Identifier: Apache-2.0
// FitTable: rows of fitted tracks and of their residuals.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "gttf/core/table.hpp"
#include "gttf/fit/global_fit.hpp"
#include "gttf/study/hit_track.hpp"

namespace gttf {

/// Collects one row for each track; columns as in docs/reference/columns.md.
class FitTable {
 public:
  /// `events`: whether there is a column for them. bz in GeV/(e mm), charge in
  /// e, its sign does not matter.
  FitTable(bool events, double bz, double charge, std::string_view fit_name);

  void reserve(std::size_t rows);
  /// A track with its fit. One without sound errors, as hits far from any track
  /// give, is written as `singular`.
  /// Returns whether it has a result.
  bool add(const FileTrack& track, const GlobalFit& fit);
  /// A track that was not fitted.
  void add_unfitted(const FileTrack& track, std::string_view status);

  std::size_t rows() const { return id_.size(); }
  /// Rows with a result.
  std::size_t fitted() const { return fitted_; }

  Table take() &&;

 private:
  void add_head(const FileTrack& track, std::string_view status);

  static constexpr std::size_t n_numbers = 18;

  bool events_;
  double bz_, charge_;
  std::string fit_name_;
  Texts event_, id_, status_;
  Integers line_, n_hits_, ndf_;
  std::array<Reals, n_numbers> numbers_;
  std::size_t fitted_ = 0;
};

/// Collects one row for each hit of a fitted track.
class ResidualTable {
 public:
  ResidualTable(bool events, const Detector& detector,
                const TrackingGeometry& geometry);

  void add(const FileTrack& track, std::span<const FileHit> hits,
           const HitTrackBuilder& built, const GlobalFit& fit);

  Table take() &&;

 private:
  bool events_;
  const Detector& detector_;
  const TrackingGeometry& geometry_;
  Texts event_, id_, layer_;
  Integers number_, line_;
  std::array<Reals, 9> numbers_;
};

}  // namespace gttf
