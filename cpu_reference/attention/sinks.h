#pragma once
// Attention sinks (StreamingLLM: Xiao et al. 2023): a cache of fixed size for texts without an end. The first tokens of
// a text receive much attention whatever they say, because softmax must put its weight somewhere; with only a window of
// recent tokens a model breaks down when they leave. So they stay, and only the middle is dropped.

#include <cstdint>
#include <vector>

#include "core/work.h"
#include "cpu_reference/attention/heads.h"
#include "cpu_reference/matrix.h"
#include "cpu_reference/model/config.h"

namespace kvarium::cpu {

struct SinkRule {
  std::uint32_t sinks = 4;   ///< first tokens that stay
  std::uint32_t recent = 0;  ///< last tokens that stay
  std::uint32_t capacity() const { return sinks + recent; }
};

/// Which rows [0, length) stay so that `coming` tokens have room: all while length + coming <= capacity, else the sinks
/// and the last recent - coming rows. With coming >= recent the sinks alone stay.
std::vector<std::uint32_t> rows_to_keep(const SinkRule& rule, std::uint32_t length, std::uint32_t coming);

/// One layer of one sequence. Keys are kept as they were before RoPE, and turned anew at each step by their index in
/// the cache: 0, 1, 2, ... with no hole where tokens were dropped. The position of a query is its index in the cache
/// too, never the number of tokens that there have been: positions stay below the capacity for ever.
class SinkCache {
 public:
  /// MisuseError for a rule that keeps nothing, or heads that cannot be grouped.
  SinkCache(const SinkRule& rule, const Heads& heads, float rope_theta, RopePairs pairs);

  std::uint32_t length() const { return static_cast<std::uint32_t>(keys_.rows()); }  ///< tokens kept
  std::uint64_t bytes() const { return bytes_of(keys_) + bytes_of(values_); }
  /// The token's number in the text, for each row.
  const std::vector<std::uint64_t>& tokens() const { return tokens_; }

  /// Makes room by rows_to_keep(), then adds the tokens. MisuseError, and nothing changed, when shapes do not fit
  /// or the tokens have no room beside the sinks.
  void append(const MatrixIn& keys,     // [tokens][kv_heads * head_dim], not rotated
              const MatrixIn& values);  // [tokens][kv_heads * head_dim]
  /// Attention of the last `queries.rows()` rows of the cache, each over itself and the rows before it.
  /// Returns [tokens][query_heads * head_dim]. MisuseError when shapes do not fit.
  Matrix attend(const MatrixIn& queries,  // [tokens][query_heads * head_dim], not rotated
                Work& work) const;

 private:
  SinkRule rule_;
  Heads heads_;
  float rope_theta_;
  RopePairs pairs_;
  Matrix keys_;                        ///< [length][kv_heads * head_dim], not rotated
  Matrix values_;                      ///< [length][kv_heads * head_dim]
  std::vector<std::uint64_t> tokens_;  ///< [length], ascending
  std::uint64_t next_token_ = 0;
};

}  // namespace kvarium::cpu
