// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/npz.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "gttf/config/text.hpp"
#include "gttf/output/atomic_file.hpp"
#include "gttf/output/json.hpp"

namespace gttf {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr char byte_order =
    std::endian::native == std::endian::little ? '<' : '>';

template <class T>
std::string_view as_bytes(std::span<const T> values) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

std::u32string decoded(std::string_view text) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size();) {
    const detail::Character c = detail::character_at(text, i);
    out += c.valid ? c.code : char32_t{0xFFFD};
    i += c.bytes;
  }
  return out;
}

/// What precedes the data of an array of this type ("f8") and shape ("(3,)").
std::string npy_head(std::string_view type, std::string_view shape) {
  constexpr std::string_view magic("\x93NUMPY\x01\x00", 8);
  constexpr std::size_t alignment = 64;
  std::string text =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}",
                  byte_order, type, shape);
  const std::size_t before = magic.size() + 2;  // and the length of the text
  while ((before + text.size() + 1) % alignment != 0) text += ' ';
  text += '\n';
  std::string head(magic);
  head += static_cast<char>(text.size() & 0xFFU);
  head += static_cast<char>(text.size() >> 8U);
  return head + text;
}

[[noreturn]] void refuse_size() {
  throw OutputError(fmt::format(
      "a table of more than {} GiB does not fit in .npz: select --columns, "
      "or write .csv",
      max_npz_bytes >> 30U));
}

}  // namespace

void check_npz_size(std::uint64_t rows, std::size_t columns) {
  // a text of one character; numbers have 8 bytes
  const std::size_t bytes_of_row = columns * sizeof(char32_t);
  if (bytes_of_row > 0 && rows > max_npz_bytes / bytes_of_row) refuse_size();
}

/// The members in sequence, and the directory at the end.
class NpzWriter::Archive {
 public:
  explicit Archive(std::ostream& out) : out_(out) {}

  /// @param write_to  function that calls its argument with all pieces of the
  ///                  content; called twice
  template <class WriteTo>
  void add(const std::string& name, WriteTo write_to) {
    uLong crc = crc32_z(0, nullptr, 0);
    std::size_t size = 0;
    write_to([&](std::string_view piece) {
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
      crc = crc32_z(crc, reinterpret_cast<const Bytef*>(piece.data()),
                    piece.size());
      size += piece.size();
    });
    const std::string file = name + ".npy";
    // version 2.0, names in UTF-8, stored, 1 January 1980
    std::string facts;
    for (const unsigned number : {20U, 0x800U, 0U, 0U, 0x21U})
      append(facts, number, 2);
    append(facts, crc, 4);
    append(facts, size, 4);
    append(facts, size, 4);
    append(facts, file.size(), 2);
    append(facts, 0, 2);  // no further fields

    directory_ += "PK\x01\x02";
    append(directory_, 20, 2);
    directory_ += facts;
    append(directory_, 0, 2);  // no comment
    append(directory_, 0, 2);  // first disk
    append(directory_, 0, 2);  // internal attributes
    append(directory_, 0, 4);  // external ones
    append(directory_, offset_, 4);
    directory_ += file;
    ++members_;

    write("PK\x03\x04" + facts + file);
    write_to([this](std::string_view piece) { write(piece); });
  }

  void finish() {
    std::string end = "PK\x05\x06";
    append(end, 0, 4);  // disks
    append(end, members_, 2);
    append(end, members_, 2);
    append(end, directory_.size(), 4);
    append(end, offset_, 4);
    append(end, 0, 2);  // no comment
    write(directory_);
    write(end);
    out_.flush();
  }

 private:
  static void append(std::string& to, std::size_t number, int bytes) {
    for (int i = 0; i < bytes; ++i, number >>= 8U)
      to += static_cast<char>(number & 0xFFU);
  }

  void write(std::string_view bytes) {
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    offset_ += bytes.size();
  }

  std::ostream& out_;
  std::string directory_;
  std::size_t offset_ = 0, members_ = 0;
};

void NpzWriter::Words::add(const std::string& text) {
  const auto [entry, is_new] =
      number_of.try_emplace(text, static_cast<std::uint32_t>(different.size()));
  if (is_new) {
    different.push_back(decoded(text));
    longest = std::max(longest, different.back().size());
  }
  numbers.push_back(entry->second);
}

std::size_t NpzWriter::bytes() const {
  std::size_t sum = 0;
  for (const Array& array : arrays_)
    if (const auto* words = std::get_if<Words>(&array.cells))
      sum += words->numbers.size() * words->longest * sizeof(char32_t);
    else if (const auto* integers = std::get_if<Integers>(&array.cells))
      sum += integers->size() * sizeof(std::int64_t);
    else
      sum += std::get<Reals>(array.cells).size() * sizeof(double);
  return sum;
}

void NpzWriter::write(const Table& block) {
  const std::vector<std::size_t> shown = shown_columns(block, style_);
  if (arrays_.empty())
    for (const std::size_t i : shown) {
      Array& array = arrays_.emplace_back();
      array.name = block.columns[i].name;
      if (std::holds_alternative<Integers>(block.columns[i].cells))
        array.cells = Integers();
      else if (std::holds_alternative<Texts>(block.columns[i].cells))
        array.cells = Words();
    }
  for (std::size_t k = 0; k < shown.size(); ++k) {
    auto& cells = arrays_[k].cells;
    std::visit(
        [&cells](const auto& more) {
          using Cells = std::remove_cvref_t<decltype(more)>;
          if constexpr (std::is_same_v<Cells, Texts>) {
            for (const std::string& text : more)
              std::get<Words>(cells).add(text);
          } else {
            Cells& all = std::get<Cells>(cells);
            const std::size_t old = all.size();
            all.insert(all.end(), more.begin(), more.end());
            if constexpr (std::is_same_v<Cells, Reals>)
              // their sign and payload depend on the instructions used
              for (double& value : std::span(all).subspan(old))
                if (std::isnan(value)) value = nan;
          }
        },
        block.columns[shown[k]].cells);
  }
  if (bytes() > max_npz_bytes) refuse_size();
}

void NpzWriter::finish() {
  Archive archive(out_);
  for (const Array& array : arrays_) {
    const auto head = [](std::string_view type, std::size_t rows) {
      return npy_head(type, fmt::format("({},)", rows));
    };
    if (const auto* words = std::get_if<Words>(&array.cells)) {
      archive.add(array.name, [&](const auto& put) {
        put(head(fmt::format("U{}", words->longest), words->numbers.size()));
        for (const std::uint32_t number : words->numbers) {
          std::u32string text = words->different[number];
          text.resize(words->longest);
          put(as_bytes(std::span<const char32_t>(text)));
        }
      });
    } else if (const auto* integers = std::get_if<Integers>(&array.cells)) {
      archive.add(array.name, [&](const auto& put) {
        put(head("i8", integers->size()));
        put(as_bytes(std::span(*integers)));
      });
    } else {
      archive.add(array.name, [&](const auto& put) {
        const Reals& reals = std::get<Reals>(array.cells);
        put(head("f8", reals.size()));
        put(as_bytes(std::span(reals)));
      });
    }
  }
  if (style_.provenance) {
    std::string json;
    append_compact_json(json, to_document(*style_.provenance));
    const std::u32string text = decoded(json);
    archive.add("provenance", [&](const auto& put) {
      put(npy_head(fmt::format("U{}", text.size()), "()"));
      put(as_bytes(std::span<const char32_t>(text)));
    });
  }
  archive.finish();
}

}  // namespace gttf
