#pragma once
// How large a KV cache is. With one K and one V row a KV head:
//   bytes = 2 * layers * kv_heads * head_dim * tokens * bytes an element
// With multi-head latent attention (DeepSeek-V2, section 2.1): one compressed row and one rotary key row a layer:
//   bytes = layers * (latent_dim + rotary_key_dim) * tokens * bytes an element

#include <cstdint>

#include "core/cost/element_type.h"
#include "core/model_shape.h"

namespace kvarium {

/// InputError, naming the field, when a number that the size depends on is 0.
void check(const ModelShape& shape);

/// Elements that one token adds to the cache, over all layers. All functions here: InputError as check(), and when
/// the result does not fit 64 bits.
std::uint64_t kv_elements_per_token(const ModelShape& shape);

/// Bytes of `tokens` tokens' K and V, without scales and zero points; a last half byte counts as a whole one.
std::uint64_t kv_bytes(const ModelShape& shape, std::uint64_t tokens, ElementType type);
inline std::uint64_t kv_bytes_per_token(const ModelShape& shape, ElementType type) { return kv_bytes(shape, 1, type); }

/// The same model if each query head had its own K and V (multi-head attention, MHA).
ModelShape as_multi_head(ModelShape shape);

}  // namespace kvarium
