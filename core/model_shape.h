#pragma once
// The numbers of a model that decide how large its KV cache is.

#include <cstddef>
#include <cstdint>
#include <string>

namespace kvarium {

/// How K and V are kept. `heads`: one K and one V row a KV head. `latent`: multi-head latent attention (MLA), which
/// keeps one compressed row and one rotary key row a layer (DeepSeek-V2, section 2.1.2).
enum class KvKind : std::uint8_t { heads, latent };

struct ModelShape {
  std::string name;
  std::uint32_t layers = 0;
  std::uint32_t query_heads = 0;
  std::uint32_t kv_heads = 0;  ///< = query_heads: MHA; 1: MQA; between: GQA
  std::uint32_t head_dim = 0;  ///< not always hidden / query_heads (Qwen3)
  std::uint32_t hidden = 0;    ///< width of the residual stream
  std::uint32_t vocab = 0;
  std::uint32_t context = 0;  ///< longest sequence, prompt and answer together, in tokens
  KvKind kv_kind = KvKind::heads;
  std::uint32_t latent_dim = 0;      ///< MLA only: width of the compressed row
  std::uint32_t rotary_key_dim = 0;  ///< MLA only: width of the shared rotary key

  bool operator==(const ModelShape&) const = default;
};

/// Numbers that one layer's cache keeps of a token: in its K row, and in its V row. With latent attention there is one
/// row, [latent_dim compressed numbers][rotary_key_dim of the rotated key], which stands where K would, and no V.
constexpr std::size_t key_row_width(const ModelShape& shape) {
  if (shape.kv_kind == KvKind::latent) return std::size_t{shape.latent_dim} + shape.rotary_key_dim;
  return std::size_t{shape.kv_heads} * shape.head_dim;
}
constexpr std::size_t value_row_width(const ModelShape& shape) {
  return shape.kv_kind == KvKind::latent ? 0 : key_row_width(shape);
}

}  // namespace kvarium
