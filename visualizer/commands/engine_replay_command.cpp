// kvarium replay --mooncake FILE --engine: the trace through the real engine, in simulated time.

#include <fmt/format.h>

#include <algorithm>

#include "core/cost/step_cost.h"
#include "core/cost/units.h"
#include "core/error.h"
#include "core/prefix/make_prefix_cache.h"
#include "core/replay/engine_replay.h"
#include "core/replay/mooncake_reader.h"
#include "core/words/words.h"
#include "lessons/scenarios/engine_setup.h"
#include "lessons/scenarios/field.h"
#include "visualizer/commands/mooncake_command.h"
#include "visualizer/commands/progress_line.h"

namespace kvarium {
namespace {

constexpr std::uint32_t kMaxRunning = 256;

std::string scheduler_names() {
  std::string names;
  for (const FieldChoice& choice : choices_of("scheduler")) names += (names.empty() ? "" : ", ") + choice.value;
  return names;
}

/// Blocks of the pool: as asked for, or as many as the GPU has room for.
std::uint32_t num_blocks(const TrafficOptions& options, const ServerProfile& server) {
  const std::uint64_t blocks =
      options.capacity == UINT64_MAX ? blocks_beside_weights(server, kMooncakeBlockSize) : options.capacity;
  if (blocks > UINT32_MAX / 2) throw InputError(tr_format("a pool of {} blocks: 32 bits do not number them", blocks));
  return static_cast<std::uint32_t>(blocks);
}

EngineSetup setup(const TrafficOptions& options, const ServerProfile& server) {
  ScenarioParams params;
  params.block_size = kMooncakeBlockSize;
  params.num_blocks = 1;  // replaced below: a pool of this size need not be scrambled to be looked at
  params.max_running = kMaxRunning;
  params.token_budget = server.tokens_per_step;
  params.prefix_cache = options.prefix_cache;
  params.eviction = options.policy;
  params.scheduler = options.scheduler;
  EngineSetup setup = make_setup(params);
  setup.config.hand_out_order = ascending_order(num_blocks(options, server));
  return setup;
}

std::string in_words(const EngineReplay& run, const TrafficOptions& options, const ServerProfile& server) {
  std::string text = report_row(tr("trace"), options.mooncake);
  const std::string refused =
      run.refused == 0 ? std::string() : tr_format(", {} refused: larger than the pool", with_commas(run.refused));
  text += report_row(tr("requests"), tr_format("{} served{}", with_commas(run.requests), refused));
  text += report_row(tr("pool"),
                     tr_format("{} blocks of {} tokens", with_commas(num_blocks(options, server)), kMooncakeBlockSize));
  text += report_row(tr("prefix cache"), options.prefix_cache + ", " + options.policy);
  text += report_row(tr("scheduler"), options.scheduler);
  text += report_row(tr("hit tokens"), tr_format("{} of {} ({:.2f} %)", with_commas(run.hit_tokens),
                                                 with_commas(run.queried_tokens), 100 * run.hit_ratio()));
  text += report_row(tr("preemptions"), with_commas(run.preemptions));
  text += "\n" + tr_format(
                     "simulated: {} on one {}, {} requests side by side, {} tokens a step, at peak rates; real "
                     "times\nare longer\n",
                     server.model.name, server.gpu.name, kMaxRunning, with_commas(server.tokens_per_step));
  text += percentile_row(tr("TTFT p50 p90 p99"), run.ttft_ms) + percentile_row(tr("TPOT p50 p90 p99"), run.tpot_ms) +
          percentile_row(tr("queue p50 p90 p99"), run.queue_ms);
  text += report_row(tr("last answer after"), fmt::format("{:>11}", duration(run.end_ms / 1e3)));
  text += report_row(tr("busy"), tr_format("{:>11} in {} steps", duration(run.busy_ms / 1e3), with_commas(run.steps)));
  if (!options.record.empty()) text += report_row(tr("recorded"), options.record);
  return text;
}

nlohmann::ordered_json as_json(const EngineReplay& run, const TrafficOptions& options, const ServerProfile& server) {
  nlohmann::ordered_json json{{"trace", options.mooncake},
                              {"requests", run.requests},
                              {"refused", run.refused},
                              {"prefix_cache", options.prefix_cache},
                              {"policy", options.policy},
                              {"scheduler", options.scheduler},
                              {"block_size", kMooncakeBlockSize},
                              {"capacity_blocks", num_blocks(options, server)},
                              {"queried_tokens", run.queried_tokens},
                              {"hit_tokens", run.hit_tokens},
                              {"token_hit_ratio", run.hit_ratio()},
                              {"answer_tokens", run.answer_tokens},
                              {"preemptions", run.preemptions},
                              {"simulated",
                               {{"model", server.model.name},
                                {"device", server.gpu.name},
                                {"tokens_per_step", server.tokens_per_step},
                                {"max_running", kMaxRunning},
                                {"ttft_ms", percentiles_as_json(run.ttft_ms)},
                                {"tpot_ms", percentiles_as_json(run.tpot_ms)},
                                {"queue_ms", percentiles_as_json(run.queue_ms)},
                                {"end_ms", run.end_ms},
                                {"busy_ms", run.busy_ms},
                                {"steps", run.steps}}}};
  if (!options.record.empty()) json["recorded"] = options.record;
  return json;
}

}  // namespace

void add_engine_flags(CLI::App& flags, TrafficOptions& options, CLI::Option* mooncake) {
  CLI::Option* engine =
      flags.add_flag("--engine", options.engine,
                     std::string(tr("serve the trace with the real engine, in simulated time; with --mooncake")));
  engine->needs(mooncake);
  flags.add_option("--scheduler", options.scheduler, scheduler_names() + std::string(tr("; with --engine")))
      ->capture_default_str()
      ->needs(engine);
  flags.add_option("--prefix-cache", options.prefix_cache, std::string(tr("off, hash or radix; with --engine")))
      ->capture_default_str()
      ->needs(engine);
}

void check_engine_flags(const TrafficOptions& options) {
  if (!options.engine) return;
  const PrefixCaching cache = find_prefix_caching(options.prefix_cache);
  if (cache != PrefixCaching::hash && options.policy != "lru") {
    throw InputError(tr_format("--policy {} goes with --prefix-cache hash", options.policy));
  }
  const std::vector<FieldChoice>& known = choices_of("scheduler");
  const auto named = [&](const FieldChoice& choice) { return choice.value == options.scheduler; };
  if (std::none_of(known.begin(), known.end(), named)) {
    throw InputError(tr_format("there is no scheduler '{}': use one of {}", options.scheduler, scheduler_names()));
  }
  num_blocks(options, default_server());
}

bool replay_through_engine(const TrafficOptions& options, const RequestTrace& trace, const CancelToken& cancel) {
  const ServerProfile server = default_server();
  const EngineSetup made = setup(options, server);
  std::optional<EngineReplay> run;
  {
    ProgressLine progress{std::string(tr("serving"))};
    NullSink nobody;
    const std::unique_ptr<TraceWriter> recorder = make_recorder(options);
    EventSink& sink = recorder ? static_cast<EventSink&>(*recorder) : nobody;
    run = replay_with_engine(trace, made.config, *made.scheduler, server, sink, progress.on_progress(), cancel);
  }
  if (!run) return false;
  if (options.json) {
    const auto replace = nlohmann::ordered_json::error_handler_t::replace;
    fmt::print("{}\n", as_json(*run, options, server).dump(2, ' ', false, replace));
  } else {
    fmt::print("{}", in_words(*run, options, server));
  }
  return true;
}

}  // namespace kvarium
