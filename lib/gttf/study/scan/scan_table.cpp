// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/scan_table.hpp"

#include <iterator>
#include <utility>
#include <variant>

namespace gttf {
namespace {

class Collector : public TableSink {
 public:
  void write(const Table& block) override { append_rows(rows, block); }
  void finish() override {}

  Table rows;
};

}  // namespace

void append_rows(Table& table, Table more) {
  if (table.columns.empty()) {
    table = std::move(more);
    return;
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    std::visit(
        [&](auto& cells) {
          auto& others =
              std::get<std::decay_t<decltype(cells)>>(more.columns[i].cells);
          cells.insert(cells.end(), std::make_move_iterator(others.begin()),
                       std::make_move_iterator(others.end()));
        },
        table.columns[i].cells);
}

ScanTable scan_table(const StudyRequest& request, const Detector& detector,
                     const ScanOptions& options) {
  Collector collector;
  const std::size_t evaluated =
      scan(request, {&detector, 1}, options, collector);
  return {std::move(collector.rows), evaluated};
}

}  // namespace gttf
