#include "core/cost/step_cost.h"

#include "core/cost/model_shapes.h"
#include "core/cost/parameters.h"

namespace kvarium {
namespace {

constexpr double kShareForWeightsAndCache = .9;

}  // namespace

ServerProfile default_server() {
  const ModelShape& model = find_model_shape("llama-3.1-8b");
  const ParameterCount count = parameters_of(model);
  return {model, count.total(), count.embedding, count.head, 2, find_hardware("H100 SXM"), 8192, kPcie5OneWay};
}

std::uint64_t blocks_beside_weights(const ServerProfile& server, std::uint32_t block_size) {
  const double left = kShareForWeightsAndCache * server.gpu.memory_bytes - server.parameters * server.bytes_per_number;
  return left <= 0 ? 0 : static_cast<std::uint64_t>(left / (kv_bytes_per_token(server) * block_size));
}

}  // namespace kvarium
