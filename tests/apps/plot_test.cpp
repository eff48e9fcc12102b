// SPDX-License-Identifier: Apache-2.0
// plot: options of figures, the terminal, --watch.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "support/run.hpp"
#include "support/xml.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Whether there is a program that gives others a terminal.
bool has_terminal() {
  return std::system("command -v script > /dev/null 2>&1") == 0;
}

/// Runs the program with a terminal as standard output.
Outcome run_on_terminal(const Folder& folder, const std::string& command) {
  folder.write("command.sh", command);
  return run(folder,
             "export CONFIGS DETECTORS; TERM=xterm script -qec 'stty cols 72 "
             "rows 30; sh command.sh' "
             "/dev/null");
}

std::string attribute(const std::string& svg, const std::string& name) {
  const std::size_t at = svg.find(name + "=\"", svg.find("<svg"));
  return svg.substr(at + name.size() + 2,
                    svg.find('"', at + name.size() + 2) - at - name.size() - 2);
}

}  // namespace

TEST_CASE("plot: the requested momenta and angles") {
  const Folder folder;
  CHECK(run(folder,
            "gttf-design plot $DETECTORS/cld.yaml --figure eta-pt --pt 10GeV "
            "--eta 0:1:11 -o e.svg")
            .code == 0);
  const std::string svg = folder.read("e.svg");
  CHECK(has(svg, "= 10 GeV"));
  CHECK_FALSE(has(svg, "= 1 GeV"));
  CHECK_FALSE(has(svg, "= 100 GeV"));
  CHECK(has(svg, ">1</text>"));
  CHECK_FALSE(has(svg, ">1.2</text>"));
  // the conditions that a picture must state without its caption
  for (const char* word : {"CLD", "2 T", "pion", "Highland"}) {
    CAPTURE(word);
    CHECK(has(svg, word));
  }
}

TEST_CASE("plot: title, ends, scales, size, style and several figures") {
  const Folder folder;
  CHECK(run(folder,
            "gttf-design plot $CONFIGS/barrel.yaml --figure sigma-pt --title "
            "'A <b>' --xlim 0.5:20 --ylim 0.1:5 --size 600x400 -o a.svg && "
            "gttf-design plot $CONFIGS/barrel.yaml --figure sigma-pt,sigma-d0 "
            "--style talk --grid 1 -o b.svg && gttf-design plot "
            "$CONFIGS/barrel.yaml --log none --style paper -o c.svg && "
            "gttf-design plot $CONFIGS/barrel.yaml --size 12cmx8cm -o d.svg")
            .code == 0);
  const std::string a = folder.read("a.svg");
  CHECK(has(a, ">A &lt;b&gt;</text>"));
  CHECK(std::stod(attribute(a, "width")) == doctest::Approx(600).epsilon(0.04));
  CHECK_FALSE(has(a, ">50</text>"));  // beyond the end of the axis
  const std::string b = folder.read("b.svg");
  CHECK(xml_fault(b) == "");
  CHECK(has(b, "sigma-pt-c0"));
  CHECK(has(b, "sigma-d0-c0"));
  CHECK(std::stod(attribute(b, "height")) >
        1.5 * std::stod(attribute(b, "width")) * 0.6);
  // 86 mm are 325 px of 1/96 inch
  CHECK(std::stod(attribute(folder.read("c.svg"), "width")) ==
        doctest::Approx(325).epsilon(0.06));
  CHECK(std::stod(attribute(folder.read("d.svg"), "width")) ==
        doctest::Approx(453.5).epsilon(0.05));
}

TEST_CASE("plot: impossible changes are reported, and nothing is written") {
  for (const auto& [options, text] :
       {std::pair("--xlim 5", "give both ends"),
        std::pair("--xlim 5:1", "must be the smaller one"),
        std::pair("--xlim 1mm:2mm", "--xlim"),
        std::pair("--ylim 0:1", "a logarithmic axis cannot begin at 0"),
        std::pair("--size 800", "800x500"),
        std::pair("--size 1x1", "must be between"),
        std::pair("--style poster", "paper"), std::pair("--log z", "--log"),
        std::pair("--figure tornado --xlim 1:2", "has no axes"),
        std::pair("--figure sigma-pt,sigma-pt", "given twice"),
        std::pair("--figure sigma-pt,sigma-dO", "did you mean \"sigma-d0\"?"),
        std::pair("--at nowhere", "has no layer \"nowhere\"")}) {
    const Folder folder;
    const Outcome r =
        run(folder, "gttf-design plot $CONFIGS/barrel.yaml -o x.svg " +
                        std::string(options));
    CAPTURE(r.err);
    CHECK(r.code == 2);
    CHECK(has(r.err, text));
    CHECK(folder.entries() == 0);
  }
}

TEST_CASE("plot: standard output is SVG in a pipe, a drawing on a terminal") {
  const std::string plot =
      "gttf-design plot $CONFIGS/barrel.yaml --figure sigma-pt -o -";
  CHECK(has(run(plot).out, "<svg"));
  if (!has_terminal()) return;
  const Folder folder;
  const Outcome drawn = run_on_terminal(folder, "LC_ALL=C.UTF-8 " + plot);
  CHECK(drawn.code == 0);
  CHECK_FALSE(has(drawn.out, "<svg"));
  CHECK(has(drawn.out, "┤"));
  CHECK(has(drawn.out, "\033["));
  const Outcome plain = run_on_terminal(folder, "NO_COLOR=1 LC_ALL=C " + plot);
  CHECK_FALSE(has(plain.out, "\033["));
  for (const char c : plain.out) CHECK(static_cast<unsigned char>(c) < 128);
}

TEST_CASE("plot: scan draws below its table, but only on a terminal") {
  const std::string scan =
      "gttf-design scan $DETECTORS/barrel.yaml --p 1GeV:50GeV:3";
  const Outcome piped = run(scan);
  CHECK_FALSE(has(piped.out, "hits only"));
  if (!has_terminal()) return;
  const Folder folder;
  const Outcome r = run_on_terminal(folder, "LC_ALL=C.UTF-8 " + scan);
  CHECK(has(r.out, "┤"));
  CHECK(has(r.out, "Transverse momentum"));
  CHECK_FALSE(
      has(run_on_terminal(folder, "LC_ALL=C.UTF-8 " + scan + " --no-plot").out,
          "┤"));
  CHECK_FALSE(
      has(run_on_terminal(folder, scan + " --format csv").out, "Transverse"));
}

TEST_CASE("plot: a table on a terminal is not wider than it") {
  if (!has_terminal()) return;
  const Folder folder;
  const Outcome r = run_on_terminal(
      folder, "gttf-design scan $DETECTORS/barrel.yaml --p 1GeV --no-plot");
  CHECK(has(r.out, "not shown, the line is full:"));
  std::size_t length = 0, longest = 0;
  for (const char c : r.out) {
    length = c == '\n' ? 0 : length + (c != '\r');
    longest = std::max(longest, length);
  }
  CHECK(longest <= 72 + 8);  // with the escapes of bold headings
}

TEST_CASE("plot: --watch writes again after a change, and after an error") {
  const Folder folder;
  const Outcome r =
      run(folder,
          "cp $DETECTORS/barrel.yaml d.yaml; touch log\n"
          "gttf-design plot d.yaml --p 1GeV:50GeV:5 -o w.svg --watch 2> log &\n"
          "pid=$!\n"
          // waits until `log` has $1 lines of this kind, at most 20 s
          "until_lines() { n=0; while [ $(grep -c \"$2\" log) -lt $1 ] && "
          "[ $n -lt 200 ]; do sleep 0.1; n=$((n + 1)); done; }\n"
          "until_lines 1 'w.svg written'; cp w.svg first.svg\n"
          "sed 's/^name: .*/name: changed/' d.yaml > e && mv e d.yaml\n"
          "until_lines 2 'w.svg written'; cp w.svg second.svg\n"
          "echo 'nonsense: 1' >> d.yaml; until_lines 1 'not written'\n"
          "cp w.svg third.svg\n"
          "cp $DETECTORS/barrel.yaml d.yaml; until_lines 3 'w.svg written'\n"
          // a shell without job control has them ignore SIGINT
          "kill -TERM $pid; wait $pid; echo \"ended with $?\"\n");
  CHECK(has(r.out, "ended with 143"));
  CHECK(has(folder.read("second.svg"), "changed"));
  CHECK_FALSE(has(folder.read("first.svg"), "changed"));
  CHECK(folder.read("third.svg") == folder.read("second.svg"));
  CHECK(has(folder.read("log"), "unknown key"));
  CHECK_FALSE(has(folder.read("w.svg"), "changed"));
  CHECK(run("gttf-design plot - --p 1GeV -o x.svg --watch").code == 2);
  CHECK(run("gttf-design plot $DETECTORS/barrel.yaml --p 1GeV -o - --watch")
            .code == 2);
}

TEST_CASE("plot: --watch does not miss a change during its first run") {
  const Folder folder;
  const Outcome r =
      run(folder,
          "cp $DETECTORS/idea.yaml d.yaml\n"
          "sed 's/^name: .*/name: changed/' d.yaml > e\n"
          "gttf-design plot d.yaml --p 1GeV:50GeV:40 -o w.svg --watch "
          "2> log &\n"
          "pid=$!\n"
          "mv e d.yaml; n=0\n"
          "until grep -q changed w.svg 2> grep.log || [ $n -ge 200 ]; do "
          "sleep 0.1; n=$((n + 1)); done\n"
          "kill -TERM $pid; wait $pid; echo \"ended with $?\"\n");
  CHECK(has(r.out, "ended with 143"));
  CHECK(has(folder.read("w.svg"), "changed"));
}

}  // namespace gttf::test::GTTF_TEST_FILE
