#include "core/cost/attention_io.h"

#include "core/cost/checked_math.h"

namespace kvarium {

Part standard_attention(std::uint64_t tokens, std::uint32_t head_dim, ElementType type, bool with_inputs) {
  const auto n = static_cast<double>(tokens);
  const double scores = 4 * n * n, inputs = with_inputs ? 4 * n * head_dim : 0;
  return {4 * n * n * head_dim, (scores + inputs) * bits(type) / 8};
}

std::uint64_t score_matrix_bytes(std::uint64_t tokens, ElementType type) {
  return checked_multiply(checked_multiply(tokens, tokens), bits(type)) / 8;
}

}  // namespace kvarium
