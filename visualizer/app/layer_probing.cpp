#include "visualizer/app/layer_probing.h"

#include <utility>
#include <vector>

#include "core/blocks/blocks_for.h"
#include "core/cost/head_kind.h"
#include "core/error.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/model/weights.h"

namespace kvarium::ui {
namespace {

constexpr std::uint32_t kBlock = 16;  // tokens

}  // namespace

// One thread: an engine that is still at work keeps the others.
LayerProbing::LayerProbing(std::shared_ptr<const cpu::Model> model, std::uint32_t layer, std::uint32_t room)
    : model_(std::move(model)), runner_(std::make_unique<cpu::CpuRunner>(model_, 1)), room_(room) {
  numbers_.shape = as_read(runner_->shape());
  numbers_.latent_dim = model_->config.latent() ? runner_->shape().latent_dim : 0;
  numbers_.score_dim = model_->config.query_head_dim();
  numbers_.layer = probe_.layer = layer;
  numbers_.attention.resize(numbers_.shape.query_heads);
  runner_->create_cache(static_cast<std::uint32_t>(blocks_for(room, kBlock)), kBlock);
  if (!runner_->set_probe(&probe_)) throw MisuseError("the CPU runner reports no attention");
}

LayerProbing::~LayerProbing() = default;

void LayerProbing::extend(std::span<const TokenId> tokens) {
  const std::uint32_t first = numbers_.num_tokens();
  std::vector<BlockId> table;
  for (std::uint32_t i = 0; i < blocks_for(room_, kBlock); ++i) table.push_back(BlockId{i});
  const ScheduledSequence sequence{RequestId{0}, tokens, first, table};
  runner_->forward({&sequence, 1});
  take(probe_.sequences.front());
  numbers_.tokens.insert(numbers_.tokens.end(), tokens.begin(), tokens.end());
}

void LayerProbing::take(const SequenceProbe& chunk) {
  const ModelShape& shape = numbers_.shape;
  const std::size_t width = std::size_t{shape.kv_heads} * shape.head_dim;
  const auto add = [&](std::vector<float>& to, const std::vector<float>& from, std::size_t begin) {
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin), from.end());
  };
  add(numbers_.queries, chunk.queries, 0);
  add(numbers_.keys, chunk.keys, chunk.first_position * width);
  if (numbers_.latent_dim == 0) add(numbers_.values, chunk.values, chunk.first_position * width);
  const std::size_t positions = std::size_t{chunk.first_position} + chunk.tokens;
  for (std::size_t h = 0; h < shape.query_heads; ++h) {
    for (std::size_t t = 0; t < chunk.tokens; ++t) {
      const auto row = chunk.attention.begin() + static_cast<std::ptrdiff_t>((h * chunk.tokens + t) * positions);
      numbers_.attention[h].insert(numbers_.attention[h].end(), row,
                                   row + static_cast<std::ptrdiff_t>(chunk.first_position + t + 1));
    }
  }
}

}  // namespace kvarium::ui
