// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/named_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "gttf/config/opened_files.hpp"
#include "gttf/config/shipped_file.hpp"
#include "gttf/config/text.hpp"

namespace gttf {
namespace {

constexpr std::array<std::string_view, 6> file_keys = {
    "baseline", "detector", "detectors", "map", "requirements", "study"};

/// The last name of a path: "map" of "layers[2].material[0].map".
std::string_view last_name(std::string_view path) {
  while (path.ends_with(']') && path.find('[') != path.npos)
    path = path.substr(0, path.rfind('['));
  return path.substr(path.rfind('.') + 1);
}

/// The key that makes texts names of files, and which of them.
struct Scope {
  std::string_view key;     ///< empty: none but those in keys of files
  bool everything = false;  ///< { choose: [a.csv, b.csv] } of "field.map";
                            ///< otherwise the value, or the items of the list
};

class Recorder {
 public:
  /// @param file  empty: the working directory
  explicit Recorder(std::string file) : file_(std::move(file)) {}

  void record(std::string_view key, const Node& value) const {
    const bool of_detector = key.find('.') != key.npos;
    record(value,
           names_files(key) ? Scope{last_name(key), of_detector} : Scope{});
  }

  void record(const Node& node, Scope scope) const {
    if (const std::string_view key = varied_key(node); !key.empty())
      scope = {key, true};
    for (const Node& item : node.items()) record(item, scope);
    for (const Node::Entry& entry : node.entries())
      if (scope.everything)
        record(entry.value, scope);
      else
        record(entry.key.text(), entry.value);
    if (node.kind() == Node::Kind::scalar) record_text(node.text(), scope);
  }

 private:
  // { of: [layers[L0].material.map, ...], choose: [a.csv, b.csv] }
  static std::string_view varied_key(const Node& node) {
    const Node* of = node.find("of");
    if (of == nullptr) return {};
    if (names_files(of->text())) return last_name(of->text());
    for (const Node& key : of->items())
      if (names_files(key.text())) return last_name(key.text());
    return {};
  }

  void record_text(const std::string& text, Scope scope) const {
    if (text.starts_with('{')) {  // the value of a key of a variant
      Diagnostics ignored;
      const auto value = parse_yaml_value(
          std::make_shared<Source>("", text, Source::Kind::option), 0, ignored);
      if (value && value->kind() == Node::Kind::map)
        Recorder("").record(*value, Scope{});
    }
    if (scope.key.empty()) return;
    record_name(text, scope);
    if (text.find(',') == text.npos) return;  // values of an axis
    for (std::size_t from = 0, end = 0; end < text.size(); from = end + 1) {
      end = std::min(text.find(',', from), text.size());
      record_name(
          std::string(trimmed(std::string_view(text).substr(from, end - from))),
          scope);
    }
  }

  // Values of keys of a detector, as in --set, are relative to the working
  // directory, others to the file.
  void record_name(const std::string& name, Scope scope) const {
    if (name.empty() || name == "-") return;
    if (file_.empty() || scope.everything) record_named(name, scope.key);
    if (file_.empty()) return;
    record_named(or_shipped(detail::beside(file_, name), name,
                            {"detectors", "configs", "configs/check"}),
                 scope.key);
  }

  std::string file_;
};

}  // namespace

bool names_files(std::string_view key) {
  return std::ranges::find(file_keys, last_name(key)) != file_keys.end();
}

void require_file_key(const std::string& key) {
  if (!names_files(key))
    throw std::logic_error("not listed as a key that names files: " + key);
}

void record_named_files(const Node& root, const std::string& file) {
  record_parsed(file);
  Recorder(file).record(root, Scope{});
}

void record_named_files(std::string_view key, const Node& value) {
  Recorder("").record(value,
                      names_files(key) ? Scope{last_name(key), true} : Scope{});
}

void follow_named_files() {
  while (const auto path = next_unparsed()) {
    Diagnostics ignored;  // it may be a map, or damaged
    const SourcePtr source = read_source(*path, ignored);
    if (source && source->text().find("gttf-") != std::string::npos)
      parse_yaml(source, "", ignored);
  }
}

}  // namespace gttf

namespace gttf::detail {

namespace fs = std::filesystem;

fs::path folder_of(const std::string& file) {
  const bool is_descriptor =
      file == "-" || file == "/dev/stdin" || file.starts_with("/dev/fd/") ||
      (file.starts_with("/proc/") && file.find("/fd/") != file.npos);
  return is_descriptor ? fs::path() : fs::path(file).parent_path();
}

std::string beside(const std::string& file, const std::string& path) {
  return (folder_of(file) / path).lexically_normal().string();
}

}  // namespace gttf::detail
