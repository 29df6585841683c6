#pragma once
// A request: what was asked, what has come of it, and what it holds while it lives.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/blocks/block_table.h"
#include "core/ids.h"
#include "core/sampling/sampling.h"
#include "core/trace/event.h"

namespace kvarium {

/// What is asked of the engine.
struct RequestSpec {
  std::vector<TokenId> prompt;        ///< at least one token
  std::uint32_t max_new_tokens = 16;  ///< at least 1
  SamplingParams sampling = {};
  std::vector<std::string> stop_strings = {};  ///< the answer ends where one of these begins
  std::vector<TokenId> end_tokens = {};  ///< each of these ends the answer: "</s>", and "<s>" for llama2.c's stories
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
  std::uint32_t preemptions = 0;
  FinishReason finish_reason{};  ///< meaningful when finished

  std::span<const TokenId> generated() const { return std::span(tokens).subspan(prompt_tokens); }
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
  LiveRequest(RequestId id, RequestSpec spec, std::uint32_t context, BlockPool& pool);

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

  void admit() { request_.status = RequestStatus::running; }
  /// Preemption by recompute: the tokens stay, the blocks return to the pool, K and V are computed again later.
  void preempt();
  void abort();
  void finish(FinishReason reason);
  /// Says whether the token ends the request, and why; finish() is up to the caller.
  std::optional<FinishReason> append(SampledToken sampled);

  /// What remains of a request that ended.
  Request take_result() { return std::move(request_); }

 private:
  bool cut_at_stop_string(std::size_t old_size);

  Request request_;
  std::vector<std::string> stop_strings_;
  std::vector<TokenId> end_tokens_;
  std::uint32_t context_;
  BlockTable table_;
  Sampler sampler_;
};

}  // namespace kvarium
