// SPDX-License-Identifier: Apache-2.0
// Operations of formulas on a number: double, dual number, wide float or batch.
#pragma once

#include <limits>

namespace gttf {

// Formulas are templates over a scalar S. They use + - * /, and, found by
// argument-dependent lookup after `using std::sqrt;`, the functions sqrt, log,
// abs. A choice between two values is written select(mask, a, b), which
// evaluates both sides; any(mask) determines whether a rare branch is needed.

/// Result of comparing numbers of type S: bool, or one truth value per element.
template <class S>
using MaskOf = decltype(S() < S());

/// The mask with all elements set.
template <class S>
MaskOf<S> all_true() {
  return S(0) < S(1);
}

/// a where mask holds, else b. Batches have their own overload.
template <class S>
constexpr S select(bool mask, const S& a, const S& b) {
  return mask ? a : b;
}

/// True if any element of the mask is set.
constexpr bool any(bool mask) { return mask; }

/// For each element: a and b; a or b. Both are evaluated.
constexpr bool both(bool a, bool b) { return a && b; }
constexpr bool either(bool a, bool b) { return a || b; }

/// True for number types with more than the 53 bits of a double: series are
/// then summed to the precision of the type instead of using a polynomial
/// fitted for double.
template <class S>
inline constexpr bool wider_than_double = std::numeric_limits<S>::digits > 53;

}  // namespace gttf
