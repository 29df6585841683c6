#pragma once
// The memory and the threads of forward passes. All that a pass writes lies here, so that decoding, pass after pass of
// one token each, allocates nothing.

#include <cstdint>
#include <vector>

#include "core/work.h"
#include "cpu_reference/kv_store/kv_sequence.h"
#include "cpu_reference/matrix.h"
#include "cpu_reference/model/config.h"
#include "cpu_reference/operators/rope.h"
#include "cpu_reference/thread_pool.h"

namespace kvarium::cpu {

struct Weights;

/// 1 for a model whose loops are too short to share, such as the shipped ones; else one a processor, at most 16.
std::uint32_t suitable_threads(const Weights& weights);

/// For one pass at a time. The tokens of all sequences of a pass stand one below the other.
struct Workspace {
  explicit Workspace(std::uint32_t num_threads = 1) : threads(num_threads) {}

  /// Gives each matrix its shape. Allocates only when the number of tokens, of logit rows or the model changes.
  void fit(const ModelConfig& config, Index tokens, Index logit_rows);

  ThreadPool threads;
  RopeAngles angles;
  Matrix x;         ///< the residual stream: [tokens][hidden]
  Matrix normed;    ///< [tokens][hidden]
  Matrix queries;   ///< [tokens][query_heads * query_head_dim]
  Matrix keys;      ///< [tokens][key_row_width]: what is cached
  Matrix values;    ///< [tokens][value_row_width]
  Matrix absorbed;  ///< [tokens][query_heads * key_row_width]; latent attention only, as the next
  Matrix latents;   ///< [tokens][query_heads * latent_dim]
  Matrix attended;  ///< [tokens][query_heads * value_head_dim]
  Matrix gate;      ///< [tokens][ffn_hidden]
  Matrix up;        ///< [tokens][ffn_hidden]
  Matrix added;     ///< [tokens][hidden]: what attention or the feed-forward layer adds to x
  Matrix last;      ///< [logit_rows][hidden]
  Matrix logits;    ///< [logit_rows][vocab]
  std::vector<KvRun> runs;
  std::vector<Work> work;  ///< [sequences], of the pass under way
};

}  // namespace kvarium::cpu
