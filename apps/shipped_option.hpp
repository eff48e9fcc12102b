// SPDX-License-Identifier: Apache-2.0
// Options whose value may be the name of an installed file.
#pragma once

#include <CLI/CLI.hpp>

namespace gttf::app {

/// Make `option` take the file of a detector, a study, either or requirements;
/// what does not exist is looked up in the installation by or_shipped().
CLI::Option* takes_detector(CLI::Option* option);
CLI::Option* takes_study(CLI::Option* option);
CLI::Option* takes_detector_or_study(CLI::Option* option);
CLI::Option* takes_requirements(CLI::Option* option);

}  // namespace gttf::app
