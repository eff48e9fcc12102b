// SPDX-License-Identifier: Apache-2.0
// JUnit XML: test results as GitLab and Jenkins read them.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "gttf/core/summary.hpp"

namespace gttf {

/// Writes a `testsuites` with a `testsuite` per suite and a `testcase` per
/// check; of failed ones `failure` has the message, and as text the details.
/// Only elements and attributes that all common schemas know, no times: the
/// same results give the same bytes.
void write_junit(std::ostream& out, const TestReport& report);

/// `text` for an XML text or attribute in double quotes: markup characters as
/// entities; in attributes line ends too. What XML 1.0 cannot hold (control
/// characters, bytes that are not UTF-8) becomes U+FFFD.
enum class XmlPlace { text, attribute };
std::string xml_escaped(std::string_view text, XmlPlace place);

}  // namespace gttf
