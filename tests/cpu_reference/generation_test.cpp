// From a prompt to a text: tokenizer, engine and transformer together.

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/engine.h"
#include "core/scheduling/continuous_scheduler.h"
#include "cpu_reference/cpu_runner.h"
#include "cpu_reference/loaders/llama2c.h"
#include "cpu_reference/model/weights.h"
#include "cpu_reference/tokenizer/tokenizer_file.h"
#include "tests/support/catch.h"
#include "tests/support/engine_checks.h"
#include "tests/support/seeded_model.h"
#include "tests/support/shared_data.h"
#include "tests/support/word_tokenizer.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::WorldCheck;

namespace {

// An engine over a real transformer; every step is checked against the World.
struct Bench {
  Bench(std::shared_ptr<const Model> model, const TokenText& text, std::uint32_t block_size, std::uint32_t num_blocks)
      : runner(std::move(model)),
        engine({block_size, scrambled_order(num_blocks, 7), {}, {}}, runner, scheduler, text, sink) {}

  void run() {
    while (engine.step()) check(sink, engine);
  }
  std::uint32_t preemptions() const {
    std::uint32_t sum = 0;
    for (const auto& request : check.world().requests) sum += request->preemptions;
    return sum;
  }

  VectorSink sink;
  CpuRunner runner;
  ContinuousScheduler scheduler;
  Engine engine;
  WorldCheck check;
};

const std::vector<std::string> kPrompts{"Once upon a time", "The big red ball was", "One day she said", "He"};

// The generated tokens of all prompts, run side by side in a pool of `num_blocks` blocks of 4 tokens.
std::vector<std::vector<TokenId>> answers(float temperature, std::uint32_t num_blocks, std::uint32_t& preemptions) {
  const auto tokenizer = kvarium_test::word_tokenizer();
  kvarium_test::SeededParams params;
  params.vocab = static_cast<std::uint32_t>(tokenizer->vocab());
  Bench bench(kvarium_test::seeded_model(params), *tokenizer, 4, num_blocks);
  for (std::size_t i = 0; i < kPrompts.size(); ++i) {
    RequestSpec spec{.prompt = tokenizer->encode(kPrompts[i]), .max_new_tokens = 16};
    spec.sampling.temperature = temperature;
    spec.sampling.seed = i;
    bench.engine.submit(std::move(spec));
  }
  bench.run();
  std::vector<std::vector<TokenId>> all;
  for (std::uint32_t i = 0; i < kPrompts.size(); ++i) {
    const auto generated = bench.engine.request(RequestId{i}).generated();
    all.emplace_back(generated.begin(), generated.end());
  }
  preemptions = bench.preemptions();
  return all;
}

}  // namespace

TEST_CASE("a transformer's requests say the same in a tiny pool, preempted and recomputed, as in a large one") {
  for (const float temperature : {0.0F, 1.0F}) {
    std::uint32_t in_large = 0, in_tiny = 0;
    const auto expected = answers(temperature, 64, in_large);
    const auto actual = answers(temperature, 9, in_tiny);
    CHECK(in_large == 0);
    CHECK(in_tiny > 0);
    CHECK(actual == expected);
    for (const auto& answer : expected) CHECK(answer.size() == 16);
  }
}

TEST_CASE("the stories model tells through the engine what llama2.c told") {
  const std::filesystem::path folder = kvarium_test::shared_data_folder();
  std::ifstream golden_file(folder / "stories260K.golden.json");
  if (!golden_file) {
    WARN("SKIPPED: " << (folder / "stories260K.golden.json").string() << " is missing; set KVARIUM_SHARED_DATA");
    return;
  }
  const auto golden = nlohmann::json::parse(golden_file);
  const auto prompt = golden["prompt"].get<std::string>();
  const auto story = golden["text"].get<std::string>();
  const auto model = load_llama2c((folder / "stories260K.bin").string());
  const auto tokenizer = load_tokenizer(folder / "tok512.bin", model->config.shape.vocab);

  // Each needs up to 8 or 9 blocks of 8 tokens: 12 are too few for both, and the newer one is preempted.
  Bench bench(model, *tokenizer, 8, 12);
  RequestSpec other{.prompt = tokenizer->encode("One day"), .max_new_tokens = 60};
  other.sampling.temperature = 0.9F;
  bench.engine.submit(std::move(other));
  RequestSpec spec{.prompt = tokenizer->encode(prompt)};
  spec.max_new_tokens = static_cast<std::uint32_t>(65 - spec.prompt.size());
  spec.end_tokens = {*tokenizer->begin()};
  const RequestId told = bench.engine.submit(std::move(spec));
  bench.run();
  CHECK(bench.engine.request(told).preemptions > 0);
  CHECK(prompt + bench.engine.request(told).text == story);
}
