#pragma once
// What a forward pass computes inside, kept on request: for pictures and lessons that show attention, K and V.

#include <cstdint>
#include <vector>

#include "core/ids.h"

namespace kvarium {

/// One sequence of one pass, in one layer. All arrays are row-major; positions is first_position + tokens.
struct SequenceProbe {
  RequestId request{};
  std::uint32_t first_position = 0;
  std::uint32_t tokens = 0;    ///< that this pass computed
  std::vector<float> queries;  ///< [tokens][query_heads][head_dim], rotated
  std::vector<float> keys;     ///< [positions][kv_heads][head_dim], as they lie in the cache
  std::vector<float> values;   ///< [positions][kv_heads][head_dim]
  // With latent attention the keys are the cached rows, [positions][latent_dim + rotary_key_dim], and the queries,
  // [tokens][query_heads][latent_dim + rotary_key_dim], are brought to their width: a score is query . row
  // / sqrt(head_dim + rotary_key_dim). The first latent_dim numbers of a row are its value; `values` is empty.
  std::vector<float>
      attention;              ///< [query_heads][tokens][positions]: each row adds up to 1; 0 where a token cannot look
  std::vector<float> logits;  ///< [vocab], of the last token
};

/// A wish and its answer. Each pass writes over what the pass before left.
struct StepProbe {
  std::uint32_t layer = 0;
  std::vector<SequenceProbe> sequences;  ///< in the order of the batch
};

}  // namespace kvarium
