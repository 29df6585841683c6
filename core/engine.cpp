#include "core/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/scheduling/plan_check.h"

namespace kvarium {
namespace {

std::uint64_t steady_nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

EngineConfig checked(EngineConfig config) {
  if (config.limits.max_running == 0) throw InputError("max running 0: at least 1 request must be able to run");
  if (config.limits.token_budget < config.limits.max_running) {
    throw InputError(
        fmt::format("token budget {} is below max running {}: every running request computes at least 1 "
                    "token a step",
                    config.limits.token_budget, config.limits.max_running));
  }
  if (!config.clock) config.clock = steady_nanoseconds;
  return config;
}

void remove(std::vector<LiveRequest*>& from, const LiveRequest* request) {
  from.erase(std::remove(from.begin(), from.end(), request), from.end());
}

// The prompt, or prompt and answer after a preemption: prefill. The one token that was sampled last: decode.
Phase phase_of(const Request& request, std::uint32_t first) {
  return first >= request.prompt_tokens && first + 1 == request.tokens.size() ? Phase::decode : Phase::prefill;
}

}  // namespace

Engine::Engine(EngineConfig config, ModelRunner& runner, const Scheduler& scheduler, const TokenText& token_text,
               EventSink& sink)
    : config_(checked(std::move(config))),
      runner_(runner),
      scheduler_(scheduler),
      token_text_(token_text),
      sink_(sink),
      pool_(config_.block_size, config_.hand_out_order, sink),
      named_(runner.shape().vocab, false) {
  runner_.create_cache(static_cast<std::uint32_t>(pool_.num_blocks()), pool_.block_size());
  sink_.emit(ModelDescribed{runner_.shape()});
}

// --- requests come and go

void Engine::check_vocabulary(const std::vector<TokenId>& tokens, const char* what) const {
  for (const TokenId token : tokens) {
    if (value(token) < 0 || index(token) >= named_.size()) {
      throw InputError(fmt::format("{} {} is outside the vocabulary, 0 to {}", what, value(token),
                                   static_cast<std::int64_t>(named_.size()) - 1));
    }
  }
}

void Engine::check_possible(const RequestSpec& spec) const {
  check(spec.sampling);
  if (spec.prompt.empty()) throw InputError("the prompt is empty: give at least one token");
  if (spec.max_new_tokens == 0) throw InputError("0 new tokens: ask for at least 1");
  check_vocabulary(spec.prompt, "token");
  check_vocabulary(spec.end_tokens, "end token");
  for (const std::string& stop : spec.stop_strings) {
    if (stop.empty()) throw InputError("a stop string is empty: it would stop every answer before its first token");
  }
  const std::uint64_t context = runner_.shape().context;
  if (spec.prompt.size() >= context) {
    throw InputError(fmt::format("the prompt has {} tokens, the context of {} leaves no room for an answer: shorten it",
                                 spec.prompt.size(), context));
  }
  const std::uint64_t longest = std::min<std::uint64_t>(spec.prompt.size() + spec.max_new_tokens, context);
  const std::uint64_t blocks = (longest + pool_.block_size() - 1) / pool_.block_size();
  if (blocks > pool_.num_blocks()) {
    throw InputError(
        fmt::format("prompt and answer may reach {} tokens, {} blocks of {}, but the pool has {}: ask for "
                    "fewer tokens or make the pool larger",
                    longest, blocks, pool_.block_size(), pool_.num_blocks()));
  }
}

RequestId Engine::submit(RequestSpec spec) {
  check_possible(spec);
  std::map<TokenId, std::string> names;
  for (const TokenId token : spec.prompt) {
    if (!named_[index(token)] && names.count(token) == 0) names.emplace(token, token_text_.name(token));
  }
  const RequestId id{static_cast<std::uint32_t>(entries_.size())};
  auto request = std::make_unique<LiveRequest>(id, std::move(spec), runner_.shape().context, pool_);

  for (auto& [token, name] : names) announce_name(token, std::move(name));
  sink_.emit(RequestArrived{id, request->request().tokens, request->request().max_new_tokens});
  waiting_.push_back(request.get());
  entries_.push_back({std::move(request), {}});
  return id;
}

bool Engine::abort(RequestId id) {
  if (table(id) == nullptr) return false;
  live(id).abort();
  sink_.emit(RequestAborted{id});
  retire(id);
  return true;
}

void Engine::retire(RequestId id) {
  Entry& entry = entries_[index(id)];
  remove(running_, entry.live.get());
  remove(waiting_, entry.live.get());
  entry.result = entry.live->take_result();
  entry.live.reset();
}

const Request& Engine::request(RequestId id) const {
  if (index(id) >= entries_.size()) throw MisuseError(fmt::format("there is no request {}", value(id)));
  const Entry& entry = entries_[index(id)];
  return entry.live ? entry.live->request() : entry.result;
}

const BlockTable* Engine::table(RequestId id) const {
  if (index(id) >= entries_.size()) throw MisuseError(fmt::format("there is no request {}", value(id)));
  const Entry& entry = entries_[index(id)];
  return entry.live ? &entry.live->table() : nullptr;
}

LiveRequest& Engine::live(RequestId id) { return *entries_[index(id)].live; }

// --- steps

SchedulerView Engine::view() const { return {running_, waiting_, pool_, config_.limits}; }

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
  for (const RequestId id : plan.admit) admit(id);
  Computed computed = compute(plan.chunks);
  for (std::size_t i = 0; i < plan.chunks.size(); ++i) announce_computed(plan.chunks[i], computed.work[i]);
  for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
    if (computed.sampled[i]) append(live(plan.chunks[i].request), std::move(*computed.sampled[i]));
  }
  sink_.emit(StepTimed{config_.clock() - started, runner_.simulated()});
}

void Engine::preempt(RequestId id) {
  LiveRequest& request = live(id);
  const std::uint32_t lost = request.computed_tokens();
  request.preempt();
  sink_.emit(RequestPreempted{id, lost});
  remove(running_, &request);
  waiting_.insert(waiting_.begin(), &request);
}

void Engine::admit(RequestId id) {
  LiveRequest& request = live(id);
  request.admit();
  sink_.emit(RequestAdmitted{id});
  remove(waiting_, &request);
  running_.push_back(&request);
}

// Gives every chunk its slots and computes them all, or takes all slots back.
Engine::Computed Engine::compute(const std::vector<Chunk>& chunks) {
  std::vector<ScheduledSequence> batch;
  try {
    for (const Chunk& chunk : chunks) {
      LiveRequest& request = live(chunk.request);
      batch.push_back({chunk.request, request.next_tokens(chunk.count), request.computed_tokens(), {}});
      if (!request.table().append(chunk.count)) throw MisuseError("the plan needs more blocks than its check counted");
      batch.back().block_table = request.table().blocks();
    }
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
  Computed computed{std::move(result.work), {}};
  for (std::size_t i = 0; i < batch.size(); ++i) {
    computed.sampled.push_back(
        sample(live(chunks[i].request), std::span<const float>(result.logits).subspan(i * vocab, vocab)));
  }
  return computed;
}

// The request's next token; nothing while some of its tokens are still to be computed (a chunk of a prompt).
std::optional<SampledToken> Engine::sample(const LiveRequest& request, std::span<const float> logits) const {
  if (request.uncomputed_tokens() > 0) return std::nullopt;
  try {
    Sampler sampler = request.sampler();
    const TokenId token = sampler.sample(logits);
    std::string text = token_text_.piece(request.request().tokens.back(), token);
    return SampledToken{token, std::move(text), token_text_.name(token), std::move(sampler)};
  } catch (const MisuseError& error) {
    throw MisuseError(fmt::format("request {} gets no token: {}", letter(request.id()), error.what()));
  }
}

void Engine::announce_computed(const Chunk& chunk, const Work& work) {
  const LiveRequest& request = live(chunk.request);
  const std::uint32_t first = request.computed_tokens() - chunk.count;
  sink_.emit(KvComputed{chunk.request, first, chunk.count, phase_of(request.request(), first), true});
  sink_.emit(KvRead{chunk.request, request.computed_tokens()});
  sink_.emit(WorkCounted{chunk.request, work});
}

void Engine::append(LiveRequest& request, SampledToken sampled) {
  announce_name(sampled.token, std::move(sampled.name));
  sink_.emit(TokenSampled{request.id(), static_cast<std::uint32_t>(request.request().tokens.size()), sampled.token});
  const auto reason = request.append(std::move(sampled));
  if (!reason) return;
  request.finish(*reason);
  sink_.emit(RequestFinished{request.id(), *reason});
  retire(request.id());
}

void Engine::announce_name(TokenId token, std::string name) {
  if (named_[index(token)]) return;
  named_[index(token)] = true;
  sink_.emit(TokenNamed{token, std::move(name)});
}

}  // namespace kvarium
