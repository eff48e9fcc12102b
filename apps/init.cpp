// SPDX-License-Identifier: Apache-2.0
// init: commented detector files to start from.
#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "gttf/config/text.hpp"
#include "gttf/output/atomic_file.hpp"
#include "gttf/output/provenance.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "templates.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

struct Template {
  std::string_view kind;
  const std::string_view& text;
  std::string_view tracks;  ///< options of plot that suit the detector
};

constexpr std::string_view central_tracks = "--pt 0.2GeV:100GeV:40 --eta 0";
constexpr std::array templates_by_kind{
    Template{"barrel", templates::barrel_yaml, central_tracks},
    Template{"collider", templates::collider_yaml, central_tracks},
    Template{"telescope", templates::telescope_yaml,
             "--p 0.5GeV:100GeV:40 --theta 0deg --particle electron"},
    Template{"spectrometer", templates::spectrometer_yaml,
             "--p 1GeV:200GeV:40 --theta 0deg"},
};

// Whether it exists, including dangling links.
bool exists(const std::string& file) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(file, error));
}

std::string next_steps(const std::string& file, const Template& chosen) {
  const std::string figure =
      std::filesystem::path(file).replace_extension(".svg").string();
  return "gttf-design: wrote " + file + "; edit it, and for example run\n  " +
         shell_quoted(std::array<std::string, 3>{"gttf-design", "show", file}) +
         "\n  " +
         shell_quoted(std::array<std::string, 3>{"gttf-design", "plot", file}) +
         ' ' + std::string(chosen.tracks) + ' ' +
         shell_quoted(std::array<std::string, 2>{"-o", figure}) + '\n';
}

int run_init(const Call& call) {
  const Options& options = call.options;
  const std::string kind = options.kind.empty() ? "barrel" : options.kind;
  const Template& chosen =
      *std::ranges::find(templates_by_kind, kind, &Template::kind);
  const std::string file = options.file.empty() ? kind + ".yaml" : options.file;
  const bool is_file = file != "-" && !is_special_file(file);
  if (is_file) {
    check_ending(file, {".yaml", ".yml"}, "a detector is YAML");
    if (exists(file) && !options.force)
      throw OutputError(in_quotes(file) +
                        " exists; choose another name with -o FILE, or "
                        "overwrite it with --force");
  }
  AtomicFile out(file);
  out.stream() << chosen.text;
  out.commit();
  if (is_file && !options.quiet) print_note(next_steps(file, chosen));
  return good;
}

}  // namespace

const Verb init_verb{
    "init",
    of::init,
    "Write a commented detector file to start from",
    "Kinds: barrel (default), collider (barrel and disks), telescope (planes "
    "without\n"
    "field), spectrometer (planes and a dipole). Existing files are kept "
    "unless\n"
    "--force is given.",
    "init\n"
    "init telescope -o my-telescope.yaml\n"
    "init collider -o - | gttf-design show -",
    run_init};

}  // namespace gttf::app
