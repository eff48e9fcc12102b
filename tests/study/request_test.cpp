// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/request/request.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "gttf/config/sha256.hpp"
#include "gttf/config/source.hpp"
#include "support/reported.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using test::contains;
namespace fs = std::filesystem;

namespace {

/// Options that make a complete request.
StudyOptions basic() {
  StudyOptions options;
  options.detectors = {"a.yaml"};
  options.p = "1GeV";
  return options;
}

std::string answer(const StudyOptions& options, bool single_point = false) {
  return test::reported([&] { read_request("", options, single_point); });
}

/// A study file next to a detector file, in a folder that is removed again.
class StudyFile {
 public:
  explicit StudyFile(const std::string& text) {
    std::string name = (fs::temp_directory_path() / "gttf-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()));
    folder_ = name;
    fs::create_directory(folder_ / "configs");
    std::ofstream(folder_ / "barrel.yaml") << "gttf-detector: 1\n";
    std::ofstream(path()) << text;
  }
  ~StudyFile() { fs::remove_all(folder_); }
  StudyFile(const StudyFile&) = delete;
  StudyFile& operator=(const StudyFile&) = delete;
  std::string path() const { return folder_ / "configs" / "study.yaml"; }
  std::string detector() const { return folder_ / "barrel.yaml"; }

 private:
  fs::path folder_;
};

const std::string study =
    "gttf-study: 1\n"
    "detectors: [../barrel.yaml]\n"
    "particle: mu+\n"
    "momentum: { from: 0.1 GeV, to: 100 GeV, points: 4 }\n"
    "eta: { from: 0, to: 2.5, points: 26 }\n"
    "phi: 30 deg\n"
    "vertex: { x: 1 mm, z: -2 cm }\n"
    "scattering: highland-1991\n"
    "energy_loss: off\n";

}  // namespace

TEST_CASE("study file: every key is read") {
  const StudyFile file(study);
  const StudyRequest r = read_request(file.path(), {});
  CHECK(r.detectors == std::vector<std::string>{file.detector()});
  CHECK(r.particle.name == "antimuon");
  CHECK(r.particle.charge == 1);
  CHECK(r.momentum.variable == MomentumAxis::Variable::p);
  REQUIRE(r.momentum.values.size() == 4);
  CHECK(r.momentum.values[1] == doctest::Approx(1).epsilon(1e-14));
  CHECK(r.angle.variable == AngleAxis::Variable::eta);
  REQUIRE(r.angle.values.size() == 26);
  CHECK(r.angle.values[1] == doctest::Approx(0.1));
  CHECK(r.phi == 30 * unit::deg);
  CHECK(r.vertex == std::array<double, 3>{1, 0, -20});
  CHECK(r.scattering == Scattering::highland_1991);
  CHECK(r.file == file.path());
  CHECK(r.sha256 == sha256(study));
}

TEST_CASE("study file: requirements lie next to it, and must exist") {
  const StudyFile file(study + "requirements: ../barrel.yaml\n");
  CHECK(read_request(file.path(), {}).requirements == file.detector());
  const StudyFile none(study);
  CHECK(read_request(none.path(), {}).requirements == "");
  const StudyFile wrong(study + "requirements: ../barel.yaml\n");
  const std::string message =
      test::reported([&] { read_request(wrong.path(), {}); });
  CHECK(contains(message, "requirements: no such file"));
  CHECK(contains(message, "barrel.yaml\"?"));
}

TEST_CASE("precedence: option before file before default") {
  const StudyFile file(study);
  StudyOptions options;
  options.pt = "2 GeV";
  options.theta = "45deg,90deg";
  options.detectors = {"other.yaml"};
  options.scattering = "off";
  const StudyRequest r = read_request(file.path(), options);
  CHECK(r.momentum.variable == MomentumAxis::Variable::pt);
  CHECK(r.momentum.values == std::vector<double>{2});
  CHECK(r.angle.variable == AngleAxis::Variable::theta);
  CHECK(r.angle.values.size() == 2);
  CHECK(r.detectors == std::vector<std::string>{"other.yaml"});
  CHECK(r.scattering == Scattering::off);
  CHECK(r.phi == 30 * unit::deg);  // from the file

  const StudyRequest defaults = read_request("", basic());
  CHECK(defaults.particle.name == "pion");
  CHECK(defaults.particle.charge == -1);
  CHECK(defaults.angle.values == std::vector<double>{90 * unit::deg});
  CHECK(defaults.scattering == Scattering::highland);
  CHECK(defaults.vertex == std::array<double, 3>{});
}

TEST_CASE("models: chosen ones go before those of a detector") {
  Detector plain, own;
  own.model = {Scattering::highland_total, EnergyLoss::mean};
  const StudyRequest unset = read_request("", basic());
  CHECK(scattering_of(unset, plain) == Scattering::highland);
  CHECK(energy_loss_of(unset, plain) == EnergyLoss::off);
  CHECK(scattering_of(unset, own) == Scattering::highland_total);
  CHECK(energy_loss_of(unset, own) == EnergyLoss::mean);

  StudyOptions options = basic();
  options.scattering = "highland";  // the default, but chosen
  const StudyRequest chosen = read_request("", options);
  CHECK(scattering_of(chosen, own) == Scattering::highland);
  CHECK(energy_loss_of(chosen, own) == EnergyLoss::mean);
  options.energy_loss = "straggling-variance";
  CHECK(energy_loss_of(read_request("", options), own) ==
        EnergyLoss::straggling_variance);
  const StudyRequest fixed = with_model_of(chosen, own);
  CHECK(fixed.energy_loss == EnergyLoss::mean);
  CHECK(energy_loss_of(fixed, plain) == EnergyLoss::mean);
}

TEST_CASE("options: ranges are logarithmic unless marked linear") {
  StudyOptions options = basic();
  options.p = "0.1GeV:100GeV:4";
  CHECK(read_request("", options).momentum.values[1] ==
        doctest::Approx(1).epsilon(1e-14));
  options.p = "1GeV:4GeV:4:linear";
  CHECK(read_request("", options).momentum.values ==
        std::vector<double>{1, 2, 3, 4});
  options.p = "1GeV,500 MeV";
  CHECK(read_request("", options).momentum.values ==
        std::vector<double>{1, 0.5});
  options.eta = "-1:1:3";
  CHECK(read_request("", options).angle.values ==
        std::vector<double>{-1, 0, 1});
  options.vertex = "1mm,0mm,-2cm";
  CHECK(read_request("", options).vertex == std::array<double, 3>{1, 0, -20});
}

TEST_CASE("request: a beam spot has three positive sizes, or is off") {
  StudyOptions options;
  options.detectors = {"d.yaml"};
  options.p = "1GeV";
  CHECK_FALSE(read_request("", options).beam_spot);
  options.beam_spot = "10um,5um,30mm";
  const auto spot = read_request("", options).beam_spot;
  REQUIRE(spot);
  CHECK(spot->x == doctest::Approx(0.01));
  CHECK(spot->y == doctest::Approx(0.005));
  CHECK(spot->z == doctest::Approx(30));
  options.beam_spot = "off";
  CHECK_FALSE(read_request("", options).beam_spot);
  for (const char* wrong : {"10um", "10um,5um", "10um,0um,30mm", "1,2,3",
                            "-10um,5um,30mm", "wide"}) {
    options.beam_spot = wrong;
    CHECK_THROWS_AS(read_request("", options), InputError);
  }
}

TEST_CASE("request: the number of tracks of an average stands at the end") {
  StudyOptions options = basic();
  options.average = "phi,hits:1000";
  CHECK(read_request("", options).average->tracks == 1000);
  options.average = "phi:1000, hits";
  CHECK(contains(answer(options),
                 "--average: error: \"hits\" after the number of tracks"));
  CHECK(contains(answer(options), "write phi,hits:1000"));
  options.average = "phi:1,5";
  CHECK(contains(answer(options), "decimal comma"));
}

TEST_CASE("particle: name, mass and charge combine as one expects") {
  StudyOptions options = basic();
  options.particle = "pion";
  options.charge = "+1";
  CHECK(read_request("", options).particle.charge == 1);
  CHECK(read_request("", options).particle.name == "pion");
  options.particle = "pi-";
  CHECK(contains(answer(options), "--charge: error: \"pi-\" has charge -1"));
  options.particle = "{mass: 0.5 GeV, charge: 2}";
  options.charge.reset();
  CHECK(read_request("", options).particle.mass == 0.5);
  CHECK(read_request("", options).particle.charge == 2);
  options.particle.reset();
  options.mass = "1 GeV";
  CHECK(read_request("", options).particle.mass == 1);
  CHECK(read_request("", options).particle.charge == -1);
  options.particle = "muon";
  CHECK(contains(answer(options), "--mass: error: the mass belongs to"));

  const StudyFile file(study);  // its mu+ gives way to the option
  StudyOptions proton;
  proton.particle = "proton";
  CHECK(read_request(file.path(), proton).particle.charge == 1);
  StudyOptions mass;
  mass.mass = "3 GeV";
  CHECK(read_request(file.path(), mass).particle.charge == -1);
}

TEST_CASE("options: an error names the option and shows its text") {
  StudyOptions options = basic();
  options.p = "0.1:100GeV:60";
  CHECK(answer(options) ==
        "--p: error: from: missing unit: expected a momentum or energy, got "
        "\"0.1\"\n"
        "      | 0.1:100GeV:60\n"
        "      | ^~~ add a unit, for example \"0.1 GeV\"\n");
  options.p = "1GeV:2GeV";
  CHECK(answer(options) ==
        "--p: error: a range is FROM:TO:POINTS or FROM:TO:POINTS:linear\n"
        "      | 1GeV:2GeV\n"
        "      |          ^ write for example 1GeV:2GeV:60\n");
  options.p = "2GeV:1GeV:3";
  CHECK(contains(answer(options), "is inverted"));
  options.p = "1GeV:2GeV:3:logarithm";
  CHECK(contains(answer(options), "unknown spacing \"logarithm\""));
  options.p = "";
  CHECK(contains(answer(options), "--p: error: expected a momentum"));
  options.p = "1GeV";
  options.particle = "poin";
  CHECK(contains(answer(options), "did you mean \"pion\"?"));
}

TEST_CASE("options: all their errors are reported at once") {
  StudyOptions options;
  options.p = "x";
  options.theta = "181 deg";
  options.charge = "0";
  options.scattering = "moliere";
  options.energy_loss = "some";
  const std::string text = answer(options);
  for (const char* part :
       {"error: no detector", "--p: error", "--theta: error", "--charge: error",
        "--scattering: error", "--energy-loss: error"}) {
    INFO(part);
    CHECK(contains(text, part));
  }
}

TEST_CASE("options: conflicting options are rejected") {
  StudyOptions options = basic();
  options.pt = "1GeV";
  CHECK(contains(answer(options),
                 "--pt: error: --p and --pt cannot be used together"));
  options.pt.reset();
  options.theta = "1 rad";
  options.eta = "1";
  CHECK(contains(answer(options),
                 "--eta: error: --theta and --eta cannot be used together"));
}

TEST_CASE("single point: one momentum and one angle") {
  StudyOptions options = basic();
  CHECK(read_request("", options, true).momentum.values.size() == 1);
  options.p = "1GeV,2GeV";
  options.theta = "10deg:90deg:3";
  const std::string text = answer(options, true);
  CHECK(contains(text, "one track is expected, got 2 momenta"));
  CHECK(contains(text, "one track is expected, got 3 angles"));
}

TEST_CASE("missing: no momentum, no detector, no study file") {
  StudyOptions options = basic();
  options.p.reset();
  CHECK(contains(answer(options), "error: no momentum; give --p"));
  CHECK(contains(test::reported([] { read_request("nowhere.yaml", {}); }),
                 "nowhere.yaml: error: no such file"));
  options = basic();
  options.detectors = {"-", "-"};
  CHECK(contains(answer(options), "can be read only once"));
}

TEST_CASE("theta_of: eta = -ln tan(theta/2)") {
  AngleAxis axis{AngleAxis::Variable::eta, {0, 1.5, -2}};
  CHECK(theta_of(axis, 0) == doctest::Approx(unit::pi / 2).epsilon(1e-15));
  CHECK(-std::log(std::tan(theta_of(axis, 1) / 2)) ==
        doctest::Approx(1.5).epsilon(1e-14));
  CHECK(theta_of(axis, 2) > unit::pi / 2);
  axis = {AngleAxis::Variable::theta, {0.3}};
  CHECK(theta_of(axis, 0) == 0.3);
}

}  // namespace gttf::test::GTTF_TEST_FILE
