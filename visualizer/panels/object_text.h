#pragma once
// What the inspector says of a target: names and values, the arithmetic of a token's address with its numbers.

#include <string>
#include <vector>

#include "core/trace/world.h"
#include "visualizer/layout/target.h"

namespace kvarium::ui {

struct ObjectRow {
  std::string name;   ///< "physical block"
  std::string value;  ///< "3"
  Target target;      ///< what the value names, to be clicked; may be nothing
};

struct ObjectText {
  std::string title;  ///< "token 13 of request A"
  std::vector<ObjectRow> rows;
  std::string arithmetic;  ///< "13 / 8 = 1 -> table[1] = 3 -> 3 * 8 + 13 % 8 = 29"; empty: there is none
};

/// Nothing in it but a title that says so, for a target that the World does not have.
ObjectText object_text(const World& world, const Target& target);

}  // namespace kvarium::ui
