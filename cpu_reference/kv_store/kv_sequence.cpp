#include "cpu_reference/kv_store/kv_sequence.h"

#include <fmt/format.h>

#include "core/error.h"

namespace kvarium::cpu {

void KvSequence::advance(std::uint32_t count) {
  if (count > capacity() - num_tokens_) {
    throw MisuseError(
        fmt::format("a cache of {} tokens holds {} and cannot take {} more", capacity(), num_tokens_, count));
  }
  num_tokens_ += count;
}

void KvSequence::expect_place(std::uint32_t layer, std::uint64_t tokens) const {
  if (layer >= layers()) throw MisuseError(fmt::format("there is no layer {}: the cache has {}", layer, layers()));
  if (tokens > capacity()) {
    throw MisuseError(fmt::format("{} tokens have no place in a cache of {}", tokens, capacity()));
  }
}

std::vector<KvRun> KvSequence::runs(std::uint32_t layer, std::uint32_t tokens) const {
  std::vector<KvRun> found;
  find_runs(layer, tokens, found);
  return found;
}

}  // namespace kvarium::cpu
