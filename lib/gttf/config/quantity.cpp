// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/quantity.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/config/text.hpp"
#include "gttf/core/read_decimal.hpp"
#include "gttf/core/units.hpp"

namespace gttf {
namespace {

using Unit = detail::KnownUnit;
using detail::find_unit;
using detail::units_of;
using detail::usual_unit;

constexpr std::array units = {
    Unit{"nm", Dimension::length, unit::nm},
    Unit{"um", Dimension::length, unit::um},
    Unit{"mm", Dimension::length, unit::mm},
    Unit{"cm", Dimension::length, unit::cm},
    Unit{"m", Dimension::length, unit::m},
    Unit{"\u00B5m", Dimension::length, unit::um, true},  // micro sign
    Unit{"\u03BCm", Dimension::length, unit::um, true},  // Greek mu
    Unit{"eV", Dimension::energy, unit::eV},
    Unit{"keV", Dimension::energy, unit::keV},
    Unit{"MeV", Dimension::energy, unit::MeV},
    Unit{"GeV", Dimension::energy, unit::GeV},
    Unit{"TeV", Dimension::energy, unit::TeV},
    Unit{"T", Dimension::field, unit::T},
    Unit{"kG", Dimension::field, unit::kG},
    Unit{"mT", Dimension::field, unit::mT},
    Unit{"rad", Dimension::angle, unit::rad},
    Unit{"mrad", Dimension::angle, unit::mrad},
    Unit{"urad", Dimension::angle, unit::urad},
    Unit{"deg", Dimension::angle, unit::deg},
    Unit{"\u00B5rad", Dimension::angle, unit::urad, true},
    Unit{"\u03BCrad", Dimension::angle, unit::urad, true},
    Unit{"\u00B0", Dimension::angle, unit::deg, true},
    Unit{"g/cm3", Dimension::density, unit::g_per_cm3},
    Unit{"kg/m3", Dimension::density, 1e-3 * unit::g_per_cm3},
    Unit{"g/cm^3", Dimension::density, unit::g_per_cm3, true},
    Unit{"kg/m^3", Dimension::density, 1e-3 * unit::g_per_cm3, true},
    Unit{"%", Dimension::fraction, unit::percent},
};

/// Common alternative spellings of units.
struct OtherName {
  std::string_view written, meant;
};
constexpr std::array other_names = {
    OtherName{"micron", "um"},   OtherName{"microns", "um"},
    OtherName{"mu", "um"},       OtherName{"degree", "deg"},
    OtherName{"degrees", "deg"}, OtherName{"tesla", "T"},
    OtherName{"g/cc", "g/cm3"},  OtherName{"percent", "%"},
};

}  // namespace

namespace detail {

std::string_view usual_unit(Dimension dimension) {
  switch (dimension) {
    case Dimension::length:
      return "mm";
    case Dimension::energy:
      return "GeV";
    case Dimension::field:
      return "T";
    case Dimension::angle:
      return "deg";
    case Dimension::density:
      return "g/cm3";
    case Dimension::fraction:
      return "%";
    case Dimension::number:
      break;
  }
  return "";
}

std::vector<std::string> units_of(Dimension dimension) {
  std::vector<std::string> names;
  for (const Unit& u : units)
    if (u.dimension == dimension && !u.is_alias) names.emplace_back(u.name);
  return names;
}

const Unit* find_unit(std::string_view name) {
  for (const Unit& u : units)
    if (u.name == name) return &u;
  for (const std::string_view end : {"/c^2", "/c2", "/c"}) {
    if (!name.ends_with(end)) continue;
    const Unit* u = find_unit(name.substr(0, name.size() - end.size()));
    return u && u->dimension == Dimension::energy ? u : nullptr;
  }
  return nullptr;
}

}  // namespace detail

namespace {

/// The unit of `known` that the user most likely intended.
std::optional<std::string> likely_unit(std::string_view name,
                                       const std::vector<std::string>& known) {
  for (const OtherName& other : other_names)
    if (lower_case(name) == other.written &&
        std::ranges::count(known, other.meant) > 0)
      return std::string(other.meant);
  return nearest(name, known);
}

template <class Number>
Parsed<Number> refuse(const std::string& problem,
                      const std::string& suggestion = {},
                      std::size_t offset = 0, std::size_t length = 0) {
  Parsed<Number> result;
  result.problem = problem;
  result.suggestion = suggestion;
  result.offset = offset;
  result.length = length;
  return result;
}

std::string example(std::string_view unit) {
  std::string number = "10";
  if (unit == "deg") number = "90";
  if (unit == "T") number = "2";
  if (unit == "%" || unit == "g/cm3") number = "1.5";
  return unit.empty() ? number : fmt::format("{} {}", number, unit);
}

/// A number at the beginning of a text: its end, or the error.
struct Scan {
  double value = 0;
  std::size_t end = 0;
  std::string problem{}, suggestion{};
};

/// Hexadecimal and octal notation and the words nan and inf.
std::optional<Scan> odd_number(std::string_view text, std::size_t sign) {
  const std::string_view body = text.substr(sign);
  const std::string lower = lower_case(body);
  for (const std::string_view word : {".nan", "nan", ".inf", "inf"})
    if (lower.starts_with(word))
      return Scan{
          .problem = fmt::format("{} is not a finite number", in_quotes(text))};
  if (lower.starts_with("0x") || lower.starts_with("0o") ||
      lower.starts_with("0b"))
    return Scan{.problem = fmt::format("{}: numbers are decimal here",
                                       in_quotes(text))};
  if (body.size() > 1 && body[0] == '0' && detail::is_digit(body[1])) {
    std::size_t first = 0;  // index of the first digit without leading zeros
    while (first + 1 < body.size() && body[first] == '0' &&
           detail::is_digit(body[first + 1]))
      ++first;
    return Scan{.problem = fmt::format("leading zero in {}", in_quotes(text)),
                .suggestion = fmt::format(
                    "write {}", in_quotes(std::string(text.substr(0, sign)) +
                                          std::string(body.substr(first))))};
  }
  return std::nullopt;
}

Scan scan_number(std::string_view text) {
  const std::size_t sign = text.starts_with('-') || text.starts_with('+');
  if (const auto odd = odd_number(text, sign)) return *odd;
  const std::string_view body = text.substr(sign);
  const bool starts =
      !body.empty() &&
      (detail::is_digit(body[0]) ||
       (body[0] == '.' && body.size() > 1 && detail::is_digit(body[1])));
  if (!starts) return {};
  Scan scan;
  const auto [end, error] =
      read_decimal(body.data(), body.data() + body.size(), scan.value);
  scan.end = sign + static_cast<std::size_t>(end - body.data());
  if (text[0] == '-') scan.value = -scan.value;
  if (error == std::errc::result_out_of_range || !std::isfinite(scan.value)) {
    scan.problem = fmt::format("{} is too large or too small for a number",
                               in_quotes(text.substr(0, scan.end)));
  } else if (text.substr(scan.end).starts_with(',')) {
    std::string mend(text);
    mend[scan.end] = '.';
    scan.problem = fmt::format("decimal comma in {}", in_quotes(text));
    scan.suggestion = fmt::format("write {}", in_quotes(mend));
  }
  return scan;
}

}  // namespace

std::string_view name_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::length:
      return "a length";
    case Dimension::energy:
      return "a momentum or energy";
    case Dimension::field:
      return "a magnetic field";
    case Dimension::angle:
      return "an angle";
    case Dimension::density:
      return "a density";
    case Dimension::fraction:
      return "a fraction";
    case Dimension::number:
      break;
  }
  return "a number";
}

Parsed<double> parse_quantity(std::string_view text, Dimension dimension,
                              std::string_view example_unit) {
  using Result = Parsed<double>;
  text = trimmed(text);
  const std::string_view usual =
      example_unit.empty() ? usual_unit(dimension) : example_unit;
  const std::string_view wanted = name_of(dimension);
  const Scan scan = scan_number(text);
  if (!scan.problem.empty())
    return refuse<double>(scan.problem, scan.suggestion, 0, text.size());
  if (scan.end == 0)
    return refuse<double>(
        fmt::format("expected {}, got {}", wanted, in_quotes(text)),
        fmt::format("write for example \"{}\"", example(usual)), 0,
        text.size());
  const std::string_view number = text.substr(0, scan.end);
  const std::string_view name = trimmed(text.substr(scan.end));
  const std::size_t at =
      name.empty() ? text.size()
                   : static_cast<std::size_t>(name.data() - text.data());
  const bool bare_is_good =
      dimension == Dimension::fraction || dimension == Dimension::number;
  Result result;
  if (name.empty()) {
    result.value = scan.value;
    if (bare_is_good) return result;
    return refuse<double>(
        fmt::format("missing unit: expected {}, got {}", wanted,
                    in_quotes(text)),
        fmt::format("add a unit, for example \"{} {}\"", number, usual), 0,
        text.size());
  }
  const Unit* found = find_unit(name);
  if (found && found->dimension == dimension) {
    result.value = scan.value * found->factor;
    if (std::isfinite(result.value) && (result.value != 0 || scan.value == 0))
      return result;
    return refuse<double>(
        fmt::format("{} is too large or too small for a number",
                    in_quotes(text)),
        "", 0, text.size());
  }
  if (found) {
    const std::string instead =
        dimension == Dimension::number
            ? fmt::format("write it without a unit, for example \"{}\"", number)
            : fmt::format("write for example \"{}\"", example(usual));
    return refuse<double>(
        fmt::format("expected {}, got {} ({})", wanted,
                    name_of(found->dimension), in_quotes(text)),
        instead, 0, text.size());
  }
  if (detail::is_digit(name[0]) && at > scan.end)
    return refuse<double>(
        fmt::format("space within the number in {}", in_quotes(text)), "", 0,
        text.size());
  const std::vector<std::string> known = units_of(dimension);
  if (known.empty())
    return refuse<double>(
        fmt::format("expected a plain number, got {}", in_quotes(text)),
        fmt::format("write for example \"{}\"", number), at, name.size());
  const auto near = likely_unit(name, known);
  return refuse<double>(
      fmt::format("unknown unit {} in {}", in_quotes(name), in_quotes(text)),
      near ? fmt::format("did you mean \"{} {}\"?", number, *near)
           : fmt::format("{} is in {}", wanted, joined(known)),
      at, name.size());
}

Parsed<std::int64_t> parse_integer(std::string_view text,
                                   std::string_view example_number) {
  text = trimmed(text);
  Parsed<std::int64_t> result;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, result.value);
  const std::size_t sign = text.starts_with('-');
  const bool leading_zero = text.size() > sign + 1 && text[sign] == '0' &&
                            detail::is_digit(text[sign + 1]);
  if (error == std::errc() && end == last && !leading_zero) return result;
  const Scan scan = scan_number(text);
  std::string suggestion =
      fmt::format("write for example \"{}\"", example_number);
  constexpr double exact = 0x1p53;  // up to this, a double is every integer
  const bool whole =
      scan.end > 0 && scan.problem.empty() && scan.end == text.size() &&
      scan.value == std::floor(scan.value) && std::abs(scan.value) <= exact;
  if (whole) {
    const auto number = static_cast<std::int64_t>(scan.value);
    const bool has_exponent = text.find_first_of("eE") != text.npos;
    if (has_exponent && !leading_zero) {
      result.value = number;
      return result;
    }
    suggestion = fmt::format("write \"{}\"", number);
  }
  return refuse<std::int64_t>(
      scan.problem.empty()
          ? fmt::format("expected a whole number, got {}", in_quotes(text))
          : scan.problem,
      scan.suggestion.empty() ? suggestion : scan.suggestion, 0, text.size());
}

Powers powers_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::length:
      return {.length = 1};
    case Dimension::energy:
      return {.energy = 1};
    case Dimension::field:
      return {.field = 1};
    case Dimension::angle:
      return {.angle = 1};
    case Dimension::density:
    case Dimension::fraction:
    case Dimension::number:
      break;
  }
  return {};
}

std::string example_unit(const Powers& powers) {
  const std::array<std::pair<std::string_view, double>, 4> factors{
      {{"um", powers.length},
       {"GeV", powers.energy},
       {"T", powers.field},
       {"mrad", powers.angle}}};
  std::string above, below;
  for (const auto& [name, power] : factors) {
    if (power == 0) continue;
    std::string& side = power > 0 ? above : below;
    side += power > 0 && side.empty() ? "" : (power > 0 ? "*" : "/");
    side += name;
    if (std::abs(power) != 1) side += fmt::format("^{:g}", std::abs(power));
  }
  if (above.empty() && !below.empty()) above = "1";
  return above + below;
}

std::string name_of(const Powers& powers) {
  if (is_number(powers)) return "a number";
  for (const Dimension d : {Dimension::length, Dimension::energy,
                            Dimension::field, Dimension::angle})
    if (powers == powers_of(d)) return std::string(name_of(d));
  return "a value in " + example_unit(powers);
}

}  // namespace gttf
