// SPDX-License-Identifier: Apache-2.0
// With "ok" there is a correct, finite number: the decision whether a track is
// determined, in both engines and in batches.
#include "gttf/fit/streaming/determination.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gttf/fit/streaming/streaming_fit.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/engine.hpp"
#include "gttf/resolution/toys.hpp"
#include "support/batch.hpp"
#include "support/compare.hpp"
#include "support/dense_track.hpp"
#include "support/magnets.hpp"
#include "support/singular_tracks.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

bool is_result(Status s) { return s == Status::ok || s == Status::no_field; }

/// Two engines are both right to half of it.
constexpr double agreed = 2 * determined_to;

constexpr Matrix5 Resolution::*covariances[] = {
    &Resolution::perigee, &Resolution::perigee_without_inner,
    &Resolution::first_hit};

/// Parameters that exist; along z there is no azimuth.
std::vector<int> parameters_of(const SingularTrack& c, Status status) {
  std::vector<int> list;
  if (c.track.theta > 0) list = {0, 1, 2, 3};
  if (status == Status::ok) list.push_back(Perigee::qop);
  return list;
}

/// Largest relative difference of two engines' standard deviations.
double difference(const Resolution& a, const Resolution& b,
                  const std::vector<int>& parameters = {0, 1, 2, 3, 4}) {
  double largest = 0;
  for (const auto matrix : covariances)
    for (const int i : parameters)
      largest = std::max(largest, relative(std::sqrt((b.*matrix)(i, i)),
                                           std::sqrt((a.*matrix)(i, i))));
  if (a.status == Status::ok)
    largest = std::max(
        {largest, relative(b.sigma_p_rel, a.sigma_p_rel),
         relative_if_any(b.sigma_p_rel_hit_only, a.sigma_p_rel_hit_only)});
  const bool along_z = parameters.size() < 4;
  if (a.status == Status::ok && !along_z)
    largest = std::max(largest, relative(b.sigma_pt_rel, a.sigma_pt_rel));
  return largest;
}

bool is_finite(const Resolution& r, const std::vector<int>& parameters) {
  for (const auto matrix : covariances)
    for (const int i : parameters)
      for (const int j : parameters)
        if (!std::isfinite((r.*matrix)(i, j))) return false;
  const bool along_z = parameters.size() < 4;
  return r.status == Status::no_field ||
         (std::isfinite(r.sigma_p_rel) &&
          (along_z || std::isfinite(r.sigma_pt_rel)) && std::isfinite(r.xi) &&
          (along_z || std::isfinite(r.mu_phi)));
}

/// Standard deviations of a helix in 113 bits.
struct WideSigmas {
  std::vector<double> sigmas;
  /// Do 113 bits determine them to 1e-8, so that a dense fit and the streaming
  /// one agree?
  bool determined = true;
  double pt = 0;  ///< sigma(pT)/pT, material inside of all hits included
};

WideSigmas wide_sigmas(const TrackingGeometry& geometry, const SingularTrack& c,
                       const detail::AnyTrack& found) {
  const auto crossings = with_scalar(geometry, *found.helix(),
                                     make_line<Wide>(c.track, geometry.bz()),
                                     Scattering::highland);
  const HelixPath<Wide> path(geometry, crossings);
  std::optional<StartHit<Wide>> start;
  if (c.spot) start = make_start_hit(crossings.line, *c.spot);
  const StartHit<Wide>* const hit = start ? &*start : nullptr;
  const std::vector<Wide> dense = dense_sigmas(path, hit);
  const Covariance5<Wide> streamed = covariance(filter<Errors::all>(path, hit));
  WideSigmas wide;
  for (std::size_t j = 0; j < dense.size(); ++j) {
    const auto sigma = static_cast<double>(sqrt(streamed[j][j]));
    wide.determined = wide.determined &&
                      relative(static_cast<double>(dense[j]), sigma) < agreed;
    wide.sigmas.push_back(sigma);
  }
  if (!path.fits_momentum()) return wide;
  const Covariance5<Wide>& m = streamed;
  Wide theta = m[Perigee::theta][Perigee::theta];
  for (int k = 0; !hit && k <= path.first(); ++k)
    theta += path.kinks(static_cast<std::size_t>(k)).w;
  const Wide by_theta = path.kappa() * path.line().cot_theta;
  const Wide variance =
      m[Perigee::kappa][Perigee::kappa] +
      by_theta * (by_theta * theta - 2 * m[Perigee::kappa][Perigee::theta]);
  wide.pt = static_cast<double>(sqrt(variance) / abs(path.kappa()));
  return wide;
}

/// Largest relative error of standard deviations.
double error_of(const TrackingGeometry& geometry, const SingularTrack& c,
                const WideSigmas& wide, const Resolution& r) {
  // with a beam spot the inner material is part of the fit
  const Matrix5& m = c.spot ? r.perigee : r.perigee_without_inner;
  double largest = 0;
  for (std::size_t j = 0; j < wide.sigmas.size(); ++j) {
    const auto i = static_cast<int>(j);
    const double unit = j == 4 ? std::abs(geometry.bz()) : 1;
    largest =
        std::max(largest, relative(std::sqrt(m(i, i)) * unit, wide.sigmas[j]));
  }
  if (std::isfinite(r.sigma_pt_rel) && r.status == Status::ok)
    largest = std::max(largest, relative(r.sigma_pt_rel, wide.pt));
  return largest;
}

Detector barrel_of(std::vector<Layer> layers, double tesla = 2) {
  Detector d;
  d.name = "barrel";
  d.field = {FieldKind::solenoid, tesla * unit::T};
  d.layers = std::move(layers);
  set_reference(d.field);
  return d;
}

Layer cylinder(double radius, double x_over_x0,
               std::vector<Coordinate> coordinates) {
  static int n = 0;
  return make_layer("C" + std::to_string(n++),
                    make_cylinder(radius, {-4e3, 4e3}), x_over_x0,
                    std::move(coordinates));
}

constexpr Engine engines[] = {Engine::streaming, Engine::triplet};

Model with_engine(Engine engine) {
  Model model;
  model.engine = engine;
  return model;
}

void compare_engines(SingularTracks::Kind kind, unsigned n) {
  using Kind = SingularTracks::Kind;
  const bool extreme = kind == Kind::extreme;
  const char* const asked = std::getenv("GTTF_SINGULAR_TRACKS");
  if (asked) n = static_cast<unsigned>(std::atoi(asked));
  int tried = 0, results = 0, refused = 0, dense = 0, status = 0, infinite = 0,
      apart = 0, batch = 0, wrong = 0, limits = 0, limits_apart = 0,
      hit_limits = 0;
  int determined = 0, refused_determined = 0;
  double largest = 0;
  for (unsigned seed = 0; seed < n; ++seed) {
    CAPTURE(seed);
    const SingularTrack c = SingularTracks(seed, kind).next();
    const TrackingGeometry geometry(c.detector);
    Model model = with_engine(Engine::streaming);
    model.beam_spot = c.spot;
    Model triplet = with_engine(Engine::triplet);
    triplet.beam_spot = c.spot;
    const detail::AnyTrack found(geometry, c.track, model);
    const Resolution a = detail::resolve(found, model);
    const Resolution b = detail::resolve(found, triplet);
    ++tried;
    status += a.status != b.status;
    if (asked && a.status != b.status)
      MESSAGE("status: " << seed << ", p " << c.track.p << ": "
                         << to_string(a.status));
    if (is_vectorised(geometry, model)) {
      Status one = Status::ok;
      ResolutionArrays arrays;
      arrays.status = std::span(&one, 1);
      resolve(geometry, arrays_of(c.track), model, arrays);
      batch += one != a.status;
      if (asked && one != a.status)
        MESSAGE("batch: " << seed << ", p " << c.track.p << ": "
                          << to_string(a.status) << ", " << to_string(one));
    }
    refused += a.status == Status::not_determined;
    // five times as long as everything else for a track of few layers
    const bool in_wide =
        kind != Kind::many_layers && found.helix() && seed % 10 == 0 &&
        (is_result(a.status) || a.status == Status::not_determined);
    const WideSigmas wide =
        in_wide ? wide_sigmas(geometry, c, found) : WideSigmas{{}, false, 0};
    determined += wide.determined;
    if (wide.determined && !is_result(a.status)) {
      ++refused_determined;
      if (asked) MESSAGE("refused: " << seed << ", p " << c.track.p);
    }
    if (!is_result(a.status) || a.status != b.status) continue;
    ++results;
    const std::vector<int> parameters = parameters_of(c, a.status);
    const bool finite = is_finite(a, parameters) && is_finite(b, parameters);
    infinite += !finite;
    if (asked && !finite) MESSAGE("infinite: " << seed << ", p " << c.track.p);
    // kinks of many turns: no angle is small any more, and what is left of
    // them at a hit is rounding of the triplets
    const bool bends = c.track.p > 1e-3;
    const double between = difference(a, b, parameters);
    if (bends) apart += !(between < agreed);
    if (asked && !(between < agreed))
      MESSAGE("apart: " << seed << ", p " << c.track.p << ": " << between);
    hit_limits += std::isnan(a.sigma_p_rel_hit_only) !=
                  std::isnan(b.sigma_p_rel_hit_only);
    const bool has_limit = !std::isnan(a.sigma_p_rel_ms_only);
    if (has_limit == std::isnan(b.sigma_p_rel_ms_only))
      ++limits;
    else
      limits_apart += has_limit && !(relative(b.sigma_p_rel_ms_only,
                                              a.sigma_p_rel_ms_only) < agreed);
    if (asked && has_limit &&
        !(relative(b.sigma_p_rel_ms_only, a.sigma_p_rel_ms_only) < agreed))
      MESSAGE("limit: " << seed << ", p " << c.track.p << ": "
                        << a.sigma_p_rel_ms_only << ", "
                        << b.sigma_p_rel_ms_only);
    if (!wide.determined) continue;
    ++dense;
    const double error = error_of(geometry, c, wide, a);
    if (asked && !(error < agreed))
      MESSAGE("wrong: " << seed << ", p " << c.track.p << ": " << error);
    largest = std::max(largest, error);
    wrong += !(error < agreed);
  }
  MESSAGE(determined << " determined by 113 bits, of which "
                     << refused_determined << " refused; apart " << apart
                     << ", limits apart " << limits_apart);
  MESSAGE(tried << " tracks, " << results << " with a result, " << refused
                << " not determined, largest error of " << dense << ": "
                << largest);
  CHECK(results > tried / 4);
  CHECK(refused > tried / 20);
  CHECK(refused_determined <= determined / 1000);
  // of traced tracks with layers less than a micrometre apart
  CHECK(status <= (extreme ? results / 1000 : 0));
  CHECK(batch == 0);
  CHECK(infinite == 0);
  CHECK(apart == 0);
  CHECK(hit_limits == 0);
  // the triplets take hits less than a nanometre apart as one
  CHECK(limits <= results / 1000);
  // in doubles, exact hits lose digits where kinks differ very much
  CHECK(limits_apart <= (extreme ? results / 400 : 0));
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("determined: what both engines, batches and 113 bits agree on") {
  compare_engines(SingularTracks::Kind::usual, 20000);
}

TEST_CASE("determined: the same with extreme errors, angles and distances") {
  compare_engines(SingularTracks::Kind::extreme, 20000);
}

TEST_CASE("determined: the same with hundreds of layers of any error") {
  compare_engines(SingularTracks::Kind::many_layers, 4000);
}

TEST_CASE("determined: fits whose first reference is far away go on") {
  // hits of one coordinate give a first helix of a thousand times the curvature
  int fitted = 0;
  for (const unsigned seed : {5293U, 9663U, 19460U}) {
    CAPTURE(seed);
    const SingularTrack c = SingularTracks(seed).next();
    const TrackingGeometry geometry(c.detector);
    const Model model;
    const detail::AnyTrack found(geometry, c.track, model);
    const double sigma =
        std::sqrt(detail::resolve(found, model).perigee_without_inner(4, 4)) *
        std::abs(geometry.bz());
    const ToySimulator simulator(geometry, c.track, model);
    StreamingFitter fitter({.kappa = found.kappa()});
    const GlobalFit& fit = fitter.fit(simulator.prototype().hits);
    if (fit.status == FitStatus::not_converged) continue;
    REQUIRE(fit.status == FitStatus::ok);
    ++fitted;
    CHECK(std::abs(fit.kappa - found.kappa()) < 1e-5 * sigma);
    CHECK(relative(fit.sigma, sigma) < 1e-6);
  }
  CHECK(fitted >= 2);
}

TEST_CASE("determined: fits of hits are ok where their errors are right") {
  const char* const asked = std::getenv("GTTF_SINGULAR_TRACKS");
  const unsigned n = asked ? static_cast<unsigned>(std::atoi(asked)) : 5000;
  int fitted = 0, refused = 0, wrong = 0, not_refused = 0, unexplained = 0;
  double largest = 0;
  for (unsigned seed = 0; seed < n; ++seed) {
    CAPTURE(seed);
    const SingularTrack c = SingularTracks(seed).next();
    const TrackingGeometry geometry(c.detector);
    const Model model;
    const detail::AnyTrack found(geometry, c.track, model);
    // the hits of other momenta make no helix that a fit could find
    if (!found.helix() || !found.fits_momentum() || c.track.p < 0.1 ||
        c.track.p > 1e4)
      continue;
    const Resolution r = detail::resolve(found, model);
    if (r.status != Status::ok && r.status != Status::not_determined) continue;
    const ToySimulator simulator(geometry, c.track, model);
    StreamingFitter fitter({.kappa = found.kappa()});
    const GlobalFit& fit = fitter.fit(simulator.prototype().hits);
    const double b = std::abs(geometry.bz());
    if (fit.status != FitStatus::ok) {
      ++refused;
      if (r.status != Status::ok) continue;
      // errors with which no fit is linear
      const Matrix5& m = r.first_hit;
      const bool linear = m(0, 0) < data_variances.position &&
                          m(1, 1) < data_variances.position &&
                          m(2, 2) < data_variances.angle &&
                          m(3, 3) < data_variances.angle &&
                          m(4, 4) * b * b < data_variances.curvature;
      // hits at one place, or on top of each other, are refused by themselves
      const bool by_decision = fit.status == FitStatus::not_determined;
      unexplained += linear && by_decision;
      if (asked && linear && by_decision)
        MESSAGE("refused: " << seed << ", p " << c.track.p << ", sigma_p "
                            << r.sigma_p_rel);
      continue;
    }
    ++fitted;
    if (r.status != Status::ok) {
      ++not_refused;
      if (asked) MESSAGE("not refused: " << seed << ", p " << c.track.p);
      continue;
    }
    const double error =
        relative(fit.sigma, std::sqrt(r.perigee_without_inner(4, 4)) * b);
    wrong += !(error < 1e-6);
    if (asked && !(error < 1e-6))
      MESSAGE("wrong: " << seed << ", p " << c.track.p << ": " << error
                        << ", sigma_p " << r.sigma_p_rel);
    largest = std::max(largest, error);
  }
  MESSAGE(fitted << " fits, " << refused << " refused, of which " << unexplained
                 << " could be linear; " << not_refused
                 << " not refused; largest error " << largest);
  CHECK(fitted > static_cast<int>(n) / 10);
  CHECK(not_refused == 0);
  CHECK(wrong == 0);
  CHECK(unexplained == 0);
}

TEST_CASE("determined: a pT known much better than p and theta") {
  // stereo angles of 1e-7 degrees: only the transverse plane is measured
  Layer plane =
      make_layer("P", make_plane(Axis::x, 20.001, {-1e3, 1e3}, {-3e3, 3e3}),
                 0.001, {{0, 1}, {0.5 * unit::pi, 1e-6}});
  const auto limit = [](double angle) { return 0.001 * unit::deg + angle; };
  const Detector d =
      barrel_of({plane, cylinder(30.001, 0.001, {{limit(0), 1e-6}}),
                 cylinder(40.001, 1e-9,
                          {{limit(0), 1e-3}, {limit(1e-7 * unit::deg), 1}})},
                1);
  const TrackingGeometry geometry(d);
  for (const double degrees : {60., 75., 90.}) {
    CAPTURE(degrees);
    const Track t{.p = 2.236, .theta = degrees * unit::deg};
    Model model;
    model.scattering = Scattering::off;
    const Resolution a = resolve(geometry, t, model);
    model.engine = Engine::triplet;
    const Resolution b = resolve(geometry, t, model);
    REQUIRE(a.status == Status::ok);
    REQUIRE(b.status == Status::ok);
    CHECK(relative(b.sigma_pt_rel, a.sigma_pt_rel) < agreed);
  }
}

TEST_CASE("determined: one coordinate along z does not determine theta and z") {
  // r-phi on five layers, z on one
  const Detector d = barrel_of({cylinder(13.1285, 1.906e-5, {{0, 9.3}}),
                                cylinder(13.1633, 0.002615, pixel(1.3, 2.8e-4)),
                                cylinder(13.2746, 0, {{0, 0.02131}}),
                                cylinder(17.5285, 0.00447, {{0, 0.06549}}),
                                cylinder(18.8258, 0, {{0, 0.4306}})},
                               1);
  const Track t{.p = 2195, .theta = 67.559 * unit::deg, .vertex = {5, -3, 20}};
  for (const Engine engine : engines) {
    const Resolution r = resolve(TrackingGeometry(d), t, with_engine(engine));
    CHECK(r.status == Status::not_determined);
    CHECK(std::isnan(r.sigma_p_rel));
    CHECK(std::isnan(r.perigee(0, 0)));
  }
}

TEST_CASE("determined: strips along z and a beam spot leave the azimuth free") {
  // cos(90 deg) is 6e-17 in a double, not a measurement
  const double right = 0.5 * unit::pi;
  std::vector<Layer> layers;
  for (const double r : {30.0, 60.0, 90.0, 120.0})
    layers.push_back(cylinder(r, 0.01, {{right, 0.01}}));
  Model model;
  model.beam_spot = BeamSpot{0.01, 0.01, 30};
  for (const Engine engine : engines) {
    model.engine = engine;
    const Resolution r =
        resolve(TrackingGeometry(barrel_of(layers)), {.p = 1}, model);
    CHECK(r.status == Status::not_determined);
  }
}

// Steps in a map with edges that are harder than its nodes are close depend on
// rounding, and so do derivatives, to about 1e-11.
TEST_CASE(
    "determined: in a field map, rounding of the momentum has no effect") {
  const auto dipole = [](const Vector3& x) {
    constexpr double edge = 7.5;
    const double z = x.z() - 450;
    const double falls = std::exp((std::abs(z) - 250) / edge);
    const double by = 1.9 * unit::T / (1 + falls);
    const double slope = -std::copysign(by / edge * falls / (1 + falls), z);
    return Vector3(0, by, slope * x.y());
  };
  const Field field = map_field(
      rounded(sample(dipole, {axis_from(-800, 800, 5), axis_from(-300, 300, 13),
                              axis_from(-100, 1200, 53)}),
              9));
  std::mt19937 random(5);
  const auto uniform = [&random](double from, double to) {
    return std::uniform_real_distribution<>(from, to)(random);
  };
  int n_ok = 0, n_refused = 0;
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    Detector d;
    d.name = "telescope";
    d.field = field;
    const double turn = uniform(-0.05, 0.05), lean = uniform(-0.05, 0.05);
    const auto add = [&d](double z, const Vector3& across,
                          std::vector<Coordinate> coordinates) {
      const Vector3 n = across.normalized();
      const Vector3 u = Vector3(n.z(), 0, -n.x()).normalized();
      d.layers.push_back(
          make_layer(std::to_string(z),
                     make_inclined_plane({0, 0, z}, {n.x(), n.y(), n.z()},
                                         {u.x(), u.y(), u.z()}, {1500, 500}),
                     0.01, std::move(coordinates)));
    };
    add(uniform(760, 820), {turn, lean, 1}, pixel(0.01, 0.02));
    add(uniform(850, 950), {0, 0, 1}, pixel(0.01, 0.02));
    // every other track is measured well
    if (i % 2 == 0) add(uniform(0, 100), {0, 0, 1}, pixel(0.02, 0.02));
    add(uniform(1000, 1150), {0, 0, 1}, {{uniform(0.05, 0.3), 0.02}});
    const TrackingGeometry geometry(d);
    Track t;
    t.p = std::exp(uniform(-1, 2));
    t.theta = i % 3 == 0 ? 0 : uniform(0, 0.1);
    t.phi = -0.5 * unit::pi;
    Model model;
    if (i % 4 < 2) model.scattering = Scattering::off;
    const Resolution r = resolve(geometry, t, model);
    if (r.status != Status::ok) {
      ++n_refused;
      continue;
    }
    ++n_ok;
    for (int k = 1; k <= 4; ++k) {
      Track other = t;
      other.p *= 1 + k * 1e-14;
      const Resolution s = resolve(geometry, other, model);
      if (s.status != Status::ok) continue;  // next to the limit
      CHECK(relative(s.sigma_p_rel, r.sigma_p_rel) < agreed);
      for (int q = 0; q < 4; ++q)
        CHECK(relative(std::sqrt(s.start_plane(q, q)),
                       std::sqrt(r.start_plane(q, q))) < agreed);
    }
  }
  CHECK(n_ok >= 100);
  CHECK(n_refused >= 20);
}

TEST_CASE("determined: momenta up to 1e300 GeV have finite numbers") {
  const TrackingGeometry geometry(make_barrel(6, 30, 500, 2, 0.01, 0.01));
  for (const double p : {1e10, 1e100, 1e200, 1e300})
    for (const Engine engine : engines) {
      CAPTURE(p);
      const Resolution r = resolve(geometry, {.p = p}, with_engine(engine));
      REQUIRE(r.status == Status::ok);
      CHECK(std::isfinite(r.sigma_p_rel));
      CHECK(std::isfinite(r.sigma_pt_rel));
      CHECK(r.xi > 0);
      // hits only: proportional to p
      const Resolution at_10 = resolve(geometry, {.p = 1e10});
      CHECK(r.sigma_p_rel / p ==
            doctest::Approx(at_10.sigma_p_rel / 1e10).epsilon(1e-8));
    }
}

TEST_CASE("determined: layers at one place count in both engines") {
  // r-phi and z of a point from two layers each
  std::vector<Layer> layers;
  for (const double r : {30.0, 80.0, 200.0, 500.0}) {
    layers.push_back(cylinder(r, 0.004, {{0, 0.01}}));
    layers.push_back(cylinder(r, 0.006, {{0.5 * unit::pi, 0.05}}));
  }
  const TrackingGeometry geometry(barrel_of(layers));
  const Track t{.p = 1, .theta = 1.1, .vertex = {2, 1, 5}};
  const Resolution a = resolve(geometry, t);
  const Resolution b = resolve(geometry, t, with_engine(Engine::triplet));
  REQUIRE(a.status == Status::ok);
  REQUIRE(b.status == Status::ok);
  CHECK(difference(a, b) < 1e-10);
}

TEST_CASE("determined: exact hits without material need a kink next to them") {
  const auto limits = [](std::vector<Layer> layers) {
    const TrackingGeometry geometry(barrel_of(std::move(layers)));
    std::vector<double> list;
    for (const Engine engine : engines)
      list.push_back(
          resolve(geometry, {.p = 1, .theta = 1.2}, with_engine(engine))
              .sigma_p_rel_ms_only);
    return list;
  };
  const auto hit = pixel(0.01, 0.01);
  const auto beside = limits({cylinder(30, 0.01, hit), cylinder(100, 0.01, hit),
                              cylinder(200, 0, hit), cylinder(250, 0.01, {}),
                              cylinder(300, 0.01, hit)});
  // the kink of the next layer is sufficient
  CHECK(beside[0] > 0);
  CHECK(beside[1] == doctest::Approx(beside[0]).epsilon(1e-8));
  const auto none = limits({cylinder(30, 0.01, hit), cylinder(100, 0.01, hit),
                            cylinder(200, 0, hit), cylinder(300, 0.01, hit)});
  // four coordinates in a row without a kink between: contradictory
  CHECK(std::isnan(none[0]));
  CHECK(std::isnan(none[1]));
}

}  // namespace gttf::test::GTTF_TEST_FILE
