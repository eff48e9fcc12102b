// SPDX-License-Identifier: Apache-2.0
// Results of checks as CI systems read them: JUnit XML, annotations of GitHub,
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
/// Only elements and attributes that all common schemas know, no times: the
/// same results give the same bytes.
void write_junit(std::ostream& out, const TestReport& report);

/// `text` for an XML text or attribute in double quotes: markup characters as
/// entities; in attributes line ends too. What XML 1.0 cannot hold (control
/// characters, bytes that are not UTF-8) becomes U+FFFD.
enum class XmlPlace { text, attribute };
std::string xml_escaped(std::string_view text, XmlPlace place);

/// Workflow commands of GitHub, one line for each failed case:
///
///   ::error file=F,line=L,col=C,title=NAME::MESSAGE%0ADETAILS
///
/// with %, CR and LF escaped everywhere and, in properties, colon and comma.
void write_github(std::ostream& out, const TestReport& report);

/// The same for faults of an input; of those without a file no place.
void write_github(std::ostream& out, const Diagnostics& diagnostics);

/// Code quality report of GitLab: a JSON list with description, check_name,
/// fingerprint, severity and location of each failed case. The fingerprint
/// depends on file, suite and name only: it is that of the same requirement
/// before and after lines have moved.
void write_code_quality(std::ostream& out, const TestReport& report);

}  // namespace gttf
