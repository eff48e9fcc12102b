// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/document_reader.hpp"

#include <fmt/format.h>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/text.hpp"

namespace gttf {

DocumentReader::DocumentReader(const std::string& name)
    : name_(in_quotes(name)) {}

void DocumentReader::damaged(const std::string& why) const {
  throw FileError(name_ + " is damaged: " + why);
}

void DocumentReader::check_format(const Document& document,
                                  std::string_view key, std::int64_t version,
                                  std::string_view what) const {
  const Document* found = document.find(key);
  if (found == nullptr)
    throw FileError(fmt::format("{} is not a {}", name_, what));
  if (integer(*found) != version)
    throw FileError(fmt::format(
        "{}: version {} of the format is not known; this program reads "
        "version {}",
        name_, integer(*found), version));
}

const Document& DocumentReader::member(const Document& d,
                                       std::string_view key) const {
  const Document* found = d.find(key);
  if (found == nullptr) damaged("there is no " + in_quotes(std::string(key)));
  return *found;
}

const Document::List& DocumentReader::list(const Document& d) const {
  const auto* found = std::get_if<Document::List>(&d.value());
  if (found == nullptr) damaged("a list is missing");
  return *found;
}

const Document::List& DocumentReader::list_of(const Document& d,
                                              std::size_t n) const {
  const Document::List& found = list(d);
  if (found.size() != n) damaged("a list has the wrong length");
  return found;
}

std::int64_t DocumentReader::integer(const Document& d) const {
  const auto* found = std::get_if<std::int64_t>(&d.value());
  if (found == nullptr) damaged("a whole number is missing");
  return *found;
}

std::uint64_t DocumentReader::count(const Document& d) const {
  const std::int64_t n = integer(d);
  if (n < 0) damaged("a number is negative");
  return static_cast<std::uint64_t>(n);
}

bool DocumentReader::boolean(const Document& d) const {
  const auto* found = std::get_if<bool>(&d.value());
  if (found == nullptr) damaged("true or false is missing");
  return *found;
}

const std::string& DocumentReader::text(const Document& d) const {
  const auto* found = std::get_if<std::string>(&d.value());
  if (found == nullptr) damaged("a text is missing");
  return *found;
}

double DocumentReader::real(const Document& d) const {
  // a real number that happens to be whole is read back as an integer
  if (const auto* n = std::get_if<std::int64_t>(&d.value()))
    return static_cast<double>(*n);
  const auto* found = std::get_if<double>(&d.value());
  if (found == nullptr) damaged("a number is missing");
  return *found;
}

std::vector<double> DocumentReader::reals(const Document& d) const {
  std::vector<double> numbers;
  for (const Document& item : list(d)) numbers.push_back(real(item));
  return numbers;
}

}  // namespace gttf
