#include "cpu_reference/kv_store/contiguous.h"

#include <limits>

#include "core/words/words.h"

namespace kvarium::cpu {
namespace {

// A row that was never written reads as NaN: a wrong position cannot give a plausible answer.
constexpr float kNeverWritten = std::numeric_limits<float>::quiet_NaN();

}  // namespace

ContiguousKvCache::ContiguousKvCache(const ModelShape& shape, std::uint32_t capacity)
    : KvSequence(0),
      layout_(kv_layout(shape, capacity)),
      has_values_(value_row_width(shape) > 0),
      layers_(shape.layers),
      memory_(checked_product({has_values_ ? 2U : 1U, layers_, capacity, key_row_width(shape)}, tr("the KV cache")),
              kNeverWritten, tr("the KV cache")) {}

std::size_t ContiguousKvCache::keys_at(std::uint32_t layer, std::uint32_t position) const {
  return layout_.offset(std::size_t{layer} * (has_values_ ? 2 : 1), position, 0, 0);
}

std::size_t ContiguousKvCache::values_at(std::uint32_t layer, std::uint32_t position) const {
  return keys_at(layer, position) + (has_values_ ? layout_.block_stride() : 0);
}

KvRow ContiguousKvCache::row(std::uint32_t layer, std::uint32_t position) {
  expect_place(layer, std::uint64_t{position} + 1);
  return {memory_.data() + keys_at(layer, position),
          has_values_ ? memory_.data() + values_at(layer, position) : nullptr};
}

void ContiguousKvCache::find_runs(std::uint32_t layer, std::uint32_t tokens, std::vector<KvRun>& found) const {
  expect_place(layer, tokens);
  found.assign(1, {memory_.data() + keys_at(layer, 0), memory_.data() + values_at(layer, 0), tokens});
}

}  // namespace kvarium::cpu
