// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/average_sample.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "gttf/core/random.hpp"
#include "gttf/core/statistics.hpp"
#include "gttf/detector/field_map.hpp"

namespace gttf {
namespace {

/// Each sample is the same in every run.
constexpr std::uint64_t sample_seed = 0x61766572616765;  // "average"

void shuffle(std::vector<std::size_t>& list, RandomBranch& random) {
  for (std::size_t i = list.size(); i-- > 1;) {
    const auto j =
        static_cast<std::size_t>(random.uniform() * static_cast<double>(i + 1));
    std::swap(list[i], list[std::min(j, i)]);
  }
}

/// Azimuth of the transverse part of a vector; nothing if that is 0.
std::optional<double> azimuth_of(double x, double y) {
  if (std::hypot(x, y) <= detail::same_place) return std::nullopt;
  return std::atan2(y, x);
}

/// Of a plane: of its centre, or if that is on the axis of its normal, or of
/// its axis u if it is transverse to z.
std::optional<double> azimuth_of(const Surface& s) {
  std::array<double, 3> normal{}, u{}, v{};
  if (s.is_inclined()) {
    normal = s.normal_vector;
    u = s.u_vector;
    v = s.v_vector();
  } else {
    const auto axis = static_cast<std::size_t>(s.normal);
    normal[axis] = u[(axis + 1) % 3] = v[(axis + 2) % 3] = 1;
  }
  const auto centre = [&](std::size_t i) {
    return s.position * normal[i] + 0.5 * (s.u.lower + s.u.upper) * u[i] +
           0.5 * (s.v.lower + s.v.upper) * v[i];
  };
  if (const auto azimuth = azimuth_of(centre(0), centre(1))) return azimuth;
  if (const auto azimuth = azimuth_of(normal[0], normal[1])) return azimuth;
  return azimuth_of(u[0], u[1]);
}

std::optional<double> azimuth_of(const Layer& layer) {
  if (layer.surface.shape == Shape::plane) return azimuth_of(layer.surface);
  for (const DeadRegion& region : layer.dead) {
    if (region.x || region.y) return 0;
    if (region.phi) return region.phi->lower;
  }
  return std::nullopt;
}

bool is_round(const Field& field) {
  return field.kind == FieldKind::none || field.kind == FieldKind::solenoid ||
         (field.kind == FieldKind::map && field.map->around_z());
}

}  // namespace

std::vector<double> stratified_numbers(std::size_t n, std::size_t slices,
                                       std::uint64_t stream) {
  RandomBranch random({.seed = sample_seed, .stream = stream}, 1);
  std::vector<std::vector<std::size_t>> of_slice(slices);
  std::vector<std::size_t> order;
  for (std::size_t first = 0; first < n; first += slices) {
    order.resize(std::min(slices, n - first));
    std::iota(order.begin(), order.end(), first);
    shuffle(order, random);
    for (std::size_t s = 0; s < order.size(); ++s)
      of_slice[s].push_back(order[s]);
  }
  std::vector<double> numbers;
  numbers.reserve(n);
  for (std::vector<std::size_t>& own : of_slice) {
    shuffle(own, random);
    for (const std::size_t part : own)
      numbers.push_back((static_cast<double>(part) + random.uniform()) /
                        static_cast<double>(n));
  }
  return numbers;
}

std::optional<double> reference_azimuth(const Detector& detector,
                                        const StudyRequest& request) {
  if (!is_round(detector.field)) return 0;
  for (const Layer& layer : detector.layers)
    if (const auto azimuth = azimuth_of(layer)) return azimuth;
  if (const auto azimuth = azimuth_of(request.vertex[0], request.vertex[1]))
    return azimuth;
  const auto& spot = request.beam_spot;
  if (spot && spot->x != spot->y) return 0;
  if (request.average && request.average->vertex) {
    const std::array<double, 3> size = luminous_region_of(request);
    if (size[0] > 0 || size[1] > 0) return 0;
  }
  return std::nullopt;
}

AverageSample::AverageSample(const StudyRequest& request,
                             const Detector& detector, std::size_t n,
                             bool loses_hits)
    : phi_(n, request.phi), vertex_(n, request.vertex), lost_(n) {
  constexpr std::size_t usual_slices = 8, least_in_slice = 4;
  slices_ = n >= usual_slices * least_in_slice ? usual_slices : n;
  for (std::size_t s = 0; s < slices_; ++s)
    slice_.insert(slice_.end(), n / slices_ + (s < n % slices_ ? 1 : 0), s);
  const AverageRequest over = request.average.value_or(AverageRequest{});
  const std::optional<double> reference = reference_azimuth(detector, request);
  if (over.phi && reference) {
    constexpr double golden = 0.61803398874989484820;
    for (std::size_t k = 0; k < n; ++k) {
      const double turns = golden * (static_cast<double>(k) + 0.5);
      phi_[k] = std::remainder(
          *reference + 2 * unit::pi * (turns - std::floor(turns)),
          2 * unit::pi);
    }
  }
  constexpr std::uint64_t first_layer_stream = 3;
  if (over.vertex) {
    const std::array<double, 3> size = luminous_region_of(request);
    std::array<std::vector<double>, 3> numbers;
    for (std::size_t i = 0; i < 3; ++i)
      numbers[i] = stratified_numbers(n, slices_, i);
    // a round region is invariant under the rotation
    const bool turns = over.phi && size[0] == size[1];
    const double angle = turns ? reference.value_or(0) : 0;
    const double c = std::cos(angle), s = std::sin(angle);
    for (std::size_t k = 0; k < n; ++k) {
      std::array<double, 3> d{};
      for (std::size_t i = 0; i < 3; ++i)
        d[i] = size[i] * normal_quantile(numbers[i][k]);
      vertex_[k][0] += c * d[0] - s * d[1];
      vertex_[k][1] += s * d[0] + c * d[1];
      vertex_[k][2] += d[2];
    }
  }
  if (!loses_hits) return;
  for (std::size_t l = 0; l < detector.layers.size(); ++l) {
    const Layer& layer = detector.layers[l];
    if (!layer.measures() || layer.efficiency == 1) continue;
    const std::vector<double> numbers =
        stratified_numbers(n, slices_, first_layer_stream + l);
    for (std::size_t k = 0; k < n; ++k)
      if (numbers[k] >= layer.efficiency) lost_[k].push_back(l);
  }
}

}  // namespace gttf
