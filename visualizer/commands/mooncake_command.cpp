#include "visualizer/commands/mooncake_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "core/cost/units.h"
#include "core/error.h"
#include "core/eviction/policies.h"
#include "core/replay/azure_reader.h"
#include "core/replay/mooncake_reader.h"
#include "core/replay/recorded_replay.h"
#include "core/replay/replay.h"
#include "core/replay/simulated_server.h"
#include "core/replay/trace_file.h"
#include "core/words/words.h"
#include "visualizer/commands/command.h"
#include "visualizer/commands/interrupt.h"
#include "visualizer/commands/numbers.h"
#include "visualizer/commands/progress_line.h"

namespace kvarium {
namespace {

using Json = nlohmann::ordered_json;

/// All that is printed, in words or as JSON.
struct Findings {
  std::string file;
  std::uint64_t distinct_blocks = 0;
  std::uint64_t output_tokens = 0;
  double last_arrival_ms = 0;
  std::optional<ReplayResult> cache;  ///< none: the trace has no hashes
  std::uint64_t input_tokens = 0;
  std::uint64_t requests = 0;
  ServerProfile server = default_server();
  SimulatedTimes without_cache;
  SimulatedTimes with_cache;  ///< the same where there is no cache
};

std::optional<RequestTrace> read(const TrafficOptions& options, const CancelToken& cancel) {
  ProgressLine progress{std::string(tr("reading"))};
  const bool hashes = !options.mooncake.empty();
  const std::string& path = hashes ? options.mooncake : options.azure;
  std::ifstream in = open_request_trace(path);
  return hashes ? read_mooncake(in, path, progress.on_progress(), cancel)
                : read_azure(in, path, progress.on_progress(), cancel);
}

std::optional<SimulatedTimes> simulate(const RequestTrace& trace, const std::vector<std::uint64_t>& hit_tokens,
                                       const ServerProfile& server, const CancelToken& cancel) {
  ProgressLine progress{std::string(tr("simulating"))};
  return simulate_server(trace, hit_tokens, server, progress.on_progress(), cancel);
}

Findings describe(const RequestTrace& trace, const TrafficOptions& options) {
  Findings found;
  found.file = options.mooncake.empty() ? options.azure : options.mooncake;
  found.distinct_blocks = trace.distinct_blocks;
  found.requests = trace.requests.size();
  found.last_arrival_ms = trace.requests.back().arrival_ms;
  for (const TracedRequest& request : trace.requests) {
    found.input_tokens += request.input_tokens;
    found.output_tokens += request.output_tokens;
  }
  return found;
}

/// The replay, recorded where that is wanted. Fills in each request's hit tokens; none when cancelled.
std::optional<ReplayResult> replay_cache(const RequestTrace& trace, const TrafficOptions& options,
                                         const CancelToken& cancel, std::vector<std::uint64_t>& hit_tokens) {
  const auto note = [&](std::uint64_t blocks) {
    hit_tokens.push_back(tokens_of(trace.requests[hit_tokens.size()], blocks, trace.block_size));
  };
  const std::unique_ptr<EvictionPolicy> policy = find_eviction_policy(options.policy).make();
  ProgressLine progress{std::string(tr("replaying"))};
  const std::unique_ptr<TraceWriter> recorder = make_recorder(options);
  if (!recorder) return replay(trace, *policy, options.capacity, progress.on_progress(), cancel, note);
  return record_replay(trace, *policy, options.capacity, *recorder, progress.on_progress(), cancel, note);
}

/// None when cancelled.
std::optional<Findings> find_out(const RequestTrace& trace, const TrafficOptions& options, const CancelToken& cancel) {
  Findings found = describe(trace, options);
  const auto without = simulate(trace, std::vector<std::uint64_t>(found.requests, 0), found.server, cancel);
  if (!without) return std::nullopt;
  found.without_cache = found.with_cache = *without;
  if (trace.block_size == 0) return found;
  std::vector<std::uint64_t> hit_tokens;
  found.cache = replay_cache(trace, options, cancel, hit_tokens);
  if (!found.cache) return std::nullopt;
  const auto with = simulate(trace, hit_tokens, found.server, cancel);
  if (!with) return std::nullopt;
  found.with_cache = *with;
  return found;
}

std::string percent(std::uint64_t part, double ratio) {
  return fmt::format("{} ({:.2f} %)", with_commas(part), 100 * ratio);
}

std::string cache_in_words(const ReplayResult& cache, const Findings& found, const TrafficOptions& options) {
  const std::string capacity =
      options.capacity == UINT64_MAX
          ? std::string(tr("without end"))
          : tr_format("{} blocks of {} tokens", with_commas(options.capacity), kMooncakeBlockSize);
  const NamedPolicy& policy = find_eviction_policy(options.policy);
  std::string text = "\n" + report_row(tr("cache"), capacity);
  text += report_row(tr("policy"), fmt::format("{}: {}", policy.name, tr(policy.meaning)));
  text += report_row(tr("blocks asked for"), tr_format("{}, {} different ones", with_commas(cache.referenced_blocks),
                                                       with_commas(found.distinct_blocks)));
  text += report_row(tr("hit blocks"), percent(cache.hit_blocks, cache.block_hit_ratio()));
  text += report_row(tr("hit tokens"), percent(cache.hit_tokens, cache.token_hit_ratio()));
  text += report_row(tr("evictions"), with_commas(cache.evictions));
  text += report_row(tr("cached at the end"), with_commas(cache.cached_blocks));
  return text;
}

std::string times_in_words(const SimulatedTimes& times) {
  return percentile_row(tr("  TTFT p50 p90 p99"), times.ttft_ms) +
         percentile_row(tr("  TPOT p50 p90 p99"), times.tpot_ms) +
         report_row(tr("  last answer after"), fmt::format("{:>11}", duration(times.end_ms / 1e3)));
}

std::string in_words(const Findings& found, const TrafficOptions& options) {
  std::string text = report_row(tr("trace"), found.file);
  text += report_row(tr("requests"),
                     tr_format("{} in {}", with_commas(found.requests), duration(found.last_arrival_ms / 1e3)));
  text += report_row(tr("tokens"),
                     tr_format("{} in, {} out", with_commas(found.input_tokens), with_commas(found.output_tokens)));
  text += found.cache ? cache_in_words(*found.cache, found, options)
                      : "\n" + std::string(tr("The trace has no hashes: no prefix cache can be replayed over it.\n"));
  text += "\n" + tr_format(
                     "simulated: {} on one {}, continuous batching of {} tokens a step, at peak rates, memory "
                     "for all;\nreal times are longer\n",
                     found.server.model.name, found.server.gpu.name, with_commas(found.server.tokens_per_step));
  text += std::string(tr("without the cache")) + "\n" + times_in_words(found.without_cache);
  if (found.cache) text += std::string(tr("with the cache")) + "\n" + times_in_words(found.with_cache);
  return text;
}

Json as_json(const SimulatedTimes& times) {
  return {{"ttft_ms", percentiles_as_json(times.ttft_ms)},
          {"tpot_ms", percentiles_as_json(times.tpot_ms)},
          {"end_ms", times.end_ms},
          {"busy_ms", times.busy_ms},
          {"steps", times.steps}};
}

Json as_json(const Findings& found, const TrafficOptions& options) {
  Json json{{"trace", found.file},
            {"requests", found.requests},
            {"last_arrival_ms", found.last_arrival_ms},
            {"input_tokens", found.input_tokens},
            {"output_tokens", found.output_tokens}};
  if (found.cache) {
    const ReplayResult& cache = *found.cache;
    json["policy"] = find_eviction_policy(options.policy).name;
    json["block_size"] = kMooncakeBlockSize;
    json["capacity_blocks"] = options.capacity == UINT64_MAX ? Json() : Json(options.capacity);
    json["referenced_blocks"] = cache.referenced_blocks;
    json["distinct_blocks"] = found.distinct_blocks;
    json["hit_blocks"] = cache.hit_blocks;
    json["block_hit_ratio"] = cache.block_hit_ratio();
    json["hit_tokens"] = cache.hit_tokens;
    json["token_hit_ratio"] = cache.token_hit_ratio();
    json["evictions"] = cache.evictions;
    json["cached_blocks"] = cache.cached_blocks;
  }
  Json simulated{{"model", found.server.model.name},
                 {"device", found.server.gpu.name},
                 {"tokens_per_step", found.server.tokens_per_step},
                 {"without_cache", as_json(found.without_cache)}};
  if (found.cache) simulated["with_cache"] = as_json(found.with_cache);
  json["simulated"] = std::move(simulated);
  if (!options.record.empty()) json["recorded"] = options.record;
  return json;
}

}  // namespace

void add_traffic_flags(CLI::App& flags, TrafficOptions& options) {
  CLI::Option* mooncake = flags.add_option("--mooncake", options.mooncake,
                                           std::string(tr("a trace of Mooncake: what would a prefix cache save?")));
  flags.add_option("--azure", options.azure, std::string(tr("a trace of Azure: times and lengths, without hashes")))
      ->excludes(mooncake);
  flags
      .add_option("--policy", options.policy,
                  std::string(tr("who is evicted: lru, lfu, length-aware, fifo or prefix-depth; with --mooncake")))
      ->capture_default_str()
      ->needs(mooncake);
  flags
      .add_option("--capacity", options.capacity,
                  std::string(tr("blocks that the cache holds; else it has no end; with --mooncake")))
      ->check(whole_number(1, UINT64_MAX))
      ->needs(mooncake);
  flags.add_option("--requests", options.requests, std::string(tr("only the first so many; with --mooncake")))
      ->check(whole_number(1, UINT64_MAX))
      ->needs(mooncake);
  flags.add_option("--record", options.record, std::string(tr("write what happens to this file; with --mooncake")))
      ->needs(mooncake);
  add_engine_flags(flags, options, mooncake);
  flags.add_flag("--json", options.json, std::string(tr("the numbers as JSON; with --mooncake or --azure")));
}

std::string report_row(std::string_view name, const std::string& text) { return fmt::format("{:<22}{}\n", name, text); }

std::string percentile_row(std::string_view name, const Percentiles& ms) {
  return report_row(name, fmt::format("{:>11} {:>11} {:>11}", duration(ms.p50 / 1e3), duration(ms.p90 / 1e3),
                                      duration(ms.p99 / 1e3)));
}

Json percentiles_as_json(const Percentiles& ms) { return {{"p50", ms.p50}, {"p90", ms.p90}, {"p99", ms.p99}}; }

std::unique_ptr<TraceWriter> make_recorder(const TrafficOptions& options) {
  if (options.record.empty()) return nullptr;
  std::error_code unknown;  // what does not exist yet is no other file
  if (std::filesystem::equivalent(options.record, options.mooncake, unknown)) {
    throw InputError(tr_format("--record {} is the trace itself: give another file", options.record));
  }
  return std::make_unique<TraceWriter>(options.record);
}

bool names_traffic(const TrafficOptions& options) { return !options.mooncake.empty() || !options.azure.empty(); }

int replay_traffic(const TrafficOptions& options) {
  find_eviction_policy(options.policy);  // before a long file is read
  check_engine_flags(options);
  const CancelToken& cancel = cancelled_by_interrupt();
  std::optional<RequestTrace> trace = read(options, cancel);
  if (trace) trace = first_requests(std::move(*trace), options.requests);
  if (trace && options.engine && replay_through_engine(options, *trace, cancel)) return kDone;
  const std::optional<Findings> found =
      trace && !options.engine ? find_out(*trace, options, cancel) : std::optional<Findings>();
  if (!found) {
    fmt::print(stderr, "{}\n", tr("kvarium: stopped; there is no result"));
    return kStopped;
  }
  if (options.json) {
    fmt::print("{}\n", as_json(*found, options).dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}", in_words(*found, options));
  }
  return kDone;
}

}  // namespace kvarium
