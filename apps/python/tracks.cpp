// SPDX-License-Identifier: Apache-2.0
// Resolutions of one track and of arrays of tracks.
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "detector.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/units.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/study/decay/decay.hpp"
#include "gttf/study/request/read_follow.hpp"
#include "gttf/study/scan/average.hpp"
#include "gttf/study/scan/scan.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/show/track_view.hpp"
#include "gttf/study/sweep/sweep.hpp"
#include "interrupt.hpp"

namespace gttf::python {
namespace {

Engine engine_of(const std::string& name) {
  for (const Engine engine : {Engine::streaming, Engine::triplet})
    if (to_string(engine) == name) return engine;
  throw std::invalid_argument("engine: \"streaming\" or \"triplet\", got \"" +
                              name + '"');
}

/// One track and its resolution.
struct Resolved {
  DetectorPtr held;
  StudyRequest request;
  Resolution resolution;

  const Detector& detector() const { return held->detector(); }
};

Resolved resolve_track(const DetectorPtr& detector, const Texts& options,
                       const std::string& engine) {
  StudyOptions texts = options_of(options);
  texts.detectors = {detector->detector().file};
  const py::gil_scoped_release release;
  StudyRequest request = read_request("", texts, true);
  const Model model =
      model_of(request, detector->detector(), engine_of(engine));
  warn_of(request, detector->detector());
  Resolution resolution =
      resolve(detector->geometry, grid_track(request, {}), model);
  return {detector, std::move(request), std::move(resolution)};
}

py::dict sigmas_of(const Resolution& resolution) {
  const PerParameter sigma = sigmas(resolution);
  py::dict result;
  for (const Parameter q : all_parameters)
    result[py::str(std::string(to_string(q)))] = sigma[q];
  return result;
}

void bind_resolution(py::module_& m) {
  const auto matrix = [](Matrix5 Resolution::*member) {
    return
        [member](const Resolved& r) { return array_of(r.resolution.*member); };
  };
  const auto number = [](double Resolution::*member) {
    return [member](const Resolved& r) { return r.resolution.*member; };
  };
  using R = Resolution;
  py::class_<Resolved>(m, "Resolution",
                       "Resolution of one track. Missing numbers are NaN; "
                       "`status` gives the reason.")
      .def_property_readonly(
          "status",
          [](const Resolved& r) {
            return std::string(to_string(r.resolution.status));
          },
          "`ok`, or the reason for missing numbers: `too few hits`, `curls "
          "up`, ...")
      .def_property_readonly(
          "track_end",
          [](const Resolved& r) {
            const Table row =
                scan_row(r.detector(), r.request, {}, r.resolution);
            return std::get<gttf::Texts>(row.find("track_end")->cells).front();
          },
          "end of the track: `leaves`, `curls up`, `stops in LAYER`, ...")
      .def_property_readonly(
          "regime",
          [](const Resolved& r) {
            return std::string(to_string(r.resolution.regime));
          },
          "`scattering`, `mixed`, `hits`, `weak` or `unknown`")
      .def_property_readonly(
          "n_hits", [](const Resolved& r) { return r.resolution.n_hits; },
          "number of measuring layers crossed")
      .def_property_readonly("x_over_x0", number(&R::x_over_x0),
                             "material of all crossings, along the track")
      .def_property_readonly("sigma_p_rel", number(&R::sigma_p_rel),
                             "sigma(p)/p")
      .def_property_readonly("sigma_pt_rel", number(&R::sigma_pt_rel),
                             "sigma(pT)/pT")
      .def_property_readonly("sigma_p_rel_hit_only",
                             number(&R::sigma_p_rel_hit_only),
                             "sigma(p)/p without scattering")
      .def_property_readonly("sigma_p_rel_ms_only",
                             number(&R::sigma_p_rel_ms_only),
                             "sigma(p)/p without hit errors")
      .def_property_readonly(
          "mu_phi", number(&R::mu_phi),
          "square root of the share of hit errors in Var(kappa)")
      .def_property_readonly("mu_theta", number(&R::mu_theta),
                             "the same for Var(theta)")
      .def_property_readonly("xi", number(&R::xi),
                             "significance of the curvature")
      .def_property_readonly(
          "sigmas", [](const Resolved& r) { return sigmas_of(r.resolution); },
          "standard deviations by parameter: p and pt relative; d0, z0, x, y "
          "in "
          "mm; phi0, theta in rad; slopes tx, ty")
      .def_property_readonly(
          "covariance", matrix(&R::perigee),
          "5 x 5, order d0, z0, phi, theta, q/p; mm, rad, e/GeV")
      .def_property_readonly("covariance_without_inner",
                             matrix(&R::perigee_without_inner),
                             "the same without the material of the first "
                             "measuring layer and inside it")
      .def_property_readonly("covariance_first_hit", matrix(&R::first_hit),
                             "5 x 5 on the first measuring layer, order u, v, "
                             "phi, theta, q/p; mm, rad, e/GeV")
      .def_property_readonly("covariance_start_plane", matrix(&R::start_plane),
                             "5 x 5 on the plane z = const. through the start, "
                             "order x, y, tx, ty, q/p; mm, 1, e/GeV")
      .def("_crossings",
           [](const Resolved& r) {
             return columns_of(crossing_table(r.detector(), r.resolution));
           })
      .def("_row",
           [](const Resolved& r) {
             return columns_of(
                 scan_row(r.detector(), r.request, {}, r.resolution));
           })
      .def(
          "to_dict",
          [](const Resolved& r) {
            return object_of(
                track_document(r.detector(), r.request, {}, r.resolution));
          },
          "The JSON output of `gttf-design resolve`.")
      .def("__str__",
           [](const Resolved& r) {
             return text_of(
                 track_summary(r.detector(), r.request, {}, r.resolution));
           })
      .def("__repr__", [](const Resolved& r) {
        return "<gttf.Resolution: " +
               track_text(r.request, grid_track(r.request, {})) + ": " +
               std::string(to_string(r.resolution.status)) + ">";
      });
  m.def("resolve", &resolve_track);
}

// Arrays of tracks.

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

struct TrackArgument {
  const char* name;
  std::span<const double> TrackArrays::*member;
  double least, most;  ///< both excluded, except a mass of 0
  const char* range;
};

bool is_valid(const TrackArgument& argument, double value) {
  const bool zero_mass = argument.member == &TrackArrays::mass && value == 0;
  const bool no_charge = argument.member == &TrackArrays::charge && value == 0;
  return zero_mass ||
         (value > argument.least && value < argument.most && !no_charge);
}

/// Tracks from NumPy arrays; the request supplies what is not given.
class TrackList {
 public:
  TrackList(const py::dict& arrays, const StudyRequest& request)
      : usual_{0,
               0,
               request.phi,
               request.particle.mass,
               request.particle.charge,
               request.vertex[0],
               request.vertex[1],
               request.vertex[2]} {
    constexpr double pi = std::numbers::pi, any = 1e300;
    const std::array<TrackArgument, 8> arguments{{
        {"p", &TrackArrays::p, 0, any, "positive, GeV"},
        {"theta", &TrackArrays::theta, 0, pi, "between 0 and pi, rad"},
        {"phi", &TrackArrays::phi, -any, any, "finite, rad"},
        {"mass", &TrackArrays::mass, 0, any, "0 or positive, GeV"},
        {"charge", &TrackArrays::charge, -any, any, "finite and not 0"},
        {"x", &TrackArrays::x, -any, any, "finite, mm"},
        {"y", &TrackArrays::y, -any, any, "finite, mm"},
        {"z", &TrackArrays::z, -any, any, "finite, mm"},
    }};
    views_.size = 1;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const TrackArgument& argument = arguments[i];
      std::span<const double>& view = views_.*argument.member;
      view = {&usual_[i], 1};
      if (!arrays.contains(argument.name)) continue;
      Array array = arrays[argument.name].cast<Array>();
      view = {array.data(), static_cast<std::size_t>(array.size())};
      kept_.push_back(std::move(array));
      check(argument, view);
      if (view.size() == 1) continue;
      if (views_.size != 1 && views_.size != view.size())
        throw std::invalid_argument(
            std::string(argument.name) + ": " + std::to_string(view.size()) +
            " numbers, where others have " + std::to_string(views_.size));
      views_.size = view.size();
    }
  }

  const TrackArrays& views() const { return views_; }

 private:
  static void check(const TrackArgument& argument,
                    std::span<const double> values) {
    const auto bad = std::ranges::find_if_not(
        values, [&](double v) { return is_valid(argument, v); });
    if (bad == values.end()) return;
    throw std::invalid_argument(std::string(argument.name) + "[" +
                                std::to_string(bad - values.begin()) +
                                "] = " + std::to_string(*bad) + ": must be " +
                                argument.range);
  }

  std::array<double, 8> usual_;
  std::vector<Array> kept_;
  TrackArrays views_;
};

std::span<double> ResolutionArrays::*matrix_of(const std::string& name) {
  if (name == "perigee") return &ResolutionArrays::perigee;
  if (name == "without_inner") return &ResolutionArrays::perigee_without_inner;
  if (name == "first_hit") return &ResolutionArrays::first_hit;
  if (name == "start_plane") return &ResolutionArrays::start_plane;
  throw std::invalid_argument(
      "which: \"perigee\", \"without_inner\", \"first_hit\" or "
      "\"start_plane\", got \"" +
      name + '"');
}

/// A NumPy array that results are written to.
template <class Number>
std::span<Number> target_of(py::array_t<Number, py::array::c_style>& array,
                            std::size_t size, const char* name) {
  if (static_cast<std::size_t>(array.size()) != size)
    throw std::invalid_argument(
        std::string(name) + ": " + std::to_string(array.size()) +
        " numbers, but the tracks need " + std::to_string(size));
  return {array.mutable_data(), size};
}

/// Particle, vertex and models of the options.
StudyRequest models_of(const Texts& options) {
  return read_fit_request(options_of(options));
}

void covariances(const DetectorPtr& detector, const py::dict& tracks,
                 const Texts& options, const std::string& engine,
                 const std::string& which,
                 py::array_t<double, py::array::c_style> packed,
                 py::array_t<int, py::array::c_style> n_hits,
                 py::array_t<int, py::array::c_style> status,
                 unsigned threads) {
  const StudyRequest request = models_of(options);
  const Model model =
      model_of(request, detector->detector(), engine_of(engine));
  const TrackList list(tracks, request);
  const std::size_t n = list.views().size;
  ResolutionArrays results;
  results.*matrix_of(which) = target_of(packed, track_triangle * n, "out");
  results.n_hits = target_of(n_hits, n, "n_hits");
  const std::span<int> codes = target_of(status, n, "status");
  std::vector<Status> statuses(n);
  results.status = statuses;
  const py::gil_scoped_release release;
  resolve(detector->geometry, list.views(), model, results, threads);
  std::ranges::transform(statuses, codes.begin(),
                         [](Status s) { return static_cast<int>(s); });
}

/// Throws std::invalid_argument for a name that is not among `known`.
void check_columns(const std::vector<std::string>& names,
                   const std::vector<std::string>& known) {
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const auto guess = nearest(name, known);
    throw std::invalid_argument(
        "columns: no column " + in_quotes(name) +
        (guess ? "; did you mean " + in_quotes(*guess) + "?" : ""));
  }
}

std::vector<ColumnOf<TrackRow>> columns_named(
    const std::vector<std::string>& names, bool at_layer) {
  const auto all = scan_columns();
  if (names.empty()) return {all.begin(), all.end()};
  check_columns(names, scan_column_names(at_layer));
  std::vector<ColumnOf<TrackRow>> columns;
  for (const std::string& name : names)
    columns.push_back(*std::ranges::find(
        all, name, [](const auto& c) { return c.text.name; }));
  return columns;
}

py::dict scan_of_tracks(const DetectorPtr& detector, const py::dict& tracks,
                        const Texts& options, const std::string& engine,
                        const std::vector<std::string>& names,
                        unsigned threads) {
  StudyRequest request = models_of(options);
  const TrackList list(tracks, request);
  if (tracks.contains("mass")) request.particle.name = "custom";
  const auto columns = columns_named(names, request.at.has_value());
  ScanOptions how;
  how.engine = engine_of(engine);
  how.threads = threads;
  how.progress = [](std::size_t, std::size_t) { stop_if_interrupted(); };
  ScanTable found;
  {
    const py::gil_scoped_release release;
    found =
        scan_tracks(request, detector->detector(), list.views(), columns, how);
  }
  return columns_of(std::move(found.rows));
}

py::dict scan_of_grid(const StudyArguments& arguments,
                      const std::string& engine,
                      const std::vector<std::string>& names, unsigned threads) {
  KeptRows kept;
  ScanOptions how;
  how.engine = engine_of(engine);
  how.threads = threads;
  how.progress = [](std::size_t, std::size_t) { stop_if_interrupted(); };
  {
    const py::gil_scoped_release release;
    const Study study = read_study(arguments);
    check_columns(names, study.request.average
                             ? average_column_names(study.request)
                             : scan_column_names(study.request.at.has_value()));
    scan(study.request, study.detectors, how, kept);
    if (!names.empty())
      std::erase_if(kept.rows.columns, [&](const Column& c) {
        return std::ranges::find(names, c.name) == names.end();
      });
  }
  return columns_of(std::move(kept.rows));
}

py::dict sweep_of_designs(const StudyArguments& arguments,
                          const std::vector<std::string>& vary,
                          const std::vector<std::string>& follow,
                          const std::string& reduce, const std::string& engine,
                          const std::vector<std::string>& names,
                          unsigned threads) {
  KeptRows kept;
  SweepOptions how;
  how.scan.engine = engine_of(engine);
  how.scan.threads = threads;
  how.scan.progress = [](std::size_t, std::size_t) { stop_if_interrupted(); };
  how.columns = names;
  if (reduce == "mean") how.reduction = Reduction::mean;
  if (reduce == "worst") how.reduction = Reduction::worst;
  if (!reduce.empty() && how.reduction == Reduction::none)
    throw std::invalid_argument("reduce: \"mean\" or \"worst\", got \"" +
                                reduce + '"');
  {
    const py::gil_scoped_release release;
    const Study study = read_study(arguments, vary);
    how.follow = read_follow(study.request.file, follow);
    check_columns(
        names, sweep_column_names(study.request.at.has_value(), how.reduction));
    const SweepResult result = sweep(study.request, study.inputs, how, kept);
    if (result.invalid > 0)
      warn({std::to_string(result.invalid) + " of " +
            std::to_string(result.designs) +
            " combinations are not valid detectors; the first is " +
            result.first_invalid});
  }
  return columns_of(std::move(kept.rows));
}

py::dict decay_of_studies(const StudyArguments& arguments,
                          const std::string& decay, std::size_t configurations,
                          double sqrt_s, double sigma_sqrt_s,
                          std::uint64_t toys, const std::string& engine,
                          const std::vector<std::string>& names,
                          unsigned threads) {
  KeptRows kept;
  DecayOptions how;
  how.decay = read_decay(decay);
  if (configurations < 1)
    throw std::invalid_argument("configurations: at least 1");
  how.configurations = configurations;
  if (sqrt_s > 0) how.collision = {sqrt_s, sigma_sqrt_s};
  how.toys = toys;
  how.engine = engine_of(engine);
  how.threads = threads;
  how.progress = [](std::size_t, std::size_t) { stop_if_interrupted(); };
  check_columns(names, decay_column_names(sqrt_s > 0, toys > 0));
  {
    const py::gil_scoped_release release;
    const Study study = read_study(arguments);
    decays(study.request, study.detectors, how, kept);
    if (!names.empty())
      std::erase_if(kept.rows.columns, [&](const Column& c) {
        return std::ranges::find(names, c.name) == names.end();
      });
  }
  return columns_of(std::move(kept.rows));
}

}  // namespace

void bind_tracks(py::module_& m) {
  bind_resolution(m);
  m.def("covariances", &covariances, py::arg("detector"), py::arg("tracks"),
        py::arg("options"), py::arg("engine"), py::arg("which"),
        py::arg("packed").noconvert(), py::arg("n_hits").noconvert(),
        py::arg("status").noconvert(), py::arg("threads"));
  m.def("scan_tracks", &scan_of_tracks);
  m.def("scan_grid", &scan_of_grid);
  m.def("sweep", &sweep_of_designs);
  m.def("decay", &decay_of_studies);
}

}  // namespace gttf::python
