// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/placement_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gttf/core/matrix.hpp"

namespace gttf {
namespace {

using Vector5 = Eigen::Matrix<double, 5, 1>;

constexpr std::size_t most_cells = 4000;
constexpr int most_rounds = 20000;
/// Relative accuracy of the variance at which the relaxation ends.
constexpr double good_enough = 1e-5;

/// The variables as equal layers between two bounds.
struct Placement {
  std::vector<std::size_t> layers;  ///< of each variable
  double from = 0, to = 0, gap = 0;
  const TrackGroup* group = nullptr;
  const Track* track = nullptr;
  Parameter parameter = Parameter::p;
};

bool are_equal(const Layer& a, const Layer& b) {
  return a.surface.shape == Shape::cylinder &&
         b.surface.shape == Shape::cylinder &&
         std::ranges::equal(a.coordinates, b.coordinates,
                            [](const Coordinate& s, const Coordinate& t) {
                              return s.angle == t.angle && s.sigma == t.sigma;
                            });
}

std::optional<Placement> placement_of(const DesignProgram& program) {
  const OptimisationProblem& problem = program.problem();
  const DesignSpace& space = program.space();
  Placement p;
  if (problem.objective.kind != Objective::Kind::point || space.size() < 3)
    return std::nullopt;
  for (std::size_t i = 0; i < program.n_samples(); ++i) {
    const Sample& s = program.sample(i);
    if (s.file != Sample::objective || !s.parameter) continue;
    p.group = &program.group(s.group);
    p.track = &p.group->tracks[s.track];
    p.parameter = *s.parameter;
  }
  if (p.track == nullptr || p.group->model.loss != EnergyLoss::off)
    return std::nullopt;
  const Detector& detector = space.design.detector();
  for (const Layer& layer : detector.layers)
    if (p.group->model.scattering != Scattering::off && layer.x_over_x0() > 0)
      return std::nullopt;
  for (const DesignVariable& v : space.variables) {
    const bool is_first = p.layers.empty();
    if (v.keys.size() != 1 || v.is_factor) return std::nullopt;
    const DesignKey& key = space.keys[v.keys[0]];
    const DesignNumber& number = space.design[key.numbers[0].number];
    if (key.numbers.size() != 1 || key.numbers[0].slope != 1 ||
        number.kind != DesignNumber::Kind::position)
      return std::nullopt;
    if (!is_first && (v.from != p.from || v.to != p.to ||
                      !are_equal(detector.layers[p.layers[0]],
                                 detector.layers[number.layer])))
      return std::nullopt;
    p.from = v.from;
    p.to = v.to;
    p.layers.push_back(number.layer);
  }
  // gaps that fix the order of all of them
  std::size_t chained = 0;
  p.gap = std::numeric_limits<double>::infinity();
  for (const Gap& gap : problem.gaps) {
    const auto is_one = [&](std::size_t number) {
      return std::ranges::count(p.layers, space.design[number].layer) > 0;
    };
    if (!is_one(gap.inner) || !is_one(gap.outer)) continue;
    ++chained;
    p.gap = std::min(p.gap, gap.min);
  }
  if (chained + 1 < p.layers.size() || !(p.gap > 0)) p.gap = 0;
  return p;
}

/// sigma^2 of the parameter is c^T covariance c.
std::optional<Vector5> row_of(Parameter q, const Track& track, double b_ref) {
  Vector5 c = Vector5::Zero();
  const double qop = track.charge / track.p;
  switch (q) {
    case Parameter::d0:
      c[Perigee::d0] = 1;
      return c;
    case Parameter::z0:
      c[Perigee::z0] = 1;
      return c;
    case Parameter::phi0:
      c[Perigee::phi] = 1;
      return c;
    case Parameter::theta:
      c[Perigee::theta] = 1;
      return c;
    case Parameter::pt:
      c[Perigee::theta] = -std::cos(track.theta) / std::sin(track.theta);
      [[fallthrough]];
    case Parameter::p:
      if (b_ref == 0) return std::nullopt;
      c[Perigee::qop] = 1 / qop;
      return c;
    default:
      return std::nullopt;  // on a plane
  }
}

/// The information of a covariance, in units in which its diagonal is 1.
std::optional<Matrix5> information(const Resolution& r, const Vector5& units) {
  Matrix5 c = r.perigee;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) c(i, j) /= units[i] * units[j];
  if (!c.allFinite() || !cholesky(c)) return std::nullopt;
  return inverse(c);
}

}  // namespace

std::optional<PlacementBound> bound_placement(
    const DesignProgram& program, const std::vector<double>& start) {
  const auto placement = placement_of(program);
  if (!placement) return std::nullopt;
  const Placement& p = *placement;
  const std::size_t n = p.layers.size();
  DesignProgram mine = program;
  TrackingGeometry geometry(mine.detector_at(start));
  const Track& track = *p.track;
  const Model& model = p.group->model;
  const auto c_user = row_of(p.parameter, track, geometry.b_ref());
  const Resolution whole = resolve(geometry, track, model);
  if (!c_user || whole.status != Status::ok) return std::nullopt;
  Vector5 units;
  for (int i = 0; i < 5; ++i) units[i] = std::sqrt(whole.perigee(i, i));
  const Vector5 c = c_user->cwiseProduct(units);

  // information of one layer at every point of a lattice
  const double span = p.to - p.from;
  std::size_t cells = 1000;
  if (p.gap > 0)
    cells = static_cast<std::size_t>(
        std::clamp(std::ceil(span / p.gap - 1e-9), 100.0, double{most_cells}));
  const double width = span / static_cast<double>(cells);
  // maximum number of hits in a cell
  const double cap =
      p.gap > 0 ? std::ceil(width / p.gap - 1e-9) : static_cast<double>(n);
  TrackingGeometry rest_geometry = geometry;
  rest_geometry.drop_hit(p.layers[0]);
  const auto rest = information(resolve(rest_geometry, track, model), units);
  if (!rest) return std::nullopt;
  std::vector<Matrix5> one;
  for (std::size_t k = 0; k <= cells; ++k) {
    geometry.move(p.layers[0],
                  k == cells ? p.to : p.from + static_cast<double>(k) * width);
    const auto with = information(resolve(geometry, track, model), units);
    if (!with) return std::nullopt;
    one.push_back(*with - *rest);
  }
  const auto point_of = [&](double r) {
    return std::min(
        cells, static_cast<std::size_t>(std::lround((r - p.from) / width)));
  };
  // the start on the lattice, and the information of other layers
  Matrix5 sum = *rest + one[point_of(start[0])];
  std::vector<double> weight(cells + 1, 0.0);
  for (std::size_t i = 0; i < n; ++i) weight[point_of(start[i])] += 1;
  for (std::size_t i = 1; i < n; ++i) {
    // from its position to the point of the lattice
    geometry.move(p.layers[0], start[i]);
    const auto with = information(resolve(geometry, track, model), units);
    if (!with) return std::nullopt;
    sum += one[point_of(start[i])] - (*with - *rest);
  }

  // weights move from the least to the most informative points
  std::vector<double> phi(cells + 1);
  double bound = 0;
  const auto variance_of = [&](const Matrix5& j) {
    return c.dot(inverse(j) * c);
  };
  for (int round = 0; round < most_rounds; ++round) {
    const Vector5 g = inverse(sum) * c;
    const double variance = c.dot(g);
    if (!(variance > 0)) return std::nullopt;
    double held = 0;
    std::size_t best = cells + 1, worst = cells + 1;
    for (std::size_t k = 0; k <= cells; ++k) {
      phi[k] = g.dot(one[k] * g);
      held += weight[k] * phi[k];
      if (weight[k] < cap && (best > cells || phi[k] > phi[best])) best = k;
      if (weight[k] > 0 && (worst > cells || phi[k] < phi[worst])) worst = k;
    }
    // the maximum information of n hits, cell by cell
    std::vector<double> most;
    for (std::size_t k = 0; k < cells; ++k) {
      double top = std::max(phi[k], phi[k + 1]);
      // between two points a parabola through three of them may be higher
      if (k > 0) {
        const double bend = phi[k - 1] - 2 * phi[k] + phi[k + 1];
        if (bend < 0) top -= bend / 8;
      }
      most.push_back(top);
    }
    std::ranges::sort(most, std::ranges::greater());
    double left = static_cast<double>(n), reach = 0;
    for (const double top : most) {
      const double taken = std::min(left, cap);
      reach += taken * top;
      left -= taken;
      if (left <= 0) break;
    }
    bound = std::max(bound, variance - (reach - held));
    if (variance - bound < good_enough * variance || best > cells ||
        worst > cells || phi[best] <= phi[worst])
      break;
    // the best share of the weight to move, by bisection of the derivative
    const double whole_step =
        std::min({weight[worst], cap - weight[best], 1.0});
    const Matrix5 direction = one[best] - one[worst];
    double low = 0, high = whole_step;
    for (int i = 0; i < 40; ++i) {
      const double middle = 0.5 * (low + high);
      const Vector5 there = inverse(Matrix5(sum + middle * direction)) * c;
      (there.dot(direction * there) > 0 ? low : high) = middle;
    }
    const Vector5 at_end = inverse(Matrix5(sum + whole_step * direction)) * c;
    const double step = at_end.dot(direction * at_end) > 0 ? whole_step : low;
    if (!(step > 0) || variance_of(sum + step * direction) >= variance) break;
    sum += step * direction;
    weight[best] += step;
    weight[worst] = step == weight[worst] ? 0 : weight[worst] - step;
  }
  if (!(bound > 0)) return std::nullopt;

  PlacementBound result;
  result.sigma = std::sqrt(bound);
  // the points with the largest weight, one hit for every unit of weight
  std::vector<double> whole_hits;
  for (std::size_t taken = 0; taken < n; ++taken) {
    const auto heaviest = std::ranges::max_element(weight);
    whole_hits.push_back(
        p.from + width * static_cast<double>(heaviest - weight.begin()));
    *heaviest -= 1;
  }
  std::ranges::sort(whole_hits);
  for (std::size_t i = 1; i < n; ++i)
    whole_hits[i] = std::max(whole_hits[i], whole_hits[i - 1] + p.gap);
  for (std::size_t i = n; i-- > 0;) {
    whole_hits[i] = std::min(whole_hits[i], p.to);
    if (i + 1 < n)
      whole_hits[i] = std::min(whole_hits[i], whole_hits[i + 1] - p.gap);
  }
  result.x = std::move(whole_hits);
  return result;
}

}  // namespace gttf
