// SPDX-License-Identifier: Apache-2.0
// report: a complete report of a study as one page with figures.
#include "gttf/output/atomic_file.hpp"
#include "gttf/output/html.hpp"
#include "gttf/output/progress.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "report_request.hpp"
#include "usage.hpp"
#include "verb.hpp"
#include "watch.hpp"

namespace gttf::app {
namespace {

int write_report(const Call& call) {
  const std::string& target = call.options.file;
  check_ending(target, {".html", ".htm"}, "a report is a page");
  ReportRequest request(call.options);
  request.add_requirements(call.options.requirements);
  AtomicFile file(target);
  Progress bar("report", bar_settings(call.options));
  const Page page = request.make_page(
      [&bar](std::size_t done, std::size_t total) { bar.update(done, total); });
  bar.erase();
  write_html(file.stream(), page, request.provenance(call));
  file.commit();
  return good;
}

int run_report(const Call& call) {
  return call.options.watch ? watch(call, write_report) : write_report(call);
}

}  // namespace

const Verb report_verb{
    "report",
    of::report,
    "Write a complete report of a study as one HTML page",
    "The page needs no network and no other file; figures can be saved from "
    "it.",
    "report configs/cld.yaml -o cld.html\n"
    "report configs/gaseous-trackers.yaml -o compare.html\n"
    "report configs/datura.yaml --at DUT -o telescope.html\n"
    "report my.yaml --pt 0.1GeV:100GeV:40 -o my.html --watch\n"
    "report detectors/cld.yaml --pt 0.1GeV:100GeV:40 --theta 90deg,40deg -o "
    "cld.html\n"
    "report configs/cld.yaml --toys 10000 --published detectors/published.csv "
    "-o cld.html\n"
    "report configs/cld.yaml --requirements configs/check/cld.yaml -o "
    "cld.html\n"
    "report best.yaml result.json --p 0.1GeV:100GeV:60 -o best.html",
    run_report};

}  // namespace gttf::app
