// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/json.hpp"

#include <fmt/format.h>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "gttf/config/text.hpp"
#include "gttf/output/number.hpp"
#include "gttf/output/table_style.hpp"

namespace gttf {
namespace {

constexpr std::size_t line_width = 100;

void append_text(std::string& out, std::string_view text) {
  bool plain = true;  // the usual case, without creating a JSON value
  for (const char c : text)
    plain = plain && c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
  if (plain) {
    out += '"';
    out += text;
    out += '"';
    return;
  }
  // Bytes that are not UTF-8 become U+FFFD.
  const std::string quoted =
      nlohmann::json(std::string(text))
          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t i = 0; i < quoted.size();) {
    const detail::Character c = detail::character_at(quoted, i);
    // C0 characters are already escaped
    const auto append_escape = [&out](char32_t unit) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}",
                     static_cast<unsigned>(unit));
    };
    if (!detail::is_invisible(c.code)) {
      out.append(quoted, i, c.bytes);
    } else if (c.code < 0x10000) {
      append_escape(c.code);
    } else {  // a pair of surrogates
      append_escape(0xD800 + ((c.code - 0x10000) >> 10));
      append_escape(0xDC00 + (c.code & 0x3FF));
    }
    i += c.bytes;
  }
}

/// An empty cell of a table means "no value".
void append_text_or_null(std::string& out, std::string_view text) {
  if (text.empty())
    out += "null";
  else
    append_text(out, text);
}

void append_number(std::string& out, double value, int precision) {
  if (!std::isfinite(value))
    out += "null";
  else if (precision > 0)
    append_rounded(out, value, precision);
  else
    append_exact(out, value);
}

// Values that are not containers.
struct AppendScalar {
  std::string& out;
  int precision;

  bool operator()(std::monostate) const { return out += "null", true; }
  bool operator()(bool v) const { return out += v ? "true" : "false", true; }
  bool operator()(std::int64_t v) const { return append_exact(out, v), true; }
  bool operator()(double v) const {
    return append_number(out, v, precision), true;
  }
  bool operator()(const std::string& v) const {
    return append_text(out, v), true;
  }
  bool operator()(const Document::List&) const { return false; }
  bool operator()(const Document::Members&) const { return false; }
};

// In one line; false if the line is too long (`out` is extended anyway).
bool append_compact(std::string& out, const Document& document, int precision,
                    std::size_t limit) {
  if (std::visit(AppendScalar{out, precision}, document.value()))
    return out.size() <= limit;
  bool first = true;
  if (const auto* list = std::get_if<Document::List>(&document.value())) {
    out += '[';
    for (const Document& item : *list) {
      if (!first) out += ", ";
      first = false;
      if (!append_compact(out, item, precision, limit)) return false;
    }
    out += ']';
  } else {
    out += '{';
    for (const auto& [key, member] :
         std::get<Document::Members>(document.value())) {
      if (!first) out += ", ";
      first = false;
      append_text(out, key);
      out += ": ";
      if (!append_compact(out, member, precision, limit)) return false;
    }
    out += '}';
  }
  return out.size() <= limit;
}

// A matrix has one row per line.
bool is_matrix(const Document& document) {
  const auto* rows = std::get_if<Document::List>(&document.value());
  return rows != nullptr && rows->size() > 1 &&
         std::holds_alternative<Document::List>(rows->front().value());
}

void new_line(std::string& out, int indent) {
  out += '\n';
  out.append(static_cast<std::size_t>(indent), ' ');
}

}  // namespace

void append_compact_json(std::string& out, const Document& document) {
  append_compact(out, document, 0, std::numeric_limits<std::size_t>::max());
}

void append_json(std::string& out, const Document& document, int precision,
                 int indent) {
  const std::size_t start = out.size();
  if (std::visit(AppendScalar{out, precision}, document.value())) return;
  const std::size_t limit =
      start + line_width - static_cast<std::size_t>(indent);
  const auto* list = std::get_if<Document::List>(&document.value());
  // A row of numbers stays in one line of any length.
  const bool numbers = list != nullptr && !list->empty() &&
                       std::holds_alternative<double>(list->front().value());
  if (!is_matrix(document) &&
      append_compact(out, document, precision,
                     numbers ? std::string::npos : limit))
    return;
  out.resize(start);

  const int inner = indent + 2;
  bool first = true;
  const auto separate = [&] {
    if (!first) out += ',';
    first = false;
    new_line(out, inner);
  };
  if (list != nullptr) {
    out += '[';
    for (const Document& item : *list) {
      separate();
      append_json(out, item, precision, inner);
    }
    new_line(out, indent);
    out += ']';
  } else {
    out += '{';
    for (const auto& [key, member] :
         std::get<Document::Members>(document.value())) {
      separate();
      append_text(out, key);
      out += ": ";
      append_json(out, member, precision, inner);
    }
    new_line(out, indent);
    out += '}';
  }
}

void write_json(std::ostream& out, const Document& document,
                const TableStyle& style) {
  std::string text;
  const auto* members = std::get_if<Document::Members>(&document.value());
  if (style.provenance && members != nullptr) {
    Document::Members all;
    all.reserve(members->size() + 1);
    all.emplace_back("provenance", to_document(*style.provenance));
    all.insert(all.end(), members->begin(), members->end());
    append_json(text, Document(std::move(all)), style.precision);
  } else {
    append_json(text, document, style.precision);
  }
  text += '\n';
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.flush();
}

void JsonRows::begin_row() {
  if (any_) {
    buffer_ += ",\n    ";
    if (buffer_.size() > detail::flush_above) {
      out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
      buffer_.clear();
    }
    return;
  }
  any_ = true;
  buffer_ += "{\n";
  if (style_.provenance) {
    buffer_ += "  \"provenance\": ";
    append_json(buffer_, to_document(*style_.provenance), 0, 2);
    buffer_ += ",\n";
  }
  buffer_ += "  \"rows\": [\n    ";
}

void JsonRows::write(const Document& row) {
  begin_row();
  append_json(buffer_, row, style_.precision, 4);
}

void JsonRows::finish() {
  if (!any_) {
    begin_row();
    buffer_.erase(buffer_.find_last_of('\n'));
  }
  buffer_ += "\n  ]\n}\n";
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  out_.flush();
}

void JsonWriter::write(const Table& block) {
  if (keys_.empty()) {
    shown_ = shown_columns(block, rows_.style_);
    for (const std::size_t i : shown_) {
      std::string key = keys_.empty() ? "{" : ", ";
      append_text(key, block.columns[i].name);
      keys_.push_back(key + ": ");
    }
  }
  std::string& out = rows_.buffer_;
  const std::size_t rows = block.rows();
  for (std::size_t row = 0; row < rows; ++row) {
    rows_.begin_row();
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      out += keys_[i];
      const auto& cells = block.columns[shown_[i]].cells;
      if (const auto* reals = std::get_if<Reals>(&cells))
        append_number(out, (*reals)[row], rows_.style_.precision);
      else if (const auto* integers = std::get_if<Integers>(&cells))
        append_exact(out, (*integers)[row]);
      else
        append_text_or_null(out, std::get<Texts>(cells)[row]);
    }
    out += '}';
  }
}

namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t most_values = 16'000'000;
constexpr std::size_t longest_string = std::size_t{4} << 20;

// Builds a document event by event, without recursion.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return put(Document()); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override {
    return put(std::int64_t{value});
  }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto most = static_cast<number_unsigned_t>(
        std::numeric_limits<std::int64_t>::max());
    if (value > most) return fail("a whole number is too large");
    return put(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override {
    return put(value);
  }
  bool string(string_t& value) override {
    if (value.size() > longest_string) return fail("a text is too long");
    return put(std::move(value));
  }
  bool binary(binary_t&) override { return fail("binary data"); }
  bool start_object(std::size_t) override {
    return open(Document(Document::Members{}));
  }
  bool key(string_t& value) override {
    keys_.back() = std::move(value);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override {
    return open(Document(Document::List{}));
  }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return fail("not valid JSON, or truncated, at byte " +
                std::to_string(position));
  }

  Document take() { return std::move(root_); }
  const std::string& problem() const { return problem_; }

 private:
  bool open(Document empty) {
    if (open_.size() == deepest) return fail("it is nested too deeply");
    open_.push_back(std::move(empty));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Document done = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return put(std::move(done));
  }
  bool put(Document value) {
    if (++n_values_ > most_values) return fail("it has too many values");
    if (open_.empty())
      root_ = std::move(value);
    else if (std::holds_alternative<Document::List>(open_.back().value()))
      open_.back().append(std::move(value));
    else
      open_.back().set(std::move(keys_.back()), std::move(value));
    return true;
  }
  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  Document root_;
  std::vector<Document> open_;
  std::vector<std::string> keys_;  // of the next member, per open_
  std::string problem_;
  std::size_t n_values_ = 0;
};

}  // namespace

Document read_json(std::string_view text, const std::string& name) {
  Builder builder;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder))
    throw FileError("cannot read " + in_quotes(name) + ": " +
                    builder.problem());
  return builder.take();
}

std::string read_file(const std::string& path, std::string_view role,
                      const OutputClaim* rewritten) {
  const auto fail = [&path](const std::string& why) {
    throw FileError("cannot read " + in_quotes(path) + ": " + why);
  };
  const FileHandle file = open_input(path, role, rewritten);
  if (!file) fail(std::strerror(errno));
  FileText read = read_text(file.get(), max_file_bytes);
  if (!read.problem.empty()) fail(read.problem);
  return std::move(read.text);
}

}  // namespace gttf
