// SPDX-License-Identifier: Apache-2.0
// Native units (mm, GeV, rad, e, c = 1) and the table of conversion factors.
#pragma once

namespace gttf::unit {

inline constexpr double pi = 3.14159265358979323846264338327950288;

// length
inline constexpr double mm = 1.0;
inline constexpr double nm = 1e-6 * mm;
inline constexpr double um = 1e-3 * mm;
inline constexpr double cm = 10.0 * mm;
inline constexpr double m = 1000.0 * mm;

// energy, momentum, mass
inline constexpr double GeV = 1.0;
inline constexpr double eV = 1e-9 * GeV;
inline constexpr double keV = 1e-6 * GeV;
inline constexpr double MeV = 1e-3 * GeV;
inline constexpr double TeV = 1e3 * GeV;

// angle
inline constexpr double rad = 1.0;
inline constexpr double mrad = 1e-3 * rad;
inline constexpr double urad = 1e-6 * rad;
inline constexpr double deg = pi / 180.0 * rad;

/// Magnetic field in GeV/(e mm): 1 T bends a track of charge e and transverse
/// momentum p_T with radius p_T/(e B), without a further constant.
/// Source: c = 299 792 458 m/s, exact [SI19].
inline constexpr double T = 0.299792458e-3 * GeV / mm;
inline constexpr double kG = 0.1 * T;
inline constexpr double mT = 1e-3 * T;

// mass density; g/cm3 is kept as the native unit of density
inline constexpr double g_per_cm3 = 1.0;

inline constexpr double percent = 0.01;

}  // namespace gttf::unit
