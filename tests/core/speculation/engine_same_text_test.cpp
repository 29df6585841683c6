// Greedy decoding with drafts says what greedy decoding says, token for token and after every round, at random: for
// every proposer, draft length, block size, batch, prefix cache and way of preempting.

#include <memory>
#include <random>

#include "core/speculation/draft_model.h"
#include "core/speculation/ngram.h"
#include "tests/support/speculation_bench.h"

using namespace kvarium;
using namespace kvarium_test;

namespace {

constexpr std::uint32_t kVocab = 3;  // few tokens: n-grams repeat, and guesses are right by chance
constexpr std::uint32_t kContext = 40;

struct Proposers {
  explicit Proposers(std::mt19937_64& random, const std::vector<std::string>& prompts)
      : small(kContext, kVocab), heads(kVocab) {
    const std::uint64_t kind = random() % 5;
    if (kind == 0) {
      chosen = std::make_unique<NgramProposer>(
          NgramOptions{1 + static_cast<std::uint32_t>(random() % 2), 3, static_cast<NgramMatch>(random() % 2)});
    } else if (kind == 1) {
      chosen = oracle(prompts, right_with_probability(.7, random()), kVocab);
    } else if (kind == 2) {
      chosen = std::make_unique<DraftModel>(small, static_cast<std::uint32_t>(6 + random() % 40),
                                            static_cast<std::uint32_t>(1 + random() % 4));
    } else {
      chosen = std::make_unique<MedusaProposer>(heads, MedusaOptions{kind == 3 ? 1U : kVocab});
    }
  }
  MistakenRunner small;
  PositionHeads heads;
  std::unique_ptr<Proposer> chosen;
};

std::string random_prompt(std::mt19937_64& random) {
  std::string prompt;
  const std::size_t length = 1 + random() % 12;
  while (prompt.size() < length) prompt += static_cast<char>('a' + random() % kVocab);
  return prompt;
}

EngineConfig random_config(Proposer* proposer, std::mt19937_64& random) {
  const auto block_size = static_cast<std::uint32_t>(1 + random() % 5);
  const auto num_blocks = static_cast<std::uint32_t>(kContext / block_size + 1 + random() % 24);
  EngineConfig config = speculating(proposer, static_cast<std::uint32_t>(1 + random() % 6),
                                    scrambled_order(num_blocks, random()), block_size);
  config.speculation.length.adaptive = random() % 2 == 0;
  config.prefix_cache.kind = static_cast<PrefixCaching>(random() % 3);
  config.preemption = static_cast<Preemption>(random() % 2);
  config.swap_bytes = random() % 200;
  config.limits = {.max_running = static_cast<std::uint32_t>(1 + random() % 4),
                   .token_budget = static_cast<std::uint32_t>(14 + random() % 20)};
  return config;
}

/// The answer as plain decoding gives it: up to a stop string or the end of what was asked for.
std::string plain_answer(const std::string& prompt, const RequestSpec& spec) {
  const std::size_t most = std::min<std::size_t>(spec.max_new_tokens, kContext - prompt.size());
  std::string answer = answer_of(prompt, most, kVocab);
  for (const std::string& stop : spec.stop_strings) answer = answer.substr(0, answer.find(stop));
  return answer;
}

void run_randomly(std::uint64_t seed, SpeculationCounts& seen, std::size_t& preemptions) {
  std::mt19937_64 random(seed);
  std::vector<std::string> prompts;
  for (int i = 0; i < 6; ++i) prompts.push_back(random_prompt(random));
  Proposers proposers(random, prompts);
  const ContinuousOptions options{.order = static_cast<WaitingOrder>(random() % 4),
                                  .chunked_prefill = random() % 2 == 0};
  SpeculationBench bench(kVocab, kContext, random_config(proposers.chosen.get(), random), options);
  std::vector<RequestSpec> specs;
  for (const std::string& prompt : prompts) {
    specs.push_back(ask(prompt, static_cast<std::uint32_t>(1 + random() % 30)));
    if (random() % 2 == 0) specs.back().stop_strings = {std::string("abcabab").substr(random() % 3, 3 + random() % 2)};
    bench.engine.submit(specs.back());
    for (std::uint64_t steps = random() % 4; steps > 0; --steps) bench.step();
    if (random() % 8 == 0) bench.engine.abort(RequestId{static_cast<std::uint32_t>(random() % specs.size())});
  }
  do {
    for (std::uint32_t i = 0; i < prompts.size(); ++i) {
      const Request& request = bench.engine.request(RequestId{i});
      const std::string so_far = answer_of(prompts[i], request.generated().size(), kVocab);
      CHECK(so_far.substr(0, request.text.size()) == request.text);
      CHECK(request.generated().size() >= request.text.size());
      CHECK(std::equal(request.generated().begin(), request.generated().end(), tokens_of(so_far).begin()));
    }
  } while (bench.step());
  for (std::uint32_t i = 0; i < prompts.size(); ++i) {
    const Request& request = bench.engine.request(RequestId{i});
    if (request.status == RequestStatus::finished) CHECK(request.text == plain_answer(prompts[i], specs[i]));
    preemptions += request.preemptions;
  }
  CHECK(
      bench.engine.pool().num_free() +
          (bench.world().radix.empty() ? 0 : radix_sizes(bench.world()).evictable / bench.engine.pool().block_size()) ==
      bench.engine.pool().num_blocks());
  seen.rounds += bench.world().speculation.rounds;
  seen.accepted += bench.world().speculation.accepted;
  seen.drafted += bench.world().speculation.drafted;
}

}  // namespace

TEST_CASE("at random: drafts never change a greedy answer, and no invariant is ever broken") {
  SpeculationCounts seen;
  std::size_t preemptions = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    run_randomly(seed, seen, preemptions);
  }
  // What did not happen was not tested.
  CHECK(seen.rounds > 1000);
  CHECK(seen.accepted > 1000);
  CHECK(seen.drafted > 2 * seen.accepted);
  CHECK(preemptions > 50);
}
