#include "core/cost/step_cost.h"

#include "core/cost/model_shapes.h"

namespace kvarium {
namespace {

constexpr double kShareForWeightsAndCache = .9;

}  // namespace

ServerProfile default_server() {
  return {find_model_shape("llama-3.1-8b"), 8.03e9, 2, "H100 SXM", 989.4e12, kH100Hbm, 8192, 80 * kGB, kPcie5OneWay};
}

std::uint64_t blocks_beside_weights(const ServerProfile& server, std::uint32_t block_size) {
  const double left = kShareForWeightsAndCache * server.memory_bytes - server.parameters * server.bytes_per_number;
  return left <= 0 ? 0 : static_cast<std::uint64_t>(left / (kv_bytes_per_token(server) * block_size));
}

}  // namespace kvarium
