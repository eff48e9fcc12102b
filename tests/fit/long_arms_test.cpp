// SPDX-License-Identifier: Apache-2.0
// Lines written in parameters at a start that is far away from all hits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gttf/fit/streaming/streaming.hpp"
#include "support/wide.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// A weakly bent track in a uniform field across the beam,
///
///   u = d0 + phi z + kappa z^2/2,   v = z0 + theta z
///
/// through planes at z: every derivative is exact in every scalar type.
template <class S>
class BeamPath {
 public:
  using Scalar = S;
  using Gain = GeneralGain<S>;
  static constexpr bool kinks_touch_kappa = true;

  struct Plane {
    double z;
    double theta0;
    std::vector<CoordinateAxis> axes;
  };

  BeamPath(std::vector<Plane> planes, double straggling)
      : planes_(std::move(planes)), straggling_(straggling) {}

  std::size_t size() const { return planes_.size(); }
  int first() const { return 0; }
  int last() const { return static_cast<int>(size()) - 1; }
  bool fits_momentum() const { return true; }
  S kappa() const { return S(1e-4); }
  const SurfaceRecord& surface(std::size_t) const { return surface_; }
  std::span<const CoordinateAxis> axes(std::size_t k) const {
    return planes_[k].axes;
  }
  Row<S> row(std::size_t k, double cosine, double sine) const {
    const S z(planes_[k].z), c(cosine), s(sine);
    return {c, s, c * z, s * z, c * z * z * S(0.5)};
  }
  std::array<Row<S>, 5> on_surface(std::size_t k) const {
    const S z(planes_[k].z), zero(0), one(1);
    return {row(k, 1, 0), row(k, 0, 1), Row<S>{zero, zero, one, zero, z},
            Row<S>{zero, zero, zero, one, zero},
            Row<S>{zero, zero, zero, zero, one}};
  }
  GeneralKinks<S> kinks(std::size_t k) const {
    const S z(planes_[k].z), zero(0), one(1);
    const S w = S(planes_[k].theta0) * S(planes_[k].theta0);
    return {.theta = {zero, -z, zero, one, zero},
            .phi = {-z, zero, one, zero, zero},
            .w = w,
            .w_phi = w,
            .loss = {z * z * S(0.5), zero, -z, zero, one},
            .w_loss = S(straggling_) * S(straggling_)};
  }
  GeneralKinks<S> general_kinks(std::size_t k) const { return kinks(k); }

 private:
  std::vector<Plane> planes_;
  double straggling_;
  SurfaceRecord surface_;
};

/// Three stations of three planes each, strips at small angles, `arm`
/// downstream of the start.
template <class S>
BeamPath<S> stations(double arm, double gap, double theta0, double straggling) {
  std::vector<typename BeamPath<S>::Plane> planes;
  for (int station = 0; station < 3; ++station)
    for (int k = 0; k < 3; ++k) {
      const double angle = 0.1 * (k - 1), variance = 1e-4;
      planes.push_back({arm + gap * station + 40.0 * k,
                        theta0,
                        {{std::cos(angle), std::sin(angle), variance}}});
    }
  return BeamPath<S>(std::move(planes), straggling);
}

double worst(const Covariance5<double>& a, const Covariance5<Wide>& b) {
  double w = 0;
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      w = std::max(
          w, std::abs(static_cast<double>((Wide(a[i][j]) - b[i][j]) /
                                          sqrt(Wide(b[i][i]) * b[j][j]))));
  return w;
}

}  // namespace

TEST_CASE("long arms: ten metres and soft tracks cost no digits that matter") {
  constexpr const StartHit<double>* none = nullptr;
  constexpr const StartHit<Wide>* wide_none = nullptr;
  double at_start = 0, at_layer = 0;
  for (const double arm : {100.0, 1e3, 1e4})
    for (const double gap : {200.0, 1e3, 5e3})
      for (const double theta0 : {0.0, 1e-5, 1e-3, 1e-2})
        for (const double straggling : {0.0, 1e-8}) {
          const auto path = stations<double>(arm, gap, theta0, straggling);
          const auto wide = stations<Wide>(arm, gap, theta0, straggling);
          at_start =
              std::max(at_start, worst(covariance(filter<Errors::all>(path)),
                                       covariance(filter<Errors::all>(wide))));
          for (const std::size_t k : {0u, 4u, 8u})
            at_layer = std::max(
                at_layer, worst(covariance(line_before(path, none, k),
                                           path.on_surface(k)),
                                covariance(line_before(wide, wide_none, k),
                                           wide.on_surface(k))));
        }
  CAPTURE(at_start);
  CAPTURE(at_layer);
  CHECK(at_start < 1e-9);
  CHECK(at_layer < 1e-9);
}

}  // namespace gttf::test::GTTF_TEST_FILE
