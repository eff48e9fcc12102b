// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/scan_columns.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "gttf/core/readable.hpp"
#include "gttf/core/units.hpp"

namespace gttf {

namespace {

using Row = TrackRow;
using ScanShared = ResolutionColumns<TrackRow>;

/// "leaves", "curls up", or the location and reason of another end.
std::string end_text(const Row& row) {
  const Resolution& r = row.resolution;
  if (r.left_map)
    return fmt::format("leaves the field map at ({:.6g}, {:.6g}, {:.6g}) mm",
                       r.left_map->x(), r.left_map->y(), r.left_map->z());
  if (r.stopped && !r.crossings.empty())
    return "stops in " + row.detector.layers[r.crossings.back().layer].name;
  return std::string(to_string(r.end));
}

/// Standard deviation of a parameter of Perigee, and of one at the start plane.
double perigee(const Row& row, int i, double unit = 1) {
  return std::sqrt(row.resolution.perigee(i, i)) / unit;
}
double at_start(const Row& row, int i, double unit) {
  return std::sqrt(row.resolution.start_plane(i, i)) / unit;
}

/// Columns of a state at the requested layer.
double at_layer(const Row& row, const Matrix5 StateAtLayer::*matrix, int i,
                double unit) {
  const auto& at = row.resolution.at;
  return at ? std::sqrt(((*at).*matrix)(i, i)) / unit : Resolution::none;
}
double slopes_at(const Row& row, int i, double unit) {
  return at_layer(row, &StateAtLayer::slopes, i, unit);
}
double angles_at(const Row& row, int i) {
  return at_layer(row, &StateAtLayer::covariance, i, unit::mrad);
}

constexpr std::string_view nothing = "no resolution";
constexpr std::string_view no_momentum = "no resolution, no field";
constexpr std::string_view no_plane =
    "no resolution; tracks within 0.57 deg of that plane";
constexpr std::string_view no_state = "`at_status` is not `ok`";

constexpr auto of_track = std::to_array<ColumnOf<Row>>({
    ScanShared::n_hits,
    ScanShared::n_triplets,
    {{"x_over_x0", "1",
      "sum over all crossings along the track, including passive layers and "
      "those beyond the last hit"},
     [](const Row& r) { return r.resolution.x_over_x0; }},
    {{"x_over_x0_tracker", "1",
      "the same up to the layer of the last hit, inclusive: without a coil "
      "beyond it",
      "no hit"},
     [](const Row& r) { return r.resolution.x_over_x0_tracker; }},
    {{"sigma_p_rel", "1", "sigma(p)/p = sigma(q/p)/(q/p)", no_momentum},
     [](const Row& r) { return r.resolution.sigma_p_rel; }},
    {{"sigma_pt_rel", "1", "sigma(pT)/pT, from q/p, theta and their covariance",
      "no resolution, no field; along z"},
     [](const Row& r) { return r.resolution.sigma_pt_rel; }},
    {{"sigma_qop_per_GeV", "e/GeV", "sigma(q/p)", no_momentum},
     [](const Row& r) { return perigee(r, Perigee::qop); }},
    {{"sigma_d0_um", "um", "transverse distance from the vertex point",
      nothing},
     [](const Row& r) { return perigee(r, Perigee::d0, unit::um); }},
    {{"sigma_z0_um", "um", "z at the point of closest approach",
      "no resolution; along z"},
     [](const Row& r) { return perigee(r, Perigee::z0, unit::um); }},
    {{"sigma_phi0_mrad", "mrad", "azimuth there", "no resolution; along z"},
     [](const Row& r) { return perigee(r, Perigee::phi, unit::mrad); }},
    {{"sigma_theta_mrad", "mrad", "polar angle there", nothing},
     [](const Row& r) { return perigee(r, Perigee::theta, unit::mrad); }},
    {{"sigma_p_rel_hit_only", "1", "the limit without scattering", no_momentum},
     [](const Row& r) { return r.resolution.sigma_p_rel_hit_only; }},
    {{"sigma_p_rel_ms_only", "1", "the limit without hit errors",
      "no resolution, no field; exact hits determine each other, as after "
      "layers without material; `--scattering off`"},
     [](const Row& r) { return r.resolution.sigma_p_rel_ms_only; }},
    ScanShared::mu_phi,
    ScanShared::mu_theta,
    ScanShared::xi,
    ScanShared::regime,
    ScanShared::status,
    {{"track_end", "",
      "`leaves`; `curls up` if the track turns back before a layer and within "
      "its extent; `leaves the field map at (x, y, z) mm`; `stops in LAYER` if "
      "it has lost its energy"},
     [](const Row& r) { return end_text(r); }},
    {{"sigma_x_um", "um", "x on the plane normal to z through the vertex point",
      no_plane},
     [](const Row& r) { return at_start(r, 0, unit::um); }},
    {{"sigma_y_um", "um", "y there", no_plane},
     [](const Row& r) { return at_start(r, 1, unit::um); }},
    {{"sigma_tx_mrad", "mrad", "slope dx/dz there (1 mrad = 0.001)", no_plane},
     [](const Row& r) { return at_start(r, 2, unit::mrad); }},
    {{"sigma_ty_mrad", "mrad", "slope dy/dz there", no_plane},
     [](const Row& r) { return at_start(r, 3, unit::mrad); }},
});

constexpr unsigned at = at_layer_columns;

constexpr auto of_track_at_layer = std::to_array<ColumnOf<Row>>({
    {{"at_layer", "", "the layer"},
     [](const Row& r) {
       return r.request.at ? std::string_view(r.request.at->layer) : "";
     },
     at},
    {{"at_status", "",
      "`ok`, `not crossed`, `not determined` (without its own hit, too little "
      "is left)"},
     [](const Row& r) { return at_status(r.resolution); },
     at},
    {{"p_at_GeV", "GeV",
      "momentum there; less than at the vertex with energy loss",
      "not crossed"},
     [](const Row& row) {
       const Resolution& r = row.resolution;
       return r.at && r.at->crossed ? r.crossings[r.at->crossing].p
                                    : Resolution::none;
     },
     at},
    {{"sigma_u_at_um", "um",
      "position along the axis u of the [layer](language.md#surfaces)",
      no_state},
     [](const Row& r) { return slopes_at(r, OnSurface::u, unit::um); },
     at},
    {{"sigma_v_at_um", "um", "the same along v", no_state},
     [](const Row& r) { return slopes_at(r, OnSurface::v, unit::um); },
     at},
    {{"sigma_tu_at_mrad", "mrad", "slope along u per depth below the surface",
      no_state},
     [](const Row& r) { return slopes_at(r, OnSurface::phi, unit::mrad); },
     at},
    {{"sigma_tv_at_mrad", "mrad", "the same along v", no_state},
     [](const Row& r) { return slopes_at(r, OnSurface::theta, unit::mrad); },
     at},
    {{"sigma_phi_at_mrad", "mrad", "azimuth of the direction",
      "`at_status` is not `ok`; along z"},
     [](const Row& r) { return angles_at(r, OnSurface::phi); },
     at},
    {{"sigma_theta_at_mrad", "mrad", "its polar angle",
      "`at_status` is not `ok`; along z"},
     [](const Row& r) { return angles_at(r, OnSurface::theta); },
     at},
    {{"sigma_p_at_rel", "1", "of the momentum there",
      "`at_status` is not `ok`; no field"},
     [](const Row& r) {
       return r.resolution.at ? r.resolution.at->sigma_p_rel : Resolution::none;
     },
     at},
});

constexpr auto columns_of_scan =
    joined_columns(point_columns<Row>, of_track, of_track_at_layer);

template <int i, int j>
constexpr auto covariance =
    [](const Row& r) { return r.resolution.perigee(i, j); };

constexpr auto elements = [] {
  constexpr int d0 = Perigee::d0, z0 = Perigee::z0, phi0 = Perigee::phi,
                theta = Perigee::theta, qop = Perigee::qop;
  return std::to_array<ColumnOf<Row>>({
      ScanShared::n_hits,
      ScanShared::status,
      {{"cov_d0_d0_mm2", "mm^2", "variance of d0"}, covariance<d0, d0>},
      {{"cov_d0_z0_mm2", "mm^2", "d0 and z0"}, covariance<d0, z0>},
      {{"cov_d0_phi0_mm_rad", "mm rad", "d0 and phi0"}, covariance<d0, phi0>},
      {{"cov_d0_theta_mm_rad", "mm rad", "d0 and theta"},
       covariance<d0, theta>},
      {{"cov_d0_qop_mm_per_GeV", "mm e/GeV", "d0 and q/p"},
       covariance<d0, qop>},
      {{"cov_z0_z0_mm2", "mm^2", "variance of z0"}, covariance<z0, z0>},
      {{"cov_z0_phi0_mm_rad", "mm rad", "z0 and phi0"}, covariance<z0, phi0>},
      {{"cov_z0_theta_mm_rad", "mm rad", "z0 and theta"},
       covariance<z0, theta>},
      {{"cov_z0_qop_mm_per_GeV", "mm e/GeV", "z0 and q/p"},
       covariance<z0, qop>},
      {{"cov_phi0_phi0_rad2", "rad^2", "variance of phi0"},
       covariance<phi0, phi0>},
      {{"cov_phi0_theta_rad2", "rad^2", "phi0 and theta"},
       covariance<phi0, theta>},
      {{"cov_phi0_qop_rad_per_GeV", "rad e/GeV", "phi0 and q/p"},
       covariance<phi0, qop>},
      {{"cov_theta_theta_rad2", "rad^2", "variance of theta"},
       covariance<theta, theta>},
      {{"cov_theta_qop_rad_per_GeV", "rad e/GeV", "theta and q/p"},
       covariance<theta, qop>},
      {{"cov_qop_qop_per_GeV2", "(e/GeV)^2", "variance of q/p"},
       covariance<qop, qop>},
  });
}();

// At a layer, the slopes represent the direction.
template <int i, int j>
constexpr auto covariance_at = [](const Row& r) {
  return r.resolution.at ? r.resolution.at->slopes(i, j) : Resolution::none;
};

constexpr auto elements_at_layer = std::to_array<ColumnOf<Row>>({
    of_track_at_layer[0],
    of_track_at_layer[1],
    of_track_at_layer[2],
    {{"cov_u_u_at_mm2", "mm^2", "variance of u", no_state},
     covariance_at<0, 0>,
     at},
    {{"cov_u_v_at_mm2", "mm^2", "u and v", no_state}, covariance_at<0, 1>, at},
    {{"cov_u_tu_at_mm", "mm", "u and slope along u", no_state},
     covariance_at<0, 2>,
     at},
    {{"cov_u_tv_at_mm", "mm", "u and slope along v", no_state},
     covariance_at<0, 3>,
     at},
    {{"cov_u_qop_at_mm_per_GeV", "mm e/GeV", "u and q/p", no_state},
     covariance_at<0, 4>,
     at},
    {{"cov_v_v_at_mm2", "mm^2", "variance of v", no_state},
     covariance_at<1, 1>,
     at},
    {{"cov_v_tu_at_mm", "mm", "v and slope along u", no_state},
     covariance_at<1, 2>,
     at},
    {{"cov_v_tv_at_mm", "mm", "v and slope along v", no_state},
     covariance_at<1, 3>,
     at},
    {{"cov_v_qop_at_mm_per_GeV", "mm e/GeV", "v and q/p", no_state},
     covariance_at<1, 4>,
     at},
    {{"cov_tu_tu_at", "1", "variance of slope along u", no_state},
     covariance_at<2, 2>,
     at},
    {{"cov_tu_tv_at", "1", "slope along u and slope along v", no_state},
     covariance_at<2, 3>,
     at},
    {{"cov_tu_qop_at_per_GeV", "e/GeV", "slope along u and q/p", no_state},
     covariance_at<2, 4>,
     at},
    {{"cov_tv_tv_at", "1", "variance of slope along v", no_state},
     covariance_at<3, 3>,
     at},
    {{"cov_tv_qop_at_per_GeV", "e/GeV", "slope along v and q/p", no_state},
     covariance_at<3, 4>,
     at},
    {{"cov_qop_qop_at_per_GeV2", "(e/GeV)^2", "variance of q/p", no_state},
     covariance_at<4, 4>,
     at},
});

constexpr auto columns_of_covariances =
    joined_columns(point_columns<Row>, elements, elements_at_layer);

}  // namespace

std::span<const ColumnOf<TrackRow>> scan_columns() { return columns_of_scan; }

std::span<const ColumnOf<TrackRow>> covariance_columns() {
  return columns_of_covariances;
}

std::vector<std::string> scan_column_names(bool with_layer) {
  return names_of(scan_columns(), with_layer ? at_layer_columns : 0);
}

std::vector<std::string> columns_for_reading(
    const StudyRequest& request, std::span<const Detector> detectors) {
  std::vector<std::string> columns;
  if (request.detectors.size() > 1) columns.emplace_back("detector");
  const bool by_pt = request.momentum.variable == MomentumAxis::Variable::pt;
  const bool by_eta = request.angle.variable == AngleAxis::Variable::eta;
  columns.emplace_back(by_pt ? "pt_GeV" : "p_GeV");
  columns.emplace_back(by_eta ? "eta" : "theta_deg");
  const auto add = [&columns](std::initializer_list<const char*> names) {
    columns.insert(columns.end(), names.begin(), names.end());
  };
  const bool beam = along_beam(request, detectors);
  add({"n_hits", "x_over_x0", "sigma_p_rel"});
  if (request.at)
    add({"at_status", "sigma_u_at_um", "sigma_v_at_um", "sigma_tu_at_mrad",
         "sigma_tv_at_mrad", "sigma_p_at_rel"});
  else if (beam)
    add({"sigma_x_um", "sigma_y_um", "sigma_tx_mrad", "sigma_ty_mrad"});
  else
    add({"sigma_pt_rel", "sigma_d0_um", "sigma_z0_um", "sigma_phi0_mrad",
         "sigma_theta_mrad"});
  add({"status"});
  return columns;
}

Table empty_scan_table(bool with_layer) {
  return RowTable(scan_columns(), with_layer ? at_layer_columns : 0).take();
}

Table scan_row(const Detector& detector, const StudyRequest& request,
               GridPoint point, const Resolution& resolution) {
  RowTable<TrackRow> table(scan_columns(), request.at ? at_layer_columns : 0);
  table.add(
      {PointRows(detector, request).at(point), detector, request, resolution});
  return std::move(table).take();
}

bool is_evaluated(const Resolution& resolution) {
  return std::isfinite(resolution.perigee(Perigee::d0, Perigee::d0));
}

std::string_view at_status(const Resolution& r) {
  if (!r.at) return "";
  if (!r.at->crossed) return "not crossed";
  return r.at->exists ? "ok" : "not determined";
}

std::string_view missing_text(const Resolution& r) {
  const bool only_there =
      r.at && !r.at->exists &&
      (r.status == Status::ok || r.status == Status::no_field);
  return only_there ? at_status(r) : to_string(r.status);
}

namespace {

struct Writing {
  std::string_view column, symbol, unit_name;
  double unit;       ///< of the column
  double text_unit;  ///< of sigma_text
};

const Writing& writing(Parameter q) {
  static constexpr std::array<Writing, n_parameters> all{{
      {"sigma_p_rel", "sigma(p)/p", "%", 1, unit::percent},
      {"sigma_pt_rel", "sigma(pt)/pt", "%", 1, unit::percent},
      {"sigma_d0_um", "sigma(d0)", "um", unit::um, unit::um},
      {"sigma_z0_um", "sigma(z0)", "um", unit::um, unit::um},
      {"sigma_phi0_mrad", "sigma(phi0)", "mrad", unit::mrad, unit::mrad},
      {"sigma_theta_mrad", "sigma(theta)", "mrad", unit::mrad, unit::mrad},
      {"sigma_x_um", "sigma(x)", "um", unit::um, unit::um},
      {"sigma_y_um", "sigma(y)", "um", unit::um, unit::um},
      {"sigma_tx_mrad", "sigma(tx)", "mrad", unit::mrad, unit::mrad},
      {"sigma_ty_mrad", "sigma(ty)", "mrad", unit::mrad, unit::mrad},
  }};
  return all[static_cast<std::size_t>(q)];
}

}  // namespace

namespace {

struct WritingAtLayer {
  Parameter parameter;
  std::string_view name, column, symbol;
};

constexpr std::array<WritingAtLayer, 7> at_a_layer{{
    {Parameter::p, "p", "sigma_p_at_rel", "sigma(p)/p"},
    {Parameter::phi0, "phi", "sigma_phi_at_mrad", "sigma(phi)"},
    {Parameter::theta, "theta", "sigma_theta_at_mrad", "sigma(theta)"},
    {Parameter::x, "u", "sigma_u_at_um", "sigma(u)"},
    {Parameter::y, "v", "sigma_v_at_um", "sigma(v)"},
    {Parameter::tx, "tu", "sigma_tu_at_mrad", "sigma(tu)"},
    {Parameter::ty, "tv", "sigma_tv_at_mrad", "sigma(tv)"},
}};

/// Throws std::invalid_argument if it is not a parameter at a layer.
const WritingAtLayer& writing_at_layer(Parameter q) {
  const auto found =
      std::ranges::find(at_a_layer, q, &WritingAtLayer::parameter);
  if (found == at_a_layer.end())
    throw std::invalid_argument("no parameter at a layer");
  return *found;
}

}  // namespace

std::string_view parameter_name(Parameter q, bool at_layer) {
  return at_layer ? writing_at_layer(q).name : to_string(q);
}

std::optional<Parameter> named_parameter(std::string_view name, bool at_layer) {
  for (const Parameter q : parameters_of(at_layer))
    if (parameter_name(q, at_layer) == name) return q;
  return std::nullopt;
}

std::span<const Parameter> parameters_of(bool at_layer) {
  static constexpr auto of_layer = [] {
    std::array<Parameter, at_a_layer.size()> list{};
    for (std::size_t i = 0; i < list.size(); ++i)
      list[i] = at_a_layer[i].parameter;
    return list;
  }();
  if (at_layer) return of_layer;
  return all_parameters;
}

std::string_view sigma_column(Parameter q, bool at_layer) {
  return at_layer ? writing_at_layer(q).column : writing(q).column;
}
double sigma_unit(Parameter q) { return writing(q).unit; }
std::string sigma_symbol(Parameter q, bool at_layer) {
  return std::string(at_layer ? writing_at_layer(q).symbol : writing(q).symbol);
}

std::string sigma_text(Parameter q, double sigma) {
  const Writing& w = writing(q);
  return std::isnan(sigma)
             ? "-"
             : fmt::format("{} {}", readable(sigma / w.text_unit, 3),
                           w.unit_name);
}

std::span<const Parameter> shown_parameters(bool along_beam) {
  using P = Parameter;
  static constexpr std::array beam{P::p, P::x, P::y, P::tx, P::ty};
  static constexpr std::array perigee{P::p,  P::pt,   P::d0,
                                      P::z0, P::phi0, P::theta};
  if (along_beam) return beam;
  return perigee;
}

std::span<const Parameter> shown_parameters(const StudyRequest& request,
                                            const Detector& detector,
                                            GridPoint point) {
  return shown_parameters(request.at.has_value() ||
                          along_beam(detector, grid_track(request, point)));
}

std::string at_text(const StudyRequest& request) {
  if (!request.at) return "";
  return ", at " + request.at->layer +
         (request.at->own_hit ? "" : " without its own hit");
}

}  // namespace gttf
