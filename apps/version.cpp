// SPDX-License-Identifier: Apache-2.0
// version: which one this is.
#include "gttf/core/version.hpp"

#include <unistd.h>

#include "gttf/output/stream.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

class Version : public Verb {
 public:
  Version() : Verb("version", "The version of the program") {}

  int run(const Call&) override {
    FileStream out(STDOUT_FILENO, "standard output", false);
    out << "gttf-design " << gttf::version() << '\n';
    out.flush();
    return good;
  }
};

}  // namespace

std::unique_ptr<Verb> make_version() { return std::make_unique<Version>(); }

}  // namespace gttf::app
