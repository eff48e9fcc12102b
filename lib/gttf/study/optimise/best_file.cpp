// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/best_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "gttf/config/text.hpp"
#include "gttf/detector/layer_node.hpp"
#include "gttf/detector/override.hpp"
#include "gttf/study/optimise/key_probe.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf {
namespace {

[[noreturn]] void fail(const std::string& file, std::string problem) {
  Diagnostics diagnostics;
  Diagnostic d;
  d.file = file;
  d.problem = std::move(problem);
  d.suggestion = "write the values of the result by hand";
  diagnostics.add(std::move(d));
  throw InputError(std::move(diagnostics));
}

Node parsed(const std::string& text, const std::string& file) {
  Diagnostics diagnostics;
  auto root = parse_yaml(std::make_shared<Source>(file, text),
                         "gttf-detector: 1", diagnostics);
  if (!root || diagnostics.has_errors())
    throw InputError(std::move(diagnostics));
  return std::move(*root);
}

/// The unit after the number of a scalar, and the number.
std::pair<double, std::string> number_and_unit(std::string_view text) {
  text = trimmed(text);
  double number = std::nan("");
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return {std::nan(""), ""};
  return {
      number,
      std::string(text.substr(static_cast<std::size_t>(end - text.data())))};
}

/// A value for a key.
struct NewValue {
  std::string key;
  std::string text;           ///< in the notation of the file
  std::string override_text;  ///< as for --set
  /// For a half-length written as `z: [-5 cm, 5 cm]` in the file.
  std::vector<std::string> ends = {};
};

/// The shortest text of a number, without rounding errors of a round one.
std::string text_of_number(double number) {
  constexpr double rounding = 1e-12;
  double rounded = std::nan("");
  const std::string text = fmt::format("{:.10g}", number);
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return fmt::format(
      "{}", std::abs(rounded - number) <= 0.5 * rounding * std::abs(number)
                ? rounded
                : number);
}

/// Where a comment begins in a line; npos: it has none.
std::size_t begin_of_comment(std::string_view line) {
  char quote = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at], before = at > 0 ? line[at - 1] : ' ';
    if (quote != 0) {
      if (c == quote && !(quote == '"' && before == '\\')) quote = 0;
    } else if (c == '#' && (before == ' ' || before == '\t')) {
      return at;
    } else if ((c == '"' || c == '\'') &&
               std::string_view(" \t[{,:").find(before) != line.npos) {
      quote = c;
    }
  }
  return std::string_view::npos;
}

/// Whether a description has the key itself, and not only what it is part of.
bool has_key(const Node& root, const std::string& key) {
  const std::size_t last = key.find_last_of(".[");
  const Node* node = find_key(root, key);
  return node != nullptr &&
         (last == key.npos || node != find_key(root, key.substr(0, last)));
}

/// The key of the interval equivalent to a half-length; empty: none.
std::string interval_key(const std::string& key) {
  constexpr std::string_view tail = ".half_length";
  if (!key.ends_with(tail)) return {};
  return key.substr(0, key.size() - tail.size()) + ".z";
}

class Editor {
 public:
  Editor(std::string text, std::string file)
      : text_(std::move(text)), file_(std::move(file)) {}

  const std::string& text() const { return text_; }

  /// Names of anchors that are defined in a text.
  static std::vector<std::string> anchors_in(std::string_view text) {
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      std::string_view line = text.substr(begin, end - begin);
      line = line.substr(0, begin_of_comment(line));
      for (std::size_t at = 0; at < line.size(); ++at) {
        const char before = at > 0 ? line[at - 1] : ' ';
        if (line[at] == '&' &&
            std::string_view(" [{,").find(before) != line.npos)
          names.emplace_back(name_at(line, at + 1));
      }
      begin = end + 1;
    }
    return names;
  }

  /// Replaces the value of a key if it is a separate scalar.
  void replace(const std::vector<NewValue>& values) {
    const Node root = parsed(text_, file_);
    std::vector<std::pair<Origin, std::string>> edits;
    for (const NewValue& value : values) {
      const Node* node = find_key(root, value.key);
      const bool has_place = node != nullptr && has_key(root, value.key) &&
                             has_own_place(root, value.key, *node);
      if (has_place && node->kind() == Node::Kind::list &&
          !value.ends.empty()) {
        for (std::size_t i = 0; i < 2; ++i)
          edits.emplace_back(node->items()[i].origin(), value.ends[i]);
      } else if (has_place && node->kind() == Node::Kind::scalar) {
        edits.emplace_back(node->origin(), value.text);
      } else {
        left_.push_back(value.key);
      }
    }
    std::ranges::sort(edits, std::ranges::greater(),
                      [](const auto& e) { return e.first.offset; });
    for (const auto& [place, text] : edits)
      text_.replace(place.offset, place.length, text);
  }

  /// Gives layers their own values where a shared value differs from theirs.
  void complete(const Node& wanted) {
    // one key at a time, because locations move
    for (int round = 0; round < 1000; ++round)
      if (!complete_one(wanted)) return;
  }

  /// Removes the entries with these names from `layers`. What others take from
  /// their anchors is written where it is used.
  void remove(const std::set<std::string>& names) {
    if (names.empty()) return;
    const Node root = parsed(text_, file_);
    const std::vector<Node>& items = root.find("layers")->items();
    std::vector<Edit> edits;
    const auto is_removed = [&](const Node& item) {
      return names.contains(std::string(detail::name_of_entry(item)));
    };
    std::set<std::string> anchors;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!is_removed(items[i])) continue;
      const auto [begin, end] = range_of_item(items, i);
      edits.push_back({begin, end - begin, ""});
      const std::string_view own = std::string_view(text_).substr(begin);
      for (const std::string& name : anchors_in(own.substr(0, end - begin)))
        anchors.insert(name);
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (is_removed(items[i])) continue;
      for (const std::string& name : anchors)
        write_merged(items, i, name, edits);
      write_aliases(items[i], anchors, edits);
    }
    std::ranges::sort(edits, std::ranges::greater(), &Edit::offset);
    for (const Edit& edit : edits)
      text_.replace(edit.offset, edit.length, edit.text);
  }

 private:
  struct Edit {
    std::size_t offset, length;
    std::string text;
  };

  /// The name of an anchor that begins here.
  static std::string_view name_at(std::string_view text, std::size_t at) {
    return text.substr(at, text.find_first_of(" \n,[]{}", at) - at);
  }

  /// The lines of an item of a list, without comments above the next one.
  std::pair<std::size_t, std::size_t> range_of_item(
      const std::vector<Node>& items, std::size_t i) const {
    const std::size_t begin = start_of_item(items[i]);
    std::size_t end =
        i + 1 < items.size() ? start_of_item(items[i + 1]) : end_of_list(begin);
    while (i + 1 < items.size() && end > begin) {
      const std::size_t line = text_.rfind('\n', end - 2) + 1;
      const std::string_view words =
          trimmed(std::string_view(text_).substr(line, end - line));
      if (line <= begin || !(words.empty() || words.starts_with('#'))) break;
      end = line;
    }
    return {begin, end};
  }

  /// Replaces `<<: *anchor` of an item by the entries that come through it.
  void write_merged(const std::vector<Node>& items, std::size_t i,
                    const std::string& anchor, std::vector<Edit>& edits) const {
    const auto [begin, end] = range_of_item(items, i);
    const std::string merge = "<<: *" + anchor;
    for (std::size_t at = text_.find(merge, begin); at < end;
         at = text_.find(merge, at + 1)) {
      if (name_at(text_, at + merge.size() - anchor.size()) != anchor) continue;
      const std::size_t column = at - (text_.rfind('\n', at) + 1);
      const std::size_t map = items[i].definition().offset;
      const bool is_flow = text_[map] == '{';
      std::string entries;
      for (const Node::Entry& entry : items[i].entries()) {
        if (!entry.merged) continue;
        if (!entries.empty())
          entries += is_flow ? ", " : '\n' + std::string(column, ' ');
        entries += entry.key.text() + ": " + detail::flow_text(entry.value);
      }
      std::size_t length = merge.size();
      // all of it is replaced by the other keys of the item
      if (entries.empty()) {
        const std::size_t next = at + length;
        length = text_.find_first_not_of(is_flow ? " ," : " \n", next) - at;
      }
      edits.push_back({at, length, std::move(entries)});
    }
  }

  /// Replaces values `*anchor`, as Node::alias() has them, by their content.
  static void write_aliases(const Node& node,
                            const std::set<std::string>& anchors,
                            std::vector<Edit>& edits) {
    if (!node.alias().empty() && anchors.contains(node.alias().substr(1))) {
      edits.push_back({node.origin().offset, node.origin().length,
                       detail::flow_text(node)});
      return;
    }
    if (node.kind() == Node::Kind::list)
      for (const Node& item : node.items()) write_aliases(item, anchors, edits);
    if (node.kind() == Node::Kind::map)
      for (const Node::Entry& entry : node.entries())
        if (!entry.merged) write_aliases(entry.value, anchors, edits);
  }

  /// The beginning of the line with the dash of an item.
  std::size_t start_of_item(const Node& item) const {
    std::size_t at = text_.rfind('\n', item.origin().offset);
    at = at == text_.npos ? 0 : at + 1;
    // an anchor may be on the line of the dash
    while (at > 0 &&
           !trimmed(std::string_view(text_).substr(at)).starts_with('-')) {
      const std::size_t before =
          at < 2 ? text_.npos : text_.rfind('\n', at - 2);
      at = before == text_.npos ? 0 : before + 1;
    }
    return at;
  }
  /// Position after the last line indented at least like the one at `begin`.
  std::size_t end_of_list(std::size_t begin) const {
    const std::size_t indent = text_.find_first_not_of(' ', begin) - begin;
    std::size_t at = text_.find('\n', begin);
    while (at != text_.npos && at + 1 < text_.size()) {
      const std::size_t first = text_.find_first_not_of(' ', at + 1);
      if (first == text_.npos || first - at - 1 <= indent) break;
      at = text_.find('\n', at + 1);
    }
    return at == text_.npos ? text_.size() : at + 1;
  }

  /// Whether replace() had no place for a value within an entry of a layer.
  bool is_left(std::string_view layer, const std::string& key) const {
    const std::string whole = fmt::format("layers[{}].{}", layer, key);
    return std::ranges::any_of(left_, [&](const std::string& left) {
      return left == whole || left.starts_with(whole + '.') ||
             left.starts_with(whole + '[');
    });
  }

  /// Of the text of a scalar or alias, or of a map or list in brackets; 0: it
  /// is none of these.
  std::size_t length_of(const Node& value) const {
    const Origin& place = value.origin();
    if (!value.alias().empty() || value.kind() == Node::Kind::scalar)
      return place.length;
    int depth = 0;
    char quote = 0;
    for (std::size_t at = place.offset; at < text_.size(); ++at) {
      const char c = text_[at];
      if (quote != 0) {
        if (c == quote && text_[at - 1] != '\\') quote = 0;
        continue;
      }
      if (c == '"' || c == '\'') quote = c;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      if (depth == 0) return at == place.offset ? 0 : at + 1 - place.offset;
      // a comment would be lost
      if (c == '#' && text_[at - 1] == ' ') return 0;
    }
    return 0;
  }

  bool complete_one(const Node& wanted) {
    const Node root = parsed(text_, file_);
    const Node *mine = root.find("layers"), *theirs = wanted.find("layers");
    // an override can split or remove a layer
    if (mine->items().size() != theirs->items().size()) return false;
    for (std::size_t i = 0; i < theirs->items().size(); ++i) {
      const Node &have = mine->items()[i], &want = theirs->items()[i];
      for (const Node::Entry& entry : want.entries()) {
        const std::string& key = entry.key.text();
        const Node* there = have.find(key);
        const std::string text = detail::flow_text(entry.value);
        if (there != nullptr && detail::flow_text(*there) == text) continue;
        const auto own =
            std::ranges::find_if(have.entries(), [&](const Node::Entry& e) {
              return e.key.text() == key && !e.merged;
            });
        if (own == have.entries().end())
          insert(have, key + ": " + text);
        else if (const std::size_t length = length_of(own->value);
                 length > 0 && (!own->value.alias().empty() ||
                                is_left(detail::name_of_entry(have), key)))
          text_.replace(own->value.origin().offset, length, text);
        else
          return false;  // in another notation, or on several lines
        return true;
      }
    }
    return false;
  }

  /// Inserts an entry before the first one that is written in the map.
  void insert(const Node& map, const std::string& entry) {
    const auto first =
        std::ranges::find(map.entries(), false, &Node::Entry::merged);
    const std::size_t at = first->key.origin().offset;
    if (text_[map.definition().offset] == '{') {
      text_.insert(at, entry + ", ");
      return;
    }
    const std::size_t line = text_.rfind('\n', at);
    const std::size_t column = line == text_.npos ? at : at - line - 1;
    text_.insert(at, entry + '\n' + std::string(column, ' '));
  }

  std::string text_, file_;
  std::vector<std::string> left_;  ///< keys for which there was no place
};

/// The numbers set by an override.
void add_leaves(const std::string& key, const Node& value,
                std::vector<NewValue>& to) {
  if (value.kind() != Node::Kind::map) {
    to.push_back({key, detail::flow_text(value), {}, {}});
    return;
  }
  for (const Node::Entry& entry : value.entries())
    add_leaves(key + '.' + entry.key.text(), entry.value, to);
}

/// The values that the variables and formulas have in a design.
/// @param root  the description that the search began with
std::vector<NewValue> values_of_variables(const DesignSpace& space,
                                          const std::vector<double>& x,
                                          const Node& root) {
  const auto numbers = space.numbers<double>(std::span<const double>(x));
  std::vector<NewValue> values;
  std::vector<std::size_t> changed;
  for (const DesignVariable& v : space.variables)
    changed.insert(changed.end(), v.keys.begin(), v.keys.end());
  for (const Follower& f : space.followers) changed.push_back(f.key);
  for (const std::size_t k : changed) {
    const DesignKey& key = space.keys[k];
    double value = space.key_value<double>(key, numbers);
    std::string text = detail::text_of_value(value, key.dimension);
    std::string own = text;
    const Node* node = find_key(root, key.key);
    if (node != nullptr && node->kind() == Node::Kind::scalar) {
      // in the unit and form (pitch or error) of the file
      const auto there = parse_quantity(node->text(), key.dimension);
      const auto [number, unit] = number_and_unit(node->text());
      if (there && number != 0) {
        const bool same =
            std::abs(there.value - key.start) <= 1e-9 * std::abs(key.start);
        if (!same) value *= there.value / key.start;
        text = text_of_number(value / (there.value / number)) + unit;
        if (same) own = text;
      }
    }
    if (node != nullptr && node->kind() == Node::Kind::list &&
        node->items().size() == 2 && !interval_key(key.key).empty()) {
      // in the unit of each end
      std::vector<std::string> ends;
      for (std::size_t i = 0; i < 2; ++i) {
        const std::string& there = node->items()[i].text();
        const auto [number, unit] = number_and_unit(there);
        const auto parsed_end = parse_quantity(there, key.dimension);
        const double end = i == 0 ? -value : value;
        ends.push_back(parsed_end && number != 0
                           ? text_of_number(end / (parsed_end.value / number)) +
                                 unit
                           : detail::text_of_value(end, key.dimension));
      }
      text = fmt::format("[{}, {}]", ends[0], ends[1]);
      values.push_back({interval_key(key.key), text, text, ends});
      continue;
    }
    values.push_back({key.key, std::move(text), own, {}});
  }
  return values;
}

/// A description in full, with each layer in one line.
std::string written_out(const Node& root) {
  std::string text = "# Comments and anchors of the file could not be kept.\n";
  for (const Node::Entry& entry : root.entries()) {
    const std::string& key = entry.key.text();
    if (key != "layers") {
      text += key + ": " + detail::flow_text(entry.value) + '\n';
      continue;
    }
    text += "layers:\n";
    for (const Node& item : entry.value.items())
      text += "  - " + detail::flow_text(item) + '\n';
  }
  return text;
}

/// The description without the layers of these names.
Node without_layers(const Node& root, const std::set<std::string>& names) {
  std::vector<Node::Entry> entries = root.entries();
  for (Node::Entry& entry : entries) {
    if (entry.key.text() != "layers") continue;
    std::vector<Node> items = entry.value.items();
    std::erase_if(items, [&](const Node& item) {
      return names.contains(std::string(detail::name_of_entry(item)));
    });
    entry.value = Node::make_list(entry.value.origin(), std::move(items));
  }
  return Node::make_map(root.origin(), std::move(entries));
}

/// Why a text does not describe a design; empty: it does.
std::string difference(const std::string& text, const std::string& file,
                       const DesignNumbers& design) {
  std::optional<std::vector<double>> written;
  try {
    written = design.values_of(parse_detector(text, file).detector);
  } catch (const InputError& error) {
    for (const Diagnostic& d : error.diagnostics().items())
      if (d.severity == Severity::error) return d.problem;
  }
  if (!written) return "its layers differ";
  for (std::size_t i = 0; i < design.size(); ++i)
    if (!(std::abs(design.value(i) - (*written)[i]) <=
          1e-12 * std::max(1e-3, std::abs(design.value(i)))))
      return "its numbers differ";
  return {};
}

/// "3, 5-7" of 3, 5, 6, 7.
std::string joined_ranges(const std::vector<int>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t last = i;
    while (last + 1 < lines.size() && lines[last + 1] == lines[last] + 1)
      ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(lines[i]);
    if (last > i) text += '-' + std::to_string(lines[last]);
    i = last + 1;
  }
  return text;
}

/// Warns that comments and anchors of the file are lost.
void report_lost(const std::string& text, const std::string& file,
                 Diagnostics& diagnostics) {
  std::vector<int> comments;
  int line = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    ++line;
    if (begin_of_comment(std::string_view(text).substr(at, end - at)) !=
        std::string_view::npos)
      comments.push_back(line);
    at = end + 1;
  }
  const std::vector<std::string> anchors = Editor::anchors_in(text);
  if (comments.empty() && anchors.empty()) return;
  std::string what;
  if (!comments.empty())
    what = (comments.size() == 1 ? "the comment in line "
                                 : "the comments in lines ") +
           joined_ranges(comments);
  if (!anchors.empty())
    what += (what.empty() ? "" : " and ") +
            std::string(anchors.size() == 1 ? "the anchor " : "the anchors ") +
            joined(anchors);
  Diagnostic d;
  d.severity = Severity::warning;
  d.file = file;
  d.problem = "the result is written in full, without " + what;
  d.suggestion = "copy by hand what you need";
  diagnostics.add(std::move(d));
}

/// The text with the values in place; nothing if that is impossible.
std::optional<std::string> edited(const OptimisationProblem& problem,
                                  const std::vector<NewValue>& values,
                                  const Node& wanted,
                                  const std::set<std::string>& absent) {
  try {
    Editor editor(problem.input.text, problem.input.detector.file);
    editor.replace(values);
    editor.complete(wanted);
    editor.remove(absent);
    return editor.text();
  } catch (const InputError&) {  // the edited text cannot be read
    return std::nullopt;
  }
}

}  // namespace

std::string best_file(const DesignProgram& program,
                      const std::vector<double>& x,
                      const std::vector<std::string>& header,
                      Diagnostics* lost) {
  const OptimisationProblem& problem = program.problem();
  const std::string& file = problem.input.detector.file;
  const Node root = parsed(problem.input.text, file);
  std::vector<std::string> overrides = problem.input.overrides;
  for (std::size_t c = 0; c < problem.choices.size(); ++c)
    for (const ChoiceOption& option : problem.choices[c].options)
      if (option.name == program.combination().chosen[c])
        overrides.insert(overrides.end(), option.overrides.begin(),
                         option.overrides.end());
  Diagnostics diagnostics;
  const Node start =
      apply_overrides(root, problem.input.overrides, diagnostics);
  std::vector<NewValue> values;
  for (const std::string& text : overrides) {
    const std::size_t equal = text.find('=');
    Diagnostics ignored;  // it was already read
    const auto source =
        std::make_shared<Source>("--set", text, Source::Kind::option);
    if (const auto value = parse_yaml_value(source, equal + 1, ignored))
      add_leaves(text.substr(0, equal), *value, values);
  }
  for (NewValue& value : values_of_variables(program.space(), x, start)) {
    overrides.push_back(value.key + '=' + value.override_text);
    // what --set gave is where the search began
    std::erase_if(
        values, [&](const NewValue& other) { return other.key == value.key; });
    values.push_back(std::move(value));
  }
  const Node wanted = apply_overrides(root, overrides, diagnostics);
  if (diagnostics.has_errors()) throw InputError(std::move(diagnostics));

  std::set<std::string> absent;
  const auto& missing = program.combination().absent;
  const std::vector<std::string> names = entry_names(problem.input.detector);
  for (std::size_t l = 0; l < missing.size(); ++l)
    if (missing[l] != 0) absent.insert(name_in_file(names[l]));
  std::string comments;
  for (const std::string& line : header) comments += "# " + line + '\n';

  DesignProgram there = program;
  const DesignNumbers found(there.detector_at(x));
  if (const auto text = edited(problem, values, wanted, absent);
      text && difference(*text, file, found).empty())
    return comments + *text;
  std::string text = comments + written_out(without_layers(wanted, absent));
  if (const std::string why = difference(text, file, found); !why.empty())
    fail(file, "the result cannot be written as a description: " + why);
  if (lost != nullptr) report_lost(problem.input.text, file, *lost);
  return text;
}

}  // namespace gttf
