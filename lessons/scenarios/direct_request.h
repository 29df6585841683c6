#pragma once
// One request that runs without the engine and its scheduler: a forward pass a step, K and V kept as one likes.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/scheduling/request.h"
#include "core/token_text.h"
#include "core/trace/event_sink.h"
#include "lessons/scenarios/kv_keeping.h"

namespace kvarium {

/// Announces the name of each token once, before its first use, to one sink.
class TokenNames {
 public:
  TokenNames(const TokenText& text, EventSink& sink) : text_(text), sink_(sink) {}
  void announce(TokenId token) {
    if (named_.insert(token).second) sink_.emit(TokenNamed{token, text_.name(token)});
  }

 private:
  const TokenText& text_;
  EventSink& sink_;
  std::set<TokenId> named_;
};

/// `context`: the longest sequence that the model can read. The references must outlive the request.
class DirectRequest {
 public:
  /// InputError, nothing announced, when the spec cannot be served: no prompt, no new token, or no room for an answer.
  DirectRequest(RequestId id, RequestSpec spec, std::uint32_t context, const TokenText& text, TokenNames& names,
                EventSink& sink);

  /// The request arrives and is admitted.
  void arrive();
  /// One forward pass and one new token. Call it until ended(), each time after the step was announced.
  void step(KvKeeping& keeping);
  void abort(KvKeeping& keeping);

  bool ended() const { return ended_; }
  const std::vector<TokenId>& tokens() const { return tokens_; }
  std::size_t num_generated() const { return tokens_.size() - spec_.prompt.size(); }
  /// The bytes of the answer, up to where a stop string begins.
  const std::string& text() const { return text_; }
  const Work& work() const { return work_; }

 private:
  std::optional<FinishReason> append(TokenId token);

  RequestId id_;
  RequestSpec spec_;
  std::uint32_t context_;
  const TokenText& token_text_;
  TokenNames& names_;
  EventSink& sink_;
  Sampler sampler_;
  std::vector<TokenId> tokens_;  // prompt and answer
  std::string text_;
  Work work_;
  bool ended_ = false;
};

}  // namespace kvarium
