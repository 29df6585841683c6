#include "cpu_reference/speculation/medusa_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "cpu_reference/loaders/safetensors.h"
#include "cpu_reference/loaders/weight_taker.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/operators/linear.h"

namespace kvarium::cpu {
namespace {

/// The `ranks` largest, the largest first, of equals the lower token.
std::vector<TokenId> likeliest(const Matrix& logits, std::uint32_t ranks) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(logits.cols()));
  std::iota(tokens.begin(), tokens.end(), 0);
  std::partial_sort(tokens.begin(), tokens.begin() + ranks, tokens.end(), [&](std::int32_t a, std::int32_t b) {
    return logits(0, a) != logits(0, b) ? logits(0, a) > logits(0, b) : a < b;
  });
  std::vector<TokenId> best;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) best.push_back(TokenId{tokens[rank]});
  return best;
}

}  // namespace

CpuMedusaHeads::CpuMedusaHeads(std::shared_ptr<const Model> model, const TensorTable& tensors, const std::string& where)
    : model_(std::move(model)) {
  const OnProgress nobody;
  const CancelToken never;
  WeightTaker taker(tensors, where, nobody, never);
  const std::uint32_t hidden = hidden_size();
  while (true) {
    const std::string name = fmt::format("medusa.{}.", heads_.size());
    if (!heads_.empty() && !taker.has(name + "weight")) break;
    Head& head = heads_.emplace_back();
    head.weight = taker.matrix(name + "weight", hidden, hidden);
    head.bias = taker.vector(name + "bias", hidden);
    head.projection = taker.matrix(name + "projection", hidden, hidden);
  }
  taker.expect_all_taken({});
  memory_ = taker.memory();
}

std::uint32_t CpuMedusaHeads::hidden_size() const { return model_->config.shape.hidden; }

std::vector<TokenId> CpuMedusaHeads::guess(std::uint32_t head, std::span<const float> hidden, std::uint32_t ranks,
                                           Work& work) const {
  if (head >= heads_.size() || hidden.size() != hidden_size() || ranks > model_->config.shape.vocab) {
    throw MisuseError(fmt::format("head {} of {} is asked for {} guesses from {} numbers", head, heads_.size(), ranks,
                                  hidden.size()));
  }
  const auto width = static_cast<Index>(hidden.size());
  const Matrix h = Eigen::Map<const Matrix>(hidden.data(), 1, width);
  Matrix y(1, width), projected(1, width), logits(1, Index{model_->config.shape.vocab});
  linear(h, heads_[head].weight, y, threads_, work);
  y += heads_[head].bias.transpose();
  y = h.array() + y.array() / (1.0F + (-y.array()).exp());
  linear(y, heads_[head].projection, projected, threads_, work);
  linear(projected, model_->weights.head, logits, threads_, work);
  if (!logits.allFinite()) throw InputError(fmt::format("Medusa head {} gives a logit that is no finite number", head));
  return likeliest(logits, ranks);
}

std::unique_ptr<CpuMedusaHeads> open_medusa_heads(std::shared_ptr<const Model> model,
                                                  const std::filesystem::path& path) {
  return std::make_unique<CpuMedusaHeads>(std::move(model), open_safetensors(path), path.string());
}

}  // namespace kvarium::cpu
