// SPDX-License-Identifier: Apache-2.0
// Parts of drawings of a detector: layers, tracks, rays.
#pragma once

#include <vector>

#include "gttf/study/report/report_subject.hpp"

namespace gttf::detail {

/// A layer as a line in a plane of the drawing, mm.
struct LayerLine {
  std::size_t layer = 0;
  Reals x, y;
};

/// Layers in z and r, as far as they lie in it.
std::vector<LayerLine> lines_in_rz(const Detector& detector);
/// Layers in x and y; disks are seen from the front and left out.
std::vector<LayerLine> lines_in_xy(const Detector& detector);

/// Layers in z and x or y.
std::vector<LayerLine> lines_from_the_side(const Detector& detector,
                                           Axis upwards);

/// Whether the measuring layers of a subsystem are so many cylinders, as rows
/// of wires or pads are, that they are drawn as a light area.
bool has_many_rows(const ReportSubject& subject, std::size_t system);

/// What the weight of the lines means, a sentence.
RichText layers_caption(const ReportSubject& subject);

/// Layers as curves: one for passive and one for measuring layers of each
/// subsystem, the measuring ones on top.
void draw_layers(const ReportSubject& subject,
                 const std::vector<LayerLine>& lines, Panel& panel);

/// A track as far as its last crossing: points on it, and its measurements.
struct DrawnTrack {
  Reals x, y, z;
  Reals hit_x, hit_y, hit_z;
};
DrawnTrack draw_track(const ReportSubject& subject, const Track& track);

/// The name of each subsystem at one of its lines, where there is room.
void name_systems(const ReportSubject& subject,
                  const std::vector<LayerLine>& lines, const FigureAxis& x,
                  const FigureAxis& y, Panel& panel);

/// Rays of constant pseudorapidity from the origin to the frame, with labels
/// but on the left.
void draw_eta_rays(const FigureAxis& x, const FigureAxis& y, Panel& panel);

}  // namespace gttf::detail
