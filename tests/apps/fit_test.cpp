// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "support/measured_tracks.hpp"
#include "support/run.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using nlohmann::json;

namespace {

const std::string fit = "gttf-design fit $DETECTORS/alice_its2.yaml ";
const std::string hits = "$CONFIGS/its2-hits.csv ";

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("fit: a table with a line for each track") {
  const Outcome r = run(fit + hits + "--no-progress");
  CHECK(r.code == 0);
  CHECK(r.err == "");
  CHECK(has(r.out, "ALICE ITS2: "));
  CHECK(has(r.out, "pion, general fit\n"));
  CHECK(lines_of(r.out) == 20 + 6);  // title, empty line, three of head, rule
}

TEST_CASE("fit: csv and json have every column, inputs and their hashes") {
  const Outcome csv = run(fit + hits + "--format csv");
  REQUIRE(csv.code == 0);
  CHECK(has(csv.out, "its2-hits.csv sha256:"));
  CHECK(has(csv.out,
            "\ntrack,line,n_hits,p_GeV,pt_GeV,charge,qop_per_GeV,d0_um,z0_um,"
            "phi0_rad,theta_rad,sigma_p_rel,sigma_pt_rel,sigma_qop_per_GeV,"
            "sigma_d0_um,sigma_z0_um,sigma_phi0_mrad,sigma_theta_mrad,chi2,ndf,"
            "chi2_per_ndf,chi2_probability,fit,status\n1,4,7,"));
  const Outcome text = run(fit + hits + "--format json");
  REQUIRE(text.code == 0);
  const json all = json::parse(text.out);
  CHECK(all.at("provenance").at("inputs").size() == 2);
  CHECK(all.at("provenance")
            .at("inputs")[1]
            .at("sha256")
            .get<std::string>()
            .size() == 64);
  REQUIRE(all.at("rows").size() == 20);
  const json& row = all.at("rows")[0];
  CHECK(row.at("track") == "1");
  CHECK(row.at("status") == "ok");
  // 0.3 GeV, known to 4.5 %: within 5 standard deviations
  CHECK(std::abs(row.at("p_GeV").get<double>() - 0.3) < 5 * 0.3 * 0.045);
}

TEST_CASE("fit: standard input gives the same, without a hash") {
  const Outcome file = run(fit + hits + "--format csv --no-provenance");
  const Outcome pipe =
      run("cat " + hits + "| " + fit + "- --format csv --no-provenance");
  CHECK(pipe.code == 0);
  CHECK(pipe.out == file.out);
  const Outcome head = run("cat " + hits + "| " + fit + "- --format csv");
  CHECK(has(head.out, "# input: -\n"));
  const Outcome both = run("gttf-design fit - -");
  CHECK(both.code == 2);
  CHECK(has(both.err, "standard input (\"-\") can be read only once"));
}

TEST_CASE("fit: any number of threads, the same bytes") {
  const std::string end = " --format csv --no-provenance --threads ";
  CHECK(run(fit + hits + end + "1").out == run(fit + hits + end + "3").out);
}

TEST_CASE("fit: residuals are written to a separate file") {
  const Folder folder;
  const Outcome r = run(folder, fit + hits +
                                    "-o tracks.csv --residuals residuals.csv "
                                    "--no-provenance");
  CHECK(r.code == 0);
  CHECK(r.out == "");
  CHECK(lines_of(folder.read("tracks.csv")) == 21);
  const std::string residuals = folder.read("residuals.csv");
  CHECK(residuals.starts_with(
      "track,hit,line,layer,x_mm,y_mm,z_mm,residual_u_um,residual_v_um,"
      "sigma_residual_u_um,sigma_residual_v_um,pull_u,pull_v\n1,1,4,L0,"));
  CHECK(lines_of(residuals) == 141);
  const Outcome same = run(folder, fit + hits + "-o a.csv --residuals a.csv");
  CHECK(same.code == 2);
  CHECK(has(same.err,
            "--residuals \"a.csv\": the tracks are written there already"));
}

TEST_CASE("fit: every kind of fit that needs no hit errors, and with them") {
  for (const char* kind :
       {"general", "hits", "scattering", "regularised", "common-curvature"}) {
    const Outcome r = run(fit + hits + "--format csv --no-provenance --fit " +
                          kind + " --columns track,p_GeV,fit,status");
    INFO(kind);
    INFO(r.err);
    CHECK(r.code == 0);
    CHECK(has(r.out, std::string(",") + kind + ",ok\n"));
  }
  const Outcome r = run(fit + hits + "--fit generl");
  CHECK(r.code == 2);
  CHECK(has(r.err,
            "--fit: unknown value \"generl\"; did you mean "
            "\"general\"?"));
}

TEST_CASE("fit: a bad line stops it with nothing written") {
  const Folder folder;
  folder.write("h.csv",
               "track,layer,x_mm,y_mm,z_mm\n1,L0,23.4,0,0\n1,L1,3l.5,0,0\n");
  for (const char* output : {"", "-o out.csv"}) {
    const Outcome r = run(folder, fit + "h.csv " + output);
    CHECK(r.code == 2);
    CHECK(r.out == "");
    CHECK(r.err ==
          "h.csv:3:6: error: not a number: \"3l.5\"\n"
          "    3 | 1,L1,3l.5,0,0\n"
          "      |      ^~~~\n");
    CHECK(run(folder, "test ! -e out.csv").code == 0);
  }
}

TEST_CASE("fit: bad lines are skipped and counted if requested") {
  const Folder folder;
  const Outcome r =
      run(folder, "sed '6s/.*/1,L2,oops,0,0/' " + hits + "> h.csv; " + fit +
                      "h.csv --bad-rows skip --format csv --no-provenance");
  CHECK(r.code == 0);
  CHECK(has(r.err, "h.csv:6:6: warning: not a number: \"oops\"\n"));
  CHECK(has(r.err, "gttf-design: 1 bad row left out\n"));
  CHECK(has(r.out, "\n1,4,6,"));  // six hits are left
  CHECK(lines_of(r.out) == 21);
}

TEST_CASE("fit: exit code 3 if there is no fit at all") {
  const Folder folder;
  folder.write("h.csv", "track,x_mm,y_mm,z_mm\n1,23.4,0,0\n1,31.5,0,0\n");
  const Outcome r = run(folder, fit + "h.csv");
  CHECK(r.code == 3);
  CHECK(has(r.out, "too_few_hits"));
  CHECK(r.err ==
        "gttf-design: no track could be fitted; see column \"status\" for the "
        "reason\n");
  folder.write("h.csv", "track,x_mm,y_mm,z_mm\n");
  const Outcome none = run(folder, fit + "h.csv");
  CHECK(none.code == 3);
  CHECK(none.err == "gttf-design: the file has no hits\n");
}

TEST_CASE("fit: unsorted files need --unsorted") {
  const Folder folder;
  const std::string shuffled = "(sed -n 3p " + hits + "; sed 1,3d " + hits +
                               "| sort -t, -k2,2) > h.csv; ";
  const Outcome stopped = run(folder, shuffled + fit + "h.csv");
  CHECK(stopped.code == 2);
  CHECK(has(stopped.err, "sort the file by track, or add --unsorted"));
  const Outcome r = run(folder, fit +
                                    "h.csv --unsorted --format csv "
                                    "--no-provenance --columns "
                                    "track,n_hits,p_GeV,status");
  REQUIRE(r.code == 0);
  CHECK(lines_of(r.out) == 21);
  const Outcome sorted = run(fit + hits +
                             "--format csv --no-provenance --columns "
                             "track,n_hits,p_GeV,status");
  std::string first = sorted.out.substr(sorted.out.find("\n1,") + 1);
  first.resize(first.find('\n') + 1);
  CHECK(has(r.out, first));
}

TEST_CASE("fit: without field the momentum must be given") {
  const Folder folder;
  const Outcome r = run(folder, fit + hits + "--set field=none");
  CHECK(r.code == 2);
  CHECK(has(r.err, "give --p for the scattering, or --scattering off"));
  const Outcome given =
      run(folder, fit + hits +
                      "--set field=none --p 10GeV --format csv "
                      "--no-provenance --columns p_GeV,d0_um,status");
  CHECK(given.code == 0);
  CHECK(has(given.out, ",ok\n"));
}

TEST_CASE("fit: options with units and choices are checked") {
  CHECK(has(run(fit + hits + "--max-distance 5").err,
            "--max-distance: missing unit: expected a length, got \"5\""));
  CHECK(has(run(fit + hits + "--bad-rows ignore").err,
            "--bad-rows: unknown value \"ignore\""));
  CHECK(has(run(fit + hits + "--columns p").err,
            "--columns: unknown value \"p\""));
  CHECK(has(run(fit + "none.csv").err, "none.csv: error: no such file"));
}

TEST_CASE("fit: memory does not grow with the number of tracks") {
  const Folder folder;
  Normals random(1);
  std::string lines;
  for (int i = 0; i < 1000; ++i)
    lines += csv_lines("T", simulate(its2(), 1, 0.5, random));
  folder.write("some.csv", lines);
  // The same 1000 tracks a hundred times with other numbers: 28 MB.
  const std::string command =
      "(echo track,layer,x_mm,y_mm,z_mm; awk '{ line[NR] = $0 } END { for (r "
      "= 0; r < 100; ++r) for (i = 1; i <= NR; ++i) print r * 1000 + int((i - "
      "1) / 7) substr(line[i], 2) }' some.csv) > many.csv; " +
      fit +
      "many.csv -o out.csv --threads 2 --no-provenance && wc -l < out.csv";
  // In a separate process, because the largest memory of a child is the maximum
  // over all children so far.
  struct Report {
    bool good = false;
    long memory = 0;  // kB
  } report;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const Outcome r = run(folder, command);
    report.good =
        r.err.empty() && r.code == 0 && std::stol("0" + r.out) == 100001;
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    report.memory = usage.ru_maxrss;
    _exit(write(ends[1], &report, sizeof report) == sizeof report ? 0 : 1);
  }
  close(ends[1]);
  CHECK(read(ends[0], &report, sizeof report) == sizeof report);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  CHECK(report.good);
  // The hits would take 45 MB, their text and the rows the same again.
#ifndef __SANITIZE_ADDRESS__
  CHECK(report.memory < 64 * 1024);
#endif
}

}  // namespace gttf::test::GTTF_TEST_FILE
