// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/triplet_covariance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/triplet/square_root_fit.hpp"

namespace gttf {

namespace {

using namespace detail;

/// What is required of a covariance.
enum class Precision {
  checked,  ///< doubles give it
  limited,  ///< it is more than rounding in twice their precision
  any       ///< it exists
};

/// Least remainder of the information on a parameter after elimination of the
/// others.
double least_information(Precision precision, std::size_t n_hits) {
  // Only rounding for a dependent parameter, otherwise at least the lever arm
  // of an unmeasured coordinate relative to the size of the detector.
  constexpr double rounding = 1e-20;
  // Covariances were found to change by the rounding of doubles, times the root
  // of the number of hits, over the root of the remainder.
  constexpr double accuracy = 1e-12,
                   lost = std::numeric_limits<double>::epsilon() / accuracy;
  switch (precision) {
    case Precision::checked:
      return lost * lost * static_cast<double>(n_hits) / 4;
    case Precision::limited:
      return rounding;
    default:
      return 0;
  }
}

template <class S>
Matrix5 rounded(const Eigen::Matrix<S, track_dim, track_dim>& c) {
  Matrix5 m;
  for (int i = 0; i < track_dim; ++i)
    for (int k = 0; k < track_dim; ++k) m(i, k) = static_cast<double>(c(i, k));
  return m;
}

template <class S>
Eigen::Matrix<S, track_dim, track_dim> identity() {
  return Matrix5::Identity().cast<S>();
}

/// Contribution of a layer without hits inside it to the perigee parameters.
Matrix5 added_by(const TripletTrack& track, const TripletPoint& layer) {
  Eigen::Matrix<double, track_dim, 3> columns;
  if (track.traced) {
    const KinkColumns& kinks = layer.traced->kinks;
    for (int c = 0; c < 3; ++c)
      columns.col(c) =
          std::sqrt(kinks.variances[c]) * kinks.columns.col(c).cast<double>();
    if (!track.fit_kappa) columns.row(Perigee::kappa).setZero();
  } else {
    const Matrix5 j = perigee_jacobian<double>(track, layer);
    const auto kinks = kinks_of<double>(track, layer);
    columns << j.col(OnSurface::theta) * kinks.columns[0][kinks.theta],
        j.col(OnSurface::phi) * kinks.columns[1][kinks.phi], Vector5::Zero();
  }
  return square(columns);
}

/// That of the first measuring layer and everything inside it, if there is no
/// hit inside.
Matrix5 inner_scattering(const TripletTrack& track) {
  Matrix5 sum = Matrix5::Zero();
  for (const TripletPoint& c : track.crossings) {
    sum += added_by(track, c);
    if (c.measures()) break;
  }
  return sum;
}

/// Scattering in the layers at the start, if that is a hit.
Matrix5 start_scattering(const TripletTrack& track) {
  if (!track.traced) return added_by(track, start_crossing(track));
  Matrix5 sum = Matrix5::Zero();
  TripletPoint layer = start_crossing(track);
  for (const KinkColumns& kinks : track.start_kinks) {
    layer.traced->kinks = kinks;
    sum += added_by(track, layer);
  }
  return sum;
}

/// The covariances of one set of errors.
template <class S, std::size_t n_state>
class ReferenceFit {
 public:
  ReferenceFit(const TripletTrack& track, const ReferenceSegments<S>& segments,
               Errors errors, Precision precision)
      : track_(track),
        segments_(segments),
        least_(least_information(precision, segments.hits.size())),
        fit_(segments, track.fit_kappa, errors) {}

  /// @param kept  a hit whose state kept_state() returns; none: no hit
  TripletStatus solve(std::optional<std::size_t> kept) {
    const std::size_t n_hits = segments_.hits.size();
    if (n_hits < segments_.surface_hit + 1 ||
        n_hits < (track_.fit_kappa ? 3 : 2))
      return TripletStatus::too_few_hits;
    for (std::size_t k = n_hits - 1; k-- > 0;) {
      if (k == 0 && segments_.surface_hit > 0) before_last_ = fit_;
      if (!fit_.add_segment(k)) return TripletStatus::singular;
      if (kept && *kept == k) fit_.keep_state();
      if (kept && *kept == n_hits - 1 && k + 2 == n_hits) fit_.keep_outermost();
    }
    return is_determined() ? TripletStatus::ok : TripletStatus::not_determined;
  }

  /// The same without scattering between the first two hits and in the second.
  TripletStatus solve_without_inner_scattering() {
    fit_ = *before_last_;
    if (!fit_.add_segment(0, false)) return TripletStatus::singular;
    return is_determined() ? TripletStatus::ok : TripletStatus::not_determined;
  }

  Matrix5 kept_state(std::size_t hit) const {
    return rounded<S>(fit_.kept_covariance(behind(hit)));
  }
  /// After the scattering in the first hit.
  Matrix5 perigee() const {
    return rounded<S>(fit_.covariance(
        perigee_jacobian<S>(track_, *segments_.hits[0].crossing)));
  }

 private:
  bool is_determined() const { return fit_.is_determined(least_); }

  /// kappa just after a layer from that before its energy loss.
  Eigen::Matrix<S, track_dim, track_dim> behind(std::size_t hit) const {
    auto j = identity<S>();
    if constexpr (n_state == track_dim) {
      const TripletPoint& crossing = *segments_.hits[hit].crossing;
      const Eigen::Matrix<S, 1, track_dim> row =
          crossing.traced->kappa_behind.transpose().template cast<S>();
      j.row(OnSurface::qop) =
          product(row, perigee_jacobian<S>(track_, crossing));
    }
    return j;
  }

  const TripletTrack& track_;
  const ReferenceSegments<S>& segments_;
  double least_;
  SquareRootFit<S, n_state> fit_;
  std::optional<SquareRootFit<S, n_state>> before_last_;
};

/// @return  nothing if more than doubles is needed
template <class S, std::size_t n_state>
std::optional<TripletCovariance> covariance_with(
    const TripletTrack& track, const ReferenceSegments<S>& segments,
    Errors errors, Precision precision) {
  constexpr double pole = 0.05, none = std::numeric_limits<double>::quiet_NaN();
  const auto is_doubtful = [precision](TripletStatus status) {
    return precision == Precision::checked &&
           (status == TripletStatus::singular ||
            status == TripletStatus::not_determined);
  };
  const std::size_t first = segments.surface_hit;
  TripletCovariance c;
  c.n_hits = static_cast<int>(segments.hits.size() - first);
  c.index_pole = std::ranges::any_of(
      segments.segments,
      [](const ReferenceSegment<S>& s) { return s.arc.inverse_index < pole; });
  c.first_hit.fill(none);
  c.perigee = c.perigee_without_inner = c.first_hit;
  c.variance_kappa = none;
  ReferenceFit<S, n_state> fit(track, segments, errors, precision);
  c.status = fit.solve(first);
  if (is_doubtful(c.status)) return std::nullopt;
  if (c.status != TripletStatus::ok) return c;
  c.first_hit = fit.kept_state(first);
  c.perigee = c.perigee_without_inner = fit.perigee();
  c.variance_kappa = c.perigee(Perigee::kappa, Perigee::kappa);
  if (errors == Errors::hits_only) return c;
  if (first == 0) {
    c.perigee += inner_scattering(track);
    return c;
  }
  // inner material lies between hits and is part of the fit
  c.perigee += start_scattering(track);
  const TripletStatus bare = fit.solve_without_inner_scattering();
  if (is_doubtful(bare)) return std::nullopt;
  if (bare == TripletStatus::ok)
    c.perigee_without_inner = fit.perigee();
  else
    c.perigee_without_inner.fill(none);
  return c;
}

template <class S>
std::optional<TripletCovariance> covariance_of(
    const TripletTrack& track, const ReferenceSegments<S>& segments,
    Errors errors, Precision precision) {
  return track.loses_energy && track.fit_kappa
             ? covariance_with<S, track_dim>(track, segments, errors, precision)
             : covariance_with<S, track_dim - 1>(track, segments, errors,
                                                 precision);
}

/// Empty if the fit does not exist.
template <class S>
std::optional<std::vector<FittedPosition>> positions(
    const TripletTrack& track, const ReferenceSegments<S>& segments,
    Errors errors, Precision precision) {
  std::vector<FittedPosition> list;
  for (std::size_t k = segments.surface_hit; k < segments.hits.size(); ++k) {
    ReferenceFit<S, track_dim - 1> fit(track, segments, errors, precision);
    if (fit.solve(k) != TripletStatus::ok) return std::nullopt;
    const Matrix5 c = fit.kept_state(k);
    list.push_back(
        {c.topLeftCorner<2, 2>(), c.block<2, 1>(OnSurface::u, OnSurface::qop)});
  }
  return list;
}

}  // namespace

struct TripletFit::Segments {
  explicit Segments(const TripletTrack& of) : track(of) {}

  const TripletTrack& track;
  /// For calculations in doubles; none: they are not sufficient.
  std::optional<ReferenceSegments<double>> in_doubles;
};

TripletFit::TripletFit(const TripletTrack& track, bool doubtful) {
  auto segments = std::make_shared<Segments>(track);
  if (!doubtful) segments->in_doubles.emplace(track);
  segments_ = std::move(segments);
}

TripletCovariance TripletFit::covariance(Errors errors) const {
  const TripletTrack& track = segments_->track;
  if (segments_->in_doubles)
    if (const auto c = covariance_of(track, *segments_->in_doubles, errors,
                                     Precision::checked))
      return *c;
  const ReferenceSegments<DoubleDouble> wide(track);
  return *covariance_of(
      track, wide, errors,
      segments_->in_doubles ? Precision::limited : Precision::any);
}

TripletCovariance triplet_covariance(const TripletTrack& track,
                                     const TripletOptions& options) {
  return TripletFit(track, options.doubtful).covariance(options.errors);
}

std::vector<FittedPosition> fitted_positions(const TripletTrack& track,
                                             const TripletOptions& options) {
  if (!options.doubtful)
    if (const auto list = positions(track, ReferenceSegments<double>(track),
                                    options.errors, Precision::checked))
      return *list;
  return positions(track, ReferenceSegments<DoubleDouble>(track),
                   options.errors,
                   options.doubtful ? Precision::any : Precision::limited)
      .value_or(std::vector<FittedPosition>{});
}

}  // namespace gttf
