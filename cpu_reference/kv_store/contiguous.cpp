#include "cpu_reference/kv_store/contiguous.h"

#include <limits>

#include "core/words/words.h"

namespace kvarium::cpu {
namespace {

// A row that was never written reads as NaN: a wrong position cannot give a plausible answer.
constexpr float kNeverWritten = std::numeric_limits<float>::quiet_NaN();

std::size_t keys_of(std::uint32_t layer) { return std::size_t{layer} * 2; }
std::size_t values_of(std::uint32_t layer) { return std::size_t{layer} * 2 + 1; }

}  // namespace

ContiguousKvCache::ContiguousKvCache(const ModelShape& shape, std::uint32_t capacity)
    : KvSequence(0),
      layout_{capacity, shape.kv_heads, shape.head_dim},
      layers_(shape.layers),
      memory_(checked_product({2, layers_, capacity, shape.kv_heads, shape.head_dim}, tr("the KV cache")),
              kNeverWritten, tr("the KV cache")) {}

KvRow ContiguousKvCache::row(std::uint32_t layer, std::uint32_t position) {
  expect_place(layer, std::uint64_t{position} + 1);
  return {memory_.data() + layout_.offset(keys_of(layer), position, 0, 0),
          memory_.data() + layout_.offset(values_of(layer), position, 0, 0)};
}

void ContiguousKvCache::find_runs(std::uint32_t layer, std::uint32_t tokens, std::vector<KvRun>& found) const {
  expect_place(layer, tokens);
  found.assign(1, {memory_.data() + layout_.offset(keys_of(layer), 0, 0, 0),
                   memory_.data() + layout_.offset(values_of(layer), 0, 0, 0), tokens});
}

}  // namespace kvarium::cpu
