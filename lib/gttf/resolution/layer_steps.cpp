// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/layer_steps.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "gttf/core/dual.hpp"
#include "gttf/detector/ring.hpp"
#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/scattering.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf::detail {

namespace {

/// A coordinate keeps its direction in the axes of a module that turns.
void set_user_rows(const SurfaceRecord& record, const TracedCrossing& x,
                   double* to) {
  const auto [u, v] = record.user_axes();
  for (const CoordinateAxis& axis : {u, v}) {
    const Row<double> row = x.coordinate_row(axis.cosine, axis.sine);
    to = std::copy(row.begin(), row.end(), to);
  }
}

double path_of(const std::vector<TracedCrossing>& list, std::size_t k) {
  return list[k].path - (k == 0 ? 0 : list[k - 1].path);
}

}  // namespace

Surface rotated(const Surface& plane, PlaneAxis axis, double by) {
  RigidMotion motion;
  motion.rotation = axis == u_axis   ? plane.u_vector
                    : axis == v_axis ? plane.v_vector()
                                     : plane.normal_vector;
  return moved(plane, motion, by);
}

Interval range_between_faces(const TrackingGeometry& geometry,
                             const TracedCrossing& x, double rate) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Interval range{-infinite, infinite};
  if (rate == 0) return range;
  // along the path
  rate /= SurfaceLevel(geometry.surfaces()[x.surface])
              .slope(x.position, x.direction);
  for (const DipoleGap& gap : geometry.field().dipoles) {
    const auto axis = static_cast<int>(gap.normal);
    for (const bool is_upper : {false, true}) {
      const double face = is_upper ? gap.extent.upper : gap.extent.lower;
      const double ahead = face - x.position[axis];
      const bool is_on_it = std::abs(ahead) <= same_place;
      const double by = is_on_it ? 0 : ahead / (rate * x.direction[axis]);
      // the sign of a motion towards the face
      const double inwards = is_upper ? -1 : 1;
      const bool is_upwards =
          is_on_it ? inwards * rate * x.direction[axis] > 0 : by > 0;
      if (is_upwards)
        range.upper = std::min(range.upper, by);
      else
        range.lower = std::max(range.lower, by);
    }
  }
  return range;
}

LayerSteps::LayerSteps(const AnyTrack& track, const Model& model)
    : track_(track),
      model_(model),
      geometry_(track.geometry()),
      list_(track.traced()->list),
      frame_(track.frame()),
      b_ref_(track.fits_momentum() ? track.b_ref() : 1),
      loses_energy_(model.loss != EnergyLoss::off) {
  const auto end = static_cast<std::size_t>(track.traced()->last + 1);
  planes_.resize(end + 1);
  weights_.assign(end, Weights::Zero());
  Matrix5 m = Matrix5::Identity();
  for (std::size_t k = 0; k < end; ++k) {
    maps_.push_back(m);
    inverses_.push_back(inverse_map(m, k == 0 ? 0 : list_[k - 1].path));
    const auto r = step(k, position, 0, nullptr, &planes_[k + 1]);
    // a step that the track has taken exists
    results_.push_back(r ? *r : Results::Constant(Resolution::none));
    m = map_of(results_.back()) * m;
  }
}

Matrix5 LayerSteps::map_of(const Results& r) {
  Matrix5 m;
  for (int i = 0; i < int{track_dim}; ++i)
    m.row(i) = r.segment<track_dim>(map + i * int{track_dim}).transpose();
  return m;
}

LayerSteps::Plane LayerSteps::plane_at(const FlightState<track_dim>& s) const {
  Plane plane{s.position, s.direction, s.direction.unitOrthogonal(), {}, 0,
              0,          s.qop};
  plane.axis_2 = s.direction.cross(plane.axis_1);
  const FrameAngles angles(frame_, s.direction);
  plane.phi = angles.phi();
  plane.theta = angles.theta();
  return plane;
}

/// How far after crossing k its plane is: with magnets about halfway to the
/// next crossing, and not near a face, where no derivative exists.
double LayerSteps::plane_ahead(std::size_t k,
                               const FlightState<track_dim>& s) const {
  const auto& dipoles = geometry_.field().dipoles;
  if (dipoles.empty() || k + 1 == list_.size()) return 0;
  const double gap = path_of(list_, k + 1);
  const auto is_near_face = [&](double length) {
    const Vector3 point = s.position + length * s.direction;
    return std::ranges::any_of(dipoles, [&](const DipoleGap& dipole) {
      const double x = point[static_cast<int>(dipole.normal)];
      const double margin = 0.1 * gap;
      return std::abs(x - dipole.extent.lower) < margin ||
             std::abs(x - dipole.extent.upper) < margin;
    });
  };
  for (const double part : {0.5, 0.25, 0.75})
    if (!is_near_face(part * gap)) return part * gap;
  return 0.5 * gap;
}

FlightState<track_dim> LayerSteps::start_of(std::size_t k, Variable v,
                                            double by) const {
  if (k == 0) return start_state(track_.track(), frame_, b_ref_);
  const Plane& plane = planes_[k];
  FlightState<track_dim> s;
  s.position = plane.point;
  s.direction = plane.normal;
  s.qop = plane.qop;
  if (v == point_1) s.position += by * plane.axis_1;
  if (v == point_2) s.position += by * plane.axis_2;
  if (v == azimuth || v == polar) {
    const double its_phi = plane.phi + (v == azimuth ? by : 0);
    const double its_theta = plane.theta + (v == polar ? by : 0);
    s.direction = direction_of(frame_, its_theta, its_phi);
  }
  if (v == kappa) s.qop -= by / b_ref_;
  const FrameAngles angles(frame_, s.direction);
  s.d_position.col(point_1) = plane.axis_1;
  s.d_position.col(point_2) = plane.axis_2;
  s.d_direction.col(azimuth) = angles.sin_theta * angles.along_phi;
  s.d_direction.col(polar) = angles.along_theta;
  s.d_qop[kappa] = -1 / b_ref_;
  return s;
}

std::optional<LayerSteps::Results> LayerSteps::step(std::size_t k, Variable v,
                                                    double by,
                                                    const Plane* last,
                                                    Plane* own_last) const {
  FlightState<track_dim> s = start_of(k, v, by);
  const TracedCrossing& known = list_[k];
  SurfaceRecord record = geometry_.surfaces()[known.surface];
  if (v == position) record.position += by;
  if (v >= about_u) {
    const double at_normal_incidence = record.x_over_x0;
    record = SurfaceRecord(rotated(record, axis_of(v), by));
    record.x_over_x0 = at_normal_incidence;
  }
  const SurfaceLevel level(record);
  Vector3 bend;
  TracedCrossing x;
  x.path = path_of(list_, k) - (k == 0 ? 0 : planes_[k].ahead);
  if (fly_along(geometry_.field(), FlightGoal(level), x.path, s, &bend) !=
      Landing::there)
    return std::nullopt;
  double material = record.x_over_x0;
  std::vector<LossSlab> own;
  auto slabs = slabs_at(geometry_, known);
  const bool is_mapped = geometry_.is_mapped(known.surface);
  if (is_mapped) material = geometry_.x_over_x0_at(known.surface, s.position);
  if (is_mapped && loses_energy_)
    slabs = own = geometry_.slabs_at(known.surface, s.position);
  if (v == thickness) {
    material *= 1 + by;
    if (own.empty()) own.assign(slabs.begin(), slabs.end());
    for (LossSlab& slab : own) {
      slab.mass_thickness *= 1 + by;
      slab.x_over_x0 *= 1 + by;
      if (slab.mean_loss) *slab.mean_loss *= 1 + by;
    }
    slabs = own;
  }
  using NoSlip = Eigen::Matrix<double, 1, track_dim>;
  const NoSlip none = NoSlip::Zero();  // it is on the surface
  const auto behind =
      pass_layer({level, record, material, slabs}, passing(), s, bend, none, x);
  Results r = Results::Zero();
  const auto set = [&r](int first, const Row<double>& row) {
    std::copy(row.begin(), row.end(), r.data() + first);
  };
  set_user_rows(record, x, r.data() + rows);
  set(theta, x.theta_kink);
  set(phi, x.phi_kink);
  set(loss, x.loss_kink);
  r[x_over_x0] = x.x_over_x0;
  r[xi] = x.stretch.xi;
  if (x.x_over_x0 > 0)
    r[w] = theta0_squared(scatter_strength(1 / x.p_scatter, track_.track().mass,
                                           track_.track().charge),
                          model_.scattering, x.x_over_x0,
                          track_.material().to_last_hit);
  r[w_phi] = r[w] * x.inv_sin2;
  x.stretch = known.stretch;
  r[w_loss] = x.kink_loss_variance * r[w];
  if (straggles(model_.loss)) r[w_loss] += loss_variance(slabs, passing(), x);

  if (behind && behind->stopped) {
    if (k + 1 < weights_.size()) return std::nullopt;
    return r;  // it is measured before
  }
  if (behind) {
    s.qop = behind->qop;
    s.d_qop = behind->d_qop;
  }
  if (own_last) {
    FlightState<track_dim> ahead = s;
    const double length = plane_ahead(k, s);
    const auto goal =
        SurfaceLevel::plane(s.position + length * s.direction, s.direction);
    if (length > 0 && fly_along(geometry_.field(), FlightGoal(goal), length,
                                ahead) != Landing::there)
      return std::nullopt;
    *own_last = plane_at(ahead);
    own_last->ahead = length;
  }
  if (!last) last = own_last;
  if (!last) return r;
  if (fly_along(geometry_.field(),
                FlightGoal(SurfaceLevel::plane(last->point, last->normal)),
                last->ahead, s) != Landing::there)
    return std::nullopt;
  const FrameAngles angles(frame_, s.direction);
  const auto set_map = [&r](int row,
                            const Eigen::Matrix<double, 1, track_dim>& by_z) {
    r.segment<track_dim>(map + row * int{track_dim}) = by_z.transpose();
  };
  set_map(point_1, last->axis_1.transpose() * s.d_position);
  set_map(point_2, last->axis_2.transpose() * s.d_position);
  set_map(azimuth,
          angles.along_phi.transpose() * s.d_direction / angles.sin_theta);
  set_map(polar, angles.along_theta.transpose() * s.d_direction);
  set_map(kappa, -b_ref_ * s.d_qop);
  const Vector3 from = s.position - last->point;
  r[arrival + point_1] = from.dot(last->axis_1);
  r[arrival + point_2] = from.dot(last->axis_2);
  r[arrival + azimuth] = std::remainder(angles.phi() - last->phi, 2 * unit::pi);
  r[arrival + polar] = angles.theta() - last->theta;
  r[arrival + kappa] = -b_ref_ * (s.qop - last->qop);
  return r;
}

void LayerSteps::add_row(std::size_t k, const UserDirection& axis,
                         std::size_t q, const Row<double>& factor) {
  const Vector local = maps_[k] * Eigen::Map<const Vector>(factor.data());
  auto column = weights_[k].col(static_cast<int>(q));
  column.segment<track_dim>(rows) += axis.cosine * local;
  column.segment<track_dim>(rows + int{track_dim}) += axis.sine * local;
}

void LayerSteps::add_kinks(std::size_t k, std::size_t q, const Row<double>& mu,
                           double by_theta, double by_phi, double by_loss) {
  const Vector local =
      inverses_[k].transpose() * Eigen::Map<const Vector>(mu.data());
  auto column = weights_[k].col(static_cast<int>(q));
  const Results& r = results_[k];
  column.segment<track_dim>(theta) += 2 * r[w] * by_theta * local;
  column.segment<track_dim>(phi) += 2 * r[w_phi] * by_phi * local;
  column.segment<track_dim>(loss) += 2 * r[w_loss] * by_loss * local;
  column[w] += by_theta * by_theta;
  column[w_phi] += by_phi * by_phi;
  column[w_loss] += by_loss * by_loss;
}

/// The size of a step so that 1e-3 of the size of a surface, or of the bend, is
/// the largest change.
double LayerSteps::step_size(std::size_t k, Variable v) const {
  const TracedCrossing& x = list_[k];
  const double length = std::max(path_of(list_, k), 1 * unit::mm);
  double size = std::max(x.path, 1 * unit::mm);
  if (geometry_.surfaces()[x.surface].is_curved())
    size = std::hypot(x.position.x(), x.position.y());
  const double energy = std::hypot(x.p, track_.track().mass);
  const double kinetic = energy - track_.track().mass;
  const double left = std::max(1 - x.energy_loss / kinetic, 1e-3);
  const double relative = 1e-3 * x.cos_incidence * x.cos_incidence;
  const double angle = relative * std::min(1.0, size / length);
  switch (v) {
    case azimuth:
      return angle * std::sqrt(x.inv_sin2);
    case polar:
      return angle;
    case kappa: {
      const double its_kappa = std::abs(b_ref_ * planes_[k].qop);
      const double bend = its_kappa * length;
      return its_kappa * left * std::min(1e-3, bend > 0 ? angle / bend : 1e-3);
    }
    case thickness:
      return 1e-3 * left;
    case about_u:
    case about_v:
    case about_normal: {
      const auto [u, v_arm] =
          arms_about_centre(geometry_.surfaces()[x.surface], x.position);
      const double arm = std::hypot(u, v_arm);
      return relative * std::min(1.0, size / std::max(arm, 1 * unit::mm));
    }
    case point_1:
    case point_2:
    case position:
      break;
  }
  return relative * size;
}

Interval LayerSteps::range(std::size_t k, Variable v) const {
  const TracedCrossing& x = list_[k];
  const SurfaceRecord& s = geometry_.surfaces()[x.surface];
  double rate = 0;
  if (v == position) rate = 1;
  if (v >= about_u) rate = rates_of_rotations(s, x.position)[axis_of(v)];
  return range_between_faces(geometry_, x, rate);
}

/// By four values around it,
///
///   f'(0) = (8 (f_1 - f_-1) - (f_2 - f_-2))/(12 h),
///
/// or, next to the end of the range, by five on its other side,
///
///   f'(0) = (-77 f_1 + 214 f_2 - 234 f_3 + 122 f_4 - 25 f_5)/(12 h)
std::optional<LayerSteps::Results> LayerSteps::slope(std::size_t k,
                                                     Variable v) const {
  struct Value {
    int n;
    double weight;
  };
  constexpr std::array<Value, 4> around{{{1, 8}, {-1, -8}, {2, -1}, {-2, 1}}};
  constexpr std::array<Value, 5> beyond{
      {{1, -77}, {2, 214}, {3, -234}, {4, 122}, {5, -25}}};
  constexpr int most_tries = 4;
  const bool is_last = k + 1 == results_.size();
  const Plane* last = loses_energy_ && !is_last ? &planes_[k + 1] : nullptr;
  double h = step_size(k, v);
  const Interval its_range = range(k, v);
  const bool is_beyond = std::min(-its_range.lower, its_range.upper) < 3 * h;
  if (is_beyond) {
    const bool is_up = its_range.upper > -its_range.lower;
    h = std::min(h, (is_up ? its_range.upper : -its_range.lower) / 6);
    if (!is_up) h = -h;
  }
  const std::span<const Value> values =
      is_beyond ? std::span<const Value>(beyond) : around;
  for (int i = 0; i < most_tries; ++i, h *= 0.1) {
    Results sum = Results::Zero();
    const bool exists = std::ranges::all_of(values, [&](const Value& value) {
      const auto f = step(k, v, value.n * h, last, nullptr);
      if (f) sum += value.weight / (12 * h) * *f;
      return f.has_value();
    });
    if (exists) return sum;
  }
  return std::nullopt;
}

/// Weights of what all layers share: the material up to the last hit in the
/// logarithm of all angles, and the stretch that straggles.
void LayerSteps::add_common(std::vector<Weights>& weights) const {
  using PerQ = Eigen::Matrix<double, 1, int{n_parameters}>;
  const std::size_t end = weights.size();
  const Track& track = track_.track();
  PerQ by_total = PerQ::Zero(), by_xi = PerQ::Zero(), by_depth = PerQ::Zero();
  std::vector<PerQ> depths(end, PerQ::Zero());
  const double total = track_.material().to_last_hit;
  const bool is_common =
      model_.scattering == Scattering::highland_total && total > 0;
  for (std::size_t k = 0; k < end; ++k) {
    const Results& r = results_[k];
    const TracedCrossing& x = list_[k];
    if (is_common && r[w] > 0) {
      const Dual<1> angle = theta0_squared(
          scatter_strength(Dual<1>(1 / x.p_scatter), Dual<1>(track.mass),
                           Dual<1>(track.charge)),
          model_.scattering, Dual<1>(r[x_over_x0]),
          Dual<1>::variable(total, 0));
      const double relative = angle.derivative[0] / angle.value;
      by_total += relative *
                  (r[w] * weights[k].row(w) + r[w_phi] * weights[k].row(w_phi) +
                   x.kink_loss_variance * weights[k].row(w_loss));
    }
    if (!straggles(model_.loss) || k + 1 == end) continue;
    const auto by = [&](double LossStretch::*part) {
      const double step = 1e-3 * x.stretch.*part;
      if (!(step > 0)) return 0.0;
      TracedCrossing more = x, less = x;
      more.stretch.*part += step;
      less.stretch.*part -= step;
      const auto slabs = slabs_at(geometry_, x);
      return (loss_variance(slabs, passing(), more) -
              loss_variance(slabs, passing(), less)) /
             (2 * step);
    };
    by_xi += by(&LossStretch::xi) * weights[k].row(w_loss);
    depths[k] = by(&LossStretch::depth) * weights[k].row(w_loss);
  }
  for (std::size_t k = end; k-- > 0;) {
    weights[k].row(x_over_x0) = by_total;
    if (k + 1 == end) continue;
    weights[k].row(x_over_x0) += by_depth;
    weights[k].row(xi) = by_xi;
    by_depth += depths[k];
  }
}

void LayerSteps::set_slopes(const SlopeKinds& kinds,
                            std::vector<LayerSlopes>& slopes) {
  add_common(weights_);
  std::array<Matrix5, n_parameters> by_map;  // d(variance)/d(dM_k M_k^-1)
  by_map.fill(Matrix5::Zero());
  PerLine by_line = PerLine::Zero();  // d(variance)/d(z_k)
  // steps inside of all changes do not matter
  const auto is_changed = [&](std::size_t k) {
    return kinds.has_layer(list_[k].surface);
  };
  std::size_t innermost = 0;
  while (innermost < results_.size() && !is_changed(innermost)) ++innermost;
  for (std::size_t k = results_.size(); k-- > innermost;) {
    const Results& r = results_[k];
    Weights& own = weights_[k];
    if (loses_energy_ && k + 1 < results_.size()) {
      const Matrix5 f = map_of(r);
      const Matrix5 back = inverse_map(f, path_of(list_, k)).transpose();
      own.middleRows<track_dim>(arrival) = by_line;
      for (std::size_t q = 0; q < n_parameters; ++q) {
        const Matrix5 by_own = by_map[q] * back;
        for (int i = 0; i < int{track_dim}; ++i)
          own.col(static_cast<int>(q))
              .segment<track_dim>(map + i * int{track_dim}) =
              by_own.row(i).transpose();
        by_map[q] = f.transpose() * by_own;
      }
    }
    for (std::size_t q = 0; q < n_parameters; ++q) {
      const auto column = own.col(static_cast<int>(q));
      for (const int row : {rows, rows + int{track_dim}})
        by_map[q] += r.segment<track_dim>(row) *
                     column.segment<track_dim>(row).transpose();
      for (const int kink : {theta, phi, loss})
        by_map[q] -= column.segment<track_dim>(kink) *
                     r.segment<track_dim>(kink).transpose();
    }
    const auto by = [&](Variable v, double factor) {
      PerParameter sum;
      const auto change = slope(k, v);
      for (std::size_t q = 0; q < n_parameters; ++q)
        sum.values[q] = change
                            ? factor * own.col(static_cast<int>(q)).dot(*change)
                            : Resolution::none;
      return sum;
    };
    if (is_changed(k)) {
      const double material = geometry_.surfaces()[list_[k].surface].x_over_x0;
      if (kinds.position) {
        slopes[k].position = by(position, 1);
        if (geometry_.surfaces()[list_[k].surface].kind ==
            SurfaceRecord::Kind::inclined)
          slopes[k].rotations = {by(about_u, 1), by(about_v, 1),
                                 by(about_normal, 1)};
      }
      if (kinds.material && material > 0)
        slopes[k].material = by(thickness, 1 / material);
    }
    if (!loses_energy_ || k == innermost) continue;
    PerLine next = PerLine::Zero();
    for (const Variable v : {point_1, point_2, azimuth, polar, kappa}) {
      const PerParameter sum = by(v, 1);
      for (std::size_t q = 0; q < n_parameters; ++q)
        next(v, static_cast<int>(q)) = sum.values[q];
    }
    by_line = next;
  }
}

}  // namespace gttf::detail
