// SPDX-License-Identifier: Apache-2.0
// Searches of the shipped problems, whose optima are known.
#include "gttf/study/optimise/search.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "gttf/study/optimise/best_file.hpp"
#include "gttf/study/optimise/optimisation_view.hpp"
#include "gttf/study/optimise/proof.hpp"
#include "gttf/study/optimise/read_problem.hpp"
#include "gttf/study/optimise/unseen_optima.hpp"
#include "support/problems.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

const std::string folder = GTTF_SOURCE_DIR "/configs/optimise/";

OptimisationProblem problem(const std::string& name) {
  Diagnostics warnings;
  return read_problem(folder + name, {}, {}, warnings);
}

const LimitPrice& limit(const SearchResult& r, const std::string& name) {
  for (const LimitPrice& p : r.limits)
    if (p.name == name) return p;
  FAIL("no limit " << name);
  return r.limits.front();
}

double objective(const SearchResult& r) { return r.program->in_unit(r.best.f); }

}  // namespace

TEST_CASE("progress names the best design so far") {
  for (const std::string name : {"its2.yaml", "telescope.yaml"}) {
    CAPTURE(name);
    OptimisationProblem p = problem(name);
    p.starts = 8;
    SearchOptions options;
    std::vector<SearchProgress> seen;
    options.progress = [&](const SearchProgress& s) { seen.push_back(s); };
    const SearchResult r = search(p, options);
    REQUIRE(r.found);
    REQUIRE(!seen.empty());
    CHECK(seen.back().done >= seen.size());
    REQUIRE(seen.back().best.starts_with("best "));
    // not yet verified, nor solved to the last digit
    CHECK(std::stod(seen.back().best.substr(5)) ==
          doctest::Approx(objective(r)).epsilon(0.01));
  }
}

TEST_CASE("one solution of the ITS2 problem, with its multipliers") {
  const OptimisationProblem its2 = problem("its2.yaml");
  SearchOptions options;
  options.local = true;
  const SearchResult r = search(its2, options);
  REQUIRE(r.found);
  CHECK(r.program->in_unit(r.start_f) ==
        doctest::Approx(24.05445431907315).epsilon(1e-9));
  CHECK(objective(r) == doctest::Approx(19.515814817617215).epsilon(1e-6));
  CHECK(r.certificate.kind == Certificate::Kind::local);
  CHECK(r.certificate.residual < 1e-8);
  CHECK(r.verify_violation <= 1e-9);
  // finite differences of re-optimised problems, 2 %
  CHECK(limit(r, "silicon").multiplier ==
        doctest::Approx(0.9496).epsilon(0.02));
  CHECK(limit(r, "sigma_pt_rel <= 4.60 %").multiplier ==
        doctest::Approx(2.969).epsilon(0.02));
  CHECK_FALSE(limit(r, "sigma_pt_rel <= 3.85 %").active);
  CHECK(limit(r, "gap L1-L2").multiplier ==
        doctest::Approx(0.001303966).epsilon(0.02));
  CHECK(r.bounds[0].at_lower);
  CHECK(r.bounds[0].multiplier == doctest::Approx(0.0421427).epsilon(0.02));
  CHECK(r.bounds[6].at_upper);
  CHECK(r.best.x[4] == doctest::Approx(222.53536).epsilon(1e-5));
  // 1 m2 of silicon costs so many um
  CHECK(limit(r, "silicon").price ==
        doctest::Approx(0.9496 * 19.5158 / 6.5).epsilon(0.02));
  CHECK(limit(r, "silicon").price_unit == "um/m2");
}

TEST_CASE("the best of many starts, and its certificate") {
  OptimisationProblem its2 = problem("its2.yaml");
  its2.starts = 24;
  SearchOptions options;
  const SearchResult r = search(its2, options);
  REQUIRE(r.found);
  CHECK(std::abs(objective(r) - 19.515815) < 2e-5);
  CHECK(r.certificate.kind == Certificate::Kind::best_of_starts);
  CHECK(r.certificate.starts == 24);
  CHECK(r.certificate.reached >= 8);
  // the same bytes with any number of threads
  options.threads = 3;
  const SearchResult other = search(its2, options);
  CHECK(other.best.x == r.best.x);
  CHECK(other.certificate.optima == r.certificate.optima);
  CHECK(other.effort.gradients == r.effort.gradients);
}

TEST_CASE("more starts are not needed once all optima are likely seen") {
  // the numbers of the source, and the share below which it must be
  CHECK_FALSE(are_all_seen(20, 1));
  CHECK(are_all_seen(21, 1));
  CHECK_FALSE(are_all_seen(35, 2));
  CHECK(are_all_seen(36, 2));
  CHECK_FALSE(are_all_seen(256, 11));
  CHECK_FALSE(are_all_seen(256, 0));
  CHECK_FALSE(are_all_seen(3, 2));
  CHECK(unseen_share(256, 4) == doctest::Approx(20.0 / (256 * 255)));
  CHECK(unseen_share(2, 2) == 1);

  OptimisationProblem its2 = problem("its2.yaml");
  CHECK(its2.solves_all_starts);  // the study gives their number
  its2.solves_all_starts = false;
  SearchOptions options;
  const SearchResult r = search(its2, options);
  REQUIRE(r.found);
  CHECK(std::abs(objective(r) - 19.515815) < 2e-5);
  const Certificate& c = r.certificate;
  CHECK(c.kind == Certificate::Kind::best_of_starts);
  CHECK(c.starts < 200);
  CHECK(c.most_starts == 256);
  CHECK(are_all_seen(c.met_limits, c.optima.size()));
  // which ones are solved depends on no thread
  options.threads = 3;
  const SearchResult other = search(its2, options);
  CHECK(other.best.x == r.best.x);
  CHECK(other.certificate.starts == c.starts);
  CHECK(other.certificate.optima == c.optima);
  CHECK(other.effort.gradients == r.effort.gradients);
  // and none is left out if their number is requested
  its2.solves_all_starts = true;
  its2.starts = 100;
  CHECK(search(its2, {}).certificate.starts == 100);
}

TEST_CASE("layers end where a track that must keep its hits crosses them") {
  Diagnostics warnings;
  const OptimisationProblem lengths = read_problem(
      GTTF_SOURCE_DIR "/tests/optimise/lengths.yaml", {}, {}, warnings);
  const SearchResult r = search(lengths, {});
  REQUIRE(r.found);
  CHECK(r.certificate.residual < 1e-9);
  const Detector& barrel = lengths.input.detector;
  double area = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    // the track at 60 deg and 10 GeV bends little: r/tan(theta) (1 + (r
    // c)^2/24)
    const double radius = barrel.layers[i + 1].surface.position;
    const double c = barrel.field.bz / (10 * std::sin(60 * unit::deg));
    const double turn = radius * c;
    const double z = radius / std::tan(60 * unit::deg) * (1 + turn * turn / 24);
    // a nanometre is left, and the next term is below that
    CHECK(std::abs(r.best.x[i] - std::max(z, 5.0)) < 3 * unit::nm);
    area += 4 * unit::pi * radius * r.best.x[i];
  }
  CHECK(objective(r) == doctest::Approx(area / 1e6).epsilon(1e-12));
  // what one more millimetre costs is said of the track that needs it
  const LimitPrice& edge = limit(r, "hit in L6 at p = 10 GeV, theta = 60 deg");
  CHECK(edge.active);
  CHECK(edge.unit == "mm");
  CHECK(edge.price ==
        doctest::Approx(4 * unit::pi * barrel.layers[6].surface.position / 1e6)
            .epsilon(1e-6));
}

TEST_CASE("prices that only options give count at the start, too") {
  Diagnostics warnings;
  const OptimisationProblem priced = read_problem(
      GTTF_SOURCE_DIR "/tests/optimise/priced_options.yaml", {}, {}, warnings);
  const SearchResult r = search(priced, {});
  REQUIRE(r.found);
  double area = 0;
  for (std::size_t l = 4; l < 7; ++l) {
    const Surface& s = priced.input.detector.layers[l].surface;
    area += 2 * unit::pi * s.position * s.v.length() / 1e6;
  }
  CHECK(r.program->in_unit(r.start_f) ==
        doctest::Approx(3 * area).epsilon(1e-12));
  CHECK(objective(r) == doctest::Approx(area).epsilon(1e-12));
  CHECK(r.start_is_feasible);
}

TEST_CASE("derivatives of objective and limits against differences") {
  const OptimisationProblem its2 = problem("its2.yaml");
  DesignProgram program(its2, Combination{});
  std::vector<std::size_t> working{1, 2};
  const NonlinearProgram p = program.program(working);
  std::vector<double> x = program.space().start_values();
  x[3] += 3;
  const Eigen::VectorXd at = program.scaled(x);
  const auto exact = p.evaluate(at, true);
  REQUIRE(exact);
  constexpr double h = 5e-4;
  for (Eigen::Index i = 0; i < at.size(); ++i) {
    const auto values = [&](double steps) {
      Eigen::VectorXd y = at;
      y[i] += steps * h;
      return *p.evaluate(y, false);
    };
    const auto difference = [&](const auto& get) {
      return (45 * (get(values(1)) - get(values(-1))) -
              9 * (get(values(2)) - get(values(-2))) +
              (get(values(3)) - get(values(-3)))) /
             (60 * h);
    };
    INFO(i);
    CHECK(std::abs(exact->gradient[i] - difference([](const ProgramValues& v) {
                     return v.f;
                   })) < 1e-7 * exact->gradient.norm());
    for (Eigen::Index k = 0; k < exact->limits.size(); ++k) {
      INFO(k);
      CHECK(std::abs(exact->jacobian(k, i) -
                     difference([k](const ProgramValues& v) {
                       return v.limits[k];
                     })) < 1e-7 * exact->jacobian.row(k).norm());
    }
  }
}

TEST_CASE("the best four of twelve planes, proven") {
  OptimisationProblem telescope = problem("telescope.yaml");
  const SearchResult at_5 = search(telescope, {});
  REQUIRE(at_5.found);
  CHECK(at_5.certificate.kind == Certificate::Kind::proven);
  CHECK(at_5.program->combination().chosen ==
        std::vector<std::string>{"P1,P5,P6,P7"});
  CHECK(objective(at_5) == doctest::Approx(1.5321289182175735).epsilon(1e-9));
  telescope.objective.criterion.momentum.values = {1};
  const SearchResult at_1 = search(telescope, {});
  CHECK(at_1.program->combination().chosen ==
        std::vector<std::string>{"P1,P6,P7,P12"});
  CHECK(objective(at_1) == doctest::Approx(3.9038227108584476).epsilon(1e-9));
  // more is not better: four beat all twelve at 1 GeV
  telescope.choices[0].least = 3;
  telescope.choices[0].most = 12;
  const SearchResult any = search(telescope, {});
  CHECK(objective(any) <= objective(at_1));
  CHECK(objective(any) < 4.054934580693893);
  // bounds count as designs, and spare more than half of 4017 combinations
  CHECK(any.certificate.kind == Certificate::Kind::proven);
  CHECK(any.effort.designs < 4017 / 2);
}

TEST_CASE("bounds exclude no better combination") {
  Diagnostics warnings;
  const OptimisationProblem layers = read_problem(
      GTTF_SOURCE_DIR "/tests/optimise/layers.yaml", {}, {}, warnings);
  for (const auto kind : {Objective::Kind::point, Objective::Kind::quantity,
                          Objective::Kind::margin})
    for (const double silicon : {2e6, 4e6, 6e6, 8e6}) {
      CAPTURE(silicon);
      OptimisationProblem limited = layers;
      limited.objective.kind = kind;
      limited.limits[0].max = silicon;
      // all of them, individually
      double best = 1e300, least_violation = 1e300;
      const auto combinations = combinations_of(limited);
      CHECK(combinations.size() == 7 * 15);
      for (const Combination& combination : combinations) {
        DesignProgram program(limited, combination);
        const auto all = program.all_values({});
        if (!all) continue;
        least_violation = std::min(least_violation, all->violation());
        if (all->violation() <= 1e-9) best = std::min(best, all->f);
      }
      const SearchResult r = search(limited, {});
      CHECK(r.certificate.kind == Certificate::Kind::proven);
      CHECK(r.found == (best < 1e300));
      if (r.found)
        CHECK(r.best.f == doctest::Approx(best).epsilon(1e-12));
      else
        CHECK(r.best.violation ==
              doctest::Approx(least_violation).epsilon(1e-12));
    }
}

TEST_CASE("gaps and envelopes are those of the layers that are taken") {
  Diagnostics warnings;
  OptimisationProblem layers = read_problem(
      GTTF_SOURCE_DIR "/tests/optimise/layers.yaml", {}, {}, warnings);
  layers.limits.clear();
  const std::vector<Layer>& all = layers.input.detector.layers;
  REQUIRE(all.size() >= 7);
  const auto index = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(all, name, &Layer::name) -
                                    all.begin());
  };
  const std::size_t l0 = index("L0"), l1 = index("L1"), l2 = index("L2");
  const auto number = [&](std::size_t layer) {
    return layers.space.design.first_of(layer);
  };
  // L1 is too near to its neighbours, and too far out
  const double r0 = all[l0].surface.position, r2 = all[l2].surface.position;
  layers.gaps = {{"gap L0-L1", number(l0), number(l1), r2 - r0},
                 {"gap L1-L2", number(l1), number(l2), (r2 - r0) / 2 + 20}};
  layers.envelopes = {{"L1 within r <= r0", number(l1), r0, true}};

  const auto without = [&](const std::vector<std::size_t>& absent) {
    Combination combination;
    combination.absent.assign(all.size(), 0);
    for (const std::size_t l : absent) combination.absent[l] = 1;
    return combination;
  };
  const auto design = [&](const std::vector<std::size_t>& absent) {
    return DesignProgram(layers, without(absent)).all_values({})->others;
  };
  CHECK(design({}) > 0);
  CHECK(design({l0}) > 0);  // the gap of L1 and L2, and the envelope
  CHECK(design({l2}) > 0);
  CHECK(design({l0, l1}) <= 0);
  CHECK(design({l1, l2}) <= 0);

  // without L1, its neighbours keep the smaller of its gaps
  DesignProgram program(layers, {});
  program.set_absent(without({l1}).absent);
  REQUIRE(program.gaps().size() == 1);
  CHECK(program.envelopes().empty());
  CHECK(program.gaps()[0].name == "gap L0-L2");
  CHECK(program.gaps()[0].inner == number(l0));
  CHECK(program.gaps()[0].outer == number(l2));
  CHECK(program.gaps()[0].min ==
        std::min(layers.gaps[0].min, layers.gaps[1].min));
  const double violation =
      (program.gaps()[0].min - (r2 - r0)) / DesignProgram::gap_unit;
  CHECK(program.all_values({})->others == doctest::Approx(violation));
}

TEST_CASE("equal hits are placed where no others are much better") {
  OptimisationProblem arm = problem("lever-arm.yaml");
  arm.starts = 6;
  const SearchResult r = search(arm, {});
  REQUIRE(r.found);
  CHECK(objective(r) == doctest::Approx(0.007734166708747154).epsilon(1e-6));
  CHECK(r.certificate.kind == Certificate::Kind::bounded);
  CHECK(r.certificate.gap >= 0);
  CHECK(r.certificate.gap < 0.002);
  arm.objective.criterion.quantity = *find_column("sigma_theta");
  const SearchResult theta = search(arm, {});
  CHECK(objective(theta) ==
        doctest::Approx(0.005802469541074354).epsilon(1e-6));
  CHECK(theta.certificate.gap < 0.002);
}

TEST_CASE("limits that no design meets: the smallest achievable ratio") {
  OptimisationProblem its2 = problem("its2.yaml");
  its2.starts = 4;
  its2.limits[0].max = 1e6;  // 1 m2
  const SearchResult r = search(its2, {});
  CHECK_FALSE(r.found);
  REQUIRE(r.infeasible);
  CHECK(r.infeasible->ratio > 1);
  CHECK(r.infeasible->requirement == "sigma_pt_rel <= 4.60 %");
  REQUIRE(r.infeasible->track);
  CHECK(r.infeasible->track->p == 10);
  CHECK(r.verify_violation ==
        doctest::Approx(r.infeasible->ratio - 1).epsilon(1e-9));
  CHECK(r.certificate.residual < 1e-6);
  CHECK(limit(r, "sigma_pt_rel <= 4.60 %").active);
  CHECK(limit(r, "sigma_pt_rel <= 4.60 %").multiplier > 0);
  // the prices are those of the ratio, in the range that is given
  const LimitPrice& silicon = limit(r, "silicon");
  CHECK(silicon.price_unit == "1/m2");
  REQUIRE(silicon.price_range);
  CHECK(silicon.price_range->first < 1);
  CHECK(silicon.price_range->second > 1);
  constexpr double step = 1e-4;
  its2.limits[0].max = 1e6 * (1 + step);
  const SearchResult more = search(its2, {});
  REQUIRE(more.infeasible);
  CHECK(std::log(r.infeasible->ratio / more.infeasible->ratio) / step ==
        doctest::Approx(silicon.multiplier).epsilon(0.02));
}

TEST_CASE("a quantity that cannot be within its limit is named") {
  OptimisationProblem its2 = problem("its2.yaml");
  its2.starts = 4;
  its2.limits[0].max = 1e5;  // 0.1 m2
  SUBCASE("with limits on resolutions") {}
  SUBCASE("without") { its2.requirements.clear(); }
  const SearchResult r = search(its2, {});
  CHECK_FALSE(r.found);
  REQUIRE(r.infeasible);
  CHECK(r.infeasible->requirement == "silicon");
  CHECK_FALSE(r.infeasible->track);
  // radii of 22 mm and 6 mm more each
  double area = 0;
  for (int i = 0; i < 7; ++i) {
    const double radius = 22 + 6 * i;
    area += 4 * unit::pi * radius * (radius / std::tan(40 * unit::deg) + 60);
  }
  CHECK(r.infeasible->ratio == doctest::Approx(area / 1e5).epsilon(1e-6));
  CHECK(r.verify_violation == doctest::Approx(area / 1e5 - 1).epsilon(1e-6));
  const auto missed = missed_most(*r.program, r.best.x);
  REQUIRE(missed);
  CHECK(missed->name == "silicon");
  CHECK(missed->amount == doctest::Approx(area / 1e5 - 1).epsilon(1e-6));
}

TEST_CASE("a mean that cannot be below its limit is named") {
  OptimisationProblem its2 = problem("its2.yaml");
  its2.starts = 4;
  // the errors of its only point, as a mean below what silicon allows
  its2.means.push_back(
      {"mean error", its2.objective.criterion, std::nullopt, false, {}, 15e-3});
  its2.objective = {};
  its2.objective.kind = Objective::Kind::quantity;
  its2.objective.name = "silicon";
  its2.requirements.clear();
  const SearchResult r = search(its2, {});
  CHECK_FALSE(r.found);
  REQUIRE(r.infeasible);
  CHECK(r.infeasible->requirement == "mean error");
  its2.means.clear();
  its2.objective = problem("its2.yaml").objective;
  CHECK(r.infeasible->ratio ==
        doctest::Approx(objective(search(its2, {})) / 15).epsilon(1e-6));
}

TEST_CASE("a search that ends while choices are open falls back to the file") {
  Diagnostics warnings;
  OptimisationProblem inner = read_problem(
      GTTF_SOURCE_DIR "/tests/optimise/inner_layers.yaml", {}, {}, warnings);
  std::string chosen = "present";
  SUBCASE("one of the options is that of the file") {}
  SUBCASE("none of the options is") {
    inner.choices[0].options.pop_back();
    chosen = "as in the file";
  }
  SearchOptions options;
  options.keep_on = [] { return false; };
  const SearchResult r = search(inner, options);
  CHECK(r.interrupted);
  CHECK(r.is_start);
  CHECK(r.found);
  CHECK(r.best.f == r.start_f);
  CHECK(r.best.x == inner.space.start_values());
  REQUIRE(r.program->combination().chosen.size() == 1);
  CHECK(r.program->combination().chosen[0] == chosen);
  CHECK(certificate_text(r).starts_with("none: the design of the file"));
  const DesignNumbers written(
      parse_detector(best_file(*r.program, r.best.x, {}), "best.yaml")
          .detector);
  CHECK(written.values() == inner.space.start);
}

TEST_CASE("a search that ends early keeps a design better than the file") {
  OptimisationProblem its2 = problem("its2.yaml");
  its2.starts = 8;
  SearchOptions options;
  int steps = 0;
  options.keep_on = [&steps] { return ++steps < 40; };
  const SearchResult r = search(its2, options);
  CHECK(r.interrupted);
  CHECK_FALSE(r.is_start);
  CHECK(r.best.violation < 1e-3);  // the file is beyond its limits by 18 %

  // twelve planes are not four
  const OptimisationProblem planes = problem("telescope.yaml");
  options.keep_on = [] { return false; };
  const SearchResult four = search(planes, options);
  CHECK_FALSE(four.is_start);
  CHECK(four.program->combination().chosen[0] != "");
}

TEST_CASE("pitches of CLD on a grid and on its finer grid: one optimum") {
  Diagnostics warnings;
  OptimisationProblem pitches = read_problem(
      GTTF_SOURCE_DIR "/tests/optimise/cld_pitches.yaml", {}, {}, warnings);
  const SearchResult r = search(pitches, {});
  REQUIRE(r.found);
  CHECK(r.certificate.kind == Certificate::Kind::proven);
  CHECK(r.certificate.residual < 1e-7);
  CHECK(r.certificate.gap < 1e-6);
  // the finer grid has 37 x 37 points: the same ones as a grid
  CHECK(objective(r) == doctest::Approx(7.7044135).epsilon(1e-7));
  // from the optimum of the coarse points a better one is found
  pitches.starts = 1;
  for (std::size_t i = 0; i < pitches.space.size(); ++i) {
    DesignKey& key = pitches.space.keys[pitches.space.variables[i].keys[0]];
    pitches.space.variables[i].start = key.start = r.best.x[i];
    for (const NumberSlope& n : key.numbers)
      pitches.space.start[n.number] = r.best.x[i];
  }
  const SearchResult again = search(pitches, {});
  REQUIRE(again.found);
  CHECK(again.best.f <= again.start_f + 1e-11);
  CHECK(again.certificate.kind == Certificate::Kind::proven);
}

TEST_CASE("a convex optimum is solved until its gap is closed") {
  const std::string grid =
      "at: { p: { from: 0.5 GeV, to: 100 GeV, points: 25 }, theta: { from: 50 "
      "deg, to: 90 deg, points: 20 } }";
  const std::string layers = "layers[VTX1..VTX6,ITK1..ITK3,OTK1..OTK3]";
  const OptimisationProblem pitches = problem_of(
      "detector: " GTTF_SOURCE_DIR
      "/detectors/cld.yaml\n"
      "vary:\n"
      "  " +
      layers +
      ".measures.rphi: { from: 1 um, to: 100 um }\n"
      "  " +
      layers +
      ".measures.z: { from: 1 um, to: 300 um }\n"
      "quantities: { c: { sum: area / m2 * ((20 um / sigma_z)^2 + (20 um / "
      "sigma_rphi)^2), of: '" +
      layers +
      "' } }\n"
      "minimise: { quantity: c }\n"
      "subject_to:\n"
      "  - { what: sigma_z0, " +
      grid +
      ", max: 8 um (+) 30 um * GeV / pT }\n"
      "  - { what: sigma_d0, " +
      grid +
      ", max: 5 um (+) 25 um * GeV / pT }\n"
      "  - { what: sigma_pt_rel, " +
      grid + ", max: 0.003 % * pT / GeV (+) 0.7 % }\n");
  const SearchResult r = search(pitches, {});
  REQUIRE(r.found);
  CHECK(r.certificate.kind == Certificate::Kind::proven);
  CHECK(r.certificate.gap <= 1e-6);
}

TEST_CASE("a convex problem with choices: one optimum of each, proven") {
  const OptimisationProblem choices = problem_of(
      "detector: " GTTF_SOURCE_DIR
      "/detectors/cld.yaml\n"
      "vary:\n"
      "  layers[VTX1..VTX3].material.thickness: { choose: [45 um, 100 um, 200 "
      "um] }\n"
      "  layers[VTX1..VTX6].measures.z: { from: 2 um, to: 300 um }\n"
      "quantities: { c: { sum: area / m2 * (20 um / sigma_z)^2 + 0.05 % / "
      "x_over_x0, of: 'layers[VTX1..VTX6]' } }\n"
      "minimise: { quantity: c }\n"
      "subject_to:\n"
      "  - { what: sigma_z0, at: { pt: { from: 0.5 GeV, to: 50 GeV, points: 4 "
      "}, theta: { from: 50 deg, to: 90 deg, points: 4 } }, max: 8 um (+) 30 "
      "um * GeV / pT }\n");
  const SearchResult r = search(choices, {});
  REQUIRE(r.found);
  CHECK(r.certificate.kind == Certificate::Kind::proven);
  CHECK(r.certificate.gap <= 1e-6);
  CHECK(r.certificate.optima == std::vector<double>{r.best.f});
  SearchOptions threads;
  threads.threads = 3;
  const SearchResult other = search(choices, threads);
  CHECK(other.best.x == r.best.x);
  CHECK(other.effort.gradients == r.effort.gradients);
}

TEST_CASE("lengths and lower limits that no design meets are named") {
  const std::string barrel =
      "detector: " GTTF_SOURCE_DIR
      "/detectors/barrel.yaml\n"
      "vary: { 'layers[L2].cylinder.radius': { from: 35 mm, to: 60 mm } }\n"
      "quantities: { radius: { sum: radius, of: 'layers[L2]' } }\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n";
  SUBCASE("an envelope") {
    const OptimisationProblem p = problem_of(
        barrel +
        "keep: [{ envelope: { of: 'layers[L2]', r: [80 mm, 300 mm] } }]\n"
        "subject_to: [{ what: sigma_d0, at: { p: 1 GeV, theta: 90 deg }, max: "
        "1 um }]\n");
    const SearchResult r = search(p, {});
    CHECK_FALSE(r.found);
    REQUIRE(r.infeasible);
    CHECK(r.infeasible->requirement == "L2 within r >= 80 mm");
    REQUIRE(r.infeasible->missing);
    CHECK(*r.infeasible->missing == doctest::Approx(20).epsilon(1e-9));
    CHECK(certificate_text(r).starts_with("of the least miss: best of "));
  }
  SUBCASE("a lower limit of a quantity") {
    const OptimisationProblem p =
        problem_of(barrel + "subject_to: [{ quantity: radius, min: 90 mm }]\n");
    const SearchResult r = search(p, {});
    CHECK_FALSE(r.found);
    REQUIRE(r.infeasible);
    CHECK(r.infeasible->requirement == "radius");
    CHECK_FALSE(r.infeasible->missing);
    CHECK(r.infeasible->ratio == doctest::Approx(1.5).epsilon(1e-9));
  }
}

TEST_CASE("a choice of layers that is interrupted has a bound") {
  OptimisationProblem planes = problem("telescope.yaml");
  const SearchResult whole = search(planes, {});
  SearchOptions options;
  options.keep_on = [] { return false; };
  const SearchResult r = search(planes, options);
  REQUIRE(r.interrupted);
  CHECK(r.certificate.kind == Certificate::Kind::bounded);
  CHECK(r.certificate.gap > 0);
  CHECK(std::exp(r.best.f) / (1 + r.certificate.gap) <=
        std::exp(whole.best.f) * (1 + 1e-12));
}

TEST_CASE("the bound of an interrupted choice of layers rises all the time") {
  OptimisationProblem planes = problem("telescope.yaml");
  planes.choices[0].least = 3;
  planes.choices[0].most = 12;
  int calls = 0;
  SearchOptions options;
  options.keep_on = [&] { return ++calls > 0; };
  const SearchResult whole = search(planes, options);
  REQUIRE(whole.certificate.kind == Certificate::Kind::proven);
  const int all = calls;
  double last = 1;
  for (const double share : {0.1, 0.2, 0.3, 0.5, 0.7, 0.9}) {
    CAPTURE(share);
    calls = -static_cast<int>(share * all);
    options.keep_on = [&] { return ++calls < 0; };
    const SearchResult r = search(planes, options);
    REQUIRE(r.interrupted);
    REQUIRE(r.certificate.kind == Certificate::Kind::bounded);
    CHECK(r.certificate.gap < last);
    last = r.certificate.gap;
    CHECK(r.best.f - std::log1p(r.certificate.gap) <= whole.best.f + 1e-12);
    if (share >= 0.5) CHECK(r.certificate.gap < 0.05);
  }
}

TEST_CASE("layers that slow tracks down are not bounded without material") {
  const std::string root = GTTF_SOURCE_DIR;
  const std::string limit =
      "detector: " + root +
      "/detectors/barrel.yaml\nparticle: proton\n"
      "minimise: { what: sigma_p_rel, at: { p: 350 MeV, theta: 90 deg } }\n";
  OptimisationProblem slowed = problem_of(
      "energy_loss: mean\nchoose: { layers: { of: 'layers[L1..L6]', at_most: 4 "
      "} }\n" +
      limit);
  CHECK(has_energy_loss(slowed));
  double best = 1e300;
  std::size_t n = 0;
  for (const Combination& combination : combinations_of(slowed)) {
    DesignProgram program(slowed, combination);
    ++n;
    if (const auto all = program.all_values({})) best = std::min(best, all->f);
  }
  const SearchResult r = search(slowed, {});
  REQUIRE(r.found);
  CHECK(r.certificate.reason ==
        fmt::format("all {} combinations were evaluated", n));
  CHECK(r.best.f == doctest::Approx(best).epsilon(1e-12));
  // nor does the least material prove that a limit is missed
  const std::string vary =
      "vary: { 'layers[L1..L6].material': { from: 0.1 %, to: 2 % } }\n" +
      limit +
      "subject_to: [{ what: sigma_d0, at: { p: 350 MeV, theta: 90 deg }, max: "
      "1 um }]\n";
  const OptimisationProblem with = problem_of("energy_loss: mean\n" + vary),
                            without = problem_of(vary);
  CHECK_FALSE(is_beyond_best_corner(DesignProgram(with, Combination{})));
  CHECK(is_beyond_best_corner(DesignProgram(without, Combination{})));
}

TEST_CASE(
    "combinations are chosen by limits on texts, and variables keep them") {
  const std::string barrel =
      "detector: " GTTF_SOURCE_DIR
      "/detectors/barrel.yaml\n"
      "minimise: { what: sigma_pt_rel, at: { p: 1 GeV, theta: 90 deg } }\n";
  const std::string choice =
      "choose: { layers: { of: 'layers[L1..L6]', at_least: 4 } }\n";
  const auto limit = [](const std::string& p, const std::string& is) {
    return "subject_to: [{ what: regime, at: { p: " + p +
           ", theta: 90 deg }, is: " + is + " }]\n";
  };
  const OptimisationProblem free = problem_of(barrel + choice),
                            limited = problem_of(barrel + choice +
                                                 limit("60 GeV", "mixed"));
  double best = 1e300;
  for (const Combination& combination : combinations_of(limited)) {
    DesignProgram program(limited, combination);
    const auto all = program.all_values({});
    REQUIRE(all);
    if (all->violation() <= 1e-9) best = std::min(best, all->f);
  }
  const SearchResult r = search(limited, {});
  REQUIRE(r.found);
  CHECK(r.best.f == doctest::Approx(best).epsilon(1e-12));
  CHECK(r.best.f > search(free, {}).best.f + 1e-6);
  // no combination: the text is named
  const OptimisationProblem none =
      problem_of(barrel + choice + limit("1 GeV", "hits"));
  const SearchResult missed = search(none, {});
  CHECK_FALSE(missed.found);
  REQUIRE(missed.infeasible);
  CHECK(missed.infeasible->requirement.starts_with("regime"));
  // variables stay where the text is that of the start
  OptimisationProblem kept = problem_of(
      barrel +
      "vary: { 'layers[L1..L6].measures.rphi': { from: 3 um, to: 30 um } }\n" +
      limit("100 GeV", "hits"));
  const SearchResult stays = searched(kept, 2);
  CHECK(stays.found);
  CHECK_THROWS_AS(
      problem_of(barrel +
                 "vary: { 'layers[L1].measures.rphi': { from: 3 um, to: 30 um "
                 "} }\n" +
                 limit("1 GeV", "hits")),
      InputError);
}

TEST_CASE("limits between the points of a grid decide between combinations") {
  const auto layer = [](const std::string& name, const std::string& shape) {
    return "  - name: " + name + "\n    " + shape +
           "\n    material: 0.3 %\n    measures: { " +
           (name == "D" ? "rphi: 10 um, r" : "rphi: 10 um, z") + ": 10 um }\n";
  };
  // the disk does not reach the angles at which B4 ends
  const TemporaryFile detector(
      "gttf-detector: 1\nname: hole\nfield: { solenoid: 2 T }\nlayers:\n" +
      layer("B1", "cylinder: { radius: 30 mm, half_length: 500 mm }") +
      layer("B2", "cylinder: { radius: 60 mm, half_length: 500 mm }") +
      layer("B3", "cylinder: { radius: 90 mm, half_length: 500 mm }") +
      layer("B4", "cylinder: { radius: 300 mm, half_length: 150 mm }") +
      layer("D", "disk: { z: 340 mm, radius: [250 mm, 450 mm] }"));
  const std::string study =
      "detector: " + detector.path() +
      "\nchoose: { outer: {"
      " short: { 'layers[B4].cylinder.half_length': 150 mm, price: 1 },"
      " long: { 'layers[B4].cylinder.half_length': 400 mm, price: 2 },"
      " longer: { 'layers[B4].cylinder.half_length': 450 mm, price: 3 } } }\n"
      "quantities: { cost: { sum: price, of: 'layers[B4]' } }\n"
      "minimise: { quantity: cost }\n"
      "subject_to: [{ what: sigma_pt_rel, at: { p: 1 GeV, theta: { from: 40 "
      "deg, to: 90 deg, points: 2 } }, max: 2 % }]\n";
  const OptimisationProblem alone = problem_of(study);
  const SearchResult r = search(alone, {});
  REQUIRE(r.found);
  CHECK(r.program->combination().chosen[0] == "long");
  // the same with a variable
  OptimisationProblem varied = problem_of(
      study + "vary: { 'layers[B1].measures.z': { from: 5 um, to: 20 um } }\n");
  const SearchResult other = searched(varied, 2);
  REQUIRE(other.found);
  CHECK(other.program->combination().chosen[0] == "long");
}

TEST_CASE("gaps that cannot be kept are missed by the same amount") {
  // from 30 mm to 500 mm
  OptimisationProblem p = problem_of(
      "detector: " GTTF_SOURCE_DIR
      "/detectors/barrel.yaml\n"
      "vary: { 'layers[L2..L5].cylinder.radius': { from: 40 mm, to: 480 mm } "
      "}\n"
      "keep: [{ gap: { between: [L1..L6], min: 200 mm } }]\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n");
  const SearchResult r = searched(p, 8);
  CHECK_FALSE(r.found);
  REQUIRE(r.infeasible);
  REQUIRE(r.infeasible->missing);
  CHECK(*r.infeasible->missing == doctest::Approx(106).epsilon(1e-9));
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(r.best.x[i] ==
          doctest::Approx(30 + 94 * static_cast<double>(i + 1)).epsilon(1e-9));
  for (const LimitPrice& gap : r.limits) {
    CHECK(gap.active);
    CHECK(gap.price == doctest::Approx(0.2).epsilon(1e-9));
    CHECK(gap.price_unit == "mm/mm");
    CHECK(gap.multiplier == doctest::Approx(0.2 / 106).epsilon(1e-9));
  }
}

TEST_CASE("a coverage that cannot be kept is missed by as little as possible") {
  // six layers at most 100 mm long: the outermost one is left first
  OptimisationProblem p = problem_of(
      "detector: " GTTF_SOURCE_DIR
      "/detectors/barrel.yaml\n"
      "vary: { 'layers[L1..L6].cylinder.half_length': { from: 50 mm, to: 100 "
      "mm "
      "} }\n"
      "keep: [{ coverage: { hits: 6, theta: { from: 60 deg, to: 120 deg }, "
      "vertex_z: 10 mm } }]\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n");
  const SearchResult r = searched(p, 4);
  CHECK_FALSE(r.found);
  REQUIRE(r.infeasible);
  REQUIRE(r.infeasible->missing);
  CHECK(
      *r.infeasible->missing ==
      doctest::Approx(500 / std::tan(60 * unit::deg) + 10 - 100).epsilon(1e-9));
  CHECK(r.best.x[5] == doctest::Approx(100));
  CHECK(std::ranges::any_of(r.limits, [](const LimitPrice& limit) {
    return limit.name.starts_with("6 hits: ") && limit.active;
  }));
}

TEST_CASE("a quantity that choices cannot limit without a value is named") {
  // fewer than three layers have less silicon, but no momentum
  const OptimisationProblem p = problem_of(
      "detector: " GTTF_SOURCE_DIR
      "/detectors/barrel.yaml\n"
      "choose: { layers: { of: 'layers[L1..L6]', at_most: 4 } }\n"
      "quantities: { silicon: { sum: area, of: 'layers[L1..L6]' } }\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
      "subject_to:\n"
      "  - { quantity: silicon, max: 0.1 m2 }\n"
      "  - { what: sigma_pt_rel, at: { p: 1 GeV, theta: 90 deg }, max: 5 % "
      "}\n");
  double least = 1e300;
  for (const Combination& combination : combinations_of(p)) {
    DesignProgram program(p, combination);
    const auto all = program.all_values({});
    if (!all || *std::ranges::max_element(all->samples) > 0) continue;
    least = std::min(least, program.limits_at({}, {}).back().value);
  }
  const SearchResult r = search(p, {});
  CHECK_FALSE(r.found);
  REQUIRE(r.infeasible);
  CHECK(r.infeasible->requirement == "silicon");
  CHECK(r.infeasible->ratio == doctest::Approx(least / 1e5).epsilon(1e-9));
  CHECK(r.certificate.kind == Certificate::Kind::proven);
  CHECK(r.certificate.reason.starts_with("no design has a smaller ratio"));
}

TEST_CASE("a limit at two symmetric angles has a price") {
  OptimisationProblem p = problem_of(
      "detector: " GTTF_SOURCE_DIR
      "/detectors/barrel.yaml\n"
      "vary: { 'layers[L1..L6].measures.rphi': { from: 3 um, to: 30 um } }\n"
      "quantities: { cost: { sum: (10 um / sigma_rphi)^2, of: 'layers[L1..L6]' "
      "} }\n"
      "minimise: { quantity: cost }\n"
      "subject_to: [{ what: sigma_pt_rel, at: { p: 20 GeV, theta: [60 deg, 120 "
      "deg] }, max: 2 % }]\n");
  const SearchResult r = searched(p, 1);
  REQUIRE(r.found);
  double multiplier = 0;
  for (const LimitPrice& limit : r.limits) {
    CHECK(limit.active);
    multiplier += limit.multiplier;
  }
  OptimisationProblem one = p;
  one.requirements[0].criteria[0].angle.values.pop_back();
  one.requirements[0].criteria[0].points.pop_back();
  const SearchResult alone = searched(one, 1);
  REQUIRE(alone.limits.size() == 1);
  CHECK(multiplier ==
        doctest::Approx(alone.limits[0].multiplier).epsilon(1e-6));
}

TEST_CASE("hits are exchanged between groups until none is better elsewhere") {
  std::string layers;
  for (int i = 1; i <= 6; ++i)
    layers += fmt::format(
        "  - {{ name: L{}, cylinder: {{ radius: {} mm, half_length: 2 m }}, "
        "measures: {{ rphi: 10 um, z: 10 um }} }}\n",
        i, 200 * i - 100);
  const TemporaryFile detector(
      "gttf-detector: 1\nname: lever arm\nfield: { solenoid: 2 T "
      "}\nlayers:\n" +
      layers);
  const OptimisationProblem p = problem_of(
      "detector: " + detector.path() +
      "\nscattering: off\n"
      "vary: { 'layers[L1..L6].cylinder.radius': { from: 100 mm, to: 1100 mm } "
      "}\n"
      "keep: [{ gap: { between: [L1..L6], min: 1 mm } }]\n"
      "minimise: { what: sigma_d0, at: { p: 100 GeV, theta: 90 deg } }\n");
  const SearchResult r = search(p, {});
  REQUIRE(r.found);
  // all divisions among three groups were compared: 4, 1, 1
  CHECK(objective(r) == doctest::Approx(8.072240).epsilon(1e-6));
}

TEST_CASE("an interrupted result is not called better than it was verified") {
  OptimisationProblem pitches = problem_of(
      "detector: " GTTF_SOURCE_DIR
      "/detectors/cld.yaml\n"
      "vary: { 'layers[VTX1..VTX6,ITK1..ITK3,OTK1..OTK3].measures.z': { from: "
      "2 "
      "um, to: 300 um } }\n"
      "quantities: { c: { sum: area / m2 * (20 um / sigma_z)^2, of: "
      "'layers[VTX1..VTX6,ITK1..ITK3,OTK1..OTK3]' } }\n"
      "minimise: { quantity: c }\n"
      "subject_to:\n"
      "  - { what: sigma_z0, at: { pt: { from: 0.5 GeV, to: 50 GeV, points: 10 "
      "}, theta: { from: 50 deg, to: 90 deg, points: 10 } }, max: 8 um (+) 30 "
      "um * GeV / pT }\n");
  SearchOptions options;
  int calls = 0, last = 0;
  options.progress = [&](const SearchProgress&) { last = calls; };
  options.keep_on = [&] { return ++calls > 0; };
  REQUIRE(search(pitches, options).found);
  // when the result of the starts is verified
  calls = -last - 1;
  options.progress = {};
  options.keep_on = [&] { return ++calls < 0; };
  const SearchResult r = search(pitches, options);
  CHECK(r.interrupted);
  CHECK_FALSE(r.found);
  CHECK(r.best.feasible);
  CHECK(r.verify_violation > 0);
  OptimisationResults results;
  results.search = r;
  const Summary summary = optimisation_summary(results);
  CHECK(std::ranges::count(
            summary.sections.front().facts,
            std::pair<std::string, std::string>(
                "search",
                "interrupted: the best so far, which meets the limits only at "
                "the points of the search")) == 1);
}

TEST_CASE("a front that an interrupted search leaves out is named") {
  OptimisationProblem p = problem("its2.yaml");
  p.pareto.of = {p.objective, p.objective};
  SearchOptions options;
  options.keep_on = [] { return false; };
  const OptimisationResults results = optimise(p, options);
  CHECK_FALSE(results.front);
  CHECK(std::ranges::count(optimisation_summary(results).sections.front().facts,
                           std::pair<std::string, std::string>(
                               "Pareto front",
                               "not calculated: the search was interrupted")) ==
        1);
}

TEST_CASE("combinations are compared by their coverage") {
  Diagnostics warnings;
  const OptimisationProblem study =
      read_problem(GTTF_SOURCE_DIR "/tests/optimise/coverage_of_choice.yaml",
                   {}, {}, warnings);
  const SearchResult r = search(study, {});
  REQUIRE(r.found);
  CHECK_FALSE(r.infeasible);
  CHECK(r.certificate.kind == Certificate::Kind::proven);
  CHECK(r.program->combination().chosen[0] == "L1,L2,L3,L4");
  const LimitPrice& coverage = limit(r, "coverage with 4 hits is 100 %");
  CHECK(coverage.value == 1);
  CHECK(coverage.limit == 1);
  CHECK(coverage.unit == "1");
  CHECK(coverage.shown_unit == "%");
}

TEST_CASE("limits on material and on a share of an error") {
  Diagnostics warnings;
  const OptimisationProblem study =
      read_problem(GTTF_SOURCE_DIR "/tests/optimise/material_and_share.yaml",
                   {}, {}, warnings);
  const SearchResult r = search(study, {});
  REQUIRE(r.found);
  CHECK(r.verify_violation <= 1e-9);
  const LimitPrice& material = limit(r, "x_over_x0 up to L2 <= 2 %");
  CHECK(material.active);
  // at eta = 0 a beam pipe of 0.8 mm of beryllium, X0 = 352.8 mm
  CHECK(r.best.x[0] + r.best.x[1] + 0.8 / 352.8 ==
        doctest::Approx(0.02).epsilon(1e-4));
  CHECK(limit(r, "share of L1 scattering in sigma(d0) <= 60 %").active);
  for (const LimitPrice& p : r.limits) {
    CHECK(p.unit == "1");
    CHECK(p.shown_unit == "%");
    CHECK(p.price_unit == "1/%");
    CHECK(p.value == doctest::Approx(p.limit).epsilon(1e-9));
    CHECK(p.price * p.limit / p.shown ==
          doctest::Approx(p.multiplier * objective(r)));
  }
  CHECK(material.limit == doctest::Approx(0.02));
}

TEST_CASE("limits by hits, and inactive ones, are in the list, too") {
  OptimisationProblem p = problem_of(
      "detector: " GTTF_SOURCE_DIR
      "/detectors/barrel.yaml\n"
      "vary: { 'layers[L1,L2].material': { from: 0.1 %, to: 3 % } }\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
      "subject_to:\n"
      "  - { what: x_over_x0, up_to: L2, at: { pt: 5 GeV, eta: 0 }, max: 5 % "
      "}\n"
      "  - { budget: { of: d0, layer: L1, kind: scattering }, at: { pt: 1 GeV, "
      "eta: 0 }, max: 99 % }\n"
      "  - { coverage: { hits: 4 }, at: { pt: 10 GeV, eta: { from: -0.5, to: "
      "0.5, points: 9 } }, min: 90 % }\n"
      "  - { what: n_hits, at: { pt: 10 GeV, eta: [0, 0.5] }, min: 5, max: 7 "
      "}\n");
  const SearchResult r = searched(p, 1);
  REQUIRE(r.found);
  REQUIRE(r.limits.size() == 4);
  for (const LimitPrice& limit : r.limits) {
    CHECK_FALSE(limit.active);
    CHECK(limit.price == 0);
  }
  CHECK(limit(r, "x_over_x0 up to L2 <= 5 %").limit == doctest::Approx(0.05));
  CHECK(limit(r, "coverage with 4 hits >= 90 %").value == doctest::Approx(1));
  CHECK(r.limits[3].value == 6);
  CHECK(r.limits[3].unit == "1");
}

TEST_CASE("the text names gaps, coverages and envelopes that are missed") {
  const auto text = [](const std::string& keep) {
    OptimisationProblem p = problem_of(
        "detector: " GTTF_SOURCE_DIR
        "/detectors/barrel.yaml\n"
        "vary: { 'layers[L2].cylinder.radius': { from: 40 mm, to: 80 mm } }\n"
        "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
        "keep: [" +
        keep + "]\nsearch: { starts: 2 }\n");
    OptimisationResults results;
    results.search = search(p, {});
    CHECK_FALSE(results.search.found);
    const Summary summary = optimisation_summary(results);
    for (const auto& [name, value] : summary.sections.front().facts)
      if (name == "limits") return value;
    return std::string("none");
  };
  // L1 is at 30 mm, L3 at 90 mm
  CHECK(text("{ gap: { between: [L1, L2], min: 60 mm } }") ==
        "not met: gap L1-L2, by 10 mm");
  CHECK(text("{ envelope: { of: 'layers[L2]', r: [10 mm, 35 mm] } }") ==
        "not met: L2 within r <= 35 mm, by 5 mm");
  CHECK(text("{ envelope: { of: 'layers[L2]', r: [100 mm, 200 mm] } }") ==
        "not met: L2 within r >= 100 mm, by 20 mm");
  // L6 ends first, of six layers
  CHECK(text("{ coverage: { hits: 6, eta: { to: 3 } } }")
            .starts_with("not met: 6 hits: L6 to end from z = 0 mm, by "));
}

TEST_CASE("the text names every limit that is missed, its value and where") {
  const OptimisationProblem p = problem_of(
      "detector: " GTTF_SOURCE_DIR
      "/detectors/barrel.yaml\n"
      "vary: { 'layers[L2].cylinder.radius': { from: 40 mm, to: 80 mm } }\n"
      "quantities: { area: { sum: area, of: L2 } }\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
      "subject_to:\n"
      "  - { what: n_hits, at: { p: 1 GeV, theta: 90 deg }, min: 9 }\n"
      "  - { quantity: area, max: 100 cm2 }\n"
      "  - { what: sigma_z0, at: { p: 1 GeV, theta: 90 deg }, max: 1 mm }\n"
      "search: { starts: 2 }\n");
  OptimisationResults results;
  results.search = search(p, {});
  REQUIRE_FALSE(results.search.found);
  const Summary summary = optimisation_summary(results);
  std::vector<std::string> limits;
  for (const auto& [name, value] : summary.sections.front().facts)
    if (name == "limits") limits.push_back(value);
  REQUIRE(limits.size() == 2);
  CHECK(limits[0].starts_with("not met: area: "));
  CHECK(limits[0].find(" cm2 instead of 100 cm2, beyond by ") !=
        std::string::npos);
  CHECK(limits[1] ==
        "not met: n_hits >= 9: 6 instead of 9 at p = 1 GeV, theta = 90 deg, "
        "beyond by 33.3 %");
}

TEST_CASE("the margin of the start, and tolerances without a design") {
  const auto result = [](const std::string& max) {
    const OptimisationProblem p = problem_of(
        "detector: " GTTF_SOURCE_DIR
        "/detectors/barrel.yaml\n"
        "vary: { 'layers[L2].cylinder.radius': { from: 40 mm, to: 80 mm } }\n"
        "minimise: { worst: margin }\n"
        "subject_to: [{ what: sigma_d0, at: { p: 1 GeV, theta: 90 deg }, "
        "max: " +
        max +
        " }]\ntolerances: { 'layers[L2].cylinder.radius': 0.1 mm }\n"
        "search: { starts: 2 }\n");
    const OptimisationResults results = optimise(p, {});
    const Document document = optimisation_document(results, 0);
    const Summary summary = optimisation_summary(results);
    return std::tuple(
        std::get<bool>(
            document.find("objective")->find("start_meets_limits")->value()),
        std::ranges::count(
            summary.sections.front().facts,
            std::pair<std::string, std::string>(
                "tolerances", "not computed: no design meets the limits")));
  };
  CHECK(result("1 mm") == std::tuple(true, 0));
  CHECK(result("1 um") == std::tuple(false, 1));
}

TEST_CASE("a search that finds no value says why") {
  const auto reason = [](const std::string& change) {
    const OptimisationProblem p = problem_of(
        "detector: " GTTF_SOURCE_DIR "/detectors/barrel.yaml\n" + change +
        "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 25 deg } }\n"
        "search: { starts: 2 }\n");
    const OptimisationResults results = optimise(p, {});
    CHECK_FALSE(results.search.best.result.exists);
    return results.search.certificate.reason;
  };
  CHECK(reason("choose: { one: { of: 'layers[L1..L6]', at_most: 1 } }\n") ==
        "no design has a value: tracks have no resolution with any of the "
        "choices");
  // at 25 deg a track leaves L1 to L3 at z = 64, 129 and 193 mm
  CHECK(reason("vary: { 'layers[L1..L3].cylinder.half_length': { from: 10 mm, "
               "to: 60 mm } }\n") ==
        "no design has a value: sigma_d0_um has no value at p = 1 GeV, theta = "
        "25 deg: too few hits");
  CHECK(reason("vary: { 'layers[L3].cylinder.half_length': { from: 10 mm, to: "
               "100 mm } }\n") ==
        "no design has a value: tracks lose hits that they have in the "
        "detector file");
}

TEST_CASE("prices are those of optima with moved limits") {
  struct Limit {
    std::string text;  ///< in the study
    std::string name;  ///< in the result, or its beginning
  };
  struct Study {
    std::string text;
    std::vector<Limit> limits;
  };
  const std::string root = GTTF_SOURCE_DIR;
  const std::vector<Study> studies{
      {"detector: " + root +
           "/detectors/alice_its2.yaml\nparticle: pion\n"
           "vary: { 'layers[L0..L6].cylinder.radius': { from: 22 mm, to: 400 "
           "mm } }\n"
           "follow: { 'layers[L0..L6].cylinder.half_length': radius / tan(40 "
           "deg) + 60 mm }\n"
           "keep: [{ gap: { between: [L0..L6], min: 6 mm } }]\n"
           "quantities: { silicon: { sum: area, of: 'layers[L0..L6]' } }\n"
           "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
           "subject_to:\n"
           "  - { quantity: silicon, max: 6.5 m2 }\n"
           "  - { what: sigma_pt_rel, at: { p: 10 GeV, theta: 90 deg }, max: "
           "4.6 % }\n",
       {{"6.5 m2", "silicon"}, {"4.6 %", "sigma_pt_rel"}}},
      {"detector: " + root +
           "/detectors/cld.yaml\n"
           "vary: { 'layers[VTX1..VTX6,ITK1..ITK3,OTK1..OTK3].measures.z': { "
           "from: 2 um, to: 300 um } }\n"
           "quantities: { cost: { sum: area / m2 * (20 um / sigma_z)^2, of: "
           "'layers[VTX1..VTX6,ITK1..ITK3,OTK1..OTK3]' } }\n"
           "minimise: { quantity: cost }\n"
           "subject_to:\n"
           "  - { what: sigma_z0, at: { pt: [0.5 GeV, 5 GeV, 50 GeV], theta: "
           "[50 deg, 90 deg] }, max: (8 um (+) 30 um * GeV / pT) * 1 }\n",
       {{" * 1 }", "sigma_z0"}}},
      {"detector: " + root +
           "/configs/optimise/telescope-planes.yaml\nparticle: positron\n"
           "theta: 0 deg\nvertex: { x: 0 mm, y: 0 mm, z: -400 mm }\nat: dut\n"
           "vary:\n"
           "  arms: { of: ['layers[P5].plane.z', 'layers[P4].plane.z'], "
           "factor: { from: 0.6, to: 1.4 } }\n"
           "  layers[P7..P9].measures.u: { from: 1 um, to: 10 um }\n"
           "quantities: { channels: { sum: 1 um / sigma_u, of: "
           "'layers[P7..P9]' } }\n"
           "minimise: { what: sigma_u_at, at: { p: 5 GeV } }\n"
           "subject_to: [{ quantity: channels, max: 0.9 }]\n",
       {{"0.9 }", "channels"}}},
      {"detector: " + root +
           "/detectors/barrel.yaml\n"
           "vary:\n"
           "  layers[L1..L6].cylinder.radius: { from: 25 mm, to: 600 mm }\n"
           "  layers[L1..L6].measures.rphi: { from: 5 um, to: 30 um }\n"
           "keep: [{ gap: { between: [L1..L6], min: 10 mm } }]\n"
           "prices: { 'layers[L1..L2]': 50, 'layers[L3..L6]': 20 }\n"
           "quantities: { cost: { sum: price * area / m2 * 10 um / "
           "sigma_rphi, of: 'layers[L1..L6]' } }\n"
           "minimise: { quantity: cost }\n"
           "subject_to: [{ what: sigma_pt_rel, at: { p: 20 GeV, theta: 90 deg "
           "}, max: 2 % }]\n",
       {{"2 % }", "sigma_pt_rel"}}}};
  for (const Study& study : studies) {
    OptimisationProblem p = problem_of(study.text);
    const SearchResult r = searched(p, 1);
    REQUIRE(r.found);
    REQUIRE(r.certificate.residual < 1e-6);
    for (const Limit& limit : study.limits) {
      INFO(limit.name);
      double multiplier = 0;
      for (const LimitPrice& price : r.limits)
        if (price.name.starts_with(limit.name)) {
          multiplier += price.multiplier;
          CHECK(price.price * price.limit / price.shown ==
                doctest::Approx(price.multiplier * objective(r)));
        }
      REQUIRE(multiplier > 0.01);
      constexpr double step = 1e-4;
      std::array<double, 2> f{};
      for (const std::size_t side : {0, 1}) {
        std::string text = study.text;
        const double factor = side == 0 ? 1 - step : 1 + step;
        const std::size_t at = text.find(limit.text);
        REQUIRE(at != text.npos);
        std::size_t digits = 0;
        const std::size_t number = text.find_first_of("0123456789", at);
        const double value = std::stod(text.substr(number), &digits);
        text.replace(number, digits, fmt::format("{}", value * factor));
        OptimisationProblem moved = problem_of(text);
        const SearchResult there = searched(moved, 1);
        REQUIRE(there.found);
        f[side] = there.best.f;
      }
      CHECK((f[0] - f[1]) / (2 * step) ==
            doctest::Approx(multiplier).epsilon(1e-3));
    }
  }
}

TEST_CASE("a price holds as long as the same limits are active") {
  struct Study {
    std::string before;  ///< text before the factor of a limit
    std::string after;
    std::string limit;  ///< the beginning of its name
  };
  const std::string root = GTTF_SOURCE_DIR;
  const std::vector<Study> studies{
      {"detector: " + root +
           "/detectors/cld.yaml\nparticle: muon\n"
           "vary:\n"
           "  vp: { of: 'layers[VTX1..VTX6].measures.rphi', from: 2 um, to: 20 "
           "um }\n"
           "  layers[ITK1,ITK2,ITK3,OTK1,OTK2,OTK3].measures.rphi: { from: 3 "
           "um, to: 50 um }\n"
           "quantities: { cost: { sum: (10 um / sigma_rphi)^2, of: "
           "'layers[VTX1..VTX6,ITK1,ITK2,ITK3,OTK1,OTK2,OTK3]' } }\n"
           "minimise: { quantity: cost }\n"
           "subject_to: [{ what: sigma_d0, at: { pt: { from: 1 GeV, to: 100 "
           "GeV, points: 12 }, theta: { from: 50 deg, to: 90 deg, points: 6 } "
           "}, max: ",
       " * (3 um (+) 20 um * GeV / (p * sin(theta)^(3/2))) }, { what: "
       "sigma_pt_rel, at: { pt: { from: 1 GeV, to: 100 GeV, points: 12 }, "
       "theta: 90 deg }, max: 0.004 % * pT / GeV (+) 0.4 % }]\n",
       "sigma_d0"},
      {"detector: " + root +
           "/detectors/barrel.yaml\n"
           "vary:\n"
           "  layers[L1..L3].cylinder.half_length: { from: 50 mm, to: 900 mm "
           "}\n"
           "  layers[L1..L3].cylinder.radius: { from: 25 mm, to: 190 mm }\n"
           "quantities: { a: { sum: area, of: 'layers[L1..L3]' } }\n"
           "keep: [{ gap: { between: [L1..L4], min: 10 mm } }, { coverage: { "
           "hits: 3, of: 'layers[L1..L3]', eta: { from: -0.5, to: 1.2 }, "
           "vertex_z: 40 mm } }]\n"
           "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
           "subject_to: [{ quantity: a, max: ",
       " * 0.15 m2 }]\n", "a"}};
  for (const Study& study : studies) {
    const auto at = [&](double factor) {
      return problem_of(study.before + fmt::format("{}", factor) + study.after);
    };
    // the names of what holds the design, without points
    const auto holding = [](const SearchResult& r) {
      REQUIRE(r.found);
      REQUIRE(r.certificate.residual < 1e-7);
      std::set<std::string> names;
      for (const LimitPrice& p : r.limits)
        if (p.multiplier > 1e-9)
          names.insert(p.name.substr(0, p.name.find(" <=")));
      for (std::size_t i = 0; i < r.bounds.size(); ++i)
        if (r.bounds[i].multiplier > 1e-9) names.insert(std::to_string(i));
      return names;
    };
    OptimisationProblem p = at(1);
    const SearchResult r = searched(p, 3);
    const auto names = holding(r);
    const LimitPrice* priced = nullptr;
    for (const LimitPrice& price : r.limits)
      if (price.name.starts_with(study.limit) && price.price_range)
        priced = &price;
    REQUIRE(priced != nullptr);
    const double low = priced->price_range->first / priced->limit,
                 high = priced->price_range->second / priced->limit;
    CHECK(low < 0.9999);
    CHECK(high > 1.0001);
    // of a step that is too long, a sixteenth is not resolved
    for (const double end : {low, high}) {
      CAPTURE(end);
      const double length = std::abs(end - 1);
      OptimisationProblem within = at(1 + 0.99 * (end - 1));
      CHECK(holding(searched(within, 3)) == names);
      if (length > 0.0999) continue;
      OptimisationProblem beyond = at(1 + 1.2 * (end - 1));
      CHECK(holding(searched(beyond, 3)) != names);
    }
  }
}

TEST_CASE("limits that a design meets are never called infeasible") {
  Diagnostics warnings;
  OptimisationProblem p =
      read_problem(GTTF_SOURCE_DIR "/tests/optimise/coverage_of_choice.yaml",
                   {}, {}, warnings);
  // of the margin alone, whose best design is within all limits
  p.objective = {};
  p.objective.kind = Objective::Kind::margin;
  const SearchResult r = search(p, {});
  CHECK(r.found);
  CHECK_FALSE(r.infeasible);
}

TEST_CASE("the start of the file is solved before others are evaluated") {
  OptimisationProblem its2 = problem("its2.yaml");
  its2.starts = 20000;
  its2.solves_all_starts = true;
  int calls = 0;
  SearchOptions options;
  options.keep_on = [&] { return ++calls < 300; };
  const SearchResult r = search(its2, options);
  CHECK(r.interrupted);
  CHECK(r.certificate.starts >= 1);
  CHECK(objective(r) == doctest::Approx(19.515815).epsilon(1e-6));

  // they are rated in parts, and solved from after each part
  calls = -5000;
  options.keep_on = [&] { return ++calls < 0; };
  const SearchResult more = search(its2, options);
  CHECK(more.interrupted);
  CHECK(more.certificate.starts > 20);
}

TEST_CASE("the result is the description of the user") {
  const OptimisationProblem its2 = problem("its2.yaml");
  SearchOptions options;
  options.local = true;
  const SearchResult r = search(its2, options);
  const std::string text = best_file(*r.program, r.best.x, best_file_header(r));
  CHECK(text.starts_with("# Found by gttf-design optimise "));
  // comments and anchors stay; only numbers change
  std::istringstream before(its2.input.text), after(text);
  std::string a, b;
  std::getline(after, b);
  std::getline(after, b);
  std::size_t changed = 0;
  while (std::getline(before, a)) {
    REQUIRE(std::getline(after, b));
    changed += a != b;
    CHECK(a.substr(0, a.find("radius:")) == b.substr(0, b.find("radius:")));
    const std::size_t comment = a.find(" # ");
    if (comment != a.npos) CHECK(b.ends_with(a.substr(comment)));
  }
  CHECK(changed == 7);
  const Detector found = parse_detector(text, "best.yaml").detector;
  Track track;
  const Resolution resolved = resolve(TrackingGeometry(found), track);
  CHECK(sigmas(resolved)[Parameter::d0] / unit::um ==
        doctest::Approx(objective(r)).epsilon(1e-11));

  // what layers share they get as their own
  Diagnostics warnings;
  const OptimisationProblem pitches = read_problem(
      GTTF_SOURCE_DIR "/tests/optimise/pitches.yaml", {}, {}, warnings);
  const SearchResult cheap = search(pitches, {});
  REQUIRE(cheap.found);
  CHECK(cheap.certificate.kind == Certificate::Kind::proven);
  CHECK(cheap.verify_points > 10000);
  CHECK(cheap.verify_violation <= 1e-9);
  const std::string own = best_file(*cheap.program, cheap.best.x, {});
  const Detector barrel = parse_detector(own, "best.yaml").detector;
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(barrel.layers[i + 1].coordinates[0].sigma ==
          doctest::Approx(cheap.best.x[i]).epsilon(1e-14));

  const OptimisationProblem telescope = problem("telescope.yaml");
  const SearchResult planes = search(telescope, {});
  const std::string four = best_file(*planes.program, {}, {});
  CHECK(parse_detector(four, "best.yaml").detector.layers.size() == 5);
  CHECK(four.find("name: P2") == four.npos);
  CHECK(four.find("# Twelve planes") != four.npos);
}

}  // namespace gttf::test::GTTF_TEST_FILE
