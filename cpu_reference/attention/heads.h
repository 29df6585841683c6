#pragma once
// How query heads share KV heads: one each (MHA), one for all (MQA, Shazeer 2019), one a group (GQA, Ainslie 2023).

#include <cstdint>

#include "core/model_shape.h"

namespace kvarium::cpu {

struct Heads {
  std::uint32_t query_heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_dim = 0;

  /// Query heads that read the same KV head.
  std::uint32_t group() const { return query_heads / kv_heads; }
  std::uint32_t kv_head_of(std::uint32_t query_head) const { return query_head / group(); }
};

/// MisuseError unless all are above 0 and the query heads are a multiple of the KV heads.
void expect_valid(const Heads& heads);

inline Heads heads_of(const ModelShape& shape) { return {shape.query_heads, shape.kv_heads, shape.head_dim}; }

}  // namespace kvarium::cpu
