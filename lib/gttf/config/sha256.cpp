// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/sha256.hpp"

#include <nettle/base16.h>
#include <nettle/sha2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

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

}  // namespace gttf
