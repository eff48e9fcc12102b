// SPDX-License-Identifier: Apache-2.0
// version: which one this is.
#include "gttf/core/version.hpp"
#include "gttf/core/simd.hpp"

#include <unistd.h>

#include "gttf/output/stream.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

class Version : public Verb {
 public:
  Version()
      : Verb("version", "The version, and the vector instructions in use") {}

  int run(const Call&) override {
    FileStream out(STDOUT_FILENO, "standard output", false);
    out << "gttf-design " << gttf::version()
        << "\nsimd: " << to_string(simd_level()) << " of";
    for (const SimdLevel level : available_simd_levels())
      out << ' ' << to_string(level);
    out << '\n';
    out.flush();
    return good;
  }
};

}  // namespace

std::unique_ptr<Verb> make_version() { return std::make_unique<Version>(); }

}  // namespace gttf::app
