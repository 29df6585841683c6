#pragma once
// A model that is always at hand: random weights from a seed, the same on every machine. What it says means nothing;
// how it computes is real.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/ids.h"

namespace kvarium::cpu {
struct Model;
}

namespace kvarium_test {

struct SeededParams {
  std::uint32_t vocab = 256;
  std::uint32_t layers = 2;
  std::uint32_t query_heads = 4;
  std::uint32_t kv_heads = 2;
  std::uint32_t hidden = 64;  ///< a multiple of 2 * query_heads
  std::uint32_t ffn_hidden = 128;
  std::uint32_t context = 512;   ///< tokens
  bool tied_head = false;        ///< a random model with a tied head repeats its last token
  std::uint32_t latent_dim = 0;  ///< above 0: latent attention, with kv_heads = query_heads
  std::uint32_t rotary_key_dim = 0;
  std::uint32_t value_dim = 0;
  std::uint64_t seed = 7;
  /// Tokens whose logit is always 0, so that greedy decoding does not choose them: the end of the sequence, bytes that
  /// no font can show. Only with an untied head.
  std::vector<kvarium::TokenId> quiet_tokens = {};
};

/// InputError, naming the field, for parameters that make no model or a quiet token outside the vocabulary.
std::shared_ptr<const kvarium::cpu::Model> seeded_model(const SeededParams& params);

}  // namespace kvarium_test
