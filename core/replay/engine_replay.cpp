#include "core/replay/engine_replay.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/blocks/blocks_for.h"
#include "core/cost/cost_model_runner.h"
#include "core/error.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

constexpr double kNanosecondsPerMillisecond = 1e6;

/// Takes the times of a run off its events and passes them on. A World would keep every prompt as well.
class Stopwatch final : public EventSink {
 public:
  explicit Stopwatch(EventSink& next) : next_(next) {}

  /// The request that is submitted next arrived then.
  void expect(std::uint64_t arrived_ns) { requests_.push_back({arrived_ns}); }

  void emit(Event event) override {
    std::visit([this](const auto& e) { note(e); }, event);
    next_.emit(std::move(event));
  }

  EngineReplay result() const {
    EngineReplay result = result_;
    std::vector<double> ttft, tpot, queue;
    for (const Times& times : requests_) {
      if (times.tokens == 0) continue;
      ttft.push_back(milliseconds(times.first_token_ns - times.arrived_ns));
      queue.push_back(milliseconds(times.admitted_ns - times.arrived_ns));
      if (times.tokens < 2) continue;
      tpot.push_back(milliseconds(times.last_token_ns - times.first_token_ns) / static_cast<double>(times.tokens - 1));
    }
    result.ttft_ms = percentiles(std::move(ttft));
    result.tpot_ms = percentiles(std::move(tpot));
    result.queue_ms = percentiles(std::move(queue));
    result.busy_ms = milliseconds(busy_ns_);
    return result;
  }

 private:
  struct Times {
    std::uint64_t arrived_ns = 0;
    std::uint64_t admitted_ns = 0;  ///< of the first admission
    std::uint64_t first_token_ns = 0, last_token_ns = 0;
    std::uint64_t tokens = 0;  ///< of the answer
    bool admitted = false;
    bool matched = false;
  };

  static double milliseconds(std::uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) / kNanosecondsPerMillisecond;
  }
  Times& times(RequestId id) { return requests_[index(id)]; }

  template <typename E>
  void note(const E&) {}
  void note(const RequestAdmitted& e) {
    Times& request = times(e.request);
    if (!std::exchange(request.admitted, true)) request.admitted_ns = now_ns_;
  }
  /// The hits of a request that was preempted are its own blocks: they do not count.
  void note(const PrefixMatched& e) {
    if (std::exchange(times(e.request).matched, true)) return;
    result_.queried_tokens += e.num_tokens;
    result_.hit_tokens += e.hit_tokens;
  }
  void note(const RequestPreempted&) { ++result_.preemptions; }
  void note(const RequestFinished&) { ++result_.requests; }
  void note(const TokenSampled& e) { sampled_.push_back(e.request); }
  void note(const TimePassed& e) { now_ns_ += e.nanoseconds; }
  void note(const StepTimed& e) {
    now_ns_ += e.nanoseconds;
    busy_ns_ += e.nanoseconds;
    ++result_.steps;
    result_.answer_tokens += sampled_.size();
    for (const RequestId id : sampled_) {
      Times& request = times(id);
      if (request.tokens++ == 0) request.first_token_ns = now_ns_;
      request.last_token_ns = now_ns_;
      result_.end_ms = milliseconds(now_ns_);
    }
    sampled_.clear();
  }

  EventSink& next_;
  std::vector<Times> requests_;     ///< by RequestId
  std::vector<RequestId> sampled_;  ///< in the step at hand
  std::uint64_t now_ns_ = 0;
  std::uint64_t busy_ns_ = 0;
  EngineReplay result_;
};

RequestSpec spec_of(const TracedRequest& request, std::uint32_t block_size) {
  RequestSpec spec;
  spec.prompt = tokens_of_prompt(request, block_size);
  spec.max_new_tokens = std::max(request.output_tokens, 1U);
  return spec;
}

/// As the engine counts before it accepts a request.
bool fits(const RequestSpec& spec, const EngineConfig& config) {
  const std::uint64_t tokens = spec.prompt.size() + std::uint64_t{spec.max_new_tokens};
  return blocks_for(tokens, config.block_size) <= config.hand_out_order.size();
}

/// Long enough for every request: what a real model could not read is served as if it could.
std::uint32_t context_for(const RequestTrace& trace, std::uint32_t least) {
  std::uint64_t longest = least;
  for (const TracedRequest& request : trace.requests) {
    longest = std::max(longest, std::uint64_t{request.input_tokens} + request.output_tokens + 2);
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(longest, UINT32_MAX));
}

}  // namespace

double EngineReplay::hit_ratio() const {
  return queried_tokens == 0 ? 0.0 : static_cast<double>(hit_tokens) / static_cast<double>(queried_tokens);
}

std::vector<TokenId> tokens_of_prompt(const TracedRequest& request, std::uint32_t block_size) {
  std::vector<TokenId> tokens;
  const std::uint32_t count = std::max(request.input_tokens, 1U);
  tokens.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    // The bytes of the block's id, over and over. An empty prompt has no block: token 0.
    const std::uint32_t id = i / block_size < request.blocks.size() ? value(request.blocks[i / block_size]) : 0;
    tokens.push_back(TokenId{static_cast<std::int32_t>((id >> (8 * (i % block_size % 4))) & 0xFFU)});
  }
  return tokens;
}

std::optional<EngineReplay> replay_with_engine(const RequestTrace& trace, const EngineConfig& config,
                                               const Scheduler& scheduler, const ServerProfile& server, EventSink& sink,
                                               const OnProgress& on_progress, const CancelToken& cancel) {
  if (trace.block_size == 0) {
    throw InputError(std::string(tr("the trace has no hashes of blocks: nothing says which prompts begin alike")));
  }
  const std::size_t count = trace.requests.size();
  CostModelRunner runner(server, context_for(trace, server.model.context));
  const NumberText text;
  Stopwatch stopwatch(sink);
  Engine engine(config, runner, scheduler, text, stopwatch);
  std::uint64_t refused = 0;
  std::size_t next = 0, told = 0;
  while (next < count || !engine.idle()) {
    if (cancel.cancelled()) return std::nullopt;
    for (; next < count && arrival_ns(trace.requests[next]) <= engine.now_ns(); ++next) {
      RequestSpec spec = spec_of(trace.requests[next], trace.block_size);
      if (!fits(spec, config)) {
        ++refused;
        continue;
      }
      stopwatch.expect(arrival_ns(trace.requests[next]));
      engine.submit(std::move(spec));
    }
    if (!engine.step() && next < count) engine.wait(arrival_ns(trace.requests[next]) - engine.now_ns());
    const std::size_t ended = next - engine.num_live();
    if (on_progress && ended != told) on_progress({told = ended, count});
  }
  EngineReplay result = stopwatch.result();
  result.refused = refused;
  return result;
}

}  // namespace kvarium
