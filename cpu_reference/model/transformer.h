#pragma once
// The transformer (Vaswani et al. 2017) as Llama, Mistral, Qwen, GPT-2 and DeepSeek-V2 build it, three ways: without a
// cache, with a contiguous one, with a paged one. The equations of a layer are written once; only the attention
// differs.

#include <cstdint>
#include <span>
#include <vector>

#include "core/ids.h"
#include "core/probe.h"
#include "core/speculation/tree.h"
#include "core/work.h"
#include "cpu_reference/kv_store/kv_sequence.h"

namespace kvarium::cpu {

struct Model;
struct Workspace;

/// One sequence's share of a pass: the tokens that follow those in its cache.
struct SequenceInput {
  std::span<const TokenId> tokens;
  KvSequence* cache = nullptr;   ///< a cache of its own: no two sequences of a pass share one
  std::uint32_t logit_rows = 1;  ///< of its last so many tokens the logits are wanted: 1 to all
  /// [tokens] of a tree of drafts (CandidateTree::parents): each token sees the past, its ancestors and itself. Its row
  /// of the cache lies where that of the token at its place in a chain would. Empty: a chain.
  std::span<const std::uint32_t> parents = {};

  std::uint32_t count() const { return static_cast<std::uint32_t>(tokens.size()); }
  std::uint32_t first_position() const { return cache == nullptr ? 0 : cache->num_tokens(); }
  std::uint32_t position(std::uint32_t t) const {
    return first_position() + (parents.empty() ? t : depth_of(parents, t));
  }
};

/// All functions add to `work` what they did. All throw, with `work` and the caches' tokens as before: MisuseError for
/// no tokens, a token outside the vocabulary, more tokens than the model's context or the cache's capacity, a cache of
/// another shape, more rows of logits than tokens, or parents that are no tree of the tokens; InputError when the
/// model's weights are so large that a logit is not a finite number.
class Transformer {
 public:
  /// The model is kept by reference.
  explicit Transformer(const Model& model);

  /// Computes K and V of all tokens, uses them once and throws them away. Returns the last token's logits: [vocab].
  std::vector<float> forward_uncached(std::span<const TokenId> tokens, Work& work) const;
  /// The same for every token: [tokens][vocab], row-major.
  std::vector<float> forward_uncached_all(std::span<const TokenId> tokens, Work& work) const;

  /// One pass over several sequences, which reads each weight once for all of them (Yu et al. 2022). K and V are left
  /// in the caches. Returns the logits that each sequence wants, [rows][vocab], the first sequence's first, which lie
  /// in the workspace until its next pass. `work` has one entry a sequence; what is read for all of them counts for the
  /// first. A probe is told what its layer computed. After a first pass of the same shape nothing is allocated.
  std::span<const float> forward(std::span<const SequenceInput> batch, Workspace& workspace, std::span<Work> work,
                                 StepProbe* probe = nullptr) const;

  /// forward() of one sequence with memory of its own: computes the tokens that follow those in the cache and leaves
  /// their K and V there. Called again with the next tokens it prefills in chunks. Returns the logits: [vocab].
  std::vector<float> prefill(std::span<const TokenId> tokens, KvSequence& cache, Work& work) const;
  /// One token more: the same as prefill() with one token, and what every step after the first does.
  std::vector<float> decode_one(TokenId token, KvSequence& cache, Work& work) const;

  /// MisuseError where forward() would throw one; nothing is computed.
  void expect_can_prefill(std::span<const TokenId> tokens, const KvSequence& cache) const;

 private:
  const Model& model_;
  std::vector<double> rope_frequencies_;  ///< [rotary_dim / 2]
};

}  // namespace kvarium::cpu
