#include "core/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <string>
#include <utility>

#include "core/blocks/blocks_for.h"
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
  check(config.speculation);
  config.prefix_cache.fault = config.fault;
  if (!config.clock) config.clock = steady_nanoseconds;
  return config;
}

void remove(std::vector<LiveRequest*>& from, const LiveRequest* request) {
  from.erase(std::remove(from.begin(), from.end(), request), from.end());
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
      cache_(make_prefix_cache(config_.prefix_cache, pool_)),
      named_(runner.shape().vocab, false) {
  if (Proposer* const proposer = config_.speculation.proposer) proposer->expect_fits(runner.shape());
  runner_.create_cache(static_cast<std::uint32_t>(pool_.num_blocks()), pool_.block_size());
  sink_.emit(ModelDescribed{runner_.shape()});
  sink_.emit(SchedulerDescribed{scheduler_.name(), scheduler_.serves_in_order()});
  const SpeculationConfig& speculation = config_.speculation;
  if (speculation.proposer != nullptr) {
    sink_.emit(SpeculationDescribed{speculation.proposer->name(), speculation.length.most});
  }
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
  if (spec.candidates == 0) throw InputError("0 candidates: ask for at least 1 answer");
  if (spec.candidates > config_.limits.max_running) {
    throw InputError(fmt::format("{} candidates, but at most {} requests may run side by side", spec.candidates,
                                 config_.limits.max_running));
  }
  const std::uint64_t context = runner_.shape().context;
  if (spec.prompt.size() >= context) {
    throw InputError(fmt::format("the prompt has {} tokens, the context of {} leaves no room for an answer: shorten it",
                                 spec.prompt.size(), context));
  }
  const std::uint64_t longest = std::min<std::uint64_t>(spec.prompt.size() + spec.max_new_tokens, context);
  const std::uint64_t blocks = blocks_for(longest, pool_.block_size());
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
  const std::string scope = tagged(spec.keys);
  auto request = std::make_unique<LiveRequest>(id, std::move(spec), runner_.shape().context, pool_, *cache_);

  if (config_.speculation.proposer != nullptr) request->speculate(config_.speculation.length);

  for (auto& [token, name] : names) announce_name(token, std::move(name));
  const Request& what = request->request();
  sink_.emit(RequestArrived{id, what.tokens, what.max_new_tokens, scope, what.priority});
  waiting_.push_back(request.get());
  entries_.push_back({std::move(request), {}});
  return id;
}

RequestId Engine::fork(RequestId parent, std::uint64_t seed) {
  const RequestStatus status = request(parent).status;
  if (status != RequestStatus::running) {
    throw InputError(fmt::format("request {} does not run: only a running request can be forked", letter(parent)));
  }
  const std::size_t width = total_width(running_);
  if (width >= config_.limits.max_running) {
    throw InputError(
        fmt::format("{} requests run, and no more may: request {} cannot be forked", width, letter(parent)));
  }
  SamplingParams sampling = live(parent).sampler().params();
  sampling.seed = seed;
  return add_fork(live(parent), Sampler(sampling)).id();
}

bool Engine::reset_prefix_cache() {
  for (const std::vector<LiveRequest*>* requests : {&running_, &waiting_}) {
    for (const LiveRequest* request : *requests) {
      if (!request->table().blocks().empty() || request->swapped() != nullptr) return false;
    }
  }
  return cache_->reset();
}

LiveRequest& Engine::add_fork(LiveRequest& parent, Sampler sampler) {
  const RequestId id{static_cast<std::uint32_t>(entries_.size())};
  auto child = std::make_unique<LiveRequest>(id, parent, std::move(sampler), pool_);
  parent.forked(id);
  sink_.emit(RequestForked{id, parent.id()});
  running_.push_back(child.get());
  entries_.push_back({std::move(child), {}});
  return *entries_.back().live;
}

bool Engine::abort(RequestId id) {
  if (table(id) == nullptr) return false;
  if (const SwappedKv* swapped = live(id).swapped()) swapped_bytes_ -= swapped->host_bytes;
  live(id).abort();
  sink_.emit(RequestAborted{id});
  retire(id);
  return true;
}

void Engine::retire(RequestId id) {
  Entry& entry = entries_[index(id)];
  forget_draft(*entry.live);
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

}  // namespace kvarium
