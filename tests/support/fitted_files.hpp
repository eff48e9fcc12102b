// SPDX-License-Identifier: Apache-2.0
// Fits of files of hits: the resulting tables.
#pragma once

#include <string>
#include <utility>

#include "gttf/detector/read.hpp"
#include "gttf/study/hits/fit_study.hpp"
#include "support/folder.hpp"

namespace gttf::test {

inline const std::string header = "track,layer,x_mm,y_mm,z_mm\n";

/// Joins the blocks that it is given.
class Collector : public TableSink {
 public:
  void write(const Table& block) override {
    if (all.columns.empty()) {
      all = block;
      return;
    }
    for (std::size_t i = 0; i < all.columns.size(); ++i)
      std::visit(
          [&](auto& cells) {
            const auto& more =
                std::get<std::decay_t<decltype(cells)>>(block.columns[i].cells);
            cells.insert(cells.end(), more.begin(), more.end());
          },
          all.columns[i].cells);
  }
  void finish() override { ++finished; }

  double real(const char* column, std::size_t row = 0) const {
    return std::get<Reals>(all.find(column)->cells)[row];
  }
  std::int64_t integer(const char* column, std::size_t row = 0) const {
    return std::get<Integers>(all.find(column)->cells)[row];
  }
  const std::string& text(const char* column, std::size_t row = 0) const {
    return std::get<Texts>(all.find(column)->cells)[row];
  }

  Table all;
  int finished = 0;
};

struct Fitted {
  Collector tracks, residuals;
  FitCounts counts;
};

inline FitStudyOptions usual() {
  FitStudyOptions options;
  options.fit.weights = WeightSource::update;
  options.fit_name = "general";
  return options;
}

inline Fitted fit(const std::string& text, const Detector& detector,
                  const StudyRequest& request = {},
                  const FitStudyOptions& options = usual(),
                  bool with_residuals = false, HitFileOptions reading = {}) {
  const Folder folder;
  reading.threads = options.threads;
  HitFile file(folder.write("h.csv", text), detector, reading);
  Fitted fitted;
  fitted.counts = fit_tracks(detector, request, file, options, fitted.tracks,
                             with_residuals ? &fitted.residuals : nullptr);
  return fitted;
}

}  // namespace gttf::test
