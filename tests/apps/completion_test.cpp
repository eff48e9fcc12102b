// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "support/run.hpp"

using gttf::test::Folder;
using gttf::test::has;
using gttf::test::run;

namespace {

bool installed(const char* shell) {
  return std::system((std::string("command -v ") + shell + " > /dev/null 2>&1")
                         .c_str()) == 0;
}

// What bash offers after `words`, the last of which is being typed, each
// followed by a space. Words are as bash splits them: "--format = j".
std::string offered(const Folder& folder, const std::string& words) {
  return run(folder,
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
  CHECK(offered(folder, "s") == "show scan sensitivity ");
  CHECK(offered(folder, "''") ==
        "validate show resolve scan regimes budget sensitivity compare "
        "baseline check toy fit report plot import export "
        "completion help version --help "
        "--version ");
  CHECK(offered(folder, "check --junit n") == "notes.txt ");
  CHECK(offered(folder, "scan --th") == "--theta --threads ");
  CHECK(offered(folder, "resolve --th") == "--theta ");
  CHECK(offered(folder, "scan --format ''") == "table csv json markdown ");
  CHECK(offered(folder, "scan --format = j") == "json ");
  CHECK(offered(folder, "scan --format =") == "table csv json markdown ");
  CHECK(offered(folder, "scan --scattering high") ==
        "highland highland-total highland-1991 ");
  CHECK(offered(folder, "completion ''") == "bash zsh fish ");
  CHECK(offered(folder, "help val") == "validate ");
  CHECK(offered(folder, "scan --p ''") == "");
  CHECK(offered(folder, "nonsense ''") == "");
  CHECK(offered(folder, "validate a") == "a.yaml ");
  CHECK(offered(folder, "scan --detector b") == "b c.yml ");
  CHECK(offered(folder, "validate n") == "");
  CHECK(offered(folder, "scan -o n") == "notes.txt ");
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

TEST_CASE("completion: every script knows every verb and option") {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto r = run(std::string("gttf-design completion ") + shell);
    CHECK(r.code == 0);
    for (const char* word : {"validate", "resolve", "scattering", "highland",
                             "no-provenance", "markdown"})
      CHECK_MESSAGE(has(r.out, word), shell, " ", word);
  }
}
