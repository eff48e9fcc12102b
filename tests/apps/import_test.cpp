// SPDX-License-Identifier: Apache-2.0
// The verbs import and export.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/run_json.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using nlohmann::json;

TEST_CASE("import: exported detectors are valid again, through a pipe") {
  const Outcome r =
      run("gttf-design export $DETECTORS/cld.yaml --to delphes | gttf-design "
          "import - --name CLD | gttf-design validate -");
  CHECK(r.code == 0);
  CHECK(has(r.out, "<stdin>: good (detector, 104 layers"));
}

TEST_CASE("import: an error leaves no file, and not even an empty one") {
  const Folder folder;
  folder.write("a.txt", "0.01 1e-6 1e-6\n");
  const std::string out = folder / "a.yaml";
  const Outcome r =
      run("gttf-design import " + (folder / "a.txt") + " --field 2T -o " + out);
  CHECK(r.code == 2);
  CHECK(r.out == "");
  CHECK(has(r.err, "a.txt:1:1: error: a layer has 4 columns, got 3"));
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("import: wrong options are reported with what to write instead") {
  const Outcome from = run("gttf-design import x.txt --from delfes");
  CHECK(from.code == 2);
  CHECK(has(from.err,
            "--from: unknown value \"delfes\"; did you mean "
            "\"delphes\"?"));
  const Outcome field = run("gttf-design import x.txt --field 2");
  CHECK(field.code == 2);
  CHECK(has(field.err, "--field: error: missing unit"));
  const Folder folder;
  const std::string file = folder.write("a.txt", "1 1 1 1\n");
  folder.write("in.yaml",
               "0.01 1e-5 1e-5 0.1\n0.01 1e-5 1e-5 0.2\n0.01 1e-5 1e-5 0.3\n");
  const Outcome over =
      run(folder, "gttf-design import in.yaml --field 2T -o in.yaml");
  CHECK(over.code == 2);
  CHECK(has(over.err, "would overwrite the input \"in.yaml\" "));
  const Outcome ending = run("gttf-design import " + (folder / "a.txt") +
                             " --field 2T -o " + (folder / "a.csv"));
  CHECK(ending.code == 2);
  CHECK(has(ending.err, "a detector is YAML; use .yaml"));
}

TEST_CASE("export: a field map in binary form replaces its table") {
  const Folder folder;
  std::string nodes = "x[mm] y[mm] z[mm] Bx[T] By[T] Bz[T]\n";
  for (const int x : {-300, 300})
    for (const int y : {-300, 300})
      for (const int z : {-100, 250, 600})
        nodes += std::to_string(x) + ' ' + std::to_string(y) + ' ' +
                 std::to_string(z) + " 0 0.8 0.1\n";
  folder.write("magnet.csv", nodes);
  const auto with = [&](const std::string& words, const std::string& map) {
    return run(folder, "gttf-design " + words +
                           " $DETECTORS/desy_telescope.yaml --quiet --set "
                           "'field={ map: " +
                           map + ", scale: 0.5 }'");
  };
  const Outcome written =
      with("export --to field-map -o magnet.fieldmap", "magnet.csv");
  CHECK(written.code == 0);
  CHECK(written.err == "");
  const std::string track = "resolve --p 5GeV --theta 0deg";
  const Outcome table = with(track, "magnet.csv"),
                binary = with(track, "magnet.fieldmap");
  CHECK(binary.code == 0);
  CHECK(has(binary.out, "sigma(p)/p"));
  CHECK(binary.out == table.out);

  folder.write("cut.fieldmap", folder.read("magnet.fieldmap").substr(0, 300));
  const Outcome cut = with(track, "cut.fieldmap");
  CHECK(cut.code == 2);
  CHECK(has(cut.err, "300 bytes, but its grid has 480"));
  const Outcome none =
      run("gttf-design export $DETECTORS/cld.yaml --to field-map");
  CHECK(none.code == 2);
  CHECK(has(none.err, "its field is not a map"));
  const Outcome ending = with("export --to field-map -o magnet.csv", "x.csv");
  CHECK(ending.code == 2);
  CHECK(has(ending.err, "use .fieldmap"));
}

TEST_CASE(
    "export: what a card cannot say is an error, with --lossy a warning") {
  const std::string command =
      "gttf-design export $DETECTORS/lhcb.yaml --to delphes";
  const Outcome r = run(command);
  CHECK(r.code == 2);
  CHECK(r.out == "");
  CHECK(has(r.err, "error: Delphes supports only the field of a solenoid"));
  const Outcome lossy = run(command + " --lossy");
  CHECK(lossy.code == 0);
  CHECK(has(lossy.out, "set DetectorGeometry {"));
  CHECK(has(lossy.err, "warning: Delphes supports only the field"));
  // planes only: a card without rows is not a detector
  const Outcome empty =
      run("gttf-design export $DETECTORS/datura.yaml --to delphes --lossy");
  CHECK(empty.code == 2);
  CHECK(empty.out == "");
  CHECK(has(empty.err, "nothing is left"));
  const Outcome ending =
      run("gttf-design export $DETECTORS/cld.yaml --to delphes -o cld.csv");
  CHECK(ending.code == 2);
  CHECK(has(ending.err, "a card is Tcl; use .tcl"));
}

TEST_CASE("export: options of tracks are rejected for a card") {
  const Outcome r =
      run("gttf-design export $DETECTORS/cld.yaml --to delphes --p 1GeV");
  CHECK(r.code == 2);
  CHECK(has(r.err, "--p is for --to lut"));
}

TEST_CASE("export: the lookup table has the covariances that resolve prints") {
  const std::string track = " --p 2GeV --theta 60deg";
  const json full = json_of("gttf-design resolve $DETECTORS/cld.yaml" + track);
  const json table =
      json_of("gttf-design export $DETECTORS/cld.yaml --to lut" + track);
  REQUIRE(table["rows"].size() == 1);
  const json& row = table["rows"][0];
  const json& matrix = full["covariance_perigee"]["matrix"];
  CHECK(row["status"] == "ok");
  // except for the last digits: the table is computed in batches
  const auto same = [](const json& a, const json& b) {
    CHECK(a.get<double>() == doctest::Approx(b.get<double>()).epsilon(1e-12));
  };
  same(row["cov_d0_d0_mm2"], matrix[0][0]);
  same(row["cov_d0_z0_mm2"], matrix[0][1]);
  same(row["cov_z0_phi0_mm_rad"], matrix[1][2]);
  same(row["cov_phi0_theta_rad2"], matrix[2][3]);
  same(row["cov_theta_qop_rad_per_GeV"], matrix[3][4]);
  same(row["cov_d0_qop_mm_per_GeV"], matrix[0][4]);
  same(row["cov_qop_qop_per_GeV2"], matrix[4][4]);
  int elements = 0;
  for (const auto& [name, value] : row.items())
    elements += name.starts_with("cov_");
  CHECK(elements == 15);
}

TEST_CASE("export: a text table is rejected, csv is the default") {
  const std::string command =
      "gttf-design export $DETECTORS/cld.yaml --to lut --p 1GeV --theta 60deg";
  CHECK(has(run(command + " --no-provenance").out, "detector,particle,p_GeV,"));
  const Outcome r = run(command + " --format table");
  CHECK(r.code == 2);
  CHECK(has(r.err, "a lookup table is csv, json or npz"));
}

TEST_CASE("export: a card made of hostile names does nothing when it is run") {
  const Folder folder;
  const std::string attack =
      "x\\nexec\\ftouch\\fpwned\\n#\\r[exec touch pwned];$::env(HOME)}{\\\\";
  CHECK(run(folder,
            "sed 's/^name: .*/name: \"NAME\"/; s/name: L1/name: \"NAME\"/' "
            "$DETECTORS/barrel.yaml > plain.yaml")
            .code == 0);
  std::string text = folder.read("plain.yaml");
  for (std::size_t at = text.find("NAME"); at != text.npos;
       at = text.find("NAME", at + attack.size()))
    text.replace(at, 4, attack);
  folder.write("d.yaml", text);
  const Outcome made =
      run(folder, "gttf-design export d.yaml --to delphes -o card.tcl");
  INFO(made.err);
  REQUIRE(made.code == 0);
  CHECK(has(folder.read("card.tcl"), "1 x%0Aexec%0Ctouch%0Cpwned%0A%23%0D"));
  CHECK(run(folder, "gttf-design import card.tcl | gttf-design validate -")
            .code == 0);
  if (run("command -v tclsh").code != 0) return;  // the scan of bytes is above
  // at the top of a script and in a module, as Delphes has it
  folder.write("run.tcl",
               "source card.tcl\n"
               "proc module {class name body} { uplevel 1 $body }\n"
               "set f [open card.tcl]; set card [read $f]; close $f\n"
               "eval \"module TrackCovariance T {\\n$card\\n}\"\n"
               "foreach line [split [string trim $DetectorGeometry] \\n] {\n"
               "  if {[lindex $line 0] ne {#}} { puts [llength $line] }\n"
               "}\n");
  const std::size_t before = folder.entries();
  const Outcome r = run(folder, "tclsh run.tcl");
  INFO(r.err);
  CHECK(r.code == 0);
  CHECK(r.out == "13\n13\n13\n13\n13\n13\n13\n");
  CHECK(folder.entries() == before);
}

}  // namespace gttf::test::GTTF_TEST_FILE
