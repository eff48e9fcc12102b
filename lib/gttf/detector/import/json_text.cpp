// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/import/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "gttf/config/text.hpp"

namespace gttf::detail {
namespace {

/// The bytes of a text for the parser, which reads them in order; `read` counts
/// the bytes consumed.
class Bytes {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Bytes(std::string_view text, std::size_t at, std::size_t* read)
      : text_(text.data()), at_(at), read_(read) {}

  reference operator*() const { return text_[at_]; }
  Bytes& operator++() {
    *read_ = ++at_;
    return *this;
  }
  Bytes operator++(int) {
    Bytes before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Bytes& other) const { return at_ == other.at_; }

 private:
  const char* text_;
  std::size_t at_;
  std::size_t* read_;
};

/// Builds the tree from the events of the parser. The parser stops after the
/// token of an event; after a number it has read one more byte.
class TreeBuilder {
 public:
  using json = nlohmann::json;

  TreeBuilder(const ForeignFile& file, const std::size_t& read)
      : file_(file), text_(file.source.text()), read_(read) {}

  bool null() { return add({.place = word(4)}); }
  bool boolean(bool value) {
    return add({.kind = JsonValue::Kind::boolean,
                .boolean = value,
                .place = word(value ? 4 : 5)});
  }
  bool number_integer(json::number_integer_t value) {
    return add_number(static_cast<double>(value));
  }
  bool number_unsigned(json::number_unsigned_t value) {
    return add_number(static_cast<double>(value));
  }
  bool number_float(json::number_float_t value, const std::string& /*text*/) {
    return add_number(value);
  }
  bool string(std::string& value) {
    return add({.kind = JsonValue::Kind::text,
                .text = std::move(value),
                .place = quoted()});
  }
  bool binary(json::binary_t& /*value*/) { return false; }  // not in texts
  bool start_object(std::size_t /*size*/) { return open(JsonValue::Kind::map); }
  bool start_array(std::size_t /*size*/) { return open(JsonValue::Kind::list); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    if (!names_.back().insert(name).second)
      file_.error(quoted(), fmt::format("duplicate key {}", in_quotes(name)));
    open_.back().keys.push_back(std::move(name));
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const json::exception& exception) {
    std::string problem = exception.what();
    // without the location, which the message already has
    constexpr std::string_view mark = "column ";
    if (const std::size_t at = problem.find(mark); at != problem.npos)
      if (const std::size_t colon = problem.find(": ", at);
          colon != problem.npos)
        problem.erase(0, colon + 2);
    // for a truncated text, its last byte
    const bool is_cut = position >= text_.size();
    const std::size_t end = is_cut ? text_.find_last_not_of(" \t\r\n") + 1
                                   : std::min(position, text_.size());
    const std::size_t length =
        is_cut ? 1 : std::max<std::size_t>(token.size(), 1);
    const std::size_t begin = end - std::min(end, length);
    file_.error({std::string_view(text_).substr(begin, end - begin), begin},
                fmt::format("not valid JSON: {}", problem));
    return false;
  }

  std::optional<JsonValue> result() { return std::move(root_); }

 private:
  /// The `length` bytes before the parser.
  ForeignWord word(std::size_t length) const {
    const std::size_t begin = read_ - std::min(read_, length);
    return {std::string_view(text_).substr(begin, read_ - begin), begin};
  }
  /// The text in quotes that ends before the parser.
  ForeignWord quoted() const {
    std::size_t begin = read_ - 1;
    while (begin > 0) {
      --begin;
      if (text_[begin] != '"') continue;
      std::size_t slashes = 0;
      while (slashes < begin && text_[begin - 1 - slashes] == '\\') ++slashes;
      if (slashes % 2 == 0) break;
    }
    return word(read_ - begin);
  }
  bool add_number(double value) {
    constexpr std::string_view of_numbers = "+-.0123456789Ee";
    const std::string_view text = text_;
    std::size_t end = std::min(read_, text.size());
    if (end > 0 && of_numbers.find(text[end - 1]) == of_numbers.npos) --end;
    const std::size_t before =
        end == 0 ? text.npos : text.find_last_not_of(of_numbers, end - 1);
    const std::size_t begin = before == text.npos ? 0 : before + 1;
    return add({.kind = JsonValue::Kind::number,
                .number = value,
                .place = {text.substr(begin, end - begin), begin}});
  }
  bool add(JsonValue value) {
    if (open_.empty())
      root_ = std::move(value);
    else
      open_.back().items.push_back(std::move(value));
    return true;
  }
  bool open(JsonValue::Kind kind) {
    if (open_.size() == max_json_depth) {
      file_.error(word(1), fmt::format("more than {} levels of lists and maps",
                                       max_json_depth));
      return false;
    }
    open_.push_back({.kind = kind, .place = word(1)});
    names_.emplace_back();
    return true;
  }
  bool close() {
    JsonValue value = std::move(open_.back());
    open_.pop_back();
    names_.pop_back();
    return add(std::move(value));
  }

  const ForeignFile& file_;
  const std::string& text_;
  const std::size_t& read_;
  std::vector<JsonValue> open_;  ///< lists and maps, outermost first
  std::vector<std::unordered_set<std::string>> names_;  ///< keys of each
  std::optional<JsonValue> root_;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  const auto found = std::ranges::find(keys, key);
  if (found == keys.end()) return nullptr;
  const JsonValue& item = items[std::size_t(found - keys.begin())];
  return item.is(Kind::null) ? nullptr : &item;
}

std::optional<JsonValue> read_json(const ForeignFile& file) {
  const std::string& text = file.source.text();
  std::size_t read = 0, end = 0;
  TreeBuilder builder(file, read);
  const bool good = nlohmann::json::sax_parse(
      Bytes(text, 0, &read), Bytes(text, text.size(), &end), &builder);
  if (!good || file.diagnostics.has_errors()) return std::nullopt;
  return builder.result();
}

}  // namespace gttf::detail
