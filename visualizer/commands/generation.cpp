#include "visualizer/commands/generation.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "core/blocks/blocks_for.h"
#include "core/cost/kv_bytes.h"
#include "core/engine.h"
#include "core/error.h"
#include "core/words/words.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/model/transformer.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/tokenizer.h"
#include "cuda/runner/device_runner.h"
#include "cuda/simt/out_of_device_memory.h"
#include "lessons/scenarios/direct_request.h"
#include "lessons/scenarios/serve.h"

namespace kvarium {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

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
std::uint32_t longest(const RequestSpec& request, const ModelShape& shape) {
  const std::uint64_t tokens = request.prompt.size() + std::uint64_t{request.max_new_tokens};
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(tokens, shape.context));
}

void take_figures(const MemoryMeter& meter, GenerationReport& report) {
  const World& world = meter.world();
  report.work = world.work;
  report.memory = meter.most_saved();
  report.prefix = world.prefix;
  report.resumed_prefix = world.resumed_prefix;
  report.copies = world.copies;
  report.evicted_blocks = world.evicted_blocks;
  report.speculation = world.speculation;
  for (const auto& request : world.requests) report.preemptions += request->preemptions;
}

/// The answers of a request and of its forks.
void collect(const Engine& engine, RequestId id, GenerationReport& report) {
  const Request& request = engine.request(id);
  report.answers.push_back(request.text);
  report.new_tokens += request.generated().size();
  for (const RequestId fork : request.forks) collect(engine, fork, report);
}

/// Blocks that suffice when nothing is shared.
std::uint64_t enough_blocks(const GenerationSpec& spec, const ModelShape& shape) {
  std::uint64_t blocks = 0;
  for (const RequestSpec& request : spec.requests) {
    const std::uint64_t each = blocks_for(longest(request, shape), spec.engine.block_size);
    blocks += each * request.candidates;
  }
  return std::max<std::uint64_t>(blocks, 1);
}

std::unique_ptr<ModelRunner> make_runner(const ModelChoice& choice, const GenerationSpec& spec) {
  if (spec.runner == RunnerKind::reference) return std::make_unique<cpu::CpuRunner>(choice.model);
  const cuda::PlainModel model = cuda::plain_model(*choice.model);
  if (spec.runner == RunnerKind::device) return cuda::make_device_runner(model, spec.numbers);
  return cuda::make_kernel_runner(model, spec.numbers);
}

void through_engine(const ModelChoice& choice, const GenerationSpec& spec, EventSink& sink, const CancelToken& cancel,
                    CertainText& text, GenerationReport& report) {
  if (spec.engine.block_size == 0)
    throw InputError(std::string(tr("block size 0: a block must hold at least 1 token")));
  const ModelShape& shape = choice.model->config.shape;
  ScenarioParams params = spec.engine;
  if (params.num_blocks == 0) {
    constexpr std::uint64_t kMost = 1U << 20U;
    params.num_blocks = static_cast<std::uint32_t>(std::min(kMost, enough_blocks(spec, shape)));
  }
  const std::unique_ptr<ModelRunner> runner = make_runner(choice, spec);
  EngineSetup setup = make_setup(params);
  ProposerSetup guessing;
  if (spec.proposer) guessing = make_proposer(*spec.proposer, choice, setup.config, spec.requests, cancel);
  setup.config.speculation.proposer = guessing.proposer.get();
  setup.config.speculation.length.adaptive = spec.adaptive_length;
  setup.config.speculation.rule = spec.rule;
  Engine engine(std::move(setup.config), *runner, *setup.scheduler, *choice.tokenizer, sink);
  report.block_bytes = runner->saved_bytes(1);
  report.cache_bytes = report.block_bytes * params.num_blocks;
  const bool single = spec.requests.size() == 1 && spec.requests.front().candidates == 1;
  std::vector<RequestId> ids;
  for (const RequestSpec& request : spec.requests) ids.push_back(engine.submit(request));
  const Clock::time_point started = Clock::now();
  while (!cancel.cancelled() && engine.step()) {
    if (single) text.update(engine.request(ids.front()).text, engine.idle());
  }
  report.seconds = seconds_since(started);
  report.stopped = !engine.idle();
  for (const RequestId id : ids) abort_with_forks(engine, id);
  if (single) text.update(engine.request(ids.front()).text, true);
  for (const RequestId id : ids) collect(engine, id, report);
}

void without_engine(const ModelChoice& choice, const GenerationSpec& spec, EventSink& sink, const CancelToken& cancel,
                    CertainText& text, GenerationReport& report) {
  const ModelShape& shape = choice.model->config.shape;
  const RequestSpec& asked = spec.requests.front();
  const std::uint32_t room = longest(asked, shape);
  const cpu::Transformer transformer(*choice.model);
  TokenNames names(*choice.tokenizer, sink);
  constexpr RequestId kOnly{0};
  DirectRequest request(kOnly, asked, shape.context, *choice.tokenizer, names, sink);
  sink.emit(ModelDescribed{shape});
  std::unique_ptr<ContiguousPool> pool;
  if (spec.cache == CacheKind::contiguous) {
    pool = std::make_unique<ContiguousPool>(room, sink);
    report.cache_bytes = kv_bytes(shape, room, ElementType::fp32);
  }
  request.arrive();
  const std::unique_ptr<KvKeeping> keeping =
      pool ? keep_in_row(transformer, shape, *pool, room, kOnly, sink) : keep_nothing(transformer, kOnly, sink);
  const Clock::time_point first = Clock::now();
  for (std::uint64_t step = 1; !request.ended() && !cancel.cancelled(); ++step) {
    const Clock::time_point started = Clock::now();
    sink.emit(StepStarted{step});
    request.step(*keeping);
    const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started);
    sink.emit(StepTimed{static_cast<std::uint64_t>(spent.count()), false});
    text.update(request.text(), request.ended());
  }
  report.seconds = seconds_since(first);
  report.stopped = !request.ended();
  if (report.stopped) request.abort(*keeping);
  text.update(request.text(), true);
  report.new_tokens = request.num_generated();
  report.answers.push_back(request.text());
}

}  // namespace

GenerationReport generate(const ModelChoice& choice, const GenerationSpec& spec, EventSink& sink,
                          const CancelToken& cancel, const std::function<void(std::string_view)>& on_text) {
  if (spec.requests.empty()) throw MisuseError("nothing is asked");
  MemoryMeter meter(sink);
  CertainText text(spec.requests.front().stop_strings, on_text);
  GenerationReport report;
  for (const RequestSpec& request : spec.requests) report.prompt_tokens += request.prompt.size();
  if (spec.cache == CacheKind::paged) {
    try {
      through_engine(choice, spec, meter, cancel, text, report);
    } catch (const cuda::OutOfDeviceMemory& full) {
      throw InputError(tr_format("the memory of the device is full ({}): choose a smaller pool, model or prompt",
                                 std::string(full.what())));
    }
  } else {
    without_engine(choice, spec, meter, cancel, text, report);
  }
  take_figures(meter, report);
  return report;
}

}  // namespace kvarium
