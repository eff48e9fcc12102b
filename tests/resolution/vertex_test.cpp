// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/vertex.hpp"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <vector>

#include "gttf/core/matrix.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"
#include "support/dense.hpp"
#include "support/shipped.hpp"
#include "support/wide.hpp"

using namespace gttf;

namespace gttf::test::GTTF_TEST_FILE {
namespace {

const Detector& its2() {
  static const Detector detector = shipped("alice_its2");
  return detector;
}

std::vector<Track> three_tracks() {
  return {{.p = 1.5, .theta = 1.1, .phi = 0.3, .mass = 0.494, .charge = 1},
          {.p = 0.8, .theta = 1.4, .phi = 0.9, .mass = 0.494, .charge = -1},
          {.p = 2.5, .theta = 1.0, .phi = -0.4, .mass = 0.1396, .charge = 1}};
}

std::vector<VertexTrack> measured(const std::vector<Track>& tracks) {
  const TrackingGeometry geometry(its2());
  std::vector<VertexTrack> list;
  for (const Track& t : tracks) {
    const Resolution r = resolve(geometry, t);
    REQUIRE(r.status == Status::ok);
    list.push_back(*vertex_track(t, r.perigee, r.start_plane, geometry.bz()));
  }
  return list;
}

struct Dense {
  Vector4 momentum;
  Eigen::Matrix4d separate, constrained;
  Matrix3 vertex;
};

/// The same fit as one dense least-squares problem for vertex and all momenta.
Dense dense(const std::vector<VertexTrack>& tracks) {
  const auto n = static_cast<Eigen::Index>(tracks.size());
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(5 * n, 3 + 3 * n);
  Eigen::MatrixXd weight = Eigen::MatrixXd::Zero(5 * n, 5 * n);
  Eigen::MatrixXd to_four = Eigen::MatrixXd::Zero(4, 3 + 3 * n);
  Dense r;
  r.momentum.setZero();
  r.separate.setZero();
  for (Eigen::Index i = 0; i < n; ++i) {
    const VertexTrack& t = tracks[static_cast<std::size_t>(i)];
    a.block<5, 3>(5 * i, 0) = t.by_vertex;
    a.block<3, 3>(5 * i + 2, 3 + 3 * i).setIdentity();
    weight.block<5, 5>(5 * i, 5 * i) = inverse(t.covariance);
    const Vector3 p = t.momentum_of(t.m);
    const double e = std::sqrt(p.squaredNorm() + t.mass * t.mass);
    Eigen::Matrix<double, 4, 3> four;
    // the derivative by differences, not that of the code
    const double step = 1e-6;
    for (int k = 0; k < 3; ++k) {
      Vector3 up = t.m, down = t.m;
      up[k] += step;
      down[k] -= step;
      const Vector3 pu = t.momentum_of(up), pd = t.momentum_of(down);
      four.col(k) << (pu - pd) / (2 * step),
          (std::sqrt(pu.squaredNorm() + t.mass * t.mass) -
           std::sqrt(pd.squaredNorm() + t.mass * t.mass)) /
              (2 * step);
    }
    to_four.block<4, 3>(0, 3 + 3 * i) = four;
    r.momentum += (Vector4() << p, e).finished();
    r.separate +=
        four * t.covariance.bottomRightCorner<3, 3>() * four.transpose();
  }
  const Eigen::MatrixXd c = inverse(transformed(a.transpose(), weight));
  r.vertex = c.topLeftCorner<3, 3>();
  r.constrained = transformed(to_four, c);
  return r;
}

/// sigma(m) of two tracks with a common vertex, as one dense least-squares
/// problem in 113 bits.
double wide_sigma_of_mass(const std::vector<VertexTrack>& tracks) {
  REQUIRE(tracks.size() == 2);
  constexpr int n = 3 + 2 * 3;
  using Matrix = Eigen::Matrix<Wide, n, n>;
  Matrix information;
  information.setConstant(Wide(0));
  Eigen::Matrix<Wide, 4, 1> sum;
  sum.setConstant(Wide(0));
  Eigen::Matrix<Wide, 4, n> four;
  four.setConstant(Wide(0));
  for (int i = 0; i < 2; ++i) {
    const VertexTrack& t = tracks[static_cast<std::size_t>(i)];
    Eigen::Matrix<Wide, track_dim, n> a;
    a.setConstant(Wide(0));
    Eigen::Matrix<Wide, track_dim, track_dim> covariance;
    for (int j = 0; j < track_dim; ++j)
      for (int k = 0; k < track_dim; ++k) covariance(j, k) = t.covariance(j, k);
    const auto weight = gttf::inverse<Wide, track_dim>(covariance);
    for (int j = 0; j < track_dim; ++j)
      for (int k = 0; k < 3; ++k) a(j, k) = t.by_vertex(j, k);
    for (int k = 0; k < 3; ++k) a(2 + k, 3 + 3 * i + k) = 1;
    const Eigen::Matrix<Wide, n, track_dim> to = a.transpose();
    const auto weighted = gttf::product(weight, a);
    const auto added = gttf::product(to, weighted);
    const Vector3 p = t.momentum_of(t.m);
    Wide energy = Wide(t.mass) * Wide(t.mass);
    for (int k = 0; k < 3; ++k) energy += Wide(p[k]) * Wide(p[k]);
    energy = sqrt(energy);
    for (int k = 0; k < 3; ++k) {
      sum[k] += p[k];
      for (int j = 0; j < 3; ++j) {
        four(j, 3 + 3 * i + k) = t.momentum_by_m(j, k);
        four(3, 3 + 3 * i + k) += p[j] * Wide(t.momentum_by_m(j, k)) / energy;
      }
    }
    sum[3] += energy;
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) information(j, k) += added(j, k);
  }
  const Matrix c = gttf::inverse<Wide, n>(information);
  Wide mass2 = sum[3] * sum[3], variance = 0;
  for (int k = 0; k < 3; ++k) mass2 -= sum[k] * sum[k];
  Eigen::Matrix<Wide, 1, 4> gradient;
  for (int k = 0; k < 4; ++k) gradient[k] = k < 3 ? Wide(-sum[k]) : sum[3];
  const auto by = gttf::product(gradient, four);
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < n; ++k) variance += by[j] * c(j, k) * by[k];
  return static_cast<double>(sqrt(variance / mass2));
}

Eigen::MatrixXd covariance(const MomentumErrors& errors) {
  return square(Eigen::MatrixXd(errors));
}

double difference(const auto& a, const auto& b) {
  return (a - b).norm() / b.norm();
}

TEST_CASE("vertex: errors are those of dense least squares") {
  const auto tracks = measured(three_tracks());
  const auto fit = fit_vertex(tracks);
  REQUIRE(fit);
  const Dense wanted = dense(tracks);
  // differences with a step of 1e-6
  CHECK(difference(fit->momentum, wanted.momentum) < 1e-14);
  CHECK(difference(covariance(fit->separate), wanted.separate) < 1e-8);
  CHECK(difference(fit->vertex, wanted.vertex) < 1e-8);
  CHECK(difference(covariance(fit->constrained), wanted.constrained) < 1e-8);
}

TEST_CASE("vertex: a constraint cannot harm") {
  // of the same quantities: the field turns directions between perigee and
  // vertex, so it is left out
  std::vector<VertexTrack> tracks = measured(three_tracks());
  for (VertexTrack& t : tracks) t.by_vertex.row(Perigee::phi).setZero();
  const auto fit = fit_vertex(tracks);
  REQUIRE(fit);
  const Eigen::VectorXd gain =
      eigenvalues(covariance(fit->separate) - covariance(fit->constrained));
  CHECK(gain.maxCoeff() > 0);
  CHECK(gain.minCoeff() > -1e-12 * gain.maxCoeff());
}

TEST_CASE("vertex: perigee and plane give the same") {
  // tracks at small angles have both
  std::vector<Track> tracks;
  for (const Track& t : three_tracks()) {
    tracks.push_back(t);
    tracks.back().theta = 0.9 + 0.1 * static_cast<double>(tracks.size());
  }
  const TrackingGeometry geometry(its2());
  std::vector<VertexTrack> perigee, plane;
  for (const Track& t : tracks) {
    const Resolution r = resolve(geometry, t);
    Matrix5 nothing;
    nothing.fill(Resolution::none);
    perigee.push_back(*vertex_track(t, r.perigee, nothing, geometry.bz()));
    plane.push_back(*vertex_track(t, nothing, r.start_plane, geometry.bz()));
    CHECK_FALSE(vertex_track(t, nothing, nothing, geometry.bz()));
  }
  const auto a = fit_vertex(perigee), b = fit_vertex(plane);
  REQUIRE(a);
  REQUIRE(b);
  CHECK(difference(a->vertex, b->vertex) < 1e-9);
  // the plane leaves out how the field turns tracks within the vertex' error
  CHECK(difference(covariance(a->constrained), covariance(b->constrained)) <
        0.01);
  CHECK(difference(covariance(a->separate), covariance(b->separate)) < 0.1);
}

TEST_CASE("vertex: turning everything about z turns the result") {
  const double turn = 0.7;
  std::vector<Track> turned = three_tracks();
  for (Track& t : turned) t.phi += turn;
  const auto a = fit_vertex(measured(three_tracks()));
  const auto b = fit_vertex(measured(turned));
  const Matrix3 r = Eigen::AngleAxisd(turn, Vector3::UnitZ()).matrix();
  CHECK(difference(Matrix3(r * a->vertex * r.transpose()), b->vertex) < 1e-10);
  CHECK(sigma_of_mass(a->momentum, a->constrained) ==
        doctest::Approx(sigma_of_mass(b->momentum, b->constrained))
            .epsilon(1e-10));
}

TEST_CASE("vertex: one track or parallel ones determine no point") {
  const auto tracks = measured(three_tracks());
  CHECK_FALSE(fit_vertex(std::span(tracks).first(1)));
  const std::vector<VertexTrack> twice{tracks[0], tracks[0]};
  CHECK_FALSE(fit_vertex(twice));
}

TEST_CASE("vertex: nearly parallel tracks keep the digits of the mass") {
  // the products of a fast particle, at angles of 1/10 to 1e-5
  for (const double angle : {0.1, 1e-2, 1e-3, 1e-4, 1e-5})
    for (const double p : {3.0, 30.0, 300.0}) {
      CAPTURE(angle);
      CAPTURE(p);
      const auto tracks = measured(
          {{.p = p, .theta = 1.1, .phi = 0.3, .mass = 0.1396, .charge = 1},
           {.p = 0.7 * p,
            .theta = 1.1 + angle,
            .phi = 0.3 - angle / 2,
            .mass = 0.1396,
            .charge = -1}});
      const auto fit = fit_vertex(tracks);
      REQUIRE(fit);
      // rounding of the momenta, of which the mass is a small difference
      const double epsilon = 1e-9 + 1e-13 * std::pow(p / 0.1396, 2);
      CHECK(sigma_of_mass(fit->momentum, fit->constrained) ==
            doctest::Approx(wide_sigma_of_mass(tracks)).epsilon(epsilon));
    }
}

TEST_CASE("vertex: data without errors give the vertex and momenta back") {
  const auto tracks = measured(three_tracks());
  const auto errors = fit_vertex(tracks);
  REQUIRE(errors);
  const Vector3 vertex(0.03, -0.02, 0.05);
  std::vector<Vector5> y;
  for (const VertexTrack& t : tracks) y.push_back(t.by_vertex * vertex);
  const FittedVertex fit = fit_vertex(tracks, *errors, y);
  CHECK((fit.vertex - vertex).norm() < 1e-12);
  CHECK((fit.constrained - errors->momentum).norm() < 1e-12);
}

TEST_CASE("masses: known values and derivatives") {
  // two massless tracks at an angle: m^2 = 2 E1 E2 (1 - cos)
  const Vector3 p(3, 0, 4), q(-1, 2, 2);
  Vector4 sum;
  sum << p + q, p.norm() + q.norm();
  CHECK(mass_of(sum) ==
        doctest::Approx(std::sqrt(2 * (p.norm() * q.norm() - p.dot(q)))));
  Eigen::Matrix4d c = Eigen::Matrix4d::Identity() * 1e-4;
  c(3, 0) = c(0, 3) = 3e-5;
  const MomentumErrors errors = cholesky(c).value();
  Vector4 by_mass, by_recoil;
  const double sqrt_s = 20, step = 1e-6;
  for (int i = 0; i < 4; ++i) {
    Vector4 up = sum, down = sum;
    up[i] += step;
    down[i] -= step;
    by_mass[i] = (mass_of(up) - mass_of(down)) / (2 * step);
    by_recoil[i] =
        (recoil_mass(up, sqrt_s) - recoil_mass(down, sqrt_s)) / (2 * step);
  }
  CHECK(sigma_of_mass(sum, errors) ==
        doctest::Approx(std::sqrt(by_mass.dot(c * by_mass))).epsilon(1e-8));
  const double by_beam =
      (recoil_mass(sum, sqrt_s + step) - recoil_mass(sum, sqrt_s - step)) /
      (2 * step);
  CHECK(sigma_of_recoil_mass(sum, errors, sqrt_s, 0.05) ==
        doctest::Approx(std::sqrt(by_recoil.dot(c * by_recoil) +
                                  by_beam * by_beam * 0.05 * 0.05))
            .epsilon(1e-8));
}

}  // namespace
}  // namespace gttf::test::GTTF_TEST_FILE
