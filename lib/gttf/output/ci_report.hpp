// SPDX-License-Identifier: Apache-2.0
// Results of checks in formats of CI systems: JUnit XML, annotations of GitHub,
// code quality reports of GitLab.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "gttf/config/diagnostics.hpp"
#include "gttf/core/summary.hpp"

namespace gttf {

/// Writes a `testsuites` with a `testsuite` per suite and a `testcase` per
/// check; of failed ones `failure` has the message, and as text the details.
/// Uses only elements and attributes supported by all common schemas, without
/// times: the same results give the same bytes.
void write_junit(std::ostream& out, const TestReport& report);

/// `text` for an XML text or attribute in double quotes: markup characters as
/// entities; in attributes line ends too. Characters not allowed in XML 1.0
/// (control characters, bytes that are not UTF-8) become U+FFFD.
enum class XmlPlace { text, attribute };
std::string xml_escaped(std::string_view text, XmlPlace place);

/// Workflow commands of GitHub, one line for each failed case:
///
///   ::error file=F,line=L,col=C,title=NAME::MESSAGE%0ADETAILS
///
/// with %, CR and LF escaped everywhere and, in properties, colon and comma.
void write_github(std::ostream& out, const TestReport& report);

/// The same for errors in an input; without location if there is no file.
void write_github(std::ostream& out, const Diagnostics& diagnostics);

/// Code quality report of GitLab: a JSON list with description, check_name,
/// fingerprint, severity and location of each failed case. The fingerprint
/// depends on file, suite and name only: it is unchanged if lines have
/// moved.
void write_code_quality(std::ostream& out, const TestReport& report);

}  // namespace gttf
