#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "core/engine.h"
#include "core/error.h"
#include "core/scheduling/plan_check.h"

namespace kvarium {
namespace {

void remove(std::vector<LiveRequest*>& from, const LiveRequest* request) {
  from.erase(std::remove(from.begin(), from.end(), request), from.end());
}

// The prompt, or prompt and answer after a preemption: prefill. The one token that was sampled last: decode.
Phase phase_of(const Request& request, std::uint32_t first) {
  return first >= request.prompt_tokens && first + 1 == request.tokens.size() ? Phase::decode : Phase::prefill;
}

}  // namespace

SchedulerView Engine::view() const { return {running_, waiting_, pool_, *cache_, config_.limits}; }

StepPlan Engine::plan() const { return scheduler_.plan(view()); }

bool Engine::step() {
  if (idle()) return false;
  const StepPlan next = plan();
  if (next.chunks.empty()) {
    throw MisuseError(
        fmt::format("no progress: the scheduler plans to compute nothing, though {} requests run, {} wait "
                    "and {} of {} blocks are free",
                    running_.size(), waiting_.size(), pool_.num_free(), pool_.num_blocks()));
  }
  apply(next);
  return true;
}

void Engine::apply(const StepPlan& plan) {
  check(plan, view());
  const std::uint64_t started = config_.clock();
  sink_.emit(StepStarted{++step_});
  for (const RequestId id : plan.preempt) preempt(id);
  // First everybody takes what is cached; only then is anything handed out, which may evict.
  for (const RequestId id : plan.admit) admit(id);
  swap_in_all(plan.admit);
  const std::vector<Draft> drafts = propose(plan.chunks);
  Computed computed = compute(plan.chunks, drafts);
  std::vector<Outcome>& outcomes = computed.outcomes;
  for (std::size_t i = 0; i < outcomes.size(); ++i) announce_computed(plan.chunks[i], drafts[i], outcomes[i].work);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    LiveRequest& request = live(plan.chunks[i].request);
    if (outcomes[i].verdict) {
      conclude_round(request, drafts[i], std::move(outcomes[i]));
    } else if (!outcomes[i].sampled.empty()) {
      answer(request, std::move(outcomes[i]));
    }
  }
  time_step(computed.simulated_ns.value_or(config_.clock() - started),
            computed.simulated_ns.has_value() || runner_.simulated());
}

void Engine::time_step(std::uint64_t nanoseconds, bool simulated) {
  sink_.emit(StepTimed{nanoseconds, simulated});
  now_ns_ += nanoseconds;
  cache_->pass_time(now_ns_);
}

void Engine::wait(std::uint64_t nanoseconds) {
  if (nanoseconds == 0) return;
  sink_.emit(TimePassed{nanoseconds, runner_.simulated()});
  now_ns_ += nanoseconds;
  cache_->pass_time(now_ns_);
}

// --- who comes and who goes

void Engine::preempt(RequestId id) {
  LiveRequest& request = live(id);
  std::optional<SwappedKv> swapped = swap_out(request);
  const std::uint32_t lost = swapped ? 0 : request.computed_tokens();
  forget_draft(request);
  request.preempt(std::move(swapped));
  sink_.emit(RequestPreempted{id, lost});
  remove(running_, &request);
  waiting_.insert(waiting_.begin(), &request);
}

std::optional<SwappedKv> Engine::swap_out(const LiveRequest& request) {
  if (config_.preemption != Preemption::swap || request.computed_tokens() == 0) return std::nullopt;
  const std::vector<BlockId>& blocks = request.table().blocks();
  const std::uint64_t bytes = runner_.saved_bytes(blocks.size());
  if (bytes > config_.swap_bytes - swapped_bytes_) return std::nullopt;
  SwappedKv swapped{request.computed_tokens(), bytes, runner_.save(blocks)};
  swapped_bytes_ += bytes;
  sink_.emit(KvSwappedOut{request.id(), swapped.tokens, bytes});
  return swapped;
}

void Engine::admit(RequestId id) {
  LiveRequest& request = live(id);
  sink_.emit(RequestAdmitted{id});
  request.admit();
  remove(waiting_, &request);
  running_.push_back(&request);
}

// When the runner fails, K and V of all that were to come back are given up: they run, and compute them again.
void Engine::swap_in_all(const std::vector<RequestId>& admitted) {
  try {
    for (const RequestId id : admitted) swap_in(live(id));
  } catch (...) {
    for (const RequestId id : admitted) drop_swapped(live(id));
    throw;
  }
}

void Engine::swap_in(LiveRequest& request) {
  const SwappedKv* swapped = request.swapped();
  if (swapped == nullptr) return;
  std::vector<BlockCopy> copies;  // the table is empty: there will be none
  append_slots(request.table(), swapped->tokens, copies);
  runner_.restore(request.table().blocks(), swapped->bytes);
  swapped_bytes_ -= swapped->host_bytes;
  sink_.emit(KvSwappedIn{request.id(), swapped->tokens, swapped->host_bytes});
  request.swapped_in();
}

void Engine::drop_swapped(LiveRequest& request) {
  if (request.swapped() == nullptr) return;
  if (request.computed_tokens() == 0) sink_.emit(RolledBack{request.id(), 0});
  request.table().rollback_to(0);
  swapped_bytes_ -= request.swapped()->host_bytes;
  request.swapped_in();
}

// --- computing

// What the prefix cache alone holds is given up for them.
void Engine::append_slots(BlockTable& table, std::uint32_t tokens, std::vector<BlockCopy>& copies) {
  cache_->make_room(table.free_needed(tokens));
  if (!table.append(tokens, copies)) throw MisuseError("the plan needs more blocks than its check counted");
}

// Gives the tokens of a chunk their slots. A shared block that is about to be written is copied at once: when that
// fails, the table names the old block again, as nothing is in the new one.
void Engine::take_slots(const Chunk& chunk, std::span<const TokenId> tokens, std::uint32_t logit_rows,
                        std::vector<ScheduledSequence>& batch) {
  LiveRequest& request = live(chunk.request);
  BlockTable& table = request.table();
  const Proposer* const proposer = config_.speculation.proposer;
  batch.push_back({chunk.request,
                   tokens,
                   request.computed_tokens(),
                   {},
                   logit_rows,
                   proposer != nullptr && proposer->wants_hidden()});
  const std::size_t written = request.computed_tokens() / pool_.block_size();
  std::vector<BlockCopy> copies;
  append_slots(table, static_cast<std::uint32_t>(tokens.size()), copies);
  try {
    if (!copies.empty()) runner_.copy(copies);
  } catch (...) {
    table.replace(written, copies.front().from);
    throw;
  }
  batch.back().block_table = table.blocks();
  if (config_.fault == Fault::hit_before_compute && logit_rows == 1) request.publish(Phase::prefill);
}

// Computes all chunks, or takes all their slots back.
Engine::Computed Engine::compute(const std::vector<Chunk>& chunks, const std::vector<Draft>& drafts) {
  std::vector<ScheduledSequence> batch;
  std::deque<std::vector<TokenId>> rounds;  // the tokens of each round: the newest, and behind it the drafts
  try {
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const std::vector<TokenId>& guessed = drafts[i].tokens;
      std::span<const TokenId> tokens = live(chunks[i].request).next_tokens(chunks[i].count);
      if (!guessed.empty()) {
        std::vector<TokenId>& round = rounds.emplace_back(tokens.begin(), tokens.end());
        round.insert(round.end(), guessed.begin(), guessed.end());
        tokens = round;
      }
      take_slots(chunks[i], tokens, static_cast<std::uint32_t>(guessed.size()) + 1, batch);
      batch.back().parents = drafts[i].parents;
    }
    Computed computed = forward(chunks, drafts, batch);
    move_paths(chunks, drafts, computed);
    return computed;
  } catch (...) {
    for (std::size_t i = batch.size(); i-- > 0;) live(chunks[i].request).table().rollback_to(batch[i].first_position);
    throw;
  }
}

Engine::Computed Engine::forward(const std::vector<Chunk>& chunks, const std::vector<Draft>& drafts,
                                 const std::vector<ScheduledSequence>& batch) {
  if (batch.empty()) return {};
  ForwardResult result = runner_.forward(batch);
  const std::size_t vocab = named_.size(), hidden = batch.front().wants_hidden ? runner_.shape().hidden : 0;
  std::size_t total = 0;
  for (const ScheduledSequence& sequence : batch) total += sequence.logit_rows;
  if (result.logits.size() != total * vocab || result.hidden.size() != total * hidden ||
      result.work.size() != batch.size()) {
    throw MisuseError(
        fmt::format("the model returned {} logits, {} numbers of hidden states and {} counts of work for "
                    "{} sequences",
                    result.logits.size(), result.hidden.size(), result.work.size(), batch.size()));
  }
  Computed computed{{}, result.simulated_ns};
  const std::span<const float> logits = result.logits, states = result.hidden;
  std::size_t row = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::size_t rows = batch[i].logit_rows;
    const Rows own{logits.subspan(row * vocab, rows * vocab), states.subspan(row * hidden, rows * hidden)};
    computed.outcomes.push_back(judge(live(chunks[i].request), drafts[i], own));
    computed.outcomes.back().work = result.work[i];
    row += rows;
  }
  return computed;
}

SampledToken Engine::sampled_token(TokenId before, TokenId token, Sampler sampler) const {
  return {token, token_text_.piece(before, token), token_text_.name(token), std::move(sampler)};
}

// The next token of each of the request's candidates; none while some of its tokens are still to be computed (a chunk
// of a prompt).
std::vector<SampledToken> Engine::sample(const LiveRequest& request, std::span<const float> logits) const {
  std::vector<SampledToken> sampled;
  if (request.uncomputed_tokens() > 0) return sampled;
  for (std::uint32_t i = 0; i < request.width(); ++i) {
    SamplingParams params = request.sampler().params();
    params.seed += i;
    Sampler sampler = i == 0 ? request.sampler() : Sampler(params);
    const TokenId token = sampler.sample(logits);
    sampled.push_back(sampled_token(request.request().tokens.back(), token, std::move(sampler)));
  }
  return sampled;
}

// What of a round may be found by others is known when the drafts are judged: conclude_round().
void Engine::announce_computed(const Chunk& chunk, const Draft& draft, const Work& work) {
  LiveRequest& request = live(chunk.request);
  const auto count = chunk.count + static_cast<std::uint32_t>(draft.tokens.size());
  const std::uint32_t first = request.computed_tokens() - count;
  const Phase phase = phase_of(request.request(), first);
  sink_.emit(KvComputed{chunk.request, first, count, phase, true});
  sink_.emit(KvRead{chunk.request, request.computed_tokens()});
  sink_.emit(WorkCounted{chunk.request, work});
  if (draft.tokens.empty()) request.publish(phase);
}

// Forks first: they start with the same tokens, and differ from the one that is added now on.
void Engine::answer(LiveRequest& request, Outcome outcome) {
  std::vector<SampledToken>& sampled = outcome.sampled;
  std::vector<RequestId> answering{request.id()};
  for (std::size_t i = 1; i < sampled.size(); ++i) answering.push_back(add_fork(request, sampled[i].sampler).id());
  request.all_forked();
  for (std::size_t i = 0; i < sampled.size(); ++i) {
    LiveRequest& one = live(answering[i]);
    const auto reason = add_token(one, std::move(sampled[i]));
    settle_draft(one, outcome.hidden);
    if (reason) end(one, *reason);
  }
}

std::optional<FinishReason> Engine::add_token(LiveRequest& request, SampledToken sampled) {
  announce_name(sampled.token, std::move(sampled.name));
  sink_.emit(TokenSampled{request.id(), static_cast<std::uint32_t>(request.request().tokens.size()), sampled.token});
  return request.append(std::move(sampled));
}

void Engine::end(LiveRequest& request, FinishReason reason) {
  request.finish(reason, config_.fault);
  sink_.emit(RequestFinished{request.id(), reason});
  retire(request.id());
}

void Engine::announce_name(TokenId token, std::string name) {
  if (named_[index(token)]) return;
  named_[index(token)] = true;
  sink_.emit(TokenNamed{token, std::move(name)});
}

}  // namespace kvarium
