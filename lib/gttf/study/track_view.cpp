// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/track_view.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "gttf/study/row.hpp"

namespace gttf {
namespace {

using Names = std::array<std::string_view, 5>;
constexpr Names perigee_names{"d0_mm", "z0_mm", "phi0_rad", "theta_rad",
                              "qop_per_GeV"};
constexpr Names surface_names{"u_mm", "v_mm", "phi_rad", "theta_rad",
                              "qop_per_GeV"};

Document matrix_document(const Names& names, const Matrix5& matrix) {
  Document::List rows;
  for (int i = 0; i < 5; ++i) {
    Document::List row;
    for (int j = 0; j < 5; ++j) row.push_back(matrix(i, j));
    rows.push_back(std::move(row));
  }
  return Document()
      .set("order", Document::List(names.begin(), names.end()))
      .set("matrix", std::move(rows));
}

Document input_document(const Track& track) {
  return Document()
      .set("p_GeV", track.p)
      .set("theta_deg", in_degrees(track.theta))
      .set("phi_deg", in_degrees(track.phi))
      .set("mass_GeV", track.mass)
      .set("charge", track.charge)
      .set("vertex_mm",
           Document::List(track.vertex.begin(), track.vertex.end()));
}

Document crossings_document(const Detector& detector, const Resolution& r) {
  Document::List list;
  list.reserve(r.crossings.size());
  for (const CrossingInfo& c : r.crossings)
    list.push_back(Document()
                       .set("layer", detector.layers[c.layer].name)
                       .set("s_mm", c.path)
                       .set("x_mm", c.position.x())
                       .set("y_mm", c.position.y())
                       .set("z_mm", c.position.z())
                       .set("cos_incidence", c.cos_incidence)
                       .set("x_over_x0", c.x_over_x0)
                       .set("theta0_rad", c.theta0)
                       .set("measured", c.measured));
  return list;
}

Table one_row(const Detector& detector, const StudyRequest& request,
              GridPoint point, const Resolution& resolution) {
  ResolutionTable table;
  table.add(detector, request, point, resolution);
  return std::move(table).take();
}

// Rounded to three decimals: more say nothing of a correlation.
Matrix5 correlation_for_reading(const Matrix5& covariance) {
  Matrix5 c;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) {
      const double value =
          covariance(i, j) / std::sqrt(covariance(i, i) * covariance(j, j));
      c(i, j) = std::round(value * 1e3) / 1e3;
    }
  return c;
}

// The errors of the perigee parameters, with and without the material of the
// first measuring layer and inside it.
Table parameter_table(const Resolution& r) {
  struct Line {
    Perigee::Index index;
    std::string_view name, unit_name;
    double unit;
  };
  constexpr std::array<Line, 5> lines{{
      {Perigee::d0, "d0", "um", unit::um},
      {Perigee::z0, "z0", "um", unit::um},
      {Perigee::phi, "phi0", "mrad", unit::mrad},
      {Perigee::theta, "theta", "mrad", unit::mrad},
      {Perigee::qop, "q/p", "1/GeV", 1 / unit::GeV},
  }};
  Texts names, units;
  Reals sigma, without;
  for (const Line& line : lines) {
    const auto error = [&line](const Matrix5& covariance) {
      return std::sqrt(covariance(line.index, line.index)) / line.unit;
    };
    names.emplace_back(line.name);
    units.emplace_back(line.unit_name);
    sigma.push_back(error(r.perigee));
    without.push_back(error(r.perigee_without_inner));
  }
  Table table;
  table.add("parameter", std::move(names));
  table.add("sigma", std::move(sigma));
  table.add("sigma_without_inner_material", std::move(without));
  table.add("unit", std::move(units));
  return table;
}

Table matrix_table(const Names& names, const Matrix5& matrix) {
  constexpr double rounding = 1e-12;  // relative to the two errors
  Table table;
  table.add("", Texts(names.begin(), names.end()));
  for (int j = 0; j < 5; ++j) {
    Reals column;
    for (int i = 0; i < 5; ++i) {
      const double scale = std::sqrt(matrix(i, i) * matrix(j, j));
      const double value = matrix(i, j);
      column.push_back(std::abs(value) < rounding * scale ? 0 : value);
    }
    table.add(std::string(names[static_cast<std::size_t>(j)]),
              std::move(column));
  }
  return table;
}

std::string percent_text(double value) {
  return std::isnan(value) ? "-"
                           : fmt::format("{:.3g} %", value / unit::percent);
}

std::string number_text(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.3g}", value);
}

}  // namespace

std::string start_text(const std::array<double, 3>& vertex) {
  const auto [x, y, z] = vertex;
  if (x == 0 && y == 0 && z == 0) return "";
  return fmt::format(", from ({:.6g}, {:.6g}, {:.6g}) mm", x, y, z);
}

std::string track_text(const StudyRequest& request, const Track& track) {
  return fmt::format(
      "{}, p = {:.6g} GeV, theta = {:.6g} deg, phi = {:.6g} deg{}",
      request.particle.name, track.p, in_degrees(track.theta),
      in_degrees(track.phi), start_text(track.vertex));
}

Table crossing_table(const Detector& detector, const Resolution& r) {
  Texts layer, measured;
  Reals s, x, y, z, cosine, x_over_x0, theta0;
  for (const CrossingInfo& c : r.crossings) {
    layer.push_back(detector.layers[c.layer].name);
    s.push_back(c.path);
    x.push_back(c.position.x());
    y.push_back(c.position.y());
    z.push_back(c.position.z());
    cosine.push_back(c.cos_incidence);
    x_over_x0.push_back(c.x_over_x0);
    theta0.push_back(c.theta0);
    measured.emplace_back(c.measured ? "true" : "false");
  }
  Table table;
  table.add("layer", std::move(layer));
  table.add("s_mm", std::move(s));
  table.add("x_mm", std::move(x));
  table.add("y_mm", std::move(y));
  table.add("z_mm", std::move(z));
  table.add("cos_incidence", std::move(cosine));
  table.add("x_over_x0", std::move(x_over_x0));
  table.add("theta0_rad", std::move(theta0));
  table.add("measured", std::move(measured));
  return table;
}

Section crossing_section(const Detector& detector, const Resolution& r) {
  constexpr int digits = 5;
  Table table = crossing_table(detector, r);
  Reals theta0;
  Texts measured;
  for (const CrossingInfo& c : r.crossings) {
    theta0.push_back(c.theta0 / unit::mrad);
    measured.emplace_back(c.measured ? "yes" : "");
  }
  table.columns.resize(table.columns.size() - 2);
  table.add("theta0_mrad", std::move(theta0));
  table.add("measured", std::move(measured));
  const bool curls_up = r.end == TrackEnd::curls_up;
  return {fmt::format("Crossings ({} layer{}, {} measuring, x/X0 {:.4g} %{})",
                      r.crossings.size(), r.crossings.size() == 1 ? "" : "s",
                      r.n_hits, r.x_over_x0 / unit::percent,
                      curls_up ? "; then the track curls up" : ""),
          {},
          std::move(table),
          digits};
}

Document track_document(const Detector& detector, const StudyRequest& request,
                        GridPoint point, const Resolution& r) {
  return Document()
      .set("input", input_document(grid_track(request, point)))
      .set("crossings", crossings_document(detector, r))
      .set("resolution", row_of(one_row(detector, request, point, r), 0))
      .set("covariance_perigee", matrix_document(perigee_names, r.perigee))
      .set("covariance_perigee_without_inner_material",
           matrix_document(perigee_names, r.perigee_without_inner))
      .set("covariance_first_hit", matrix_document(surface_names, r.first_hit));
}

Summary track_summary(const Detector& detector, const StudyRequest& request,
                      GridPoint point, const Resolution& r) {
  const Track track = grid_track(request, point);
  Summary summary;
  summary.title = detector.name + ": " + track_text(request, track);
  const bool evaluated = std::isfinite(r.perigee(Perigee::d0, Perigee::d0));
  if (r.status != Status::ok)
    summary.sections.push_back(
        {"", {{"status", std::string(to_string(r.status))}}, {}});
  if (evaluated) {
    constexpr Names plain_names{"d0", "z0", "phi0", "theta", "qop"};
    const std::string regime =
        r.regime == Regime::unknown ? "-" : std::string(to_string(r.regime));
    summary.sections.push_back(
        {"Momentum",
         {{"sigma(p)/p", percent_text(r.sigma_p_rel)},
          {"sigma(pt)/pt", percent_text(r.sigma_pt_rel)},
          {"sigma(p)/p, hit errors only", percent_text(r.sigma_p_rel_hit_only)},
          {"sigma(p)/p, scattering only", percent_text(r.sigma_p_rel_ms_only)},
          {"regime", fmt::format("{} (mu_phi {}, mu_theta {}, xi {})", regime,
                                 number_text(r.mu_phi), number_text(r.mu_theta),
                                 number_text(r.xi))}},
         {}});
    summary.sections.push_back(
        {"Parameters at the perigee", {}, parameter_table(r)});
    summary.sections.push_back({"Covariance at the perigee",
                                {},
                                matrix_table(perigee_names, r.perigee)});
    summary.sections.push_back(
        {"Correlation",
         {},
         matrix_table(plain_names, correlation_for_reading(r.perigee))});
  }
  summary.sections.push_back(crossing_section(detector, r));
  return summary;
}

}  // namespace gttf
