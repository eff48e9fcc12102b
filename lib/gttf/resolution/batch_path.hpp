// SPDX-License-Identifier: Apache-2.0
// BatchPath: the crossings of a group of tracks, one per vector element, as a
// source for the streaming fit.
#pragma once

#include "gttf/fit/streaming/stream.hpp"
#include "gttf/resolution/batch_backward_pass.hpp"
#include "gttf/trajectory/scattering.hpp"
#include "gttf/trajectory/track_material.hpp"

namespace gttf::detail {

/// Calls look_at(surface) for each surface that is not on a guessed list and is
/// not far from all tracks, until it returns false. Most are far, which is
/// tested for many blocks of surfaces at a time, and then for the surfaces of
/// blocks that are not.
/// @return  whether it has been called for all
template <class S, class LookAt>
[[gnu::always_inline]] inline bool for_near_surfaces(const BatchTask& task,
                                                     const LineBounds& b,
                                                     const LookAt& look_at) {
  using L = PackAccess<S>;
  const auto go = [&](const BatchExtents& all, const auto& are_far) {
    const auto for_near = [&](const BatchRanges& r, std::size_t begin,
                              std::size_t end, const auto& f) {
      for (std::size_t i = begin; i < end; i += L::width) {
        TrackBits near =
            all_in_pack<S> &
            ~L::bits(are_far(b, {L::load(&r.first[i]), L::load(&r.last[i]),
                                 L::load(&r.lower[i]), L::load(&r.upper[i])}));
        for (; near != 0; near &= near - 1)
          if (!f(i + static_cast<std::size_t>(__builtin_ctz(near))))
            return false;
      }
      return true;
    };
    return for_near(all.blocks, 0, all.blocks.n, [&](std::size_t block) {
      const std::size_t begin = block * most_in_pack;
      return begin >= all.single.n ||
             for_near(all.single, begin, begin + most_in_pack,
                      [&](std::size_t i) { return look_at(all.surface[i]); });
    });
  };
  if (!go(task.other_disks, are_far_disks<S>)) return false;
  if (!go(task.other_cylinders, are_far_cylinders<S>)) return false;
  for (std::size_t i = 0; i < task.n_other_planes; ++i)
    if (!look_at(task.other_planes[i])) return false;
  return true;
}

/// Checks whether all tracks cross the surfaces of a guessed list, in its
/// order, and no others.
template <class S>
class BatchListCheck {
 public:
  BatchListCheck(BatchTask& task, const Line<S>& line)
      : task_(task), line_(line) {}

  /// Whether the guess is right about surfaces that are not on the list.
  bool misses_others() {
    task_.confirmed = false;
    task_.turned_back = 0;
    return for_near_surfaces<S>(
        task_, bounds_of_group(line_),
        [this](unsigned surface) { return !crosses(surface); });
  }

  /// Checks the crossing `k`; must be called from the outermost one inwards. At
  /// equal path, surfaces are crossed in the order of the detector.
  void on_list(std::size_t k, const SurfaceRecord& s, const Crossing<S>& x) {
    as_guessed_ = both(as_guessed_, is_crossed(line_, s, x));
    if (k + 1 < task_.n_crossings &&
        !(line_.on_axis && task_.list[k].inside_next)) {
      const bool tie = task_.list[k].surface < task_.list[k + 1].surface;
      as_guessed_ =
          both(as_guessed_, tie ? x.arc <= outer_arc_ : x.arc < outer_arc_);
    }
    outer_arc_ = x.arc;
  }

  /// The result, after all crossings have been checked.
  bool confirm() {
    task_.as_listed = L::bits(as_guessed_);
    return task_.confirmed = task_.as_listed == all_in_pack<S>;
  }

 private:
  using L = PackAccess<S>;

  /// Whether any track crosses a surface that is not on the list.
  bool crosses(unsigned surface) {
    Crossing<S> x;
    const Reached<S> reached =
        find_crossing(line_, task_.surfaces[surface].record, x);
    task_.turned_back |= L::bits(reached.turned_back);
    return any(reached.crossed);
  }

  BatchTask& task_;
  const Line<S>& line_;
  S outer_arc_{0};  ///< of the crossing outside
  MaskOf<S> as_guessed_ = S(0) < S(1);
};

/// Data common to all crossings of a group.
template <class S>
struct PackScattering {
  Scattering model;
  S inv_sin2, log_inv_sin;
  S total;  ///< x/X0 up to the last hit; for Scattering::highland_total
};

template <class S>
PackScattering<S> scattering_of_group(const BatchTask& task, const Line<S>& l) {
  using std::log;
  return {task.scattering, l.inv_sin_theta * l.inv_sin_theta,
          log(l.inv_sin_theta), PackAccess<S>::load(task.tracks->x_over_x0)};
}

/// theta0^2 of a crossing.
template <class S>
[[gnu::always_inline]] inline S kink_variance(const Line<S>& line,
                                              const BatchSurface& s,
                                              const PackScattering<S>& all,
                                              const Crossing<S>& x) {
  const bool upright = s.record.is_upright();
  return theta0_squared(
      line.strength, all.model, x.x_over_x0,
      [&] {
        using std::log;
        return upright ? S(s.log_x_over_x0) + all.log_inv_sin + log_secant(x)
                       : S(log(x.x_over_x0));
      },
      all.total);
}

/// Crossing of a track with a surface and its scattering there.
/// @param check verifies that this is a crossing; may be null
/// @param scatters otherwise the variances are 0
/// @param x filled only if the surface measures, except x_over_x0
template <bool measures, class S, class Check>
[[gnu::noinline, gnu::flatten]] void set_crossing(
    const Line<S>& line, const BatchSurface& s, const PackScattering<S>& all,
    Check* check, std::size_t index, bool scatters, Crossing<S>& x,
    HelixKinks<S>& k) {
  Crossing<S> passive;
  Crossing<S>& at = measures ? x : passive;
  const auto use = [&] {
    if (check != nullptr) check->on_list(index, s.record, at);
    k.columns = kink(line, at);
    k.w = scatters && s.record.x_over_x0 > 0 ? kink_variance(line, s, all, at)
                                             : S(0);
    k.w_phi = k.w * all.inv_sin2;
    if constexpr (!measures) x.x_over_x0 = at.x_over_x0;
  };
  if (line.on_axis && s.record.kind == SurfaceRecord::Kind::cylinder) {
    cross_cylinder_from_axis(line, S(s.record.position), S(s.record.x_over_x0),
                             at);
    use();
  } else {
    at = cross(line, s.record);
    use();
  }
}

/// The same for a plane of each track.
template <class S>
[[gnu::noinline, gnu::flatten]] void set_plane_crossing(
    const Line<S>& line, const ElementPlane& planes,
    const PackScattering<S>& all, bool scatters, Crossing<S>& x,
    HelixKinks<S>& k) {
  const PackPlane<S> plane(planes);
  x = cross_near(line, plane, plane.position, plane.x_over_x0,
                 PackAccess<S>::load(planes.arc));
  k.columns = kink(line, x);
  k.w =
      scatters ? theta0_squared(line, all.model, x.x_over_x0, all.total) : S(0);
  k.w_phi = k.w * all.inv_sin2;
}

/// The rows of one coordinate; of two, which have most terms in common.
template <class S>
[[gnu::noinline, gnu::flatten]] void set_rows(
    const Line<S>& line, const SurfaceRecord& s, const Crossing<S>& x,
    const Kink<S>& k, const CoordinateAxis& axis, Row<S>& row) {
  row = coordinate_row(line, s, x, k, axis.cosine, axis.sine);
}
template <class S>
[[gnu::noinline, gnu::flatten]] void set_rows(
    const Line<S>& line, const SurfaceRecord& s, const Crossing<S>& x,
    const Kink<S>& k, const CoordinateAxis& first, Row<S>& a,
    const CoordinateAxis& second, Row<S>& b) {
  a = coordinate_row(line, s, x, k, first.cosine, first.sine);
  b = coordinate_row(line, s, x, k, second.cosine, second.sine);
}

/// The same for one coordinate of a plane of each track.
template <class S>
[[gnu::noinline, gnu::flatten]] void set_plane_row(
    const Line<S>& line, const ElementPlane& planes, const Crossing<S>& x,
    const Kink<S>& k, const ElementAxis& elements, Row<S>& row) {
  const PackAxis<S> axis(elements);
  row = leaning_row(line, PackPlane<S>(planes), x, k, axis.cosine, axis.sine);
}

/// Crossings are computed two ahead of their use, and then discarded unless
/// there is a backward pass.
/// @tparam backward_pass  whether there may be one; then BatchTask::extras
/// decides
/// @tparam mixed     as BatchTask::mixed: most groups are not, and need no
///                   masks
template <class S, bool backward_pass, bool mixed>
class BatchPath {
 public:
  static constexpr bool loses_energy = false, is_helix = true, has_line = true;
  using Kinks = HelixKinks<S>;
  using Step = BatchStep<S>;

  explicit BatchPath(BatchTask& task)
      : task_(task),
        line_(line_of<S>(*task.tracks, task.bz)),
        scattering_(scattering_of_group(task, line_)),
        check_(task, line_),
        back_(task, line_) {}

  const Line<S>& line() const { return line_; }
  const Crossing<S>& crossing(std::size_t k) const { return x_[k % 4]; }
  const S& kappa() const { return line_.kappa; }
  const S& cot_theta() const { return line_.cot_theta; }
  const TrackMaterial<S>& material() const { return material_; }
  const Covariance5<S>& in_user_axes(const Covariance5<S>& c) const {
    return c;
  }
  Covariance5<S> on_start_plane(const Covariance5<S>& c) const {
    return StartPlane<S>(line_).covariance(c);
  }
  /// d(u, v, phi, theta, kappa)/ds behind the first hit.
  std::array<Row<S>, track_dim> rows_behind(std::size_t k) const {
    const ListedSurface& c = task_.list[k];
    if (c.planes != nullptr)
      return plane_jacobian(line_, *c.planes, crossing(k));
    return surface_jacobian(line_, task_.surfaces[c.surface].record,
                            crossing(k));
  }
  /// Before the requested layer, as everywhere.
  S momentum_at() const { return PackAccess<S>::load(task_.tracks->p); }
  BatchListCheck<S>& check() { return check_; }
  auto& back() { return back_; }
  bool has_backward_pass() const {
    return backward_pass && (!mixed || task_.extras.backward_pass);
  }

  /// Elements to which a step does not apply contain values for which it has no
  /// effect, to the last bit: an empty row and a kink of variance 0. Other
  /// numbers of such an element may be NaN.
  [[gnu::always_inline]] static S masked([[maybe_unused]] TrackBits elements,
                                         const S& x,
                                         [[maybe_unused]] double otherwise) {
    if constexpr (mixed)
      return select(PackAccess<S>::mask(elements), x, S(otherwise));
    return x;
  }

  /// Must be called before the crossings are used, from the outermost one.
  void start() {
    const std::size_t n = task_.n_crossings;
    prepare(n - 1);
    if (n > 1) prepare(n - 2);
  }

  bool scatters(std::size_t k) const { return task_.list[k].kinked != 0; }
  decltype(auto) kinks(std::size_t k) {
    if constexpr (mixed) {
      const auto& [columns, w, w_phi] = all_kinks(k);
      const TrackBits kinked = task_.list[k].kinked;
      return HelixKinks<S>{columns, masked(kinked, w, 0),
                           masked(kinked, w_phi, 0)};
    } else {
      return all_kinks(k);
    }
  }
  /// Also those of tracks without a hit inside, or, if a state at a layer is
  /// requested, without a hit outside.
  const HelixKinks<S>& all_kinks(std::size_t k) { return own_kinks(k); }
  void look_ahead(std::size_t k) {
    if (k > 1) prepare(k - 2);
  }

  template <class F>
  void coordinates(std::size_t k, F&& f) {
    const ListedSurface& c = task_.list[k];
    if (c.fitted == 0) return;
    const BatchSurface& s = task_.surfaces[c.surface];
    const Kink<S>& kinks = all_kinks(k).columns;
    const auto mask = [&]([[maybe_unused]] Row<S>& row) {
      if constexpr (mixed)
        for (S& element : row) element = masked(c.fitted, element, 0);
    };
    // where the row is 0, any power of two
    const auto variance = [&](const S& x) { return masked(c.fitted, x, 1); };
    const auto variance_of = [&](std::size_t q) {
      return c.axes == nullptr
                 ? variance(S(s.axes[q].variance))
                 : variance(PackAccess<S>::load(c.axes[q].variance));
    };
    const auto set_row = [&](std::size_t q, Row<S>& row) {
      if (c.axes == nullptr)
        set_rows(line_, s.record, crossing(k), kinks, s.axes[q], row);
      else
        set_plane_row(line_, *c.planes, crossing(k), kinks, c.axes[q], row);
    };
    for (unsigned q = 0; q < s.record.n_axes; q += 2) {
      Row<S>& a = new_row(0);
      const S va = variance_of(q);
      if (q + 1 < s.record.n_axes) {
        Row<S>& b = new_row(1);
        if (c.axes == nullptr) {
          set_rows(line_, s.record, crossing(k), kinks, s.axes[q], a,
                   s.axes[q + 1], b);
        } else {
          set_row(q, a);
          set_row(q + 1, b);
        }
        mask(a);
        mask(b);
        f(Coordinates<S>{q, q + 1, &a, &b, va, variance_of(q + 1),
                         q == 0 && s.is_point(), variance(S(0))});
      } else {
        set_row(q, a);
        mask(a);
        f(Coordinates<S>{q, q, &a, nullptr, va, va, false, variance(S(0))});
      }
    }
  }

 private:
  struct Nothing {
    Nothing(const BatchTask&, const Line<S>&) {}
  };
  using Back = std::conditional_t<backward_pass, BatchBackwardPass<S>, Nothing>;

  HelixKinks<S>& own_kinks(std::size_t k) {
    if constexpr (backward_pass)
      if (has_backward_pass()) return back_.steps()[k].kinks;
    return kinks_[k % 4];
  }
  /// Destination of a row, which is read again in the backward pass.
  Row<S>& new_row(std::size_t i) {
    if constexpr (backward_pass)
      if (has_backward_pass()) return back_.next_row();
    return rows_[i];
  }

  /// Crossing of the track and its scattering there.
  void prepare(std::size_t k) {
    const ListedSurface& c = task_.list[k];
    const BatchSurface& s = task_.surfaces[c.surface];
    Crossing<S>& x = x_[k % 4];
    HelixKinks<S>& kinks = own_kinks(k);
    BatchListCheck<S>* const check = task_.guessed ? &check_ : nullptr;
    const TrackBits scattering =
        c.kinked | c.inner |
        (task_.at == BatchTask::nowhere ? TrackBits{0} : c.outer);
    if (c.planes != nullptr)
      set_plane_crossing(line_, *c.planes, scattering_,
                         scattering != 0 && s.record.x_over_x0 > 0, x, kinks);
    else if (s.record.measures())
      set_crossing<true>(line_, s, scattering_, check, k, scattering != 0, x,
                         kinks);
    else
      set_crossing<false>(line_, s, scattering_, check, k, scattering != 0, x,
                          kinks);
    if (task_.out[BatchPlane::x_over_x0] != nullptr)
      material_.all = material_.all + masked(c.crossed, x.x_over_x0, 0);
    const TrackBits before_last = c.fitted | c.inner;
    if (task_.out[BatchPlane::x_over_x0_tracker] != nullptr && before_last != 0)
      material_.to_last_hit =
          material_.to_last_hit + masked(before_last, x.x_over_x0, 0);
    if constexpr (mixed) {
      const TrackBits needed = scattering | c.fitted;
      for (std::size_t i = 0; i < 3; ++i) {
        kinks.columns.theta[i] = masked(needed, kinks.columns.theta[i], 0);
        kinks.columns.phi[i] = masked(needed, kinks.columns.phi[i], 0);
      }
      kinks.w = masked(scattering, kinks.w, 0);
      kinks.w_phi = masked(scattering, kinks.w_phi, 0);
    }
  }

  BatchTask& task_;
  const Line<S> line_;
  const PackScattering<S> scattering_;
  BatchListCheck<S> check_;
  Crossing<S> x_[4];  ///< of crossing k at k % 4
  HelixKinks<S> kinks_[4];
  Row<S> rows_[2];
  [[no_unique_address]] Back back_;
  TrackMaterial<S> material_;
};

}  // namespace gttf::detail
