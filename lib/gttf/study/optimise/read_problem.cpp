// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/read_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "gttf/config/named_files.hpp"
#include "gttf/config/sha256.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/readable.hpp"
#include "gttf/detector/layer_node.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/study/check/check.hpp"
#include "gttf/study/check/requirement_file.hpp"
#include "gttf/study/optimise/key_probe.hpp"
#include "gttf/study/optimise/layer_order.hpp"
#include "gttf/study/optimise/least_quantity.hpp"
#include "gttf/study/optimise/read_formulas.hpp"
#include "gttf/study/request/request_document.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t format_version = 1;
constexpr std::int64_t most_starts = 1000000;

/// The unit after a number: "m2" in "6.5 m2".
std::string unit_of_text(std::string_view text, double& number) {
  text = trimmed(text);
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return "";
  return std::string(
      trimmed(text.substr(static_cast<std::size_t>(end - text.data()))));
}

class Reader {
 public:
  Reader(const std::string& path, std::span<const std::string> overrides,
         const BaselineLoader& load, Diagnostics& diagnostics)
      : path_(path),
        overrides_(overrides),
        load_(load),
        diagnostics_(diagnostics) {}

  std::optional<OptimisationProblem> read(const Node& root) {
    const Value value(root, "", diagnostics_);
    MapReader map(value, "an optimisation (a map)");
    if (!map || is_other_file(map)) return std::nullopt;
    std::string name = read_head(map);
    const auto file = map.require("detector", "my_tracker.yaml");
    // the setup, which has it, needs the detector
    const Node* const spot = root.find("beam_spot");
    const bool has_spot = spot != nullptr && spot->text() != "off";
    auto input = read_start(file, has_spot);
    if (input) check_errors(input->detector, *file);
    StudyOptions options;
    options.detectors = {input ? input->detector.file : std::string("none")};
    if (const auto several = map.find("detectors"))
      several->error("an optimisation begins with one detector",
                     "write \"detector: FILE\"");
    head_.request = detail::read_setup(map, path_, options);
    head_.grid = detail::read_axes(map);
    const auto vary = map.find("vary"), choose = map.find("choose"),
               follow = map.find("follow"), keep = map.find("keep"),
               quantities = map.find("quantities"), prices = map.find("prices"),
               minimise = map.find("minimise"), minimize = map.find("minimize"),
               subject_to = map.find("subject_to"),
               requirements = map.find("requirements"),
               verify = map.find("verify"), search = map.find("search"),
               pareto = map.find("pareto"), tolerances = map.find("tolerances");
    map.finish();
    if (!input) return std::nullopt;
    problem_.emplace(std::move(*input));
    problem_->name = std::move(name);
    problem_->request = head_.request;
    problem_->overrides = {overrides_.begin(), overrides_.end()};
    formulas_.emplace(problem_->input, problem_->space, diagnostics_, true);
    if (prices) read_prices(*prices);
    if (vary) read_vary(*vary, true);
    if (choose) read_choose(*choose);
    find_numbers_of_options();
    if (vary) read_vary(*vary, false);
    if (!vary && !choose)
      value.error("nothing may change: there is no \"vary\" and no \"choose\"",
                  "add for example \"vary: { 'layers[L0].cylinder.radius': { "
                  "from: 22 mm, to: 40 mm } }\"");
    if (follow) formulas_->read_follow(*follow);
    check_choices();
    if (keep) read_keep(*keep);
    if (!diagnostics_.has_errors()) {
      check_order(*problem_, diagnostics_);
      check_dipoles(*problem_, diagnostics_);
    }
    if (quantities) read_quantities(*quantities);
    if (pareto) read_pareto(*pareto);
    if (!pareto || minimise || minimize)
      read_objective(value, minimise, minimize);
    else if (!problem_->pareto.of.empty())
      problem_->objective = problem_->pareto.of.front();
    if (tolerances) read_tolerances(*tolerances);
    read_limits(subject_to, requirements);
    check_limits();
    if (!diagnostics_.has_errors()) {
      check_coverages();
      check_objective();
    }
    if (verify) read_verify(*verify);
    if (search) read_search(*search);
    return std::move(problem_);
  }

 private:
  DesignSpace& space() { return problem_->space; }
  const Detector& detector() const { return problem_->space.design.detector(); }

  bool is_other_file(MapReader& map) {
    const Node& root = map.value().node();
    if (root.find("gttf-optimisation")) return false;
    for (const auto& [key, what] :
         {std::pair{"gttf-detector", "a detector"},
          std::pair{"gttf-study", "a study"},
          std::pair{"gttf-requirements", "a file of requirements"}}) {
      const auto version = map.find(key);
      if (!version) continue;
      version->error(
          fmt::format("this is {}, but an optimisation is expected", what),
          "write one that names it, see docs/reference/optimise.md");
      return true;
    }
    return false;
  }

  std::string read_head(MapReader& map) {
    if (const auto version = map.require("gttf-optimisation", "1")) {
      const auto number = version->integer("1");
      if (number && *number != format_version)
        version->error(
            fmt::format("version {} of the format is not known", *number),
            fmt::format("this program reads version {}", format_version));
    }
    std::string name;
    if (const auto given = map.find("name"))
      name = given->text("a name").value_or("");
    if (const auto note = map.find("note")) note->text();
    map.allow_prefix("x-");
    return name;
  }

  /// Derivatives of errors that depend on the track are not available.
  static bool check_errors(const Detector& detector, const Value& file) {
    for (const Layer& layer : detector.layers)
      if (std::ranges::any_of(layer.coordinates, [](const Coordinate& c) {
            return c.error != nullptr;
          })) {
        file.error(fmt::format("the error of its layer {} depends on the track",
                               in_quotes(layer.name)),
                   "an optimisation needs errors that are the same for all "
                   "tracks");
        return false;
      }
    return true;
  }

  std::optional<DetectorInput> read_start(const std::optional<Value>& file,
                                          bool beam_spot) {
    if (!file) return std::nullopt;
    const auto path = detail::named_file(
        *file, path_, "the path of a detector file", {"detectors"});
    if (!path) return std::nullopt;
    if (std::error_code ignored; !fs::exists(*path, ignored))
      return std::nullopt;  // reported
    try {
      return read_detector(*path, overrides_, beam_spot);
    } catch (const InputError& error) {
      diagnostics_.add(error.diagnostics());
    }
    return std::nullopt;
  }

  /// The entries named by a value: `layers[L0..L6]`, `L0..L6` or a list.
  /// @param once  each only once; otherwise repetitions are ignored
  std::vector<std::string> read_entries(const Value& value, bool once = false) {
    const std::vector<Value> items =
        value.is_list() ? value.items() : std::vector<Value>{value};
    if (items.empty()) value.error("the list is empty", "name a layer");
    std::vector<std::string> chosen;
    for (const Value& item : items) {
      const auto text = item.text("layers");
      if (!text) continue;
      std::string selector = *text;
      if (selector.starts_with("layers[") && selector.ends_with(']'))
        selector = selector.substr(7, selector.size() - 8);
      for (std::string& name :
           detail::selected_entries(selector, formulas_->entries(), item))
        if (std::ranges::count(chosen, name) == 0)
          chosen.push_back(std::move(name));
        else if (once)
          item.error(fmt::format("{} is in the list already", in_quotes(name)),
                     "name each layer once");
    }
    return chosen;
  }

  // prices

  void read_prices(const Value& value) {
    MapReader map(value, "{ 'layers[L0..L6]': 20 }");
    if (!map) return;
    for (const Node::Entry& entry : value.node().entries()) {
      const auto item = map.find(entry.key.text());
      const Value key = key_value(value, entry);
      const double price = item->quantity(Dimension::number).value_or(0);
      for (const std::string& name : read_entries(key))
        for (const std::size_t layer : formulas_->layers_of(name)) {
          space().prices[layer] = price;
          priced_.insert(layer);
        }
    }
  }

  // variables

  /// @param choices  reads choices of values, otherwise variables
  void read_vary(const Value& value, bool choices) {
    MapReader map(value,
                  "{ 'layers[L0..L6].cylinder.radius': { from: 22 mm, "
                  "to: 400 mm } }");
    if (!map) return;
    if (value.node().entries().empty())
      value.error("no variable", "name a key of the detector");
    for (const Node::Entry& entry : value.node().entries()) {
      const auto item = map.find(entry.key.text());
      if ((item->node().find("choose") != nullptr) == choices)
        read_variable(key_value(value, entry), *item);
    }
  }

  void read_variable(const Value& name, const Value& value) {
    MapReader map(value, "{ from: 22 mm, to: 400 mm }");
    if (!map) return;
    const auto of = map.find("of"), from = map.find("from"),
               to = map.find("to"), factor = map.find("factor"),
               choose = map.find("choose");
    map.finish();
    std::vector<std::string> patterns;
    if (of) {
      const std::vector<Value> items =
          of->is_list() ? of->items() : std::vector<Value>{*of};
      for (const Value& item : items)
        if (const auto text = item.text("a key of the detector"))
          for (std::string& key :
               detail::selected_keys(*text, formulas_->entries(), item))
            patterns.push_back(std::move(key));
    } else {
      patterns =
          detail::selected_keys(name.node().text(), formulas_->entries(), name);
    }
    if (patterns.empty()) return;
    const Value& place = of ? *of : name;
    const int n = (from || to) + factor.has_value() + choose.has_value();
    if (n != 1) {
      value.error(
          "a variable has \"from\" and \"to\", \"factor\" or "
          "\"choose\"",
          "write for example \"{ from: 22 mm, to: 400 mm }\"");
      return;
    }
    if (choose) {
      add_choice_of_values(name.node().text(), place, patterns, of.has_value(),
                           *choose);
      return;
    }
    if (factor) {
      read_factor(name, place, patterns, *factor);
      return;
    }
    if (!from || !to) {
      value.error(fmt::format("the range has no \"{}\"", from ? "to" : "from"),
                  "a search needs both bounds");
      return;
    }
    for (const std::string& key : patterns)
      if (!formulas_->check_number(key, place)) return;
    const Dimension dimension = detail::dimension_of_key(patterns.front());
    const auto a = from->quantity(dimension), b = to->quantity(dimension);
    if (!a || !b || !check_range(*a, *b, *from, *to) ||
        !check_length(*a, dimension, *from) ||
        !check_length(*b, dimension, *to))
      return;
    const auto add = [&](std::string called,
                         const std::vector<std::string>& keys) {
      DesignVariable variable;
      variable.name = std::move(called);
      variable.from = *a;
      variable.to = *b;
      set_unit(from->node().text(), dimension, variable);
      for (const std::string& key : keys) {
        if (detail::dimension_of_key(key) != dimension) {
          place.error(fmt::format("{} and {} cannot have one value",
                                  in_quotes(keys.front()), in_quotes(key)),
                      "make two variables of them");
          return;
        }
        if (!add_key(key, {*a, *b, from->node().text(), to->node().text()},
                     place, variable))
          return;
      }
      for (const std::size_t k : variable.keys)
        variable.start +=
            space().keys[k].start / static_cast<double>(variable.keys.size());
      variable.place = diagnostic_at(name.node());
      add_variable(std::move(variable));
    };
    if (of)
      add(name.node().text(), patterns);
    else
      for (const std::string& key : patterns) add(key, {key});
  }

  static bool check_range(double a, double b, const Value& from,
                          const Value& to) {
    if (a < b) return true;
    to.error(
        fmt::format("the range from {} to {} is {}",
                    in_quotes(from.node().text()), in_quotes(to.node().text()),
                    a == b ? "empty" : "inverted"),
        a == b ? "write it into the description instead" : "exchange the two");
    return false;
  }

  /// Steps within a range without end are beyond the precision of numbers.
  static bool check_length(double x, Dimension dimension, const Value& value) {
    constexpr double longest = 1e5 * unit::m;
    if (dimension != Dimension::length || std::abs(x) <= longest) return true;
    value.error(fmt::format("{} is longer than any detector",
                            in_quotes(value.node().text())),
                "write a bound of at most 100 km");
    return false;
  }

  static void set_unit(const std::string& text, Dimension dimension,
                       DesignVariable& variable) {
    double number = 0;
    variable.unit = unit_of_text(text, number);
    const auto* unit = detail::find_unit(variable.unit);
    variable.unit_value = unit != nullptr ? unit->factor : 1;
    if (unit == nullptr && dimension != Dimension::fraction &&
        dimension != Dimension::number)
      variable.unit.clear();
  }

  void read_factor(const Value& name, const Value& place,
                   const std::vector<std::string>& keys, const Value& factor) {
    MapReader map(factor, "{ from: 0.5, to: 2 }");
    if (!map) return;
    const auto from = map.require("from", "0.5"), to = map.require("to", "2");
    map.finish();
    if (!from || !to) return;
    const auto a = from->quantity(Dimension::number),
               b = to->quantity(Dimension::number);
    if (!a || !b || !check_range(*a, *b, *from, *to)) return;
    if (!(*a > 0)) {
      from->error("a factor is positive", "write for example 0.5");
      return;
    }
    DesignVariable variable;
    variable.name = name.node().text();
    variable.is_factor = true;
    variable.from = *a;
    variable.to = *b;
    variable.start = 1;
    variable.place = diagnostic_at(name.node());
    for (const std::string& key : keys) {
      const auto start = start_of_key(key, place);
      if (!start) return;
      const double low = std::min(*a * *start, *b * *start),
                   high = std::max(*a * *start, *b * *start);
      if (!add_key(key, {low, high}, place, variable)) return;
    }
    add_variable(std::move(variable));
  }

  void add_variable(DesignVariable variable) {
    const auto is_error_of_hits = [&](std::size_t key) {
      return std::ranges::all_of(
          space().keys[key].numbers, [&](const NumberSlope& n) {
            return space().design[n.number].kind == DesignNumber::Kind::sigma;
          });
    };
    variable.is_logarithmic =
        variable.from > 0 &&
        std::ranges::all_of(variable.keys, is_error_of_hits);
    warn_of_start(variable);
    space().variables.push_back(std::move(variable));
  }

  /// The design of the file need not be among those of the search.
  void warn_of_start(const DesignVariable& variable) {
    for (const std::size_t k : variable.keys) {
      const DesignKey& key = space().keys[k];
      const double start = variable.is_factor ? 1 : key.start;
      if (variable.contains(start)) continue;
      Diagnostic d = variable.place;
      d.severity = Severity::warning;
      d.problem =
          variable.is_factor
              ? std::string("the factor 1 is outside of the range")
              : fmt::format("{} is {} in the description, outside of the range",
                            in_quotes(key.key),
                            detail::text_of_value(start, key.dimension));
      d.suggestion = "the search begins within the range";
      diagnostics_.add(std::move(d));
    }
  }

  /// The value of a key in the description, native units.
  std::optional<double> start_of_key(const std::string& key,
                                     const Value& place) {
    const Node* node = formulas_->find(key);
    if (node != nullptr && node->kind() == Node::Kind::scalar)
      if (const auto parsed =
              parse_quantity(node->text(), detail::dimension_of_key(key)))
        if (parsed.value != 0) return parsed.value;
    place.error(fmt::format("{} has no value in the description that a factor "
                            "could multiply",
                            in_quotes(key)),
                "give it one there");
    return std::nullopt;
  }

  /// Probes a key and adds it to the variable.
  bool add_key(const std::string& key, const detail::KeyProbe::Range& range,
               const Value& place, DesignVariable& variable) {
    if (!detail::check_entry(key, formulas_->entries(), place)) return false;
    auto found = formulas_->probe().probe(key, range, place);
    if (!found || !formulas_->is_free(*found, place)) return false;
    variable.keys.push_back(space().keys.size());
    space().keys.push_back(std::move(*found));
    return true;
  }

  // choices

  /// Whether a key has a text in the description, such as a material.
  bool is_text(const std::string& key) {
    const Node* node = formulas_->find(key);
    return node != nullptr && node->kind() == Node::Kind::scalar &&
           !parse_quantity(node->text(), detail::dimension_of_key(key));
  }

  /// @param together  one choice for all keys, or one for each
  void add_choice_of_values(const std::string& name, const Value& place,
                            const std::vector<std::string>& keys, bool together,
                            const Value& values) {
    const std::vector<Value> items = values.items();
    if (items.size() < 2) {
      values.error("a choice has at least two values",
                   "write for example [5 um, 10 um]");
      return;
    }
    DesignChoice choice;
    choice.name = name;
    choice.place = diagnostic_at(values.node());
    for (const Value& item : items) {
      ChoiceOption option{item.node().text(), {}, {}};
      if (std::ranges::count(choice.options, option.name, &ChoiceOption::name) >
          0) {
        item.error("this value is there already", "remove one of the two");
        return;
      }
      for (const std::string& key : keys) {
        if (!detail::check_entry(key, formulas_->entries(), place) ||
            (!is_text(key) && !item.quantity(detail::dimension_of_key(key))))
          return;
        option.overrides.push_back(key + '=' + option.name);
      }
      choice.options.push_back(std::move(option));
    }
    if (together || keys.size() == 1) {
      add_choice(std::move(choice), values);
      return;
    }
    for (std::size_t k = 0; k < keys.size(); ++k) {
      DesignChoice own = choice;
      own.name = keys[k];
      for (ChoiceOption& option : own.options)
        option.overrides = {option.overrides[k]};
      add_choice(std::move(own), values);
    }
  }

  void add_choice(DesignChoice choice, const Value& place) {
    const DetectorDescription description(problem_->input.text,
                                          detector().file);
    std::vector<Detector> detectors;
    for (const ChoiceOption& option : choice.options) {
      std::vector<std::string> all = problem_->input.overrides;
      all.insert(all.end(), option.overrides.begin(), option.overrides.end());
      try {
        detectors.push_back(description.read(all).detector);
      } catch (const InputError& error) {
        for (const Diagnostic& d : error.diagnostics().items())
          if (d.severity == Severity::error) {
            place.error(fmt::format("{}: {}", option.name, d.problem),
                        d.suggestion);
            return;
          }
      }
      if (!check_errors(detectors.back(), place)) return;
      space().include(detectors.back());
    }
    options_.push_back({problem_->choices.size(), place, std::move(detectors)});
    problem_->choices.push_back(std::move(choice));
  }

  /// When the space has room for what all options measure and consist of.
  void find_numbers_of_options() {
    for (const Options& own : options_) {
      std::vector<ChoiceOption>& list = problem_->choices[own.choice].options;
      for (std::size_t i = 0; i < list.size(); ++i) {
        ChoiceOption& option = list[i];
        const auto values = space().design.values_of(own.detectors[i]);
        if (!values) {
          own.place.error(
              fmt::format("{} changes more than numbers, coordinates and slabs",
                          option.name),
              "compare values of it with sweep");
          return;
        }
        for (std::size_t k = 0; k < values->size(); ++k)
          if ((*values)[k] != space().start[k])
            option.numbers.emplace_back(k, (*values)[k]);
      }
      if (std::ranges::all_of(list, [](const ChoiceOption& option) {
            return option.numbers.empty() && option.prices.empty();
          }))
        own.place.error(
            fmt::format("no option of {} changes the detector",
                        in_quotes(problem_->choices[own.choice].name)),
            "choose between different values");
    }
  }

  /// A number is set once: by one choice, a variable or a formula. A layer is
  /// part of one choice.
  void check_choices() {
    const auto error = [this](const DesignChoice& choice,
                              const std::string& other) {
      add_error(choice.place,
                fmt::format("{} sets the same number as {}",
                            in_quotes(choice.name), in_quotes(other)),
                "remove one of the two", diagnostics_);
    };
    const auto shares = [](const DesignChoice& choice, const auto& numbers,
                           auto&& index) {
      return std::ranges::any_of(
          numbers, [&](const auto& n) { return choice.sets(index(n)); });
    };
    std::vector<std::size_t> keys;
    for (const DesignVariable& v : space().variables)
      keys.insert(keys.end(), v.keys.begin(), v.keys.end());
    for (const Follower& f : space().followers) keys.push_back(f.key);
    std::set<std::size_t> chosen;  // layers
    for (auto it = problem_->choices.begin(); it != problem_->choices.end();
         ++it) {
      for (const std::size_t k : keys)
        if (shares(*it, space().keys[k].numbers,
                   [](const NumberSlope& n) { return n.number; })) {
          error(*it, space().keys[k].key);
          break;
        }
      for (auto other = problem_->choices.begin(); other != it; ++other)
        if (std::ranges::any_of(other->options, [&](const ChoiceOption& o) {
              return shares(*it, o.numbers,
                            [](const auto& n) { return n.first; });
            })) {
          error(*it, other->name);
          break;
        }
      for (const std::string& name : it->layers)
        for (const std::size_t layer : formulas_->layers_of(name))
          if (!chosen.insert(layer).second) {
            add_error(it->place,
                      fmt::format("{} is chosen twice", in_quotes(name)),
                      "name each layer in one choice", diagnostics_);
            return;
          }
    }
  }

  void read_choose(const Value& value) {
    MapReader map(value, "{ planes: { of: 'layers[P1..P12]', at_most: 4 } }");
    if (!map) return;
    for (const Node::Entry& entry : value.node().entries()) {
      const auto item = map.find(entry.key.text());
      MapReader options(*item, "{ of: ..., at_most: 4 }, or options by name");
      if (!options) continue;
      if (item->node().find("of") != nullptr)
        read_subset(entry.key.text(), *item, options);
      else
        read_options(entry.key.text(), *item, options);
    }
  }

  void read_subset(const std::string& name, const Value& value,
                   MapReader& map) {
    const auto of = map.find("of"), at_most = map.find("at_most"),
               exactly = map.find("exactly"), at_least = map.find("at_least");
    map.finish();
    DesignChoice choice;
    choice.name = name;
    choice.place = diagnostic_at(value.node());
    choice.layers = read_entries(*of);
    for (const std::string& layer : choice.layers)
      if (!detail::check_entry("layers[" + layer + ']', formulas_->entries(),
                               *of))
        return;
    if (exactly ? (at_most || at_least) : !(at_most || at_least)) {
      value.error("give the number of layers to choose",
                  "write \"exactly: 4\", or \"at_most: 4\", \"at_least: 3\"");
      return;
    }
    const std::size_t n = choice.layers.size();
    const auto read = [n](const Value& number, std::size_t& to) {
      const auto k = number.integer("4");
      if (!k) return;
      if (*k < 0 || *k > static_cast<std::int64_t>(n))
        number.error(fmt::format("there are {} layers to choose from", n),
                     "choose fewer");
      else
        to = static_cast<std::size_t>(*k);
    };
    choice.most = n;
    if (exactly) {
      read(*exactly, choice.most);
      choice.least = choice.most;
    }
    if (at_most) read(*at_most, choice.most);
    if (at_least) read(*at_least, choice.least);
    if (choice.least > choice.most)
      value.error("\"at_least\" is above \"at_most\"", "exchange the two");
    if (choice.most == 0 && n > 0 && (exactly || at_most))
      (exactly ? *exactly : *at_most)
          .error("no layer is ever chosen",
                 "remove the layers from the description, or write 1");
    problem_->choices.push_back(std::move(choice));
  }

  void read_options(const std::string& name, const Value& value,
                    MapReader& map) {
    DesignChoice choice;
    choice.name = name;
    choice.place = diagnostic_at(value.node());
    std::vector<std::pair<Value, std::string>> with_price, without_price;
    std::set<std::size_t> priced_here;
    for (const Node::Entry& entry : value.node().entries()) {
      const auto item = map.find(entry.key.text());
      MapReader keys(*item, "{ 'layers[L5,L6].material': 0.8 %, price: 20 }");
      if (!keys) continue;
      ChoiceOption option{entry.key.text(), {}, {}};
      std::optional<double> price;
      std::optional<Value> place_of_price;
      std::vector<std::string> priced;
      for (const Node::Entry& one : item->node().entries()) {
        const auto set = keys.find(one.key.text());
        if (one.key.text() == "price") {
          price = set->quantity(Dimension::number);
          place_of_price = set;
          continue;
        }
        const Value place = key_value(*item, one);
        for (const std::string& key : detail::selected_keys(
                 one.key.text(), formulas_->entries(), place)) {
          option.overrides.push_back(key + '=' +
                                     detail::flow_text(set->node()));
          if (!detail::check_entry(key, formulas_->entries(), place)) break;
          if (key.starts_with("layers["))
            priced.push_back(detail::layer_of_key(key));
        }
      }
      if (price)
        for (const std::string& layer : priced) {
          option.prices.emplace_back(layer, *price);
          for (const std::size_t surface : formulas_->layers_of(layer)) {
            if (priced_by_choice_.contains(surface)) {
              place_of_price->error(
                  fmt::format("another choice has the price of {}",
                              in_quotes(layer)),
                  "remove one of the two");
              return;
            }
            if (priced_.contains(surface) && !priced_here.contains(surface))
              place_of_price->warning(
                  fmt::format("{} has a price under \"prices\", which is not "
                              "used",
                              in_quotes(layer)));
            priced_here.insert(surface);
          }
        }
      (price ? with_price : without_price).emplace_back(*item, option.name);
      choice.options.push_back(std::move(option));
    }
    priced_.insert(priced_here.begin(), priced_here.end());
    priced_by_choice_.merge(priced_here);
    // a price of nothing would be the best
    if (!with_price.empty())
      for (const auto& [item, option] : without_price)
        item.error(fmt::format("{} has no price, but {} has", in_quotes(option),
                               in_quotes(with_price.front().second)),
                   "add its price, which may be 0");
    if (choice.options.size() < 2 && diagnostics_.has_errors()) return;
    if (choice.options.size() < 2)
      value.error("a choice has at least two options",
                  "write each as \"name: { KEY: VALUE }\"");
    else
      add_choice(std::move(choice), value);
  }

  // order

  void read_keep(const Value& value) {
    const std::vector<Value> items =
        value.is_list() ? value.items() : std::vector<Value>{value};
    for (const Value& item : items) {
      MapReader map(item, "{ gap: { between: [L0..L6], min: 6 mm } }");
      if (!map) continue;
      const auto gap = map.find("gap"), coverage = map.find("coverage"),
                 envelope = map.find("envelope");
      if (gap) read_gap(*gap);
      if (coverage) read_coverage(*coverage);
      if (envelope) read_envelope(*envelope);
      map.finish();
      if (!gap && !coverage && !envelope)
        item.error("nothing is kept",
                   "write \"gap\", \"coverage\" or \"envelope\"");
    }
  }

  void read_gap(const Value& value) {
    MapReader map(value, "{ between: [L0..L6], min: 6 mm }");
    if (!map) return;
    const auto between = map.require("between", "[L0..L6]"),
               min = map.require("min", "6 mm");
    map.finish();
    if (!between || !min) return;
    const double least = min->quantity(Dimension::length).value_or(0);
    const std::vector<std::string> names = read_entries(*between, true);
    if (names.size() < 2 && !diagnostics_.has_errors())
      between->error("a gap is between two layers or more",
                     "name them in their order, as in [L0..L6]");
    if (least < 0)
      min->error("the gap must not be negative", "write for example 5 mm");
    for (std::size_t i = 1; i < names.size(); ++i) {
      const auto inner = formulas_->layers_of(names[i - 1]),
                 outer = formulas_->layers_of(names[i]);
      if (inner.empty() || outer.empty()) continue;
      Gap gap;
      gap.name = fmt::format("gap {}-{}", names[i - 1], names[i]);
      gap.min = std::max(least, least_gap);
      gap.place = diagnostic_at(between->node());
      const auto position = [&](std::size_t layer) {
        return detector().layers[layer].surface.position;
      };
      const std::size_t a = *std::ranges::max_element(inner, {}, position);
      // for mirrored layers the one at positive z
      std::vector<std::size_t> beyond;
      for (const std::size_t layer : outer)
        if (position(layer) > position(a)) beyond.push_back(layer);
      const std::size_t b =
          beyond.empty() ? outer.front()
                         : *std::ranges::min_element(beyond, {}, position);
      const Surface &s = detector().layers[a].surface,
                    &t = detector().layers[b].surface;
      if (s.shape != t.shape || s.normal != t.normal) {
        between->error(
            fmt::format("{} and {} are of different shapes",
                        in_quotes(names[i - 1]), in_quotes(names[i])),
            "a gap is between cylinders, disks or planes");
        return;
      }
      gap.inner = space().design.first_of(a);
      gap.outer = space().design.first_of(b);
      problem_->gaps.push_back(std::move(gap));
    }
  }

  /// Edges of the measuring layers that are visible from the axis.
  static LayerEdge edge_of(const DesignNumbers& design, std::size_t layer,
                           bool second) {
    const std::size_t first = design.first_of(layer);
    const std::size_t extent = first + (second ? 4 : 3);
    const bool is_disk =
        design.detector().layers[layer].surface.shape == Shape::disk;
    return is_disk ? LayerEdge{layer, first, extent}
                   : LayerEdge{layer, extent, first};
  }

  void read_coverage(const Value& value) {
    MapReader map(value, "{ hits: 6, eta: { to: 0.9 } }");
    if (!map) return;
    const auto hits = map.require("hits", "6"), eta = map.find("eta"),
               theta = map.find("theta"), vertex = map.find("vertex_z"),
               of = map.find("of");
    map.finish();
    CoverageLimit limit;
    constexpr std::int64_t unknown = -1;
    std::int64_t n = unknown;
    if (hits) {
      n = hits->integer("6").value_or(unknown);
      if (n == 0 || n < unknown)
        hits->error("at least one hit is covered", "write for example 6");
    }
    if (eta.has_value() == theta.has_value()) {
      value.error("a coverage has \"eta\" or \"theta\"",
                  "write for example \"eta: { to: 0.9 }\", which is -0.9 to "
                  "0.9");
      return;
    }
    MapReader range(eta ? *eta : *theta, "{ from: 0, to: 0.9 }");
    if (!range) return;
    const auto from = range.find("from"), to = range.require("to", "0.9");
    range.finish();
    if (!to) return;
    const Dimension dimension = eta ? Dimension::number : Dimension::angle;
    const auto b = to->quantity(dimension);
    const auto a = from ? from->quantity(dimension)
                   : b  ? std::optional(eta ? -*b : unit::pi - *b)
                        : std::nullopt;
    if (!a || !b || n < 1) return;
    const auto cot = [&](double x) {
      return eta ? std::sinh(x) : std::cos(x) / std::sin(x);
    };
    if (theta && !(*a > 0 && *a<unit::pi&& * b> 0 && *b < unit::pi)) {
      to->error("angles are between 0 and 180 deg", "use eta or other bounds");
      return;
    }
    if (!(*a < *b)) {
      to->error(*a == *b ? "the range of angles is empty"
                         : "the range of angles is inverted",
                "write another bound");
      return;
    }
    limit.cot_from = eta ? cot(*a) : cot(*b);
    limit.cot_to = eta ? cot(*b) : cot(*a);
    if (vertex) {
      limit.vertex_z = vertex->quantity(Dimension::length).value_or(0);
      if (limit.vertex_z < 0)
        vertex->error(
            "tracks start between -vertex_z and vertex_z: it must "
            "not be negative",
            "write for example 60 mm");
    }
    limit.hits = static_cast<std::size_t>(n);
    limit.name = fmt::format("{} hits", limit.hits);
    std::vector<std::string> names = formulas_->entries();
    if (of) names = read_entries(*of);
    for (const std::string& name : names)
      for (const std::size_t layer : formulas_->layers_of(name)) {
        const Layer& l = detector().layers[layer];
        const Shape shape = l.surface.shape;
        if (l.coordinates.empty()) continue;
        if (shape != Shape::cylinder && shape != Shape::disk) continue;
        limit.layers.push_back({edge_of(space().design, layer, false),
                                edge_of(space().design, layer, true),
                                shape == Shape::disk});
      }
    if (limit.layers.size() < limit.hits) {
      hits->error(fmt::format("only {} cylinders and disks measure",
                              limit.layers.size()),
                  "require fewer hits");
      return;
    }
    problem_->coverages.push_back(std::move(limit));
  }

  bool is_set_by_choice(std::size_t number) const {
    return std::ranges::any_of(
        problem_->choices,
        [number](const DesignChoice& c) { return c.sets(number); });
  }

  /// Whether a variable or a formula changes the number.
  bool varies(std::size_t number) const {
    const DesignSpace& s = problem_->space;
    const auto sets = [&](std::size_t key) {
      return std::ranges::count(s.keys[key].numbers, number,
                                &NumberSlope::number) > 0;
    };
    for (const DesignVariable& v : s.variables)
      if (std::ranges::any_of(v.keys, sets)) return true;
    return std::ranges::any_of(s.followers,
                               [&](const Follower& f) { return sets(f.key); });
  }

  void read_envelope(const Value& value) {
    MapReader map(value, "{ of: 'layers[*]', r: [20 mm, 400 mm] }");
    if (!map) return;
    const auto of = map.require("of", "layers[*]"), r = map.find("r"),
               z = map.find("z");
    map.finish();
    if (!of) return;
    if (!r && !z) {
      value.error("an envelope has \"r\" or \"z\"",
                  "write for example \"r: [20 mm, 400 mm]\"");
      return;
    }
    const std::vector<std::string> names = read_entries(*of);
    const auto read = [&](const std::optional<Value>& given, bool along_z) {
      if (!given) return;
      const std::vector<Value> items = given->items();
      if (items.size() != 2) {
        given->error("an envelope has two ends",
                     "write for example [20 mm, 400 mm]");
        return;
      }
      const auto a = items[0].quantity(Dimension::length),
                 b = items[1].quantity(Dimension::length);
      if (!a || !b || !check_range(*a, *b, items[0], items[1])) return;
      for (const std::string& name : names)
        for (const std::size_t layer : formulas_->layers_of(name))
          keep_within(*of, layer, along_z, *a, *b);
    };
    read(r, false);
    read(z, true);
  }

  void keep_within(const Value& place, std::size_t layer, bool along_z,
                   double lower, double upper) {
    const Layer& l = detector().layers[layer];
    const std::size_t first = space().design.first_of(layer);
    const Shape shape = l.surface.shape;
    if (shape != Shape::cylinder && shape != Shape::disk) {
      place.error(
          fmt::format("{} is not a cylinder or disk", in_quotes(l.name)),
          "bound its range instead");
      return;
    }
    const bool at_position = (shape == Shape::disk) == along_z;
    const std::size_t low = at_position ? first : first + 3,
                      high = at_position ? first : first + 4;
    for (const auto& [number, bound, is_upper] :
         {std::tuple{low, lower, false}, std::tuple{high, upper, true}}) {
      const double now = space().start[number];
      const bool is_beyond = is_upper ? now > bound : now < bound;
      const bool of_choice =
          is_set_by_choice(number) ||
          (is_beyond && !varies(number) && leaves_out({layer}) != nullptr);
      if (of_choice || varies(number)) {
        problem_->envelopes.push_back(
            {fmt::format("{} within {} {} {:.6g} mm", l.name,
                         along_z ? "z" : "r", is_upper ? "<=" : ">=", bound),
             number, bound, is_upper, of_choice});
      } else if (is_beyond) {
        place.error(
            fmt::format("{} is beyond the envelope and does not vary: {} = "
                        "{:.6g} mm",
                        in_quotes(l.name), along_z ? "z" : "r", now),
            "widen the envelope, or leave the layer out");
        return;
      }
    }
  }

  // front and tolerances

  void read_pareto(const Value& value) {
    MapReader map(value,
                  "{ of: [{ what: sigma_d0, at: { p: 1 GeV } }, { "
                  "quantity: silicon }], points: 25 }");
    if (!map) return;
    const auto of = map.require("of", "[{ quantity: silicon }, ...]"),
               points = map.find("points");
    map.finish();
    if (points) {
      const auto n = points->integer("25");
      if (n && (*n < 3 || *n > 1000))
        points->error("a front has 3 to 1000 points", "write for example 25");
      else if (n)
        problem_->pareto.points = static_cast<std::size_t>(*n);
    }
    if (!of) return;
    const std::vector<Value> items = of->items();
    if (items.size() != 2 && items.size() != 3) {
      of->error("a front has two or three objectives",
                "write each as under \"minimise\"");
      return;
    }
    for (const Value& item : items) {
      Objective objective;
      read_one_objective(item, objective);
      using Kind = Objective::Kind;
      if (objective.kind == Kind::quantile || objective.kind == Kind::margin) {
        item.error(
            "a front is that of resolutions at a point, of means or worst "
            "values over a grid, and of quantities",
            "write \"mean: ..., over: ...\" or \"worst: ..., over: ...\"");
        return;
      }
      for (const Objective& other : problem_->pareto.of)
        if (is_same(objective, other) && !diagnostics_.has_errors()) {
          item.error(
              "this objective is there already",
              "write another one, or \"minimise\" instead of \"pareto\"");
          return;
        }
      problem_->pareto.of.push_back(std::move(objective));
    }
  }

  bool is_same(const Objective& a, const Objective& b) const {
    if (a.kind != b.kind || a.quantity != b.quantity || a.name != b.name ||
        a.weights != b.weights)
      return false;
    if (a.kind == Objective::Kind::quantity) return true;
    const auto points = [this](const Objective& o) {
      RequirementFile file;
      file.request = head_.request;
      const StudyRequest grid = grid_of(file, o.criterion);
      std::vector<std::pair<double, double>> list;
      for (const GridPoint point : o.criterion.points) {
        const Track track = grid_track(grid, point);
        list.emplace_back(track.p, track.theta);
      }
      return list;
    };
    return points(a) == points(b);
  }

  void read_tolerances(const Value& value) {
    MapReader map(value, "{ 'layers[*].cylinder.radius': 0.5 mm }");
    if (!map) return;
    for (const Node::Entry& entry : value.node().entries()) {
      const auto item = map.find(entry.key.text());
      const Value name = key_value(value, entry);
      for (const std::string& key : detail::selected_keys(
               entry.key.text(), formulas_->entries(), name)) {
        const Dimension dimension = detail::dimension_of_key(key);
        const auto rms = item->quantity(dimension);
        if (!rms) break;
        if (!(*rms > 0)) {
          item->error("a construction error must be positive",
                      "write the rms, for example 0.5 mm");
          break;
        }
        const auto index = formulas_->key_for_reading(key);
        if (!index) {
          name.error(
              fmt::format("{} has no value in the description", in_quotes(key)),
              "name a number of the detector");
          break;
        }
        // a later entry replaces an earlier one
        std::erase_if(problem_->construction,
                      [&](const ConstructionError& earlier) {
                        return earlier.key.key == key;
                      });
        DesignVariable in_unit;
        set_unit(item->node().text(), dimension, in_unit);
        problem_->construction.push_back(
            {space().keys[*index], *rms, in_unit.unit, in_unit.unit_value});
      }
    }
  }

  // quantities

  void read_quantities(const Value& value) {
    MapReader map(value, "{ silicon: { sum: area, of: 'layers[*]' } }");
    if (!map) return;
    for (const Node::Entry& entry : value.node().entries()) {
      const auto item = map.find(entry.key.text());
      MapReader one(*item, "{ sum: area, of: 'layers[*]' }");
      if (!one) continue;
      const auto sum = one.require("sum", "area"),
                 of = one.require("of", "layers[*]");
      one.finish();
      if (!sum || !of) continue;
      DesignQuantity quantity;
      quantity.name = entry.key.text();
      quantity.place = diagnostic_at(item->node());
      bool good = true;
      for (const std::string& name : read_entries(*of)) {
        for (const std::size_t layer : formulas_->layers_of(name)) {
          DesignQuantity::Term term;
          auto formula =
              formulas_->read(*sum, layer, term.inputs, std::nullopt);
          good = formula.has_value();
          if (!good) break;
          term.formula = std::move(*formula);
          quantity.powers = term.formula.powers();
          quantity.terms.push_back(std::move(term));
        }
        if (!good) break;
      }
      good = good && has_price(*sum, quantity);
      if (good && !quantity.terms.empty())
        problem_->quantities.push_back(std::move(quantity));
      else
        wrong_quantities_.push_back(quantity.name);
    }
  }

  /// Whether one of the layers has a price, if the formula uses it.
  bool has_price(const Value& sum, const DesignQuantity& quantity) const {
    bool uses_price = false;
    for (const DesignQuantity::Term& term : quantity.terms)
      for (std::size_t i = 0; i < term.inputs.size(); ++i) {
        const FormulaInput& input = term.inputs[i];
        if (input.key != FormulaInput::none ||
            input.quantity != LayerQuantity::price || !term.formula.uses(i))
          continue;
        if (priced_.contains(input.layer)) return true;
        uses_price = true;
      }
    if (uses_price)
      sum.error("no layer of this sum has a price",
                "add for example \"prices: { 'layers[L0..L6]': 20 }\"");
    return !uses_price;
  }

  std::optional<std::size_t> find_quantity(const Value& value) {
    const auto name = value.text("the name of a quantity");
    if (!name) return std::nullopt;
    std::vector<std::string> known;
    for (std::size_t i = 0; i < problem_->quantities.size(); ++i) {
      if (problem_->quantities[i].name == *name) return i;
      known.push_back(problem_->quantities[i].name);
    }
    if (std::ranges::count(wrong_quantities_, *name) > 0) return std::nullopt;
    const auto near = nearest(*name, known);
    value.error(fmt::format("there is no quantity {}", in_quotes(*name)),
                near ? fmt::format("did you mean {}?", in_quotes(*near))
                : known.empty() ? "define it under \"quantities\""
                                : fmt::format("known: {}", joined(known)));
    return std::nullopt;
  }

  // objective and limits

  void read_objective(const Value& root, const std::optional<Value>& minimise,
                      const std::optional<Value>& minimize) {
    if (minimise && minimize)
      minimize->error("\"minimise\" and \"minimize\" are the same",
                      "remove one of them");
    const auto& value = minimise ? minimise : minimize;
    if (!value) {
      root.error("nothing is to be minimised",
                 "add for example \"minimise: { what: sigma_d0, at: { p: 1 "
                 "GeV, theta: 90 deg } }\"");
      return;
    }
    read_one_objective(*value, problem_->objective);
  }

  void read_one_objective(const Value& text, Objective& objective) {
    const Value* const value = &text;
    MapReader map(*value, "{ what: sigma_d0, at: { p: 1 GeV } }");
    if (!map) return;
    objective.criterion.place = diagnostic_at(value->node());
    const auto quantity = map.find("quantity");
    std::vector<std::pair<Objective::Kind, Value>> kinds;
    for (const auto& [key, kind] :
         {std::pair{"mean", Objective::Kind::mean},
          std::pair{"mean_log", Objective::Kind::mean},
          std::pair{"quantile", Objective::Kind::quantile},
          std::pair{"worst", Objective::Kind::worst}})
      if (const auto given = map.find(key)) {
        kinds.emplace_back(kind, *given);
        objective.logarithmic = std::string_view(key) == "mean_log";
      }
    if (quantity) {
      map.finish();
      objective.kind = Objective::Kind::quantity;
      if (const auto index = find_quantity(*quantity)) {
        objective.quantity = *index;
        objective.name = problem_->quantities[*index].name;
      }
      return;
    }
    if (kinds.size() > 1) {
      kinds[1].second.error("two objectives", "remove one of them");
      return;
    }
    if (kinds.empty()) {
      read_what(map, map.find("what"), map.find("at"), objective);
      map.finish();
      if (objective.criterion.points.size() > 1)
        value->error("one point is minimised at a time",
                     "write \"mean: ..., over: ...\" or \"worst: ...\"");
      return;
    }
    objective.kind = kinds[0].first;
    if (objective.kind == Objective::Kind::worst &&
        kinds[0].second.is("margin")) {
      objective.kind = Objective::Kind::margin;
      objective.name = "margin";
      map.finish();
      return;
    }
    const auto over = map.find("over"), of = map.find("of"),
               share = map.find("share"), weight = map.find("weight");
    if (weight && objective.kind != Objective::Kind::mean)
      weight->error("only a mean has weights", "remove it");
    if (objective.kind == Objective::Kind::quantile) {
      if (!share) {
        kinds[0].second.error("the quantile is not given",
                              "add for example \"share: 90 %\"");
      } else if (const auto part = share->quantity(Dimension::fraction)) {
        objective.quantile = *part;
        if (!(*part > 0 && *part <= 1))
          share->error("a share is above 0 and at most 100 %",
                       "write for example 90 %");
      }
    } else if (share) {
      share->error("only a quantile has a share", "remove it");
    }
    read_what(map, kinds[0].second, over, objective);
    objective.name =
        (objective.kind == Objective::Kind::worst ? std::string("largest ")
         : objective.kind == Objective::Kind::quantile
             ? fmt::format("{:.6g} % quantile of ", 100 * objective.quantile)
         : objective.logarithmic ? "mean of the logarithm of "
                                 : "mean of ") +
        objective.name;
    if (of) objective.name += fmt::format(" / ({})", of->node().text());
    if (of) read_curve(*of, objective);
    if (weight && objective.kind == Objective::Kind::mean)
      read_weights(*weight, objective.criterion, objective.weights);
    map.finish();
  }

  struct PointValue {
    Track track;
    double value = 0;

    std::string place() const {
      return fmt::format("at p = {:.6g} GeV, theta = {:.6g} deg", track.p,
                         in_degrees(track.theta));
    }
  };

  /// A formula of the track at the points of a criterion, without a baseline.
  std::vector<PointValue> values_of(const Formula& formula,
                                    const Criterion& criterion) const {
    RequirementFile file;
    file.request = head_.request;
    const StudyRequest grid = grid_of(file, criterion);
    std::vector<PointValue> list;
    for (const GridPoint point : criterion.points) {
      const auto values = limit_values(grid, point, 0);
      list.push_back({grid_track(grid, point),
                      formula.value(std::span<const double>(values))});
    }
    return list;
  }

  /// A formula of the track: the weight of each point in a mean.
  void read_weights(const Value& text, const Criterion& criterion,
                    std::vector<double>& weights) {
    if (!text.is_scalar()) {
      text.expected("a formula", "write for example \"(GeV / pt)^2\"");
      return;
    }
    CheckedQuantity number;
    std::vector<FormulaVariable> variables = limit_variables(number);
    variables.resize(baseline_variable);
    const Parsed<Formula> parsed = parse_formula(
        text.node().text(), {std::move(variables), {}, FormulaRules::none});
    if (!parsed) {
      text.part(parsed.offset, parsed.length)
          .error(parsed.problem, parsed.suggestion);
      return;
    }
    double sum = 0;
    for (const PointValue& at : values_of(parsed.value, criterion)) {
      const double weight = at.value;
      if (!(weight >= 0 && std::isfinite(weight))) {
        text.error(fmt::format("the weight {} is {:.4g}", at.place(), weight),
                   "weights are numbers that are not negative");
        return;
      }
      weights.push_back(weight);
      sum += weight;
    }
    if (!(sum > 0)) text.error("all weights are 0", "write another formula");
  }

  /// The curve to which ratios are taken.
  void read_curve(const Value& of, Objective& objective) {
    const CheckedQuantity& what = objective.criterion.quantity;
    const FormulaRules rules{limit_variables(what), what.powers,
                             baseline_variable};
    Parsed<Formula> parsed = parse_formula(of.node().text(), rules);
    if (!parsed) {
      of.part(parsed.offset, parsed.length)
          .error(parsed.problem, parsed.suggestion);
      return;
    }
    for (const PointValue& at : values_of(parsed.value, objective.criterion))
      if (!(at.value > 0 && std::isfinite(at.value))) {
        of.error(fmt::format("the curve {} is {}", at.place(),
                             shown(what, at.value, 4)),
                 "ratios are to positive values");
        return;
      }
    objective.scale =
        Limit{std::move(parsed.value), {}, diagnostic_at(of.node())};
  }

  /// Whether an average changes only where tracks gain or lose hits.
  static bool counts_tracks(const CheckedQuantity& column) {
    return column.name.starts_with("efficiency") ||
           column.name.starts_with("n_hits") || column.name == "tracks";
  }

  /// A column and its points.
  void read_what(const MapReader& map, const std::optional<Value>& what,
                 const std::optional<Value>& at, Objective& objective) {
    if (!what) {
      map.value().error("the quantity to minimise is not given",
                        "add for example \"what: sigma_d0\"");
      return;
    }
    // the same keys as an entry of a requirements file
    const Origin& origin = map.value().node().origin();
    const auto key = [&](const char* name) {
      return Node::make_scalar(origin, name, false);
    };
    std::vector<Node::Entry> entries{{key("what"), what->node()}};
    if (at) entries.push_back({key("at"), at->node()});
    const Value entry(Node::make_map(origin, std::move(entries)), "minimise",
                      diagnostics_);
    MapReader reader(entry, "a map");
    const auto found = detail::read_quantities(reader, head_);
    detail::read_points(reader, head_, objective.criterion);
    if (found.empty()) return;
    objective.criterion.quantity = found.front();
    objective.criterion.name = objective.name = describe(found.front());
    if (std::ranges::any_of(point_columns<TrackRow>, [&](const auto& column) {
          return column.text.name == found.front().name;
        }))
      what->error(fmt::format("{} is the same for all designs",
                              in_quotes(objective.name)),
                  "minimise a column such as sigma_d0, or a quantity");
    else if (found.front().kind != CheckedQuantity::Kind::number ||
             counts_tracks(found.front()))
      what->error(fmt::format("{} does not change continuously",
                              in_quotes(objective.name)),
                  "minimise a column such as sigma_d0, or a quantity");
  }

  /// Variables keep the hits and the texts of the start; a coverage or a text
  /// that it lacks cannot be searched for.
  void check_coverages() {
    if (space().size() == 0) return;
    for (RequirementFile file : problem_->requirements) {
      std::erase_if(file.criteria, [](const Criterion& criterion) {
        return criterion.quantity.kind != CheckedQuantity::Kind::coverage &&
               !criterion.quantity.is_text();
      });
      if (file.criteria.empty()) continue;
      const CheckOutcome outcome =
          check(file, std::span(&problem_->input.detector, 1));
      for (const CheckResult& result : outcome.results) {
        if (result.passed()) continue;
        Diagnostic d = file.criteria[result.criterion].place;
        const CheckedQuantity& quantity =
            file.criteria[result.criterion].quantity;
        if (quantity.is_text()) {
          d.problem = fmt::format(
              "the {} of the detector is {}, and a search only keeps it",
              quantity.name, in_quotes(result.worst_point().text));
          d.suggestion = quantity.name == "regime"
                             ? "limit a number instead, such as mu_phi"
                             : "begin with a detector that meets it";
          diagnostics_.add(std::move(d));
          continue;
        }
        d.problem =
            "the detector does not have this coverage, and a search "
            "only keeps hits";
        d.suggestion =
            "write it under \"keep\", which changes layers to reach it: "
            "\"coverage: { hits: 6, eta: { to: 0.9 } }\"";
        diagnostics_.add(std::move(d));
      }
    }
  }

  void read_limits(const std::optional<Value>& subject_to,
                   const std::optional<Value>& requirements) {
    RequirementFile own;
    own.name = problem_->name;
    own.request = head_.request;
    if (subject_to) {
      const std::vector<Value> items = subject_to->is_list()
                                           ? subject_to->items()
                                           : std::vector<Value>{*subject_to};
      for (const Value& item : items) {
        if (item.is_map() && item.node().find("quantity") != nullptr)
          read_quantity_limit(item);
        else if (item.is_map() && (item.node().find("mean") != nullptr ||
                                   item.node().find("mean_log") != nullptr))
          read_mean_limit(item);
        else
          for (Criterion& criterion : detail::read_criteria(item, head_))
            own.criteria.push_back(std::move(criterion));
      }
    }
    if (!own.criteria.empty()) problem_->requirements.push_back(std::move(own));
    if (!requirements) return;
    const auto file =
        detail::named_file(*requirements, path_,
                           "the path of a requirement file", {"configs/check"});
    if (std::error_code ignored; !file || !fs::exists(*file, ignored)) return;
    try {
      StudyOptions options;
      options.detectors = {detector().file};
      RequirementFile theirs = read_requirements(*file, options, "", load_);
      problem_->requirements.push_back(std::move(theirs));
    } catch (const InputError& error) {
      diagnostics_.add(error.diagnostics());
    }
  }

  static void add_error(Diagnostic place, std::string problem,
                        std::string suggestion, Diagnostics& diagnostics) {
    place.problem = std::move(problem);
    place.suggestion = std::move(suggestion);
    diagnostics.add(std::move(place));
  }

  /// Limits that no design can meet, or that a design may have no value for.
  void check_limits() {
    check_state(head_.request);
    for (const RequirementFile& file : problem_->requirements) {
      if (!file.request.file.empty()) check_state(file.request);
      for (const Criterion& c : file.criteria) {
        check_layer(c);
        for (const std::optional<Limit>* limit : {&c.max, &c.equal})
          if (*limit && c.quantity.kind == CheckedQuantity::Kind::number &&
              c.quantity.name.starts_with("sigma"))
            check_positive(c, **limit);
      }
    }
  }

  /// The upper limit of an error.
  void check_positive(const Criterion& criterion, const Limit& limit) {
    if (limit.formula.uses(baseline_variable)) return;
    for (const PointValue& at : values_of(limit.formula, criterion)) {
      if (at.value + limit.tolerance.of(at.value) > 0) continue;
      add_error(
          limit.place,
          fmt::format("the limit of {} {} is {}", describe(criterion.quantity),
                      at.place(), shown(criterion.quantity, at.value, 4)),
          "an error is positive: write a limit that is", diagnostics_);
      return;
    }
  }

  /// The choice that may leave out all of these layers, or null. Each is an
  /// index in Detector::layers.
  const DesignChoice* leaves_out(const std::vector<std::size_t>& layers) const {
    const std::vector<std::string> entries = entry_names(detector());
    std::set<std::string> named;
    for (const std::size_t l : layers) named.insert(name_in_file(entries[l]));
    const DesignChoice* last = nullptr;
    for (const DesignChoice& choice : problem_->choices) {
      std::size_t members = 0;
      for (const std::string& name : choice.layers)
        members += named.erase(name);
      if (members == 0) continue;
      if (choice.layers.size() - members < choice.least) return nullptr;
      last = &choice;
    }
    return named.empty() ? last : nullptr;
  }

  /// What a limit names must be there whatever is chosen: one of its layers.
  void check_layer(const Criterion& criterion) {
    const CheckedQuantity& q = criterion.quantity;
    if (q.layer.empty()) return;
    if (const DesignChoice* choice =
            leaves_out(detail::layers_of(detector(), q)))
      add_error(criterion.quantity_place,
                fmt::format("{} may be left out by the choice {}",
                            in_quotes(q.layer), in_quotes(choice->name)),
                q.kind == CheckedQuantity::Kind::material
                    ? "name a layer that is always there, or a radius"
                    : "name a layer that is always there",
                diagnostics_);
  }

  /// The same for the layer of a state.
  void check_state(const StudyRequest& request) {
    if (!request.at) return;
    try {
      model_of(request, detector());
    } catch (const InputError& error) {  // there is no such layer
      diagnostics_.add(error.diagnostics());
      return;
    }
    std::vector<std::size_t> layers;
    for (std::size_t l = 0; l < detector().layers.size(); ++l)
      if (detector().layers[l].name == request.at->layer) layers.push_back(l);
    if (const DesignChoice* choice = leaves_out(layers))
      add_error(
          request.at->place,
          fmt::format("{} may be left out by the choice {}",
                      in_quotes(request.at->layer), in_quotes(choice->name)),
          "name a layer that is always there", diagnostics_);
  }

  /// What is minimised must be positive: its logarithm is. Limits need a value.
  void check_objective() {
    std::vector<const Objective*> list{&problem_->objective};
    for (const Objective& o : problem_->pareto.of) list.push_back(&o);
    for (const Objective* o : list) {
      if (o->kind == Objective::Kind::margin && !limits_a_column())
        add_error(o->criterion.place,
                  "there is no limit of a column whose margin could be "
                  "minimised",
                  "add \"subject_to\" or \"requirements\"", diagnostics_);
      if (o->kind == Objective::Kind::quantity && !check_quantity(*o)) return;
    }
    for (const QuantityLimit& limit : problem_->limits) {
      const std::string name =
          in_quotes(problem_->quantities[limit.quantity].name);
      const double least = least_quantity(*problem_, limit.quantity);
      if (least == -std::numeric_limits<double>::infinity())
        add_error(limit.place,
                  fmt::format("{} has no value for some designs", name),
                  "narrow the ranges, or write another formula", diagnostics_);
      // by how much it is missed cannot be given relative to such a limit
      else if (limit.max && *limit.max <= 0 && least > *limit.max)
        add_error(limit.place,
                  fmt::format("{} cannot be within its \"max\": it is at least "
                              "{}{}",
                              name, readable(least / limit.unit_value, 4),
                              limit.unit.empty() ? "" : ' ' + limit.unit),
                  "write another limit", diagnostics_);
    }
  }

  bool limits_a_column() const {
    for (const RequirementFile& file : problem_->requirements)
      for (const Criterion& c : file.criteria)
        if (c.quantity.kind == CheckedQuantity::Kind::number) return true;
    return false;
  }

  /// Whether a quantity is positive for all designs. It may be 0 where layers
  /// are left out.
  bool check_quantity(const Objective& objective) {
    const double least = least_quantity(*problem_, objective.quantity);
    const bool may_be_none = std::ranges::any_of(
        problem_->choices,
        [](const DesignChoice& choice) { return !choice.layers.empty(); });
    if (may_be_none ? least >= 0 : least > 0) return true;
    add_error(
        objective.criterion.place,
        fmt::format("{} is not positive for all designs",
                    in_quotes(problem_->quantities[objective.quantity].name)),
        "add a constant to it, or narrow the ranges", diagnostics_);
    return false;
  }

  void read_mean_limit(const Value& value) {
    MapReader map(value, "{ mean: sigma_d0, over: { ... }, max: 20 um }");
    const auto name = map.find("name"), mean = map.find("mean"),
               mean_log = map.find("mean_log"), over = map.find("over"),
               of = map.find("of"), max = map.find("max"),
               weight = map.find("weight");
    map.finish();
    if (mean && mean_log) {
      mean_log->error("two means", "remove one of them");
      return;
    }
    Objective what;
    what.logarithmic = mean_log.has_value();
    read_what(map, mean ? mean : mean_log, over, what);
    if (what.name.empty()) return;  // reported
    if (of) read_curve(*of, what);
    if (weight) read_weights(*weight, what.criterion, what.weights);
    MeanLimit limit;
    limit.name = (what.logarithmic ? "logarithmic mean of " : "mean of ") +
                 what.name +
                 (of ? fmt::format(" / ({})", of->node().text()) : "");
    if (name) limit.name = name->text("a name").value_or("");
    limit.logarithmic = what.logarithmic;
    limit.weights = std::move(what.weights);
    limit.criterion = std::move(what.criterion);
    limit.scale = std::move(what.scale);
    if (!max) {
      value.error("the mean has no limit", "add for example \"max: 20 um\"");
      return;
    }
    if (!max->is_scalar()) {
      max->expected("a value");
      return;
    }
    const Parsed<Formula> parsed = parse_formula(
        max->node().text(), {{},
                             of ? Powers{} : limit.criterion.quantity.powers,
                             FormulaRules::none});
    if (!parsed) {
      max->part(parsed.offset, parsed.length)
          .error(parsed.problem, parsed.suggestion);
      return;
    }
    limit.max = parsed.value({});
    if (!(limit.max > 0)) {
      max->error("a limit of a mean must be positive",
                 "write for example 20 um");
      return;
    }
    problem_->means.push_back(std::move(limit));
  }

  void read_quantity_limit(const Value& value) {
    MapReader map(value, "{ quantity: silicon, max: 6.5 m2 }");
    const auto name = map.find("name"), quantity = map.find("quantity"),
               min = map.find("min"), max = map.find("max");
    map.finish();
    QuantityLimit limit;
    limit.place = diagnostic_at(value.node());
    const auto index = find_quantity(*quantity);
    if (name) limit.name = name->text("a name").value_or("");
    if (!min && !max)
      value.error("the quantity has no limit", "add \"max\" or \"min\"");
    if (!index) return;
    limit.quantity = *index;
    if (limit.name.empty()) limit.name = problem_->quantities[*index].name;
    const auto read = [&](const std::optional<Value>& given,
                          std::optional<double>& to) {
      if (!given) return;
      if (!given->is_scalar()) {
        given->expected("a value");
        return;
      }
      const std::string& text = given->node().text();
      const Parsed<Formula> parsed = parse_formula(
          text, {{}, problem_->quantities[*index].powers, FormulaRules::none});
      if (!parsed) {
        // "6 um^2" would be the square of 6 um
        const bool is_area =
            problem_->quantities[*index].powers == Powers{.length = 2};
        given->part(parsed.offset, parsed.length)
            .error(parsed.problem, is_area ? "an area is in mm2, cm2 or m2"
                                           : parsed.suggestion);
        return;
      }
      to = parsed.value({});
      double number = 0;
      limit.unit = unit_of_text(text, number);
      limit.unit_value = number != 0 ? *to / number : 1;
    };
    read(min, limit.min);
    read(max, limit.max);
    problem_->limits.push_back(std::move(limit));
  }

  void read_verify(const Value& value) {
    MapReader map(value, "{ refine: 8 }");
    if (!map) return;
    if (const auto refine = map.find("refine")) {
      const auto n = refine->integer("8");
      if (n && (*n < 1 || *n > 64))
        refine->error("a grid is refined 1 to 64 times", "write for example 8");
      else if (n)
        problem_->refine = static_cast<std::size_t>(*n);
    }
    if (const auto edges = map.find("edges"))
      if (edges->boolean() == std::optional(false))
        edges->error("the edges of acceptance are always evaluated",
                     "remove it");
    map.finish();
  }

  void read_search(const Value& value) {
    MapReader map(value, "{ starts: 256, seed: 1 }");
    if (!map) return;
    if (const auto starts = map.find("starts")) {
      const auto n = starts->integer("256");
      if (n && (*n < 1 || *n > most_starts))
        starts->error(fmt::format("there are 1 to {} starts", most_starts));
      else if (n) {
        problem_->starts = static_cast<std::size_t>(*n);
        problem_->solves_all_starts = true;
      }
    }
    if (const auto seed = map.find("seed")) {
      const auto n = seed->integer("1");
      if (n && *n < 0)
        seed->error("the seed must not be negative");
      else if (n)
        problem_->seed = static_cast<std::uint64_t>(*n);
    }
    map.finish();
  }

  const std::string& path_;
  std::span<const std::string> overrides_;
  const BaselineLoader& load_;
  Diagnostics& diagnostics_;
  std::optional<OptimisationProblem> problem_;
  std::optional<detail::FormulaReader> formulas_;
  detail::RequirementHead head_;
  std::vector<std::string> wrong_quantities_;
  /// What the options of a choice describe.
  struct Options {
    std::size_t choice;  ///< index
    Value place;
    std::vector<Detector> detectors;  ///< of each option
  };
  std::vector<Options> options_;
  std::set<std::size_t> priced_;  ///< layers, in the file or by an option
  std::set<std::size_t> priced_by_choice_;  ///< by options
};

}  // namespace

namespace {

// YAML ends a plain text at a bracket if it is itself within brackets: `{ of:
// layers[L0..L6] }`. The brackets of `layers[...]` are replaced by parentheses,
// of the same length, before the text is parsed, and restored afterwards.

constexpr std::string_view list_of_layers = "layers";

void exchange_brackets(std::string& text, const char (&from)[3],
                       const char (&to)[3]) {
  const std::string begin = std::string(list_of_layers) + from[0];
  for (std::size_t at = text.find(begin); at != text.npos;
       at = text.find(begin, at)) {
    at += list_of_layers.size();
    int depth = 0;
    for (std::size_t i = at; i < text.size() && text[i] != '\n'; ++i) {
      if (text[i] == from[0]) ++depth;
      if (text[i] == from[1] && --depth == 0) {
        for (std::size_t k = at; k <= i; ++k)
          if (text[k] == from[0])
            text[k] = to[0];
          else if (text[k] == from[1])
            text[k] = to[1];
        break;
      }
    }
  }
}

Node with_brackets(const Node& node) {
  switch (node.kind()) {
    case Node::Kind::scalar: {
      std::string text = node.text();
      exchange_brackets(text, "()", "[]");
      return Node::make_scalar(node.origin(), std::move(text),
                               node.is_quoted());
    }
    case Node::Kind::list: {
      std::vector<Node> items;
      for (const Node& item : node.items())
        items.push_back(with_brackets(item));
      return Node::make_list(node.origin(), std::move(items));
    }
    case Node::Kind::map: {
      std::vector<Node::Entry> entries;
      for (const Node::Entry& entry : node.entries())
        entries.push_back({with_brackets(entry.key), with_brackets(entry.value),
                           entry.merged});
      return Node::make_map(node.origin(), std::move(entries));
    }
    case Node::Kind::null:
      break;
  }
  return node;
}

/// Diagnostics that show the original lines of the file.
Diagnostics as_written(const Diagnostics& diagnostics, const Source& source) {
  Diagnostics result;
  for (Diagnostic d : diagnostics.items()) {
    if (d.file == source.name()) exchange_brackets(d.source_line, "()", "[]");
    result.add(std::move(d));
  }
  return result;
}

}  // namespace

OptimisationProblem read_problem(const std::string& path,
                                 std::span<const std::string> overrides,
                                 const BaselineLoader& load,
                                 Diagnostics& warnings) {
  Diagnostics diagnostics;
  const SourcePtr source = read_source(path, diagnostics, "study");
  if (!source) throw InputError(std::move(diagnostics));
  std::string text = source->text();
  exchange_brackets(text, "[]", "()");
  std::optional<Node> root =
      parse_yaml(std::make_shared<Source>(source->name(), std::move(text)),
                 "gttf-optimisation: 1", diagnostics);
  if (root) root = with_brackets(*root);
  if (root) record_named_files(*root, path);
  auto problem = root ? Reader(path, overrides, load, diagnostics).read(*root)
                      : std::nullopt;
  diagnostics = as_written(diagnostics, *source);
  if (diagnostics.has_errors() || !problem)
    throw InputError(std::move(diagnostics));
  problem->file = path;
  problem->sha256 = sha256(source->text());
  warnings.add(problem->input.warnings);
  warnings.add(diagnostics);
  return std::move(*problem);
}

}  // namespace gttf
