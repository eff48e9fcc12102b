// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/decay/decay.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gttf/config/diagnostics.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/batch_toys.hpp"
#include "gttf/resolution/vertex.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf {
namespace {

/// Numbers of one configuration that are averaged as squares.
struct DecaySquares {
  double mass = 0, constrained_mass = 0;  ///< GeV^2
  double p_rel = 0;
  std::array<double, 3> vertex{};  ///< mm^2, along x, y, z
  double flight = 0, across = 0;   ///< mm^2
  double recoil = 0;               ///< GeV^2
};

/// Mean and width of pulls.
struct Pulls {
  std::size_t n = 0;
  double sum = 0, squares = 0;

  void add(double x) {
    ++n;
    sum += x;
    squares += x * x;
  }
  void add(const Pulls& other) {
    n += other.n;
    sum += other.sum;
    squares += other.squares;
  }
  double mean() const {
    return n > 0 ? sum / static_cast<double>(n) : Resolution::none;
  }
  double width() const {
    if (n < 2) return Resolution::none;
    const double count = static_cast<double>(n);
    return std::sqrt(std::max(0.0, squares - sum * sum / count) / (count - 1));
  }
};

struct DecayRow {
  PointRow point;
  std::string decay;
  std::size_t configurations = 0;
  double acceptance = 0;
  double mass = 0;
  DecaySquares mean;
  double median_mass = 0;  ///< of sigma(m), GeV
  double recoil = 0;       ///< mean, GeV
  std::size_t toys = 0;
  Pulls mass_pulls, constrained_pulls, flight_pulls;
  Status status = Status::too_few_hits;
};

constexpr unsigned recoil_columns = 1, toy_columns = 2;

double root(double square) { return std::sqrt(square); }

constexpr std::array own_columns = {
    ColumnOf<DecayRow>{{"decay", "", "the decay, as given"},
                       [](const DecayRow& r) { return r.decay; }},
    ColumnOf<DecayRow>{
        {"configurations", "",
         "configurations of the products over which the errors are averaged"},
        [](const DecayRow& r) { return r.configurations; }},
    ColumnOf<DecayRow>{
        {"acceptance", "1",
         "fraction of the decays whose products all have a resolution"},
        [](const DecayRow& r) { return r.acceptance; }},
    ColumnOf<DecayRow>{{"mass_GeV", "GeV", "mass of the decaying particle"},
                       [](const DecayRow& r) { return r.mass; }},
    ColumnOf<DecayRow>{
        {"sigma_m_MeV", "MeV",
         "invariant mass of the products; root mean square, as all errors here",
         "no resolution"},
        [](const DecayRow& r) { return root(r.mean.mass) / unit::MeV; }},
    ColumnOf<DecayRow>{
        {"sigma_m_vertex_MeV", "MeV",
         "the same if the products are fitted to a common vertex",
         "no resolution"},
        [](const DecayRow& r) {
          return root(r.mean.constrained_mass) / unit::MeV;
        }},
    ColumnOf<DecayRow>{
        {"sigma_m_median_MeV", "MeV",
         "median of `sigma_m_vertex_MeV` over the decays", "no resolution"},
        [](const DecayRow& r) { return r.median_mass / unit::MeV; }},
    ColumnOf<DecayRow>{
        {"sigma_p_rel", "1",
         "relative error of the momentum of the decaying particle, with the "
         "common vertex",
         "no resolution"},
        [](const DecayRow& r) { return root(r.mean.p_rel); }},
    ColumnOf<DecayRow>{
        {"sigma_vx_um", "um", "position of the common vertex along x",
         "no resolution"},
        [](const DecayRow& r) { return root(r.mean.vertex[0]) / unit::um; }},
    ColumnOf<DecayRow>{
        {"sigma_vy_um", "um", "along y", "no resolution"},
        [](const DecayRow& r) { return root(r.mean.vertex[1]) / unit::um; }},
    ColumnOf<DecayRow>{
        {"sigma_vz_um", "um", "along z", "no resolution"},
        [](const DecayRow& r) { return root(r.mean.vertex[2]) / unit::um; }},
    ColumnOf<DecayRow>{
        {"sigma_flight_um", "um",
         "along the momentum of the decaying particle: the error of its flight "
         "length",
         "no resolution"},
        [](const DecayRow& r) { return root(r.mean.flight) / unit::um; }},
    ColumnOf<DecayRow>{
        {"sigma_across_um", "um",
         "perpendicular to it: root mean square of the two directions",
         "no resolution"},
        [](const DecayRow& r) { return root(r.mean.across) / unit::um; }},
    ColumnOf<DecayRow>{
        {"sigma_t_fs", "fs",
         "proper time, m/p times the error of the flight length; without that "
         "of the momentum and of the primary vertex",
         "no resolution"},
        [](const DecayRow& r) {
          constexpr double mm_per_fs = 2.99792458e-4;  // the speed of light
          return root(r.mean.flight) * r.mass / r.point.p / mm_per_fs;
        }},
    ColumnOf<DecayRow>{{"recoil_GeV", "GeV", "mean recoil mass (`--sqrt-s`)",
                        "no resolution, or no such mass"},
                       [](const DecayRow& r) { return r.recoil; },
                       recoil_columns},
    ColumnOf<DecayRow>{
        {"sigma_recoil_MeV", "MeV",
         "its error, including that of the centre-of-mass energy",
         "no resolution, or no such mass"},
        [](const DecayRow& r) { return root(r.mean.recoil) / unit::MeV; },
        recoil_columns},
    ColumnOf<DecayRow>{
        {"toys", "", "simulated decays whose products could all be fitted"},
        [](const DecayRow& r) { return r.toys; },
        toy_columns},
    ColumnOf<DecayRow>{
        {"pull_m", "1",
         "mean of (fitted - true mass)/(expected error); 0 if unbiased",
         "no toys"},
        [](const DecayRow& r) { return r.mass_pulls.mean(); },
        toy_columns},
    ColumnOf<DecayRow>{
        {"pull_m_width", "1", "standard deviation of this pull; 1 if right",
         "fewer than two toys"},
        [](const DecayRow& r) { return r.mass_pulls.width(); },
        toy_columns},
    ColumnOf<DecayRow>{
        {"pull_m_vertex_width", "1", "the same with the common vertex",
         "fewer than two toys"},
        [](const DecayRow& r) { return r.constrained_pulls.width(); },
        toy_columns},
    ColumnOf<DecayRow>{{"pull_flight_width", "1",
                        "the same of the flight length", "fewer than two toys"},
                       [](const DecayRow& r) { return r.flight_pulls.width(); },
                       toy_columns},
    ColumnOf<DecayRow>{
        {"status", "",
         "`ok` if at least one configuration is measured, else the reason why "
         "a product has no resolution: [as in scan](#status)"},
        [](const DecayRow& r) { return to_string(r.status); }},
};

constexpr auto columns = joined_columns(point_columns<DecayRow>, own_columns);

unsigned parts_of(bool recoil, bool toys) {
  return (recoil ? recoil_columns : 0) | (toys ? toy_columns : 0);
}

/// The tracks of all products in all configurations, configuration by
/// configuration.
class ProductTracks {
 public:
  ProductTracks(const DecayParticle& decay, const Track& parent,
                std::size_t n) {
    const auto products = measured_products(decay);
    per_decay_ = products.size();
    const Vector3 momentum =
        parent.p * Vector3(std::sin(parent.theta) * std::cos(parent.phi),
                           std::sin(parent.theta) * std::sin(parent.phi),
                           std::cos(parent.theta));
    start_ = parent.vertex;
    std::vector<double> uniform(decay_dimensions(decay));
    for (std::size_t c = 0; c < n; ++c) {
      even_point(c, uniform);
      const DecayConfiguration configuration =
          decay_configuration(decay, momentum, uniform);
      weights_.push_back(configuration.weight);
      for (std::size_t i = 0; i < per_decay_; ++i) {
        const Vector3& p = configuration.momenta[i];
        p_.push_back(p.norm());
        theta_.push_back(std::atan2(std::hypot(p[0], p[1]), p[2]));
        phi_.push_back(std::atan2(p[1], p[0]));
        mass_.push_back(products[i]->mass);
        charge_.push_back(products[i]->charge);
      }
    }
  }

  std::size_t configurations() const { return weights_.size(); }
  std::size_t per_decay() const { return per_decay_; }
  double weight(std::size_t c) const { return weights_[c]; }
  TrackArrays views() const {
    const auto one = [this](std::size_t i) { return std::span(&start_[i], 1); };
    return {p_.size(), p_,     theta_, phi_,  mass_,
            charge_,   one(0), one(1), one(2)};
  }

 private:
  std::size_t per_decay_ = 0;
  std::vector<double> weights_, p_, theta_, phi_, mass_, charge_;
  std::array<double, 3> start_{};
};

/// The data of one configuration.
struct MeasuredDecay {
  std::size_t configuration = 0;
  std::vector<VertexTrack> tracks;
  VertexErrors errors;
  double flight2 = 0;  ///< variance along the flight, mm^2
};

Matrix5 matrix_of(const std::vector<double>& triangles, std::size_t t,
                  std::size_t n) {
  Matrix5 m;
  std::size_t plane = 0;
  for (int i = 0; i < track_dim; ++i)
    for (int j = 0; j <= i; ++j, ++plane)
      m(i, j) = m(j, i) = triangles[plane * n + t];
  return m;
}

class DecayPoint {
 public:
  DecayPoint(const StudyRequest& request, const Detector& detector,
             const TrackingGeometry& geometry, const DecayOptions& options,
             GridPoint point)
      : geometry_(geometry),
        options_(options),
        model_(model_of(request, detector, options.engine)),
        parent_(grid_track(request, point)),
        tracks_(options.decay, parent_, options.configurations) {
    row_.point = PointRows(detector, request).at(point);
    row_.decay = to_string(options.decay);
    row_.mass = options.decay.mass;
    row_.configurations = options.configurations;
    measure();
    average();
  }

  DecayRow& row() { return row_; }

  /// @param stream  of random numbers, one for each point
  void simulate(std::uint64_t seed, std::uint64_t stream) {
    const std::size_t n = measured_.size();
    for (std::size_t k = 0; k < n; ++k) {
      // the same for any number of configurations after this one
      const std::uint64_t toys = options_.toys / n + (k < options_.toys % n);
      if (toys > 0)
        simulate(measured_[k], {seed, stream, 0},
                 static_cast<std::size_t>(toys));
    }
    row_.toys = row_.mass_pulls.n;
  }

 private:
  void measure() {
    const TrackArrays tracks = tracks_.views();
    const std::size_t n = tracks.size, per_decay = tracks_.per_decay();
    std::vector<double> perigee(track_triangle * n), plane(track_triangle * n);
    std::vector<Status> status(n);
    ResolutionArrays results;
    results.perigee = perigee;
    results.start_plane = plane;
    results.status = status;
    resolve(geometry_, tracks, model_, results);
    bool named = false;
    for (std::size_t c = 0; c < tracks_.configurations(); ++c) {
      MeasuredDecay decay{.configuration = c, .tracks = {}, .errors = {}};
      for (std::size_t t = c * per_decay; t < (c + 1) * per_decay; ++t) {
        if (status[t] != Status::ok) {
          if (!named) row_.status = status[t];
          named = true;
          break;
        }
        const auto track =
            vertex_track(tracks.track(t), matrix_of(perigee, t, n),
                         matrix_of(plane, t, n), geometry_.bz());
        if (!track) break;
        decay.tracks.push_back(*track);
      }
      if (decay.tracks.size() < per_decay) continue;
      const auto errors = fit_vertex(decay.tracks);
      if (!errors) continue;
      decay.errors = *errors;
      const Vector3 along = errors->momentum.head<3>().normalized();
      decay.flight2 = along.dot(errors->vertex * along);
      measured_.push_back(std::move(decay));
    }
    if (!measured_.empty()) row_.status = Status::ok;
  }

  void average() {
    double all = 0, sum = 0, with_recoil = 0;
    for (std::size_t c = 0; c < tracks_.configurations(); ++c)
      all += tracks_.weight(c);
    std::vector<std::pair<double, double>> masses;  // and their weights
    DecaySquares& mean = row_.mean;
    row_.recoil = 0;
    for (const MeasuredDecay& decay : measured_) {
      const double w = tracks_.weight(decay.configuration);
      const VertexErrors& e = decay.errors;
      const double mass = sigma_of_mass(e.momentum, e.separate);
      const double constrained = sigma_of_mass(e.momentum, e.constrained);
      const Vector3 p = e.momentum.head<3>();
      const double p_variance =
          (p.transpose() * e.constrained.topRows<3>()).squaredNorm() /
          p.squaredNorm();
      sum += w;
      masses.emplace_back(constrained, w);
      mean.mass += w * mass * mass;
      mean.constrained_mass += w * constrained * constrained;
      mean.p_rel += w * p_variance / p.squaredNorm();
      for (int i = 0; i < 3; ++i)
        mean.vertex[static_cast<std::size_t>(i)] += w * e.vertex(i, i);
      mean.flight += w * decay.flight2;
      mean.across += w * std::max(0.0, e.vertex.trace() - decay.flight2) / 2;
      if (!options_.collision) continue;
      const auto& [sqrt_s, spread] = *options_.collision;
      const double recoil = recoil_mass(e.momentum, sqrt_s);
      if (!(recoil > 0)) continue;
      const double sigma =
          sigma_of_recoil_mass(e.momentum, e.constrained, sqrt_s, spread);
      with_recoil += w;
      mean.recoil += w * sigma * sigma;
      row_.recoil += w * recoil;
    }
    row_.acceptance = sum / all;
    for (double* x :
         {&mean.mass, &mean.constrained_mass, &mean.p_rel, &mean.vertex[0],
          &mean.vertex[1], &mean.vertex[2], &mean.flight, &mean.across})
      *x = sum > 0 ? *x / sum : Resolution::none;
    for (double* x : {&mean.recoil, &row_.recoil})
      *x = with_recoil > 0 ? *x / with_recoil : Resolution::none;
    row_.median_mass = Resolution::none;
    std::ranges::sort(masses);
    double below = 0;
    for (const auto& [sigma, w] : masses) {
      below += w;
      if (below < sum / 2) continue;
      row_.median_mass = sigma;
      break;
    }
  }

  void simulate(const MeasuredDecay& decay, RandomPlace place,
                std::size_t toys) {
    const std::size_t per_decay = tracks_.per_decay();
    // y of every product minus the truth, of toys that all fits have
    std::vector<std::vector<Vector5>> measured(per_decay,
                                               std::vector<Vector5>(toys));
    std::vector<char> good(toys, 1);
    for (std::size_t i = 0; i < per_decay; ++i) {
      const std::size_t t = decay.configuration * per_decay + i;
      // the products of a decay have independent random numbers
      place.index = (decay.configuration * per_decay + i) << index_bits;
      simulate(tracks_.views().track(t), decay.tracks[i].plane != 0, place,
               measured[i], good);
    }
    const double true_mass = mass_of(decay.errors.momentum);
    const double mass =
        sigma_of_mass(decay.errors.momentum, decay.errors.separate);
    const double constrained =
        sigma_of_mass(decay.errors.momentum, decay.errors.constrained);
    const Vector3 along = decay.errors.momentum.head<3>().normalized();
    std::vector<Vector5> one(per_decay);
    for (std::size_t k = 0; k < toys; ++k) {
      if (good[k] == 0) continue;
      for (std::size_t i = 0; i < per_decay; ++i) one[i] = measured[i][k];
      const FittedVertex fit = fit_vertex(decay.tracks, decay.errors, one);
      row_.mass_pulls.add((mass_of(fit.separate) - true_mass) / mass);
      row_.constrained_pulls.add((mass_of(fit.constrained) - true_mass) /
                                 constrained);
      row_.flight_pulls.add(fit.vertex.dot(along) / std::sqrt(decay.flight2));
    }
  }

  /// Toys of one product: y minus the truth; those without a fit are marked.
  void simulate(const Track& track, bool at_plane, const RandomPlace& place,
                std::vector<Vector5>& measured, std::vector<char>& good) const {
    const std::size_t n = measured.size();
    const ToySimulator simulator(geometry_, track, model_);
    const FitChoice fits[] = {{FitKind::general}};
    ToyBatch batch(simulator, fits,
                   at_plane ? CodePath::scalar : CodePath::best);
    std::vector<char> missed(n);
    std::vector<double> perigee(track_dim * n);
    std::vector<FitStatus> status(n, FitStatus::too_few_hits);
    FitArrays arrays;
    arrays.perigee = perigee;
    arrays.status = status;
    const FitArrays results[] = {arrays};
    const double by_kappa = -1 / geometry_.field().reference;
    const auto set = [&](std::size_t k, const Vector5& fitted,
                         const Vector5& truth, FitStatus fit) {
      Vector5 y = fitted - truth;
      if (!at_plane)
        y[Perigee::phi] = std::remainder(y[Perigee::phi], 2 * unit::pi);
      y[Perigee::qop] *= by_kappa;
      if (fit != FitStatus::ok || !y.allFinite()) good[k] = 0;
      measured[k] = y;
    };
    batch.run(place, {missed, results},
              [&](std::size_t k, std::size_t, const GlobalFit& fit,
                  const ToyTrack& toy) {
                set(k, at_plane ? fit.start_plane : fit.perigee,
                    at_plane ? toy.truth_at_plane : toy.truth, fit.status);
              });
    for (std::size_t k = 0; k < n; ++k) {
      if (missed[k] != 0) good[k] = 0;
      if (!batch.is_vectorised()) continue;
      Vector5 fitted;
      for (std::size_t q = 0; q < track_dim; ++q)
        fitted[static_cast<int>(q)] = perigee[q * n + k];
      set(k, fitted, batch.prototype().truth, status[k]);
    }
  }

  /// Indices of toys stay below it.
  static constexpr int index_bits = 40;

  const TrackingGeometry& geometry_;
  const DecayOptions& options_;
  const Model model_;
  const Track parent_;
  const ProductTracks tracks_;
  std::vector<MeasuredDecay> measured_;
  DecayRow row_;
};

}  // namespace

DecayParticle read_decay(const std::string& text) {
  DecayError error;
  auto decay = parse_decay(text, error);
  if (decay) return *std::move(decay);
  Diagnostic d;
  d.file = "DECAY";
  d.column = static_cast<int>(error.position) + 1;
  d.source_line = text;
  d.problem = error.problem;
  d.suggestion = error.suggestion;
  Diagnostics diagnostics;
  diagnostics.add(std::move(d));
  throw InputError(std::move(diagnostics));
}

std::vector<std::string> decay_column_names(bool recoil, bool toys) {
  return names_of(columns, parts_of(recoil, toys));
}

std::vector<DescribedColumn> decay_columns() { return described(columns); }

std::size_t decays(const StudyRequest& request,
                   std::span<const Detector> detectors,
                   const DecayOptions& options, TableSink& sink) {
  StudyRequest of_parent = request;
  of_parent.particle.name = options.decay.name;
  const std::vector<GridPoint> points = grid_points(request);
  const unsigned parts =
      parts_of(options.collision.has_value(), options.toys > 0);
  std::size_t measured = 0, done = 0;
  for (std::size_t d = 0; d < detectors.size(); ++d) {
    const TrackingGeometry geometry(detectors[d]);
    const auto make = [&](std::size_t i) {
      DecayPoint point(of_parent, detectors[d], geometry, options, points[i]);
      if (options.toys > 0)
        point.simulate(request.toys.seed, d * points.size() + i);
      return std::move(point.row());
    };
    const auto take = [&](const DecayRow& row) {
      measured += row.status == Status::ok;
      RowTable<DecayRow> table(columns, parts);
      table.add(row);
      sink.write(std::move(table).take());
      ++done;
      if (options.progress)
        options.progress(done, points.size() * detectors.size());
    };
    parallel_in_order(points.size(), thread_count(options.threads), make, take,
                      std::size_t{1});
  }
  sink.finish();
  return measured;
}

}  // namespace gttf
