// SPDX-License-Identifier: Apache-2.0
// Outputs: the destinations of the results of a verb, one or several files.
#pragma once

#include <functional>
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

enum class Format { table, csv, json, markdown, npz };

/// One result in the forms needed by the formats.
struct Result {
  Table table;            ///< for csv and npz
  Document document;      ///< for json
  Summary summary;        ///< for table and markdown
  std::string text = {};  ///< for table instead of the summary if not empty
  /// For csv and npz instead of the table, if that were too large: writes the
  /// rows.
  std::function<void(TableSink&)> rows = {};
};

/// Throws UsageError if --format or the extension of a file is invalid, before
/// the inputs are read.
void check_formats(const OutputOptions& options);

/// Whether the head of all outputs may be filled in at the end: csv files, not
/// pipes.
bool are_completed_later(const OutputOptions& options);

/// Throws UsageError if `file`, given by `option`, is the name of one of
/// `outputs`. (Other names of the same file are refused when it is opened.)
void check_given_once(const std::string& option, const std::string& file,
                      const std::vector<std::string>& outputs);

/// Throws UsageError if `file`, of -o, has none of the extensions `endings`;
/// terminals, pipes and "-" may have any name. `what`: "a report is a page".
void check_ending(const std::string& file,
                  const std::vector<std::string_view>& endings,
                  std::string_view what);

/// The requested outputs, opened before the work so that errors are reported
/// early. Files appear on commit().
class Outputs {
 public:
  /// Throws UsageError, OutputError, or FileConflict for an input of the run.
  /// `option`: the option with the files, for messages.
  Outputs(const OutputOptions& options,
          const std::optional<Provenance>& provenance,
          const std::string& option = "-o");

  /// A sink that writes blocks to all outputs. `title` and `columns`: for
  /// formats for readers; `all_columns`: for the others (empty: all).
  /// `bar` is erased before anything is written to the same terminal.
  std::unique_ptr<TableSink> table_sink(
      const std::string& title, const std::vector<std::string>& columns,
      const std::vector<std::string>& all_columns, Progress* bar);

  /// A writer of rows per output, which all must be json.
  std::vector<std::unique_ptr<JsonRows>> json_rows();

  void write(const Result& result);

  /// Commits all files.
  void commit();

  /// Lines above the header of csv, which then ends with a checksum.
  void set_csv_comment(const std::string& lines);

  /// Whether at least one format contains the whole table: csv, npz.
  bool any_of_rows() const;
  /// Whether all outputs have this format.
  bool only(Format format) const;
  /// Whether at least one has.
  bool any(Format format) const;
  /// Whether one is a table on a terminal.
  bool is_read_on_terminal() const;
  /// Whether numbers are written exactly.
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
