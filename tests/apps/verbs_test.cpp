// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/run_json.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using nlohmann::json;

namespace {

const std::string barrel = "$DETECTORS/barrel.yaml ";

const std::string no_field = R"(gttf-detector: 1
name: telescope
field: none
layers:
  - name: L
    cylinder: { radius: [20 mm, 100 mm], half_length: 200 mm }
    repeat: 5
    material: 0.1 %
    measures: { rphi: 5 um, z: 5 um }
)";

/// Three layers, as text of a detector file.
const std::string layers_of_barrel =
    "  - name: L\n"
    "    cylinder: { radius: [20 mm, 60 mm], half_length: 200 mm }\n"
    "    repeat: 3\n    material: 1 %\n    measures: { rphi: 5 um, z: 5 um }\n";

/// Text that is equal except for the last digits of numbers, which depend on
/// the vectors used by scan.
void check_same_rows(const std::string& a, const std::string& b) {
  std::istringstream lines_a(a), lines_b(b);
  std::string cell_a, cell_b;
  while (std::getline(lines_a, cell_a, ',')) {
    REQUIRE(std::getline(lines_b, cell_b, ','));
    if (cell_a == cell_b) continue;
    CHECK(std::stod(cell_a) ==
          doctest::Approx(std::stod(cell_b)).epsilon(1e-12));
  }
  CHECK_FALSE(std::getline(lines_b, cell_b, ','));
}

}  // namespace

TEST_CASE("validate: good files, each in a line, and the sum") {
  const Outcome r =
      run("gttf-design validate " + barrel + "$CONFIGS/first-plot.yaml");
  CHECK(r.code == 0);
  CHECK(r.err == "");
  CHECK(has(r.out, "barrel.yaml: good (detector, 7 layers, 6 measuring)\n"));
  CHECK(has(r.out, "first-plot.yaml: good (study, 8 points, 1 detector)\n"));
  CHECK(has(r.out, "2 files: 2 good, 0 not (0 errors, 0 warnings)\n"));
}

TEST_CASE("validate: an optimisation, without a search") {
  const Outcome r =
      run("gttf-design validate $CONFIGS/optimise/its2.yaml "
          "$CONFIGS/optimise/telescope.yaml");
  CHECK(r.code == 0);
  CHECK(r.err == "");
  CHECK(has(r.out,
            "its2.yaml: good (optimisation, 7 variables, 0 choices, "
            "3 limits)\n"));
  const Folder folder;
  folder.write("faulty.yaml", "gttf-optimisation: 1\nvary: {}\n");
  const Outcome faulty = run(folder, "gttf-design validate faulty.yaml");
  CHECK(faulty.code == 2);
  CHECK(has(faulty.err, "faulty.yaml:"));
}

TEST_CASE("validate: all errors of all files, exit code 2") {
  const Folder folder;
  folder.write("a.yaml",
               "gttf-detector: 1\nname: a\nfield: { solenoid: 2 }\nlayers:\n"
               "  - name: L\n    cylinder: { radius: 22, half_length: 1 m }\n");
  folder.write("b.yaml", "gttf-study: 1\ndetectors: [a.yaml]\np: 1 GeV\n");
  const Outcome r =
      run(folder, "gttf-design validate a.yaml " + barrel + "none.yaml b.yaml");
  CHECK(r.code == 2);
  CHECK(has(r.err, "a.yaml:3:"));
  CHECK(has(r.err, "a.yaml:6:"));
  CHECK(has(r.err, "none.yaml: error: no such file"));
  CHECK(has(r.out, "a.yaml: 2 errors\n"));
  CHECK(has(r.out, "none.yaml: 1 error\n"));
  CHECK(has(r.out, "b.yaml: "));  // its detector is not good
  CHECK(has(r.out, "4 files: 1 good, 3 not ("));
}

TEST_CASE("validate: standard input, of both kinds") {
  CHECK(run("gttf-design validate - < " + barrel).out ==
        "<stdin>: good (detector, 7 layers, 6 measuring)\n");
  CHECK(run("cat " + barrel + "| gttf-design validate -").code == 0);
  CHECK(
      run("cd $CONFIGS && cat first-plot.yaml | gttf-design validate -").out ==
      "<stdin>: good (study, 8 points, 1 detector)\n");
}

TEST_CASE("validate: errors as data") {
  const Folder folder;
  folder.write("a.yaml", "gttf-detector: 1\nname: a\nfield: { solenoid: 2 }\n");
  const Outcome csv =
      run(folder, "gttf-design validate a.yaml --format csv --no-provenance");
  CHECK(csv.code == 2);
  CHECK(csv.out.starts_with(
      "file,line,column,severity,path,problem,suggestion\na.yaml,"));
  const Outcome text = run(folder, "gttf-design validate a.yaml --format json");
  const json faults = json::parse(text.out)["files"][0];
  CHECK(faults["good"] == false);
  CHECK(faults["faults"].size() >= 2);
  CHECK(faults["faults"][0]["file"] == "a.yaml");
}

TEST_CASE("validate: quiet prints nothing for good files") {
  const Outcome r = run("gttf-design validate --quiet " + barrel);
  CHECK(r.code == 0);
  CHECK(r.out == "");
  CHECK(r.err == "");
}

TEST_CASE("tracks that first fly inwards have hits in inner layers") {
  const std::string track =
      barrel + "--p 1GeV --theta 80deg --vertex 70mm,0mm,0mm ";
  const std::string scan = "gttf-design scan " + track +
                           "--format csv --columns n_hits,status "
                           "--no-provenance --phi ";
  // L1 and L2 lie inside of the vertex: in, and out again
  const Outcome inwards = run(scan + "180deg");
  CHECK(inwards.err.empty());
  CHECK(has(inwards.out, "\n8,ok\n"));
  const Outcome outwards = run(scan + "0deg");
  CHECK(outwards.err.empty());
  CHECK(has(outwards.out, "\n4,ok\n"));
  const Outcome one = run("gttf-design resolve " + track + "--phi 180deg");
  CHECK(one.err.empty());
  CHECK(has(one.out, "8 measuring"));
}

TEST_CASE("turns: tracks that recurl; the same bytes for others") {
  const std::string mu3e =
      "gttf-design scan $DETECTORS/mu3e.yaml --particle e+ --format csv "
      "--no-provenance ";
  const Outcome once = run(mu3e + "--p 53MeV --theta 70deg");
  const Outcome again = run(mu3e + "--p 53MeV --theta 70deg --turns 1");
  CHECK(again.code == 0);
  CHECK(again.out != once.out);
  CHECK(run(mu3e + "--p 53MeV --theta 70deg --turns 0").out == once.out);
  const std::string stiff = "--p 5GeV:50GeV:4 --theta 40deg:90deg:3 ";
  CHECK(run(mu3e + stiff + "--turns 0.6").out == run(mu3e + stiff).out);
  CHECK(run(mu3e + "--p 1GeV --turns 1e9").code == 2);
}

TEST_CASE("two layers and a beam spot determine a track") {
  const Folder folder;
  const std::string two = folder.write(
      "two.yaml",
      "gttf-detector: 1\nname: two\nfield: { solenoid: 2 T }\nlayers:\n"
      "  - { name: A, cylinder: { radius: 3 cm, half_length: 50 cm }, "
      "material: 0.3 %, measures: { rphi: 10 um, z: 10 um } }\n"
      "  - { name: B, cylinder: { radius: 10 cm, half_length: 50 cm }, "
      "material: 0.3 %, measures: { rphi: 10 um, z: 10 um } }\n");
  const std::string scan = "gttf-design scan " + two +
                           " --p 1GeV --theta 90deg --columns "
                           "sigma_pt_rel,status --format csv --no-provenance";
  const Outcome with = run(scan + " --beam-spot 10um,10um,10mm");
  CHECK(with.code == 0);
  CHECK(!has(with.err, "or a beam spot"));
  CHECK(has(with.out, ",ok\n"));
  const Outcome without = run(scan);
  CHECK(without.code == 3);
  CHECK(has(without.err, "or a beam spot"));
}

TEST_CASE("models: each detector of a study has its own") {
  const Folder folder;
  const std::string own =
      folder.write("own.yaml",
                   "gttf-detector: 1\nname: own\nmodel: { scattering: rossi "
                   "}\nfield: { solenoid: 2 T }\nlayers:\n" +
                       layers_of_barrel);
  const std::string plain =
      folder.write("plain.yaml",
                   "gttf-detector: 1\nname: plain\nfield: { solenoid: 2 T "
                   "}\nlayers:\n" +
                       layers_of_barrel);
  const std::string grid =
      " --p 1GeV --theta 70deg --columns sigma_pt_rel --format csv ";
  const auto value = [&](const std::string& files) {
    return run("gttf-design scan " + files + grid + "--no-provenance").out;
  };
  const std::string both = value(own + " " + plain);
  const std::string head = "sigma_pt_rel\n";
  CHECK(both == value(own) + value(plain).substr(head.size()));
  CHECK(value(own) != value(plain));
  CHECK(value(own) == value(plain + " --scattering rossi"));
  CHECK(value(own + " --scattering highland") == value(plain));
  CHECK(value(plain + " --set 'model={ scattering: rossi }'") == value(own));
  const std::string out =
      run("gttf-design scan " + own + " " + plain + grid).out;
  CHECK(has(out, "# model: own: scattering rossi\n"));
  CHECK_FALSE(has(out, "# model: plain"));
  const std::string compared =
      run("gttf-design compare " + plain + " " + own + " --p 1GeV").out;
  CHECK(has(compared, "model.scattering"));
}

TEST_CASE("show: layers, sums and material in every format") {
  const Outcome text = run("gttf-design show " + barrel);
  CHECK(text.code == 0);
  CHECK(text.out.starts_with("teaching barrel\n"));
  CHECK(has(text.out, "\nbeam pipe  cylinder"));
  CHECK(has(text.out, "solenoid 2 T"));
  CHECK(has(text.out, "7 layers, 6 measuring"));
  const json j = json_of("gttf-design show " + barrel);
  CHECK(j["layers"].size() == 7);
  CHECK(j["field"]["bz_T"].get<double>() == doctest::Approx(2));
  CHECK(j["material_profile"][0]["n_hits"] == 6);
  CHECK(j["provenance"]["inputs"].size() == 1);
  const Outcome csv =
      run("gttf-design show " + barrel + "--format csv --no-provenance");
  CHECK(csv.out.starts_with("layer,group,shape,position_mm,"));
  CHECK(has(run("gttf-design show " + barrel + "--format markdown").out,
            "\n## Layers\n"));
}

TEST_CASE("show: with a track also what it crosses") {
  const std::string command =
      "gttf-design show " + barrel + "--p 1GeV --theta 60deg";
  CHECK(has(run(command).out, "\nCrossings (7 layers, 6 measuring"));
  CHECK(json_of(command)["track"]["crossings"].size() == 7);
  const Outcome csv = run(command + " --format csv --no-provenance");
  CHECK(
      csv.out.starts_with("layer,s_mm,x_mm,y_mm,z_mm,cos_incidence,"
                          "x_over_x0,theta0_rad,measured\nbeam pipe,"));
  const Outcome half = run("gttf-design show " + barrel + "--theta 60deg");
  CHECK(half.code == 2);
  CHECK(half.err.starts_with("gttf-design: error: no momentum"));
}

TEST_CASE("scan: without momenta usual ones are used, with a note") {
  const Outcome noted = run("gttf-design scan " + barrel + "--format csv");
  CHECK(noted.code == 0);
  CHECK(has(noted.err,
            "note: no momentum given; using --pt 1GeV:100GeV:21 "
            "--theta 90deg\n"));
  const std::string rows = "--format csv --no-provenance --quiet";
  const Outcome quiet = run("gttf-design scan " + barrel + rows);
  CHECK(quiet.err.empty());
  CHECK(quiet.out == run("gttf-design scan " + barrel +
                         "--pt 1GeV:100GeV:21 --theta 90deg " + rows)
                         .out);
  // planes only: along the beam
  CHECK(run("gttf-design scan $DETECTORS/datura.yaml " + rows).out ==
        run("gttf-design scan $DETECTORS/datura.yaml --p 1GeV:100GeV:21 "
            "--theta 0deg " +
            rows)
            .out);
  // an angle that is given is used
  CHECK(
      run("gttf-design scan " + barrel + "--eta 1 " + rows).out ==
      run("gttf-design scan " + barrel + "--pt 1GeV:100GeV:21 --eta 1 " + rows)
          .out);
  // a file that cannot be read is all that is reported
  const Outcome none = run("gttf-design scan nothing.yaml");
  CHECK(none.code == 2);
  CHECK_FALSE(has(none.err, "momentum"));
}

TEST_CASE("scan: a layer that no detector has is reported with its location") {
  const Folder folder;
  folder.write("study.yaml",
               "gttf-study: 1\ndetectors: [" GTTF_SOURCE_DIR
               "/detectors/barrel.yaml]\np: [1 GeV]\nat: { layer: L7 }\n");
  const Outcome r = run(folder, "gttf-design scan study.yaml -o out.csv");
  CHECK(r.code == 2);
  CHECK(has(r.err,
            "study.yaml:4:14: error: at.layer: teaching barrel has no "
            "layer \"L7\"\n    4 | at: { layer: L7 }\n"));
  const Outcome option =
      run("gttf-design resolve $DETECTORS/barrel.yaml --p 1GeV --at L7");
  CHECK(option.code == 2);
  CHECK(option.err.starts_with("--at: error: teaching barrel has no layer"));
}

TEST_CASE("show: --set changes what is shown") {
  const json j =
      json_of("gttf-design show " + barrel + "--set 'layers[L1].material=7 %'");
  CHECK(j["layers"][1]["x_over_x0"].get<double>() == doctest::Approx(0.07));
}

TEST_CASE("resolve: text, exact document and the columns of a scan") {
  const std::string command =
      "gttf-design resolve " + barrel + "--p 1GeV --theta 90deg";
  const Outcome text = run(command);
  CHECK(text.code == 0);
  for (const char* part : {"sigma(p)/p ", "hit errors only", "scattering only",
                           "\nCovariance at the perigee", "\nCorrelation",
                           "\nCrossings (7 layers"})
    CHECK_MESSAGE(has(text.out, part), part);

  const json j = json_of(command);
  CHECK(j["input"]["p_GeV"] == 1);
  CHECK(j["input"]["theta_deg"] == 90);
  CHECK(j["input"]["charge"] == -1);
  CHECK(j["crossings"].size() == 7);
  CHECK(j["crossings"][0]["layer"] == "beam pipe");
  CHECK(j["crossings"][0]["measured"] == false);
  CHECK(j["covariance_perigee"]["order"] ==
        json({"d0_mm", "z0_mm", "phi0_rad", "theta_rad", "qop_per_GeV"}));
  CHECK(j["covariance_first_hit"]["order"] ==
        json({"u_mm", "v_mm", "phi_rad", "theta_rad", "qop_per_GeV"}));
  const double variance = j["covariance_perigee"]["matrix"][0][0];
  CHECK(j["resolution"]["sigma_d0_um"].get<double>() ==
        doctest::Approx(1e3 * std::sqrt(variance)));
  const double inner =
      j["covariance_perigee_without_inner_material"]["matrix"][0][0];
  CHECK(inner < variance);

  const Outcome csv = run(command + " --format csv --no-provenance");
  const Outcome scan = run("gttf-design scan --detector " + barrel +
                           "--p 1GeV --theta 90deg --format csv "
                           "--no-provenance");
  check_same_rows(csv.out, scan.out);
}

TEST_CASE("resolve: without a field q/p is null and the rest is there") {
  const Folder folder;
  folder.write("t.yaml", no_field);
  const Outcome r =
      run(folder,
          "gttf-design resolve t.yaml --p 1GeV --theta 90deg --format json");
  CHECK(r.code == 0);
  const json j = json::parse(r.out);
  for (const char* name :
       {"covariance_perigee", "covariance_perigee_without_inner_material",
        "covariance_first_hit"})
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(j[name]["matrix"][4][i].is_null());
      CHECK(j[name]["matrix"][i][4].is_null());
      if (i < 4) CHECK(j[name]["matrix"][i][i].is_number());
    }
  CHECK(j["resolution"]["sigma_p_rel"].is_null());
  CHECK(j["resolution"]["sigma_d0_um"].is_number());
}

TEST_CASE("resolve: a track without resolution is written, exit code 3") {
  const std::string command =
      "gttf-design resolve " + barrel + "--p 1GeV --theta 2deg";
  const Outcome r = run(command);
  CHECK(r.code == 3);
  CHECK(has(r.out, "too few hits"));
  CHECK(r.err == "gttf-design: the track has no resolution: too few hits\n");
  const Outcome data = run(command + " --format json --quiet");
  CHECK(data.code == 3);
  CHECK(data.err == "");
  CHECK(json::parse(data.out)["covariance_perigee"]["matrix"][0][0].is_null());
}

TEST_CASE("resolve: the two engines agree") {
  const std::string command =
      "gttf-design resolve " + barrel + "--p 5GeV --theta 60deg --engine ";
  const json a = json_of(command + "streaming"),
             b = json_of(command + "triplet");
  // They are one fit; 1e-10 is their agreement up to 20 hits.
  CHECK(a["resolution"]["sigma_pt_rel"].get<double>() ==
        doctest::Approx(b["resolution"]["sigma_pt_rel"].get<double>())
            .epsilon(1e-10));
}

TEST_CASE("resolve: both engines agree with energy loss") {
  for (const std::string loss : {"mean", "straggling", "straggling-variance"}) {
    CAPTURE(loss);
    const std::string command =
        "gttf-design resolve $DETECTORS/cld.yaml "
        "--p 1GeV --energy-loss " +
        loss + " --engine ";
    const json a = json_of(command + "streaming"),
               b = json_of(command + "triplet");
    CHECK(a["resolution"]["sigma_p_rel"].get<double>() ==
          doctest::Approx(b["resolution"]["sigma_p_rel"].get<double>())
              .epsilon(1e-8));
  }
}

TEST_CASE("scan: the grid, angle outer and momentum inner") {
  const json rows = json_of("gttf-design scan --detector " + barrel +
                            "--p 1GeV,2GeV --eta 0,0.5")["rows"];
  REQUIRE(rows.size() == 4);
  CHECK(rows[0]["p_GeV"] == 1);
  CHECK(rows[1]["p_GeV"] == 2);
  CHECK(rows[1]["eta"] == 0);
  CHECK(rows[2]["eta"] == 0.5);
  CHECK(rows[0]["status"] == "ok");
}

TEST_CASE("scan: the table states what its columns leave out") {
  const Outcome r = run("gttf-design scan $CONFIGS/first-plot.yaml");
  CHECK(r.code == 0);
  CHECK(r.out.starts_with("teaching barrel: pion, phi = 0 deg\n\n"));
  std::size_t begin = 0;
  for (std::size_t end; (end = r.out.find('\n', begin)) != r.out.npos;
       begin = end + 1)
    CHECK(end - begin <= 80);
  CHECK(run("gttf-design scan $CONFIGS/first-plot.yaml --vertex 5mm,0mm,-1cm")
            .out.starts_with("teaching barrel: pion, phi = 0 deg, from (5, 0, "
                             "-10) mm\n\n"));
}

TEST_CASE("scan: several detectors in one table") {
  const Outcome r = run("gttf-design scan --detector " + barrel +
                        "--detector $DETECTORS/alice_its2.yaml --p 1GeV "
                        "--theta 90deg");
  CHECK(r.code == 0);
  CHECK(has(r.out, "\nteaching barrel "));
  CHECK(has(r.out, "\nALICE ITS2 "));
}

TEST_CASE("scan: options win over the study, which may come from a pipe") {
  const std::string from_pipe =
      run("cd $CONFIGS && cat first-plot.yaml | gttf-design scan - --pt 3GeV "
          "--format csv --no-provenance --columns pt_GeV,n_hits")
          .out;
  CHECK(from_pipe == "pt_GeV,n_hits\n3,6\n");
}

TEST_CASE("scan: --full has crossings and covariances of every track") {
  const json rows = json_of("gttf-design scan --detector " + barrel +
                            "--p 1GeV,2GeV --theta 90deg --full")["rows"];
  REQUIRE(rows.size() == 2);
  CHECK(rows[1]["input"]["p_GeV"] == 2);
  CHECK(rows[1]["crossings"].size() == 7);
  CHECK(rows[1]["covariance_perigee"]["matrix"].size() == 5);
  const json one =
      json_of("gttf-design resolve " + barrel + "--p 2GeV --theta 90deg");
  CHECK(rows[1]["resolution"] == one["resolution"]);
}

TEST_CASE("scan: no track at all is exit code 3, the rows are written") {
  const Outcome r = run("gttf-design scan --detector " + barrel +
                        "--p 1GeV --theta 2deg --format csv --no-provenance");
  CHECK(r.code == 3);
  CHECK(has(r.out, "too few hits"));
  CHECK(has(r.err, "no track could be evaluated"));
}

TEST_CASE("scan: errors of all detectors are reported at once") {
  const Outcome r =
      run("gttf-design scan --detector none1.yaml --detector "
          "none2.yaml --p 1GeV");
  CHECK(r.code == 2);
  CHECK(has(r.err, "none1.yaml"));
  CHECK(has(r.err, "none2.yaml"));
  CHECK(r.out == "");
}

TEST_CASE("scan: the same bytes for any number of threads") {
  const std::string command =
      "gttf-design scan $CONFIGS/alice_its2-grid.yaml --format csv "
      "--no-provenance --threads ";
  CHECK(run(command + "1").out == run(command + "3").out);
}

}  // namespace gttf::test::GTTF_TEST_FILE
