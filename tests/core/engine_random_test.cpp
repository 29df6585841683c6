// Everything at once, at random: whatever the cache, the scheduler and the way of preempting, every request gets the
// answer that it would get alone, and the World equals the engine after every step.

#include <algorithm>
#include <cstdlib>
#include <random>

#include "tests/support/catch.h"
#include "tests/support/engine_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

/// Prompts over two letters, so that many share a beginning.
std::string random_prompt(std::mt19937_64& random) {
  std::string prompt;
  const std::size_t length = 1 + random() % 14;
  while (prompt.size() < length) prompt += static_cast<char>('a' + random() % 8 / 7);
  return prompt;
}

EngineConfig random_config(EngineConfig config, std::mt19937_64& random) {
  config.block_size = static_cast<std::uint32_t>(1 + random() % 4);
  config.hand_out_order = scrambled_order(static_cast<std::uint32_t>(24 / config.block_size + random() % 24), random());
  config.prefix_cache.kind = static_cast<PrefixCaching>(random() % 3);
  config.prefix_cache.hash.order = static_cast<QueueOrder>(random() % 2);
  config.prefix_cache.hash.verify_tokens = random() % 2 == 0;
  if (config.prefix_cache.hash.verify_tokens) config.prefix_cache.hash_bits = 8;
  if (config.prefix_cache.hash.order == QueueOrder::head_2026 && random() % 2 == 0) {
    config.prefix_cache.hash.policy = &eviction_policies()[random() % eviction_policies().size()];
  }
  config.prefix_cache.hash.time_to_live_ns = random() % 3 == 0 ? 20'000 : 0;
  config.preemption = static_cast<Preemption>(random() % 2);
  config.swap_bytes = random() % 200;
  config.limits = {.max_running = static_cast<std::uint32_t>(2 + random() % 4),
                   .token_budget = static_cast<std::uint32_t>(6 + random() % 20)};
  return config;
}

ContinuousOptions random_options(std::mt19937_64& random) {
  return {.order = static_cast<WaitingOrder>(random() % 4),
          .chunked_prefill = random() % 2 == 0,
          .largest_chunk = static_cast<std::uint32_t>(random() % 5)};
}

/// One run of random actions; the events of all kinds that it caused are added up in `seen`.
void run_randomly(std::uint64_t seed, int actions, std::vector<std::size_t>& seen) {
  std::mt19937_64 random(seed);
  const ContinuousOptions options = random_options(random);
  Bench bench(
      8, [&random](EngineConfig& config) { config = random_config(config, random); }, options);
  bench.runner.on_read = [&bench](RequestId id, std::span<const TokenId> cached) {
    const std::vector<TokenId>& own = bench.engine.request(id).tokens;
    const bool is_own = cached.size() <= own.size() && std::equal(cached.begin(), cached.end(), own.begin());
    if (!is_own) FAIL_CHECK("request " << letter(id) << " reads K and V of another text");
  };
  std::vector<std::string> prompts;  // by request
  std::vector<bool> is_greedy;       // and so its answer is known
  const auto name_forks = [&] {
    for (std::size_t i = prompts.size(); i < bench.world_check.world().requests.size(); ++i) {
      const std::size_t parent = index(*bench.world_check.world().requests[i]->parent);
      prompts.push_back(prompts[parent]);
      is_greedy.push_back(is_greedy[parent]);
    }
  };
  for (int action = 0; action < actions; ++action) {
    const std::uint64_t die = random() % 10;
    if (die < 3) {
      RequestSpec spec = ask(random_prompt(random), static_cast<std::uint32_t>(1 + random() % 8));
      spec.priority = static_cast<std::int32_t>(random() % 3);
      spec.candidates = random() % 4 == 0 ? 2 : 1;
      if (random() % 4 == 0) spec.keys.tenant_salt = "x";
      const bool greedy = random() % 2 == 0;
      if (!greedy) {  // forks part, and end at different times
        spec.sampling = {.temperature = 2, .top_k = 0, .top_p = 1, .seed = random()};
        spec.end_tokens = tokens_of("cdefg");
      }
      std::string prompt;
      for (const TokenId token : spec.prompt) prompt += static_cast<char>('a' + value(token));
      bench.engine.submit(spec);
      prompts.push_back(prompt);
      is_greedy.push_back(greedy);
    } else if (die == 3 && !prompts.empty()) {
      bench.engine.abort(RequestId{static_cast<std::uint32_t>(random() % prompts.size())});
    } else if (die == 4 && !prompts.empty()) {
      const RequestId parent{static_cast<std::uint32_t>(random() % prompts.size())};
      try {
        bench.engine.fork(parent, random());
      } catch (const InputError&) {  // it does not run, or no more may
      }
    } else if (die == 5) {
      bench.engine.wait(random() % 10'000);
    } else {
      bench.engine.step();
    }
    bench.check();
    name_forks();
  }
  bench.run();
  name_forks();
  CHECK(bench.engine.num_live() == 0);
  for (std::uint32_t i = 0; i < prompts.size(); ++i) {
    const Request& request = bench.engine.request(RequestId{i});
    const std::string expected = answer_of(prompts[i], request.generated().size());
    if (request.status == RequestStatus::finished && is_greedy[i]) CHECK(request.text == expected);
  }
  for (const Event& event : bench.sink.events) ++seen[event.index()];
}

template <typename E>
std::size_t of(const std::vector<std::size_t>& seen) {
  return seen[Event(E{}).index()];
}

}  // namespace

TEST_CASE("at random: every answer is right, and no invariant is ever broken") {
  // More of it, for a night: KVARIUM_RANDOM_SEEDS=1000 KVARIUM_RANDOM_ACTIONS=10000.
  const char* const seeds = std::getenv("KVARIUM_RANDOM_SEEDS");
  const char* const actions = std::getenv("KVARIUM_RANDOM_ACTIONS");
  std::vector<std::size_t> seen(std::variant_size_v<Event>, 0);
  for (int seed = 1; seed <= (seeds != nullptr ? std::atoi(seeds) : 120); ++seed) {
    INFO("seed " << seed);
    run_randomly(static_cast<std::uint64_t>(seed), actions != nullptr ? std::atoi(actions) : 60, seen);
  }
  // What did not happen was not tested.
  CHECK(of<RequestForked>(seen) > 0);
  CHECK(of<BlockCopied>(seen) > 0);
  CHECK(of<BlockReplaced>(seen) > 0);
  CHECK(of<BlockReused>(seen) > 0);
  CHECK(of<BlockEvicted>(seen) > 0);
  CHECK(of<BlockExpired>(seen) > 0);
  CHECK(of<RadixNodeSplit>(seen) > 0);
  CHECK(of<RadixNodeRemoved>(seen) > 0);
  CHECK(of<RequestPreempted>(seen) > 0);
  CHECK(of<KvSwappedOut>(seen) > 0);
  CHECK(of<KvSwappedIn>(seen) > 0);
  CHECK(of<RequestAborted>(seen) > 0);
}
