#pragma once
// Short words for tokens and blocks.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/ids.h"

namespace kvarium_test {

using namespace kvarium;

inline std::vector<TokenId> tokens(std::initializer_list<std::int32_t> ids) {
  std::vector<TokenId> list;
  for (const std::int32_t id : ids) list.push_back(TokenId{id});
  return list;
}
/// Tokens first, first + 1, ..., first + count - 1.
inline std::vector<TokenId> token_range(std::int32_t first, std::int32_t count) {
  std::vector<TokenId> list;
  for (std::int32_t id = first; id < first + count; ++id) list.push_back(TokenId{id});
  return list;
}
inline std::vector<TokenId> operator+(std::vector<TokenId> a, const std::vector<TokenId>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::vector<BlockId> blocks(std::initializer_list<std::uint32_t> ids) {
  std::vector<BlockId> list;
  for (const std::uint32_t id : ids) list.push_back(BlockId{id});
  return list;
}
/// Blocks first, first + 1, ..., first + count - 1.
inline std::vector<BlockId> block_range(std::uint32_t first, std::uint32_t count) {
  std::vector<BlockId> list;
  for (std::uint32_t id = first; id < first + count; ++id) list.push_back(BlockId{id});
  return list;
}

}  // namespace kvarium_test
