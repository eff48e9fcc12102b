// SPDX-License-Identifier: Apache-2.0
// The public interface of the library; see docs/reference/library.md.
#pragma once

#include "gttf/config/diagnostics.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/core/track_parameters.hpp"
#include "gttf/core/units.hpp"
#include "gttf/core/version.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/detector/field_map.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/fit/batch_fit.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/batch_toys.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/regime.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "gttf/trajectory/track.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"
