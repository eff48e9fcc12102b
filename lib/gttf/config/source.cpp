// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "gttf/config/opened_files.hpp"
#include "gttf/config/text.hpp"

namespace gttf {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_names = 1000;     // compared for a suggestion
constexpr std::size_t counted_bytes = 2048;  // of Source::characters_before_

/// Number of characters of UTF-8 that begin in the text.
std::size_t characters_begun(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return !detail::continues_character(c); }));
}

Diagnostic error(const std::string& file, std::string problem,
                 std::string suggestion = "") {
  Diagnostic d;
  d.file = file;
  d.problem = std::move(problem);
  d.suggestion = std::move(suggestion);
  return d;
}

/// "104857600 bytes (100 MB)"
std::string size_text(std::uintmax_t bytes) {
  constexpr std::uintmax_t mega = 1'000'000, giga = 1000 * mega;
  if (bytes >= giga)
    return fmt::format("{} bytes ({} GB)", bytes, bytes / giga);
  if (bytes >= mega)
    return fmt::format("{} bytes ({} MB)", bytes, bytes / mega);
  return fmt::format("{} bytes", bytes);
}

Diagnostic too_large(const std::string& file, const std::string& size,
                     std::size_t most) {
  return error(
      file,
      fmt::format("the text is too large: {}, the limit is {} bytes "
                  "({} MiB)",
                  size, most, most >> 20),
      most == max_text_bytes ? "use \"repeat\" for layers that are alike" : "");
}

/// Reads at most one byte more than the limit, to stop at an endless stream.
std::optional<std::string> read_bounded(std::FILE* stream, std::size_t most) {
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (text.size() <= most) {
    const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), stream);
    text.append(buffer.data(), n);
    if (n < buffer.size()) break;
  }
  if (std::ferror(stream)) return std::nullopt;
  return text;
}

std::string yaml_file_in(const fs::path& folder) {
  std::error_code ignored;
  std::string first;
  std::size_t seen = 0;
  for (fs::directory_iterator it(folder, ignored), end;
       !ignored && it != end && ++seen <= most_names; it.increment(ignored)) {
    const fs::path& path = it->path();
    if (path.extension() != ".yaml" && path.extension() != ".yml") continue;
    if (first.empty() || path.string() < first) first = path.string();
  }
  return first;
}

}  // namespace

Source::Source(std::string name, std::string text, Kind kind)
    : name_(std::move(name)), text_(std::move(text)), kind_(kind) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  const std::string_view all = text_;
  std::size_t n = 0;
  for (std::size_t i = 0; i <= all.size(); i += counted_bytes) {
    characters_before_.push_back(n);
    n += characters_begun(all.substr(i, counted_bytes));
  }
}

std::size_t Source::characters_up_to(std::size_t offset) const {
  const std::size_t block = offset / counted_bytes,
                    begin = block * counted_bytes;
  return characters_before_[block] +
         characters_begun(
             std::string_view(text_).substr(begin, offset - begin));
}

int Source::line_of(std::size_t offset) const {
  const auto next = std::ranges::upper_bound(line_starts_, offset);
  return static_cast<int>(next - line_starts_.begin());
}

Diagnostic Source::at(std::size_t offset, std::size_t bytes) const {
  offset = std::min(offset, text_.size());
  int line = line_of(offset);
  // the end of a text that ends with its last line belongs to that line
  if (offset == text_.size() && line > 1 &&
      line_starts_[static_cast<std::size_t>(line - 1)] == text_.size())
    --line, --offset;
  std::size_t start = line_starts_[static_cast<std::size_t>(line - 1)];
  std::size_t end = std::min(text_.find('\n', start), text_.size());
  if (end > start && text_[end - 1] == '\r') --end;
  if (start == 0 && text_.starts_with(detail::utf8_mark))
    start = detail::utf8_mark.size();
  offset = std::clamp(offset, start, std::max(start, end));
  const std::string_view all = text_;
  // more is not underlined
  const std::size_t last =
      std::clamp(offset + std::min(bytes, counted_bytes), offset, end);

  Diagnostic d;
  d.file = name_;
  d.line = kind_ == Kind::file ? line : 0;
  const std::size_t before =
      offset - start <= counted_bytes
          ? detail::character_count(all.substr(start, offset - start))
          : characters_up_to(offset) - characters_up_to(start);
  d.column = 1 + static_cast<int>(before);
  d.length = std::max(1, static_cast<int>(detail::character_count(
                             all.substr(offset, last - offset))));
  d.set_source_line(all.substr(start, end - start), offset - start);
  return d;
}

SourcePtr read_source(const std::string& path, Diagnostics& diagnostics,
                      std::string_view role, std::size_t most) {
  const bool is_stdin = path == "-";
  const std::string name = is_stdin ? "<stdin>" : path;
  bool can_be_read_again = false;
  if (is_stdin) {
    record_input(fileno(stdin), name, role);
  } else {
    if (path.empty()) {
      diagnostics.add(error("\"\"", "the name of the file is empty"));
      return nullptr;
    }
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    if (fs::is_directory(status)) {
      const std::string example = yaml_file_in(path);
      diagnostics.add(error(name, "is a directory, but a file is expected",
                            example.empty() ? "" : "for example " + example));
      return nullptr;
    }
    can_be_read_again = fs::is_regular_file(status);
    if (can_be_read_again) {
      const std::uintmax_t size = fs::file_size(path, ignored);
      if (!ignored && size > most) {
        diagnostics.add(too_large(name, size_text(size), most));
        return nullptr;
      }
    }
  }
  // a pipe was read if someone wanted to know what kind of file it is
  std::optional<std::string> text;
  if (!can_be_read_again) text = kept_text(path);
  if (!text) {
    FileHandle opened;
    if (!is_stdin) opened = open_input(path, role);
    if (!is_stdin && !opened) {
      const int why = errno;
      diagnostics.add(why == ENOENT
                          ? error(name, "no such file", suggest_file(path))
                          : error(name, fmt::format("cannot be read: {}",
                                                    std::strerror(why))));
      return nullptr;
    }
    errno = 0;
    text = read_bounded(is_stdin ? stdin : opened.get(), most);
    const int why = errno;
    if (!text) {
      diagnostics.add(
          error(name, fmt::format("cannot be read: {}", std::strerror(why))));
      return nullptr;
    }
    if (!can_be_read_again) keep_text(path, *text);
  }
  auto source = std::make_shared<Source>(name, std::move(*text));
  return check_text(*source, diagnostics, most) ? source : nullptr;
}

bool check_text(const Source& source, Diagnostics& diagnostics,
                std::size_t most) {
  const std::string& text = source.text();
  if (text.size() > most) {
    diagnostics.add(too_large(source.name(),
                              fmt::format("more than {} bytes", most), most));
    return false;
  }
  const auto report = [&](std::size_t offset, std::string problem,
                          std::string suggestion) {
    Diagnostic d = source.at(offset);
    d.source_line.clear();  // it may have any type
    d.problem = std::move(problem);
    d.suggestion = std::move(suggestion);
    diagnostics.add(std::move(d));
    return false;
  };
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return report(0, "the text is UTF-16, but must be UTF-8",
                  "save the file as UTF-8");
  const auto where = [&](std::size_t i) {
    return source.kind() == Source::Kind::option
               ? fmt::format("byte {}", i + 1)
               : fmt::format("byte {}, line {}", i + 1, source.line_of(i));
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte >= 0x20 && byte < 0x7F) || byte == '\n') {  // most of a text
      ++i;
      continue;
    }
    const detail::Character c = detail::character_at(text, i);
    if (!c.valid)
      return report(
          i,
          fmt::format("the text is not UTF-8: 0x{:02x} at {}", byte, where(i)),
          "save the file as UTF-8");
    const bool lone_return =
        c.code == '\r' && (i + 1 == text.size() || text[i + 1] != '\n');
    if (lone_return)
      return report(
          i,
          fmt::format("a carriage return without a line feed at {}", where(i)),
          "end lines with a line feed");
    const bool control =
        (c.code < 0x20 && c.code != '\n' && c.code != '\r' && c.code != '\t') ||
        c.code == 0x7F;
    if (control)
      return report(
          i,
          fmt::format("this is not a text: control character 0x{:02x} "
                      "at {}",
                      byte, where(i)),
          source.kind() == Source::Kind::option ? "remove it"
                                                : "give a YAML file");
    i += c.bytes;
  }
  return true;
}

std::string suggest_file(const std::string& path) {
  const fs::path wanted(path);
  const fs::path parent = wanted.parent_path();
  const fs::path folder = parent.empty() ? fs::path(".") : parent;
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    return fmt::format("the folder {} does not exist either",
                       in_quotes(parent.string()));
  std::vector<std::string> names;
  for (fs::directory_iterator it(folder, ignored), end;
       !ignored && it != end && names.size() < most_names;
       it.increment(ignored))
    names.push_back(it->path().filename().string());
  std::ranges::sort(names);
  for (const char* ending : {".yaml", ".yml"})
    if (std::ranges::binary_search(names, wanted.filename().string() + ending))
      return fmt::format("did you mean {}?", in_quotes(path + ending));
  const auto near = nearest(wanted.filename().string(), names);
  if (!near || *near == wanted.filename().string()) return "";
  return fmt::format("did you mean {}?", in_quotes((parent / *near).string()));
}

}  // namespace gttf
