// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/batch_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gttf/core/kernels.hpp"
#include "gttf/core/run_batch.hpp"
#include "gttf/fit/hit_batch.hpp"
#include "gttf/fit/track/hit_surface.hpp"

namespace gttf {

namespace {

using detail::HitKernel;
using detail::HitPlane;
using detail::PackValues;

constexpr std::size_t block_size = 512;

/// Nearly parallel coordinates do not determine a point.
constexpr double parallel = 1e-12;

double determinant(const FitSurface& s) {
  const CoordinateAxis &a = s.coordinates[0], &b = s.coordinates[1];
  return a.cosine * b.sine - a.sine * b.cosine;
}

bool has_errors(const FitSurface& s) {
  return std::all_of(s.coordinates.begin(),
                     s.coordinates.begin() + s.n_coordinates,
                     [](const CoordinateAxis& a) { return a.variance > 0; });
}

bool measures_point(const FitSurface& s) {
  return s.n_coordinates == 2 && std::abs(determinant(s)) >= parallel;
}

/// Maximum number of layers between hits with kinks in the equations.
bool scatters_between_hits(const HitArrays& hits,
                           const detail::HitBatch& batch) {
  const bool shared = hits.theta0_2.size() == hits.surfaces.size();
  return std::ranges::any_of(batch.between, [&](std::size_t surface) {
    const auto own =
        shared ? hits.theta0_2.subspan(surface, 1)
               : hits.theta0_2.subspan(surface * hits.size, hits.size);
    return std::ranges::any_of(own, [](double x) { return x > 0; });
  });
}

/// Data shared by the threads.
struct Job {
  const HitArrays& hits;
  FitKind kind;
  const FitOptions& options;
  const FitArrays& results;
  const HitKernel& kernel;
  const detail::HitBatch& batch;
  const FitOneTrack& fit_one;
  bool vectorised;
  bool passive;  ///< whether layers between hits scatter
};

class Worker {
 public:
  explicit Worker(const Job& job)
      : job_(job),
        fitter_(job.options),
        workspace_(job.vectorised ? job.batch.workspace(job.kernel)
                                  : detail::BatchWorkspace(0)),
        hits_(3 * job.batch.n_hits),
        theta0_2_(job.batch.points.size()),
        copies_(hits_.size() + theta0_2_.size() + 1) {
    job.batch.put_into(elements_);
    elements_.hits = hits_.data();
    elements_.theta0_2 = theta0_2_.data();
    std::ranges::fill(estimate_.value, job.options.kappa);
    for (int i = 0; i < 3; ++i) elements_.origin[i] = job.hits.origin[i];
    perigee_ = job.options.detail >= FitDetail::perigee &&
               detail::wants_perigee(job.results);
    elements_.workspace = workspace_.data();
    elements_.passive = job.passive;
  }

  bool is_vectorised() const { return job_.vectorised; }

  void run_vectorised(detail::BatchBlock& block) {
    for (std::size_t t = block.begin; t < block.end; t += job_.kernel.width)
      fit_vector(t, std::min(job_.kernel.width, block.end - t), block);
  }

  void run_scalar(std::size_t t) {
    const GlobalFit& fit = job_.fit_one
                               ? job_.fit_one(t)
                               : fitter_.fit(job_.hits.track(t), job_.kind);
    detail::store(fit, job_.results, t, job_.hits.size);
  }

  void end_block(const detail::BatchBlock&) {}

 private:
  const double* whole(const double* from, std::size_t n,
                      PackValues& copy) const {
    return detail::whole(from, n, job_.kernel.width, copy);
  }
  /// The same number for all tracks.
  static const double* shared(double value, PackValues& copy) {
    std::ranges::fill(copy.value, value);
    return copy.value;
  }

  void fit_vector(std::size_t t, std::size_t n, detail::BatchBlock& block) {
    const HitArrays& in = job_.hits;
    const std::size_t size = in.size;
    PackValues* copy = copies_.data();
    for (std::size_t i = 0; i < hits_.size(); ++i) {
      const std::span<const double> from = i % 3 == 0   ? in.x
                                           : i % 3 == 1 ? in.y
                                                        : in.z;
      hits_[i] = whole(from.data() + i / 3 * size + t, n, *copy++);
    }
    for (std::size_t i = 0; i < theta0_2_.size(); ++i, ++copy) {
      const std::size_t s = job_.batch.surface[i];
      theta0_2_[i] = in.theta0_2.size() == in.surfaces.size()
                         ? shared(in.theta0_2[s], *copy)
                         : whole(in.theta0_2.data() + s * size + t, n, *copy);
    }
    elements_.kappa_ref = in.kappa_ref.size() == 1
                              ? shared(in.kappa_ref[0], *copy)
                              : whole(in.kappa_ref.data() + t, n, *copy);
    elements_.estimate =
        job_.options.kappa == 0 ? elements_.kappa_ref : estimate_.value;
    detail::GroupFit fit{job_.kind, job_.options.weights, out_.data(),
                         perigee_};
    job_.kernel.fit(elements_, &fit, 1);
    detail::store(fit, n, job_.results, t, in.size);
    for (std::size_t element = 0; element < n; ++element)
      if ((fit.done >> element & 1) != 0)
        ++block.statistics.vectorised;
      else
        block.leave_doubtful(t + element);
  }

  const Job& job_;
  TrackFitter fitter_;
  detail::BatchWorkspace workspace_;
  detail::HitGroup elements_;
  bool perigee_ = true;
  std::vector<const double*> hits_, theta0_2_;
  std::vector<PackValues> copies_;  ///< padded inputs
  PackValues estimate_;
  detail::FitPlanes out_ = detail::empty_planes();
};

}  // namespace

namespace detail {

void store(const GroupFit& fit, std::size_t n, const FitArrays& to,
           std::size_t t, std::size_t size) {
  const auto put = [&](std::size_t plane, std::span<double> target,
                       std::size_t row = 0) {
    if (target.empty()) return;
    const double* const from = fit.out[plane].value;
    double* const into = target.data() + row * size + t;
    // the compiler inlines a copy of constant size
    if (n == 8)
      std::memcpy(into, from, 8 * sizeof(double));
    else if (n == 16)
      std::memcpy(into, from, 16 * sizeof(double));
    else
      std::copy_n(from, n, into);
  };
  put(HitPlane::kappa, to.kappa);
  put(HitPlane::sigma, to.sigma);
  put(HitPlane::chi2, to.chi2);
  put(HitPlane::kappa_weights, to.kappa_weights);
  for (std::size_t q = 0; q < track_dim; ++q)
    put(HitPlane::perigee + q, to.perigee, q);
  for (std::size_t i = 0; i < track_triangle; ++i)
    put(HitPlane::covariance + i, to.perigee_covariance, i);
  for (std::size_t q = 0; q < track_dim; ++q)
    put(HitPlane::start_plane + q, to.start_plane, q);
  for (std::size_t i = 0; i < track_triangle; ++i)
    put(HitPlane::start_covariance + i, to.start_plane_covariance, i);
  put(HitPlane::momentum, to.scattering_momentum);
  if (!to.status.empty()) std::fill_n(to.status.data() + t, n, fit.status);
}

void store(const GlobalFit& fit, const FitArrays& to, std::size_t t,
           std::size_t size) {
  const auto put = [t](double value, std::span<double> target,
                       std::size_t at = 0) {
    if (!target.empty()) target[at + t] = value;
  };
  put(fit.kappa, to.kappa);
  put(fit.sigma, to.sigma);
  put(fit.chi2, to.chi2);
  put(fit.kappa_weights, to.kappa_weights);
  put(fit.scattering_momentum ? fit.scattering_momentum->p : GlobalFit::none,
      to.scattering_momentum);
  std::size_t plane = 0;
  for (int i = 0; i < track_dim; ++i) {
    put(fit.perigee[i], to.perigee, static_cast<std::size_t>(i) * size);
    put(fit.start_plane[i], to.start_plane, static_cast<std::size_t>(i) * size);
    for (int j = 0; j <= i; ++j, ++plane) {
      put(fit.perigee_covariance(i, j), to.perigee_covariance, plane * size);
      put(fit.start_plane_covariance(i, j), to.start_plane_covariance,
          plane * size);
    }
  }
  if (!to.status.empty()) to.status[t] = fit.status;
}

const double* whole(const double* from, std::size_t n, std::size_t width,
                    PackValues& copy) {
  if (n == width) return from;
  std::copy_n(from, n, copy.value);
  std::fill(copy.value + n, copy.value + width, from[n - 1]);
  return copy.value;
}

bool wants_perigee(const FitArrays& results) {
  return !results.perigee.empty() || !results.perigee_covariance.empty();
}

bool wants_start_plane(const FitArrays& results) {
  return !results.start_plane.empty() ||
         !results.start_plane_covariance.empty();
}

FitPlanes empty_planes() {
  FitPlanes planes;
  for (PackValues& plane : planes)
    std::ranges::fill(plane.value, GlobalFit::none);
  return planes;
}

BatchWorkspace::BatchWorkspace(std::size_t bytes)
    : lines_(std::make_unique_for_overwrite<Line[]>((bytes + sizeof(Line) - 1) /
                                                    sizeof(Line))) {}

HitBatch::HitBatch(std::span<const FitSurface> surfaces)
    : HitBatch(surfaces, needs_streaming(surfaces), nullptr) {}

HitBatch::HitBatch(std::span<const FitSurface> surfaces, bool streaming,
                   const BatchFlight* along)
    : streams(streaming), flight(along) {
  std::size_t end = surfaces.size();  // ends at the last hit
  while (end > 0 && surfaces[end - 1].n_coordinates == 0) --end;
  for (std::size_t i = 0; i < end; ++i) {
    const FitSurface& s = surfaces[i];
    if (s.n_coordinates == 0 && n_hits > 0) between.push_back(i);
    GroupPoint& p = points.emplace_back();
    surface.push_back(i);
    p.surface = s.surface;
    p.hit = n_hits > 0 ? n_hits - 1 : 0;
    p.next_hit = n_hits;
    if (s.n_coordinates == 0) continue;
    measured.push_back(i);
    p.hit = n_hits++;
    p.measures = true;
    p.n_coordinates = static_cast<std::size_t>(s.n_coordinates);
    std::ranges::copy(s.coordinates, p.coordinates);
    if (streams) continue;
    const CoordinateAxis &a = s.coordinates[0], &b = s.coordinates[1];
    const double sigma_a = std::sqrt(a.variance),
                 sigma_b = std::sqrt(b.variance), det = determinant(s);
    p.largest_sigma = std::max(sigma_a, sigma_b);
    p.error[0][0] = sigma_a * b.sine / det;
    p.error[0][1] = -sigma_a * b.cosine / det;
    p.error[1][0] = -sigma_b * a.sine / det;
    p.error[1][1] = sigma_b * a.cosine / det;
    p.along_axes = p.error[0][1] == 0 && p.error[1][0] == 0;
  }
}

void HitBatch::put_into(HitGroup& elements) const {
  elements.points = points.data();
  elements.n_points = points.size();
  elements.n_hits = n_hits;
  elements.measured = measured.data();
  elements.streams = streams;
  elements.flight = flight;
}

const HitKernel& HitBatch::kernel(SimdLevel level) const {
  const Kernels& all = kernels(level);
  if (flight != nullptr) return all.flown_fit;
  return streams ? all.streaming_fit : all.triplet_fit;
}

BatchWorkspace HitBatch::workspace(const HitKernel& kernel) const {
  return BatchWorkspace(kernel.workspace(points.size(), n_hits));
}

}  // namespace detail

TrackHits HitArrays::track(std::size_t t) const {
  TrackHits track;
  track.field = field;
  track.kappa_ref = kappa_ref[kappa_ref.size() == 1 ? 0 : t];
  track.origin = origin;
  std::size_t hit = 0;
  const auto measured = [&](std::size_t h) {
    return Vector3(x[h * size + t], y[h * size + t], z[h * size + t]);
  };
  const std::size_t n_hits = x.size() / size;
  const auto passive = [&](const FitSurface& s, std::size_t next) {
    const std::size_t before = next > 0 ? next - 1 : 0;
    return vector_of(detail::passive_point(
        s.surface, cartesian(measured(before)),
        cartesian(measured(next < n_hits ? next : before))));
  };
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    const FitSurface& s = surfaces[i];
    TrackHit& h = track.points.emplace_back();
    const Vector3 at = s.n_coordinates > 0 ? measured(hit++) : passive(s, hit);
    detail::put_on(s.surface, at, h);
    h.coordinates = s.coordinates;
    h.n_coordinates = s.n_coordinates;
    h.theta0_2 =
        theta0_2[theta0_2.size() == surfaces.size() ? i : i * size + t];
  }
  return track;
}

bool needs_streaming(std::span<const FitSurface> surfaces) {
  return std::ranges::any_of(
      surfaces, [](const FitSurface& s) { return s.n_coordinates == 1; });
}

bool is_vectorised(std::span<const FitSurface> surfaces, bool field,
                   bool passive, const FitOptions& options) {
  return field && detail::is_fitted(surfaces, track_dim, passive, options);
}

bool detail::is_fitted(std::span<const FitSurface> surfaces, int n_parameters,
                       bool passive, const FitOptions& options) {
  const bool streams = needs_streaming(surfaces);
  std::size_t n_hits = 0;
  int n_coordinates = 0;
  for (const FitSurface& s : surfaces) {
    if (s.n_coordinates == 0) continue;
    if (!has_errors(s) || (!streams && !measures_point(s))) return false;
    ++n_hits;
    n_coordinates += s.n_coordinates;
  }
  const bool weights_fit =
      streams || (options.weights != WeightSource::shared &&
                  (options.weights != WeightSource::local || !passive));
  return n_hits >= 3 && n_coordinates >= n_parameters &&
         options.relinearisations == 0 && options.detail != FitDetail::hits &&
         weights_fit;
}

BatchStatistics fit(const HitArrays& hits, FitKind kind,
                    const FitOptions& options, const FitArrays& results,
                    unsigned threads, const FitOneTrack& fit_one) {
  const detail::HitBatch batch(hits.surfaces);
  const bool passive = scatters_between_hits(hits, batch);
  const bool vectorised =
      is_vectorised(hits.surfaces, hits.field, passive, options);
  const Job job{hits,  kind,    options,    results, batch.kernel(simd_level()),
                batch, fit_one, vectorised, passive};
  return detail::run_batch(hits.size, block_size, threads,
                           [&] { return Worker(job); });
}

}  // namespace gttf
