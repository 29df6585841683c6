#include "core/cost/kv_bytes.h"

#include "core/cost/bytes_report.h"
#include "core/cost/model_shapes.h"
#include "core/error.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::Approx;

constexpr double kKiB = 1024.0;
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

TEST_CASE("a cache of 2 layers, 1 KV head of 4 and 3 tokens is counted by hand") {
  // 2 (K and V) * 2 layers * 1 head * 4 numbers * 3 tokens = 48 numbers.
  const ModelShape shape{"tiny", 2, 2, 1, 4, 8, 10, 16, KvKind::heads, 0, 0};
  CHECK(kv_elements_per_token(shape) == 16);
  CHECK(kv_bytes(shape, 3, ElementType::fp32) == 192);
  CHECK(kv_bytes(shape, 3, ElementType::bf16) == 96);
  CHECK(kv_bytes(shape, 3, ElementType::fp8) == 48);
  CHECK(kv_bytes(shape, 3, ElementType::int4) == 24);
  CHECK(kv_bytes(shape, 3, ElementType::int2) == 12);
  CHECK(kv_bytes(shape, 0, ElementType::fp16) == 0);
}

TEST_CASE("a half byte at the end takes a whole one") {
  const ModelShape shape{"odd", 1, 1, 1, 1, 1, 1, 1, KvKind::heads, 0, 0};
  CHECK(kv_bytes(shape, 1, ElementType::int4) == 1);
  CHECK(kv_bytes(shape, 1, ElementType::int2) == 1);
  CHECK(kv_bytes(shape, 3, ElementType::int2) == 2);
}

TEST_CASE("scenario S08: KiB a token and GiB of 32 Ki tokens in BF16") {
  struct Row {
    const char* model;
    double kib_a_token;
    double gib;
  };
  for (const Row& row : {Row{"llama-2-7b", 512, 16}, Row{"llama-3.1-8b", 128, 4}, Row{"llama-3.1-70b", 320, 10},
                         Row{"falcon-7b", 8, 0.25}, Row{"qwen3-4b", 144, 4.5}, Row{"deepseek-v3", 68.6, 2.14}}) {
    CAPTURE(row.model);
    const ModelShape& shape = find_model_shape(row.model);
    const auto token = static_cast<double>(kv_bytes_per_token(shape, ElementType::bf16));
    const auto sequence = static_cast<double>(kv_bytes(shape, std::uint64_t{32} * 1024, ElementType::bf16));
    // Half of the last digit that the scenario writes.
    CHECK(token / kKiB == Approx(row.kib_a_token).margin(0.05).epsilon(0));
    CHECK(sequence / kGiB == Approx(row.gib).margin(0.005).epsilon(0));
  }
}

TEST_CASE("two popular short cuts give wrong sizes") {
  ModelShape hidden_over_heads = find_model_shape("qwen3-4b");
  hidden_over_heads.head_dim = hidden_over_heads.hidden / hidden_over_heads.query_heads;
  CHECK(kv_bytes_per_token(hidden_over_heads, ElementType::bf16) == 92160);  // 90 KiB; right: 144 KiB

  ModelShape two_latents = find_model_shape("deepseek-v3");
  two_latents.rotary_key_dim = two_latents.latent_dim;                  // as if K and V each kept a latent row
  CHECK(kv_bytes_per_token(two_latents, ElementType::bf16) == 124928);  // 122 KiB; right: 68.6 KiB
}

TEST_CASE("a size that does not fit 64 bits is an error, not a small number") {
  ModelShape huge{"huge", UINT32_MAX, 1, UINT32_MAX, UINT32_MAX, 1, 1, 1, KvKind::heads, 0, 0};
  CHECK_THROWS_AS(kv_bytes(huge, 1, ElementType::int2), InputError);
  CHECK_THROWS_AS(kv_bytes(find_model_shape("gpt-2-small"), UINT64_MAX, ElementType::int2), InputError);

  // 2^61 + 6 elements of 8 bits fit, of 64 bits they would not; near the limit nothing is lost.
  const ModelShape one{"one", 1, 1, 1, 1, 1, 1, 1, KvKind::heads, 0, 0};
  CHECK(kv_bytes(one, UINT64_MAX / 2, ElementType::fp8) == UINT64_MAX - 1);
  CHECK_THROWS_AS(kv_bytes(one, UINT64_MAX / 2, ElementType::fp16), InputError);
}

TEST_CASE("a shape without layers, heads or widths is refused by name") {
  ModelShape shape = find_model_shape("llama-2-7b");
  shape.kv_heads = 0;
  CHECK_THROWS_WITH(kv_bytes(shape, 1, ElementType::fp16),
                    "model shape 'llama-2-7b': kv_heads is 0, it must be at least 1");
  ModelShape latent = find_model_shape("deepseek-v2");
  latent.latent_dim = 0;
  CHECK_THROWS_AS(kv_bytes(latent, 1, ElementType::fp16), InputError);
}

TEST_CASE("element types are found by name") {
  CHECK(find_element_type("FP16") == ElementType::fp16);
  for (const ElementType type : element_types()) CHECK(find_element_type(name(type)) == type);
  CHECK_THROWS_WITH(find_element_type("fp17"),
                    "there is no element type 'fp17': use one of fp32, fp16, bf16, fp8, int8, int4, int2");
}

TEST_CASE("the report substitutes the numbers into the formula") {
  CHECK(bytes_report(find_model_shape("llama-2-70b"), 4096, ElementType::fp16) ==
        "KV cache of llama-2-70b, 4,096 tokens, fp16\n"
        "\n"
        "one token = 2 (K and V) * layers * KV heads * head dim * bytes an element\n"
        "          = 2 * 80 * 8 * 128 * 2 = 327,680 B = 320 KiB = 328 kB\n"
        "4,096 tokens = 1,342,177,280 B = 1.25 GiB = 1.34 GB\n"
        "\n"
        "If each of the 64 query heads had its own K and V (multi-head attention, MHA): 10.0 GiB = 10.7 GB, 8.0 times "
        "as much.\n");
}

TEST_CASE("the report of a latent cache has its own formula, half bytes and a warning past the context") {
  CHECK(bytes_report(find_model_shape("deepseek-v2"), 131073, ElementType::int4) ==
        "KV cache of deepseek-v2, 131,073 tokens, int4\n"
        "\n"
        "one token = layers * (latent width + rotary key width) * bytes an element\n"
        "          = 60 * (512 + 64) * 0.5 = 17,280 B = 16.9 KiB = 17.3 kB\n"
        "131,073 tokens = 2,264,941,440 B = 2.11 GiB = 2.26 GB\n"
        "\n"
        "If each of the 128 query heads had its own K and V (multi-head attention, MHA): 120 GiB = 129 GB, 56.9 times "
        "as much.\n"
        "The model was made for at most 131,072 tokens.\n");
  CHECK_THROWS_AS(bytes_report(find_model_shape("deepseek-v2"), 0, ElementType::fp16), InputError);
  CHECK_THAT(bytes_report(find_model_shape("llama-2-7b"), 1, ElementType::fp16),
             kvarium_test::contains("nothing is shared"));
}

}  // namespace
}  // namespace kvarium
