#pragma once
// Random queries, keys and values, and their rows as runs of a cache.

#include <vector>

#include "cpu_reference/kv_store/kv_sequence.h"
#include "tests/cpu_reference/attention/oracle.h"

namespace kvarium_test {

/// Numbers in [-1, 1).
struct AttentionInputs {
  AttentionInputs(Index tokens, const Heads& of, std::uint64_t seed) : heads(of) {
    std::mt19937_64 draws(seed);
    queries = random_matrix(tokens, Index{of.query_heads} * of.head_dim, draws);
    keys = random_matrix(tokens, Index{of.kv_heads} * of.head_dim, draws);
    values = random_matrix(tokens, Index{of.kv_heads} * of.head_dim, draws);
  }

  Heads heads;
  Matrix queries;  ///< [tokens][query_heads * head_dim]
  Matrix keys;     ///< [tokens][kv_heads * head_dim]
  Matrix values;   ///< [tokens][kv_heads * head_dim]
};

/// The rows of K and V cut into runs of `length` tokens.
inline std::vector<kvarium::cpu::KvRun> runs_of(const Matrix& keys, const Matrix& values, std::uint32_t length) {
  std::vector<kvarium::cpu::KvRun> runs;
  const auto tokens = static_cast<std::uint32_t>(keys.rows());
  for (std::uint32_t first = 0; first < tokens; first += length) {
    runs.push_back({keys.row(first).data(), values.row(first).data(), std::min(length, tokens - first)});
  }
  return runs;
}

}  // namespace kvarium_test
