// SPDX-License-Identifier: Apache-2.0
// Measurements and material against pseudorapidity, and the table of layers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/show/detector_view.hpp"
#include "gttf/study/show/layer_names.hpp"
#include "gttf/trajectory/crossings.hpp"

namespace gttf::detail {
namespace {

// What straight tracks from the origin meet, by subsystem.
struct Profile {
  std::vector<double> eta;
  std::vector<Reals> hits, x_over_x0;  // by subsystem
};

Profile make_profile(const ReportSubject& subject) {
  Detector straight = subject.detector;
  straight.field = {};
  const TrackingGeometry geometry(straight);
  Profile profile;
  const std::size_t n = subject.groups.systems.size();
  profile.hits.resize(n);
  profile.x_over_x0.resize(n);
  for (std::size_t j = 0; j < subject.against_eta.angle.values.size(); ++j) {
    Track track = grid_track(subject.against_eta, {0, j});
    track.vertex = {};
    profile.eta.push_back(subject.against_eta.angle.values[j]);
    for (std::size_t k = 0; k < n; ++k) {
      profile.hits[k].push_back(0);
      profile.x_over_x0[k].push_back(0);
    }
    const Crossings<double> c =
        find_crossings(geometry, track, Scattering::off);
    // what comes behind the last measurement does not matter to the track
    for (int i = 0; i <= c.last; ++i) {
      const auto& x = c.list[static_cast<std::size_t>(i)];
      const std::size_t k = subject.groups.of_layer[x.surface];
      profile.x_over_x0[k].back() += 100 * x.at.x_over_x0;
      if (geometry.surfaces()[x.surface].measures())
        profile.hits[k].back() += 1;
    }
  }
  return profile;
}

// Values as steps: each holds half way to its neighbours.
std::pair<Reals, Reals> steps(const std::vector<double>& x, const Reals& y) {
  Reals xs, ys;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double left = i > 0 ? (x[i - 1] + x[i]) / 2 : x[i];
    const double right = i + 1 < x.size() ? (x[i] + x[i + 1]) / 2 : x[i];
    xs.insert(xs.end(), {left, right});
    ys.insert(ys.end(), {y[i], y[i]});
  }
  return {xs, ys};
}

double nice_upper(double value) {
  if (!(value > 0)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double f : {1.2, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.4, 8.0, 10.0})
    if (f * power >= value * 1.04) return f * power;
  return 12 * power;
}

/// Adds the content, in parts of the subsystems.
Figure profile_figure(Figure figure, const ReportSubject& subject,
                      const Profile& profile, const std::vector<Reals>& parts,
                      bool as_steps) {
  figure.height = 330;
  Plot plot;
  plot.x.title = "*η*";
  plot.x.name = "eta";
  plot.x.lower = profile.eta.front();
  plot.x.upper = profile.eta.back();
  figure.data.add("eta", Reals(profile.eta));
  Panel panel;
  Reals sum(profile.eta.size());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Reals below = sum;
    bool any = false;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += parts[k][i];
      any = any || parts[k][i] > 0;
    }
    if (!any) continue;
    const Subsystem& system = subject.groups.systems[k];
    Band band{.id = fmt::format("system{}", k),
              .x = profile.eta,
              .lower = below,
              .upper = sum,
              .paint = system.fill,
              .label = literal_text(system.name)};
    if (as_steps) {
      std::tie(band.x, band.lower) = steps(profile.eta, below);
      band.upper = steps(profile.eta, sum).second;
    }
    band.column = figure.data.columns.size();
    figure.data.add(system.name, Reals(parts[k]));
    panel.bands.push_back(std::move(band));
  }
  Curve total{.id = "total", .x = profile.eta, .y = sum};
  if (as_steps) std::tie(total.x, total.y) = steps(profile.eta, sum);
  total.column = figure.data.columns.size();
  panel.y.upper = nice_upper(*std::max_element(sum.begin(), sum.end()));
  figure.data.add("total", std::move(sum));
  panel.curves.push_back(std::move(total));
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  figure.legend = subject.groups.legend();
  return figure;
}

}  // namespace

Figure hits_figure(const ReportSubject& subject) {
  const Profile profile = make_profile(subject);
  Figure figure = profile_figure(
      subject.figure("hits", "Measurements", "straight tracks from the origin",
                     "Number of measurements against pseudorapidity."),
      subject, profile, profile.hits, true);
  figure.legend.clear();  // that of the material beside it is the same
  FigureAxis& y = std::get<Plot>(figure.content).panels.front().y;
  y.title = "measurements on the track";
  y.name = "measurements";
  return figure;
}

Figure material_figure(const ReportSubject& subject) {
  const Profile profile = make_profile(subject);
  Figure figure = profile_figure(
      subject.figure("material", "Material", "up to the last measurement",
                     "Material against pseudorapidity by subsystem."),
      subject, profile, profile.x_over_x0, false);
  figure.legend.clear();
  FigureAxis& y = std::get<Plot>(figure.content).panels.front().y;
  y.title = "*x*/*X*_{0} [%]";
  y.name = "x/X0";
  y.unit = "%";
  return figure;
}

PageTable layer_page_table(const ReportSubject& subject) {
  const Detector& detector = subject.detector;
  const std::vector<std::string> names = entry_names(detector);
  PageTable table;
  table.folded = true;
  table.title = "Layers as the program understood them: " +
                literal_text(layer_count_text(detector));
  table.columns = {{"layer", false},    {"subsystem", false},
                   {"shape", false},    {"at [mm]"},
                   {"from [mm]"},       {"to [mm]"},
                   {"*x*/*X*_{0} [%]"}, {"measures [µm]", false}};
  for (std::size_t i = 0; i < names.size();) {
    std::size_t last = i;
    while (last + 1 < names.size() && names[last + 1] == names[i]) ++last;
    const Layer &a = detector.layers[i], &b = detector.layers[last];
    constexpr const char* shapes[] = {"cylinder", "disk", "plane"};
    std::string position = rich_number(a.surface.position, 5);
    std::string name = literal_text(names[i]);
    if (last > i) {
      position += " – " + rich_number(b.surface.position, 5);
      name += fmt::format(" (× {})", last - i + 1);
    }
    std::string measured;
    for (const Coordinate& c : a.coordinates)
      measured += fmt::format("{}{} {}", measured.empty() ? "" : ", ",
                              literal_text(coordinate_name(a.surface, c)),
                              rich_number(c.sigma / unit::um));
    const std::size_t system = subject.groups.of_layer[i];
    table.rows.push_back(
        {name, literal_text(subject.groups.systems[system].name),
         shapes[static_cast<std::size_t>(a.surface.shape)], position,
         rich_number(a.surface.v.lower, 5), rich_number(a.surface.v.upper, 5),
         rich_number(100 * a.x_over_x0()),
         measured.empty() ? "passive" : measured});
    i = last + 1;
  }
  return table;
}

}  // namespace gttf::detail
