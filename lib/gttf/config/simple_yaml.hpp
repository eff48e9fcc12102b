// SPDX-License-Identifier: Apache-2.0
// SimpleYaml: reads the subset of YAML in which most files are written, many
// times faster than a parser of all of YAML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace gttf::detail {

/// Passes the values of a text to `events`, as a parser of YAML does:
///
///   scalar(at, text, is_quoted, anchor)   null(at, anchor)
///   alias(at, anchor)                     open_list/open_map(at, is_flow,
///   close_list(), close_map()                                anchor)
///
/// `at` is the offset of the value, or of the anchor in front of it; `anchor`
/// counts the anchors from 1, 0 is none.
///
/// It is deliberately incomplete: parse() returns false at anything that is
/// unusual or wrong, and the text is then for the complete parser. The subset:
/// maps and lists in block style, maps and lists in brackets, plain and quoted
/// scalars of one line, anchors, aliases, comments. Whatever is accepted has
/// the same meaning in YAML.
template <class Events>
class SimpleYaml {
 public:
  SimpleYaml(std::string_view text, Events& events)
      : text_(text), events_(events) {}

  bool parse() {
    try {
      if (has_controls() || has_document_marks() || !next_line()) return false;
      block(column_, 0, at_);
      return at_end_;
    } catch (const Unusual&) {
      return false;
    }
  }

 private:
  struct Unusual {};
  static void require(bool usual) {
    if (!usual) throw Unusual{};
  }

  static constexpr std::size_t longest_key = 1000;  // 1024 in YAML

  bool has_controls() const {
    for (const char c : text_)
      if (static_cast<unsigned char>(c) < ' ' && c != '\n') return true;
    return false;
  }
  /// Also within brackets, where they would end the document.
  bool has_document_marks() const {
    for (const std::string_view mark : {"---", "...", "%"})
      if (text_.starts_with(mark)) return true;
    for (const std::string_view mark : {"\n---", "\n...", "\n%"})
      if (text_.find(mark) != std::string_view::npos) return true;
    return false;
  }
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\n'; }
  bool is_blank(std::size_t i) const { return at(i) == ' ' || at(i) == '\n'; }
  static bool is_one_of(char c, std::string_view list) {
    return list.find(c) != std::string_view::npos;
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  /// Moves to the first character of the next line with content; false at the
  /// end. Sets `column_`.
  bool next_line() {
    at_end_ = true;
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      skip_spaces();
      column_ = at_ - begin;
      if (at_ == text_.size()) break;
      if (text_[at_] != '\n' && text_[at_] != '#') {
        at_end_ = false;
        return true;
      }
      skip_to_next_line();
    }
    column_ = 0;
    return false;
  }
  void skip_to_next_line() {
    const std::size_t end = text_.find('\n', at_);
    at_ = end == std::string_view::npos ? text_.size() : end + 1;
  }

  /// After a value: nothing else in this line but a comment.
  void end_line() {
    const std::size_t end = at_;
    skip_spaces();
    require(at(at_) == '\n' || (at(at_) == '#' && at_ > end));
    skip_to_next_line();
    next_line();
  }

  /// A block at the current position, which is `column`.
  /// @param begin  of its anchor, or its own
  void block(std::size_t column, std::size_t anchor, std::size_t begin) {
    if (is_dash())
      list(column, anchor, begin);
    else
      map(column, anchor, begin);
  }

  bool is_dash() const { return at(at_) == '-' && is_blank(at_ + 1); }

  void list(std::size_t column, std::size_t anchor, std::size_t begin) {
    events_.open_list(begin, false, anchor);
    while (!at_end_ && column_ == column && is_dash()) {
      ++at_;
      const std::size_t dash = at_;
      skip_spaces();
      const std::size_t inner = column + 1 + (at_ - dash);
      const std::size_t start = at_;
      require(at(at_) != '\n' && at(at_) != '#' && !is_dash());
      const std::size_t item_anchor = read_anchor();
      if (item_anchor > 0 && ends_line()) {
        require(next_line_after_key() && column_ > column);
        block(column_, item_anchor, start);
      } else if (is_key()) {
        require(item_anchor == 0);  // of the map or of the key?
        column_ = inner;
        map(inner, 0, start);
      } else {
        value_in_line(start, item_anchor);
        end_line();
        require(at_end_ || column_ <= column);
      }
    }
    events_.close_list();
    require(at_end_ || column_ < column || (column_ == column && !is_dash()));
  }

  void map(std::size_t column, std::size_t anchor, std::size_t begin) {
    events_.open_map(begin, false, anchor);
    while (!at_end_ && column_ == column && !is_dash()) {
      read_key();
      const std::size_t colon = at_++;
      skip_spaces();
      const std::size_t start = at_;
      const std::size_t value_anchor = read_anchor();
      if (ends_line()) {
        const bool more = next_line_after_key();
        if (more && column_ > column) {
          block(column_, value_anchor, value_anchor > 0 ? start : at_);
        } else if (more && column_ == column && is_dash()) {
          list(column, value_anchor, value_anchor > 0 ? start : at_);
        } else {
          // a null written out would be the location
          require(value_anchor == 0 && !is_one_of(at(at_), "~nN"));
          events_.null(colon, 0);
        }
      } else {
        value_in_line(start, value_anchor);
        end_line();
        require(at_end_ || column_ <= column);
      }
    }
    events_.close_map();
    // the line belongs to a block around this one, which checks its column
    require(at_end_ || column_ <= column);
  }

  /// Only spaces and a comment up to the end of the line?
  bool ends_line() const {
    std::size_t i = at_;
    while (at(i) == ' ') ++i;
    return at(i) == '\n' || (at(i) == '#' && at(i - 1) == ' ');
  }
  bool next_line_after_key() {
    skip_to_next_line();
    return next_line();
  }

  /// `&name` and the spaces behind it; returns its number.
  std::size_t read_anchor() {
    if (at(at_) != '&') return 0;
    ++at_;
    const std::string name(read_name());
    require(is_blank(at_));
    skip_spaces();
    return anchors_[name] = ++n_anchors_;
  }
  std::string_view read_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    require(at_ > begin);
    return text_.substr(begin, at_ - begin);
  }
  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-';
  }

  /// Whether a key begins here; the position does not change.
  bool is_key() {
    if (is_one_of(at(at_), "[{*&")) return false;
    const std::size_t start = at_;
    scalar_text(false);
    const bool key = at(at_) == ':';
    at_ = start;
    return key;
  }

  void read_key() {
    const std::size_t start = at_;
    const Scalar key = scalar_text(false);
    require(at(at_) == ':' && is_blank(at_ + 1) && at_ - start < longest_key);
    events_.scalar(start, key.text, key.is_quoted, 0);
  }

  struct Scalar {
    std::string text;
    bool is_quoted = false;
  };

  /// Reads a scalar; for a plain one also the spaces behind it if a colon
  /// follows.
  Scalar scalar_text(bool in_flow) {
    const char first = at(at_);
    if (first == '\'' || first == '"') return {quoted_text(first), true};
    constexpr std::string_view indicators = ",[]{}#&*!|>%@`?:";
    require(!is_one_of(first, indicators) &&
            !(first == '-' && is_blank(at_ + 1)));
    const std::size_t begin = at_;
    std::size_t end = at_;  // behind the last that is not a space
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      const char c = text_[at_];
      if (c == ' ') continue;
      if (c == ':' && (in_flow || is_blank(at_ + 1))) break;
      if (c == '#' && text_[at_ - 1] == ' ') break;
      if (in_flow && is_one_of(c, ",[]{}?")) break;
      end = at_ + 1;
    }
    if (at(at_) != ':') at_ = end;
    const std::string_view text = text_.substr(begin, end - begin);
    constexpr std::string_view nulls[] = {"~", "null", "Null", "NULL"};
    for (const std::string_view null : nulls) require(text != null);
    return {std::string(text), false};
  }

  std::string quoted_text(char quote) {
    std::string value;
    for (++at_;; ++at_) {
      require(at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\\');
      if (text_[at_] == quote) {
        if (quote == '"' || at(at_ + 1) != quote) break;
        ++at_;
      }
      value += text_[at_];
    }
    ++at_;
    return value;
  }

  /// Alias, scalar, or flow.
  void value_in_line(std::size_t begin, std::size_t anchor) {
    const char c = at(at_);
    if (c == '[' || c == '{') {
      flow(begin, anchor);
    } else if (c == '*') {
      require(anchor == 0);
      alias(begin);
    } else {
      const Scalar scalar = scalar_text(false);
      require(at(at_) != ':');
      events_.scalar(begin, scalar.text, scalar.is_quoted, anchor);
    }
  }

  void alias(std::size_t begin) {
    ++at_;
    const auto known = anchors_.find(std::string(read_name()));
    require(known != anchors_.end() &&
            (is_blank(at_) || is_one_of(at(at_), ",]}")));
    events_.alias(begin, known->second);
  }

  /// Spaces, line ends and comments within brackets.
  void skip_in_flow() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        require(is_blank(at_ - 1));
        skip_to_next_line();
      } else if (text_[at_] == ' ' || text_[at_] == '\n') {
        ++at_;
      } else {
        return;
      }
    }
    throw Unusual{};
  }

  void flow(std::size_t begin, std::size_t anchor) {
    const bool is_map = text_[at_++] == '{';
    const char end = is_map ? '}' : ']';
    if (is_map)
      events_.open_map(begin, true, anchor);
    else
      events_.open_list(begin, true, anchor);
    skip_in_flow();
    for (bool first = true; first || text_[at_] != end; first = false) {
      if (first && text_[at_] == end) break;
      if (!first) {
        require(text_[at_] == ',');
        ++at_;
        skip_in_flow();
      }
      if (is_map) {
        const std::size_t start = at_;
        const Scalar key = scalar_text(true);
        require(at(at_) == ':' && is_blank(at_ + 1) &&
                at_ - start < longest_key);
        events_.scalar(start, key.text, key.is_quoted, 0);
        ++at_;
        skip_in_flow();
      }
      flow_value();
      skip_in_flow();
    }
    ++at_;
    if (is_map)
      events_.close_map();
    else
      events_.close_list();
  }

  void flow_value() {
    const std::size_t begin = at_;
    const std::size_t anchor = read_anchor();
    const char c = at(at_);
    require(c != '\n');
    if (c == '[' || c == '{') return flow(begin, anchor);
    if (c == '*') {
      require(anchor == 0);
      return alias(begin);
    }
    const Scalar scalar = scalar_text(true);
    require(at(at_) != ':');
    events_.scalar(begin, scalar.text, scalar.is_quoted, anchor);
  }

  std::string_view text_;
  Events& events_;
  std::size_t at_ = 0;
  std::size_t column_ = 0;  ///< of the first character of the line
  bool at_end_ = false;     ///< no line is left
  std::unordered_map<std::string, std::size_t> anchors_;
  std::size_t n_anchors_ = 0;
};

}  // namespace gttf::detail
