// SPDX-License-Identifier: Apache-2.0
// Optimisation problems in tests: from a text, searched, with their gradients.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "gttf/study/optimise/read_problem.hpp"
#include "gttf/study/optimise/search.hpp"

namespace gttf::test {

/// A file that is there as long as this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    static int count = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("gttf-problem-" + std::to_string(getpid()) + '-' +
              std::to_string(++count) + ".yaml"))
                .string();
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline OptimisationProblem problem_of(const std::string& text) {
  const TemporaryFile file("gttf-optimisation: 1\n" + text);
  Diagnostics warnings;
  return read_problem(file.path(), {}, {}, warnings);
}

/// The gradient of objective and limits against differences of sixth order.
inline void check_gradients(const OptimisationProblem& problem,
                            const std::vector<double>& x) {
  DesignProgram program(problem, Combination{});
  std::vector<std::size_t> working(program.n_samples());
  std::iota(working.begin(), working.end(), 0);
  const NonlinearProgram p = program.program(working);
  Eigen::VectorXd at = program.scaled(x);
  if (program.has_level()) at[at.size() - 1] = program.level_at(x);
  const auto exact = p.evaluate(at, true);
  REQUIRE(exact);
  constexpr double h = 3e-4;
  for (Eigen::Index i = 0; i < at.size(); ++i) {
    const auto values = [&](double steps) {
      Eigen::VectorXd y = at;
      y[i] += steps * h;
      const auto there = p.evaluate(y, false);
      REQUIRE(there);
      return *there;
    };
    const ProgramValues a = values(1), b = values(-1), c = values(2),
                        d = values(-2), e = values(3), f = values(-3);
    const auto difference = [&](const auto& get) {
      return (45 * (get(a) - get(b)) - 9 * (get(c) - get(d)) +
              (get(e) - get(f))) /
             (60 * h);
    };
    INFO(i);
    CHECK(std::abs(exact->gradient[i] - difference([](const ProgramValues& v) {
                     return v.f;
                   })) <= 1e-7 * exact->gradient.norm());
    for (Eigen::Index k = 0; k < exact->limits.size(); ++k) {
      INFO(k);
      CHECK(std::abs(exact->jacobian(k, i) -
                     difference([k](const ProgramValues& v) {
                       return v.limits[k];
                     })) <= 1e-7 * exact->jacobian.row(k).norm());
    }
  }
}

/// `problem` has to stay as long as the result.
inline SearchResult searched(OptimisationProblem& problem, std::size_t starts) {
  problem.starts = starts;
  SearchOptions options;
  options.local = starts == 1;
  return search(problem, options);
}

}  // namespace gttf::test
