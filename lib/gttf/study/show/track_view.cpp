// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/show/track_view.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "gttf/core/readable.hpp"
#include "gttf/study/scan/row.hpp"

namespace gttf {
namespace {

using Names = std::array<std::string_view, 5>;
constexpr Names perigee_names{"d0_mm", "z0_mm", "phi0_rad", "theta_rad",
                              "qop_per_GeV"};
constexpr Names plane_names{"x_mm", "y_mm", "tx", "ty", "qop_per_GeV"};
constexpr Names slope_names{"u_mm", "v_mm", "tu", "tv", "qop_per_GeV"};
constexpr Names surface_names{"u_mm", "v_mm", "phi_rad", "theta_rad",
                              "qop_per_GeV"};

Document matrix_document(const Names& names, const Matrix5& matrix) {
  Document::List rows;
  for (int i = 0; i < 5; ++i) {
    Document::List row;
    for (int j = 0; j < 5; ++j) row.emplace_back(matrix(i, j));
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

Document crossings_document(const Detector& detector,
                            const StudyRequest& request, const Resolution& r) {
  Document::List list;
  list.reserve(r.crossings.size());
  for (const CrossingInfo& c : r.crossings) {
    Document crossing = Document()
                            .set("layer", detector.layers[c.layer].name)
                            .set("s_mm", c.path)
                            .set("x_mm", c.position.x())
                            .set("y_mm", c.position.y())
                            .set("z_mm", c.position.z())
                            .set("cos_incidence", c.cos_incidence)
                            .set("x_over_x0", c.x_over_x0)
                            .set("theta0_rad", c.theta0)
                            .set("measured", c.measured);
    if (energy_loss_of(request, detector) != EnergyLoss::off)
      crossing.set("p_GeV", c.p).set("energy_loss_GeV", c.energy_loss);
    list.push_back(std::move(crossing));
  }
  return list;
}

/// covariance_at; null if the track does not cross the layer.
Document at_document(const StudyRequest& request, const Resolution& r) {
  Document document = matrix_document(
      surface_names,
      r.at ? r.at->covariance : Matrix5(Matrix5::Constant(Resolution::none)));
  Document at =
      Document()
          .set("layer", request.at->layer)
          .set("status", std::string(at_status(r)))
          .set("own_hit", request.at->own_hit)
          .set("order", *document.find("order"))
          .set("matrix", *document.find("matrix"))
          .set("slopes",
               matrix_document(slope_names, r.at ? r.at->slopes
                                                 : Matrix5(Matrix5::Constant(
                                                       Resolution::none))));
  return at;
}

// Rounded to three decimals; more are not significant for a correlation.
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

// A parameter as displayed.
struct ParameterLine {
  int index;
  std::string_view name, unit_name;
  double unit;
};

// Errors of parameters, units as in `lines`.
Table sigma_table(const Matrix5& covariance,
                  std::span<const ParameterLine> lines) {
  Texts names, units;
  Reals sigma;
  for (const ParameterLine& line : lines) {
    names.emplace_back(line.name);
    units.emplace_back(line.unit_name);
    sigma.push_back(std::sqrt(covariance(line.index, line.index)) / line.unit);
  }
  Table table;
  table.add("parameter", std::move(names));
  table.add("sigma", std::move(sigma));
  table.add("unit", std::move(units));
  return table;
}

constexpr std::array<ParameterLine, 5> plane_lines{{
    {0, "x", "um", unit::um},
    {1, "y", "um", unit::um},
    {2, "dx/dz", "mrad", unit::mrad},
    {3, "dy/dz", "mrad", unit::mrad},
    {4, "q/p", "1/GeV", 1 / unit::GeV},
}};

// Position and direction at the requested layer.
Section at_section(const StudyRequest& request, const Resolution& r) {
  Section section;
  section.title = fmt::format("At {}{}", request.at->layer,
                              request.at->own_hit ? "" : ", without its hit");
  if (!r.at || !r.at->exists) {
    section.facts.emplace_back("status", std::string(at_status(r)));
    return section;
  }
  const CrossingInfo& c = r.crossings[r.at->crossing];
  section.facts.emplace_back(
      "position", fmt::format("({:.6g}, {:.6g}, {:.6g}) mm", c.position.x(),
                              c.position.y(), c.position.z()));
  section.facts.emplace_back(
      "direction", fmt::format("theta {:.6g} deg, phi {:.6g} deg",
                               in_degrees(c.theta), in_degrees(c.phi)));
  section.facts.emplace_back("p", fmt::format("{:.6g} GeV", c.p));
  constexpr std::array<ParameterLine, 5> slopes{{
      {0, "u", "um", unit::um},
      {1, "v", "um", unit::um},
      {2, "slope along u", "mrad", unit::mrad},
      {3, "slope along v", "mrad", unit::mrad},
      {4, "q/p", "1/GeV", 1 / unit::GeV},
  }};
  constexpr std::array<ParameterLine, 2> angles{{
      {OnSurface::phi, "phi", "mrad", unit::mrad},
      {OnSurface::theta, "theta", "mrad", unit::mrad},
  }};
  Table table = sigma_table(r.at->slopes, slopes);
  const Table more = sigma_table(r.at->covariance, angles);
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    std::visit(
        [&](auto& cells) {
          using Cells = std::decay_t<decltype(cells)>;
          const auto& others = std::get<Cells>(more.columns[i].cells);
          cells.insert(cells.end() - 1, others.begin(), others.end());
        },
        table.columns[i].cells);
  section.table = std::move(table);
  return section;
}

// The errors of the perigee parameters, with and without the material of the
// first measuring layer and inside it.
Table parameter_table(const Resolution& r) {
  constexpr std::array<ParameterLine, 5> lines{{
      {Perigee::d0, "d0", "um", unit::um},
      {Perigee::z0, "z0", "um", unit::um},
      {Perigee::phi, "phi0", "mrad", unit::mrad},
      {Perigee::theta, "theta", "mrad", unit::mrad},
      {Perigee::qop, "q/p", "1/GeV", 1 / unit::GeV},
  }};
  Texts names, units;
  Reals sigma, without;
  for (const ParameterLine& line : lines) {
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
  return std::isnan(value) ? "-" : readable(value / unit::percent, 3) + " %";
}

std::string number_text(double value) { return readable(value, 3); }

void add_perigee(const Resolution& r, Summary& summary) {
  constexpr Names plain_names{"d0", "z0", "phi0", "theta", "qop"};
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

void add_start_plane(const Resolution& r, const Track& track,
                     Summary& summary) {
  constexpr Names plain_names{"x", "y", "tx", "ty", "qop"};
  summary.sections.push_back(
      {fmt::format("Parameters at z = {:.6g} mm", track.vertex[2]),
       {},
       sigma_table(r.start_plane, plane_lines)});
  summary.sections.push_back(
      {"Covariance there", {}, matrix_table(plane_names, r.start_plane)});
  summary.sections.push_back(
      {"Correlation",
       {},
       matrix_table(plain_names, correlation_for_reading(r.start_plane))});
}

}  // namespace

std::string particle_text(const Particle& particle) {
  if (particle.name != "custom") return particle.name;
  return fmt::format("custom particle ({} GeV, charge {})",
                     readable(particle.mass, 6), readable(particle.charge, 6));
}

std::string start_text(const std::array<double, 3>& vertex) {
  const auto [x, y, z] = vertex;
  if (x == 0 && y == 0 && z == 0) return "";
  return fmt::format(", from ({:.6g}, {:.6g}, {:.6g}) mm", x, y, z);
}

std::string track_text(const StudyRequest& request, const Track& track) {
  return fmt::format(
      "{}, p = {:.6g} GeV, theta = {:.6g} deg, phi = {:.6g} deg{}",
      particle_text(request.particle), track.p, in_degrees(track.theta),
      in_degrees(track.phi), start_text(track.vertex));
}

Table crossing_table(const Detector& detector, const Resolution& r) {
  Texts layer, measured;
  Reals s, x, y, z, cosine, x_over_x0, theta0, p, loss;
  bool loses = false;
  for (const CrossingInfo& c : r.crossings) {
    layer.push_back(detector.layers[c.layer].name);
    s.push_back(c.path);
    x.push_back(c.position.x());
    y.push_back(c.position.y());
    z.push_back(c.position.z());
    cosine.push_back(c.cos_incidence);
    x_over_x0.push_back(c.x_over_x0);
    theta0.push_back(c.theta0);
    p.push_back(c.p);
    loss.push_back(c.energy_loss);
    loses = loses || c.energy_loss != 0;
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
  if (loses) {
    table.add("p_GeV", std::move(p));
    table.add("energy_loss_GeV", std::move(loss));
  }
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
  // material beyond the last hit is listed separately, if any
  const bool behind =
      r.n_hits > 0 && r.x_over_x0 > r.x_over_x0_tracker * (1 + 1e-9);
  return {fmt::format("Crossings ({} layer{}, {} measuring, x/X0 {:.4g} %{}{})",
                      r.crossings.size(), r.crossings.size() == 1 ? "" : "s",
                      r.n_hits, r.x_over_x0 / unit::percent,
                      behind ? fmt::format(", {:.4g} % up to the last hit",
                                           r.x_over_x0_tracker / unit::percent)
                             : "",
                      curls_up ? "; then the track curls up" : ""),
          {},
          std::move(table),
          digits};
}

Document track_document(const Detector& detector, const StudyRequest& request,
                        GridPoint point, const Resolution& r) {
  Document document =
      Document()
          .set("input", input_document(grid_track(request, point)))
          .set("crossings", crossings_document(detector, request, r))
          .set("resolution", row_of(scan_row(detector, request, point, r), 0))
          .set("covariance_perigee", matrix_document(perigee_names, r.perigee))
          .set("covariance_perigee_without_inner_material",
               matrix_document(perigee_names, r.perigee_without_inner))
          .set("covariance_first_hit",
               matrix_document(surface_names, r.first_hit))
          .set("covariance_start_plane",
               matrix_document(plane_names, r.start_plane));
  if (request.at) document.set("covariance_at", at_document(request, r));
  return document;
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
    if (along_beam(detector, track))
      add_start_plane(r, track, summary);
    else
      add_perigee(r, summary);
  }
  if (request.at) summary.sections.push_back(at_section(request, r));
  summary.sections.push_back(crossing_section(detector, r));
  return summary;
}

}  // namespace gttf
