// SPDX-License-Identifier: Apache-2.0
// SHA-256 of texts and files: libmd, or the instructions of the processor for
// it where it has them, which are six times as fast.
#include <sha2.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "gttf/config/source.hpp"

#if GTTF_SIMD_X86
#include <cpuid.h>
#include <immintrin.h>

#include "gttf/core/unroll.hpp"
#endif

namespace gttf {
namespace {

#if GTTF_SIMD_X86
bool has_instructions() {
  static const bool has = [] {
    constexpr unsigned sha_bit = 1u << 29;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & sha_bit) != 0 &&
           __builtin_cpu_supports("sse4.1");
  }();
  return has;
}

alignas(16) constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// Blocks of 64 bytes into the state (a ... h).
/// Source: FIPS 180-4, section 6.2; the instructions do two rounds at once with
/// the state as (a, b, e, f) and (c, d, g, h), highest first.
__attribute__((target("sha,sse4.1"))) void hash_blocks(std::uint32_t state[8],
                                                       const std::uint8_t* data,
                                                       std::size_t n) {
  const auto load = [](const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const __m128i big_endian =
      _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i badc = _mm_shuffle_epi32(load(state), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(load(state + 4), 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (; n > 0; --n, data += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];  // the words of the four steps to come
    GTTF_UNROLL
    for (int i = 0; i < 4; ++i)
      w[i] = _mm_shuffle_epi8(load(data + 16 * i), big_endian);
    for (int quarter = 0; quarter < 4; ++quarter) {
      GTTF_UNROLL
      for (int i = 0; i < 4; ++i) {
        const __m128i sum =
            _mm_add_epi32(w[i], load(&round_constants[static_cast<std::size_t>(
                                    16 * quarter + 4 * i)]));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
        if (quarter == 3) continue;
        const __m128i last = w[(i + 3) % 4];
        const __m128i part =
            _mm_add_epi32(_mm_sha256msg1_epu32(w[i], w[(i + 1) % 4]),
                          _mm_alignr_epi8(last, w[(i + 2) % 4], 4));
        w[i] = _mm_sha256msg2_epu32(part, last);
      }
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state),
                   _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4),
                   _mm_alignr_epi8(dchg, feba, 8));
}
#endif

class Sha256 {
 public:
  Sha256() { SHA256Init(&context_); }

  /// Every text but the last is a multiple of 64 bytes.
  void update(std::string_view bytes) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    std::size_t n = bytes.size();
#if GTTF_SIMD_X86
    if (has_instructions()) {
      const std::size_t blocks = n / SHA256_BLOCK_LENGTH;
      hash_blocks(context_.state.st32, data, blocks);
      const std::size_t done = blocks * SHA256_BLOCK_LENGTH;
      context_.bitcount[0] += std::uint64_t{8} * done;
      data += done;
      n -= done;
    }
#endif
    SHA256Update(&context_, data, n);
  }

  std::string digits() {
    std::array<char, SHA256_DIGEST_STRING_LENGTH> text{};
    SHA256End(&context_, text.data());
    return text.data();
  }

 private:
  SHA2_CTX context_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.digits();
}

std::string sha256_of_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) return "";
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  constexpr std::size_t at_once = std::size_t{1} << 17;
  std::vector<char> bytes(at_once);
  Sha256 hash;
  for (std::size_t n = at_once; n == at_once;) {
    n = std::fread(bytes.data(), 1, at_once, file.get());
    hash.update({bytes.data(), n});
  }
  return std::ferror(file.get()) != 0 ? "" : hash.digits();
}

}  // namespace gttf
