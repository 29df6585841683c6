// The numbers that popular texts give, one test a row of docs/facts.md. Each case states the popular figure, computes
// the right one, and says what was mixed up. Nothing here is copied: the sizes come from kv_bytes(), the times from
// transfer_time(), the blocks from a pool.

#include "core/cost/claims.h"

#include <fstream>
#include <set>

#include "core/cost/attention_io.h"
#include "core/cost/flash_io.h"
#include "core/cost/hardware.h"
#include "core/cost/kv_bytes.h"
#include "core/cost/model_shapes.h"
#include "core/cost/units.h"
#include "core/cost/waste.h"
#include "core/error.h"
#include "core/speculation/theory.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::Approx;
using kvarium_test::contains;

constexpr std::uint64_t kMiB = std::uint64_t{1024} * 1024;
constexpr std::uint64_t kGiB = 1024 * kMiB;
constexpr std::uint64_t k128Ki = std::uint64_t{128} * 1024;

/// Half a unit of the last digit that a text gives.
Approx about(double number, double half_digit) { return Approx(number).margin(half_digit).epsilon(0); }

TEST_CASE("F01: 32 layers, 32 KV heads of 128, 4096 tokens, FP16: popular 2.1 GB holds, it is 2.00 GiB") {
  const std::uint64_t bytes = kv_bytes(find_model_shape("llama-2-7b"), 4096, ElementType::fp16);
  CHECK(bytes == 2 * kGiB);
  CHECK(static_cast<double>(bytes) / kGB == about(2.1, 0.05));
  CHECK(find_claim("F01").right == "2,147,483,648 B = 2.00 GiB = 2.15 GB");
}

TEST_CASE("F02: a 7B model at 128K in FP16: popular 64 GB holds in GiB, in GB it is 68.7") {
  const std::uint64_t bytes = kv_bytes(find_model_shape("llama-2-7b"), k128Ki, ElementType::fp16);
  CHECK(bytes == 64 * kGiB);
  CHECK(static_cast<double>(bytes) / kGB == about(68.7, 0.05));
  CHECK(find_claim("F02").right == "64.0 GiB = 68.7 GB");
  CHECK_THAT(find_claim("F02").why, contains("131,072"));
}

TEST_CASE("F03: LLaMA-2-70B at 4096 tokens: popular 8, 4 and 2 GB are near multi-head sizes; groups make it 1.25 GiB") {
  const ModelShape& shape = find_model_shape("llama-2-70b");
  CHECK(kv_bytes(shape, 4096, ElementType::fp16) * 4 == 5 * kGiB);   // 1.25 GiB
  CHECK(kv_bytes(shape, 4096, ElementType::fp8) * 8 == 5 * kGiB);    // 0.625 GiB
  CHECK(kv_bytes(shape, 4096, ElementType::int4) * 16 == 5 * kGiB);  // 0.3125 GiB
  CHECK(kv_bytes(as_multi_head(shape), 4096, ElementType::fp16) == 10 * kGiB);
  CHECK(find_claim("F03").right == "1.25 GiB in FP16, 640 MiB in FP8, 320 MiB in INT4");
  CHECK_THAT(find_claim("F03").why, contains("10.0 GiB"));
}

TEST_CASE("F04: LLaMA-2-70B at 128K in FP16: popular 19 GB, right 40.0 GiB") {
  CHECK(kv_bytes(find_model_shape("llama-2-70b"), k128Ki, ElementType::fp16) == 40 * kGiB);
  CHECK(find_claim("F04").right == "40.0 GiB = 42.9 GB");
}

TEST_CASE("F05: such requests in 500 GB: popular 26, right 11, because F04 was taken for 19 GB") {
  const auto one = static_cast<double>(kv_bytes(find_model_shape("llama-2-70b"), k128Ki, ElementType::fp16));
  CHECK(static_cast<int>(500 * kGB / one) == 11);
  CHECK(static_cast<int>(500 * kGB / (19 * kGB)) == 26);
  CHECK(find_claim("F05").right == "11");
}

TEST_CASE("F06: 64 query heads in 8 groups: popular 4 times smaller, right 8 times, heads over groups") {
  const ModelShape& shape = find_model_shape("llama-2-70b");
  CHECK(kv_bytes(as_multi_head(shape), 1, ElementType::fp16) == 8 * kv_bytes(shape, 1, ElementType::fp16));
  CHECK(shape.query_heads / shape.kv_heads == 8);
  CHECK(find_claim("F06").right == "8.0 times smaller");
}

TEST_CASE("F07: 2 GB from HBM a token: popular 0.6 ms holds, its dividend of 2000 GB does not") {
  CHECK(transfer_time(2 * kGB, kH100Hbm) * 1e3 == about(0.597, 0.0005));
  CHECK(transfer_time(2000 * kGB, kH100Hbm) * 1e3 == about(597, 0.5));
  CHECK(find_claim("F07").right == "2 GB / 3350 GB/s = 0.597 ms");
}

TEST_CASE("F08: 2 GB from a network store at 1.2 GB/s: popular 27 minutes, right 1.67 s, a factor of 1000") {
  CHECK(transfer_time(2 * kGB, kNetworkStore) == about(1.67, 0.005));
  CHECK(transfer_time(2000 * kGB, kNetworkStore) == about(1666, 1));
  CHECK(find_claim("F08").right == "1.67 s");
  CHECK_THAT(find_claim("F08").why, contains("2792 times slower"));
}

TEST_CASE("F09: a pass with 5 drafts of which 8 of 10 pass: popular 3.93 tokens, right 3.69") {
  double sum = 0, all = 1;
  for (int i = 0; i <= 5; ++i, all *= .8) sum += all;
  CHECK(expected_tokens(.8, 5) == Approx(sum));
  CHECK(find_claim("F09").right == "(1 - 0.8^6) / (1 - 0.8) = 3.69");
  CHECK_THAT(find_claim("F09").why, contains("2.69"));
}

TEST_CASE("F10: a guess costs 0.1 of a pass: popular 2.6 times faster, right 2.46") {
  CHECK(expected_speedup(.8, 5, .1) == about(2.46, 0.005));
  CHECK(find_claim("F10").right == "3.69 / (1 + 5 * 0.1) = 2.46 times");
}

TEST_CASE("F20: taking drafts back: popular nothing is freed, right blocks taken for them alone are") {
  CHECK(find_claim("F20").right ==
        "with 10 tokens in blocks of 4, 6 more, and 11 kept: 1 block returns; with 13 kept: 0");
}

TEST_CASE("F15: standard attention at head dim 128 in FP16: popular d/4 = 32 FLOP a byte, right d/2 = 64") {
  CHECK(standard_attention(4096, 128, ElementType::fp16, false).intensity() == about(64, 1e-9));
  CHECK(standard_attention(4096, 128, ElementType::fp16, true).intensity() == about(62.1, 0.05));
  CHECK(standard_attention(4096, 64, ElementType::fp16, false).intensity() == about(32, 1e-9));
  CHECK(find_claim("F15").right == "d / 2 = 64.0 FLOP/B; 62.1 with Q, K, V and the output");
}

TEST_CASE("F16: traffic of FlashAttention: popular O(N^2 d / M), right Theta(N^2 d^2 / M)") {
  constexpr std::uint64_t kN = 1 << 20;  // so large that what moves only once does not count
  const auto moved = [](std::uint64_t n, std::uint64_t d, std::uint64_t on_chip) {
    return static_cast<double>(flash1_io(n, d, flash_tiles(on_chip, d)).total());
  };
  const double base = moved(kN, 64, 1 << 16);
  CHECK(moved(2 * kN, 64, 1 << 16) / base == about(4, 0.05));
  CHECK(moved(kN, 128, 1 << 16) / base == about(4, 0.1));  // 2 by the popular formula
  CHECK(moved(kN, 64, 1 << 17) / base == about(0.5, 0.005));
  CHECK(find_claim("F16").right == "Theta(N^2 d^2 / M): 3.8 times as much for d = 128 as for d = 64");
}

TEST_CASE("F17: scores of 4096 x 4096 in FP16: popular 32 MB, right 32 MiB a head and 32 heads a layer") {
  CHECK(score_matrix_bytes(4096, ElementType::fp16) == 32 * kMiB);
  CHECK(find_claim("F17").right == "32.0 MiB a head, 1.00 GiB a layer of 32 heads");
  CHECK_THROWS_AS(score_matrix_bytes(std::uint64_t{1} << 32U, ElementType::fp16), InputError);
}

TEST_CASE("F21: 17 tokens, block size 8: popular blocks 7, 3, 12 and 7 free slots hold") {
  CHECK(paged_waste({17}, 8) == Waste{17, 24, 3});
  CHECK(find_claim("F21").right == "[7,3,12] 17 tokens; 7 free slots in the last block");
}

TEST_CASE("F22: multi-head latent attention: popular several times smaller, right 57 times") {
  const ModelShape& v2 = find_model_shape("deepseek-v2");
  CHECK(kv_bytes_per_token(v2, ElementType::bf16) == 69120);
  CHECK(kv_bytes_per_token(find_model_shape("deepseek-v3"), ElementType::bf16) == 70272);
  const auto multi_head = static_cast<double>(kv_bytes_per_token(as_multi_head(v2), ElementType::bf16));
  CHECK(multi_head / 1e6 == about(3.93, 0.005));
  CHECK(multi_head / 69120 == about(57, 0.5));
  CHECK(find_claim("F22").right == "69,120 B a token (V2), 70,272 B (V3): 56.9 times smaller");
  CHECK_THAT(find_claim("F22").why, contains("3.93 MB"));
}

TEST_CASE("F23: slower than HBM: popular 26 and 2800 times hold, for PCIe counted both ways") {
  CHECK(kH100Hbm.bytes_per_second / kPcie5BothWays.bytes_per_second == about(26.2, 0.05));
  CHECK(kH100Hbm.bytes_per_second / kNetworkStore.bytes_per_second == about(2792, 0.5));
  CHECK(find_claim("F23").right == "26.2 times, 2792 times");
  CHECK_THAT(find_claim("F23").why, contains("52.3 times"));
}

TEST_CASE("an unknown row is refused with the list of rows") {
  CHECK_THROWS_WITH(find_claim("F99"),
                    "there is no claim 'F99': the rows are F01, F02, F03, F04, F05, F06, F07, F08, F09, F10, F15, F16, "
                    "F17, F20, F21, F22, F23");
}

TEST_CASE("docs/facts.md has exactly the rows that the calculators give") {
  std::ifstream file(KVARIUM_SOURCE_DIR "/docs/facts.md");
  REQUIRE(file.good());
  std::set<std::string> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("| F", 0) == 0) rows.insert(line);
  }
  for (const Claim& c : claims()) {
    const std::string row = "| " + c.id + " | " + c.topic + " | " + c.popular + " | " + c.right + " | " + c.why + " |";
    INFO("the row should be: " << row);
    CHECK(rows.count(row) == 1);
  }
  CHECK(rows.size() == claims().size());
}

}  // namespace
}  // namespace kvarium
