#pragma once
// The interface of a proposer: it guesses the next tokens of running requests, more cheaply than the target says them.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/model_shape.h"
#include "core/sampling/sampling.h"
#include "core/speculation/draft.h"

namespace kvarium {

/// One request's wish for a draft.
struct DraftRequest {
  RequestId id{};
  std::span<const TokenId> tokens;  ///< prompt and answer so far. The target has yet to read the last one
  std::uint32_t most = 0;           ///< drafts that can be verified, at least 1
  /// How the request samples, with random numbers of its own: those that judge the drafts must be others.
  Sampler* sampler = nullptr;
};

class Proposer {
 public:
  Proposer() = default;
  Proposer(const Proposer&) = delete;
  Proposer& operator=(const Proposer&) = delete;
  virtual ~Proposer() = default;

  /// What it does, in a few English words.
  virtual std::string name() const = 0;
  /// InputError that says why, when it cannot guess for this target: a vocabulary of another size.
  virtual void expect_fits(const ModelShape&) const {}

  /// [requests]: at most `most` tokens for each, none when it has no idea. When it throws, it may be asked again.
  virtual std::vector<Draft> propose(std::span<const DraftRequest> requests) = 0;
  /// A request has got tokens and has these now; what it keeps of drafts that are not among them is void. `hidden`: the
  /// target's hidden state, behind the final norm, from which the last of the tokens was said; where wants_hidden().
  virtual void settle(RequestId, std::span<const TokenId>, std::span<const float>) {}
  /// The request ended or was preempted: it takes no memory any more.
  virtual void forget(RequestId) {}

  virtual bool wants_hidden() const { return false; }
  /// Tokens of the request whose K and V it keeps in a cache of its own.
  virtual std::uint32_t cached_tokens(RequestId) const { return 0; }
};

}  // namespace kvarium
