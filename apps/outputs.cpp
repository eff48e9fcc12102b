// SPDX-License-Identifier: Apache-2.0
#include "outputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "command_line.hpp"
#include "gttf/config/text.hpp"
#include "gttf/output/csv.hpp"
#include "gttf/output/npz.hpp"
#include "gttf/output/terminal.hpp"
#include "gttf/output/text.hpp"
#include "messages.hpp"
#include "usage.hpp"

namespace gttf::app {
namespace {

struct KnownFormat {
  std::string_view name, ending;
  Format format;
};
constexpr std::array<KnownFormat, 6> formats{{
    {"table", ".txt", Format::table},
    {"csv", ".csv", Format::csv},
    {"json", ".json", Format::json},
    {"markdown", ".md", Format::markdown},
    {"markdown", ".markdown", Format::markdown},
    {"npz", ".npz", Format::npz},
}};

Format format_named(const std::string& name) {
  check_choice("--format", name, {"table", "csv", "json", "markdown", "npz"});
  return std::find_if(formats.begin(), formats.end(),
                      [&](const KnownFormat& f) { return f.name == name; })
      ->format;
}

Format format_of_file(const std::string& file) {
  if (is_special_file(file)) return Format::table;
  const std::string ending =
      lower_case(std::filesystem::path(file).extension().string());
  for (const KnownFormat& known : formats)
    if (known.ending == ending) return known.format;
  throw UsageError("-o " + in_quotes(file) + ": " +
                   (ending.empty() ? std::string("the name has no extension")
                                   : "the ending " + in_quotes(ending) +
                                         " is not a known format") +
                   "; use .csv, .json, .md, .npz or .txt, or give --format");
}

std::unique_ptr<TableSink> make_writer(Format format, std::ostream& out,
                                       TableStyle style) {
  switch (format) {
    case Format::csv:
      return std::make_unique<CsvWriter>(out, std::move(style));
    case Format::json:
      return std::make_unique<JsonWriter>(out, std::move(style));
    case Format::markdown:
      return std::make_unique<MarkdownWriter>(out, std::move(style));
    case Format::npz:
      return std::make_unique<NpzWriter>(out, std::move(style));
    case Format::table:
      break;
  }
  return std::make_unique<TextWriter>(out, std::move(style));
}

// Forwards blocks to several writers.
class Distributor : public TableSink {
 public:
  struct Branch {
    std::unique_ptr<TableSink> writer;
    std::ostream* terminal = nullptr;  // to be flushed after each block
  };

  Distributor(std::vector<Branch> branches, Progress* bar)
      : branches_(std::move(branches)), bar_(bar) {}

  void write(const Table& block) override {
    write_prepared(block, prepare(block));
  }

  PreparedBlock prepare(const Table& block) const override {
    PreparedBlock prepared;
    for (const Branch& branch : branches_)
      prepared.parts.push_back(branch.writer->prepare(block));
    return prepared;
  }

  void write_prepared(const Table& block,
                      const PreparedBlock& prepared) override {
    for (std::size_t i = 0; i < branches_.size(); ++i) {
      Branch& branch = branches_[i];
      if (branch.terminal != nullptr && bar_ != nullptr) bar_->erase();
      branch.writer->write_prepared(block, prepared.parts[i]);
      if (branch.terminal != nullptr) branch.terminal->flush();
    }
  }

  void finish() override {
    if (bar_ != nullptr) bar_->erase();
    for (Branch& branch : branches_) branch.writer->finish();
  }

 private:
  std::vector<Branch> branches_;
  Progress* bar_;
};

}  // namespace

void check_formats(const OutputOptions& options) {
  if (!options.format.empty()) {
    format_named(options.format);
    return;
  }
  for (const std::string& file : options.files) format_of_file(file);
}

bool are_completed_later(const OutputOptions& options) {
  return !options.files.empty() &&
         std::ranges::all_of(options.files, [&](const std::string& file) {
           const Format format = options.format.empty()
                                     ? format_of_file(file)
                                     : format_named(options.format);
           return format == Format::csv && file != "-" &&
                  !is_special_file(file);
         });
}

void check_given_once(const std::string& option, const std::string& file,
                      const std::vector<std::string>& outputs) {
  if (std::ranges::find(outputs, file) != outputs.end())
    throw UsageError(option + " " + in_quotes(file) + ": given twice");
}

void check_ending(const std::string& file,
                  const std::vector<std::string_view>& endings,
                  std::string_view what) {
  const std::string ending =
      lower_case(std::filesystem::path(file).extension().string());
  if (is_special_file(file) || std::ranges::count(endings, ending) > 0) return;
  throw UsageError("-o " + in_quotes(file) + ": " + std::string(what) +
                   "; use " + std::string(endings.front()));
}

Outputs::Outputs(const OutputOptions& options,
                 const std::optional<Provenance>& provenance,
                 const std::string& option) {
  std::vector<std::string> files = options.files;
  if (files.empty()) files.emplace_back("-");
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string& file = files[i];
    check_given_once(
        option, file,
        {files.begin(), files.begin() + static_cast<std::ptrdiff_t>(i)});
    Target target;
    target.format = options.format.empty() ? format_of_file(file)
                                           : format_named(options.format);
    target.style.precision = options.precision;
    target.terminal = file == "-" && isatty(STDOUT_FILENO) != 0;
    if (target.terminal && target.format == Format::npz)
      throw UsageError("a terminal cannot show npz; add -o FILE.npz");
    target.style.colour = file == "-" && colours(STDOUT_FILENO);
    if (target.terminal)
      target.style.width = terminal_size(STDOUT_FILENO).columns;
    // A table on standard output is read immediately, not stored.
    const bool for_reading =
        target.format == Format::table || target.format == Format::markdown;
    const bool for_keeping = file != "-" || !for_reading;
    if (for_keeping) target.style.provenance = provenance;
    targets_.push_back(std::move(target));
  }
  for (std::size_t i = 0; i < files.size(); ++i)
    targets_[i].file = std::make_unique<AtomicFile>(files[i], option);
}

bool Outputs::only(Format format) const {
  return std::all_of(targets_.begin(), targets_.end(),
                     [&](const Target& t) { return t.format == format; });
}

bool Outputs::any(Format format) const {
  return std::any_of(targets_.begin(), targets_.end(),
                     [&](const Target& t) { return t.format == format; });
}

bool Outputs::any_of_rows() const {
  return any(Format::csv) || any(Format::npz);
}

bool Outputs::exact() const {
  return std::all_of(targets_.begin(), targets_.end(),
                     [](const Target& t) { return t.style.precision == 0; });
}

void Outputs::set_csv_comment(const std::string& lines) {
  for (Target& target : targets_) {
    target.style.csv_comment = lines;
    target.style.csv_checksum = true;
  }
}

bool Outputs::is_read_on_terminal() const {
  return std::ranges::any_of(targets_, [](const Target& t) {
    return t.terminal && t.format == Format::table;
  });
}

std::unique_ptr<TableSink> Outputs::table_sink(
    const std::string& title, const std::vector<std::string>& columns,
    const std::vector<std::string>& all_columns, Progress* bar) {
  std::vector<Distributor::Branch> branches;
  for (Target& target : targets_) {
    const bool for_reading =
        target.format == Format::table || target.format == Format::markdown;
    TableStyle style = target.style;
    style.columns = for_reading ? columns : all_columns;
    if (for_reading) style.title = title;
    std::ostream& out = target.file->stream();
    branches.push_back({make_writer(target.format, out, std::move(style)),
                        target.terminal ? &out : nullptr});
  }
  return std::make_unique<Distributor>(std::move(branches), bar);
}

std::vector<std::unique_ptr<JsonRows>> Outputs::json_rows() {
  std::vector<std::unique_ptr<JsonRows>> rows;
  for (Target& target : targets_)
    rows.push_back(
        std::make_unique<JsonRows>(target.file->stream(), target.style));
  return rows;
}

void Outputs::write(const Result& result) {
  for (Target& target : targets_) {
    std::ostream& out = target.file->stream();
    switch (target.format) {
      case Format::table:
        if (result.text.empty())
          write_text(out, result.summary, target.style);
        else
          out << visible_lines(result.text);
        break;
      case Format::markdown:
        write_markdown(out, result.summary, target.style);
        break;
      case Format::json:
        write_json(out, result.document, target.style);
        break;
      case Format::csv:
      case Format::npz: {
        const auto writer = make_writer(target.format, out, target.style);
        if (result.rows)
          result.rows(*writer);
        else
          writer->write(result.table);
        writer->finish();
        break;
      }
    }
  }
}

void Outputs::commit() {
  for (Target& target : targets_) target.file->commit();
}

}  // namespace gttf::app
