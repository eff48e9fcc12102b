// SPDX-License-Identifier: Apache-2.0
// report: everything about a study as one page with figures.
#include "ending.hpp"
#include "gttf/output/atomic_file.hpp"
#include "gttf/output/html.hpp"
#include "report_options.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

class Report : public Verb {
 public:
  Report() : Verb("report", "Everything about a study as one HTML page") {
    constexpr auto group = "Output";
    request_.declare(command());
    request_.declare_requirements(command());
    command()
        .add_option("-o,--output", file_,
                    "Write the page to FILE (.html); - is standard output")
        ->type_name("FILE")
        ->required()
        ->group(group);
    command()
        .add_flag("--no-provenance", no_provenance_,
                  "Leave out version, command line and hashes of inputs")
        ->group(group);
    command()
        .add_flag("--quiet", quiet_, "Say nothing but errors (no warnings)")
        ->group(group);
    command().footer(
        "\nThe page needs no network and no other file; figures can be saved "
        "from it.\n"
        "\nExamples:\n"
        "  gttf-design report configs/cld.yaml -o cld.html\n"
        "  gttf-design report configs/gaseous-trackers.yaml -o compare.html\n"
        "  gttf-design report configs/cld.yaml --toys 10000 "
        "--published detectors/published.csv -o cld.html\n"
        "  gttf-design report configs/cld.yaml --requirements "
        "configs/check/cld.yaml -o cld.html");
  }

  int run(const Call& call) override {
    check_ending(file_, {".html", ".htm"}, "a report is a page");
    request_.read(quiet_);
    AtomicFile file(file_);
    const Page page = request_.make_page();
    write_html(file.stream(), page,
               request_.provenance(call.arguments, !no_provenance_));
    file.commit();
    return good;
  }

 private:
  ReportRequest request_;
  std::string file_;
  bool no_provenance_ = false, quiet_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_report_verb() { return std::make_unique<Report>(); }

}  // namespace gttf::app
