// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>

#include "gttf/core/simd.hpp"

namespace gttf::app {
namespace {

constexpr std::uint32_t any_verb = ~0U;
/// Verbs about a study, or detectors and a grid of tracks.
constexpr std::uint32_t of_grids = of::scan | of::sweep | of::regimes |
                                   of::budget | of::sensitivity | of::compare |
                                   of::baseline | of::toy | of::report |
                                   of::plot | of::explore | of::export_;
constexpr std::uint32_t of_one_track = of::show | of::resolve;
constexpr std::uint32_t of_tracks = of_grids | of_one_track;
/// Verbs whose results can be averages.
constexpr std::uint32_t of_averages =
    of::scan | of::compare | of::baseline | of::toy | of::report | of::plot;
constexpr std::uint32_t of_threads =
    of::scan | of::sweep | of::regimes | of::compare | of::baseline |
    of::check | of::toy | of::fit | of::report | of::plot | of::explore |
    of::export_ | of::optimise | of::decay;
constexpr std::uint32_t of_simd = of::scan | of::sweep | of::regimes |
                                  of::check | of::toy | of::fit | of::export_ |
                                  of::optimise | of::decay;
/// Verbs with a table, CSV, JSON, Markdown or NPZ as result.
constexpr std::uint32_t of_tables =
    of::validate | of_one_track | of::scan | of::sweep | of::regimes |
    of::budget | of::sensitivity | of::compare | of::check | of::optimise |
    of::toy | of::fit | of::export_ | of::decay;
constexpr std::uint32_t of_figures = of::report | of::plot;
/// Verbs that explain or compare errors.
constexpr std::uint32_t of_explanations =
    of::budget | of::sensitivity | of::compare | of_figures;

constexpr int most_digits = 17;  // maximum for a double
constexpr int most_threads = 4096;
constexpr int most_iterations = 100;
constexpr int most_configurations = 1000000;

constexpr std::pair<double, double> any_number{};
constexpr bool required = true;

#define GTTF_CHOICE(name, ...) "|" #name

constexpr Option option_table[] = {
    // arguments
    {"FILE...", "FILE",
     "Detector, study or requirement files; - is standard input",
     Group::arguments, of::validate, &Options::arguments, Values::yaml,
     any_number, required},
    {"DETECTOR", "FILE", "Detector file; - is standard input", Group::arguments,
     of_one_track | of::fit | of::export_, &Options::detectors,
     Values::detector, any_number, required},
    {"HITS", "FILE",
     "Hits, one per line: track,layer,x_mm,y_mm,z_mm in CSV; - is "
     "standard input",
     Group::arguments, of::fit, &Options::hits, Values::file, any_number,
     required},
    {"FILE...", "FILE",
     "Detector files, or a study, or a study and the detectors to use "
     "instead of its own; - is standard input. Or merge and the parts to merge",
     Group::arguments, of::scan | of::toy, &Options::arguments,
     Values::study_before_detector},
    {"DECAY", "TEXT",
     "The decay, as in 'B_s0 -> mu+ mu-' or 'D_s+ -> (phi -> K+ K-) pi+'",
     Group::arguments, of::decay, &Options::decay, Values::other, any_number,
     required},
    {"FILE...", "FILE",
     "Detector files, or a study, or a study and the detectors to use "
     "instead of its own; - is standard input. Also a result of optimise, "
     ".json",
     Group::arguments, of::report, &Options::arguments,
     Values::study_before_detector},
    {"FILE...", "FILE",
     "Detector files, or a study, or a study and the detectors to use "
     "instead of its own; - is standard input",
     Group::arguments, of::plot | of::sweep | of::decay | of::explore,
     &Options::arguments, Values::study_before_detector},
    {"FILE...", "FILE",
     "Detector files, or a study, or a study and the detectors to use "
     "instead of its own; - is standard input",
     Group::arguments,
     of::regimes | of::budget | of::sensitivity | of::baseline,
     &Options::arguments, Values::detector_before_study, any_number, required},
    {"FILE...", "FILE",
     "Detector files, the first of which is the reference; or a study "
     "with several detectors",
     Group::arguments, of::compare, &Options::arguments,
     Values::detector_before_study},
    {"REQUIREMENTS", "FILE", "File of requirements; - is standard input",
     Group::arguments, of::check, &Options::requirements, Values::requirements,
     any_number, required},
    {"STUDY...", "FILE",
     "Variables, objective and constraints; - is standard input. Or merge and "
     "the parts to merge",
     Group::arguments, of::optimise, &Options::arguments, Values::study,
     any_number, required},
    {"DETECTOR...", "FILE",
     "Detector files to use instead of those in the requirements file",
     Group::arguments, of::check, &Options::arguments, Values::detector},
    {"FILE", "FILE",
     "Delphes card, FastTracker .ini or four columns; - is standard "
     "input",
     Group::arguments, of::import_, &Options::imported, Values::file,
     any_number, required},
    {"KIND", "barrel|collider|telescope|spectrometer",
     "Kind of detector (default: barrel)", Group::arguments, of::init,
     &Options::kind, Values::choice},
    {"SHELL", "bash|zsh|fish", "The shell", Group::arguments, of::completion,
     &Options::shell, Values::choice},
    {"VERB", "VERB", "The verb to explain", Group::arguments, of::help,
     &Options::verb, Values::verb},

    // general
    {"-h,--help", "", "Show this help and exit", Group::general, any_verb,
     &Options::help},
    {"--man", "", "Print the man page of the program", Group::general, of::help,
     &Options::man_page, Values::other, any_number, false, "VERB"},
    {"--words", "detectors|studies|requirements|layers|keys|figures",
     "For the scripts: print installed files, or names in the files given by "
     "--on",
     Group::general, of::completion, &Options::words, Values::choice},
    {"--on", "WORD",
     "For the scripts: a word of the command line; words that are not a "
     "detector or study are ignored; repeatable",
     Group::general, of::completion, &Options::arguments},
    {"--from", "delphes|fasttracker|slac|corryvreckan|tklayout|acts|modules",
     "Format (default: detected from the content)", Group::general, of::import_,
     &Options::import_format, Values::choice},
    {"--field", "VALUE",
     "Solenoid field if FILE has none; overrides the one in FILE: 2T",
     Group::general, of::import_, &Options::field},
    {"--table", "FILE",
     "CSV of what FILE does not have: pitches and material by section for "
     "tklayout, errors by volume for acts",
     Group::general, of::import_, &Options::table, Values::file},
    {"--name", "NAME", "Name of the detector (default: from that of FILE)",
     Group::general, of::import_, &Options::name},
    {"--to", "delphes|modules|field-map|lut",
     "delphes: geometry of a card; modules: list of surfaces (CSV); field-map: "
     "binary form of the field map of a detector, which is read faster; lut: "
     "lookup table of covariances",
     Group::general, of::export_, &Options::export_format, Values::choice,
     any_number, required},
    {"--lossy", "", "delphes, modules: write it even if something is lost",
     Group::general, of::export_, &Options::lossy},

    // detector
    {"--detector", "FILE", "Detector file, like an argument; repeatable",
     Group::detector, (of_grids & ~of::export_) | of::decay,
     &Options::detectors, Values::detector},
    {"--detector", "FILE", "Detector file, instead of the argument",
     Group::detector, of_one_track | of::fit | of::export_, &Options::detectors,
     Values::detector},
    {"--detector", "FILE",
     "Use this detector instead of those in the requirements file; "
     "repeatable",
     Group::detector, of::check, &Options::detectors, Values::detector},
    {"--set", "KEY=VALUE",
     "Change a key of the detector, as in 'layers[L0].material=0.5 %'; "
     "repeatable",
     Group::detector,
     of_tracks | of::check | of::fit | of::optimise | of::decay,
     &Options::overrides, Values::key},

    {"--vary", "KEY=VALUES",
     "Vary a key of the detector, as in 'layers[L0].material=0.1%:1%:10', or a "
     "list 0.1%,0.5%; append :log for logarithmic steps; repeatable",
     Group::detector, of::sweep, &Options::vary, Values::key},
    {"--follow", "KEY=FORMULA",
     "Compute a key for each combination of values, as in "
     "'layers[L0].cylinder.half_length=radius / tan(15 deg)'; repeatable; "
     "replaces \"follow\" of the study",
     Group::detector, of::sweep, &Options::follow, Values::key},

    // track
    {"--p", "VALUES",
     "Momentum at the vertex: 1GeV, 1GeV,10GeV or from:to:points", Group::track,
     of_grids | of::decay, &Options::p},
    {"--p", "VALUE", "Momentum at the vertex", Group::track, of_one_track,
     &Options::p},
    {"--p", "VALUE",
     "Momentum for the scattering angles (default: of a helix through "
     "three hits)",
     Group::track, of::fit, &Options::p},
    {"--pt", "VALUES", "Transverse momentum instead of --p", Group::track,
     of_grids | of::decay, &Options::pt},
    {"--pt", "VALUE", "Transverse momentum instead of --p", Group::track,
     of_one_track, &Options::pt},
    {"--theta", "VALUES",
     "Polar angle: 90deg, 90deg,60deg or from:to:points (default: "
     "90 deg)",
     Group::track, of_grids | of::decay, &Options::theta},
    {"--theta", "VALUE", "Polar angle (default: 90 deg)", Group::track,
     of_one_track, &Options::theta},
    {"--eta", "VALUES", "Pseudorapidity instead of --theta", Group::track,
     of_grids | of::decay, &Options::eta},
    {"--eta", "VALUE", "Pseudorapidity instead of --theta", Group::track,
     of_one_track, &Options::eta},
    {"--phi", "VALUE", "Azimuth (default: 0 deg)", Group::track,
     of_tracks | of::decay, &Options::phi},
    {"--vertex", "X,Y,Z", "Start point (default: the origin)", Group::track,
     of_tracks | of::fit | of::decay, &Options::vertex},
    {"--beam-spot", "X,Y,Z",
     "Errors of the start point, used as an additional hit: 10um,5um,30mm or "
     "off",
     Group::track, of_tracks | of::fit, &Options::beam_spot},
    {"--average", "WHAT[:N]",
     "Average over phi, vertex or hits, as in phi,vertex: mean, error, rms, "
     "quantiles, efficiency; N tracks of a sample (default: 64 azimuths, else "
     "256)",
     Group::track, of_averages, &Options::average},
    {"--luminous-region", "X,Y,Z",
     "Standard deviations of the vertices of --average vertex: 10um,10um,50mm "
     "(default: the beam spot)",
     Group::track, of_averages, &Options::luminous_region},
    {"--particle", "NAME",
     "electron, muon, pion, kaon, proton, ... (default: pion)", Group::track,
     of_tracks | of::fit, &Options::particle, Values::particle},
    {"--mass", "VALUE", "Mass instead of the particle's", Group::track,
     of_tracks | of::fit, &Options::mass},
    {"--charge", "NUMBER", "Charge instead of the particle's", Group::track,
     of_tracks | of::fit, &Options::charge},
    {"--scattering", "highland|highland-total|highland-1991|rossi|off",
     "Model of multiple scattering (default: highland)", Group::track,
     of_tracks | of::fit | of::decay, &Options::scattering, Values::choice},
    {"--energy-loss", "off|mean|straggling|straggling-variance",
     "Energy loss (default: off)", Group::track,
     of_tracks | of::fit | of::decay, &Options::energy_loss, Values::choice},
    {"--turns", "N",
     "Follow tracks for N turns and count every crossing of a layer, inwards "
     "and outwards (default: half a turn, first crossings)",
     Group::track, (of_tracks & ~of::regimes) | of::fit, &Options::turns},
    {"--at", "LAYER",
     "Also compute position and direction of the track at this layer",
     Group::track, of::resolve | of::scan | of::sweep | of::export_,
     &Options::at, Values::layer},
    {"--at", "LAYER",
     "Explain position, direction and momentum of the track at this layer "
     "instead of those at its start",
     Group::track, of_explanations, &Options::at, Values::layer},
    {"--without-own-hit", "", "At that layer, leave out its own hit",
     Group::track,
     of::resolve | of::scan | of::sweep | of::export_ | of_explanations,
     &Options::without_own_hit},

    {"--configurations",
     "N",
     "Configurations of the products to average over (default: 256)",
     Group::track,
     of::decay,
     &Options::configurations,
     Values::other,
     {1, most_configurations}},
    {"--sqrt-s", "ENERGY[,SPREAD]",
     "Also compute the recoil mass in collisions of this centre-of-mass "
     "energy, as in 240GeV,0.3GeV",
     Group::track, of::decay, &Options::sqrt_s},

    // hits
    {"--bad-rows", "stop|skip",
     "What to do with a line that cannot be read (default: stop)", Group::hits,
     of::fit, &Options::bad_rows, Values::choice},
    {"--unsorted", "",
     "Hits of a track may be anywhere in the file; reads all of it "
     "into memory",
     Group::hits, of::fit, &Options::unsorted},
    {"--keep-order", "", "Hits of a track are in order of flight in the file",
     Group::hits, of::fit, &Options::keep_order},
    {"--max-distance", "LENGTH",
     "Largest distance of a hit from its layer (default: 1cm)", Group::hits,
     of::fit, &Options::max_distance},

    // design questions
    {"--study", "FILE",
     "Study file with the grid of tracks (and the detectors, if none "
     "is given); options take precedence",
     Group::comparison, of::compare, &Options::study_file, Values::study},
    {"--change", "KEY=VALUE",
     "Compare with the first detector after this change, as in "
     "'layers[L0].material=0.2 %'; repeatable; all changes apply together",
     Group::comparison, of::compare, &Options::changes},
    {"--triplets", "",
     "Write a row per triplet instead of per track, for several tracks (and "
     "in csv)",
     Group::regimes, of::regimes, &Options::triplets},
    {"--all-triplets", "",
     "Use all triplets of measuring layers, not only consecutive ones",
     Group::regimes, of::regimes, &Options::all_triplets},
    {"--recurl", "",
     "Include the triplets through the outer arc of a track that turns back",
     Group::regimes, of::regimes, &Options::recurl, Values::other, any_number,
     false, "--all-triplets"},
    {"--mu", "NUMBER", "Neglect hit errors up to this mu (default: 0.15)",
     Group::regimes, of::regimes, &Options::mu_small},
    {"--xi-significant", "NUMBER",
     "Treat the curvature as not measured below this xi (default: 3)",
     Group::regimes, of::regimes, &Options::xi_significant},
    {"--xi-unbiased", "NUMBER",
     "Treat scattering fits as biased below this xi (default: 10)",
     Group::regimes, of::regimes, &Options::xi_unbiased},
    {"--by", "surface|layer|group",
     "One row for each surface, layer (the rows of a repeated one together) or "
     "group (default: layer; sensitivity: up to 16 rows of a layer "
     "individually)",
     Group::analysis, of::budget | of::sensitivity, &Options::by,
     Values::choice},
    {"--parameter", "p|pt|d0|z0|phi0|theta|x|y|tx|ty|u|v|tu|tv|phi",
     "Only this parameter, in more detail; with --at one of u, v, tu, tv, p, "
     "phi, theta",
     Group::analysis, of::budget | of::sensitivity | of::compare,
     &Options::parameter, Values::choice},
    {"--limit", "REQUIREMENT",
     "Headroom: how much worse each layer may get while 'sigma_d0=30 um' "
     "holds; repeatable",
     Group::analysis, of::sensitivity, &Options::limits},
    {"--drop", "",
     "Compute the resolution without each layer, and averaged over the hit "
     "efficiencies",
     Group::analysis, of::sensitivity, &Options::drop},
    {"--at-point", "P,ANGLE",
     "Attribute the change of this track, 1GeV,90deg, instead of the "
     "worst one",
     Group::comparison, of::compare, &Options::at_point},
    {"--attribution", "",
     "csv: the attribution of every point instead of the resolutions",
     Group::comparison, of::compare, &Options::attribution},
    {"--baseline", "FILE",
     "Use this baseline instead of the one in the requirements file",
     Group::requirements, of::check, &Options::baseline, Values::file},

    // searches
    {"--local", "", "Find one solution, starting from the design in the file",
     Group::search, of::optimise, &Options::local},
    {"--starts", "N",
     "Number of starting designs (default: at most 256, until more are "
     "unlikely "
     "to find another optimum)",
     Group::search, of::optimise, &Options::starts},
    {"--seed", "N", "Seed of the designs (default: 1)", Group::search,
     of::optimise, &Options::seed},
    {"--pareto", "FILE.csv",
     "Write the points of the Pareto front to this file", Group::search,
     of::optimise, &Options::pareto, Values::file},
    {"--time-limit",
     "SECONDS",
     "End the search after this time, with the best design so far",
     Group::search,
     of::optimise,
     &Options::time_limit,
     Values::other,
     {1e-3, 1e9}},
    {"--shard", "k/N",
     "Solve from part k of N of the starts only, to be joined by optimise "
     "merge; needs -o PART.json",
     Group::search, of::optimise, &Options::shard},
    {"--checkpoint", "FILE",
     "Store finished starts in FILE periodically; a run that finds FILE "
     "continues from it",
     Group::search, of::optimise, &Options::checkpoint, Values::file},
    {"--checkpoint-every",
     "SECONDS",
     "Seconds between two checkpoints (default: 10)",
     Group::search,
     of::optimise,
     &Options::checkpoint_every,
     Values::other,
     {0, 1e6}},
    {"--history", "FILE", "Write all designs evaluated by the solver as CSV",
     Group::search, of::optimise, &Options::history, Values::file},

    // toys and reports
    {"--toys", "N", "Toys of every track (default: 10000)", Group::toys,
     of::toy, &Options::toys},
    {"--toys", "N",
     "Also simulate N tracks at each of eight momenta: pulls and "
     "biases",
     Group::report, of_figures, &Options::toys},
    {"--toys", "N",
     "Also simulate and fit N decays for each momentum and angle: pulls",
     Group::toys, of::decay, &Options::toys},
    {"--seed", "N", "Seed of the random numbers (default: 1)", Group::toys,
     of::toy | of_figures | of::decay, &Options::seed},
    {"--fits", "NAMES",
     "Fits, as in general,ms (default: general): general, "
     "general-local, general-updated, general-shared, hits, "
     "hits-shared, scattering (or ms), scattering-local, "
     "scattering-updated, scattering-shared, regularised, "
     "common-curvature",
     Group::toys, of::toy, &Options::fits, Values::toy_fits},
    {"--shard", "k/N",
     "Simulate part k of N only, for toy merge; needs -o "
     "PART.json",
     Group::toys, of::toy, &Options::shard},
    {"--checkpoint", "FILE",
     "Store the state in FILE periodically; a run that finds FILE continues "
     "from it",
     Group::toys, of::toy, &Options::checkpoint, Values::file},
    {"--checkpoint-every",
     "SECONDS",
     "Seconds between two checkpoints (default: 10)",
     Group::toys,
     of::toy,
     &Options::checkpoint_every,
     Values::other,
     {0, 1e6}},
    {"--save-toys", "FILE",
     "Write every toy and its fits to FILE (.csv .json .npz)", Group::toys,
     of::toy, &Options::save_toys, Values::file},
    {"--published", "FILE",
     "Published resolutions to compare with, as in "
     "detectors/published.csv",
     Group::report, of_figures, &Options::published, Values::file},
    {"--requirements", "FILE",
     "Requirements to evaluate, as in check, with the detectors of "
     "the report",
     Group::report, of::report | of::explore, &Options::requirements,
     Values::requirements},
    {"--figure", "NAMES",
     "Figures, as in sigma-pt,share-d0; --list prints their names (default: "
     "sigma-pt; along a beam sigma-p, without field sigma-x, with --at "
     "sigma-u)",
     Group::report, of::plot, &Options::figure, Values::figure},
    {"--grid",
     "COLUMNS",
     "Columns of the grid of figures (default: as many as rows)",
     Group::report,
     of::plot,
     &Options::grid,
     Values::other,
     {1, 12}},
    {"--title", "TEXT", "Title above the figures", Group::report, of::plot,
     &Options::picture_title},
    {"--xlim", "FROM:TO",
     "Ends of the horizontal axis, in its unit or another one: 1:50, "
     "500MeV:50GeV",
     Group::report, of::plot, &Options::x_range},
    {"--ylim", "FROM:TO", "Ends of the vertical axis of the first panel",
     Group::report, of::plot, &Options::y_range},
    {"--log", "x|y|xy|none", "Logarithmic axes; the others are linear",
     Group::report, of::plot, &Options::log_axes, Values::choice},
    {"--size", "WxH",
     "Size of a figure without its legend: 800x500 (px), 12cmx8cm, 86mmx60mm",
     Group::report, of::plot, &Options::size},
    {"--style", "page|paper|talk",
     "paper: for a column of 86 mm, text of 8 pt; talk: large text and thick "
     "lines (default: page)",
     Group::report, of::plot, &Options::style, Values::choice},
    {"--list", "", "List the figures of this study and exit", Group::report,
     of::plot, &Options::list},

    // computation
    {"--engine", "streaming|triplet",
     "Form of the fit, see docs/theory (default: streaming)",
     Group::computation,
     of::resolve | of::scan | of::sweep | of::compare | of::baseline |
         of::check | of::export_ | of::decay,
     &Options::engine, Values::choice},
    {"--fit", "general|hits|scattering|regularised|common-curvature",
     "Errors that the fit takes into account (default: general)",
     Group::computation, of::fit, &Options::fit, Values::choice},
    {"--weights", "estimate|local|update",
     "Curvature used for the scattering angles (default: update, with "
     "--p estimate)",
     Group::computation, of::fit, &Options::weights, Values::choice},
    {"--fit-energy-loss", "",
     "Also fit the energy lost in each layer: columns of --residuals; "
     "implies --energy-loss straggling",
     Group::computation, of::fit, &Options::fit_energy_loss},
    {"--iterations",
     "N",
     "Repeat the fit around its result, at most N times (default: 0)",
     Group::computation,
     of::fit,
     &Options::iterations,
     Values::other,
     {0, most_iterations}},
    {"--threads",
     "N",
     "Threads; the result is the same for any number (default: all "
     "cores)",
     Group::computation,
     of_threads,
     &Options::threads,
     Values::other,
     {0, most_threads}},
    {"--simd", "auto|scalar" GTTF_X86_LEVELS(GTTF_CHOICE),
     "Vector instructions; last digits depend on them (default: auto, "
     "the best of the processor, or GTTF_SIMD)",
     Group::computation, of_simd, &Options::simd, Values::choice},
    {"--shard", "k/N",
     "Compute part k of N only, for scan merge; needs -o "
     "PART.csv",
     Group::computation, of::scan, &Options::shard},
    {"--stats", "",
     "Print on standard error how many tracks each code path handled",
     Group::computation, of::scan | of::sweep | of::regimes | of::toy | of::fit,
     &Options::stats},

    // reports of a check
    {"--junit", "FILE", "Write test results as JUnit XML (GitLab, Jenkins)",
     Group::reports, of::check, &Options::junit, Values::file},
    {"--gitlab", "FILE", "Write a code quality report of GitLab (JSON)",
     Group::reports, of::check, &Options::gitlab, Values::file},
    {"--markdown", "FILE",
     "Write a summary as Markdown; appends to $GITHUB_STEP_SUMMARY",
     Group::reports, of::check, &Options::markdown, Values::file},
    {"--github", "",
     "Annotate the lines responsible, on standard error (::error "
     "file=...)",
     Group::reports, of::check, &Options::github},

    // output
    {"--reduce", "mean|worst",
     "Write one row for each combination: the mean, or the largest, of each "
     "column over the grid of tracks",
     Group::output, of::sweep, &Options::reduce, Values::choice},
    {"--plot", "FILE",
     "Draw the first error among the columns against the first key (.svg .pdf "
     ".png)",
     Group::output, of::sweep, &Options::sweep_plot, Values::file},
    {"--columns", "NAMES", "Columns to write: p_GeV,sigma_pt_rel or all",
     Group::output, of::scan | of::sweep | of::compare, &Options::columns,
     Values::scan_columns},
    {"--columns", "NAMES", "Columns to write: p_GeV,sigma_m_MeV or all",
     Group::output, of::decay, &Options::columns, Values::other},
    {"--columns", "NAMES", "Columns to write: track,p_GeV,sigma_p_rel or all",
     Group::output, of::fit, &Options::columns, Values::fit_columns},
    {"--residuals", "FILE",
     "Write residuals and pulls of every hit to FILE (.csv .json .md "
     ".npz .txt)",
     Group::output, of::fit, &Options::residuals, Values::file},
    {"--full", "", "json: crossings and covariances of every track",
     Group::output, of::scan, &Options::full},
    {"--no-plot", "", "Draw nothing below the table on a terminal",
     Group::output, of::scan, &Options::no_plot},
    {"--all", "",
     "Print every point, not only the worst (csv and npz always do)",
     Group::output, of::check, &Options::all_points},
    {"--format", "table|csv|json|markdown|npz",
     "Format of the result (default: table, or from the ending of -o)",
     Group::output, of_tables, &Options::format, Values::choice},
    {"-o,--output", "FILE",
     "Write to FILE (.csv .json .md .npz .txt) instead of standard output; "
     "repeatable",
     Group::output, of_tables & ~of::optimise, &Options::files, Values::file},
    {"-o,--output", "FILE",
     "Write to FILE: the description found (.yaml), or the result (.csv .json "
     ".md .npz .txt); repeatable",
     Group::output, of::optimise, &Options::files, Values::file},
    {"-o,--output", "FILE",
     "Write to this JSON file instead of standard output", Group::output,
     of::baseline, &Options::file, Values::file},
    {"-o,--output", "FILE",
     "Write the page to FILE (.html); - is standard output", Group::output,
     of::report | of::explore, &Options::file, Values::file, any_number,
     required},
    {"-o,--output", "FILE",
     "Write to FILE (.svg .pdf .png); - is standard output: svg, on a terminal "
     "a drawing in characters",
     Group::output, of::plot, &Options::file, Values::file},
    {"--watch", "", "Write again whenever an input file changes, until Ctrl-C",
     Group::output, of_figures, &Options::watch},
    {"-o,--output", "FILE",
     "Write to FILE (default: KIND.yaml); - is standard output", Group::output,
     of::init, &Options::file, Values::file},
    {"--force", "", "Overwrite an existing file", Group::output, of::init,
     &Options::force},
    {"-o,--output", "FILE", "Write to FILE instead of standard output",
     Group::output, of::import_, &Options::file, Values::file},
    {"--zoom",
     "NUMBER",
     "Pixels of png per px (default: 2)",
     Group::output,
     of::plot,
     &Options::zoom,
     Values::other,
     {0.1, 20}},
    {"--precision",
     "N",
     "Significant digits, 1 to 17 (default: 3 in tables, exact in csv "
     "and json); npz is always exact",
     Group::output,
     of_tables,
     &Options::precision,
     Values::other,
     {1, most_digits}},
    {"--no-provenance", "",
     "Leave out version, command line and hashes of inputs", Group::output,
     of_tables | of_figures | of::explore, &Options::no_provenance},
    {"--no-progress", "", "Draw no progress bar", Group::output,
     of::scan | of::sweep | of::optimise | of::toy | of::fit | of::export_ |
         of::decay | of::report,
     &Options::no_progress},
    {"--quiet", "", "Print errors only (no warnings)", Group::output,
     of_tables | of_figures | of::explore | of::baseline | of::import_ |
         of::init,
     &Options::quiet},
};

#undef GTTF_CHOICE

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    result.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

}  // namespace

std::string_view heading(Group group) {
  switch (group) {
    case Group::arguments:
      return "Arguments";
    case Group::general:
      return "Options";
    case Group::detector:
      return "Detector";
    case Group::track:
      return "Track";
    case Group::hits:
      return "Hits";
    case Group::comparison:
      return "Comparison";
    case Group::regimes:
      return "Regimes";
    case Group::analysis:
      return "Analysis";
    case Group::requirements:
      return "Requirements";
    case Group::search:
      return "Search";
    case Group::toys:
      return "Toys";
    case Group::report:
      return "Report";
    case Group::computation:
      return "Computation";
    case Group::reports:
      return "Reports";
    case Group::output:
      return "Output";
  }
  return {};
}

std::string_view Option::name() const {
  std::string_view last = names.substr(names.rfind(',') + 1);
  if (last.ends_with("...")) last.remove_suffix(3);
  return last;
}

std::vector<std::string> Option::all_names() const { return split(names, ','); }

std::vector<std::string> Option::choices() const {
  if (values != Values::choice) return {};
  return split(value, '|');
}

std::span<const Option> all_options() { return option_table; }

std::vector<const Option*> options_of(of::Verb verb) {
  std::vector<const Option*> options;
  for (const Option& option : option_table)
    if ((option.verbs & verb) != 0) options.push_back(&option);
  std::ranges::stable_sort(options, {}, &Option::group);
  return options;
}

const Option* find_option(of::Verb verb, std::string_view name) {
  for (const Option& option : option_table)
    if ((option.verbs & verb) != 0 && !option.is_argument() &&
        std::ranges::count(option.all_names(), name) > 0)
      return &option;
  return nullptr;
}

std::vector<std::string_view> shipped_folders(Values values) {
  switch (values) {
    case Values::detector:
      return {"detectors"};
    case Values::study:
      return {"configs"};
    case Values::yaml:
    case Values::detector_before_study:
      return {"detectors", "configs"};
    case Values::study_before_detector:
      return {"configs", "detectors"};
    case Values::requirements:
      return {"configs/check"};
    default:
      return {};
  }
}

bool is_given(const Options& options, std::string_view name) {
  return std::ranges::any_of(options.given, [name](const Option* option) {
    return option->name() == name;
  });
}

}  // namespace gttf::app
