// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/provenance.hpp"

#include <fmt/format.h>

#include <chrono>

#include "gttf/config/text.hpp"
#include "gttf/core/version.hpp"

namespace gttf {
namespace {

constexpr std::string_view hash_mark = " sha256:";
constexpr std::size_t late_hash_bytes = hash_mark.size() + 64;

bool is_pending(const InputFile& input) {
  return input.pending.valid() &&
         input.pending.wait_for(std::chrono::seconds(0)) !=
             std::future_status::ready;
}

bool is_plain_word(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "_-+./:,=@%";
  return !word.empty() && word.find_first_not_of(plain) == word.npos;
}

/// Whether the character at `i` would break its line, mislead readers or begin
/// a command of a workflow.
bool is_escaped(std::string_view word, std::size_t i,
                const detail::Character& c) {
  return !c.valid || detail::is_invisible(c.code) ||
         detail::is_command(word, i);
}

bool has_escapes(std::string_view word) {
  for (std::size_t i = 0; i < word.size();) {
    const detail::Character c = detail::character_at(word, i);
    if (is_escaped(word, i, c)) return true;
    i += c.bytes;
  }
  return false;
}

std::string shell_word(std::string_view word) {
  if (is_plain_word(word)) return std::string(word);
  if (has_escapes(word)) {  // $'...' of bash and zsh; POSIX since 2024
    std::string out = "$'";
    for (std::size_t i = 0; i < word.size();) {
      const detail::Character c = detail::character_at(word, i);
      const bool plain = !is_escaped(word, i, c);
      if (c.code == '\'' || c.code == '\\') out += '\\';
      for (const char byte : word.substr(i, c.bytes))
        out += plain
                   ? std::string(1, byte)
                   : fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
      i += c.bytes;
    }
    return out + "'";
  }
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

}  // namespace

std::string shell_quoted(std::span<const std::string> arguments) {
  std::string line;
  for (const std::string& word : arguments) {
    if (!line.empty()) line += ' ';
    line += shell_word(word);
  }
  return line;
}

Provenance make_provenance(std::span<const std::string> arguments) {
  Provenance provenance;
  provenance.version = version();
  std::vector<std::string> words(arguments.begin(), arguments.end());
  if (!words.empty()) {
    const std::size_t slash = words[0].rfind('/');
    if (slash != std::string::npos) words[0].erase(0, slash + 1);
  }
  provenance.command_line = shell_quoted(words);
  return provenance;
}

std::string LateHash::text() const {
  const std::string& digits = hash.get();
  // the file could not be read to the end: no hash
  return digits.empty() ? std::string(late_hash_bytes, ' ')
                        : std::string(hash_mark) + digits;
}

std::string to_lines(const Provenance& p, std::string_view prefix,
                     std::vector<LateHash>* late) {
  std::string out = fmt::format("{}{} {}\n", prefix, p.program, p.version);
  out += fmt::format("{}command: {}\n", prefix, p.command_line);
  for (const InputFile& input : p.inputs) {
    out += fmt::format("{}input: {}", prefix, visible(input.file));
    if (late != nullptr && is_pending(input)) {
      late->push_back({out.size(), input.pending});
      out.append(late_hash_bytes, ' ');
    } else if (const std::string& hash = input.hash(); !hash.empty()) {
      out += fmt::format("{}{}", hash_mark, hash);
    }
    out += '\n';
  }
  for (const std::string& model : p.models)
    out += fmt::format("{}model: {}\n", prefix, visible(model));
  if (p.seed) out += fmt::format("{}seed: {}\n", prefix, *p.seed);
  return out;
}

Document to_document(const Provenance& p) {
  Document document;
  document.set("program", p.program);
  document.set("version", p.version);
  document.set("command_line", p.command_line);
  Document::List inputs;
  for (const InputFile& input : p.inputs) {
    const std::string& hash = input.hash();
    inputs.push_back(
        Document()
            .set("file", input.file)
            .set("sha256", hash.empty() ? Document() : Document(hash)));
  }
  document.set("inputs", std::move(inputs));
  if (!p.models.empty())
    document.set("models", Document::List(p.models.begin(), p.models.end()));
  if (p.seed) {
    // As text if it is not exact in a double, which most JSON readers use.
    constexpr std::uint64_t exact = std::uint64_t{1} << 53;
    if (*p.seed < exact)
      document.set("seed", static_cast<std::int64_t>(*p.seed));
    else
      document.set("seed", std::to_string(*p.seed));
  }
  return document;
}

}  // namespace gttf
