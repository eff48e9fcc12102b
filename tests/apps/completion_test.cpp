// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/run.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

bool installed(const char* shell) {
  return std::system((std::string("command -v ") + shell + " > /dev/null 2>&1")
                         .c_str()) == 0;
}

// What bash offers after `words`, the last of which is being typed, each
// followed by a space. Words are as bash splits them: "--format = j".
std::string offered(const Folder& folder, const std::string& words,
                    const std::string& before = {}) {
  return run(folder, before +
                         "cat > complete.bash << 'END'\n"
                         "source <(gttf-design completion bash)\n"
                         "COMP_WORDS=(gttf-design " +
                         words +
                         ")\n"
                         "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                         "_gttf_design\n"
                         "[ ${#COMPREPLY[@]} = 0 ] || printf '%s ' "
                         "\"${COMPREPLY[@]}\"\n"
                         "END\n"
                         "bash complete.bash; rm complete.bash")
      .out;
}

// Types lines, each with two tabs, into an interactive zsh that has loaded the
// script from a folder of $fpath; what it shows goes to the files 1, 2, ...
const char* const zsh_capture = R"(
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; fpath=($PWD/fp \$fpath); autoload -Uz compinit; \
compinit -u -d $PWD/dump; LISTMAX=1000; stty cols 150; print GO''ON"
zpty -r z shown '*GOON*'
n=0
for line; do
  zpty -w -n z "$line"$'\t\t'
  sleep 0.5  # zsh lists nothing while there is more to read
  zpty -w -n z $'\C-uprint EN\'\'D\n'
  zpty -r -m z shown '*END*'
  print -r -- "$shown" > $(( ++n ))
done
zpty -d z
)";

}  // namespace

TEST_CASE("completion: the bash script is valid" *
          doctest::skip(!installed("bash"))) {
  const auto r = run("gttf-design completion bash | bash -n");
  CHECK(r.code == 0);
  CHECK(r.err == "");
}

TEST_CASE("completion: bash offers verbs, options, values and files" *
          doctest::skip(!installed("bash"))) {
  const Folder folder;
  folder.write("a.yaml", "");
  folder.write("b c.yml", "");
  folder.write("notes.txt", "");
  CHECK(offered(folder, "s") == "show scan sweep sensitivity ");
  CHECK(offered(folder, "''") ==
        "init validate show resolve scan sweep regimes budget sensitivity "
        "compare "
        "baseline check optimise decay toy fit report plot explore import "
        "export "
        "completion help version --help "
        "--version ");
  CHECK(offered(folder, "check --junit n") == "notes.txt ");
  CHECK(offered(folder, "scan --th") == "--theta --threads ");
  CHECK(offered(folder, "resolve --th") == "--theta ");
  CHECK(offered(folder, "scan --format ''") == "table csv json markdown npz ");
  CHECK(offered(folder, "scan --format = j") == "json ");
  CHECK(offered(folder, "scan --format =") == "table csv json markdown npz ");
  CHECK(offered(folder, "scan --scattering high") ==
        "highland highland-total highland-1991 ");
  CHECK(offered(folder, "completion ''") == "bash zsh fish ");
  CHECK(offered(folder, "help val") == "validate ");
  CHECK(offered(folder, "scan --p ''") == "");
  CHECK(has(offered(folder, "scan --particle pi"), "pion "));
  CHECK(offered(folder, "nonsense ''") == "");
  CHECK(offered(folder, "validate a") == "a.yaml ");
  CHECK(offered(folder, "scan --detector b") == "b c.yml ");
  CHECK(offered(folder, "validate n") == "");
  CHECK(offered(folder, "scan -o n") == "notes.txt ");
  CHECK(offered(folder, "fit a.yaml n") == "notes.txt ");
  CHECK(offered(folder, "import n") == "notes.txt ");
  CHECK(offered(folder, "scan --columns p_") == "p_GeV p_at_GeV ");
  CHECK(offered(folder, "scan --columns p_GeV,sigma_d") ==
        "p_GeV,sigma_d0_um ");
  CHECK(offered(folder, "fit --columns chi2_") ==
        "chi2_per_ndf chi2_probability ");
  CHECK(offered(folder, "toy --fits general,hits-s") == "general,hits-shared ");
}

TEST_CASE("completion: bash offers the names in the files on the line" *
          doctest::skip(!installed("bash"))) {
  const Folder folder;
  folder.write("d.yaml", R"(gttf-detector: 1
name: d
field: { solenoid: 2 T }
layers:
  - { name: beam pipe, cylinder: { radius: 10 mm, half_length: 1 m }, material: 1 % }
  - { name: A, cylinder: { radius: 20 mm, half_length: 1 m }, material: 1 %, measures: { rphi: 5 um, z: 5 um } }
  - { name: B, cylinder: { radius: [30 mm, 60 mm], half_length: 1 m }, repeat: 3, material: 1 %, measures: [{ angle: 0 deg, sigma: 5 um }] }
  - { name: C, cylinder: { radius: 70 mm, half_length: 1 m }, material: 1 %, measures: { rphi: 5 um, z: 5 um } }
)");
  folder.write("s.yaml",
               "gttf-study: 1\ndetectors: [d.yaml]\np: 1 GeV\ntheta: 90 deg\n");
  for (const char* file : {"d.yaml", "s.yaml"}) {
    CAPTURE(file);
    const std::string line = std::string("scan ") + file;
    CHECK(offered(folder, line + " --at B") == "B\\[0\\] B\\[1\\] B\\[2\\] ");
    CHECK(offered(folder, line + " --at b") == "beam\\ pipe ");
    CHECK(offered(folder, line + " --set \"'fie\"") == "field.solenoid= ");
    CHECK(offered(folder, line + " --set \"'layers[A].m\"") ==
          "layers[A].material= layers[A].measures.rphi= "
          "layers[A].measures.z= ");
    CHECK(has(offered(folder, line + " --set \"'layers[B].m\""),
              "layers[B].measures[0].sigma= "));
  }
  CHECK(offered(folder, "scan missing.yaml --at ''") == "");
  CHECK(has(offered(folder, "plot d.yaml --figure sigma-p"), "sigma-pt "));
  // installed ones where no file fits
  for (const char* data : {"data/detectors", "data/configs"})
    std::filesystem::create_directories(folder / data);
  folder.write("data/detectors/my_tracker.yaml", "");
  folder.write("data/configs/my_study.yaml", "");
  const auto with_data = [&](const std::string& words) {
    return offered(folder, words, "export GTTF_DESIGN_DATA=$PWD/data; ");
  };
  CHECK(with_data("show my") == "my_tracker ");
  CHECK(with_data("report my") == "my_study ");
  CHECK(with_data("show d.") == "d.yaml ");
}

TEST_CASE("completion: without a shell it requests one") {
  const auto r = run("gttf-design completion");
  CHECK(r.code == 2);
  CHECK(has(r.err, "bash, zsh or fish"));
}

TEST_CASE("man page: every verb and option, in roff") {
  const auto r = run("gttf-design help --man");
  REQUIRE(r.code == 0);
  CHECK(r.out.starts_with(".TH GTTF\\-DESIGN 1 "));
  const auto help = run("gttf-design help sensitivity");
  CHECK(has(r.out,
            "\n.SS sensitivity\nPrint the effect of a change of each layer on "
            "the errors.\n"));
  CHECK(has(r.out, "\n.B \\-\\-limit REQUIREMENT\nHeadroom"));
  CHECK(has(r.out, "\n.B SHELL bash|zsh|fish\n"));
  // no line but requests begins like one
  for (std::size_t i = r.out.find("\n."); i != r.out.npos;
       i = r.out.find("\n.", i + 1))
    CHECK((std::isupper(r.out[i + 2]) || has("nf fi", r.out.substr(i + 2, 2))));
  CHECK(run("gttf-design help scan --man").code == 2);
}

TEST_CASE("completion: the zsh script is valid" *
          doctest::skip(!installed("zsh"))) {
  const auto r =
      run("gttf-design completion zsh > s && zsh -n s; c=$?; rm s; "
          "exit $c");
  CHECK(r.code == 0);
  CHECK(r.err == "");
}

TEST_CASE("completion: the fish script is valid" *
          doctest::skip(!installed("fish"))) {
  const auto r =
      run("gttf-design completion fish > s && fish -n s; c=$?; "
          "rm s; exit $c");
  CHECK(r.code == 0);
  CHECK(r.err == "");
}

TEST_CASE("completion: zsh offers verbs, options, values and files" *
          doctest::skip(!installed("zsh"))) {
  const Folder folder;
  folder.write("a.yaml", "");
  folder.write("hits.csv", "");
  folder.write("capture", zsh_capture);
  std::vector<std::string> lines = {"",
                                    "scan --t",
                                    "scan --scattering ",
                                    "scan --scattering=",
                                    "fit ",
                                    "fit a.yaml ",
                                    "import "};
  const std::size_t first_verb = lines.size();
  for (const char* verb :
       {"validate", "show",        "resolve", "scan",     "sweep", "regimes",
        "budget",   "sensitivity", "compare", "baseline", "check", "optimise",
        "decay",    "toy",         "fit",     "report",   "plot",  "import",
        "export",   "completion",  "help"})
    lines.push_back(std::string(verb) + " --");
  std::string command =
      "mkdir fp && gttf-design completion zsh > fp/_gttf-design && zsh -f "
      "capture";
  for (const std::string& line : lines)
    command += " 'gttf-design " + line + "'";
  run(folder, command);
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < lines.size(); ++i)
    shown.push_back(folder.read(std::to_string(i + 1)));
  CHECK(has(shown[0], "sensitivity"));
  CHECK(has(shown[1], "--theta"));
  CHECK(has(shown[1], "--threads"));
  for (const std::size_t i : {2U, 3U}) {
    INFO(lines[i]);
    CHECK(has(shown[i], "highland-1991"));
    CHECK(has(shown[i], "rossi"));
  }
  // detectors are YAML, hits and cards are not
  CHECK(has(shown[4], "a.yaml"));
  CHECK_FALSE(has(shown[4], "hits.csv"));
  CHECK(has(shown[5], "hits.csv"));
  CHECK(has(shown[6], "hits.csv"));
  for (std::size_t i = first_verb; i < lines.size(); ++i) {
    INFO(lines[i]);
    CHECK(has(shown[i], "--help"));
    CHECK_FALSE(has(shown[i], "_arguments"));  // what is wrong with the script
  }
}

TEST_CASE("completion: fish offers verbs, options, values and files" *
          doctest::skip(!installed("fish"))) {
  const Folder folder;
  folder.write("a.yaml", "");
  folder.write("hits.csv", "");
  run(folder, "gttf-design completion fish > s.fish");
  const auto offers = [&](const std::string& line) {
    return run(folder,
               "HOME=$PWD fish --no-config -c 'source s.fish; complete "
               "-C \"" +
                   line + "\"'")
        .out;
  };
  CHECK(has(offers("gttf-design s"), "sensitivity\t"));
  CHECK(has(offers("gttf-design scan --th"), "--threads\t"));
  CHECK(has(offers("gttf-design scan --scattering "), "highland-1991"));
  CHECK(has(offers("gttf-design resolve "), "a.yaml"));
  CHECK(has(offers("gttf-design fit a.yaml h"), "hits.csv"));
}

TEST_CASE("completion: every script contains every verb and option") {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto r = run(std::string("gttf-design completion ") + shell);
    CHECK(r.code == 0);
    for (const char* word : {"validate", "resolve", "scattering", "highland",
                             "no-provenance", "markdown"})
      CHECK_MESSAGE(has(r.out, word), shell, " ", word);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
