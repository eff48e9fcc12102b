// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/binary_field_map.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gttf/config/opened_files.hpp"
#include "gttf/config/sha256.hpp"

namespace gttf {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view magic = "\x89GTTF-field\r\n\x1A\n\0"sv;
static_assert(magic.size() == 16);
constexpr std::uint32_t map_format_version = 1;
constexpr std::size_t most_axes = 3;
constexpr std::size_t checksum_at = 96, checksum_bytes = 64, header_bytes = 192;

/// The numbers of the header.
struct Header {
  std::uint32_t version = map_format_version, axes = 0;
  std::array<std::uint32_t, most_axes> nodes{};
  std::uint32_t zero = 0;
  std::array<double, most_axes> first{}, spacing{};
  std::uint64_t values = 0;
};
static_assert(std::is_trivially_copyable_v<Header> &&
              sizeof(Header) == checksum_at - magic.size());

/// A file mapped into memory, read-only.
class MappedFile {
 public:
  explicit MappedFile(std::FILE* file) {
    struct stat info {};
    if (fstat(fileno(file), &info) != 0 || info.st_size <= 0) return;
    const auto size = static_cast<std::size_t>(info.st_size);
    void* const start =
        mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    if (start == MAP_FAILED) return;
    bytes_ = {static_cast<const char*>(start), size};
  }
  ~MappedFile() {
    if (!bytes_.empty())
      munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;  // empty: it cannot be mapped
};

std::string checksum_of(std::string_view header, std::string_view values) {
  Sha256 hash;
  hash.add(header.substr(0, checksum_at));
  hash.add(header.substr(checksum_at + checksum_bytes));
  hash.add(values);
  return hash.digits();
}

/// The reason why a file is refused; thrown.
struct Refused {
  std::string problem, suggestion;
};

constexpr const char* write_again =
    "write it again with \"gttf-design export DETECTOR --to field-map\"";

/// The numbers of the header, if they describe a grid of this size.
Header checked_header(std::string_view bytes) {
  if (bytes.size() < header_bytes)
    throw Refused{fmt::format("it is truncated: {} bytes, the header has "
                              "{}",
                              bytes.size(), header_bytes),
                  write_again};
  Header h;
  std::memcpy(&h, bytes.data() + magic.size(), sizeof h);
  if (h.version != map_format_version)
    throw Refused{
        fmt::format("version {} of the format is not known", h.version),
        fmt::format("this program reads version {}", map_format_version)};
  const auto damaged = [](std::string_view what) {
    throw Refused{fmt::format("its header is damaged: {}", what), write_again};
  };
  if (h.axes != 2 && h.axes != most_axes) damaged("number of axes");
  // a product of three numbers below 2^31, checked at each step
  constexpr std::uint64_t most =
      std::numeric_limits<std::uint64_t>::max() >> 32;
  std::uint64_t values = h.axes;
  for (std::size_t i = 0; i < h.axes; ++i) {
    if (h.nodes[i] < 2 || h.nodes[i] > std::uint32_t{1} << 30)
      damaged("number of nodes");
    if (values > most) damaged("number of nodes");
    values *= h.nodes[i];
    const double last = h.first[i] + (h.nodes[i] - 1) * h.spacing[i];
    if (!(h.spacing[i] > 0) || !std::isfinite(h.first[i]) ||
        !std::isfinite(last))
      damaged("positions of nodes");
  }
  if (h.axes == 2 && h.first[0] < 0) damaged("a radius below 0");
  if (h.values != values) damaged("number of values");
  if ((bytes.size() - header_bytes) / sizeof(double) != values ||
      (bytes.size() - header_bytes) % sizeof(double) != 0)
    throw Refused{
        fmt::format("{} bytes, but its grid has {}", bytes.size(),
                    header_bytes + values * sizeof(double)),
        "the file is truncated or damaged; " + std::string(write_again)};
  return h;
}

FieldGrid grid_of(std::string_view bytes) {
  if constexpr (std::endian::native != std::endian::little)
    throw Refused{"binary field maps are for little-endian processors",
                  "use the table of the nodes"};
  const Header h = checked_header(bytes);
  const std::string_view header = bytes.substr(0, header_bytes);
  const std::string_view values = bytes.substr(header_bytes);
  if (header.substr(checksum_at, checksum_bytes) != checksum_of(header, values))
    throw Refused{
        "it was changed or damaged after it was written: the checksum differs",
        write_again};
  FieldGrid grid;
  grid.around_z = h.axes == 2;
  for (std::size_t i = 0; i < h.axes; ++i)
    grid.axes.push_back(
        {h.first[i], h.spacing[i], static_cast<int>(h.nodes[i])});
  grid.values.resize(h.values);
  std::memcpy(grid.values.data(), values.data(), values.size());
  if (!std::ranges::all_of(grid.values,
                           [](double b) { return std::isfinite(b); }))
    throw Refused{"the field is not a finite number at some node", write_again};
  return grid;
}

}  // namespace

bool is_binary_field_map(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  const FileHandle file = open_input(path, "field map");
  std::array<char, magic.size()> begin{};
  return file &&
         std::fread(begin.data(), 1, begin.size(), file.get()) ==
             begin.size() &&
         std::string_view(begin.data(), begin.size()) == magic;
}

std::optional<FieldGrid> read_binary_field_map(const std::string& path,
                                               Diagnostics& diagnostics) {
  Diagnostic d;
  d.file = path;
  try {
    const FileHandle file = open_input(path, "field map");
    if (!file) throw Refused{std::strerror(errno), ""};
    const MappedFile mapped(file.get());
    if (mapped.bytes().empty()) throw Refused{std::strerror(errno), ""};
    return grid_of(mapped.bytes());
  } catch (const Refused& why) {
    d.problem = "the field map cannot be read: " + why.problem;
    d.suggestion = why.suggestion;
  }
  diagnostics.add(std::move(d));
  return std::nullopt;
}

void write_binary_field_map(std::ostream& out, const FieldGrid& grid) {
  Header h;
  h.axes = static_cast<std::uint32_t>(grid.axes.size());
  for (std::size_t i = 0; i < grid.axes.size(); ++i) {
    h.nodes[i] = static_cast<std::uint32_t>(grid.axes[i].nodes);
    h.first[i] = grid.axes[i].first;
    h.spacing[i] = grid.axes[i].spacing;
  }
  h.values = grid.values.size();
  std::string header(header_bytes, '\0');
  header.replace(0, magic.size(), magic);
  std::memcpy(header.data() + magic.size(), &h, sizeof h);
  const std::string_view values(
      reinterpret_cast<const char*>(grid.values.data()),
      grid.values.size() * sizeof(double));
  header.replace(checksum_at, checksum_bytes, checksum_of(header, values));
  out << header << values;
}

}  // namespace gttf
