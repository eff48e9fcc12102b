// SPDX-License-Identifier: Apache-2.0
#include "properties/population.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>

namespace gttf::test {
namespace {

unsigned from_environment(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::stoul(text));
}

}  // namespace

std::vector<Description> population() {
  static const unsigned first = from_environment("GTTF_PROPERTY_SEED", 1);
  static const unsigned count = from_environment("GTTF_PROPERTY_COUNT", 60);
  std::vector<Description> all;
  for (unsigned i = 0; i < count; ++i)
    all.push_back(random_description(first + i));
  return all;
}

Population::Population(const std::function<bool(const Description&)>& wanted,
                       const std::function<void(Description&)>& change) {
  for (Description& d : population()) {
    if (wanted && !wanted(d)) continue;
    if (change) change(d);
    folder_.write(file_of(d), d.yaml());
    if (d.has_map()) folder_.write(d.map_file(), d.map_csv());
    detectors_.push_back(std::move(d));
  }
}

std::string Population::file_of(const Description& d) {
  return "d" + std::to_string(d.seed) + ".yaml";
}

std::map<std::string, Rows> Population::scan(
    const std::string& options,
    const std::function<std::string(std::string)>& grid) const {
  std::map<std::string, Rows> rows;
  for (int i = 0; i < family_count; ++i) {
    const auto family = static_cast<Family>(i);
    std::string files;
    for (const Description& d : detectors_)
      if (d.family == family) files += " --detector " + file_of(d);
    if (files.empty()) continue;
    const std::string tracks = grid_of(family);
    const Outcome r =
        run(folder_, "gttf-design scan" + files +
                         (grid ? grid(tracks) : tracks) + " " + options +
                         " --full --format json --quiet --no-provenance");
    INFO(to_string(family) << ": " << r.err);
    REQUIRE(r.code == 0);
    Json result = Json::parse(r.out);
    for (Json& row : result["rows"]) {
      const std::string name = row["resolution"]["detector"];
      rows[name].push_back(std::move(row));
    }
  }
  return rows;
}

double number(const Json& row, const std::string& column) {
  const Json& value = row["resolution"][column];
  return value.is_number() ? value.get<double>()
                           : std::numeric_limits<double>::quiet_NaN();
}

std::string status_of(const Json& row) { return row["resolution"]["status"]; }

bool has_resolution(const Json& row) {
  const std::string status = status_of(row);
  return status == "ok" || status == "no field: momentum not measured";
}

const std::vector<std::string>& sigma_columns() {
  static const std::vector<std::string> all{"sigma_p_rel", "sigma_d0_um",
                                            "sigma_z0_um", "sigma_phi0_mrad",
                                            "sigma_theta_mrad"};
  return all;
}

std::string recipe(const Description& d) {
  return "GTTF_PROPERTY_SEED=" + std::to_string(d.seed) +
         " GTTF_PROPERTY_COUNT=1\n" + d.yaml();
}

}  // namespace gttf::test
