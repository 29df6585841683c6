#pragma once
// What a request without the engine does with K and V after a step: throws them away, keeps them in a row, or keeps
// them in blocks. The engine itself only knows blocks; the other two are there to be compared with them.

#include <memory>
#include <vector>

#include "core/blocks/block_pool.h"
#include "core/blocks/contiguous_pool.h"
#include "core/ids.h"
#include "core/trace/event_sink.h"
#include "core/work.h"

namespace kvarium {

namespace cpu {
class PagedKvStore;
class Transformer;
}  // namespace cpu

class KvKeeping {
 public:
  KvKeeping() = default;
  KvKeeping(const KvKeeping&) = delete;
  KvKeeping& operator=(const KvKeeping&) = delete;
  virtual ~KvKeeping() = default;

  /// Computes K and V of those of `tokens` whose K and V are not kept, announces which, and returns the last token's
  /// logits: [vocab].
  virtual std::vector<float> compute(const std::vector<TokenId>& tokens, Phase phase, Work& work) = 0;
  /// Gives the memory back.
  virtual void release() = 0;
};

/// All three keep references to what they are given.
std::unique_ptr<KvKeeping> keep_nothing(const cpu::Transformer& transformer, RequestId request, EventSink& sink);
/// Reserves `max_tokens` slots at once. InputError when the pool has no hole for them.
std::unique_ptr<KvKeeping> keep_in_row(const cpu::Transformer& transformer, const ModelShape& shape,
                                       ContiguousPool& pool, std::uint32_t max_tokens, RequestId request,
                                       EventSink& sink);
std::unique_ptr<KvKeeping> keep_in_blocks(const cpu::Transformer& transformer, BlockPool& pool,
                                          cpu::PagedKvStore& store, RequestId request, EventSink& sink);

}  // namespace kvarium
