#pragma once
// What popular texts about the KV cache say in numbers, and what the calculators of this folder say. The row numbers
// are those of docs/facts.md, which a test compares with this list.

#include <string>
#include <string_view>
#include <vector>

namespace kvarium {

struct Claim {
  std::string id;       ///< "F03"
  std::string topic;    ///< what is being counted
  std::string popular;  ///< the figure that goes around
  std::string right;    ///< computed when the list is made
  std::string why;      ///< one sentence: where the popular figure goes wrong, or that it holds
};

/// All rows in their order, in the chosen language.
std::vector<Claim> claims();
/// By id. InputError that lists the ids when there is none.
Claim find_claim(std::string_view id);

}  // namespace kvarium
