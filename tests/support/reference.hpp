// SPDX-License-Identifier: Apache-2.0
// Reads the reference numbers in tests/reference into the library's types.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "gttf/detector/detector.hpp"
#include "gttf/trajectory/track.hpp"

namespace gttf::test {

inline nlohmann::json read_json(const std::string& name) {
  std::ifstream in(std::string(GTTF_SOURCE_DIR) + "/tests/reference/" + name);
  if (!in) throw std::runtime_error("missing tests/reference/" + name);
  return nlohmann::json::parse(in);
}

/// Detector of an oracle case file.
inline Detector oracle_detector(const nlohmann::json& file) {
  const auto& d = file.at("detector");
  Detector detector;
  detector.name = d.at("name");
  const double b = d.at("B");
  if (b != 0) detector.field = {FieldKind::solenoid, b * unit::T};
  for (const auto& entry : d.at("layers")) {
    Layer layer;
    layer.name = entry.at("name");
    layer.material.push_back({"", 0, entry.at("x_over_x0")});
    const std::string type = entry.at("type");
    if (type == "cylinder") {
      const double half = entry.at("half_length");
      layer.surface = make_cylinder(entry.at("r"), {-half, half});
    } else if (type == "disk") {
      layer.surface =
          make_disk(entry.at("z"), {entry.at("rmin"), entry.at("rmax")});
    } else {
      throw std::runtime_error("unknown type " + type);
    }
    if (!entry.at("sigma").is_null()) {
      const double stereo = entry.value("stereo_deg", 0.0) * unit::deg;
      layer.coordinates = {{stereo, entry.at("sigma").at(0)},
                           {stereo + 0.5 * unit::pi, entry.at("sigma").at(1)}};
    }
    detector.layers.push_back(layer);
  }
  return detector;
}

inline Track oracle_track(const nlohmann::json& input) {
  Track t;
  t.p = input.at("p");
  t.theta = input.at("theta_deg").get<double>() * unit::deg;
  t.phi = input.at("phi_deg").get<double>() * unit::deg;
  t.mass = input.at("mass");
  t.charge = input.at("charge");
  for (std::size_t i = 0; i < 3; ++i) t.vertex[i] = input.at("vertex").at(i);
  return t;
}

/// Detector of a Delphes file (lengths there in m).
inline Detector delphes_detector(const nlohmann::json& file) {
  Detector detector;
  detector.name = file.at("detector");
  detector.field = {FieldKind::solenoid,
                    file.at("conventions").at("B_T").get<double>() * unit::T};
  for (const auto& e : file.at("layers")) {
    Layer layer;
    layer.name = e.at("label").get<std::string>() + "[" +
                 std::to_string(e.at("index").get<int>()) + "]";
    layer.material.push_back(
        {"", 0,
         e.at("thickness_m").get<double>() / e.at("X0_m").get<double>()});
    const bool disk = e.at("type") == "disk";
    const Interval range{e.at("min_m").get<double>() * unit::m,
                         e.at("max_m").get<double>() * unit::m};
    const double position = e.at("pos_m").get<double>() * unit::m;
    layer.surface =
        disk ? make_disk(position, range) : make_cylinder(position, range);
    // A barrel layer measures cos(st) r-phi - sin(st) z, a disk r-phi and r.
    const int n = e.at("n_meas");
    const char* angle[] = {"stereo_up_rad", "stereo_low_rad"};
    const char* sigma[] = {"res_up_m", "res_low_m"};
    if (e.at("flag_or_efficiency").get<double>() > 0)
      for (int q = 0; q < n; ++q)
        layer.coordinates.push_back(
            {disk ? 0.5 * unit::pi * q : -e.at(angle[q]).get<double>(),
             e.at(sigma[q]).get<double>() * unit::m});
    detector.layers.push_back(layer);
  }
  return detector;
}

}  // namespace gttf::test
