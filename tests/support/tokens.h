#pragma once
// Token ids as plain numbers.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/ids.h"

namespace kvarium_test {

inline std::vector<kvarium::TokenId> ids(std::initializer_list<std::int32_t> numbers) {
  std::vector<kvarium::TokenId> tokens;
  for (const std::int32_t number : numbers) tokens.push_back(kvarium::TokenId{number});
  return tokens;
}

}  // namespace kvarium_test
