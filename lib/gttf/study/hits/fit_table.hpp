// SPDX-License-Identifier: Apache-2.0
// FitTable: rows of fitted tracks and of their residuals.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/columns.hpp"
#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/study/hits/hit_file.hpp"
#include "gttf/study/hits/hit_track.hpp"

namespace gttf {

/// Options of the tables of a fit.
struct FitTableStyle {
  bool events = false;  ///< with columns for them
  bool along_beam =
      false;              ///< with position and slopes, see is_beam_detector()
  bool losses = false;    ///< with the energy losses of hits
  bool momentum = false;  ///< with momentum from scattering, if straight
};

/// Whether the tracks of a detector run along the beam of a spectrometer or
/// telescope: a dipole field, or only planes normal to z without field or in a
/// mapped field whose main direction is not z.
bool is_beam_detector(const Detector& detector);

/// Whether a fit is written as a result. Not if it failed, or if it has no
/// valid errors, e.g. for hits far from any track.
bool is_result(const GlobalFit& fit);

inline constexpr FitTableStyle all_fit_columns{
    .events = true, .along_beam = true, .losses = true, .momentum = true};

/// Names of the columns of tracks.
std::vector<std::string> fit_column_names(const FitTableStyle& style);

/// All columns of tracks and of residuals.
std::vector<DescribedColumn> described_fit_columns();
std::vector<DescribedColumn> described_residual_columns();

struct FitRow;
struct ResidualRow;

/// Collects one row for each track; columns as in docs/reference/columns.md.
class FitTable {
 public:
  /// b_ref in GeV/(e mm), charge in e, its sign is ignored.
  FitTable(FitTableStyle style, double b_ref, double charge,
           std::string_view fit_name);

  void reserve(std::size_t rows);
  /// A track with its fit; without valid errors it is written as
  /// `singular`.
  void add(const FileTrack& track, const GlobalFit& fit);
  /// A track that was not fitted.
  void add_unfitted(const FileTrack& track, std::string_view status);

  std::size_t rows() const { return rows_.rows(); }
  /// Rows with a result.
  std::size_t fitted() const { return fitted_; }

  Table take() &&;

 private:
  RowTable<FitRow> rows_;
  double b_ref_, charge_;
  std::string fit_name_;
  std::size_t fitted_ = 0;
};

/// Collects one row for each hit of a fitted track.
class ResidualTable {
 public:
  ResidualTable(FitTableStyle style, const Detector& detector,
                const TrackingGeometry& geometry);

  void add(const FileTrack& track, std::span<const MeasuredHit> hits,
           const HitTrackBuilder& built, const GlobalFit& fit);

  Table take() &&;

 private:
  RowTable<ResidualRow> rows_;
  const Detector& detector_;
  const TrackingGeometry& geometry_;
};

}  // namespace gttf
