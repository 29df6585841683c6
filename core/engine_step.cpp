#include <fmt/format.h>

#include <algorithm>
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
  Computed computed = compute(plan.chunks);
  for (std::size_t i = 0; i < plan.chunks.size(); ++i) announce_computed(plan.chunks[i], computed.work[i]);
  for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
    if (!computed.sampled[i].empty()) answer(live(plan.chunks[i].request), std::move(computed.sampled[i]));
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

// Gives the chunk its slots. A shared block that is about to be written is copied at once: when that fails, the table
// names the old block again, as nothing is in the new one.
void Engine::take_slots(const Chunk& chunk, std::vector<ScheduledSequence>& batch) {
  LiveRequest& request = live(chunk.request);
  BlockTable& table = request.table();
  batch.push_back({chunk.request, request.next_tokens(chunk.count), request.computed_tokens(), {}});
  const std::size_t written = request.computed_tokens() / pool_.block_size();
  std::vector<BlockCopy> copies;
  append_slots(table, chunk.count, copies);
  try {
    if (!copies.empty()) runner_.copy(copies);
  } catch (...) {
    table.replace(written, copies.front().from);
    throw;
  }
  batch.back().block_table = table.blocks();
  if (config_.fault == Fault::hit_before_compute) request.publish(Phase::prefill);
}

// Computes all chunks, or takes all their slots back.
Engine::Computed Engine::compute(const std::vector<Chunk>& chunks) {
  std::vector<ScheduledSequence> batch;
  try {
    for (const Chunk& chunk : chunks) take_slots(chunk, batch);
    return forward(chunks, batch);
  } catch (...) {
    for (std::size_t i = batch.size(); i-- > 0;) live(chunks[i].request).table().rollback_to(batch[i].first_position);
    throw;
  }
}

Engine::Computed Engine::forward(const std::vector<Chunk>& chunks, const std::vector<ScheduledSequence>& batch) {
  if (batch.empty()) return {};
  ForwardResult result = runner_.forward(batch);
  const std::size_t vocab = named_.size();
  if (result.logits.size() != batch.size() * vocab || result.work.size() != batch.size()) {
    throw MisuseError(fmt::format("the model returned {} logits and {} counts of work for {} sequences",
                                  result.logits.size(), result.work.size(), batch.size()));
  }
  Computed computed{std::move(result.work), {}, result.simulated_ns};
  for (std::size_t i = 0; i < batch.size(); ++i) {
    computed.sampled.push_back(
        sample(live(chunks[i].request), std::span<const float>(result.logits).subspan(i * vocab, vocab)));
  }
  return computed;
}

// The next token of each of the request's candidates; none while some of its tokens are still to be computed (a chunk
// of a prompt).
std::vector<SampledToken> Engine::sample(const LiveRequest& request, std::span<const float> logits) const {
  std::vector<SampledToken> sampled;
  if (request.uncomputed_tokens() > 0) return sampled;
  try {
    for (std::uint32_t i = 0; i < request.width(); ++i) {
      SamplingParams params = request.sampler().params();
      params.seed += i;
      Sampler sampler = i == 0 ? request.sampler() : Sampler(params);
      const TokenId token = sampler.sample(logits);
      std::string text = token_text_.piece(request.request().tokens.back(), token);
      sampled.push_back({token, std::move(text), token_text_.name(token), std::move(sampler)});
    }
    return sampled;
  } catch (const MisuseError& error) {
    throw MisuseError(fmt::format("request {} gets no token: {}", letter(request.id()), error.what()));
  }
}

void Engine::announce_computed(const Chunk& chunk, const Work& work) {
  LiveRequest& request = live(chunk.request);
  const std::uint32_t first = request.computed_tokens() - chunk.count;
  const Phase phase = phase_of(request.request(), first);
  sink_.emit(KvComputed{chunk.request, first, chunk.count, phase, true});
  sink_.emit(KvRead{chunk.request, request.computed_tokens()});
  sink_.emit(WorkCounted{chunk.request, work});
  request.publish(phase);
}

// Forks first: they start with the same tokens, and differ from the one that is added now on.
void Engine::answer(LiveRequest& request, std::vector<SampledToken> sampled) {
  std::vector<RequestId> answering{request.id()};
  for (std::size_t i = 1; i < sampled.size(); ++i) answering.push_back(add_fork(request, sampled[i].sampler).id());
  request.all_forked();
  for (std::size_t i = 0; i < sampled.size(); ++i) append(live(answering[i]), std::move(sampled[i]));
}

void Engine::append(LiveRequest& request, SampledToken sampled) {
  announce_name(sampled.token, std::move(sampled.name));
  sink_.emit(TokenSampled{request.id(), static_cast<std::uint32_t>(request.request().tokens.size()), sampled.token});
  const auto reason = request.append(std::move(sampled));
  if (!reason) return;
  request.finish(*reason, config_.fault);
  sink_.emit(RequestFinished{request.id(), *reason});
  retire(request.id());
}

void Engine::announce_name(TokenId token, std::string name) {
  if (named_[index(token)]) return;
  named_[index(token)] = true;
  sink_.emit(TokenNamed{token, std::move(name)});
}

}  // namespace kvarium
