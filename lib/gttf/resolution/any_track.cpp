// SPDX-License-Identifier: Apache-2.0
// Selects how a track is followed; converts parameters to user conventions.
#include "gttf/resolution/any_track.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "gttf/detector/field_map.hpp"
#include "gttf/detector/hit_error.hpp"
#include "gttf/resolution/start_plane.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf::detail {

namespace {

/// Azimuth and slopes are undefined if the direction is this close to the axis
/// or plane they refer to.
constexpr double along_axis = 1e-6;  // rad
constexpr double grazing = 0.01;     // cos of the incidence

RowVector5 as_vector(const Row<double>& row) {
  return Eigen::Map<const RowVector5>(row.data());
}

Vector3 direction_at(double theta, double phi) {
  const double sine = std::sin(theta);
  return {sine * std::cos(phi), sine * std::sin(phi), std::cos(theta)};
}

/// Change of the direction (user's axes) with the angles of the frame.
Vector3Rows direction_rows(const Frame& frame, const Vector3& direction,
                           const RowVector5& phi, const RowVector5& theta) {
  const Vector3 t = frame.into(direction);
  const double sine = std::hypot(t.x(), t.y());
  const Vector3 by_phi(-t.y(), t.x(), 0);
  const Vector3 by_theta(t.z() * t.x() / sine, t.z() * t.y() / sine, -sine);
  return frame.out_of(by_phi) * phi + frame.out_of(by_theta) * theta;
}

/// Change of the point at the start (user's axes) with d0 and z0 of the frame.
Vector3Rows position_rows(const Frame& frame, const Vector3& direction) {
  const Vector3 t = frame.into(direction);
  const Vector3 side = Vector3(-t.y(), t.x(), 0).normalized();
  Vector3Rows rows = Vector3Rows::Zero();
  rows.col(Perigee::d0) = frame.out_of(side);
  rows.col(Perigee::z0) = frame.out_of(Vector3::UnitZ());
  return rows;
}

/// Azimuth and polar angle (user's axes) of a direction.
Eigen::Matrix<double, 2, track_dim> angle_rows(const Vector3& direction,
                                               const Vector3Rows& change) {
  const double x = direction.x(), y = direction.y(), sine = std::hypot(x, y);
  Eigen::Matrix<double, 2, track_dim> rows;
  if (sine < along_axis) {
    rows.fill(Resolution::none);
    return rows;
  }
  rows.row(0) = (x * change.row(1) - y * change.row(0)) / (sine * sine);
  rows.row(1) = direction.z() * (x * change.row(0) + y * change.row(1)) / sine -
                sine * change.row(2);
  return rows;
}

/// Slope of a direction along `axis` per depth along `normal`.
RowVector5 slope_row(const Vector3& direction, const Vector3Rows& change,
                     const Vector3& axis, const Vector3& normal) {
  const double depth = direction.dot(normal);
  if (std::abs(depth) < grazing) return RowVector5::Constant(Resolution::none);
  return (axis.transpose() * change -
          direction.dot(axis) / depth * (normal.transpose() * change)) /
         std::abs(depth);
}

struct Axes {
  Vector3 u, v;
};

/// The axes of the layer at a point of it.
Axes layer_axes(const SurfaceRecord& s, const Vector3& at) {
  const auto [u, v] = surface_axes(s, at);
  const auto [first, second] = s.user_axes();
  return {first.cosine * u + first.sine * v,
          second.cosine * u + second.sine * v};
}

/// @param theta  of the whole helix
CrossingInfo describe(const SurfaceRecord& s, const Track& track,
                      const Line<double>& l, double theta,
                      const TrackCrossing<double>& x) {
  CrossingInfo info;
  info.layer = x.surface;
  info.path = x.at.arc * l.inv_sin_theta;
  info.position = vector_of(position_at(l, x.at));
  info.phi = track.phi + l.kappa * info.path;
  if (std::abs(info.phi) > unit::pi)
    info.phi = std::remainder(info.phi, 2 * unit::pi);
  info.theta = theta;
  info.p = track.p;
  info.cos_incidence = std::abs(cos_incidence(l, s, x.at));
  info.x_over_x0 = x.at.x_over_x0;
  info.theta0 = std::sqrt(x.theta0_2);
  info.measured = s.measures();
  return info;
}

CrossingInfo describe(const SurfaceRecord& s, const TracedCrossing& x) {
  CrossingInfo info;
  info.layer = x.surface;
  info.path = x.path;
  info.position = x.position;
  info.phi = std::atan2(x.direction.y(), x.direction.x());
  info.theta =
      std::atan2(std::hypot(x.direction.x(), x.direction.y()), x.direction.z());
  info.p = x.p;
  info.energy_loss = x.energy_loss;
  info.cos_incidence = x.cos_incidence;
  info.x_over_x0 = x.x_over_x0;
  info.theta0 = std::sqrt(x.theta0_2);
  info.measured = s.measures();
  return info;
}

/// Whether the path is a helix around z or a straight line according to the
/// field.
bool bends_as_helix(const TrackingGeometry& geometry, const Track& track) {
  const Field& field = geometry.field();
  if (field.kind == FieldKind::solenoid)
    return std::sin(track.theta) > along_axis;
  return field.kind == FieldKind::none &&
         choose_frame(field, direction_at(track.theta, track.phi)).polar ==
             Axis::z;
}

std::vector<unsigned> sorted_surfaces(const auto& list) {
  std::vector<unsigned> surfaces;
  surfaces.reserve(list.size());
  for (const auto& x : list) surfaces.push_back(x.surface);
  std::ranges::sort(surfaces);
  return surfaces;
}

/// The same according to the model, too.
bool bends_as_helix(const TrackingGeometry& geometry, const Track& track,
                    const Model& model) {
  return model.loss == EnergyLoss::off && bends_as_helix(geometry, track);
}

/// A track that has more crossings than the first one of each surface, with all
/// of them; nothing for other tracks.
std::optional<TracedTrack> with_all_crossings(const TrackingGeometry& geometry,
                                              const Track& track,
                                              const Model& model) {
  const double turns = std::max(model.turns, turns_needed(geometry, track));
  if (!(turns > 0)) return std::nullopt;
  TracedTrack all =
      trace(geometry, track, model.scattering, model.loss, {}, turns);
  const bool same =
      bends_as_helix(geometry, track, model)
          ? sorted_surfaces(
                find_crossings(geometry, track, model.scattering).list) ==
                sorted_surfaces(all.list)
          : sorted_surfaces(
                trace(geometry, track, model.scattering, model.loss).list) ==
                sorted_surfaces(all.list);
  if (same) return std::nullopt;
  return all;
}

}  // namespace

bool follows_helix(const TrackingGeometry& geometry, const Track& track,
                   const Model& model) {
  return bends_as_helix(geometry, track, model) &&
         !with_all_crossings(geometry, track, model);
}

bool follows_slowing_helix(const TrackingGeometry& geometry, const Track& track,
                           const Model& model) {
  return bends_as_helix(geometry, track) &&
         !with_all_crossings(geometry, track, model);
}

AnyTrack::AnyTrack(const TrackingGeometry& geometry, const Track& track,
                   const Model& model)
    : geometry_(&geometry),
      track_(track),
      direction_(direction_at(track.theta, track.phi)) {
  find(model);
  drop_dead_hits(model);
  adapt_geometry();
}

void AnyTrack::find(const Model& model) {
  if (auto all = with_all_crossings(*geometry_, track_, model))
    found_ = std::move(*all);
  else if (bends_as_helix(*geometry_, track_, model))
    found_ = find_crossings(*geometry_, track_, model.scattering);
  else
    found_ = trace(*geometry_, track_, model.scattering, model.loss);
}

void AnyTrack::drop_dead_hits(const Model& model) {
  if (!geometry_->has_dead_regions()) return;
  std::vector<unsigned> dead;
  for (std::size_t k = 0; k < size(); ++k) {
    const unsigned s = surface(k);
    if (!geometry_->surfaces()[s].measures()) continue;
    const Vector3 at =
        helix() ? vector_of(position_at(helix()->line, helix()->list[k].at))
                : traced()->list[k].position;
    if (geometry_->is_dead(s, at.x(), at.y(), at.z())) dead.push_back(s);
  }
  if (dead.empty()) return;
  auto own = std::make_shared<TrackingGeometry>(*geometry_);
  for (const unsigned s : dead) own->drop_hit(s);
  geometry_ = own.get();
  own_ = std::move(own);
  // what counts up to the last hit is less now
  find(model);
}

void AnyTrack::adapt_geometry() {
  if (!geometry_->has_track_errors() && !geometry_->has_maps()) return;
  auto own = std::make_shared<TrackingGeometry>(*geometry_);
  const Field& field = own->field();
  const std::vector<CrossingInfo> crossings = describe_crossings();
  for (std::size_t k = 0; k < crossings.size(); ++k)
    if (own->is_mapped(crossings[k].layer) &&
        *crossing_of(crossings[k].layer) == k)
      own->set_material(crossings[k].layer, crossings[k].position);
  for (const CrossingInfo& x : crossings) {
    if (!x.measured || !own->has_track_errors()) continue;
    const auto [u, v] = layer_axes(own->surfaces()[x.layer], x.position);
    const Vector3 direction = direction_at(x.theta, x.phi);
    const double depth = direction.dot(u.cross(v));
    HitErrorInput at{.p = track_.p,
                     .theta = track_.theta,
                     .phi = track_.phi,
                     .alpha = std::atan(direction.dot(u) / depth),
                     .beta = std::atan(direction.dot(v) / depth),
                     .z = x.position.z(),
                     .r = std::hypot(x.position.x(), x.position.y()),
                     .bz = field.bz};
    Vector3 mapped;
    if (field.map && field.map->at(x.position, mapped)) at.bz = mapped.z();
    has_errors_ = own->set_errors(x.layer, at) && has_errors_;
  }
  geometry_ = own.get();
  own_ = std::move(own);
}

Crossings<DoubleDouble> AnyTrack::wide_helix() const {
  const Crossings<double>& found = *helix();
  Crossings<DoubleDouble> wide = with_scalar(
      *geometry_, found, make_line<DoubleDouble>(track_, geometry_->bz()),
      Scattering::off);
  for (std::size_t k = 0; k < found.list.size(); ++k)
    wide.list[k].theta0_2 = DoubleDouble(found.list[k].theta0_2);
  return wide;
}

UndoubtedVariances AnyTrack::undoubted(const StartHit<double>* start) const {
  double least = geometry_->least_variance();
  if (start)
    least = std::min(
        {least, start->transverse_variance, start->longitudinal_variance});
  return undoubted_variances(least, geometry_->field().map != nullptr);
}

int AnyTrack::n_measuring() const {
  return traced() ? traced()->n_measuring : helix()->n_measuring;
}
const TrackMaterial<double>& AnyTrack::material() const {
  return traced() ? traced()->material : helix()->material;
}
TrackEnd AnyTrack::end() const {
  return traced() ? traced()->end : helix()->end;
}
std::size_t AnyTrack::size() const {
  return traced() ? traced()->list.size() : helix()->list.size();
}
unsigned AnyTrack::surface(std::size_t k) const {
  return traced() ? traced()->list[k].surface : helix()->list[k].surface;
}
double AnyTrack::b_ref() const {
  return traced() ? traced()->b_ref : geometry_->bz();
}
double AnyTrack::kappa() const {
  return traced() ? traced()->kappa : helix()->line.kappa;
}

AnyTrack::AnyTrack(const TrackingGeometry& geometry, const Track& track,
                   TracedTrack traced)
    : geometry_(&geometry),
      track_(track),
      direction_(direction_at(track.theta, track.phi)),
      found_(std::move(traced)) {
  adapt_geometry();
}

std::vector<CrossingInfo> AnyTrack::describe_crossings() const {
  return describe_crossings(0, size());
}

CrossingInfo AnyTrack::crossing(std::size_t k) const {
  return describe_crossings(k, k + 1).front();
}

std::vector<CrossingInfo> AnyTrack::describe_crossings(std::size_t begin,
                                                       std::size_t end) const {
  std::vector<CrossingInfo> list;
  list.reserve(end - begin);
  const auto record = [&](unsigned surface) -> const SurfaceRecord& {
    return geometry_->surfaces()[surface];
  };
  if (const Crossings<double>* h = helix()) {
    const double theta = std::atan2(h->line.sin_theta, h->line.cos_theta);
    for (std::size_t k = begin; k < end; ++k)
      list.push_back(describe(record(h->list[k].surface), track_, h->line,
                              theta, h->list[k]));
  } else {
    for (std::size_t k = begin; k < end; ++k)
      list.push_back(describe(record(surface(k)), traced()->list[k]));
  }
  return list;
}

std::optional<std::size_t> AnyTrack::crossing_of(std::size_t wanted) const {
  for (std::size_t k = 0; k < size(); ++k)
    if (surface(k) == wanted) return k;
  return std::nullopt;
}

TripletTrack AnyTrack::triplets(const BeamSpot* spot, bool wide) const {
  const auto make = [&](const auto& found, const auto& start) {
    return make_triplet_track(*geometry_, track_, found,
                              start ? &*start : nullptr);
  };
  if (wide) {
    const Crossings<DoubleDouble> found = wide_helix();
    std::optional<StartHit<DoubleDouble>> start;
    if (spot) start = make_start_hit(found.line, *spot);
    return make(found, start);
  }
  return traced() ? make(*traced(), start_hit(spot))
                  : make(*helix(), start_hit(spot));
}

std::optional<StartHit<double>> AnyTrack::start_hit(
    const BeamSpot* spot) const {
  if (!spot) return std::nullopt;
  if (helix()) return make_start_hit(helix()->line, *spot);
  const TracedTrack& t = *traced();
  const Vector3 errors = t.frame.into({spot->x, spot->y, spot->z});
  return make_start_hit(
      StartDirection<double>{std::cos(t.phi), std::sin(t.phi),
                             std::cos(t.theta) / std::sin(t.theta)},
      errors.x(), errors.y(), errors.z());
}

Matrix5 AnyTrack::perigee() const {
  return traced() ? traced()->user_parameters : Matrix5(Matrix5::Identity());
}

Matrix5 AnyTrack::at_start_plane() const {
  Matrix5 rows;
  if (std::abs(direction_.z()) < grazing) {
    rows.topRows<4>().fill(Resolution::none);
    rows.row(4) = RowVector5::Unit(Perigee::kappa);
    return rows;
  }
  if (helix()) {
    const auto plane = StartPlane<double>(helix()->line).rows();
    for (int i = 0; i < track_dim; ++i)
      rows.row(i) = as_vector(plane[static_cast<std::size_t>(i)]);
    return rows;
  }
  const RowVector5 path = path_into_start_plane();
  // in the plane, after the direction has turned
  const Vector3Rows position =
      position_rows(frame(), direction_) + direction_ * path;
  const Vector3Rows change =
      direction_rows(frame(), direction_, RowVector5::Unit(Perigee::phi),
                     RowVector5::Unit(Perigee::theta)) +
      bend_at_start() * path;
  rows << position.topRows<2>(), slopes_at_start(change),
      RowVector5::Unit(Perigee::kappa);
  return rows;
}

Matrix5 AnyTrack::at_start_plane_by_field() const {
  Matrix5 rows = Matrix5::Zero();
  rows.middleRows<2>(2) =
      slopes_at_start(bend_at_start() * path_into_start_plane());
  return rows;
}

RowVector5 AnyTrack::path_into_start_plane() const {
  if (std::abs(direction_.z()) < grazing)
    return RowVector5::Constant(Resolution::none);
  return -position_rows(frame(), direction_).row(2) / direction_.z();
}

Eigen::Matrix<double, 2, track_dim> AnyTrack::slopes_at_start(
    const Vector3Rows& change) const {
  const double per_z = direction_.z() > 0 ? 1 : -1;
  const Vector3 depth = per_z * Vector3::UnitZ();
  Eigen::Matrix<double, 2, track_dim> rows;
  rows << slope_row(direction_, change, Vector3::UnitX(), depth),
      slope_row(direction_, change, Vector3::UnitY(), depth);
  return per_z * rows;
}

Matrix5 AnyTrack::rows_on_surface(std::size_t k) const {
  const auto rows =
      with_path([k](const auto& path) { return path.on_surface(k); });
  Matrix5 m;
  for (int i = 0; i < track_dim; ++i)
    m.row(i) = as_vector(rows[static_cast<std::size_t>(i)]);
  return m;
}

Matrix5 AnyTrack::on_surface(std::size_t k) const {
  Matrix5 m = rows_on_surface(k);
  if (frame().polar == Axis::z) return m;
  const Vector3& direction = traced()->list[k].direction;
  m.middleRows<2>(2) = angle_rows(
      direction, direction_rows(frame(), direction, m.row(2), m.row(3)));
  return m;
}

Matrix5 AnyTrack::after_layer(std::size_t k) const {
  Matrix5 m = on_surface(k);
  if (traced())
    m.row(OnSurface::qop) = as_vector(traced()->list[k].kappa_behind);
  return m;
}

Matrix5 AnyTrack::from_frame_after(std::size_t k) const {
  Matrix5 m = Matrix5::Identity();
  if (traced()) {
    const Vector3& direction = traced()->list[k].direction;
    m.middleRows<2>(2) = angle_rows(
        direction,
        direction_rows(frame(), direction, RowVector5::Unit(OnSurface::phi),
                       RowVector5::Unit(OnSurface::theta)));
  }
  return m;
}

std::size_t AnyTrack::first() const {
  return static_cast<std::size_t>(traced() ? traced()->first : helix()->first);
}

Matrix5 AnyTrack::slopes_from(std::size_t k, Matrix5 rows) const {
  const CrossingInfo at = crossing(k);
  const Vector3 direction = direction_at(at.theta, at.phi);
  const auto [u, v] =
      layer_axes(geometry_->surfaces()[surface(k)], at.position);
  const Vector3 normal = u.cross(v);
  const Vector3Rows change =
      direction_rows(frame(), direction, rows.row(2), rows.row(3));
  rows.row(2) = slope_row(direction, change, u, normal);
  rows.row(3) = slope_row(direction, change, v, normal);
  return rows;
}

Vector3 AnyTrack::bend_at_start() const {
  if (traced()) return traced()->start_bend;
  return kappa() * Vector3::UnitZ().cross(direction_);
}

namespace {

void set_row(ParameterRows<double>& rows, Parameter q, const RowVector5& row) {
  std::copy_n(row.data(), track_dim, rows[static_cast<std::size_t>(q)].begin());
}

/// @param plane AnyTrack::at_start_plane()
void set_start_plane(ParameterRows<double>& rows, const Matrix5& plane) {
  for (int i = 0; i < 4; ++i)
    set_row(rows, start_plane_parameters[static_cast<std::size_t>(i)],
            plane.row(i));
}

}  // namespace

double cot_theta(const Track& track) {
  const double sine = std::sin(track.theta), cosine = std::cos(track.theta);
  if (sine < along_axis) return Resolution::none;
  return std::abs(cosine) < 1e-12 ? 0 : cosine / sine;
}

ParameterRows<double> parameter_rows(const AnyTrack& track) {
  const Matrix5 perigee = track.perigee();
  const double cot = cot_theta(track.track());
  ParameterRows<double> rows;
  set_row(rows, Parameter::d0, perigee.row(Perigee::d0));
  set_row(rows, Parameter::z0, perigee.row(Perigee::z0));
  set_row(rows, Parameter::phi0, perigee.row(Perigee::phi));
  set_row(rows, Parameter::theta, perigee.row(Perigee::theta));
  RowVector5 p = RowVector5::Zero(), pt = p;
  if (track.fits_momentum()) {
    p = -perigee.row(Perigee::kappa) / track.kappa();
    pt = p + cot * perigee.row(Perigee::theta);
  }
  set_row(rows, Parameter::p, p);
  set_row(rows, Parameter::pt, pt);
  set_start_plane(rows, track.at_start_plane());
  return rows;
}

ParameterRows<double> parameter_rows_by_field(const AnyTrack& track) {
  ParameterRows<double> rows{};
  if (track.fits_momentum()) {
    // d(1/kappa) = -1/kappa d ln(field)
    const RowVector5 p = track.perigee().row(Perigee::kappa) / track.kappa();
    set_row(rows, Parameter::p, p);
    set_row(rows, Parameter::pt, p);
  }
  set_start_plane(rows, track.at_start_plane_by_field());
  return rows;
}

}  // namespace gttf::detail
