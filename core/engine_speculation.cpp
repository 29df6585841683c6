// A round of drafts: guess k tokens, compute them and the newest token in one pass, keep those that the target accepts,
// and take the others back.
//
//   table before:  | computed ............ |                          the newest token has no K and V yet
//   in the pass:   | computed ............ | newest | d0 | d1 | d2 |
//   a accepted:    | computed ............ | newest | d0 |            and behind them one token of the target's own:
//                                                                     the newest one of the next round
//
// A tree of drafts takes a slot for each of its nodes; the K and V of the path that was accepted are moved to the
// front.
#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "core/engine.h"
#include "core/error.h"

namespace kvarium {
namespace {

/// A chain's path are its first drafts.
TreeVerdict along_chain(Verdict verdict) {
  std::vector<std::uint32_t> path(verdict.accepted());
  std::iota(path.begin(), path.end(), 1U);
  return {std::move(verdict), std::move(path)};
}

/// Each row of logits as the distribution that the request samples from.
std::vector<std::vector<double>> distributions(std::span<const float> logits, std::size_t vocab,
                                               const SamplingParams& params) {
  std::vector<std::vector<double>> rows;
  for (std::size_t at = 0; at < logits.size(); at += vocab)
    rows.push_back(distribution(logits.subspan(at, vocab), params));
  return rows;
}

std::vector<double> uniforms(Sampler& sampler, std::size_t count) {
  std::vector<double> numbers;
  while (numbers.size() < count) numbers.push_back(sampler.uniform());
  return numbers;
}

/// MisuseError unless the drafts are a chain, or a tree as Draft says, which `rule` can judge.
void check_tree(const Draft& draft, AcceptanceRule rule) {
  if (draft.parents.empty()) return;
  expect_tree(draft.parents);
  if (draft.parents.size() != draft.tokens.size() + 1) throw MisuseError("a tree of drafts has other nodes");
  if (!siblings_differ(draft.parents, draft.tokens)) throw MisuseError("a tree guesses a token twice at one place");
  if (!draft.probabilities.empty()) throw MisuseError("the drafts of a tree were drawn: they must be certain");
  if (rule == AcceptanceRule::typical) throw MisuseError("typical acceptance judges chains of drafts, not trees");
}

/// MisuseError unless nothing was drawn, or each draft from a distribution over the whole vocabulary.
void check_probabilities(const Draft& draft, std::size_t vocab) {
  if (draft.probabilities.empty()) return;
  if (draft.probabilities.size() != draft.tokens.size()) {
    throw MisuseError("each draft needs the distribution it came from");
  }
  for (const std::vector<double>& q : draft.probabilities) {
    if (q.size() != vocab) throw MisuseError("a draft's distribution is over another vocabulary");
  }
}

}  // namespace

// --- guessing

std::vector<Draft> Engine::propose(const std::vector<Chunk>& chunks) {
  std::vector<Draft> drafts(chunks.size());
  std::vector<DraftRequest> wishes;
  std::vector<std::size_t> chunk_of;  // [wishes]
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (chunks[i].drafts == 0) continue;
    LiveRequest& request = live(chunks[i].request);
    wishes.push_back({request.id(), request.request().tokens, chunks[i].drafts, &request.draft_sampler()});
    chunk_of.push_back(i);
  }
  if (wishes.empty()) return drafts;
  std::vector<Draft> proposed = config_.speculation.proposer->propose(wishes);
  if (proposed.size() != wishes.size())
    throw MisuseError("the proposer returned another number of drafts than asked for");
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    if (proposed[i].tokens.size() > wishes[i].most) throw MisuseError("the proposer drafts more than it was asked for");
    check_vocabulary(proposed[i].tokens, "draft");
    check_probabilities(proposed[i], named_.size());
    check_tree(proposed[i], config_.speculation.rule);
  }
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    announce_draft(live(wishes[i].id), proposed[i]);
    drafts[chunk_of[i]] = std::move(proposed[i]);
  }
  return drafts;
}

void Engine::announce_draft(LiveRequest& request, const Draft& draft) {
  if (!draft.tokens.empty()) {
    std::vector<double> q;
    for (std::size_t i = 0; i < draft.tokens.size(); ++i) q.push_back(draft.q(i));
    for (const TokenId token : draft.tokens) {
      if (!named_[index(token)]) announce_name(token, token_text_.name(token));
    }
    const auto position = static_cast<std::uint32_t>(request.request().tokens.size());
    sink_.emit(DraftProposed{request.id(), position, draft.tokens, std::move(q), draft.work, draft.parents});
  }
  announce_draft_cache(request);
}

// --- judging

TreeVerdict Engine::verdict(Sampler& sampler, const Draft& draft, std::span<const float> logits) const {
  const std::size_t vocab = named_.size();
  const bool is_tree = !draft.parents.empty();
  if (sampler.params().temperature == 0.0F) {
    std::vector<TokenId> best;
    for (std::size_t at = 0; at < logits.size(); at += vocab) best.push_back(argmax(logits.subspan(at, vocab)));
    if (is_tree) return verify_tree_greedy(tree_of(draft.parents), draft.tokens, best);
    return along_chain(verify_greedy(draft.tokens, best));
  }
  if (is_tree) {
    const auto behind = [&](std::uint32_t node) {
      return distribution(logits.subspan(node * vocab, vocab), sampler.params());
    };
    const std::vector<double> numbers = uniforms(sampler, draft.parents.size());
    return verify_tree_sampled(tree_of(draft.parents), draft.tokens, behind, numbers);
  }
  const SpeculationConfig& config = config_.speculation;
  const std::vector<std::vector<double>> target = distributions(logits, vocab, sampler.params());
  if (config.rule == AcceptanceRule::typical) {
    return along_chain(verify_typical(draft.tokens, target, sampler.uniform(), config.typical));
  }
  return along_chain(verify_sampled(draft, target, uniforms(sampler, target.size())));
}

Engine::Outcome Engine::judge(const LiveRequest& request, const Draft& draft, const Rows& rows) const {
  const std::size_t drafts = draft.tokens.size(), hidden = rows.hidden.size() / (drafts + 1);
  const auto hidden_of = [&](std::size_t row) {
    const auto state = rows.hidden.subspan(row * hidden, hidden);
    return std::vector<float>(state.begin(), state.end());
  };
  try {
    if (drafts == 0) return {{}, sample(request, rows.logits), std::nullopt, {}, hidden_of(0)};
    Sampler sampler = request.sampler();
    auto [judged, path] = verdict(sampler, draft, rows.logits);
    std::vector<TokenId> tokens;
    for (const std::uint32_t node : path) tokens.push_back(draft.tokens[node - 1]);
    tokens.push_back(judged.next);
    std::vector<SampledToken> sampled;
    TokenId before = request.request().tokens.back();
    for (const TokenId token : tokens) {
      sampled.push_back(sampled_token(before, token, sampler));
      before = token;
    }
    std::vector<float> state = hidden_of(path.empty() ? 0 : path.back());
    return {{}, std::move(sampled), std::move(judged), std::move(path), std::move(state)};
  } catch (const MisuseError& error) {
    throw MisuseError(fmt::format("request {} gets no token: {}", letter(request.id()), error.what()));
  }
}

// --- keeping and taking back

// The slots of drafts lie behind that of the newest token, whose node is 0: node n's is slot_of(newest + n). A path's
// nodes never come before their places, so that no slot is written before it was read.
void Engine::move_paths(const std::vector<Chunk>& chunks, const std::vector<Draft>& drafts, const Computed& computed) {
  std::vector<SlotMove> moves;
  for (std::size_t i = 0; i < computed.outcomes.size(); ++i) {
    const BlockTable& table = live(chunks[i].request).table();
    const auto newest = table.num_tokens() - static_cast<std::uint32_t>(drafts[i].tokens.size()) - 1;
    const std::vector<std::uint32_t>& path = computed.outcomes[i].path;
    for (std::uint32_t place = 1; place <= path.size(); ++place) {
      const std::uint32_t node = path[place - 1];
      if (node != place) moves.push_back({table.slot_of(newest + node), table.slot_of(newest + place)});
    }
  }
  if (!moves.empty()) runner_.move(moves);
}

void Engine::announce_verdict(const LiveRequest& request, const Outcome& outcome) {
  const Verdict& verdict = *outcome.verdict;
  auto position = static_cast<std::uint32_t>(request.request().tokens.size());
  for (const Trial& trial : verdict.trials) {
    sink_.emit(DraftVerified{request.id(), position, trial.token, trial.p, trial.u, trial.accepted});
    position += trial.accepted ? 1 : 0;
  }
  announce_name(verdict.next, outcome.sampled.back().name);
  if (verdict.rejected()) {
    sink_.emit(TokenRecovered{request.id(), position, verdict.next, verdict.next_probability});
  } else {
    sink_.emit(BonusSampled{request.id(), position, verdict.next, verdict.next_probability});
  }
  if (!lies_in_front(outcome.path)) sink_.emit(DraftPathMoved{request.id(), outcome.path});
}

// The answer may end in the middle of what was accepted: at an end token or a stop string. What stands behind is not
// the answer's, and its K and V are taken back with those of the rejected drafts, before anything can be found by
// others.
void Engine::conclude_round(LiveRequest& request, const Draft& draft, Outcome outcome) {
  announce_verdict(request, outcome);
  if (draft.parents.empty()) {  // what pays off for a chain says nothing of the size of a tree
    request.draft_length().observe(static_cast<std::uint32_t>(outcome.verdict->trials.size()),
                                   outcome.verdict->accepted());
  }
  std::optional<FinishReason> reason;
  for (std::size_t i = 0; i < outcome.sampled.size() && !reason; ++i) {
    reason = add_token(request, std::move(outcome.sampled[i]));
  }
  settle_draft(request, outcome.hidden);
  request.table().rollback_to(static_cast<std::uint32_t>(request.request().tokens.size()) - 1);
  request.publish(Phase::decode);
  if (reason) end(request, *reason);
}

void Engine::settle_draft(LiveRequest& request, std::span<const float> hidden) {
  Proposer* const proposer = config_.speculation.proposer;
  if (proposer == nullptr) return;
  proposer->settle(request.id(), request.request().tokens, hidden);
  announce_draft_cache(request);
}

void Engine::forget_draft(LiveRequest& request) {
  Proposer* const proposer = config_.speculation.proposer;
  if (proposer == nullptr) return;
  proposer->forget(request.id());
  announce_draft_cache(request);
}

void Engine::announce_draft_cache(LiveRequest& request) {
  const std::uint32_t before = request.draft_cached();
  const std::uint32_t now = config_.speculation.proposer->cached_tokens(request.id());
  if (now > before) sink_.emit(DraftKvComputed{request.id(), before, now - before});
  if (now < before) sink_.emit(DraftKvRolledBack{request.id(), now});
  request.set_draft_cached(now);
}

}  // namespace kvarium
