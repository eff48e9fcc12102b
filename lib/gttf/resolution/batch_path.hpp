// SPDX-License-Identifier: Apache-2.0
// BatchPath: the crossings of a group of tracks, one track per lane, as a
// source for the streaming fit.
#pragma once

#include "gttf/fit/streaming/stream.hpp"
#include "gttf/resolution/batch_way_back.hpp"
#include "gttf/resolution/lane_list_check.hpp"
#include "gttf/trajectory/scattering.hpp"

namespace gttf::detail {

/// What all crossings of a group share.
template <class S>
struct LaneScattering {
  Scattering model;
  S inv_sin2, log_inv_sin;
  S total;  ///< x/X0 of all crossings; for Scattering::highland_total
};

template <class S>
LaneScattering<S> scattering_of_lanes(const LaneFit& task, const Line<S>& l) {
  using std::log;
  return {task.scattering, l.inv_sin_theta * l.inv_sin_theta,
          log(l.inv_sin_theta), Lane<S>::load(task.tracks->x_over_x0)};
}

/// theta0^2 of a crossing.
template <class S>
[[gnu::always_inline]] inline S kink_variance(const Line<S>& line,
                                              const LaneSurface& s,
                                              const LaneScattering<S>& all,
                                              const Crossing<S>& x) {
  using Kind = SurfaceRecord::Kind;
  const bool upright =
      s.record.kind == Kind::cylinder || s.record.kind == Kind::plane;
  return theta0_squared(
      line.strength, all.model, x.x_over_x0,
      [&] {
        using std::log;
        return upright ? S(s.log_x_over_x0) + all.log_inv_sin + log_secant(x)
                       : S(log(x.x_over_x0));
      },
      all.total);
}

/// Where a track crosses a surface and how it is scattered there.
/// @param check     asked whether this is a crossing; or null
/// @param scatters  else the variances are 0
/// @param x         filled only if the surface measures, but for x_over_x0
template <bool measures, class S, class Check>
[[gnu::noinline, gnu::flatten]] void set_crossing(
    const Line<S>& line, const LaneSurface& s, const LaneScattering<S>& all,
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

/// The rows of one coordinate; of two coordinates, which share most terms.
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

/// Crossings are computed two ahead of those that are taken up, and then
/// forgotten, unless there is a way back.
/// @tparam way_back  may there be one?
/// @tparam mixed     as LaneFit::mixed: most groups are not, and need no masks;
///                   for one that is, LaneFit::extras decides on the way back
template <class S, bool way_back, bool mixed>
class BatchPath {
 public:
  explicit BatchPath(LaneFit& task)
      : task_(task),
        line_(line_of<S>(*task.tracks, task.bz)),
        scattering_(scattering_of_lanes(task, line_)),
        check_(task, line_),
        back_(task, line_) {}

  const Line<S>& line() const { return line_; }
  const Crossing<S>& crossing(std::size_t k) const { return x_[k % 4]; }
  const S& x_over_x0() const { return sum_; }
  LaneListCheck<S>& check() { return check_; }
  auto& back() { return back_; }
  bool has_way_back() const {
    return way_back && (!mixed || task_.extras.way_back);
  }

  /// In lanes that a step is not for there stands what makes it change nothing,
  /// not by a bit: no row and no kink of variance 0. Other numbers of that lane
  /// may be NaN.
  [[gnu::always_inline]] static S in_lanes([[maybe_unused]] LaneBits lanes,
                                           const S& x,
                                           [[maybe_unused]] double otherwise) {
    if constexpr (mixed) return select(Lane<S>::mask(lanes), x, S(otherwise));
    return x;
  }

  /// To be called before the crossings are taken up, from the outermost one.
  void start() {
    const std::size_t n = task_.n_crossings;
    prepare(n - 1);
    if (n > 1) prepare(n - 2);
  }

  bool scatters(std::size_t k) const { return task_.list[k].kinked != 0; }
  decltype(auto) kinks(std::size_t k) {
    if constexpr (mixed) {
      const auto& [columns, w, w_phi] = all_kinks(k);
      const LaneBits kinked = task_.list[k].kinked;
      return HelixKinks<S>{columns, in_lanes(kinked, w, 0),
                           in_lanes(kinked, w_phi, 0)};
    } else {
      return all_kinks(k);
    }
  }
  /// Those of lanes, too, that have no hit on one side.
  const HelixKinks<S>& all_kinks(std::size_t k) { return own_kinks(k); }
  void look_ahead(std::size_t k) {
    if (k > 1) prepare(k - 2);
  }

  template <class F>
  void coordinates(std::size_t k, F&& f) {
    const LaneCrossing& c = task_.list[k];
    if (c.fitted == 0) return;
    const LaneSurface& s = task_.surfaces[c.surface];
    const Kink<S>& kinks = all_kinks(k).columns;
    const auto mask = [&]([[maybe_unused]] Row<S>& row) {
      if constexpr (mixed)
        for (S& element : row) element = in_lanes(c.fitted, element, 0);
    };
    // where the row is 0, any power of two
    const auto variance = [&](double x) { return in_lanes(c.fitted, S(x), 1); };
    for (unsigned q = 0; q < s.record.n_axes; q += 2) {
      const CoordinateAxis& first = s.axes[q];
      Row<S>& a = new_row(0);
      const S va = variance(first.variance);
      if (q + 1 < s.record.n_axes) {
        const CoordinateAxis& second = s.axes[q + 1];
        Row<S>& b = new_row(1);
        set_rows(line_, s.record, crossing(k), kinks, first, a, second, b);
        mask(a);
        mask(b);
        f(Coordinates<S>{q, q + 1, &a, &b, va, variance(second.variance),
                         q == 0 && s.is_point, variance(0)});
      } else {
        set_rows(line_, s.record, crossing(k), kinks, first, a);
        mask(a);
        f(Coordinates<S>{q, q, &a, nullptr, va, va, false, variance(0)});
      }
    }
  }

 private:
  struct Nothing {
    Nothing(const LaneFit&, const Line<S>&) {}
  };
  using Back = std::conditional_t<way_back, BatchWayBack<S>, Nothing>;

  HelixKinks<S>& own_kinks(std::size_t k) {
    if constexpr (way_back)
      if (has_way_back()) return back_.steps()[k].kinks;
    return kinks_[k % 4];
  }
  /// Where a row is written: on the way back it is read again.
  Row<S>& new_row(std::size_t i) {
    if constexpr (way_back)
      if (has_way_back()) return back_.next_row();
    return rows_[i];
  }

  /// Where the track crosses and how it is scattered there.
  void prepare(std::size_t k) {
    const LaneCrossing& c = task_.list[k];
    const LaneSurface& s = task_.surfaces[c.surface];
    Crossing<S>& x = x_[k % 4];
    HelixKinks<S>& kinks = own_kinks(k);
    LaneListCheck<S>* const check = task_.guessed ? &check_ : nullptr;
    const LaneBits scattering = c.kinked | c.inner;
    if (s.record.measures())
      set_crossing<true>(line_, s, scattering_, check, k, scattering != 0, x,
                         kinks);
    else
      set_crossing<false>(line_, s, scattering_, check, k, scattering != 0, x,
                          kinks);
    if (task_.out[LanePlane::x_over_x0] != nullptr)
      sum_ = sum_ + in_lanes(c.crossed, x.x_over_x0, 0);
    if constexpr (mixed) {
      const LaneBits needed = scattering | c.fitted;
      for (std::size_t i = 0; i < 3; ++i) {
        kinks.columns.theta[i] = in_lanes(needed, kinks.columns.theta[i], 0);
        kinks.columns.phi[i] = in_lanes(needed, kinks.columns.phi[i], 0);
      }
      kinks.w = in_lanes(scattering, kinks.w, 0);
      kinks.w_phi = in_lanes(scattering, kinks.w_phi, 0);
    }
  }

  LaneFit& task_;
  const Line<S> line_;
  const LaneScattering<S> scattering_;
  LaneListCheck<S> check_;
  Crossing<S> x_[4];  ///< of crossing k at k % 4
  HelixKinks<S> kinks_[4];
  Row<S> rows_[2];
  [[no_unique_address]] Back back_;
  S sum_{0};  ///< of x/X0
};

}  // namespace gttf::detail
