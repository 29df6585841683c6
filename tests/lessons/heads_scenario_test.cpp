// S08: query heads that share K and V.

#include "core/cost/kv_bytes.h"
#include "tests/lessons/scenario_support.h"

using namespace kvarium;
using kvarium_test::contains;
using kvarium_test::Run;

namespace {

using Set = std::vector<std::string>;

std::vector<std::string> words(const Trace& trace) {
  std::vector<std::string> said;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (const auto* event = std::get_if<Said>(&trace[i])) said.push_back(event->text);
  }
  return said;
}

/// Bytes that the last step read.
std::uint64_t last_read(const Run& run) {
  const auto read = [&](std::uint64_t step) { return run.after_step(step).request(RequestId{0}).work.bytes_read; };
  return read(run.trace.num_steps()) - read(run.trace.num_steps() - 1);
}

}  // namespace

TEST_CASE("S08: the sizes of the six models and both traps are said before the engine starts") {
  const std::vector<std::string> said = words(Run("S08").trace);
  REQUIRE(said.size() == 8);
  CHECK(said[0] ==
        "llama-2-7b (MHA): 512 KiB for a token, 16.0 GiB for 32,768 tokens, 1.0 FLOP for each byte that attention "
        "reads.");
  CHECK_THAT(said[1], contains("llama-3.1-8b (GQA 4:1): 128 KiB for a token, 4.00 GiB"));
  CHECK_THAT(said[2], contains("llama-3.1-70b (GQA 8:1): 320 KiB for a token, 10.0 GiB"));
  CHECK_THAT(said[3], contains("falcon-7b (MQA): 8.00 KiB for a token, 256 MiB"));
  CHECK_THAT(said[4], contains("qwen3-4b (GQA 4:1): 144 KiB for a token, 4.50 GiB"));
  CHECK_THAT(said[5], contains("deepseek-v3 (MLA): 68.6 KiB for a token, 2.14 GiB"));
  CHECK_THAT(said[6], contains("= 90.0 KiB. It is 2 * 36 * 8 * 128 * 2 = 144 KiB."));
  CHECK_THAT(said[7], contains("= 122 KiB. It is 61 * (512 + 64) * 2 = 68.6 KiB."));
}

TEST_CASE("S08: fewer KV heads make a token smaller and a step read less") {
  const Run mha("S08", Set{"heads=mha"}), gqa("S08"), mqa("S08", Set{"heads=mqa"});
  const auto token = [](const Run& run) { return kv_bytes_per_token(run.end().model, ElementType::fp32); };
  CHECK(token(mha) == 3 * token(gqa));
  CHECK(token(gqa) == 2 * token(mqa));
  // 35 tokens' K and V are read, and the matrices that make one token's K and V: 3 layers * 2 * 96 inputs, 16 numbers
  // a head, 2 bytes (F16).
  const auto matrices = [](std::uint64_t kv_heads) { return 3 * 2 * 96 * 16 * 2 * kv_heads; };
  CHECK(last_read(mha) - last_read(gqa) == 35 * (token(mha) - token(gqa)) + matrices(6) - matrices(2));
  CHECK(last_read(gqa) - last_read(mqa) == 35 * (token(gqa) - token(mqa)) + matrices(2) - matrices(1));
}

TEST_CASE("S08: heads that no model has are refused") {
  CHECK_THROWS_WITH(Run("S08", Set{"heads=none"}), contains("mha") && contains("mla"));
}
