#pragma once
// What would a prefix cache of so many blocks, with this eviction policy, have saved a server? Replays who came when,
// computes no token.

#include <cstdint>
#include <optional>

#include "core/eviction/eviction_policy.h"
#include "core/replay/line_reader.h"
#include "core/replay/request_trace.h"

namespace kvarium {

struct ReplayResult {
  std::uint64_t requests = 0;
  std::uint64_t referenced_blocks = 0;
  std::uint64_t hit_blocks = 0;    ///< found in the cache, together with all blocks before them
  std::uint64_t input_tokens = 0;  ///< of all prompts
  std::uint64_t hit_tokens = 0;    ///< of the blocks that were hit: what need not be computed
  std::uint64_t evictions = 0;
  std::uint64_t cached_blocks = 0;  ///< at the end

  double block_hit_ratio() const;  ///< hit_blocks / referenced_blocks; 0 for an empty trace
  double token_hit_ratio() const;  ///< hit_tokens / input_tokens; 0 for an empty trace
  bool operator==(const ReplayResult&) const = default;
};

/// The tokens of a request's first `hit_blocks` blocks; the last block of a prompt may be partial.
std::uint64_t tokens_of(const TracedRequest& request, std::uint64_t hit_blocks, std::uint32_t block_size);

/// One request after another, in order of arrival: its hits are the leading run of its blocks that are cached; then
/// all its blocks are used, tail first, so that the head was used last; then the policy's victims go until `capacity`
/// blocks are left. A request longer than the cache so keeps what the policy likes best of it. `on_hits`, if given, is
/// told each request's hit blocks. `policy` must be empty. None when cancelled. InputError when the trace does not say
/// which blocks are equal, or `capacity` is 0.
std::optional<ReplayResult> replay(const RequestTrace& trace, EvictionPolicy& policy, std::uint64_t capacity,
                                   const OnProgress& on_progress, const CancelToken& cancel,
                                   const std::function<void(std::uint64_t)>& on_hits = {});

}  // namespace kvarium
