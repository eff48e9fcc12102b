// SPDX-License-Identifier: Apache-2.0
// Outputs: where the results of a verb go, one or several files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/output/atomic_file.hpp"
#include "gttf/output/json.hpp"
#include "gttf/output/progress.hpp"
#include "gttf/output/provenance.hpp"
#include "gttf/output/table_style.hpp"
#include "options.hpp"

namespace gttf::app {

enum class Format { table, csv, json, markdown };

/// One result in the shapes that the formats need.
struct Result {
  Table table;            ///< for csv
  Document document;      ///< for json
  Summary summary;        ///< for table and markdown
  std::string text = {};  ///< for table instead of the summary if not empty
};

/// Throws UsageError if --format or the ending of a file is wrong: a slip that
/// need not wait for the inputs to be read.
void check_formats(const OutputOptions& options);

/// Whether all outputs are files whose head may be filled in at the end: csv,
/// and no pipes.
bool are_completed_later(const OutputOptions& options);

/// Throws UsageError if `file`, given by `option`, is the name of one of
/// `outputs`. (Other names of the same file are refused where it is opened.)
void check_given_once(const std::string& option, const std::string& file,
                      const std::vector<std::string>& outputs);

/// Throws UsageError if `file`, of -o, ends in none of `endings`; terminals,
/// pipes and "-" may be called what they are. `what`: "a report is a page".
void check_ending(const std::string& file,
                  const std::vector<std::string_view>& endings,
                  std::string_view what);

/// The outputs that the options ask for, opened before the work so that one
/// that cannot be written is an error then. Files appear on commit().
class Outputs {
 public:
  /// Throws UsageError, OutputError, or FileConflict for a file that the run
  /// reads. `option`: that names the files, for messages.
  Outputs(const OutputOptions& options,
          const std::optional<Provenance>& provenance,
          const std::string& option = "-o");

  /// A sink that writes blocks to all outputs. `title` and `columns`: what to
  /// show where people read; `all_columns`: those of csv and json (empty: all).
  /// `bar` is erased before anything is written to the same terminal.
  std::unique_ptr<TableSink> table_sink(
      const std::string& title, const std::vector<std::string>& columns,
      const std::vector<std::string>& all_columns, Progress* bar);

  /// A writer of rows per output, which all must be json.
  std::vector<std::unique_ptr<JsonRows>> json_rows();

  void write(const Result& result);

  /// Makes all files final.
  void commit();

  /// Lines to stand above the header of csv, which then ends with a checksum.
  void set_csv_comment(const std::string& lines);

  /// Whether all outputs have this format.
  bool only(Format format) const;
  /// Whether at least one has.
  bool any(Format format) const;
  /// Whether one is a table on a terminal.
  bool is_read_on_terminal() const;
  /// Whether numbers are written such that they read back exactly.
  bool exact() const;

 private:
  struct Target {
    Format format = Format::table;
    std::unique_ptr<AtomicFile> file;
    TableStyle style;
    bool terminal = false;
  };
  std::vector<Target> targets_;
};

}  // namespace gttf::app
