// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/report/report.hpp"

#include <doctest/doctest.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>

#include "gttf/detector/read.hpp"
#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/report/report_subject.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using namespace gttf::detail;

namespace {

StudyRequest request() {
  StudyRequest r;
  r.momentum.variable = MomentumAxis::Variable::pt;
  r.momentum.values = {0.5, 1, 10, 100};
  r.angle.values = {90 * unit::deg, 60 * unit::deg};
  return r;
}

Detector barrel(int layers) {
  std::string text =
      "gttf-detector: 1\nname: many\nfield: { solenoid: 2 T }\n"
      "layers:\n";
  for (int i = 0; i < layers; ++i)
    text += "  - { name: L" + std::to_string(i) +
            ", cylinder: { radius: " + std::to_string(20 + 10 * i) +
            " mm, half_length: 2 m }, material: 0.1 %, measures: { rphi: 5 um, "
            "z: 5 um } }\n";
  return parse_detector(text, "many.yaml").detector;
}

}  // namespace

TEST_CASE("report: limits are below the error that has both causes") {
  const Detector detector = shipped("cld");
  const ReportSubject subject = make_subject(request(), detector, 0, 1, 1);
  for (const ErrorCurve& curve : momentum_curves(subject))
    for (const LimitedSigmas& s : curve.grid)
      for (const ShownQuantity& q : shown_quantities()) {
        const double all = s.all[q.parameter];
        if (std::isnan(all)) continue;
        // rounding, and hit errors of 1e-4 in the scattering limit
        CHECK(s.hits[q.parameter] <= all * (1 + 1e-6));
        CHECK(s.scattering[q.parameter] <= all * (1 + 1e-6));
      }
}

TEST_CASE("report: the curve at a momentum of the study is its resolution") {
  const Detector detector = shipped("cld");
  const StudyRequest r = request();
  const ReportSubject subject = make_subject(r, detector, 0, 1, 1);
  const auto curves = momentum_curves(subject);
  const auto& p = subject.curves.momentum.values;
  const auto at = std::find(p.begin(), p.end(), 10.0);
  REQUIRE(at != p.end());
  const Resolution expected =
      resolve(TrackingGeometry(detector), grid_track(r, {2, 1}));
  const auto i = static_cast<std::size_t>(at - p.begin());
  CHECK(curves[1].grid[i].all[Parameter::pt] == expected.sigma_pt_rel);
}

TEST_CASE("report: a curve breaks where a layer is lost, and nowhere else") {
  StudyRequest r = request();
  r.momentum.values = {0.3, 100};
  const Detector cld = shipped("cld");
  const ReportSubject subject = make_subject(r, cld, 0, 1, 1);
  const auto curves = momentum_curves(subject);
  CHECK(curves[0].broken);  // slow tracks do not reach the outer tracker
  for (const ErrorCurve& curve : curves)
    for (std::size_t i = 1; i + 1 < curve.path.size(); ++i) {
      if (curve.path[i].n_hits != 0 ||
          std::isnan(curve.path[i - 1].all[Parameter::d0]))
        continue;
      // both ends of a break are within the last bisection of each other
      CHECK(curve.x[i + 1] / curve.x[i - 1] < 1 + 1e-6);
    }
  const Detector five = barrel(5);
  r.momentum.values = {1, 100};  // all reach all layers
  CHECK_FALSE(momentum_curves(make_subject(r, five, 0, 1, 1))[0].broken);
}

TEST_CASE("report: shares of the variance add up to 100 %") {
  const Detector detector = shipped("cld");
  const ReportSubject subject = make_subject(request(), detector, 0, 1, 1);
  const auto figure =
      share_figure(subject, budgets_along(subject), shown_quantities().front());
  REQUIRE(figure);
  const Table& data = figure->data;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    double sum = 0;
    for (std::size_t k = 1; k < data.columns.size(); ++k)
      sum += std::get<Reals>(data.columns[k].cells)[i];
    CHECK(sum == doctest::Approx(100).epsilon(1e-9));
  }
}

TEST_CASE("report: names of figures are unique and figures have data") {
  const Detector detectors[] = {shipped("alice_its2"), shipped("alice_its3")};
  ReportOptions options;
  options.threads = 1;
  options.toys = 20;
  const Page page = make_report(request(), detectors, options);
  std::set<std::string> names;
  for (const Figure* figure : figures_of(page)) {
    INFO(figure->id);
    CHECK(names.insert(figure->id).second);
    CHECK(figure->data.rows() > 0);
    CHECK(figure->description != "");
    for (const Column& column : figure->data.columns)
      CHECK(column.size() == figure->data.rows());
  }
  for (const char* name : {"compare-pt", "sigma-pt-1", "sigma-pt-2",
                           "share-d0-1", "map-pt-2", "toy-pulls-1"})
    CHECK(names.count(name) == 1);
}

TEST_CASE("report: progress counts each part once, up to their number") {
  const Detector detectors[] = {shipped("alice_its2"), shipped("alice_its3")};
  for (const std::size_t n : {1U, 2U})
    for (const std::uint64_t toys : {0U, 20U}) {
      ReportOptions options;
      options.threads = 1;
      options.toys = toys;
      std::size_t last = 0, parts = 0;
      options.progress = [&](std::size_t done, std::size_t total) {
        CHECK(done == last + 1);
        CHECK((parts == 0 || total == parts));
        last = done;
        parts = total;
      };
      make_report(request(), std::span(detectors, n), options);
      CHECK(last > 7 * n);
      CHECK(last == parts);
    }
}

TEST_CASE("report: tracks along a beam have momentum, position, direction") {
  const Detector detectors[] = {shipped("faser")};
  StudyRequest r;
  r.momentum.values = {50, 500, 3000};
  r.angle.values = {0};
  r.vertex = {0, 0, -95};
  ReportOptions options;
  options.threads = 1;
  const Page page = make_report(r, detectors, options);
  std::set<std::string> names;
  for (const Figure* figure : figures_of(page)) names.insert(figure->id);
  for (const char* name : {"layout-zx", "layout-zy", "sigma-p", "sigma-x",
                           "sigma-ty", "share-p", "lost-layers"}) {
    INFO(name);
    CHECK(names.count(name) == 1);
  }
  // perigee parameters and pseudorapidity do not describe them
  for (const char* name : {"layout-rz", "sigma-pt", "eta-p", "map-p", "hits"}) {
    INFO(name);
    CHECK(names.count(name) == 0);
  }
}

TEST_CASE("report: a close-up shows some layers, not none and not all") {
  StudyRequest r = request();
  r.angle = {AngleAxis::Variable::eta, {2, 3}};
  const auto closeup = [&r](const std::string& layers) {
    const Detector detector =
        parse_detector(
            "gttf-detector: 1\nname: x\nfield: { solenoid: 2 T }\nlayers:\n" +
                layers,
            "x.yaml")
            .detector;
    return layout_closeup_figure(make_subject(r, detector, 0, 1, 1));
  };
  const auto disk = [](int z) {
    return "  - { name: D" + std::to_string(z) +
           ", disk: { z: " + std::to_string(z) +
           " cm, radius: [2 cm, 60 cm] }, material: 1 %, "
           "measures: { rphi: 20 um, r: 20 um } }\n";
  };
  const std::string far = disk(50) + disk(80) + disk(110);
  CHECK_FALSE(closeup(far));
  CHECK(closeup(far + disk(10)));
  CHECK_FALSE(closeup(disk(5) + disk(6) + disk(7)));
  CHECK(
      layout_closeup_figure(make_subject(request(), shipped("cld"), 0, 1, 1)));
}

TEST_CASE("report: rows of wires are thin lines, modules are heavy") {
  const auto widths = [](const char* file) {
    const Detector detector = shipped(file);
    const ReportSubject subject = make_subject(request(), detector, 0, 1, 1);
    const auto figure = layout_rz_figure(subject);
    std::set<double> of_measuring;
    for (const Curve& curve :
         std::get<Plot>(figure.content).panels.front().curves)
      if (curve.id.starts_with("system")) of_measuring.insert(curve.width);
    return std::pair(of_measuring,
                     figure.caption.find("wires") != RichText::npos);
  };
  const auto [idea, idea_says] = widths("idea");
  CHECK(idea.count(0.6) == 1);
  CHECK(idea_says);
  const auto [lhcb, lhcb_says] = widths("lhcb");  // 26 modules
  CHECK(lhcb.count(0.6) == 0);
  CHECK_FALSE(lhcb_says);
}

TEST_CASE("report: layers that are lost together are counted") {
  const Detector detector =
      parse_detector(
          "gttf-detector: 1\nname: wires\nfield: { solenoid: 2 T }\nlayers:\n"
          "  - { name: axial, cylinder: { radius: [20 cm, 1 m], half_length: 1 "
          "m }, repeat: 20, material: 0.01 %, measures: { rphi: 100 um } }\n"
          "  - { name: stereo, cylinder: { radius: [21 cm, 99 cm], "
          "half_length: "
          "1 m }, repeat: 17, material: 0.01 %, measures: [{ angle: 50 mrad, "
          "sigma: 100 um }] }\n",
          "wires.yaml")
          .detector;
  StudyRequest soft = request();  // above it the second order is rounding
  soft.momentum.values = {0.5, 1, 2};
  const ReportSubject subject = make_subject(soft, detector, 0, 1, 1);
  const auto lost = lost_layer_figure(subject);
  REQUIRE(lost);
  CHECK(lost->title == "Lost layers");
  const auto& rows = std::get<BarChart>(lost->content).rows;
  REQUIRE(rows.size() == 2);
  CHECK(plain_text(rows[0].cells[0]) == "axial (× 20)");
  CHECK(rows[0].labels[0] == "> 1000");  // only by second-order terms
  const auto sentences = summary_sentences(subject, momentum_curves(subject),
                                           budgets_along(subject));
  CHECK(sentences.front().find("Without the 17 layers stereo the track") !=
        RichText::npos);
  // stereo layers measure both planes at once
  const auto correlations = correlation_figure(subject);
  REQUIRE(correlations);
  CHECK(correlations->caption.find("decouple") == RichText::npos);
  const Detector pixels = shipped("alice_its2");
  CHECK(lost_layer_figure(make_subject(request(), pixels, 0, 1, 1))->title ==
        "Lost layer");
  CHECK(correlation_figure(make_subject(request(), pixels, 0, 1, 1))
            ->caption.find("decouple") != RichText::npos);
}

TEST_CASE("report: of hundreds of layers neighbours are lost together") {
  std::string text =
      "gttf-detector: 1\nname: many\nfield: { solenoid: 2 T }\nlayers:\n";
  constexpr int n_layers = 120;
  for (int i = 0; i < n_layers; ++i)
    text += fmt::format(
        "  - {{ name: L{}, cylinder: {{ radius: {} mm, half_length: 1 m }}, "
        "material: 0.01 %{} }}\n",
        i, 30 + 2 * i,
        i % 3 == 0 ? "" : ", measures: { rphi: 10 um, z: 10 um }");
  const Detector detector = parse_detector(text, "many.yaml").detector;
  const auto lost =
      lost_layer_figure(make_subject(request(), detector, 0, 1, 1));
  REQUIRE(lost);
  const auto& rows = std::get<BarChart>(lost->content).rows;
  REQUIRE(rows.size() == 40);
  // 80 of them measure
  CHECK(plain_text(rows.front().cells[0]) == "L1 ... L2 (× 2)");
  CHECK(plain_text(rows.back().cells[0]) == "L118 ... L119 (× 2)");
}

TEST_CASE("report: correlations are of what the tracks have") {
  const auto names = [](const char* file, double theta) {
    const Detector detector = shipped(file);
    StudyRequest r;
    r.momentum.values = {5, 50};
    r.angle.values = {theta};
    const auto figure = correlation_figure(make_subject(r, detector, 0, 1, 1));
    REQUIRE(figure);
    const auto& chart = std::get<MatrixChart>(figure->content);
    for (const MatrixChart::Matrix& matrix : chart.matrices)
      for (std::size_t i = 0; i < matrix.rows.size(); ++i)
        CHECK(matrix.rows[i][i] == doctest::Approx(1));
    std::string all;
    for (const RichText& name : chart.names) all += plain_text(name) + " ";
    return all;
  };
  CHECK(names("cld", 90 * unit::deg) == "d0 z0 φ0 θ q/p ");
  CHECK(names("faser", 0) == "x y tx ty q/p ");
  CHECK(names("datura", 0) == "x y tx ty ");  // no field, no momentum
}

TEST_CASE("report: missing effects have no row, constant ones a note") {
  const Detector datura[] = {shipped("datura")};
  StudyRequest r;
  r.momentum.values = {5, 50};
  r.angle.values = {0};
  const ReportSubject beam = make_subject(r, datura[0], 0, 1, 1);
  CHECK(benchmark_table(beam).rows.size() == 4);  // without p
  r.scattering = Scattering::off;
  const ReportSubject off = make_subject(r, datura[0], 0, 1, 1);
  const auto sentences =
      summary_sentences(off, momentum_curves(off), budgets_along(off));
  CHECK(sentences.front().find("at all momenta and angles") != RichText::npos);
}

TEST_CASE("report: the pseudorapidity shown is that of the study") {
  const Detector lhcb = shipped("lhcb");
  StudyRequest r = request();
  r.angle = {AngleAxis::Variable::eta, {3, 4.5}};
  const ReportSubject subject = make_subject(r, lhcb, 0, 1, 1);
  CHECK(subject.against_eta.angle.values.front() == doctest::Approx(2));
  CHECK(subject.against_eta.angle.values.back() == doctest::Approx(5));
}

TEST_CASE("report: rows of a gas detector and double layers give no triplet") {
  const Detector ild = shipped("ild");
  const ReportSubject subject = make_subject(request(), ild, 0, 1, 1);
  const auto figure = regime_figure(subject);
  REQUIRE(figure);
  std::set<std::string> names;
  for (const LegendEntry& entry : figure->legend)
    names.insert(plain_text(entry.text));
  CHECK(names.count("VXD0, VXD2, VXD4") == 1);
  CHECK(names.count("TPC[0], TPC[110], TPC[219]") == 1);
  CHECK(names.count("TPC[0], TPC[1], TPC[2]") == 0);
}

TEST_CASE("report: triplets without a significant curvature have no figure") {
  const auto has_figure = [](const Detector& detector) {
    const ReportSubject subject = make_subject(request(), detector, 0, 1, 1);
    return regime_figure(subject).has_value();
  };
  Detector coarse = barrel(5);
  for (Layer& layer : coarse.layers)
    for (Coordinate& c : layer.coordinates) c.sigma = 100;
  CHECK(has_figure(barrel(5)));
  CHECK(!has_figure(coarse));
}

TEST_CASE("report: detectors without a field, with few layers, with hundred") {
  ReportOptions options;
  options.threads = 1;
  Detector two = barrel(3);  // two are enough for straight lines only
  two.field = {};
  two.layers.pop_back();
  for (const Detector& detector : {two, barrel(3), barrel(100)}) {
    const Page page = make_report(request(), std::span(&detector, 1), options);
    CHECK(figures_of(page).size() >= 4);
  }
}

TEST_CASE("report: passive groups share the colour of the group they support") {
  const Detector detector = shipped("cld");
  const GroupPaints paints = make_group_paints(detector);
  const auto find = [&](const std::string& name) -> const Subsystem& {
    return *std::find_if(paints.systems.begin(), paints.systems.end(),
                         [&](const auto& s) { return s.name == name; });
  };
  CHECK(find("vertex support").fill ==
        Paint{Tone::pale_group, find("vertex").fill.index});
  CHECK(find("beam pipe").fill == Paint{Tone::group, 0});
  CHECK(find("vertex").fill.tone == Tone::group);
}

TEST_CASE("report: figures draw the momenta and angles of the study") {
  const Detector cld = shipped("cld");
  StudyRequest r = request();
  r.momentum.values = {10};
  r.angle = {AngleAxis::Variable::eta, {}, true};
  for (int i = 0; i <= 10; ++i) r.angle.values.push_back(0.1 * i);
  const ReportSubject subject = make_subject(r, cld, 0, 1, 1);
  const auto figure =
      sigma_eta_figure(subject, eta_curves(subject), subject.shown().front());
  REQUIRE(figure);
  const Plot& plot = std::get<Plot>(figure->content);
  CHECK(plot.x.lower == 0);
  CHECK(plot.x.upper == 1);
  REQUIRE(figure->legend.size() == 1);
  CHECK(plain_text(figure->legend[0].text) == "pT = 10 GeV");
  // the points of the study are among those of the curve
  const Reals& eta = std::get<Reals>(figure->data.columns[0].cells);
  for (const double value : r.angle.values)
    CHECK(std::ranges::any_of(
        eta, [value](double x) { return std::abs(x - value) < 1e-9; }));
  CHECK(benchmark_table(subject).columns.size() == 1 + 3);
  // a few angles are compared, not joined
  r.angle = {AngleAxis::Variable::eta, {0, 1}};
  CHECK(make_subject(r, cld, 0, 1, 1).against_eta.angle.values.back() > 1);
}

TEST_CASE("report: colours follow the values, not the order of the list") {
  const auto angles = [](std::vector<double> list) {
    return detail::in_order(list);
  };
  using Order = std::vector<std::size_t>;
  CHECK(angles({3, 2.5, 3.5, 4}) == Order{1, 0, 2, 3});
  CHECK(angles({90, 30, 60}) == Order{0, 2, 1});  // counts down
  CHECK(angles({1, 1, 2}) == Order{0, 1, 2});
  const auto styles = detail::ordered_styles({3, 2.5, 3.5});
  CHECK(styles[1] == ordered_style(0, 3));
  CHECK(styles[0] == ordered_style(1, 3));
  CHECK(styles[2] == ordered_style(2, 3));
}

TEST_CASE("report: a curve against eta breaks where layers end") {
  StudyRequest r = request();
  r.momentum.values = {10};
  r.angle = {AngleAxis::Variable::eta, {}, true};
  for (int i = 0; i <= 12; ++i) r.angle.values.push_back(0.1 * i);
  const Detector five = barrel(5);  // the outermost ends at eta 3.5
  CHECK_FALSE(eta_curves(make_subject(r, five, 0, 1, 1))[0].broken);
  Detector shorter = five;
  shorter.layers[4].surface.v = {-60, 60};  // at eta = asinh(1) = 0.881
  const ErrorCurve curve = eta_curves(make_subject(r, shorter, 0, 1, 1))[0];
  CHECK(curve.broken);
  for (std::size_t i = 1; i + 1 < curve.x.size(); ++i) {
    if (!std::isnan(curve.path[i].all[Parameter::pt])) continue;
    CHECK(curve.x[i] == doctest::Approx(std::asinh(1.0)).epsilon(1e-3));
    CHECK(curve.x[i + 1] - curve.x[i - 1] < 1e-5);
  }
}

TEST_CASE("report: ratios break with the curves and do not ramp") {
  const Detector detectors[] = {shipped("cld"), shipped("ild")};
  StudyRequest r = request();
  r.momentum.values = {0.2, 100};
  const ReportSubject first = make_subject(r, detectors[0], 0, 2, 1),
                      second = make_subject(r, detectors[1], 1, 2, 1);
  const auto a = momentum_curves(first), b = momentum_curves(second);
  const ShownQuantity& q = first.shown().front();
  const RatioCurve ratio =
      ratio_curve(second, b[0], first, a[0], Along::momentum, 0, q);
  const TrackingGeometry at_first(detectors[0]), at_second(detectors[1]);
  StudyRequest one = r;
  std::size_t breaks = 0;
  for (std::size_t i = 0; i < ratio.x.size(); ++i) {
    breaks += std::isnan(ratio.y[i]);
    if (std::isnan(ratio.y[i]) || i % 7 != 0) continue;
    one.momentum.values = {ratio.x[i]};
    const Track track = grid_track(one, {0, 0});
    CHECK(
        ratio.y[i] ==
        doctest::Approx(resolve(at_second, track, second.model()).sigma_pt_rel /
                        resolve(at_first, track, first.model()).sigma_pt_rel)
            .epsilon(1e-9));
  }
  CHECK(a[0].broken);
  CHECK(breaks > 0);
}

TEST_CASE("report: detectors are compared at several angles and momenta") {
  const Detector detectors[] = {shipped("alice_its2"), shipped("alice_its3")};
  ReportOptions options;
  options.threads = 1;
  const Page page = make_report(request(), detectors, options);
  std::set<std::string> names;
  for (const Figure* figure : figures_of(page)) {
    names.insert(figure->id);
    CHECK(figure->conditions != "");
  }
  for (const char* name :
       {"compare-pt", "compare-pt-2", "compare-eta-pt", "compare-eta-pt-2",
        "compare-material", "compare-hits", "compare-layout-1",
        "compare-layout-2"}) {
    CAPTURE(name);
    CHECK(names.count(name) == 1);
  }
}

TEST_CASE("report: the legend has the angles that are drawn") {
  const Detector cld = shipped("cld");
  StudyRequest r = request();
  r.momentum.values = {1, 10};
  r.angle = {AngleAxis::Variable::eta, {0, 2}};  // only one reaches the barrel
  r.at = AtRequest{"OTK3"};
  const ReportSubject subject = make_subject(r, cld, 0, 1, 1);
  const auto figure = sigma_figure(subject, momentum_curves(subject),
                                   subject.shown().front(), false, {});
  REQUIRE(figure);
  Texts angles;
  for (const LegendEntry& entry : figure->legend)
    if (entry.key == LegendEntry::Key::line)
      angles.push_back(plain_text(entry.text));
  CHECK(angles == Texts{"η = 0"});
}

TEST_CASE("report: at a layer the errors are those of the track there") {
  const Detector detectors[] = {shipped("datura")};
  StudyRequest r;
  r.momentum.values = {1, 5, 100};
  r.angle.values = {0};
  r.vertex = {0, 0, -50};
  r.at = AtRequest{"dut"};
  ReportOptions options;
  options.threads = 1;
  const Page page = make_report(r, detectors, options);
  const Figure* shown = nullptr;
  for (const Figure* figure : figures_of(page)) {
    if (figure->id == "sigma-u") shown = figure;
    CHECK(figure->id != "sigma-x");
    CHECK(figure->conditions.find("at dut") != RichText::npos);
  }
  REQUIRE(shown);
  const Reals& p = std::get<Reals>(shown->data.columns[0].cells);
  const Reals& sigma = std::get<Reals>(shown->data.columns[1].cells);
  const auto at =
      static_cast<std::size_t>(std::ranges::find(p, 5.0) - p.begin());
  REQUIRE(at < p.size());
  const Resolution expected =
      resolve(TrackingGeometry(detectors[0]), grid_track(r, {1, 0}),
              model_of(r, detectors[0]));
  REQUIRE(expected.at);
  CHECK(sigma[at] ==
        doctest::Approx(std::sqrt(expected.at->slopes(0, 0)) / unit::um));
}

TEST_CASE("report: a scan has a figure along its longer axis") {
  const Detector detectors[] = {shipped("cld"), shipped("ild")};
  StudyRequest r = request();
  const auto name = [&](std::size_t n) -> std::string {
    const auto figure = scan_figure(r, std::span(detectors).first(n), 1);
    return figure ? figure->id : "";
  };
  CHECK(name(1) == "sigma-pt");
  CHECK(name(2) == "compare-pt");
  r.momentum.values = {10};
  CHECK(name(1) == "eta-pt");
  r.angle.values = {90 * unit::deg};
  CHECK(name(1) == "");
}

TEST_CASE("report: very many names are distinguished in bunches") {
  const GroupPaints paints = make_group_paints(barrel(100));
  CHECK(paints.systems.size() == 5);
  CHECK(paints.systems.front().name == "L0 – L19");
  CHECK(paints.systems.back().name == "L80 – L99");
  CHECK(paints.of_layer.size() == 100);
}

}  // namespace gttf::test::GTTF_TEST_FILE
