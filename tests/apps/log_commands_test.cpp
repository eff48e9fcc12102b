// SPDX-License-Identifier: Apache-2.0
// No name makes a line of the output a command of the workflow that logs it:
// hostile names in every position, through every verb.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "support/run.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

// The first line of `text` that a workflow would execute, or nothing.
std::string command_in(std::string_view text) {
  const auto is_letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
  };
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end =
        std::min(text.find_first_of("\n\r", from), text.size());
    const std::string_view line = text.substr(from, end - from);
    from = end + 1;
    const auto first = std::ranges::find_if(line, [](char c) {
      return c > ' ' && static_cast<unsigned char>(c) < 0x80;
    });
    if (std::string_view(first, line.end()).starts_with("::"))
      return std::string(line);
    for (std::size_t at = 0; (at = line.find("##", at)) != line.npos; ++at) {
      const std::string_view rest = line.substr(at + 2);
      const auto bracket = std::ranges::find_if_not(rest, is_letter);
      if (bracket != rest.end() && *bracket == '[') return std::string(line);
    }
  }
  return "";
}

const std::vector<std::string> hostile = {
    "::error::x",  "a##[error]b",   "  ::stop-commands::x",
    "##vso[task]", "\n::error::x",  "\u00a0\t::error::x",
    "###[x] ::y",  "x\r::error::y",
};

// For the shell.
std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

// A string of YAML or JSON.
std::string yaml(const std::string& text) {
  std::string out = "\"";
  for (const char c : text)
    if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else
      out += c;
  return out + '"';
}

struct Names {
  std::string detector = "t", layer = "L1", key = "x-key", unit = "mm",
              material = "0.1 %", group = "g";
};

std::string detector_text(const Names& n) {
  std::string text = "gttf-detector: 1\nname: " + yaml(n.detector) +
                     "\nfield: { solenoid: 2 T }\n" + yaml(n.key) +
                     ": 1\nlayers:\n";
  int i = 0;
  for (const std::string radius : {"30", "60", "90", "200"}) {
    const std::string name = ++i == 1 ? n.layer : "L" + std::to_string(i);
    text += "  - { name: " + yaml(name) + ", group: " + yaml(n.group) +
            ", cylinder: { radius: " + yaml(radius + " " + n.unit) +
            ", half_length: 1 m }, material: " + yaml(n.material) +
            ", measures: { rphi: 5 um, z: 5 um } }\n";
  }
  return text;
}

// D: the detector; T: a track; F: the format.
const std::vector<std::string> verbs = {
    "validate D F",
    "show D F",
    "resolve D T F",
    "resolve D T F --at L2",
    "scan D T F",
    "sweep D T --vary 'layers[L2].material=0.5 %,1 %' F",
    "regimes D T F",
    "budget D T F",
    "sensitivity D T F",
    "compare D T --change 'layers[L2].material=1 %' F",
    "check D",
    "decay 'D0 -> K- pi+' D --pt 3GeV --theta 90deg F",
    "toy D T --toys 20 F",
    "fit D hits.csv F",
    "plot D T --format text",
    "report D T -o page.html",
    "report D T -o -",
    "explore D T -o -",
    "plot D T -o -",
    "export D --to delphes --lossy -o card.tcl",
    "optimise D F",
    "import D",
};

void check_output(const Folder& folder, const std::string& command) {
  const Outcome r = run(folder, "gttf-design " + command);
  INFO(command);
  INFO(r.err);
  CHECK(command_in(r.err) == "");
  CHECK(command_in(r.out) == "");
  CHECK(r.code != 70);
}

// Verbs with this detector and these other options, as a table and as Markdown:
// each time every eleventh, beginning with the next one, so that each verb gets
// each kind of name. Each run starts a process, and one function decides what
// is a command.
void check_verbs(const Folder& folder, const std::string& detector,
                 const std::string& options = "") {
  constexpr std::size_t step = 11;
  static std::size_t calls = 0, i = 0;
  i = calls++;
  for (const std::string& command : verbs)
    for (const std::string format : {"", "--format markdown"}) {
      if (!format.empty() && !command.ends_with(" F")) continue;
      if (++i % step != 0) continue;
      std::string given = command;
      if (given.ends_with(" F")) given.replace(given.size() - 1, 1, format);
      if (const auto at = given.find(" T"); at != given.npos)
        given.replace(at, 2, " --pt 1GeV --theta 90deg");
      if (const auto at = given.find(" D "); at != given.npos)
        given.replace(at + 1, 1, detector);
      else if (given.ends_with(" D"))
        given.replace(given.size() - 1, 1, detector);
      check_output(folder, given + " " + options);
    }
}

}  // namespace

TEST_CASE("log commands: the test finds them") {
  for (const std::string& name : hostile) CHECK(command_in(name) != "");
  CHECK(command_in("a\n  ::error::b\n") != "");
  CHECK(command_in("std::vector, a: b, ## [x], #[x]\n# ::x\n") == "");
}

TEST_CASE("log commands: names of files") {
  const Folder folder;
  folder.write("hits.csv", "track,layer,x_mm,y_mm,z_mm\n1,L1,30,0,0\n");
  for (const std::string& name : hostile) {
    check_verbs(folder, quoted(name + ".missing"));
    folder.write(name + "y.yaml", detector_text({}));
    check_verbs(folder, quoted(name + "y.yaml"));
    folder.write(name + "z.yaml",
                 "gttf-detector: 1\nfield: [\nname: " + yaml(name) + "\n");
    check_verbs(folder, quoted(name + "z.yaml"));
  }
}

TEST_CASE("log commands: names in files") {
  const Folder folder;
  for (const std::string& name : hostile) {
    folder.write("hits.csv", "track,layer,x_mm,y_mm,z_mm," + yaml(name) +
                                 "\n1," + yaml(name) + ",30,0,0,1\n");
    const auto check_names = [&](const Names& names) {
      folder.write("d.yaml", detector_text(names));
      check_verbs(folder, "d.yaml");
    };
    check_names({.detector = name});
    check_names({.layer = name, .group = name});
    check_names({.key = name});
    check_names({.unit = name});
    check_names({.material = name});
  }
}

TEST_CASE("log commands: studies, requirements and optimisations") {
  const Folder folder;
  folder.write("d.yaml", detector_text({}));
  for (const std::string& name : hostile) {
    const std::string n = yaml(name);
    for (const std::string& text :
         {"name: " + n + "\ndetectors: [d.yaml]\npt: 1 GeV\ntheta: 90 deg\n",
          "detectors: [" + n + "]\npt: 1 GeV\ntheta: 90 deg\n",
          "detectors: [d.yaml]\npt: " + n + "\ntheta: 90 deg\n",
          "detectors: [d.yaml]\npt: 1 GeV\ntheta: 90 deg\nat: " + n + "\n",
          "detectors: [d.yaml]\npt: 1 GeV\ntheta: 90 deg\n" + n + ": 1\n",
          "detectors: [d.yaml]\npt: 1 GeV\ntheta: 90 deg\nvariants: [{ name: " +
              n + ", set: { 'layers[L1].material': 1 % } }]\n",
          "detectors: [d.yaml]\npt: 1 GeV\ntheta: 90 deg\nvary: { " + n +
              ": '1,2' }\n"}) {
      folder.write("s.yaml", "gttf-study: 1\n" + text);
      check_verbs(folder, "s.yaml");
    }
    for (const std::string& text :
         {"requirements:\n  - { name: " + n + ", what: sigma_d0, max: 1 um }\n",
          "requirements:\n  - { what: " + n + ", max: 1 um }\n",
          "baseline: " + n +
              "\nrequirements:\n  - { what: sigma_d0, max: 1 um }\n",
          "study: " + n + "\nrequirements: []\n"}) {
      folder.write("r.yaml",
                   "gttf-requirements: 1\n"
                   "detectors: [d.yaml]\npt: 1 GeV\ntheta: 90 deg\n" +
                       text);
      for (const std::string output :
           {"", "--format markdown", "--markdown -", "--junit -"})
        check_output(folder, "check r.yaml " + output);
    }
    for (const std::string& key : {n, std::string("'layers[L2].material'")}) {
      folder.write("o.yaml", "gttf-optimisation: 1\nname: " + n +
                                 "\ndetector: d.yaml\nvary: { " + key +
                                 ": { from: 0.1 %, to: 0.2 % } }\nminimise: { "
                                 "what: sigma_d0, at: { pt: 1 GeV, theta: 90 "
                                 "deg } }\n");
      for (const std::string output : {"", "--format markdown"})
        check_output(folder, "optimise o.yaml " + output);
    }
  }
}

TEST_CASE("log commands: options") {
  const Folder folder;
  folder.write("d.yaml", detector_text({}));
  folder.write("hits.csv", "track,layer,x_mm,y_mm,z_mm\n1,L1,30,0,0\n");
  for (const std::string& name : hostile) {
    const std::string n = quoted(name);
    check_output(folder, n);
    check_output(folder, "help " + n);
    for (const std::string& option :
         {"--set " + quoted("layers[" + name + "].material=1 %"),
          "--set " + quoted("layers[L1].material=" + name),
          "--set " + quoted("layers[L1]." + name + "=1"),
          "--set " + quoted("name=" + yaml(name)), "--set " + n, "--p " + n,
          "--particle " + n, "--at " + n, "--columns " + n, "--format " + n,
          "-o " + n, quoted("--" + name), "--beam-spot " + n})
      check_verbs(folder, "d.yaml", option);
  }
}

TEST_CASE("log commands: annotations for a workflow are the only commands") {
  const Folder folder;
  folder.write("d.yaml", detector_text({}));
  for (const std::string& name : hostile) {
    folder.write("x.yaml", "gttf-requirements: 1\ndetectors: [d.yaml]\n" +
                               yaml(name) + ": 1\nrequirements: []\n");
    folder.write("r.yaml",
                 "gttf-requirements: 1\ndetectors: [d.yaml]\npt: 1 GeV\ntheta: "
                 "90 deg\nrequirements:\n  - { name: " +
                     yaml(name) + ", what: sigma_d0, max: 1 um }\n");
    for (const std::string verb : {"check x.yaml", "check r.yaml"}) {
      const Outcome r = run(folder, "gttf-design " + verb + " --github");
      INFO(verb);
      std::string all = r.out + '\n' + r.err, others;
      int annotations = 0;
      for (std::size_t from = 0; from < all.size();) {
        const std::size_t end = std::min(all.find('\n', from), all.size());
        std::string line = all.substr(from, end - from);
        from = end + 1;
        const bool annotation = line.starts_with("::error");
        annotations += annotation;
        others += (annotation ? line.substr(2) : line) + '\n';
      }
      CHECK(annotations >= 1);
      CHECK(command_in(others) == "");
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
