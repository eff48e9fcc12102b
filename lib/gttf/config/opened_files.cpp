// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/opened_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "gttf/config/named_files.hpp"
#include "gttf/config/text.hpp"

namespace gttf {

struct OutputClaim::Registry {
  struct Input {
    Identity identity;
    std::string name, role;
  };

  std::mutex mutex;
  int runs = 0;
  std::vector<Input> inputs;
  std::vector<std::string> missing;   // could not be opened
  std::set<std::string> parsed;       // by path; what they name is recorded
  std::vector<std::string> unparsed;  // files named by others
  std::string replaced_key;           // see replace_named()
  std::map<std::string, std::string> texts;  // see kept_text()
  std::vector<const OutputClaim*> claims;

  void add(const Identity& identity, const std::string& name,
           std::string_view role, const OutputClaim* rewritten);
  void clear() {
    inputs.clear();
    missing.clear();
    parsed.clear();
    unparsed.clear();
  }
};

// Never destroyed: claims may be released by static destructors.
OutputClaim::Registry& OutputClaim::registry() {
  static auto* const registry = new Registry;
  return *registry;
}

namespace {

std::string conflict_text(const std::string& label, const std::string& name,
                          std::string_view role) {
  std::string text = label + ": would overwrite the input " + in_quotes(name);
  if (!role.empty()) text.append(" (").append(role).append(")");
  return text;
}

}  // namespace

void OutputClaim::Registry::add(const Identity& identity,
                                const std::string& name, std::string_view role,
                                const OutputClaim* rewritten) {
  for (const OutputClaim* claim : claims)
    if (claim != rewritten && claim->is_now(identity))
      throw FileConflict(conflict_text(claim->label_, name, role));
  if (rewritten != nullptr && rewritten->is_now(identity)) return;
  const auto known = std::ranges::find(inputs, identity, &Input::identity);
  if (known == inputs.end())
    inputs.push_back({identity, name, std::string(role)});
  else if (known->role.empty())
    known->role = role;
}

FilesOfRun::FilesOfRun() {
  OutputClaim::Registry& all = OutputClaim::registry();
  const std::lock_guard lock(all.mutex);
  ++all.runs;
}

FilesOfRun::~FilesOfRun() {
  OutputClaim::Registry& all = OutputClaim::registry();
  const std::lock_guard lock(all.mutex);
  if (--all.runs > 0) return;
  all.clear();
  all.replaced_key.clear();
  all.texts.clear();
}

std::vector<std::string> inputs_of_run() {
  OutputClaim::Registry& all = OutputClaim::registry();
  const std::lock_guard lock(all.mutex);
  std::vector<std::string> names = all.missing;
  for (const auto& input : all.inputs) names.push_back(input.name);
  return names;
}

void forget_inputs() {
  OutputClaim::Registry& all = OutputClaim::registry();
  const std::lock_guard lock(all.mutex);
  all.clear();
}

// A file that did not exist when it was requested.
void record_missing(const std::string& name) {
  OutputClaim::Registry& all = OutputClaim::registry();
  const std::lock_guard lock(all.mutex);
  if (all.runs > 0 && std::ranges::find(all.missing, name) == all.missing.end())
    all.missing.push_back(name);
}

OutputClaim::OutputClaim(std::string label, std::string target)
    : label_(std::move(label)), target_(std::move(target)) {
  const std::filesystem::path path = target_;
  const std::string folder = path.parent_path().string();
  name_ = path.filename().string();
  struct stat info {};
  if (stat(folder.empty() ? "." : folder.c_str(), &info) == 0)
    folder_ = Identity{info.st_dev, info.st_ino};
  claim();
}

OutputClaim::OutputClaim(std::string label, int descriptor)
    : label_(std::move(label)) {
  struct stat info {};
  if (fstat(descriptor, &info) == 0) {
    open_ = Identity{info.st_dev, info.st_ino};
    has_content_ = S_ISREG(info.st_mode) && info.st_size > 0;
  }
  claim();
}

void OutputClaim::claim() {
  follow_named();
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  check_locked();
  all.claims.push_back(this);
}

OutputClaim::~OutputClaim() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::erase(all.claims, this);
}

void OutputClaim::check() const {
  follow_named();
  const std::lock_guard lock(registry().mutex);
  check_locked();
}

// What the files that are not read name matters only if something is lost.
void OutputClaim::follow_named() const {
  struct stat info {};
  const bool exists = open_ ? has_content_ : stat(target_.c_str(), &info) == 0;
  if (exists) follow_named_files();
}

bool OutputClaim::is_now(const Identity& file) const {
  if (open_) return file == *open_;
  struct stat info {};
  return stat(target_.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         file == Identity{info.st_dev, info.st_ino};
}

bool OutputClaim::same_target(const OutputClaim& other) const {
  if (open_) return !other.open_ && other.is_now(*open_);
  // A target that does not exist yet is identified by its folder and name.
  if (folder_ && folder_ == other.folder_ && name_ == other.name_) return true;
  struct stat info {};
  return stat(target_.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         other.is_now({info.st_dev, info.st_ino});
}

void OutputClaim::check_locked() const {
  const Registry& all = registry();
  if (all.runs == 0) return;
  for (const Registry::Input& input : all.inputs)
    if (is_now(input.identity))
      throw FileConflict(conflict_text(label_, input.name, input.role));
  for (const OutputClaim* claim : all.claims)
    if (claim != this && same_target(*claim))
      throw FileConflict(label_ + ": is the same file as " + claim->label_);
}

void record_input(int descriptor, const std::string& name,
                  std::string_view role, const OutputClaim* rewritten) {
  struct stat info {};
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) return;
  OutputClaim::Registry& all = OutputClaim::registry();
  const std::lock_guard lock(all.mutex);
  if (all.runs > 0) all.add({info.st_dev, info.st_ino}, name, role, rewritten);
}

void replace_named(std::string_view key) {
  OutputClaim::Registry& all = OutputClaim::registry();
  const std::lock_guard lock(all.mutex);
  all.replaced_key = key;
}

void record_named(const std::string& path, std::string_view key) {
  struct stat info {};
  OutputClaim::Registry& all = OutputClaim::registry();
  const std::lock_guard lock(all.mutex);
  if (all.runs == 0 || key == all.replaced_key ||
      stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
    return;
  all.add({info.st_dev, info.st_ino}, path, {}, nullptr);
  if (!all.parsed.contains(path)) all.unparsed.push_back(path);
}

void record_parsed(const std::string& path) {
  OutputClaim::Registry& all = OutputClaim::registry();
  const std::lock_guard lock(all.mutex);
  if (all.runs > 0) all.parsed.insert(path);
}

std::optional<std::string> next_unparsed() {
  OutputClaim::Registry& all = OutputClaim::registry();
  const std::lock_guard lock(all.mutex);
  while (!all.unparsed.empty()) {
    std::string path = std::move(all.unparsed.back());
    all.unparsed.pop_back();
    if (all.parsed.insert(path).second) return path;
  }
  return std::nullopt;
}

std::optional<std::string> kept_text(const std::string& path) {
  OutputClaim::Registry& all = OutputClaim::registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.texts.find(path);
  if (found == all.texts.end()) return std::nullopt;
  return found->second;
}

void keep_text(const std::string& path, const std::string& text) {
  OutputClaim::Registry& all = OutputClaim::registry();
  const std::lock_guard lock(all.mutex);
  if (all.runs > 0) all.texts.insert_or_assign(path, text);
}

FileText read_text(std::FILE* file, std::size_t most) {
  const auto too_long = [most] {
    return FileText{{}, fmt::format("it is longer than {} MiB", most >> 20)};
  };
  struct stat info {};
  const bool regular = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode);
  if (regular && static_cast<std::uintmax_t>(info.st_size) > most)
    return too_long();
  constexpr std::size_t block = std::size_t{1} << 16;
  std::vector<char> buffer(block);
  FileText read;
  if (regular) read.text.reserve(static_cast<std::size_t>(info.st_size));
  for (std::size_t n = block; n == block;) {
    errno = 0;
    n = std::fread(buffer.data(), 1, block, file);
    if (std::ferror(file) != 0) return {{}, std::strerror(errno)};
    if (std::memchr(buffer.data(), 0, n) != nullptr)
      return {{}, "not a text file: it contains bytes of value 0"};
    if (read.text.size() + n > most) return too_long();
    read.text.append(buffer.data(), n);
  }
  return read;
}

FileHandle open_input(const std::string& path, std::string_view role,
                      const OutputClaim* rewritten) {
  FileHandle file(std::fopen(path.c_str(), "rb"));
  // not an error of the file itself
  if (!file && (errno == ENOMEM || errno == EMFILE || errno == ENFILE))
    throw std::system_error(errno, std::generic_category(),
                            "cannot open " + in_quotes(path));
  if (file) {
    record_input(fileno(file.get()), path, role, rewritten);
  } else {
    const int cause = errno;
    record_missing(path);
    errno = cause;  // for the caller's message
  }
  return file;
}

}  // namespace gttf
