// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/covariance_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "gttf/core/matrix.hpp"

namespace gttf {

namespace {

struct Parameter {
  const char* name;
  const char* unit;  ///< as part of a column's name
};

constexpr int n_parameters = 5;
/// In the order of Perigee.
constexpr std::array<Parameter, n_parameters> parameters = {
    {{"d0", "mm"},
     {"z0", "mm"},
     {"phi0", "rad"},
     {"theta", "rad"},
     {"qop", "per_GeV"}}};

/// cov_d0_d0_mm2, cov_d0_phi0_mm_rad, cov_d0_qop_mm_per_GeV.
std::string column_name(const Parameter& a, const Parameter& b) {
  const std::string one = a.unit, other = b.unit;
  const std::string unit = one != other ? one + "_" + other : one + "2";
  return fmt::format("cov_{}_{}_{}", a.name, b.name, unit);
}

/// Calls work(k, i, j) for the k-th element of the upper triangle, row by row.
template <class Work>
void for_each_element(const Work& work) {
  std::size_t k = 0;
  for (int i = 0; i < n_parameters; ++i)
    for (int j = i; j < n_parameters; ++j) work(k++, i, j);
}

}  // namespace

void CovarianceTable::reserve(std::size_t rows) {
  point_.reserve(rows);
  n_hits_.reserve(rows);
  status_.reserve(rows);
  for (Reals& column : elements_) column.reserve(rows);
}

void CovarianceTable::add(const Detector& detector, const StudyRequest& request,
                          GridPoint point, const Resolution& r) {
  point_.add(detector, request, point);
  n_hits_.push_back(r.n_hits);
  status_.emplace_back(to_string(r.status));
  for_each_element([&](std::size_t k, int i, int j) {
    elements_[k].push_back(r.perigee(i, j));
  });
  if (std::isfinite(r.perigee(Perigee::d0, Perigee::d0))) ++evaluated_;
}

CovarianceColumns::CovarianceColumns(std::size_t tracks)
    : perigee(CovarianceTable::n_elements * tracks),
      n_hits(tracks),
      status(tracks) {}

ResolutionArrays CovarianceColumns::views() {
  ResolutionArrays r;
  r.perigee = perigee;
  r.n_hits = n_hits;
  r.status = status;
  return r;
}

void CovarianceTable::add(const Detector& detector, const StudyRequest& request,
                          std::size_t first, const TrackArrays& tracks,
                          const CovarianceColumns& r) {
  reserve(rows() + tracks.size);
  for (std::size_t t = 0; t < tracks.size; ++t) {
    const Track track = tracks.track(t);
    point_.add(detector, request, grid_point(request, first + t), track.p,
               track.theta);
    n_hits_.push_back(r.n_hits[t]);
    status_.emplace_back(to_string(r.status[t]));
    if (std::isfinite(r.perigee[t])) ++evaluated_;
  }
  for_each_element([&](std::size_t k, int i, int j) {
    const auto plane = static_cast<std::size_t>(j * (j + 1) / 2 + i);
    const auto from =
        r.perigee.begin() + static_cast<std::ptrdiff_t>(plane * tracks.size);
    elements_[k].insert(elements_[k].end(), from,
                        from + static_cast<std::ptrdiff_t>(tracks.size));
  });
}

Table CovarianceTable::take() && {
  Table t;
  std::move(point_).move_to(t);
  t.columns.push_back({"n_hits", std::move(n_hits_)});
  t.columns.push_back({"status", std::move(status_)});
  for_each_element([&](std::size_t k, int i, int j) {
    t.columns.push_back({column_name(parameters[static_cast<std::size_t>(i)],
                                     parameters[static_cast<std::size_t>(j)]),
                         std::move(elements_[k])});
  });
  return t;
}

}  // namespace gttf
