// SPDX-License-Identifier: Apache-2.0
// Variants of detectors in studies, in every verb that reads them.
#include <doctest/doctest.h>

#include <string>

#include "support/run.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr const char* study =
    "gttf-study: 1\ndetectors: [barrel.yaml]\nparticle: muon\npt: [1 GeV, 10 "
    "GeV]\ntheta: 90 deg\nvariants:\n"
    "  - { name: thin, set: { \"layers[L1].material\": 0.1 % } }\n"
    "  - { name: Rossi, scattering: rossi }\n";

void write_study(const Folder& folder) {
  folder.write("s.yaml", study);
  CHECK(run(folder, "cp $DETECTORS/barrel.yaml .").code == 0);
}

/// The rows of a scan in CSV except for the names of the detectors.
std::string rows(const Folder& folder, const std::string& options) {
  return run(folder,
             "gttf-design scan " + options +
                 " --columns pt_GeV,sigma_pt_rel,sigma_d0_um --format csv "
                 "--no-provenance | tail -n +2")
      .out;
}

}  // namespace

TEST_CASE("variants: rows are those of --set and of options") {
  const Folder folder;
  write_study(folder);
  const std::string plain = "barrel.yaml --particle muon --pt 1GeV,10GeV";
  CHECK(rows(folder, "s.yaml") ==
        rows(folder, plain) +
            rows(folder, plain + " --set 'layers[L1].material=0.1 %'") +
            rows(folder, plain + " --scattering rossi"));
  // a model that is chosen for all holds where a variant has no other
  CHECK(rows(folder, "s.yaml --scattering highland-1991") ==
        rows(folder, plain + " --scattering highland-1991") +
            rows(folder, plain + " --scattering highland-1991 --set "
                                 "'layers[L1].material=0.1 %'") +
            rows(folder, plain + " --scattering rossi"));
}

TEST_CASE("variants: every verb that reads a study shows them") {
  const Folder folder;
  write_study(folder);
  for (const char* command :
       {"scan s.yaml", "compare s.yaml", "toy s.yaml --toys 20",
        "budget s.yaml", "plot s.yaml -o -", "report s.yaml -o -",
        "validate s.yaml"}) {
    CAPTURE(command);
    const Outcome r = run(folder, std::string("gttf-design ") + command);
    CHECK(r.code == 0);
    if (std::string(command).starts_with("validate"))
      CHECK(has(r.out, "2 variants"));
    else
      for (const char* name : {", thin", ", Rossi"}) CHECK(has(r.out, name));
  }
  // the model is a key like others for the attribution
  CHECK(has(run(folder, "gttf-design compare s.yaml --pt 1GeV").out,
            "model.scattering"));
}

TEST_CASE("variants: a check evaluates them, from a study or its own") {
  const Folder folder;
  write_study(folder);
  folder.write("c.yaml",
               "gttf-requirements: 1\nname: gate\nstudy: s.yaml\n"
               "requirements:\n  - { what: n_hits, min: 1 }\n");
  const Outcome r = run(folder, "gttf-design check c.yaml");
  CHECK(r.code == 0);
  CHECK(has(r.out, "3 of 3 requirements met"));
  folder.write("d.yaml",
               "gttf-requirements: 1\nname: gate\ndetectors: [barrel.yaml]\n"
               "pt: 1 GeV\nvariants: [{ name: thick, set: { "
               "\"layers[L1].material\": 5 % } }]\nrequirements:\n"
               "  - { what: x_over_x0, max: 5 % }\n");
  const Outcome own = run(folder, "gttf-design check d.yaml");
  CHECK(own.code == 1);
  CHECK(has(own.out, "1 of 2 requirements met"));
  CHECK(has(own.out, ", thick"));
}

TEST_CASE("variants: a part or checkpoint of others does not fit") {
  const Folder folder;
  write_study(folder);
  const Outcome r =
      run(folder,
          "gttf-design toy s.yaml --toys 50 --checkpoint c.json -o a.csv && "
          "sed -i 's/0.1 %/0.2 %/' s.yaml && "
          "gttf-design toy s.yaml --toys 50 --checkpoint c.json -o b.csv");
  CHECK(r.code == 2);
  CHECK(has(r.err, "c.json"));
}

}  // namespace gttf::test::GTTF_TEST_FILE
