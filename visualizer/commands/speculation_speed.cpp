#include "visualizer/commands/speculation_speed.h"

#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include "core/blocks/blocks_for.h"
#include "core/engine.h"
#include "core/error.h"
#include "core/scheduling/continuous_scheduler.h"
#include "core/words/words.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/operators/linear.h"
#include "cpu_reference/tokenizer/tokenizer.h"

namespace kvarium {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Passes everything on, and looks at the clock.
class TimedProposer final : public Proposer {
 public:
  explicit TimedProposer(Proposer& proposer) : proposer_(proposer) {}
  std::string name() const override { return proposer_.name(); }
  void expect_fits(const ModelShape& target) const override { proposer_.expect_fits(target); }
  std::vector<Draft> propose(std::span<const DraftRequest> requests) override {
    const Clock::time_point start = Clock::now();
    std::vector<Draft> drafts = proposer_.propose(requests);
    seconds += seconds_since(start);
    return drafts;
  }
  void settle(RequestId id, std::span<const TokenId> tokens, std::span<const float> hidden) override {
    const Clock::time_point start = Clock::now();
    proposer_.settle(id, tokens, hidden);
    seconds += seconds_since(start);
  }
  void forget(RequestId id) override { proposer_.forget(id); }
  bool wants_hidden() const override { return proposer_.wants_hidden(); }
  std::uint32_t cached_tokens(RequestId id) const override { return proposer_.cached_tokens(id); }

  double seconds = 0;

 private:
  Proposer& proposer_;
};

/// Counts what the engine announces.
class Counter : public EventSink {
 public:
  explicit Counter(DecodingTime& time) : time_(time) {}
  void emit(Event event) override {
    if (std::holds_alternative<StepTimed>(event)) ++time_.passes;
    if (std::holds_alternative<TokenSampled>(event)) ++time_.tokens;
    if (const auto* draft = std::get_if<DraftProposed>(&event)) time_.drafted += draft->tokens.size();
    if (const auto* verdict = std::get_if<DraftVerified>(&event)) {
      ++time_.judged;
      time_.accepted += verdict->accepted ? 1 : 0;
    }
  }

 private:
  DecodingTime& time_;
};

struct Answer {
  DecodingTime time;
  std::vector<TokenId> tokens;
};

Answer answer(const ModelChoice& target, const RequestSpec& request, const Guessing& way) {
  EngineConfig config;
  const std::uint64_t longest = request.prompt.size() + std::uint64_t{request.max_new_tokens};
  config.hand_out_order = ascending_order(static_cast<std::uint32_t>(blocks_for(longest, config.block_size)));
  std::optional<TimedProposer> timed;
  if (way.proposer != nullptr) config.speculation.proposer = &timed.emplace(*way.proposer);
  config.speculation.length = way.length;
  Answer result;
  cpu::CpuRunner runner(target.model);
  const ContinuousScheduler scheduler;
  Counter counter(result.time);
  Engine engine(config, runner, scheduler, *target.tokenizer, counter);
  const RequestId id = engine.submit(request);
  engine.step();
  result.time = {};  // the prompt's pass is not counted
  if (timed) timed->seconds = 0;
  const Clock::time_point start = Clock::now();
  while (engine.step()) {
  }
  result.time.seconds = seconds_since(start);
  if (timed) result.time.proposing = timed->seconds;
  const auto generated = engine.request(id).generated();
  result.tokens.assign(generated.begin(), generated.end());
  return result;
}

void add(DecodingTime& sum, const DecodingTime& more) {
  sum.seconds += more.seconds;
  sum.proposing += more.proposing;
  sum.tokens += more.tokens;
  sum.passes += more.passes;
  sum.drafted += more.drafted;
  sum.judged += more.judged;
  sum.accepted += more.accepted;
}

/// A pass over many tokens adds its products in another order: where two tokens are all but equally likely, the other
/// one may come out. With few tokens that cannot be.
std::string changed_answer(const Guessing& way) {
  if (way.length.most < cpu::kFewTokens) throw MisuseError("guessing ahead changed an answer");
  return tr_format(
      "with {} guesses a round an answer differs where two tokens are all but equally likely: a pass over more than {} "
      "tokens rounds otherwise. Compare shorter ones",
      way.length.most, cpu::kFewTokens);
}

}  // namespace

std::vector<DecodingTime> measure_decoding(const ModelChoice& target, std::span<const RequestSpec> requests,
                                           std::span<const Guessing> ways, std::uint32_t repeats,
                                           const OnProgress& on_progress, const CancelToken& cancel) {
  std::vector<DecodingTime> sums(ways.size());
  Progress progress{0, requests.size()};
  for (const RequestSpec& request : requests) {
    std::vector<Answer> fastest(ways.size());
    for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
      for (std::size_t way = 0; way < ways.size(); ++way) {
        if (cancel.cancelled()) return {};
        Answer one = answer(target, request, ways[way]);
        if (way > 0 && one.tokens != fastest.front().tokens) throw InputError(changed_answer(ways[way]));
        if (repeat == 0 || one.time.seconds < fastest[way].time.seconds) fastest[way] = std::move(one);
      }
    }
    for (std::size_t way = 0; way < ways.size(); ++way) add(sums[way], fastest[way].time);
    ++progress.done;
    if (on_progress) on_progress(progress);
  }
  return sums;
}

}  // namespace kvarium
