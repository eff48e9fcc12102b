// SPDX-License-Identifier: Apache-2.0
// Runs the program in a shell and returns what it wrote.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "support/folder.hpp"

namespace gttf::test {

struct Outcome {
  int code = -1;  ///< exit code; -1: ended by a signal
  std::string out, err;
};

/// Runs `command` by sh in `folder`, with the program as gttf-design in PATH,
/// $DETECTORS and $CONFIGS as the shipped folders and nothing on stdin.
inline Outcome run(const Folder& folder, const std::string& command) {
  const Folder results;
  const std::string script = results.write(
      "script", "PATH='" GTTF_PROGRAM_DIR "':$PATH\nDETECTORS='" GTTF_SOURCE_DIR
                "/detectors'\nCONFIGS='" GTTF_SOURCE_DIR "/configs'\ncd '" +
                    folder.path() + "' || exit 99\n" + command);
  const int status =
      std::system(("sh '" + script + "' > '" + (results / "out") + "' 2> '" +
                   (results / "err") + "' < /dev/null")
                      .c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, results.read("out"),
          results.read("err")};
}

inline Outcome run(const std::string& command) {
  return run(Folder(), command);
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace gttf::test
