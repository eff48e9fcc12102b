// SPDX-License-Identifier: Apache-2.0

#include "gttf/config/sha256.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <nettle/base16.h>
#include <nettle/sha2.h>

#include "gttf/config/opened_files.hpp"

namespace gttf {

struct Sha256::State {
  sha256_ctx context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  sha256_init(&state_->context);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::string_view bytes) {
  sha256_update(&state_->context, bytes.size(),
                reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

std::string Sha256::digits() {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&state_->context, digest.size(), digest.data());
  std::string digits(BASE16_ENCODE_LENGTH(digest.size()), '0');
  base16_encode_update(digits.data(), digest.size(), digest.data());
  return digits;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.digits();
}

std::string sha256_of_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  const FileHandle opened = open_input(path, {});
  if (!opened) return "";
  std::FILE* const stream = opened.get();
  std::setvbuf(stream, nullptr, _IONBF, 0);  // straight into `block`
  Sha256 hash;
  std::vector<char> block(std::size_t{1} << 17);
  std::size_t n = 0;
  do {
    n = std::fread(block.data(), 1, block.size(), stream);
    hash.add({block.data(), n});
  } while (n == block.size());
  return std::ferror(stream) != 0 ? "" : hash.digits();
}

namespace {

/// Feeds documents to a hash in a canonical text form, which is unique for each
/// document.
class ContentHash {
 public:
  std::string of(const Document& document) {
    add_outermost(document);
    flush();
    return hash_.digits();
  }

 private:
  void add_outermost(const Document& document) {
    const auto* members = std::get_if<Document::Members>(&document.value());
    if (members == nullptr) return add(document);
    for (const auto& [name, member] : *members)
      if (name != "provenance" && name != checksum_member)
        add_member(name, member);
  }

  void add_member(const std::string& name, const Document& member) {
    add_text(name);
    add(member);
  }

  void add(const Document& document) {
    const Document::Value& value = document.value();
    if (const auto* list = std::get_if<Document::List>(&value)) {
      put('[');
      for (const Document& item : *list) add(item);
      put(']');
    } else if (const auto* members = std::get_if<Document::Members>(&value)) {
      put('{');
      for (const auto& [name, member] : *members) add_member(name, member);
      put('}');
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      add_text(*text);
    } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      add_whole(*whole);
    } else if (const auto* real = std::get_if<double>(&value)) {
      add_real(*real);
    } else if (const auto* flag = std::get_if<bool>(&value)) {
      put(*flag ? 't' : 'f');
    } else {
      put('n');
    }
  }

  void add_text(const std::string& text) {
    put('"');
    put(std::to_string(text.size()));
    put(':');
    put(text);
  }

  /// As the real number if there is an equal one.
  void add_whole(std::int64_t n) {
    const auto real = static_cast<double>(n);
    constexpr double limit = 9.2e18;  // within it a real fits back
    if (std::abs(real) < limit && static_cast<std::int64_t>(real) == n)
      return add_real(real);
    put('i');
    put(std::to_string(n));
  }

  void add_real(double x) {
    if (!std::isfinite(x)) return put('n');  // is written as null
    put('d');
    put(std::to_string(std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x)));
  }

  void put(char c) { put(std::string_view(&c, 1)); }
  void put(std::string_view text) {
    constexpr std::size_t enough = std::size_t{1} << 16;
    buffer_ += text;
    if (buffer_.size() > enough) flush();
  }
  void flush() {
    hash_.add(buffer_);
    buffer_.clear();
  }

  Sha256 hash_;
  std::string buffer_;
};

}  // namespace

std::string checksum_of(const Document& document) {
  return ContentHash().of(document);
}

Document with_checksum(Document document) {
  std::string checksum = checksum_of(document);
  document.set(std::string(checksum_member), std::move(checksum));
  return document;
}

std::optional<std::string> checksum_error(const Document& document) {
  const Document* found = document.find(checksum_member);
  const auto* text =
      found != nullptr ? std::get_if<std::string>(&found->value()) : nullptr;
  if (text == nullptr) return "there is no \"checksum\"";
  if (*text != checksum_of(document))
    return "it was changed or damaged after it was written: the checksum "
           "differs";
  return std::nullopt;
}

}  // namespace gttf
