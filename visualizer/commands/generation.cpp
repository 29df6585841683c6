#include "visualizer/commands/generation.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "core/cost/kv_bytes.h"
#include "core/engine.h"
#include "core/error.h"
#include "core/scheduling/continuous_scheduler.h"
#include "core/words/words.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "lessons/scenarios/direct_request.h"

namespace kvarium {
namespace {

using Clock = std::chrono::steady_clock;

/// Hands on what of a growing text can no longer be cut off by a stop string.
class CertainText {
 public:
  CertainText(const std::vector<std::string>& stops, const std::function<void(std::string_view)>& on_text)
      : on_text_(on_text) {
    for (const std::string& stop : stops) held_back_ = std::max(held_back_, stop.size() - 1);
  }
  void update(std::string_view text, bool ended) {
    const std::size_t certain = ended ? text.size() : text.size() - std::min(text.size(), held_back_);
    if (certain <= given_) return;
    on_text_(text.substr(given_, certain - given_));
    given_ = certain;
  }

 private:
  const std::function<void(std::string_view)>& on_text_;
  std::size_t held_back_ = 0;
  std::size_t given_ = 0;
};

/// Prompt and answer together, at most: what a cache must have room for.
std::uint32_t longest(const GenerationSpec& spec, const ModelShape& shape) {
  const std::uint64_t tokens = spec.request.prompt.size() + std::uint64_t{spec.request.max_new_tokens};
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(tokens, shape.context));
}

/// Adds up the work that is announced, and passes every event on.
class WorkMeter : public EventSink {
 public:
  explicit WorkMeter(EventSink& sink) : sink_(sink) {}
  void emit(Event event) override {
    if (const auto* counted = std::get_if<WorkCounted>(&event)) total += counted->work;
    sink_.emit(std::move(event));
  }
  Work total;

 private:
  EventSink& sink_;
};

void through_engine(const ModelChoice& choice, const GenerationSpec& spec, EventSink& sink, const CancelToken& cancel,
                    CertainText& text, GenerationReport& report) {
  if (spec.block_size == 0) throw InputError(std::string(tr("block size 0: a block must hold at least 1 token")));
  const ModelShape& shape = choice.model->config.shape;
  const std::uint32_t enough = (longest(spec, shape) + spec.block_size - 1) / spec.block_size;
  const std::uint32_t num_blocks = spec.num_blocks == 0 ? std::max(enough, 1U) : spec.num_blocks;
  cpu::CpuRunner runner(choice.model);
  const ContinuousScheduler scheduler;
  EngineConfig config;
  config.block_size = spec.block_size;
  config.hand_out_order = scrambled_order(num_blocks, spec.request.sampling.seed);
  Engine engine(std::move(config), runner, scheduler, *choice.tokenizer, sink);
  report.cache_bytes = kv_bytes(shape, std::uint64_t{num_blocks} * spec.block_size, ElementType::fp32);
  const RequestId id = engine.submit(spec.request);
  while (!cancel.cancelled() && engine.step()) text.update(engine.request(id).text, engine.idle());
  report.stopped = engine.abort(id);
  text.update(engine.request(id).text, true);
  report.new_tokens = engine.request(id).generated().size();
}

void without_engine(const ModelChoice& choice, const GenerationSpec& spec, EventSink& sink, const CancelToken& cancel,
                    CertainText& text, GenerationReport& report) {
  const ModelShape& shape = choice.model->config.shape;
  const std::uint32_t room = longest(spec, shape);
  const cpu::Transformer transformer(*choice.model);
  TokenNames names(*choice.tokenizer, sink);
  constexpr RequestId kOnly{0};
  DirectRequest request(kOnly, spec.request, shape.context, *choice.tokenizer, names, sink);
  sink.emit(ModelDescribed{shape});
  std::unique_ptr<ContiguousPool> pool;
  if (spec.cache == CacheKind::contiguous) {
    pool = std::make_unique<ContiguousPool>(room, sink);
    report.cache_bytes = kv_bytes(shape, room, ElementType::fp32);
  }
  request.arrive();
  const std::unique_ptr<KvKeeping> keeping =
      pool ? keep_in_row(transformer, shape, *pool, room, kOnly, sink) : keep_nothing(transformer, kOnly, sink);
  for (std::uint64_t step = 1; !request.ended() && !cancel.cancelled(); ++step) {
    const Clock::time_point started = Clock::now();
    sink.emit(StepStarted{step});
    request.step(*keeping);
    const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started);
    sink.emit(StepTimed{static_cast<std::uint64_t>(spent.count()), false});
    text.update(request.text(), request.ended());
  }
  report.stopped = !request.ended();
  if (report.stopped) request.abort(*keeping);
  text.update(request.text(), true);
  report.new_tokens = request.num_generated();
}

}  // namespace

GenerationReport generate(const ModelChoice& choice, const GenerationSpec& spec, EventSink& sink,
                          const CancelToken& cancel, const std::function<void(std::string_view)>& on_text) {
  WorkMeter meter(sink);
  CertainText text(spec.request.stop_strings, on_text);
  GenerationReport report;
  report.prompt_tokens = spec.request.prompt.size();
  const Clock::time_point started = Clock::now();
  if (spec.cache == CacheKind::paged) {
    through_engine(choice, spec, meter, cancel, text, report);
  } else {
    without_engine(choice, spec, meter, cancel, text, report);
  }
  report.seconds = std::chrono::duration<double>(Clock::now() - started).count();
  report.work = meter.total;
  return report;
}

}  // namespace kvarium
