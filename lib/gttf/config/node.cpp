// SPDX-License-Identifier: Apache-2.0
// The only file that uses yaml-cpp. Its positions count from 0; they point to
// the anchor or tag before a value, and for an empty value to the next token.
#include "gttf/config/node.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>
#include <algorithm>
#include <map>
#include <sstream>
#include <unordered_map>

#include "gttf/config/named_files.hpp"
#include "gttf/config/text.hpp"

namespace gttf {

namespace {

using Kind = Node::Kind;

/// Ends the parsing; the diagnostic has been added.
struct Stop {};

/// Builds nodes from the events of the parser.
class Builder : public YAML::EventHandler {
 public:
  Builder(SourcePtr source, std::size_t base, Diagnostics& diagnostics)
      : source_(std::move(source)), base_(base), diagnostics_(diagnostics) {}

  std::optional<Node> root() const { return root_; }
  /// Any further document is an error.
  void expect_end() { expect_end_ = true; }
  /// Innermost opening bracket that is still open, if any.
  std::optional<std::size_t> open_bracket() const {
    for (auto it = frames_.rbegin(); it != frames_.rend(); ++it)
      if (it->flow) return it->origin.offset;
    return std::nullopt;
  }

  /// The quotation mark that follows the last complete scalar, if any.
  std::optional<std::size_t> open_quote() const {
    const std::size_t at = text().find_first_of("\"'", last_end_);
    if (at == std::string_view::npos) return std::nullopt;
    return at;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!expect_end_) return;
    const std::size_t at = offset(mark);
    if (text().substr(at, 3) == "---")
      stop({source_, at, 3}, "a second document begins here",
           "one document per file: put it into a separate file");
    stop({source_, at, 1}, "text after the end of the document",
         "check the indentation, or remove it");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(Node::make_null(null_origin(offset(mark))), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t at = offset(mark);
    const std::size_t end = text().find_first_of(" \t\r\n,]}:", at);
    const std::string name(text().substr(at, end - at));  // with its *
    const Origin origin{source_, at, std::max<std::size_t>(1, name.size())};
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end())
      stop(origin, fmt::format("{} is used inside its own value", name),
           "an alias can only repeat a complete value");
    const Node& target = known->second;
    if (static_cast<int>(frames_.size()) + target.height() > Node::max_depth)
      too_deep(origin);
    // the alias itself is counted by add()
    nodes_ += target.node_count() - 1;
    add(target.used_at(origin, name), 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor, const std::string& value) override {
    const std::size_t at = detail::content_offset(text(), offset(mark));
    check_closed(at, tag);
    const Origin origin{source_, at, detail::scalar_length(text(), at, value)};
    last_end_ = at + origin.length;
    check_tag(tag, origin);
    add(Node::make_scalar(origin, value, tag == "!"), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(Kind::list, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(Kind::map, mark, tag, anchor, style);
  }
  void OnMapEnd() override { close(); }

  void report(const Origin& origin, std::string problem,
              std::string suggestion) {
    Diagnostic d = source_->at(origin.offset, origin.length);
    d.problem = std::move(problem);
    d.suggestion = std::move(suggestion);
    diagnostics_.add(std::move(d));
  }

  [[noreturn]] void stop(const Origin& origin, std::string problem,
                         std::string suggestion) {
    report(origin, std::move(problem), std::move(suggestion));
    throw Stop{};
  }

  /// Location of an error reported by the parser.
  Origin origin_of(const YAML::Mark& mark) const {
    return {source_, offset(mark), 1};
  }

 private:
  struct Frame {
    Kind kind;
    Origin origin;
    bool flow;
    YAML::anchor_t anchor;
    std::vector<Node> items;
    std::vector<Node::Entry> entries;
    std::optional<Node> key;
    bool bad_key = false;
  };

  std::string_view text() const { return source_->text(); }

  std::size_t offset(const YAML::Mark& mark) const {
    const std::size_t pos =
        mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos);
    return std::min(base_ + pos, text().size());
  }

  /// The parser treats an open quotation mark as closed by the end of the file.
  void check_closed(std::size_t at, const std::string& tag) {
    const char quote = at < text().size() ? text()[at] : '\0';
    if (tag != "!" || (quote != '"' && quote != '\'')) return;
    for (std::size_t i = at + 1; i < text().size(); ++i) {
      if (text()[i] == quote) return;
      if (quote == '"' && text()[i] == '\\') ++i;
    }
    stop({source_, at, 1}, "this quotation mark is not closed",
         "close it on the same line");
  }

  /// An empty value is located at its key or dash.
  Origin null_origin(std::size_t at) const {
    for (const std::string_view word : {"~", "null", "Null", "NULL"})
      if (text().substr(at).starts_with(word))
        return {source_, at, word.size()};
    if (frames_.empty()) return {source_, at, 1};
    const Frame& frame = frames_.back();
    if (frame.key) return frame.key->origin();
    const auto is_blank = [this](std::size_t i) {
      return text().find_first_of(" \t\r\n", i) == i;
    };
    while (at > frame.origin.offset && is_blank(at - 1)) --at;
    if (at > frame.origin.offset) --at;
    return {source_, at, 1};
  }

  [[noreturn]] void too_deep(const Origin& origin) {
    stop(origin,
         fmt::format("nested more than {} levels deep", Node::max_depth), "");
  }

  void check_tag(const std::string& tag, const Origin& origin) {
    if (tag.empty() || tag == "?" || tag == "!" ||
        tag.starts_with("tag:yaml.org,2002:"))
      return;
    report(origin,
           fmt::format("the tag {} has no meaning here", in_quotes(tag)),
           "remove it");
  }

  void count(const Origin& origin) {
    if (++nodes_ <= Node::max_nodes) return;
    stop(origin,
         fmt::format("more than {} values, aliases expanded", Node::max_nodes),
         "use fewer aliases, or \"repeat\" for layers that are alike");
  }

  void open(Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
    const bool flow = style == YAML::EmitterStyle::Flow;
    const Origin origin{source_, detail::content_offset(text(), offset(mark)),
                        1};
    check_tag(tag, origin);
    count(origin);
    if (static_cast<int>(frames_.size()) >= Node::max_depth) too_deep(origin);
    frames_.push_back({kind, origin, flow, anchor, {}, {}, {}, false});
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (frame.kind == Kind::list) {
      place(Node::make_list(frame.origin, std::move(frame.items)),
            frame.anchor);
    } else {
      place(Node::make_map(frame.origin, merged(std::move(frame.entries))),
            frame.anchor);
    }
  }

  void add(Node node, YAML::anchor_t anchor) {
    count(node.origin());
    place(std::move(node), anchor);
  }

  /// Adds a complete node to the open container.
  void place(Node node, YAML::anchor_t anchor) {
    if (anchor) anchors_.insert_or_assign(anchor, node);
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.kind == Kind::list) {
      frame.items.push_back(std::move(node));
    } else if (!frame.key) {
      frame.bad_key = node.kind() != Kind::scalar;
      if (frame.bad_key)
        report(node.origin(),
               fmt::format("the name of a key is expected, got {}",
                           describe(node)),
               "write \"key: value\"");
      frame.key = std::move(node);
    } else {
      if (!frame.bad_key)
        frame.entries.push_back({std::move(*frame.key), std::move(node)});
      frame.key.reset();
    }
  }

  /// Duplicate keys are reported, `<<` is replaced by the entries it merges.
  std::vector<Node::Entry> merged(std::vector<Node::Entry> entries) {
    const auto is_merge = [](const Node::Entry& e) {
      return e.key.text() == "<<" && !e.key.is_quoted();
    };
    std::unordered_map<std::string, std::size_t> known;
    std::vector<Node::Entry> result;
    std::optional<Node> merge;
    for (Node::Entry& entry : entries) {
      const auto [it, is_new] =
          known.emplace(entry.key.text(), entry.key.origin().offset);
      if (!is_new) {
        report(entry.key.origin(),
               fmt::format("duplicate key {}, first in line {}",
                           in_quotes(entry.key.text()),
                           source_->line_of(it->second)),
               "remove one of the two");
      } else if (is_merge(entry)) {
        merge = entry.value;
      } else {
        result.push_back(std::move(entry));
      }
    }
    if (!merge) return result;
    const auto bring = [&](const Node& from) {
      if (from.kind() != Kind::map) {
        report(from.origin(),
               fmt::format("\"<<\" merges a map or a list of maps, got {}",
                           describe(from)),
               "for example \"<<: *name\"");
        return;
      }
      nodes_ += from.node_count() - 1;
      count(from.origin());
      for (const Node::Entry& entry : from.entries())
        if (known.emplace(entry.key.text(), 0).second)
          result.push_back({entry.key, entry.value, true});
    };
    if (merge->kind() == Kind::list)
      std::ranges::for_each(merge->items(), bring);
    else
      bring(*merge);
    return result;
  }

  SourcePtr source_;
  std::size_t base_;
  Diagnostics& diagnostics_;
  std::optional<Node> root_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t nodes_ = 0;
  bool expect_end_ = false;
  std::size_t last_end_ = 0;
};

void explain(const YAML::ParserException& e, const std::string& text,
             Builder& builder) {
  Origin origin = builder.origin_of(e.mark);
  std::string problem = "this is not YAML: " + e.msg;
  std::string suggestion;
  if (const detail::Advice* advice = detail::advice_on(e.msg)) {
    problem = advice->ours;
    suggestion = advice->suggestion;
    using Mistake = detail::Advice::Mistake;
    if (advice->mistake == Mistake::bracket)
      origin.offset = builder.open_bracket().value_or(origin.offset);
    if (advice->mistake == Mistake::quote)
      origin.offset = builder.open_quote().value_or(origin.offset);
  }
  const std::size_t begin = text.rfind('\n', origin.offset) + 1;
  const std::size_t first = text.find_first_not_of(' ', begin);
  if (!builder.open_bracket() && first < origin.offset && text[first] == '\t') {
    origin.offset = first;
    problem = "a tab indents this line";
    suggestion = "indent with spaces";
  }
  builder.report(origin, std::move(problem), std::move(suggestion));
}

std::optional<Node> parse(const SourcePtr& source, std::size_t base,
                          Diagnostics& diagnostics) {
  Builder builder(source, base, diagnostics);
  std::istringstream in(source->text().substr(base));
  try {
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(builder)) return std::nullopt;
    // Once more, never in a loop: at text it cannot parse (a stray ",") the
    // parser reports a document repeatedly without advancing.
    builder.expect_end();
    parser.HandleNextDocument(builder);
    return builder.root();
  } catch (const YAML::ParserException& e) {
    explain(e, source->text(), builder);
  } catch (const Stop&) {  // an error was reported
  }
  return std::nullopt;
}

}  // namespace

std::optional<Node> parse_yaml(const SourcePtr& source,
                               std::string_view first_line,
                               Diagnostics& diagnostics) {
  const std::size_t base = source->text().starts_with(detail::utf8_mark)
                               ? detail::utf8_mark.size()
                               : 0;
  Diagnostics own;
  std::optional<Node> root = parse(source, base, own);
  if (root && source->kind() == Source::Kind::file)
    record_named_files(*root, source->name());
  diagnostics.add(own);
  if (own.has_errors() || (root && root->kind() != Kind::null)) return root;
  const std::string_view text =
      trimmed(std::string_view(source->text()).substr(base));
  Diagnostic d = source->at(0);
  d.source_line.clear();
  d.problem = text.empty()            ? "the file is empty"
              : text.starts_with('#') ? "the file has only comments"
                                      : "the file has no content";
  d.suggestion = fmt::format("begin it with {}", in_quotes(first_line));
  diagnostics.add(std::move(d));
  return std::nullopt;
}

std::optional<Node> parse_yaml_value(const SourcePtr& source,
                                     std::size_t offset,
                                     Diagnostics& diagnostics) {
  Diagnostics own;
  std::optional<Node> root = parse(source, offset, own);
  diagnostics.add(own);
  if (!root && !own.has_errors()) return Node::make_null({source, offset, 1});
  return root;
}

struct Node::Content {
  Kind kind = Kind::null;
  bool is_quoted = false;
  int height = 0;
  std::size_t node_count = 1;
  std::string text;
  std::vector<Node> items;
  std::vector<Entry> entries;
  Origin definition;
};

Node Node::make_null(Origin origin) {
  auto content = std::make_shared<Content>();
  content->definition = origin;
  return {std::move(content), std::move(origin)};
}

Node Node::make_scalar(Origin origin, std::string text, bool is_quoted) {
  auto content = std::make_shared<Content>();
  content->kind = Kind::scalar;
  content->text = std::move(text);
  content->is_quoted = is_quoted;
  content->definition = origin;
  return {std::move(content), std::move(origin)};
}

Node Node::make_list(Origin origin, std::vector<Node> items) {
  auto content = std::make_shared<Content>();
  content->kind = Kind::list;
  for (const Node& item : items) {
    content->node_count += item.node_count();
    content->height = std::max(content->height, item.height());
  }
  ++content->height;
  content->items = std::move(items);
  content->definition = origin;
  return {std::move(content), std::move(origin)};
}

Node Node::make_map(Origin origin, std::vector<Entry> entries) {
  auto content = std::make_shared<Content>();
  content->kind = Kind::map;
  for (const Entry& entry : entries) {
    content->node_count += 1 + entry.value.node_count();
    content->height = std::max(content->height, entry.value.height());
  }
  ++content->height;
  content->entries = std::move(entries);
  content->definition = origin;
  return {std::move(content), std::move(origin)};
}

Node::Kind Node::kind() const { return content_->kind; }
const std::string& Node::text() const { return content_->text; }
bool Node::is_quoted() const { return content_->is_quoted; }
const std::vector<Node>& Node::items() const { return content_->items; }
const std::vector<Node::Entry>& Node::entries() const {
  return content_->entries;
}
const Origin& Node::definition() const { return content_->definition; }
std::size_t Node::node_count() const { return content_->node_count; }
int Node::height() const { return content_->height; }

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : content_->entries)
    if (entry.key.text() == key) return &entry.value;
  return nullptr;
}

Node Node::used_at(Origin origin, std::string alias) const {
  Node node(content_, std::move(origin));
  node.alias_ = std::move(alias);
  return node;
}

std::string describe(const Node& node) {
  switch (node.kind()) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
    case Node::Kind::scalar:
      break;
  }
  return in_quotes(node.text());
}

Diagnostic diagnostic_at(const Node& node) {
  const Origin& origin = node.origin();
  return origin.source->at(origin.offset, origin.length);
}

}  // namespace gttf
