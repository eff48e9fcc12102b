// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/json_read.hpp"

#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "gttf/config/text.hpp"

namespace gttf {
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
    return fail("it is no JSON, or cut off, at byte " +
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
  std::vector<std::string> keys_;  // of the member to come, per open_
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
