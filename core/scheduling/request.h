#pragma once
// A request: what was asked, what has come of it, and what it holds while it lives.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/blocks/block_table.h"
#include "core/faults/fault.h"
#include "core/ids.h"
#include "core/prefix/prefix_cache.h"
#include "core/sampling/sampling.h"
#include "core/speculation/draft_length.h"
#include "core/trace/event.h"

namespace kvarium {

/// What is asked of the engine.
struct RequestSpec {
  std::vector<TokenId> prompt;        ///< at least one token
  std::uint32_t max_new_tokens = 16;  ///< at least 1
  SamplingParams sampling = {};
  std::vector<std::string> stop_strings = {};  ///< the answer ends where one of these begins
  std::vector<TokenId> end_tokens = {};  ///< each of these ends the answer: "</s>", and "<s>" for llama2.c's stories
  ExtraKeys keys = {};                   ///< what must be equal, besides tokens, for K and V to be shared
  std::int32_t priority = 0;             ///< higher goes first, where the scheduler looks at it
  /// Parallel sampling: so many answers to one prompt, whose K and V are computed once. Answer i draws with the seed
  /// sampling.seed + i. The others are forked when the prompt is computed.
  std::uint32_t candidates = 1;
};

/// What one may ask about a request, from submit() on and also after its end.
///
///   tokens:  | prompt ............ | generated ......... |
///            0              prompt_tokens          tokens.size()
struct Request {
  RequestId id{};
  RequestStatus status = RequestStatus::waiting;
  std::vector<TokenId> tokens;
  std::uint32_t prompt_tokens = 0;
  std::uint32_t max_new_tokens = 0;
  std::string text;  ///< of the generated tokens, up to where a stop string begins. Bytes: see printable()
  std::int32_t priority = 0;
  std::uint32_t preemptions = 0;
  std::vector<RequestId> forks;  ///< requests that were forked from it
  FinishReason finish_reason{};  ///< meaningful when finished

  std::span<const TokenId> generated() const { return std::span(tokens).subspan(prompt_tokens); }
};

/// K and V of a preempted request in the memory of the host.
struct SwappedKv {
  std::uint32_t tokens = 0;
  std::uint64_t host_bytes = 0;  ///< that they take there
  std::vector<std::byte> bytes;  ///< as ModelRunner::save() wrote them
};

/// A token that was drawn but not yet added: everything that could fail is done.
struct SampledToken {
  TokenId token{};
  std::string text;  ///< the bytes that it adds
  std::string name;  ///< what a picture calls it
  Sampler sampler;   ///< the request's sampler as the draw left it
};

/// A request between its arrival and its end. Invariant between two steps: the table has a slot for exactly the tokens
/// whose K and V are computed. The newest token's never are: it gets them when it is fed.
class LiveRequest {
 public:
  /// `context`: the longest sequence that the model can read.
  LiveRequest(RequestId id, RequestSpec spec, std::uint32_t context, BlockPool& pool, PrefixCache& cache);
  /// A fork: the parent's tokens and answer so far, all its blocks, and a sampler of its own.
  LiveRequest(RequestId id, LiveRequest& parent, Sampler sampler, BlockPool& pool);

  const Request& request() const { return request_; }
  RequestId id() const { return request_.id; }
  const Sampler& sampler() const { return sampler_; }
  const BlockTable& table() const { return table_; }
  BlockTable& table() { return table_; }

  /// Tokens whose K and V are in the cache. Of the others a step may compute any number, from the front on.
  std::uint32_t computed_tokens() const { return table_.num_tokens(); }
  std::uint32_t uncomputed_tokens() const;
  /// The `count` tokens after the computed ones.
  std::span<const TokenId> next_tokens(std::uint32_t count) const;
  /// Requests that it is or will be when its prompt is computed: forks that are still to come count.
  std::uint32_t width() const { return candidates_; }
  /// What the prefix cache would give it now; empty for K and V that wait in the memory of the host.
  PrefixHit look_up() const;
  const SwappedKv* swapped() const { return swapped_ ? &*swapped_ : nullptr; }
  /// Tokens that it may reach: prompt and answer, as far as the model can read.
  std::uint32_t longest() const;

  /// From now on tokens are guessed ahead for it.
  void speculate(const DraftLengthOptions& options) { draft_length_.emplace(options); }
  /// Drafts that the next step may verify: none while its prompt, or more than its newest token, is to be computed; and
  /// so few that the token behind them is still asked for. So it never needs more slots than without drafts.
  std::uint32_t drafts_wanted() const;
  DraftLength& draft_length() { return *draft_length_; }  ///< after speculate()
  /// A stream of random numbers for drafts alone: what is drawn from it must not decide about them as well.
  Sampler& draft_sampler() { return draft_sampler_; }
  /// Tokens that the proposer's own cache has, as far as that was announced.
  std::uint32_t draft_cached() const { return draft_cached_; }
  void set_draft_cached(std::uint32_t tokens) { draft_cached_ = tokens; }

  /// The table takes what the prefix cache has, unless K and V wait in the memory of the host.
  void admit();
  /// Whole blocks that are computed can be found by others from now on.
  void publish(Phase phase);
  /// The tokens stay, the blocks return to the pool. K and V are computed again later, or come back from the host's
  /// memory when `swapped` holds them.
  void preempt(std::optional<SwappedKv> swapped);
  /// They are back.
  void swapped_in() { swapped_.reset(); }
  void abort();
  void finish(FinishReason reason, Fault fault = Fault::none);
  void forked(RequestId child) { request_.forks.push_back(child); }
  /// All its candidates are there.
  void all_forked() { candidates_ = 1; }
  /// Says whether the token ends the request, and why; finish() is up to the caller.
  std::optional<FinishReason> append(SampledToken sampled);

  /// What remains of a request that ended.
  Request take_result() { return std::move(request_); }

 private:
  bool cut_at_stop_string(std::size_t old_size);
  std::span<const TokenId> computed() const { return std::span(request_.tokens).first(computed_tokens()); }
  void give_back_blocks(bool finished, Fault fault = Fault::none);

  Request request_;
  std::uint32_t candidates_ = 1;
  std::vector<std::string> stop_strings_;
  std::vector<TokenId> end_tokens_;
  std::uint32_t context_;
  BlockTable table_;
  Sampler sampler_;
  Sampler draft_sampler_;
  std::optional<DraftLength> draft_length_;  ///< none: no drafts
  std::uint32_t draft_cached_ = 0;
  std::unique_ptr<PrefixRequest> prefix_;
  std::optional<SwappedKv> swapped_;
};

/// Requests that these are or will be, forks to come included.
std::size_t total_width(std::span<const LiveRequest* const> requests);

}  // namespace kvarium
