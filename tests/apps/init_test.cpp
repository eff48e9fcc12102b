// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/run.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

struct Kind {
  std::string name, track;
};
const std::vector<Kind> kinds{{"barrel", "--p 1GeV,50GeV --theta 90deg,60deg"},
                              {"collider", "--p 1GeV,50GeV --eta 0,1,2,3"},
                              {"telescope", "--p 5GeV --theta 0deg"},
                              {"spectrometer", "--p 5GeV --theta 0deg,2deg"}};

/// The lines after "run", one command each.
std::string suggested(const std::string& text) {
  std::string commands = "set -e\n";
  for (std::size_t at = text.find("\n  "); at != text.npos;
       at = text.find("\n  ", at + 1))
    commands += text.substr(at + 3, text.find('\n', at + 1) - at - 3) + '\n';
  return commands;
}

}  // namespace

TEST_CASE("init: each file is valid, without a warning, and every verb runs") {
  for (const Kind& kind : kinds) {
    CAPTURE(kind.name);
    const Folder folder;
    const std::string file = kind.name + ".yaml";
    const Outcome made = run(folder, "gttf-design init " + kind.name);
    CHECK(made.code == 0);
    CHECK(made.out == "");
    CHECK(has(made.err, "gttf-design: wrote " + file));
    const Outcome valid = run(folder, "gttf-design validate " + file);
    CHECK(valid.code == 0);
    CHECK(valid.err == "");
    for (const std::string verb : {"scan", "budget", "sensitivity"}) {
      CAPTURE(verb);
      const Outcome r =
          run(folder, "gttf-design " + verb + " " + file + " " + kind.track +
                          " --format csv --no-provenance");
      CHECK(r.code == 0);
      CHECK(r.err == "");
      CHECK(has(r.out, "sigma"));
    }
    // every track of the scan is measured
    const Outcome scan =
        run(folder, "gttf-design scan " + file + " " + kind.track +
                        " --columns status --format csv --no-provenance");
    CHECK(has(scan.out, kind.name == "telescope" ? "no field" : "ok"));
    CHECK_FALSE(has(scan.out, "too few"));
    // what init suggests
    const Outcome next = run(folder, suggested(made.err));
    CHECK(next.code == 0);
    CHECK(has(next.out, "my "));
    CHECK(has(folder.read(kind.name + ".svg"), "<svg"));
  }
}

TEST_CASE("init: without a kind a barrel") {
  const Folder folder;
  CHECK(run(folder, "gttf-design init --quiet").err == "");
  const Outcome piped = run(folder, "gttf-design init barrel -o -");
  CHECK(piped.code == 0);
  CHECK(piped.err == "");
  CHECK(piped.out == folder.read("barrel.yaml"));
}

TEST_CASE("init: an existing file is kept unless --force is given") {
  const Folder folder;
  folder.write("a b.yaml", "mine\n");
  const Outcome kept = run(folder, "gttf-design init -o 'a b.yaml'");
  CHECK(kept.code == 2);
  CHECK(kept.err ==
        "gttf-design: error: \"a b.yaml\" exists; choose another name with -o "
        "FILE, or overwrite it with --force\n");
  CHECK(folder.read("a b.yaml") == "mine\n");
  CHECK(folder.entries() == 1);
  // a link to nothing is something, too
  CHECK(run(folder,
            "ln -s nothing.yaml link.yaml; gttf-design init -o "
            "link.yaml")
            .code == 2);
  const Outcome forced = run(folder, "gttf-design init -o 'a b.yaml' --force");
  CHECK(forced.code == 0);
  CHECK(has(folder.read("a b.yaml"), "gttf-detector: 1"));
  CHECK(run(folder, suggested(forced.err)).code == 0);
}

TEST_CASE("init: mistakes are rejected before anything is written") {
  const Folder folder;
  const Outcome kind = run(folder, "gttf-design init barrell");
  CHECK(kind.code == 2);
  CHECK(has(kind.err, "barrel"));
  CHECK(run(folder, "gttf-design init -o barrel.json").code == 2);
  CHECK(folder.entries() == 0);
}

}  // namespace gttf::test::GTTF_TEST_FILE
