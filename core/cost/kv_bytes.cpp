#include "core/cost/kv_bytes.h"

#include "core/cost/checked_math.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

void need(const ModelShape& shape, std::string_view field, std::uint32_t number) {
  if (number == 0) throw InputError(tr_format("model shape '{}': {} is 0, it must be at least 1", shape.name, field));
}

}  // namespace

void check(const ModelShape& shape) {
  need(shape, "layers", shape.layers);
  if (shape.kv_kind == KvKind::latent) {
    need(shape, "latent_dim", shape.latent_dim);
    need(shape, "rotary_key_dim", shape.rotary_key_dim);
  } else {
    need(shape, "kv_heads", shape.kv_heads);
    need(shape, "head_dim", shape.head_dim);
  }
}

std::uint64_t kv_elements_per_token(const ModelShape& shape) {
  check(shape);
  return checked_multiply(shape.layers, checked_add(key_row_width(shape), value_row_width(shape)));
}

std::uint64_t kv_bytes(const ModelShape& shape, std::uint64_t tokens, ElementType type) {
  const std::uint64_t elements = checked_multiply(kv_elements_per_token(shape), tokens);
  // elements * bits / 8 rounded up, in an order that overflows only when the result does.
  const std::uint64_t rest = elements % 8 * bits(type);
  return checked_add(checked_multiply(elements / 8, bits(type)), (rest + 7) / 8);
}

ModelShape as_multi_head(ModelShape shape) {
  shape.kv_kind = KvKind::heads;
  shape.kv_heads = shape.query_heads;
  shape.latent_dim = 0;
  shape.rotary_key_dim = 0;
  return shape;
}

}  // namespace kvarium
