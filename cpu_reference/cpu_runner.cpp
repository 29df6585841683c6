#include "cpu_reference/cpu_runner.h"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "core/error.h"
#include "cpu_reference/kv_store/paged.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/model/workspace.h"

namespace kvarium::cpu {

CpuRunner::CpuRunner(std::shared_ptr<const Model> model, std::uint32_t threads)
    : model_(std::move(model)),
      transformer_(std::make_unique<Transformer>(*model_)),
      workspace_(std::make_unique<Workspace>(threads == 0 ? suitable_threads(model_->weights) : threads)) {}

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
  for (const BlockCopy& copy : copies) store().expect_can_copy(copy.from, copy.to, copy.tokens);
  for (const BlockCopy& copy : copies) store().copy(copy.from, copy.to, copy.tokens);
}

void CpuRunner::move(std::span<const SlotMove> moves) {
  for (const SlotMove& move : moves) {
    store().expect_slot(move.from);
    store().expect_slot(move.to);
  }
  for (const SlotMove& move : moves) store().move(move.from, move.to);
}

std::vector<std::byte> CpuRunner::save(std::span<const BlockId> blocks) const { return store().save(blocks); }

void CpuRunner::restore(std::span<const BlockId> blocks, std::span<const std::byte> bytes) {
  store().restore(blocks, bytes);
}

std::uint64_t CpuRunner::saved_bytes(std::size_t num_blocks) const { return num_blocks * store().block_bytes(); }

bool CpuRunner::set_probe(StepProbe* probe) {
  if (probe != nullptr && probe->layer >= shape().layers) {
    throw MisuseError(fmt::format("there is no layer {} to report: the model has {}", probe->layer, shape().layers));
  }
  probe_ = probe;
  return true;
}

ForwardResult CpuRunner::forward(std::span<const ScheduledSequence> batch) {
  if (batch.empty()) throw MisuseError("a forward pass over an empty batch");
  std::deque<PagedKvSequence> caches;  // where each stays when the next is added
  std::vector<SequenceInput> inputs;
  for (const ScheduledSequence& sequence : batch) {
    caches.emplace_back(store(), sequence.block_table, sequence.first_position);
    inputs.push_back({sequence.tokens, &caches.back(), sequence.logit_rows, sequence.parents});
  }
  ForwardResult result;
  result.work.resize(batch.size());
  const std::span<const float> logits = transformer_->forward(inputs, *workspace_, result.work, probe_);
  result.logits.assign(logits.begin(), logits.end());
  Index row = 0;
  for (const ScheduledSequence& sequence : batch) {
    const float* const states = workspace_->last.data() + row * workspace_->last.cols();
    if (sequence.wants_hidden) {
      result.hidden.insert(result.hidden.end(), states, states + sequence.logit_rows * workspace_->last.cols());
    }
    row += Index{sequence.logit_rows};
  }
  for (std::size_t i = 0; probe_ != nullptr && i < batch.size(); ++i) probe_->sequences[i].request = batch[i].request;
  return result;
}

}  // namespace kvarium::cpu
