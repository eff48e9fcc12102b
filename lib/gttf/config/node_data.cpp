// SPDX-License-Identifier: Apache-2.0
// Node as data: how it is made and looked into. It is parsed in node.cpp.
#include <algorithm>

#include "gttf/config/node.hpp"
#include "gttf/config/text.hpp"

namespace gttf {

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
