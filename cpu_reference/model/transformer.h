#pragma once
// The Llama transformer (Touvron et al. 2023), three ways: without a cache, with a contiguous one, with a paged one.
// The equations of a layer are written once; only the attention differs.

#include <cstdint>
#include <span>
#include <vector>

#include "core/ids.h"
#include "core/work.h"
#include "cpu_reference/kv_store/kv_sequence.h"

namespace kvarium::cpu {

struct Model;

/// All functions add to `work` what they did. All throw, with `work` and the cache's tokens as before: MisuseError for
/// no tokens, a token outside the vocabulary, more tokens than the model's context or the cache's capacity, or a cache
/// of another shape; InputError when the model's weights are so large that a logit is not a finite number.
class Transformer {
 public:
  /// The model is kept by reference.
  explicit Transformer(const Model& model) : model_(model) {}

  /// Computes K and V of all tokens, uses them once and throws them away. Returns the last token's logits: [vocab].
  std::vector<float> forward_uncached(std::span<const TokenId> tokens, Work& work) const;
  /// The same for every token: [tokens][vocab], row-major.
  std::vector<float> forward_uncached_all(std::span<const TokenId> tokens, Work& work) const;

  /// Computes the tokens that follow those in the cache and leaves their K and V there. Called again with the next
  /// tokens it prefills in chunks. Returns the last token's logits: [vocab].
  std::vector<float> prefill(std::span<const TokenId> tokens, KvSequence& cache, Work& work) const;
  /// One token more: the same as prefill() with one token, and what every step after the first does.
  std::vector<float> decode_one(TokenId token, KvSequence& cache, Work& work) const;

  /// MisuseError where prefill() would throw one; nothing is computed.
  void expect_can_prefill(std::span<const TokenId> tokens, const KvSequence& cache) const;

 private:
  const Model& model_;
};

}  // namespace kvarium::cpu
