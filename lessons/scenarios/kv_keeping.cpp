#include "lessons/scenarios/kv_keeping.h"

#include <span>

#include "core/blocks/block_table.h"
#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/kv_store/contiguous.h"
#include "cpu_reference/kv_store/paged.h"
#include "cpu_reference/model/transformer.h"

namespace kvarium {
namespace {

std::uint32_t count(const std::vector<TokenId>& tokens) { return static_cast<std::uint32_t>(tokens.size()); }

class Nothing : public KvKeeping {
 public:
  Nothing(const cpu::Transformer& transformer, RequestId request, EventSink& sink)
      : transformer_(transformer), request_(request), sink_(sink) {}

  std::vector<float> compute(const std::vector<TokenId>& tokens, Phase phase, Work& work) override {
    std::vector<float> logits = transformer_.forward_uncached(tokens, work);
    sink_.emit(KvComputed{request_, 0, count(tokens), phase, false});
    return logits;
  }
  void release() override {}

 private:
  const cpu::Transformer& transformer_;
  RequestId request_;
  EventSink& sink_;
};

class Row : public KvKeeping {
 public:
  Row(const cpu::Transformer& transformer, const ModelShape& shape, ContiguousPool& pool, std::uint32_t max_tokens,
      RequestId request, EventSink& sink)
      : transformer_(transformer), pool_(pool), cache_(shape, max_tokens), request_(request), sink_(sink) {
    if (!pool.reserve(request, max_tokens)) {
      throw InputError(tr_format("no row of {} slots is free: the largest has {}", max_tokens, pool.largest_hole()));
    }
  }

  std::vector<float> compute(const std::vector<TokenId>& tokens, Phase phase, Work& work) override {
    const std::uint32_t kept = cache_.num_tokens();
    std::vector<float> logits = transformer_.prefill(std::span(tokens).subspan(kept), cache_, work);
    pool_.grow(request_, count(tokens) - kept);
    sink_.emit(KvComputed{request_, kept, count(tokens) - kept, phase, true});
    return logits;
  }
  void release() override { pool_.release(request_); }

 private:
  const cpu::Transformer& transformer_;
  ContiguousPool& pool_;
  cpu::ContiguousKvCache cache_;
  RequestId request_;
  EventSink& sink_;
};

class Blocks : public KvKeeping {
 public:
  Blocks(const cpu::Transformer& transformer, BlockPool& pool, cpu::PagedKvStore& store, RequestId request,
         EventSink& sink)
      : transformer_(transformer), store_(store), table_(pool, request), request_(request), sink_(sink) {}

  std::vector<float> compute(const std::vector<TokenId>& tokens, Phase phase, Work& work) override {
    const std::uint32_t kept = table_.num_tokens();
    const std::uint32_t fresh = count(tokens) - kept;
    if (!table_.append(fresh)) {
      throw InputError(tr_format("the pool has too few free blocks for {} more tokens: make it larger", fresh));
    }
    cpu::PagedKvSequence cache(store_, table_.blocks(), kept);
    std::vector<float> logits = transformer_.prefill(std::span(tokens).subspan(kept), cache, work);
    sink_.emit(KvComputed{request_, kept, fresh, phase, true});
    return logits;
  }
  void release() override { table_.release(); }

 private:
  const cpu::Transformer& transformer_;
  cpu::PagedKvStore& store_;
  BlockTable table_;
  RequestId request_;
  EventSink& sink_;
};

}  // namespace

std::unique_ptr<KvKeeping> keep_nothing(const cpu::Transformer& transformer, RequestId request, EventSink& sink) {
  return std::make_unique<Nothing>(transformer, request, sink);
}

std::unique_ptr<KvKeeping> keep_in_row(const cpu::Transformer& transformer, const ModelShape& shape,
                                       ContiguousPool& pool, std::uint32_t max_tokens, RequestId request,
                                       EventSink& sink) {
  return std::make_unique<Row>(transformer, shape, pool, max_tokens, request, sink);
}

std::unique_ptr<KvKeeping> keep_in_blocks(const cpu::Transformer& transformer, BlockPool& pool,
                                          cpu::PagedKvStore& store, RequestId request, EventSink& sink) {
  return std::make_unique<Blocks>(transformer, pool, store, request, sink);
}

}  // namespace kvarium
