// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/field.hpp"

#include <cmath>

#include "gttf/detector/field_map.hpp"

namespace gttf {

void set_reference(Field& field) {
  field.reference = 0;
  field.axis = Axis::z;
  switch (field.kind) {
    case FieldKind::none:
      break;
    case FieldKind::solenoid:
      field.reference = field.bz;
      break;
    case FieldKind::dipole:
      for (const DipoleGap& gap : field.dipoles)
        if (std::abs(gap.field) > std::abs(field.reference)) {
          field.reference = gap.field;
          field.axis = gap.direction;
        }
      break;
    case FieldKind::map:
      field.reference = field.map->largest();
      field.axis = field.map->main_axis();
      break;
  }
}

void scale_field(Field& field, double factor) {
  field.bz *= factor;
  for (DipoleGap& gap : field.dipoles) gap.field *= factor;
  if (field.map)
    field.map = std::make_shared<const FieldMap>(field.map->scaled(factor));
  set_reference(field);
}

}  // namespace gttf
