#include "core/replay/replay.h"

#include <algorithm>

#include "core/error.h"
#include "core/replay/replay_parts.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

constexpr std::uint64_t kTellEvery = 256;  ///< requests

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t leading_hits(const TracedRequest& request, const EvictionPolicy& policy) {
  const auto miss = std::find_if(request.blocks.begin(), request.blocks.end(),
                                 [&](BlockId block) { return !policy.contains(block); });
  return static_cast<std::uint64_t>(miss - request.blocks.begin());
}

/// Returns how many blocks went.
std::uint64_t evict_down_to(std::uint64_t capacity, EvictionPolicy& policy) {
  std::uint64_t evictions = 0;
  for (; policy.size() > capacity; ++evictions) policy.erase(policy.victim().value());
  return evictions;
}

}  // namespace

void check_replay(const RequestTrace& trace, const EvictionPolicy& policy, std::uint64_t capacity) {
  if (policy.size() != 0) throw MisuseError("the policy has blocks already: each replay needs a new one");
  if (capacity == 0) throw InputError(std::string(tr("capacity 0: the cache must hold at least 1 block")));
  if (trace.block_size == 0) {
    throw InputError(std::string(tr("the trace has no hashes of blocks: nothing says which prompts begin alike")));
  }
}

void use_tail_first(const TracedRequest& request, EvictionPolicy& policy) {
  for (std::size_t position = request.blocks.size(); position-- > 0;) {
    const BlockId block = request.blocks[position];
    if (policy.contains(block)) {
      policy.touch(block);
    } else {
      policy.insert(block, static_cast<std::uint32_t>(position));
    }
  }
}

void tell_progress(const OnProgress& on_progress, std::uint64_t done, std::uint64_t total) {
  if (on_progress && (done % kTellEvery == 0 || done == total)) on_progress({done, total});
}

double ReplayResult::block_hit_ratio() const { return ratio(hit_blocks, referenced_blocks); }
double ReplayResult::token_hit_ratio() const { return ratio(hit_tokens, input_tokens); }

std::uint64_t tokens_of(const TracedRequest& request, std::uint64_t hit_blocks, std::uint32_t block_size) {
  return std::min<std::uint64_t>(hit_blocks * block_size, request.input_tokens);
}

std::optional<ReplayResult> replay(const RequestTrace& trace, EvictionPolicy& policy, std::uint64_t capacity,
                                   const OnProgress& on_progress, const CancelToken& cancel,
                                   const std::function<void(std::uint64_t)>& on_hits) {
  check_replay(trace, policy, capacity);
  ReplayResult result;
  for (const TracedRequest& request : trace.requests) {
    if (cancel.cancelled()) return std::nullopt;
    const std::uint64_t hits = leading_hits(request, policy);
    if (on_hits) on_hits(hits);
    use_tail_first(request, policy);
    result.evictions += evict_down_to(capacity, policy);
    ++result.requests;
    result.referenced_blocks += request.blocks.size();
    result.hit_blocks += hits;
    result.input_tokens += request.input_tokens;
    result.hit_tokens += tokens_of(request, hits, trace.block_size);
    tell_progress(on_progress, result.requests, trace.requests.size());
  }
  result.cached_blocks = policy.size();
  return result;
}

}  // namespace kvarium
