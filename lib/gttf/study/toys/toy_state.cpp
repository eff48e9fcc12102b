// SPDX-License-Identifier: Apache-2.0
// Plans a run over toys and joins parts of one.
#include "gttf/study/toys/toy_state.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "gttf/config/document_reader.hpp"
#include "gttf/config/sha256.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/core/version.hpp"
#include "gttf/study/request/request_document.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {

namespace {

constexpr const char* parameters_name = "toy_parameters";
constexpr const char* plane_name = "plane";
constexpr const char* simd_name = "simd";

/// All settings that determine the toys.
Document describe(const StudyRequest& request,
                  std::span<const Detector> detectors) {
  Document study;
  study.set("version", version());
  // last digits depend on it
  study.set(simd_name, to_string(simd_level()));
  Document::List list;
  for (const Detector& d : detectors)
    list.push_back(Document().set("name", d.name).set("sha256", d.sha256));
  study.set("detectors", std::move(list));
  describe_tracks(request, study);
  Document::List fits;
  for (const FitChoice& fit : request.toys.fits)
    fits.emplace_back(name_of(fit));
  study.set("fits", std::move(fits));
  study.set("toys", static_cast<std::int64_t>(request.toys.toys));
  study.set("seed", static_cast<std::int64_t>(request.toys.seed));
  return study;
}

/// floor(n k/N) without overflow.
std::uint64_t share(std::uint64_t n, std::uint64_t k, std::uint64_t count) {
  return n / count * k + n % count * k / count;
}

/// Rows of scan_averages() for toys: the errors are those of all residuals
/// together, sqrt(<sigma^2>).
Table expected_of_draws(const StudyRequest& request, const Detector& detector) {
  Table rows = scan_table(request, detector, ScanOptions{}).rows;
  for (Column& column : rows.columns) {
    const Column* rms = rows.find(column.name + "_rms");
    if (!column.name.starts_with("sigma_") || rms == nullptr) continue;
    auto& cells = std::get<Reals>(column.cells);
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i] = std::hypot(cells[i], std::get<Reals>(rms->cells)[i]);
  }
  return rows;
}

}  // namespace

StudyRequest toy_request(StudyRequest request, const Detector& detector) {
  if (!request.average &&
      std::ranges::any_of(detector.layers, [](const Layer& l) {
        return l.measures() && l.efficiency < 1;
      }))
    request.average.emplace();
  request.at.reset();
  return request;
}

ToyParameters ToyPoint::parameters() const {
  return text_of(row, parameters_name) == plane_name ? ToyParameters::plane
                                                     : ToyParameters::perigee;
}

bool ToyState::any_at_plane() const {
  return std::ranges::any_of(points, [](const ToyPoint& p) {
    return p.parameters() == ToyParameters::plane;
  });
}

bool ToyState::any_without_field() const {
  return std::ranges::any_of(points, [](const ToyPoint& p) {
    return text_of(p.row, "status") == to_string(Status::no_field);
  });
}

std::uint64_t ToyState::total() const {
  const auto points_with_toys = static_cast<std::uint64_t>(
      std::ranges::count_if(points, [](const auto& p) { return p.has_toys; }));
  return points_with_toys * (to - from);
}

std::uint64_t ToyState::done() const {
  return std::accumulate(points.begin(), points.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const ToyPoint& p) {
                           return sum + p.statistics.simulated;
                         });
}

ToyState plan_toys(const StudyRequest& request,
                   std::span<const Detector> detectors, const Shard& shard) {
  ToyState state;
  state.study = describe(request, detectors);
  state.fits = request.toys.fits;
  state.toys = request.toys.toys;
  state.seed = request.toys.seed;
  state.from = share(state.toys, shard.index - 1, shard.count);
  state.to = share(state.toys, shard.index, shard.count);
  for (const Detector& detector : detectors) {
    const TrackingGeometry geometry(detector);
    const Model model = model_of(request, detector);
    const StudyRequest drawn = toy_request(request, detector);
    Table averages;
    if (drawn.average) averages = expected_of_draws(drawn, detector);
    for (std::size_t a = 0; a < request.angle.values.size(); ++a)
      for (std::size_t m = 0; m < request.momentum.values.size(); ++m) {
        const Track track = grid_track(request, {m, a});
        if (drawn.average) {
          Document row =
              row_of(averages, a * request.momentum.values.size() + m);
          const bool has_toys = number_of(row, "efficiency") > 0;
          if (along_beam(detector, track)) row.set(parameters_name, plane_name);
          state.points.push_back(
              {std::move(row), has_toys, ToyStatistics(state.fits.size())});
          continue;
        }
        const Resolution r = resolve(geometry, track, model);
        const bool has_toys =
            r.status == Status::ok || r.status == Status::no_field;
        Document row = row_of(scan_row(detector, request, {m, a}, r), 0);
        if (along_beam(detector, track)) row.set(parameters_name, plane_name);
        state.points.push_back(
            {std::move(row), has_toys, ToyStatistics(state.fits.size())});
      }
  }
  return state;
}

void check_same_study(const Document& planned, const Document& stored,
                      const std::string& name) {
  const std::string file = in_quotes(name);
  const auto where = first_difference(planned, stored);
  if (where == simd_name && stored.find(simd_name) != nullptr)
    throw FileError(fmt::format(
        "{} was started with --simd {}, this run has {}: last digits differ; "
        "give --simd {}, or remove the file to start again",
        file, text_of(stored, simd_name), text_of(planned, simd_name),
        text_of(stored, simd_name)));
  if (where)
    throw FileError(fmt::format(
        "{} belongs to another study: its {} differs; give another file, or "
        "remove it to start again",
        file, *where));
}

void check_same_run(const ToyState& planned, const ToyState& stored,
                    const std::string& name) {
  const std::string file = in_quotes(name);
  check_same_study(planned.study, stored.study, name);
  if (stored.from != planned.from || stored.to != planned.to)
    throw FileError(fmt::format(
        "{} belongs to another shard: it has the toys {} to {}, this one is "
        "{} to {}; every shard needs a file of its own",
        file, stored.from, stored.to, planned.from, planned.to));
  if (stored.points.size() != planned.points.size())
    throw FileError(file + " is damaged: it has another number of points");
}

ToyState merge_toys(std::vector<ToyState> parts,
                    const std::vector<std::string>& names) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return parts[a].from < parts[b].from;
  });
  const auto name = [&](std::size_t i) { return in_quotes(names[i]); };
  const std::size_t first = order.front();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (const auto where = first_difference(parts[0].study, parts[i].study))
      throw FileError(
          fmt::format("{} and {} are not of the same study: their {} differs",
                      name(0), name(i), *where));
    if (parts[i].points.size() != parts[0].points.size())
      throw FileError(name(i) + " is damaged: it has another number of points");
    if (!parts[i].is_complete())
      throw FileError(fmt::format(
          "{} is not finished: it has {} of {} toys; run that shard again with "
          "its checkpoint",
          name(i), parts[i].done(), parts[i].total()));
  }
  std::uint64_t next = 0;
  std::size_t before = first;
  for (const std::size_t i : order) {
    if (parts[i].from < next)
      throw FileError(
          fmt::format("{} and {} overlap: both have toy {} of every point",
                      name(before), name(i), parts[i].from));
    if (parts[i].from > next)
      throw FileError(fmt::format(
          "the toys {} to {} of every point are missing: give all parts", next,
          parts[i].from - 1));
    next = parts[i].to;
    before = i;
  }
  if (next != parts[first].toys)
    throw FileError(
        fmt::format("the toys {} to {} of every point are missing: give all "
                    "parts",
                    next, parts[first].toys - 1));
  ToyState sum = std::move(parts[first]);
  for (const std::size_t i : order)
    if (i != first)
      for (std::size_t k = 0; k < sum.points.size(); ++k)
        sum.points[k].statistics.add(parts[i].points[k].statistics);
  sum.from = 0;
  sum.to = sum.toys;
  return sum;
}

namespace {

constexpr std::int64_t format_version = 1;

Document integer(std::uint64_t n) { return static_cast<std::int64_t>(n); }

Document document_of(const ExactMoments& moments) {
  const ExactMoments::State s = moments.state();
  Document::List sums;
  for (const Integer128 sum : s.sums) sums.emplace_back(to_string(sum));
  return Document()
      .set("count", integer(s.count))
      .set("beyond_limit", integer(s.beyond_limit))
      .set("sums", std::move(sums));
}

Document document_of(const Histogram& h) {
  Document::List counts{integer(h.below)};
  for (const std::uint64_t n : h.bins) counts.push_back(integer(n));
  counts.push_back(integer(h.above));
  return counts;
}

Document document_of(const ToyQuantity& q) {
  return Document()
      .set("moments", document_of(q.moments))
      .set("histogram", document_of(q.histogram));
}

Document document_of(const std::vector<ToyQuantity>& list) {
  Document::List documents;
  for (const ToyQuantity& q : list) documents.push_back(document_of(q));
  return documents;
}

Document document_of(const FitStatistics& fit) {
  Document::List failed;
  for (const std::uint64_t n : fit.failed) failed.push_back(integer(n));
  return Document()
      .set("fitted", integer(fit.fitted))
      .set("failed", std::move(failed))
      .set("ndf", Document(fit.ndf))
      .set("residuals", document_of(fit.residuals))
      .set("pulls", document_of(fit.pulls))
      .set("chi2_per_ndf", document_of(fit.chi2_per_ndf))
      .set("probability", document_of(fit.probability))
      .set("momentum", document_of(fit.momentum))
      .set("unbounded", integer(fit.unbounded));
}

/// Reads a state from a document; every error is a FileError.
class StateReader : private DocumentReader {
 public:
  using DocumentReader::DocumentReader;

  ToyState read(const Document& document) const {
    check_format(document, "gttf-toys", format_version,
                 "part or checkpoint of toys");
    ToyState state;
    state.study = member(document, "study");
    state.toys = count(member(state.study, "toys"));
    state.seed = count(member(state.study, "seed"));
    for (const Document& fit : list(member(state.study, "fits"))) {
      const auto known = find_fit(text(fit));
      if (!known) damaged("a fit of that name is not known");
      state.fits.push_back(*known);
    }
    state.from = count(member(document, "from"));
    state.to = count(member(document, "to"));
    if (state.from > state.to || state.to > state.toys)
      damaged("its range of toys is empty");
    for (const Document& point : list(member(document, "points")))
      state.points.push_back(read_point(point, state));
    if (const auto error = checksum_error(document)) damaged(*error);
    return state;
  }

 private:
  ToyPoint read_point(const Document& d, const ToyState& state) const {
    ToyPoint point{member(d, "expected"), boolean(member(d, "has_toys")),
                   ToyStatistics(state.fits.size())};
    point.statistics.simulated = count(member(d, "simulated"));
    point.statistics.missed = count(member(d, "missed"));
    const std::uint64_t most = point.has_toys ? state.to - state.from : 0;
    if (point.statistics.simulated > most) damaged("a point has too many toys");
    const auto& fits = list_of(member(d, "fits"), state.fits.size());
    for (std::size_t i = 0; i < fits.size(); ++i)
      read_fit(fits[i], point.statistics.fits[i]);
    return point;
  }

  void read_fit(const Document& d, FitStatistics& fit) const {
    fit.fitted = count(member(d, "fitted"));
    const auto& failed = list_of(member(d, "failed"), fit.failed.size());
    for (std::size_t i = 0; i < failed.size(); ++i)
      fit.failed[i] = count(failed[i]);
    fit.ndf = integer(member(d, "ndf"));
    read_quantities(member(d, "residuals"), fit.residuals);
    read_quantities(member(d, "pulls"), fit.pulls);
    read_quantity(member(d, "chi2_per_ndf"), fit.chi2_per_ndf);
    read_histogram(member(d, "probability"), fit.probability);
    read_quantity(member(d, "momentum"), fit.momentum);
    fit.unbounded = count(member(d, "unbounded"));
  }

  void read_quantities(const Document& d, std::vector<ToyQuantity>& q) const {
    const auto& items = list_of(d, q.size());
    for (std::size_t i = 0; i < q.size(); ++i) read_quantity(items[i], q[i]);
  }

  void read_quantity(const Document& d, ToyQuantity& q) const {
    const Document& moments = member(d, "moments");
    ExactMoments::State state;
    state.count = count(member(moments, "count"));
    state.beyond_limit = count(member(moments, "beyond_limit"));
    const auto& sums = list_of(member(moments, "sums"), state.sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto sum = to_integer128(text(sums[i]));
      if (!sum) damaged("a sum is not a whole number");
      state.sums[i] = *sum;
    }
    q.moments = ExactMoments(state);
    read_histogram(member(d, "histogram"), q.histogram);
  }

  void read_histogram(const Document& d, Histogram& h) const {
    const auto& counts = list_of(d, h.bins.size() + 2);
    h.below = count(counts.front());
    for (std::size_t i = 0; i < h.bins.size(); ++i)
      h.bins[i] = count(counts[i + 1]);
    h.above = count(counts.back());
  }
};

/// "a" and "b": "a.b"; "a" and "[0]": "a[0]".
std::string joined_path(const std::string& head, const std::string& rest) {
  return head + (rest.empty() || rest.front() == '[' ? "" : ".") + rest;
}

bool same_number(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// A real number that happens to be whole is read back as an integer, and NaN
/// as nothing.
std::optional<double> as_number(const Document& d) {
  if (const auto* n = std::get_if<std::int64_t>(&d.value()))
    return static_cast<double>(*n);
  if (const auto* x = std::get_if<double>(&d.value())) return *x;
  if (std::holds_alternative<std::monostate>(d.value())) return std::nan("");
  return std::nullopt;
}

}  // namespace

std::optional<std::string> first_difference(const Document& a,
                                            const Document& b) {
  if (const auto x = as_number(a), y = as_number(b); x && y)
    return same_number(*x, *y) ? std::nullopt : std::optional<std::string>("");
  if (a.value().index() != b.value().index()) return "";
  if (const auto* list = std::get_if<Document::List>(&a.value())) {
    const auto& other = std::get<Document::List>(b.value());
    if (list->size() != other.size()) return "";
    for (std::size_t i = 0; i < list->size(); ++i)
      if (const auto inner = first_difference((*list)[i], other[i]))
        return joined_path(fmt::format("[{}]", i), *inner);
    return std::nullopt;
  }
  if (const auto* members = std::get_if<Document::Members>(&a.value())) {
    const auto& others = std::get<Document::Members>(b.value());
    for (const auto& [key, value] : *members) {
      const Document* other = b.find(key);
      const auto inner =
          other != nullptr ? first_difference(value, *other) : std::string();
      if (inner) return joined_path(key, *inner);
    }
    for (const auto& [key, value] : others)
      if (a.find(key) == nullptr) return key;
    return std::nullopt;
  }
  if (const auto* text = std::get_if<std::string>(&a.value()))
    return *text == std::get<std::string>(b.value())
               ? std::nullopt
               : std::optional<std::string>("");
  return std::get<bool>(a.value()) == std::get<bool>(b.value())
             ? std::nullopt
             : std::optional<std::string>("");
}

Document to_document(const ToyState& state) {
  Document::List points;
  for (const ToyPoint& point : state.points) {
    Document::List fits;
    for (const FitStatistics& fit : point.statistics.fits)
      fits.push_back(document_of(fit));
    points.push_back(Document()
                         .set("expected", point.row)
                         .set("has_toys", point.has_toys)
                         .set("simulated", integer(point.statistics.simulated))
                         .set("missed", integer(point.statistics.missed))
                         .set("fits", std::move(fits)));
  }
  return with_checksum(Document()
                           .set("gttf-toys", Document(format_version))
                           .set("study", state.study)
                           .set("from", integer(state.from))
                           .set("to", integer(state.to))
                           .set("points", std::move(points)));
}

ToyState toy_state_of(const Document& document, const std::string& name) {
  return StateReader(name).read(document);
}

}  // namespace gttf
