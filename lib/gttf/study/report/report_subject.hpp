// SPDX-License-Identifier: Apache-2.0
// Common data of the figures of one detector: grids, units, names, colours.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "gttf/core/figure.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/point_columns.hpp"

// Subsystems of a detector by name and colour.
namespace gttf::detail {

/// A subsystem: a group of the description, or adjacent layers if there are too
/// many names to distinguish by colour.
struct Subsystem {
  std::string name;
  Paint fill, edge;
  bool measures = false;
  double inner = 0;  ///< distance from the axis, mm
};

struct GroupPaints {
  std::vector<Subsystem> systems;     ///< inside out
  std::vector<std::size_t> of_layer;  ///< index in systems
  /// A legend of boxes, for figures filled by subsystem.
  std::vector<LegendEntry> legend() const;
};

/// Groups get colours in order; passive ones named after another ("vertex
/// support" after "vertex") get its pale variant.
GroupPaints make_group_paints(const Detector& detector);

/// Minimum distance of a layer from the axis, mm.
double inner_radius(const Layer& layer);

/// A resolution as shown in figures.
struct ShownQuantity {
  Parameter parameter;
  const char* id;    ///< "pt": part of the names of figures
  RichText symbol;   ///< "*σ*(*d*_{0})"
  std::string name;  ///< "sigma(d0)", for files
  std::string unit;  ///< "um"
  double factor;     ///< from native units to `unit`
  RichText title;    ///< "Transverse impact parameter"

  RichText axis_title() const { return symbol + " [" + unit + "]"; }
};

/// Which parameters are shown: at the perigee pt, d0, z0, phi0, theta; of
/// tracks along a beam p, x, y, tx, ty at the start, since perigee parameters
/// cannot describe them; at a layer of the study p, u, v, tu, tv.
enum class Place { perigee, start_plane, layer };
/// In the order of the report.
const std::vector<ShownQuantity>& shown_quantities(
    Place place = Place::perigee);
const ShownQuantity& shown_quantity(Parameter q);

/// Momentum as in the study (p or pT), in a unit that gives short numbers.
struct MomentumUnit {
  double factor = 1;  ///< from GeV
  std::string unit = "GeV";
  RichText symbol = "*p*";
  std::string name = "p";

  FigureAxis axis(const std::vector<double>& values) const;
  /// "10 GeV".
  RichText text(double value) const;
  /// The same with two digits.
  RichText rounded(double value) const;
  /// "*p*_{T} = 10 GeV".
  RichText equation(double value) const;
};

/// Angles as in the study, theta or eta.
RichText angle_text(const StudyRequest& request, std::size_t i);
/// "*θ* = 60°".
RichText angle_equation(const StudyRequest& request, std::size_t i);

/// "*θ* = 90°, 60°": all angles of the study, as they are drawn.
RichText angle_list(const StudyRequest& request);

/// The indices of angles or momenta in the order of their values; a list that
/// ends below its beginning counts down.
std::vector<std::size_t> in_order(const std::vector<double>& values);
/// Of each of these values the style of its line, by its place in that order.
std::vector<LineStyle> ordered_styles(const std::vector<double>& values);
/// "*p*_{T} = 1 GeV, 10 GeV".
RichText momentum_list(const MomentumUnit& unit,
                       const std::vector<double>& values);

/// The models in words: "Highland scattering, logarithm per layer".
RichText scattering_text(Scattering scattering);
RichText loss_text(EnergyLoss loss);
/// "at DUT", "at DUT without its own hit"; empty at the start.
RichText place_text(const StudyRequest& request);
/// Both models, joined by `joint`; for detectors with different models each
/// with its name: "IDEA: Highland ...; CLD: ...".
RichText models_text(const StudyRequest& request,
                     std::span<const Detector> detectors,
                     const std::string& joint);

/// Width of the page, px; also in page/report.css.
inline constexpr double page_width = 1120;

/// A detector and the tracks used by figures. Grids are separate requests, so
/// that all tracks are created in the same way.
struct ReportSubject {
  const Detector& detector;
  StudyRequest request;      ///< as requested
  StudyRequest curves;       ///< many momenta, the angles that are drawn
  StudyRequest against_eta;  ///< few momenta, many angles
  StudyRequest map;          ///< momenta and angles of maps
  StudyRequest points;       ///< few momenta and few angles, for tables
  MomentumUnit momentum;
  GroupPaints groups;
  bool along_beam = false;  ///< all tracks, those of a spectrometer
  Place place = Place::perigee;
  bool on_axis = false;  ///< all tracks: they have no pseudorapidity
  std::string suffix;    ///< of names of figures: "" for the only detector
  unsigned threads = 0;

  Model model() const { return model_of(request, detector); }
  /// The five quantities, starting with the bending plane.
  const std::vector<ShownQuantity>& shown() const {
    return shown_quantities(place);
  }
  /// The detector with its subsystems as groups.
  Detector grouped() const;
  std::string id(const std::string& name) const { return name + suffix; }
  /// A figure without content. `name`: unique among those of the detector.
  Figure figure(const std::string& name, const RichText& title,
                const RichText& subtitle, const std::string& description) const;
  /// The same with the width of the page and the height of its content.
  Figure wide_figure(const std::string& name, const RichText& title,
                     const RichText& subtitle,
                     const std::string& description) const;
  /// Index in points.momentum of the momentum that is explained.
  std::size_t middle() const { return points.momentum.values.size() / 2; }
  /// "*p*_{T} = 10 GeV, *θ* = 90°" of a point of `points`.
  RichText point_text(std::size_t momentum, std::size_t angle) const;
};

/// `index`: of the detector among `total` ones.
ReportSubject make_subject(const StudyRequest& request,
                           const Detector& detector, std::size_t index,
                           std::size_t total, unsigned threads);

/// A column for files: "theta = 60 deg [%]".
std::string column_name(const std::string& what, const std::string& unit);

/// The next 1, 2 or 5 times a power of ten outside of positive values, at least
/// a factor 2 apart; `values` may hold NaN. {0, 0}: there are none.
struct DataRange {
  double lower = 0, upper = 0;
  bool exists() const { return upper > lower; }
  void add(const Reals& values);
  void add(double value);
};
FigureAxis log_axis(const DataRange& range);

}  // namespace gttf::detail
