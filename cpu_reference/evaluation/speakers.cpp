#include "cpu_reference/evaluation/speakers.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "core/blocks/block_pool.h"
#include "core/blocks/block_table.h"
#include "core/blocks/blocks_for.h"
#include "core/error.h"
#include "core/trace/event_sink.h"
#include "cpu_reference/kv_store/contiguous.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/model/workspace.h"

namespace kvarium::cpu {
namespace {

class UncachedSpeaker final : public Speaker {
 public:
  explicit UncachedSpeaker(std::shared_ptr<const Model> model) : model_(std::move(model)), transformer_(*model_) {}

  const ModelShape& shape() const override { return model_->config.shape; }
  void begin() override { heard_.clear(); }

 private:
  std::span<const float> compute(std::span<const TokenId> tokens, std::uint32_t rows) override {
    std::vector<TokenId> text = heard_;
    text.insert(text.end(), tokens.begin(), tokens.end());
    Work work;
    logits_ = rows == 1 ? transformer_.forward_uncached(text, work) : transformer_.forward_uncached_all(text, work);
    heard_ = std::move(text);
    return std::span<const float>(logits_).last(std::size_t{rows} * shape().vocab);
  }

  std::shared_ptr<const Model> model_;
  Transformer transformer_;
  std::vector<TokenId> heard_;
  std::vector<float> logits_;
};

class ContiguousSpeaker final : public Speaker {
 public:
  ContiguousSpeaker(std::shared_ptr<const Model> model, std::uint32_t longest, std::uint32_t threads)
      : model_(std::move(model)),
        longest_(longest),
        transformer_(*model_),
        workspace_(threads == 0 ? suitable_threads(model_->weights) : threads) {
    begin();
  }

  const ModelShape& shape() const override { return model_->config.shape; }
  void begin() override { cache_.emplace(shape(), longest_); }

 private:
  std::span<const float> compute(std::span<const TokenId> tokens, std::uint32_t rows) override {
    const SequenceInput input{tokens, &*cache_, rows};
    Work work;
    return transformer_.forward({&input, 1}, workspace_, {&work, 1});
  }

  std::shared_ptr<const Model> model_;
  std::uint32_t longest_;
  Transformer transformer_;
  Workspace workspace_;
  std::optional<ContiguousKvCache> cache_;
};

/// One request whose table grows with the text and gives its blocks back at the next begin().
class PagedSpeaker final : public Speaker {
 public:
  PagedSpeaker(std::unique_ptr<ModelRunner> runner, std::uint32_t longest, std::uint32_t block_size)
      : runner_(std::move(runner)),
        pool_(block_size, ascending_order(num_blocks(longest, block_size)), sink_),
        table_(pool_, RequestId{0}) {
    runner_->create_cache(static_cast<std::uint32_t>(pool_.num_blocks()), block_size);
  }
  ~PagedSpeaker() override { table_.release(); }
  PagedSpeaker(const PagedSpeaker&) = delete;
  PagedSpeaker& operator=(const PagedSpeaker&) = delete;

  const ModelShape& shape() const override { return runner_->shape(); }
  void begin() override { table_.release(); }

 private:
  /// 0 for a block size of 0, which the pool refuses.
  static std::uint32_t num_blocks(std::uint32_t longest, std::uint32_t block_size) {
    return block_size == 0 ? 0 : static_cast<std::uint32_t>(blocks_for(longest, block_size));
  }

  std::span<const float> compute(std::span<const TokenId> tokens, std::uint32_t rows) override {
    const std::uint32_t first = table_.num_tokens();
    const auto count = static_cast<std::uint32_t>(tokens.size());
    if (!table_.append(count)) {
      throw MisuseError(fmt::format("{} tokens do not fit behind {} in {} blocks of {}", count, first,
                                    pool_.num_blocks(), pool_.block_size()));
    }
    const ScheduledSequence sequence{RequestId{0}, tokens, first, table_.blocks(), rows};
    logits_ = runner_->forward({&sequence, 1}).logits;
    return logits_;
  }

  std::unique_ptr<ModelRunner> runner_;
  NullSink sink_;
  BlockPool pool_;
  BlockTable table_;
  std::vector<float> logits_;
};

}  // namespace

std::unique_ptr<Speaker> uncached_speaker(std::shared_ptr<const Model> model) {
  return std::make_unique<UncachedSpeaker>(std::move(model));
}

std::unique_ptr<Speaker> contiguous_speaker(std::shared_ptr<const Model> model, std::uint32_t longest,
                                            std::uint32_t threads) {
  return std::make_unique<ContiguousSpeaker>(std::move(model), longest, threads);
}

std::unique_ptr<Speaker> paged_speaker(std::unique_ptr<ModelRunner> runner, std::uint32_t longest,
                                       std::uint32_t block_size) {
  return std::make_unique<PagedSpeaker>(std::move(runner), longest, block_size);
}

}  // namespace kvarium::cpu
