// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/report/report_curves.hpp"

#include <cmath>

#include "gttf/core/parallel.hpp"
#include "gttf/study/request/grid_tracks.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/trajectory/crossings.hpp"

namespace gttf::detail {
namespace {

// Hit errors of a ten-thousandth change variances by less than 1e-8: nothing
// that a figure could show.
constexpr double no_hit_errors = 1e-4;

PerParameter nothing() {
  PerParameter none;
  none.values.fill(Resolution::none);
  return none;
}

LimitedSigmas gap() { return {nothing(), nothing(), nothing(), 0}; }

Detector without_hit_errors(Detector detector) {
  for (Layer& layer : detector.layers)
    for (Coordinate& c : layer.coordinates) c.sigma *= no_hit_errors;
  return detector;
}

// Tracks of one angle at any momentum.
class Follower {
 public:
  Follower(const ReportSubject& subject, std::size_t angle)
      : request_(subject.curves),
        angle_(angle),
        model_(subject.model()),
        exact_model_(model_),
        geometry_(subject.detector),
        exact_geometry_(without_hit_errors(subject.detector)) {
    if (exact_model_.beam_spot)
      for (double* sigma :
           {&exact_model_.beam_spot->x, &exact_model_.beam_spot->y,
            &exact_model_.beam_spot->z})
        *sigma *= no_hit_errors;
  }

  PerParameter sigmas_at(double momentum) {
    return sigmas(resolve(geometry_, track(momentum), model_));
  }

  LimitedSigmas at(double momentum) {
    const Track t = track(momentum);
    LimitedSigmas s;
    const Resolution all = resolve(geometry_, t, model_);
    s.n_hits = all.n_hits;
    s.all = sigmas(all);
    Model hits = model_;
    hits.scattering = Scattering::off;
    s.hits = sigmas(resolve(geometry_, t, hits));
    s.scattering = model_.scattering == Scattering::off
                       ? nothing()
                       : sigmas(resolve(exact_geometry_, t, exact_model_));
    return s;
  }

  // The surfaces crossed up to the last measuring one.
  std::vector<unsigned> pattern(double momentum) {
    const Crossings<double> c =
        find_crossings(geometry_, track(momentum), Scattering::off);
    std::vector<unsigned> surfaces;
    for (int i = 0; i <= c.last; ++i)
      surfaces.push_back(c.list[static_cast<std::size_t>(i)].surface);
    return surfaces;
  }

 private:
  Track track(double momentum) {
    request_.momentum.values = {momentum};
    return grid_track(request_, {0, angle_});
  }

  StudyRequest request_;
  std::size_t angle_;
  Model model_, exact_model_;
  TrackingGeometry geometry_, exact_geometry_;
};

// A change of layers that moves an error by less is not worth a break.
constexpr double visible_jump = 0.015;

bool jumps(const ReportSubject& subject, const PerParameter& a,
           const PerParameter& b) {
  for (const ShownQuantity& q : subject.shown()) {
    const double x = a[q.parameter], y = b[q.parameter];
    if (std::isnan(x) != std::isnan(y)) return true;
    if (std::abs(std::log(x / y)) > visible_jump) return true;
  }
  return false;
}

void add_point(MomentumCurve& curve, double x, const LimitedSigmas& s) {
  curve.x.push_back(x);
  curve.path.push_back(s);
}

// The changes of pattern between two momenta, as breaks of the path.
void add_changes(const ReportSubject& subject, Follower& follower,
                 MomentumCurve& curve, double from, double to) {
  constexpr int most_changes = 2, halvings = 18;
  auto left = follower.pattern(from);
  const auto right = follower.pattern(to);
  for (int k = 0; k < most_changes && left != right; ++k) {
    double lower = from, upper = to;
    for (int i = 0; i < halvings; ++i) {
      const double middle = std::sqrt(lower * upper);
      (follower.pattern(middle) == left ? lower : upper) = middle;
    }
    if (jumps(subject, follower.sigmas_at(lower), follower.sigmas_at(upper))) {
      add_point(curve, lower, follower.at(lower));
      add_point(curve, (lower + upper) / 2, gap());
      add_point(curve, upper, follower.at(upper));
      curve.broken = true;
    }
    from = upper;
    left = follower.pattern(upper);
  }
}

MomentumCurve follow(const ReportSubject& subject, std::size_t angle) {
  Follower follower(subject, angle);
  MomentumCurve curve;
  const std::vector<double>& momenta = subject.curves.momentum.values;
  for (std::size_t i = 0; i < momenta.size(); ++i) {
    if (i > 0)
      add_changes(subject, follower, curve, momenta[i - 1], momenta[i]);
    curve.grid.push_back(follower.at(momenta[i]));
    add_point(curve, momenta[i], curve.grid.back());
  }
  return curve;
}

}  // namespace

std::vector<MomentumCurve> momentum_curves(const ReportSubject& subject) {
  const std::size_t n = subject.curves.angle.values.size();
  std::vector<MomentumCurve> curves(n);
  parallel_workers(n, thread_count(subject.threads), [&](const auto& next) {
    while (const auto i = next()) curves[*i] = follow(subject, *i);
  });
  return curves;
}

std::vector<PerParameter> sigmas_on_grid(const ReportSubject& subject,
                                         const StudyRequest& request) {
  const GridTracks grid(request, 0, n_grid_points(request));
  return sigmas(TrackingGeometry(subject.detector), grid.views(),
                subject.model(), subject.threads);
}

Reals column_of(const std::vector<LimitedSigmas>& list, const ShownQuantity& q,
                Limit limit) {
  Reals column;
  column.reserve(list.size());
  for (const LimitedSigmas& s : list) {
    const PerParameter& of = limit == Limit::all    ? s.all
                             : limit == Limit::hits ? s.hits
                                                    : s.scattering;
    column.push_back(of[q.parameter] * q.factor);
  }
  return column;
}

}  // namespace gttf::detail
