// SPDX-License-Identifier: Apache-2.0
// help: the verbs, or the options of one.
#include <unistd.h>

#include "gttf/output/stream.hpp"
#include "usage.hpp"
#include "verb.hpp"

namespace gttf::app {
namespace {

class Help : public Verb {
 public:
  Help() : Verb("help", "What the program or one of its verbs can do") {
    command()
        .add_option("VERB", verb_, "The verb to explain")
        ->type_name("VERB");
  }

  int run(const Call& call) override {
    FileStream out(STDOUT_FILENO, "standard output", false);
    out << (verb_.empty() ? program_help(call.verbs)
                          : find_verb(call.verbs, verb_).help());
    out.flush();
    return good;
  }

 private:
  std::string verb_;
};

}  // namespace

std::unique_ptr<Verb> make_help() { return std::make_unique<Help>(); }

}  // namespace gttf::app
