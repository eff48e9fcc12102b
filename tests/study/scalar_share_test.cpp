// SPDX-License-Identifier: Apache-2.0
// Tracks of the shipped detectors and studies on the scalar path.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

const std::filesystem::path source = GTTF_SOURCE_DIR;

std::vector<std::filesystem::path> yaml_files(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(source / folder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// Counts the tracks of a scan by path.
BatchStatistics count(const StudyRequest& request) {
  BatchStatistics statistics;
  std::vector<Detector> detectors;
  for (const std::string& file : request.detectors)
    detectors.push_back(read_detector(file).detector);
  ScanOptions options;
  options.threads = 1;
  options.statistics = &statistics;
  KeptRows rows;
  scan(request, detectors, options, rows);
  return statistics;
}

double scalar_share(const BatchStatistics& s) {
  return static_cast<double>(s.unsupported + s.doubtful) /
         static_cast<double>(s.tracks);
}

/// 200 tracks of a detector.
StudyRequest grid_in(const std::filesystem::path& detector,
                     const std::string& energy_loss) {
  const std::string name = detector.stem().string();
  StudyOptions options;
  options.detectors = {detector.string()};
  options.particle = "pion";
  options.phi = "30deg";
  options.energy_loss = energy_loss;
  options.p = "0.5GeV:100GeV:20";
  options.theta = "30deg:150deg:10";
  if (name == "datura" || name == "desy_telescope") {
    options.theta = "0deg:5deg:10";
  } else if (name == "lhcb" || name == "faser") {
    options.p = "2GeV:200GeV:20";
    options.theta = "1deg:12deg:10";
  }
  return read_request("", options);
}

/// Why 1 % of the tracks of a detector or more are not in vectors.
struct Exception {
  const char* name;
  const char* energy_loss;
  const char* reason;
};
const Exception exceptions[] = {
    {"alice_tpc", "off", "errors depend on the track"},
    {"alice_tpc", "mean", "errors depend on the track"},
    {"ild_drift", "off", "errors depend on the track"},
    {"ild_drift", "mean", "errors depend on the track"},
    {"belle2_modules", "mean",
     "exact hits behind slanted sensors leave z0 free"},
    {"lhcb", "mean", "some momenta are hardly measured"},
    {"lhcb", "off", "some momenta are hardly measured"},
    {"ild", "off", "some momenta are hardly measured"},
};

}  // namespace

TEST_CASE("scalar path: less than 1 % of the tracks of shipped detectors") {
  std::set<const Exception*> unused;
  for (const Exception& e : exceptions) unused.insert(&e);
  for (const auto& file : yaml_files("detectors"))
    for (const std::string loss : {"off", "mean"}) {
      StudyRequest request = grid_in(file, loss);
      CAPTURE(file.stem().string());
      CAPTURE(loss);
      const auto known =
          std::ranges::find_if(exceptions, [&](const Exception& e) {
            return e.name == file.stem().string() && e.energy_loss == loss;
          });
      const bool is_exception = known != std::end(exceptions);
      const Detector detector = read_detector(file.string()).detector;
      Model model;
      if (loss == "mean") model.loss = EnergyLoss::mean;
      // thousands of modules, one track after the other
      if (is_exception && !is_vectorised(TrackingGeometry(detector), model)) {
        unused.erase(&*known);
        continue;
      }
      const BatchStatistics s = count(request);
      REQUIRE(s.tracks == 200);
      if (is_exception && scalar_share(s) >= 0.01)
        unused.erase(&*known);
      else
        CHECK(scalar_share(s) < 0.01);
    }
  for (const Exception* e : unused) {
    CAPTURE(e->name);
    CAPTURE(e->energy_loss);
    FAIL_CHECK("is not an exception any more");
  }
}

TEST_CASE("scalar path: less than 1 % of the tracks of shipped studies") {
  std::size_t studies = 0;
  for (const auto& file : yaml_files("configs")) {
    const StudyRequest request = read_request(file.string(), {});
    if (n_grid_points(request) <= 100) continue;
    CAPTURE(file.string());
    const BatchStatistics s = count(request);
    CHECK(s.tracks > 100);
    CHECK(scalar_share(s) < 0.01);
    ++studies;
  }
  CHECK(studies >= 4);
}

}  // namespace gttf::test::GTTF_TEST_FILE
