#include "cpu_reference/cpu_runner.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "cpu_reference/kv_store/paged.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"

namespace kvarium::cpu {

CpuRunner::CpuRunner(std::shared_ptr<const Model> model)
    : model_(std::move(model)), transformer_(std::make_unique<Transformer>(*model_)) {}

CpuRunner::~CpuRunner() = default;

const ModelShape& CpuRunner::shape() const { return model_->config.shape; }

void CpuRunner::create_cache(std::uint32_t num_blocks, std::uint32_t block_size) {
  if (store_ != nullptr) throw MisuseError("the runner has a cache already");
  store_ = std::make_unique<PagedKvStore>(shape(), num_blocks, block_size);
}

PagedKvStore& CpuRunner::store() const {
  if (store_ == nullptr) throw MisuseError("the runner has no cache: call create_cache() first");
  return *store_;
}

void CpuRunner::copy(std::span<const BlockCopy> copies) {
  for (const BlockCopy& copy : copies) store().copy(copy.from, copy.to, copy.tokens);
}

std::vector<std::byte> CpuRunner::save(std::span<const BlockId> blocks) const { return store().save(blocks); }

void CpuRunner::restore(std::span<const BlockId> blocks, std::span<const std::byte> bytes) {
  store().restore(blocks, bytes);
}

std::uint64_t CpuRunner::saved_bytes(std::size_t num_blocks) const { return num_blocks * store().block_bytes(); }

void CpuRunner::expect_valid(const ScheduledSequence& sequence) const {
  const PagedKvSequence cache(*store_, sequence.block_table, sequence.first_position);
  transformer_->expect_can_prefill(sequence.tokens, cache);
}

ForwardResult CpuRunner::forward(std::span<const ScheduledSequence> batch) {
  store();
  if (batch.empty()) throw MisuseError("a forward pass over an empty batch");
  for (const ScheduledSequence& sequence : batch) expect_valid(sequence);

  ForwardResult result;
  result.logits.reserve(batch.size() * shape().vocab);
  for (const ScheduledSequence& sequence : batch) {
    PagedKvSequence cache(*store_, sequence.block_table, sequence.first_position);
    const std::vector<float> logits = transformer_->prefill(sequence.tokens, cache, result.work.emplace_back());
    result.logits.insert(result.logits.end(), logits.begin(), logits.end());
  }
  return result;
}

}  // namespace kvarium::cpu
