// SPDX-License-Identifier: Apache-2.0
// Options: the values of all options of the program, and the one table that
// describes them. Parsing, help, man page, completions and the reference page
// use this table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gttf/resolution/regime.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf::app {

struct Option;

/// --format, -o and the output of results and messages.
struct OutputOptions {
  std::string format;              ///< empty: from the extension of each file
  std::vector<std::string> files;  ///< empty: standard output
  int precision = 0;               ///< 0: default of the format
  bool quiet = false;
  bool no_progress = false;
  bool no_provenance = false;
};

/// The options of all verbs. Texts with units and lists of them are parsed
/// where they are used; choices and ranges are checked.
struct Options : StudyOptions, OutputOptions {
  std::vector<std::string> arguments;  ///< FILE..., DETECTOR...
  std::vector<std::string> overrides;  ///< --set

  std::string verb, shell;  ///< arguments of help and completion
  std::string words;        ///< what a completion offers
  std::string study_file;   ///< --study

  std::string hits;  ///< argument HITS
  bool unsorted = false, keep_order = false;
  std::string bad_rows = "stop", max_distance = "1cm", residuals;

  std::string by, parameter, at_point;
  std::string reduce, sweep_plot;
  std::vector<std::string> limits, changes;
  bool drop = false, attribution = false;

  bool local = false;
  std::string starts, pareto, history;
  double time_limit = 0;  ///< s; 0: none

  bool triplets = false, all_triplets = false, recurl = false;
  double mu_small = RegimeThresholds{}.mu_small;
  double xi_significant = RegimeThresholds{}.xi_significant;
  double xi_unbiased = RegimeThresholds{}.xi_unbiased;

  std::vector<std::string> follow;  ///< each KEY=FORMULA

  std::string decay, sqrt_s;  ///< the first one: argument of decay
  unsigned configurations = 256;

  std::string kind;  ///< argument of init
  bool force = false;

  std::string baseline, junit, gitlab, markdown;
  bool github = false, all_points = false;

  std::string engine = "streaming", simd;
  std::string fit = "general", weights;
  bool fit_energy_loss = false;
  int iterations = 0;
  unsigned threads = 0;  ///< 0: all cores
  bool stats = false;

  std::string shard, checkpoint, save_toys;
  double checkpoint_every = 10;  ///< s

  std::string published, requirements, figure;
  std::string picture_title, x_range, y_range, log_axes, size, style;
  int grid = 0;  ///< columns of several figures; 0: chosen
  bool list = false;
  double zoom = 2;
  bool watch = false;

  std::string imported;  ///< argument of import
  std::string import_format, field, table, name, export_format;
  bool lossy = false;

  std::string file;  ///< -o of the verbs with one format
  bool no_plot = false;
  std::string columns;
  bool full = false;
  bool man_page = false;

  std::vector<const Option*> given;  ///< the options that were used
  bool help = false;
};

/// The verbs as bits.
namespace of {
enum Verb : std::uint32_t {
  validate = 1U << 0,
  show = 1U << 1,
  resolve = 1U << 2,
  scan = 1U << 3,
  sweep = 1U << 4,
  regimes = 1U << 5,
  budget = 1U << 6,
  sensitivity = 1U << 7,
  compare = 1U << 8,
  baseline = 1U << 9,
  check = 1U << 10,
  optimise = 1U << 11,
  toy = 1U << 12,
  fit = 1U << 13,
  report = 1U << 14,
  plot = 1U << 15,
  import_ = 1U << 16,
  export_ = 1U << 17,
  completion = 1U << 18,
  help = 1U << 19,
  version = 1U << 20,
  init = 1U << 24,
  decay = 1U << 25,
  explore = 1U << 26,
};
}  // namespace of

/// Kind of a value: determines completions, and the folders in which a missing
/// file is searched among the installed ones.
enum class Values : std::uint8_t {
  other,
  choice,  ///< the value name lists them: "csv|json"
  file,
  yaml,                   ///< a description of any kind
  detector,               ///< in detectors/
  study,                  ///< in configs/
  detector_before_study,  ///< in detectors/, then in configs/
  study_before_detector,  ///< in configs/, then in detectors/
  requirements,           ///< in configs/check/
  verb,
  particle,
  figure,        ///< a list
  layer,         ///< of the detectors on the line
  key,           ///< KEY=VALUE of them
  scan_columns,  ///< a list
  fit_columns,   ///< a list
  toy_fits,      ///< a list
};

/// Headings of the help, in its order.
enum class Group : std::uint8_t {
  arguments,
  general,
  detector,
  track,
  hits,
  comparison,
  regimes,
  analysis,
  requirements,
  search,
  toys,
  report,
  computation,
  reports,
  output,
};
std::string_view heading(Group group);

/// Destination of the parsed value. The type of the member is the type of the
/// option: bool is a flag, a list is repeatable, an optional text is parsed by
/// the library with the study file.
using Target =
    std::variant<bool Options::*, int Options::*, unsigned Options::*,
                 double Options::*, std::string Options::*,
                 std::optional<std::string> Options::*,
                 std::vector<std::string> Options::*>;

/// A row of the table: an option, or an argument if its name has no dash.
struct Option {
  std::string_view names;  ///< "--set", "-o,--output", "DETECTOR", "FILE..."
  std::string_view value;  ///< "FILE", "N", "csv|json"; empty: a flag
  std::string_view help;   ///< one sentence, imperative or noun, no full stop
  Group group = Group::general;
  std::uint32_t verbs = 0;  ///< of::scan | of::toy
  Target target;
  Values values = Values::other;
  std::pair<double, double> range = {};  ///< of a number; equal: any
  bool required = false;
  std::string_view excludes = {};  ///< the option or argument it excludes

  bool is_argument() const { return !names.starts_with('-'); }
  bool is_flag() const { return value.empty(); }
  bool is_repeatable() const {
    return is_argument()
               ? names.ends_with("...")
               : std::holds_alternative<std::vector<std::string> Options::*>(
                     target);
  }
  /// The last name, as shown in messages: "--output", "FILE".
  std::string_view name() const;
  std::vector<std::string> all_names() const;  ///< "-o", "--output"
  std::vector<std::string> choices() const;    ///< empty if it has none
};

/// All options of the program.
std::span<const Option> all_options();

/// Options of a verb, in the order of the help.
std::vector<const Option*> options_of(of::Verb verb);
/// The option with this name, "--set"; null if the verb has none.
const Option* find_option(of::Verb verb, std::string_view name);

/// Folders of the installation in which a value that is not an existing file is
/// searched.
std::vector<std::string_view> shipped_folders(Values values);

/// Whether an option of this name was given.
bool is_given(const Options& options, std::string_view name);

}  // namespace gttf::app
