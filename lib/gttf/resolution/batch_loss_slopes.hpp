// SPDX-License-Identifier: Apache-2.0
// BatchLossSlopes: derivatives of the variances of tracks that lose energy with
// respect to position and material of every layer, for a batch.
#pragma once

#include <algorithm>
#include <array>

#include "gttf/resolution/batch_backward_pass.hpp"
#include "gttf/resolution/batch_path.hpp"
#include "gttf/resolution/slowing_helix.hpp"

namespace gttf::detail {

/// One pass outwards, in which every variance is differentiated with respect to
/// what a step depends on, and one pass inwards, which adds up the effect of
/// each layer on all steps behind it.
///
/// A step leads from the helix h behind a crossing to the next crossing and
/// through its layer. It maps a change of h by a matrix A, which depends on the
/// curvature, the arc, the incidence and the material. With mu, a parameter
/// minus its estimate from the hits so far, as a function of the helix behind
/// the step, and n, the covariance of the parameter with the helix before it,
///
///   d(variance) = -2 mu . dA n
///
/// and rows of coordinates and kinks at the crossing contribute as without
/// loss. A change of h itself is mapped by A, too.
/// Source: docs/theory/sensitivity.md, tracks that lose energy
template <class S>
class BatchLossSlopes {
  using L = PackAccess<S>;
  /// Derivatives of a HelixStep.
  enum { of_kappa, of_arc, n_of_step };
  using StepDual = Dual<n_of_step, S>;
  /// Derivatives of a layer; that of material is relative to it.
  enum { of_psi, of_kappa_before, of_inv_r, of_material, n_of_layer };
  using LayerDual = Dual<n_of_layer, S>;
  using RowDual = Dual<1, S>;  // by psi

 public:
  /// A crossing, and the track in front of its layer.
  struct State {
    S arc;  ///< since the crossing before
    S kappa, p, kinetic;
    S cos_psi, sin_psi;
    S r2;  ///< squared distance from the axis
  };

  /// @param memory  bytes() of it
  BatchLossSlopes(const BatchTask& task, const Line<S>& line,
                  const LossStep<S>* steps, ElementPower<S>* media,
                  std::byte* memory)
      : task_(task),
        line_(line),
        steps_(steps),
        media_(media),
        states_(reinterpret_cast<State*>(memory)),
        passages_(reinterpret_cast<Passage*>(states_ + task.n_crossings)),
        adjoints_(reinterpret_cast<Adjoint*>(passages_ + task.n_crossings)),
        rest_(memory + bytes(task)),
        is_asked_for_(n_functions(task) > 0) {}

  static std::size_t bytes(const BatchTask& task) {
    return n_functions(task) > 0
               ? task.n_crossings * (sizeof(State) + sizeof(Passage) +
                                     n_functions(task) * sizeof(Adjoint))
               : 0;
  }
  /// Memory behind it.
  std::byte* rest() const { return rest_; }
  /// To be filled on the way outwards; null: not requested.
  State* states() const { return is_asked_for_ ? states_ : nullptr; }

  /// @param functions  in front of the first hits, or behind the beam spot
  void operator()(const std::array<BatchFunction<S>, n_parameters>& functions,
                  std::size_t n) {
    if (!is_asked_for_) return;
    n_ = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (functions[i].sigma != nullptr) start(functions[i]);
    const std::size_t end = find_passing();
    for (std::size_t k = 0; k < end; ++k) {
      const Passing& passing = passages_[k].passing;
      only(passing.crossing, [&] {
        pass_step(k);
        pass_coordinates(k);
      });
      if (passing.layer != 0) only(passing.layer, [&] { pass_layer(k); });
    }
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = end; k < task_.n_crossings; ++k)
        put(k, walks_[i], S(0), S(0));
      collect(i, end);
    }
  }

 private:
  /// A function on its way outwards.
  struct Walk {
    Row<S> with_line;   ///< its covariance with the line at the start,
    Row<S> with_helix;  ///< and with the helix about the crossing
    Row<S> rest;        ///< as in BatchFunction, for the helix
    double *position, *material, *sigma;
  };

  /// The tracks that matter at a crossing.
  struct Passing {
    TrackBits crossing;  ///< those that cross it, up to their last hit,
    TrackBits layer;  ///< and before it: nothing is measured behind its layer
  };

  /// Effects of changes of the helix in front of a layer.
  struct Passage {
    Passing passing;
    HelixStep<S> step;
    // of the arc of the step, by phi and kappa of the helix before it
    S arc_phi, arc_kappa;
    // the path to the surface by d0, z0 and position
    S path_d0, path_z0, path_position;
    TurnOfNormal<S> turn;
    S radius_d0, radius_path;                  ///< of 1/radius at the crossing
    S bend;                                    ///< of kappa, by the layer
    S kappa_psi, kappa_kappa, kappa_material;  ///< of kappa behind it
  };

  /// Derivatives of a variance.
  struct Adjoint {
    S kappa_step, arc;
    S psi, kappa, inv_r, material;
  };

  static std::size_t n_functions(const BatchTask& task) {
    std::size_t n = 0;
    for (std::size_t q = 0; q < n_parameters; ++q)
      if (task.position_slope[q] != nullptr ||
          task.material_slope[q] != nullptr)
        ++n;
    return n;
  }

  /// @return  the crossings up to the last hit of any track
  std::size_t find_passing() {
    TrackBits before_last = 0;
    std::size_t end = 0;
    for (std::size_t k = task_.n_crossings; k-- > 0;) {
      const ListedSurface& c = task_.list[k];
      const TrackBits behind = before_last;
      before_last |= c.fitted | c.kinked | c.inner;
      passages_[k].passing = {c.crossed & before_last, c.crossed & behind};
      if (end == 0 && before_last != 0) end = k + 1;
    }
    return end;
  }

  /// Takes a step, of these tracks only.
  template <class Step>
  void only(TrackBits tracks, const Step& step) {
    if (!task_.mixed || tracks == task_.all) return step();
    std::copy_n(walks_.begin(), n_, before_.begin());
    step();
    const auto mask = L::mask(tracks);
    const auto keep = [&mask](S& x, const S& before) {
      x = select(mask, x, before);
    };
    for (std::size_t i = 0; i < n_; ++i) {
      Walk& walk = walks_[i];
      for (std::size_t j = 0; j < track_dim; ++j) {
        keep(walk.with_line[j], before_[i].with_line[j]);
        keep(walk.with_helix[j], before_[i].with_helix[j]);
        keep(walk.rest[j], before_[i].rest[j]);
      }
    }
  }
  [[gnu::always_inline]] S masked(TrackBits elements, const S& x) const {
    return task_.mixed ? select(L::mask(elements), x, S(0)) : x;
  }

  const BatchSurface& surface(std::size_t k) const {
    return task_.surfaces[task_.list[k].surface];
  }
  Adjoint& adjoint(std::size_t k, std::size_t i) {
    return adjoints_[k * n_ + i];
  }

  /// From in front of the first hits to the start of the track.
  void start(const BatchFunction<S>& f) {
    Walk& walk = walks_[n_++];
    walk.with_line = f.with_line;
    walk.rest = f.rest;
    walk.position = f.position;
    walk.material = f.material;
    walk.sigma = f.sigma;
    for (std::size_t k = 0; k < task_.n_crossings; ++k) {
      if (task_.list[k].inner == 0) continue;
      const GeneralKinks<S>& b = steps_[k].kinks;
      const TrackBits inner = task_.list[k].inner;
      const S theta = masked(inner, b.w * dot(f.rest, b.theta)),
              phi = masked(inner, b.w_phi * dot(f.rest, b.phi)),
              loss = masked(inner, b.w_loss * dot(f.rest, b.loss));
      for (std::size_t j = 0; j < track_dim; ++j)
        walk.with_line[j] = walk.with_line[j] + theta * b.theta[j] +
                            phi * b.phi[j] + loss * b.loss[j];
    }
    walk.with_helix = walk.with_line;
  }

  /// To the crossing.
  [[gnu::noinline, gnu::flatten]] void pass_step(std::size_t k) {
    const State& s = states_[k];
    Line<StepDual> l = converted<StepDual>(line_);
    l.kappa = StepDual::variable(s.kappa, of_kappa);
    l.c = l.kappa * line_.inv_sin_theta;
    Crossing<StepDual> x;
    set_from_arc(l, StepDual::variable(s.arc, of_arc), x);
    const HelixStep<StepDual> step(l, x);
    HelixStep<S>& values = passages_[k].step;
    values.cos_turn = step.cos_turn.value;
    values.sin_turn = step.sin_turn.value;
    values.forward = step.forward.value;
    values.cot_sideward = step.cot_sideward.value;
    values.along = step.along.value;
    values.cot_sine = step.cot_sine.value;
    values.c_sine = step.c_sine.value;
    values.d0_kappa = step.d0_kappa.value;
    values.z0_kappa = step.z0_kappa.value;
    values.phi_kappa = step.phi_kappa.value;
    // between the planes across the directions at its ends
    passages_[k].arc_phi = -x.sideward.value;
    passages_[k].arc_kappa = -(line_.kappa_column * x.arc_excess.value);
    for (std::size_t i = 0; i < n_; ++i) {
      Walk& walk = walks_[i];
      take_back(values, walk.rest);
      const auto moved = step.moved(walk.with_helix);
      const auto by = [&](std::size_t j) {
        return S(-2) * (walk.rest[0] * moved.d0.derivative[j] +
                        walk.rest[1] * moved.z0.derivative[j] +
                        walk.rest[2] * moved.phi.derivative[j]);
      };
      walk.with_helix[0] = moved.d0.value;
      walk.with_helix[1] = moved.z0.value;
      walk.with_helix[2] = moved.phi.value;
      adjoint(k, i) = {by(of_kappa), by(of_arc), S(0), S(0), S(0), S(0)};
    }
  }

  /// f(shape): the surface of a crossing, or the planes of the tracks.
  template <class F>
  [[gnu::always_inline]] void with_shape(std::size_t k, const F& f) const {
    if (const ElementPlane* const planes = task_.list[k].planes)
      f(PackPlane<S>(*planes));
    else
      f(surface(k).record);
  }

  void pass_coordinates(std::size_t k) {
    with_shape(k, [&](const auto& shape) { pass_coordinates(k, shape); });
  }

  /// The coordinates, and where a change of the helix meets the surface.
  template <class Shape>
  [[gnu::noinline, gnu::flatten]] void pass_coordinates(std::size_t k,
                                                        const Shape& shape) {
    const ListedSurface& c = task_.list[k];
    const BatchSurface& s = surface(k);
    const State& state = states_[k];
    set_place(k, shape, state);
    if (c.fitted == 0) return;
    const Line<RowDual> l = converted<RowDual>(line_);
    Crossing<RowDual> x, here;
    const RowDual psi = RowDual::variable(S(0), 0);
    x.cos_psi = psi.apply(state.cos_psi, -state.sin_psi);
    x.sin_psi = psi.apply(state.sin_psi, state.cos_psi);
    x.inv_cos_psi =
        shape.is_upright() ? RowDual(S(1)) / x.cos_psi : RowDual(S(1));
    x.tan2_half = x.x_over_x0 = RowDual(S(0));
    set_at_its_point(x, here);
    const FittedRows<S> fitted{nullptr, nullptr, s.record.n_axes, s.weights,
                               c.axes};
    for (std::size_t q = 0; q < s.record.n_axes; ++q) {
      const Row<RowDual> row = row_of(l, shape, here, c, s, q);
      const S weight = fitted.weight(q), sigma = error_of<S>(c, s, q);
      const std::size_t place =
          (c.first_coordinate + in_order(q, s.independent)) *
          task_.budget_stride;
      for (std::size_t i = 0; i < n_; ++i) {
        Walk& walk = walks_[i];
        const Row<S>& n = walk.with_helix;
        const S factor = (row[0].value * n[0] + row[1].value * n[1]) * weight;
        write_elements(masked(c.fitted, S(2) * sigma * factor * factor),
                       walk.sigma + place);
        S& psi_slope = adjoint(k, i).psi;
        psi_slope = psi_slope - S(2) * factor *
                                    (row[0].derivative[0] * n[0] +
                                     row[1].derivative[0] * n[1]);
        walk.rest[0] = walk.rest[0] - factor * row[0].value;
        walk.rest[1] = walk.rest[1] - factor * row[1].value;
      }
    }
  }

  /// Of a coordinate at its own point.
  template <class Shape>
  static Row<RowDual> row_of(const Line<RowDual>& l, const Shape& shape,
                             const Crossing<RowDual>& here,
                             const ListedSurface& c, const BatchSurface& s,
                             std::size_t q) {
    if constexpr (std::is_same_v<Shape, SurfaceRecord>) {
      return coordinate_row(l, shape, here, s.axes[q].cosine, s.axes[q].sine);
    } else {
      const PackAxis<S> axis(c.axes[q]);
      return leaning_row(l, shape, here, kink(l, here), RowDual(axis.cosine),
                         RowDual(axis.sine));
    }
  }

  template <class Shape>
  void set_place(std::size_t k, const Shape& shape, const State& state) {
    using std::sqrt;
    const LayerIncidence<S> at(shape, state.cos_psi, state.sin_psi,
                               line_.sin_theta, line_.cos_theta);
    Passage& p = passages_[k];
    p.path_d0 = at.path_by_d0();
    p.path_z0 = at.path_by_z0();
    p.path_position = at.inverse;
    bool turns = false;
    if constexpr (std::is_same_v<Shape, SurfaceRecord>) {
      using Kind = SurfaceRecord::Kind;
      // the radius of a cone is not measured along its normal
      if (shape.kind == Kind::cone)
        p.path_position = S(shape.normal_r) * at.inverse;
      // axes of a disk are along and across the radius
      turns = shape.is_curved() || shape.kind == Kind::disk;
    }
    const S inv_r = select(state.r2 > S(0), S(1) / sqrt(state.r2), S(0));
    p.turn = TurnOfNormal<S>(at, turns, inv_r, state.kappa);
    const S inv_r2 = inv_r * inv_r;
    p.radius_d0 = inv_r2 * state.sin_psi;
    p.radius_path = -(inv_r2 * (line_.sin_theta * state.cos_psi));
    p.bend = p.kappa_psi = p.kappa_kappa = p.kappa_material = S(0);
  }

  void pass_layer(std::size_t k) {
    with_shape(k, [&](const auto& shape) { pass_layer(k, shape); });
  }

  /// Loss and scattering in the layer.
  template <class Shape>
  [[gnu::noinline, gnu::flatten]] void pass_layer(std::size_t k,
                                                  const Shape& shape) {
    const ListedSurface& c = task_.list[k];
    const State& state = states_[k];
    Passage& passage = passages_[k];
    const Layer layer(*this, shape, c, state);
    const auto of_layer = [tracks = passage.passing.layer,
                           mixed = task_.mixed](const S& x) {
      return mixed ? select(L::mask(tracks), x, S(0)) : x;
    };
    const auto& kappa = layer.slowed.kappa;
    passage.bend = of_layer(state.kappa - kappa.value);
    passage.kappa_psi = of_layer(kappa.derivative[of_psi]);
    passage.kappa_kappa = of_layer(kappa.derivative[of_kappa_before]);
    passage.kappa_material = of_layer(kappa.derivative[of_material]);
    const LayerStep<LayerDual>& step = layer.slowed.step;
    const LayerStep<S> values{
        step.turn_d0.value, step.turn_z0.value, step.d0.value,   step.z0.value,
        step.phi.value,     step.theta.value,   step.kappa.value};
    const S inverse = S(1) / values.kappa;
    const bool scatters = (c.kinked | c.inner) != 0;
    for (std::size_t i = 0; i < n_; ++i) {
      Walk& walk = walks_[i];
      take_back(values, inverse, walk.rest);
      const auto moved = step.moved(walk.with_helix);
      LayerDual sum =
          (moved.phi * walk.rest[2] + moved.kappa * walk.rest[4]) * S(-2);
      walk.with_helix[2] = moved.phi.value;
      walk.with_helix[4] = moved.kappa.value;
      if (scatters) sum = sum + scatter(steps_[k], c, layer, walk);
      Adjoint& to = adjoint(k, i);
      to.psi = to.psi + of_layer(sum.derivative[of_psi]);
      to.kappa = of_layer(sum.derivative[of_kappa_before]);
      to.inv_r = of_layer(sum.derivative[of_inv_r]);
      to.material = of_layer(sum.derivative[of_material]);
    }
  }

  /// What a layer does, with its derivatives.
  struct Layer {
    SlowingLayer<LayerDual> slowed;
    LayerDual log_variance;  ///< of theta kinks: only the derivatives

    template <class Shape>
    Layer(const BatchLossSlopes& all, const Shape& shape,
          const ListedSurface& c, const State& state)
        : Layer(all, shape, c, state,
                LayerIncidence<LayerDual>(
                    shape,
                    LayerDual::variable(S(0), of_psi)
                        .apply(state.cos_psi, -state.sin_psi),
                    LayerDual::variable(S(0), of_psi)
                        .apply(state.sin_psi, state.cos_psi),
                    LayerDual(all.line_.sin_theta),
                    LayerDual(all.line_.cos_theta))) {}

   private:
    template <class Shape>
    Layer(const BatchLossSlopes& all, const Shape& shape,
          const ListedSurface& c, const State& state,
          const LayerIncidence<LayerDual>& at)
        : Layer(all, shape.is_curved(), state, at,
                loss_in(all, c, state, at, kinetic_of(all, state))) {
      if ((c.kinked | c.inner) != 0 &&
          all.task_.surfaces[c.surface].record.x_over_x0 > 0)
        set_variance(all, S(shape.x_over_x0), at);
    }
    Layer(const BatchLossSlopes& all, bool is_curved, const State& state,
          const LayerIncidence<LayerDual>& at,
          const ElementLoss<LayerDual>& loss)
        : slowed(at, is_curved, inverse_radius(state),
                 {LayerDual::variable(state.kappa, of_kappa_before),
                  LayerDual::variable(S(0), of_kappa_before)
                      .apply(state.p, -(state.p / state.kappa)),
                  kinetic_of(all, state)},
                 LayerDual(S(all.task_.loss->rest_energy)), loss),
          inverse_p_beta2_(loss.inverse_p_beta2) {}

    static LayerDual inverse_radius(const State& state) {
      using std::sqrt;
      return LayerDual::variable(
          select(state.r2 > S(0), S(1) / sqrt(state.r2), S(0)), of_inv_r);
    }
    /// d(kinetic)/d(kappa) = -p^2/(E kappa)
    static LayerDual kinetic_of(const BatchLossSlopes& all,
                                const State& state) {
      const S energy = state.kinetic + S(all.task_.loss->rest_energy);
      return LayerDual::variable(S(0), of_kappa_before)
          .apply(state.kinetic, -(state.p * state.p / (energy * state.kappa)));
    }

    /// The loss depends on material times path, and on the energy.
    static ElementLoss<LayerDual> loss_in(const BatchLossSlopes& all,
                                          const ListedSurface& c,
                                          const State& state,
                                          const LayerIncidence<LayerDual>& at,
                                          const LayerDual& kinetic) {
      using D = Dual<2, S>;
      const S own = at.paths.value;
      // not along an arbitrary path where a track does not cross it
      const D paths = D::variable(
          all.task_.mixed ? select(L::mask(c.crossed), own, S(1)) : own, 0);
      const S charge = L::load(all.task_.tracks->charge);
      const ElementLoss<D> loss = loss_in_layer(
          *all.task_.loss, c.slabs_of, all.media_, charge * charge, paths,
          D(S(1)) / paths, D::variable(state.kinetic, 1));
      const LayerDual material = LayerDual::variable(S(1), of_material),
                      all_paths = at.paths * material;
      const auto of = [&](const D& x) {
        return LayerDual::apply(x.value, all_paths, x.derivative[0], kinetic,
                                x.derivative[1]);
      };
      ElementLoss<LayerDual> result;
      result.kinetic = of(loss.kinetic);
      result.transmission = of(loss.transmission);
      result.per_path = of(loss.per_path) * material;
      result.inverse_p_beta2 = of(loss.inverse_p_beta2);
      result.ahead = of(loss.ahead) * material;
      result.ahead_variance = of(loss.ahead_variance) * material * material;
      return result;
    }

    void set_variance(const BatchLossSlopes& all, const S& x_over_x0,
                      const LayerIncidence<LayerDual>& at) {
      const BatchTask& task = all.task_;
      const auto constant = [](const S& x) { return LayerDual(x); };
      const LayerDual along =
          at.paths * LayerDual::variable(S(1), of_material) * x_over_x0;
      const LayerDual w = theta0_squared(
          strength_of_average(inverse_p_beta2_,
                              constant(S(task.loss->rest_energy)),
                              constant(L::load(task.tracks->charge))),
          task.scattering, along, LayerDual(S(0)));
      const S inverse = select(w.value > S(0), S(1) / w.value, S(0));
      log_variance = w.apply(S(0), inverse);
    }

    LayerDual inverse_p_beta2_;
  };

  /// The kinks of a layer: what they contribute to the derivatives.
  [[gnu::always_inline]] LayerDual scatter(const LossStep<S>& at,
                                           const ListedSurface& c,
                                           const Layer& layer,
                                           Walk& walk) const {
    const GeneralKinks<S>& b = at.kinks;
    const auto& slowed = layer.slowed;
    const S& rest_kappa = walk.rest[4];
    const S of_theta = walk.rest[3] + slowed.by_theta.value * rest_kappa,
            of_phi = walk.rest[2] + slowed.by_phi.value * rest_kappa;
    Row<S>& f = walk.with_line;
    S theta = b.w * of_theta, phi = b.w_phi * of_phi,
      loss = b.w_loss * rest_kappa;
    // the same, but stable, where a gain is known: docs/theory/streaming.md
    const auto stable = [&](const S& own, const Row<S>& gain) {
      if (c.kinked == 0) return own;
      const S by_gain = dot(f, gain);
      return c.inner == 0 ? by_gain : select(L::mask(c.inner), own, by_gain);
    };
    loss = stable(loss, at.gain.loss);
    for (std::size_t j = 0; j < track_dim; ++j) f[j] = f[j] - loss * b.loss[j];
    theta = stable(theta, at.gain.theta);
    phi = stable(phi, at.gain.phi);
    for (std::size_t j = 0; j < track_dim; ++j)
      f[j] = f[j] - theta * b.theta[j] - phi * b.phi[j];
    Row<S>& n = walk.with_helix;
    n[2] = n[2] - phi;
    n[3] = n[3] - theta;
    n[4] =
        n[4] - slowed.by_theta.value * theta - slowed.by_phi.value * phi - loss;
    return (slowed.by_theta * theta + slowed.by_phi * phi) *
               (S(2) * rest_kappa) +
           layer.log_variance *
               (theta * of_theta + phi * of_phi + loss * rest_kappa) +
           slowed.relative_variance * (b.w * rest_kappa * rest_kappa);
  }

  /// Inwards: adds up the effect of each layer on all steps behind it.
  [[gnu::noinline, gnu::flatten]] void collect(std::size_t i, std::size_t end) {
    const Walk& walk = walks_[i];
    const bool mixed = task_.mixed;
    // by the helix behind the crossing, and by the path to the next one
    S d0(0), z0(0), phi(0), kappa(0), path(0);
    for (std::size_t k = end; k-- > 0;) {
      const Passage& p = passages_[k];
      const Adjoint& a = adjoint(k, i);
      const S psi = a.psi + kappa * p.kappa_psi;
      const S own_path = a.arc * line_.sin_theta;
      // by the path to the surface
      const S own = own_path - path + psi * p.turn.by_path +
                    a.inv_r * p.radius_path + phi * p.bend;
      const auto set = [&](S& to, const S& x) {
        to = mixed ? select(L::mask(p.passing.crossing), x, to) : x;
      };
      S position(0), material(0);
      set(position, own * p.path_position);
      set(material, a.material + kappa * p.kappa_material);
      put(k, walk, position, material);
      const S by_d0 = d0 + own * p.path_d0 + psi * p.turn.by_d0 +
                      a.inv_r * p.radius_d0,
              by_z0 = z0 + own * p.path_z0, by_phi = phi + psi,
              by_kappa = a.kappa + kappa * p.kappa_kappa;
      const HelixStep<S>& s = p.step;
      set(d0, s.cos_turn * by_d0 - s.cot_sine * by_z0 - s.c_sine * by_phi -
                  a.arc * s.sin_turn);
      set(z0, by_z0);
      set(phi, s.forward * by_d0 - s.cot_sideward * by_z0 +
                   s.cos_turn * by_phi + a.arc * p.arc_phi);
      set(kappa, by_kappa + s.d0_kappa * by_d0 - s.z0_kappa * by_z0 +
                     s.phi_kappa * by_phi + a.kappa_step + a.arc * p.arc_kappa);
      set(path, own_path);
    }
  }

  void put(std::size_t k, const Walk& walk, const S& position,
           const S& material) const {
    const std::size_t place = task_.list[k].row * task_.budget_stride;
    if (walk.position != nullptr)
      write_elements(position, walk.position + place);
    if (walk.material == nullptr) return;
    S per_x_over_x0(0);
    if (surface(k).record.x_over_x0 > 0)
      with_shape(k, [&](const auto& shape) {
        const S x_over_x0(shape.x_over_x0);
        per_x_over_x0 = select(x_over_x0 > S(0), S(1) / x_over_x0, S(0));
      });
    write_elements(material * per_x_over_x0, walk.material + place);
  }

  const BatchTask& task_;
  const Line<S>& line_;
  const LossStep<S>* steps_;
  ElementPower<S>* media_;
  State* states_;
  Passage* passages_;
  Adjoint* adjoints_;
  std::byte* rest_;
  bool is_asked_for_;
  std::array<Walk, n_parameters> walks_, before_;
  std::size_t n_ = 0;
};

}  // namespace gttf::detail
