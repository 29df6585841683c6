// The roofline against numbers worked out by hand, published parameter counts, and the simulated server.

#include "core/cost/roofline.h"

#include "core/cost/head_kind.h"
#include "core/cost/heads_report.h"
#include "core/cost/kv_bytes.h"
#include "core/cost/model_shapes.h"
#include "core/cost/parameters.h"
#include "core/cost/roofline_report.h"
#include "core/cost/step_cost.h"
#include "core/error.h"
#include "tests/support/catch.h"

namespace kvarium {
namespace {

using kvarium_test::Approx;
using kvarium_test::contains;

Approx about(double number, double half_digit) { return Approx(number).margin(half_digit).epsilon(0); }

double intensity_of(const char* model) { return attention_intensity(find_model_shape(model), ElementType::bf16); }

RooflineSetup setup_of(const char* model, std::uint64_t batch = 1, std::uint64_t context = 4096) {
  return {find_model_shape(model), batch, context, ElementType::bf16, ElementType::bf16};
}

TEST_CASE("S08: attention in decode does 1, 4, 8, 32 and 241.8 FLOP a byte") {
  CHECK(intensity_of("llama-2-7b") == about(1, 1e-9));     // 32 query heads, 32 KV heads
  CHECK(intensity_of("llama-3.1-8b") == about(4, 1e-9));   // 32 / 8
  CHECK(intensity_of("llama-3.1-70b") == about(8, 1e-9));  // 64 / 8
  CHECK(attention_intensity(with_kv_heads(find_model_shape("llama-2-7b"), 1), ElementType::bf16) == about(32, 1e-9));
  CHECK(intensity_of("deepseek-v3") == about(241.8, 0.05));  // 2 * 128 * (576 + 512) / (576 * 2)
  CHECK(intensity_of("falcon-7b") == about(71, 1e-9));       // 71 query heads, one KV head
}

TEST_CASE("half as many bytes an element make the intensity of attention twice as high") {
  const ModelShape& shape = find_model_shape("llama-3.1-8b");
  CHECK(attention_intensity(shape, ElementType::fp8) == about(8, 1e-9));
  CHECK(attention_intensity(shape, ElementType::fp32) == about(2, 1e-9));
}

TEST_CASE("S08: bandwidth and arithmetic meet at 153 on an A100, 295 on an H100, 206 on an H200") {
  CHECK(ridge_point(find_hardware("a100 sxm")) == about(153, 0.5));
  CHECK(ridge_point(find_hardware("H100 SXM")) == about(295, 0.5));
  CHECK(ridge_point(find_hardware("h200")) == about(206, 0.5));
  CHECK(ridge_point(find_hardware("MI300X")) == about(246.7, 0.05));
  CHECK(ridge_point(find_hardware("RTX-4090")) == about(163.9, 0.05));
  CHECK_THROWS_WITH(find_hardware("abacus"), contains("A100 SXM, H100 SXM, H200, MI300X, RTX 4090"));
}

TEST_CASE("every processor says where its figures come from") {
  for (const HardwareProfile& hardware : hardware_profiles()) {
    INFO(hardware.name);
    CHECK_THAT(hardware.source, contains("20"));
    CHECK(hardware.memory_bytes > kGB);
  }
}

TEST_CASE("under the roof: left of the ridge the bandwidth decides, right of it the peak") {
  const HardwareProfile toy{"toy", 100, {"memory", 10}, 1, "made up"};
  CHECK(ridge_point(toy) == about(10, 1e-9));
  CHECK(attainable(toy, 1) == about(10, 1e-9));
  CHECK(attainable(toy, 10) == about(100, 1e-9));
  CHECK(attainable(toy, 1000) == about(100, 1e-9));
  CHECK(bound_of(toy, 9.99) == Bound::memory);
  CHECK(bound_of(toy, 10) == Bound::compute);
  CHECK(seconds(toy, {200, 50}) == about(5, 1e-9));    // 50 bytes at 10 a second
  CHECK(seconds(toy, {2000, 50}) == about(20, 1e-9));  // 2000 FLOP at 100 a second
}

/// In billions, as the authors give them.
TEST_CASE("matrices counted from their widths give the published numbers of parameters") {
  const std::pair<const char*, double> published[] = {
      {"gpt-2-small", .124},      {"gpt-2-xl", 1.56},     {"gpt-3-175b", 174.6},  {"llama-2-7b", 6.74},
      {"llama-2-13b", 13.02},     {"llama-2-70b", 68.98}, {"llama-3.1-8b", 8.03}, {"llama-3.1-70b", 70.55},
      {"llama-3.1-405b", 405.85}, {"mistral-7b", 7.25},   {"qwen2.5-0.5b", .494}, {"qwen2.5-1.5b", 1.54},
      {"qwen2.5-3b", 3.09},       {"qwen2.5-7b", 7.62},   {"qwen2.5-14b", 14.77}, {"qwen2.5-32b", 32.76},
      {"qwen2.5-72b", 72.71},     {"qwen3-0.6b", .596},   {"qwen3-1.7b", 1.72},   {"qwen3-4b", 4.02},
      {"qwen3-8b", 8.19},         {"qwen3-14b", 14.77},   {"qwen3-32b", 32.76},   {"falcon-7b", 6.92},
      {"deepseek-v2", 235.7},     {"deepseek-v3", 671.0},
  };
  for (const auto& [name, billions] : published) {
    INFO(name);
    const double counted = parameters_of(find_model_shape(name)).total() / 1e9;
    CHECK(counted == Approx(billions).epsilon(0.005));  // biases and norms, and the digits that are published
  }
  for (const ModelShape& shape : model_shapes()) {
    INFO(shape.name);
    CHECK(parameters_of(shape).total() > 1e8);
  }
  CHECK_THROWS_WITH(parameters_of({"mine", 1, 1, 1, 1, 1, 1, 1}), contains("'mine'"));
}

TEST_CASE("of a mixture of experts a token uses few, and a large batch reads nearly all") {
  const ParameterCount v3 = parameters_of(find_model_shape("deepseek-v3"));
  CHECK(v3.active() / 1e9 == about(36.6, 0.1));                                              // "37B" in the report
  CHECK(parameters_of(find_model_shape("deepseek-v2")).active() / 1e9 == about(20.9, 0.1));  // "21B"
  CHECK(v3.read_by(1) == about(v3.active(), 1));
  CHECK(v3.read_by(2) < 2 * v3.active());
  CHECK(v3.read_by(10000) == about(v3.total() - v3.embedding, 1e6));
}

TEST_CASE("an embedding is looked up, unless it is the output head as well: then it is multiplied and read") {
  const ParameterCount apart = parameters_of(find_model_shape("llama-3.1-8b"));
  CHECK(apart.embedding == 4096.0 * 128256);
  CHECK(apart.head == apart.embedding);
  CHECK(apart.active() == apart.total() - apart.embedding);
  CHECK(apart.read_by(1) == apart.active());
  CHECK(apart.read_by(100) == apart.active());
  const ParameterCount tied = parameters_of(find_model_shape("qwen3-0.6b"));
  CHECK(tied.embedding == 0);
  CHECK(tied.active() == tied.total());
  CHECK(tied.read_by(1) == tied.total());
  CHECK(parameters_of(find_model_shape("gpt-2-small")).embedding == 768.0 * 1024);  // of positions
}

TEST_CASE("a prompt asks for one new token: the output head is multiplied once a sequence") {
  const ParameterCount llama = parameters_of(find_model_shape("llama-3.1-8b"));
  const PassCost prompts = prefill_cost(setup_of("llama-3.1-8b", 3, 100));
  CHECK(prompts.weights.flops == Approx(2 * (llama.body() * 300 + llama.head * 3)).epsilon(1e-12));
  CHECK(prompts.weights.bytes == 2 * (llama.total() - llama.embedding));
}

TEST_CASE("decode multiplies each weight once a sequence and reads it once a pass") {
  const double parameters = parameters_of(find_model_shape("llama-3.1-8b")).active();
  const PassCost one = decode_cost(setup_of("llama-3.1-8b")), many = decode_cost(setup_of("llama-3.1-8b", 64));
  CHECK(one.weights.intensity() == about(1, 1e-9));
  CHECK(many.weights.intensity() == about(64, 1e-9));
  CHECK(many.weights.bytes == one.weights.bytes);
  CHECK(one.weights.bytes == 2 * parameters);
  CHECK(one.attention.bytes == 4096 * 131072.0);                   // 128 KiB a token
  CHECK(one.attention.flops == 4096 * 4.0 * 32 * 32 * 128);        // layers, query heads, head dim
  CHECK(many.attention.intensity() == one.attention.intensity());  // a batch does not help attention
}

TEST_CASE("a prompt is bound by arithmetic, an answer by memory") {
  for (const HardwareProfile& hardware : hardware_profiles()) {
    INFO(hardware.name);
    CHECK(bound_of(hardware, prefill_cost(setup_of("llama-3.1-8b")).all().intensity()) == Bound::compute);
    CHECK(bound_of(hardware, decode_cost(setup_of("llama-3.1-8b")).all().intensity()) == Bound::memory);
  }
}

TEST_CASE("latent attention unpacks K and V in prefill and looks at the latent rows in decode") {
  const RooflineSetup setup = setup_of("deepseek-v3", 1, 1000);
  const double looks = 1000.0 * 1001 / 2;
  CHECK(prefill_cost(setup).attention.flops == about(looks * 61 * 2 * 128 * (192 + 128), 1));
  CHECK(decode_cost(setup).attention.flops == about(1000.0 * 61 * 2 * 128 * (576 + 512), 1));
  CHECK(decode_cost(setup).attention.bytes == 1000 * 70272.0);
}

TEST_CASE("the simulated server and the roofline count the same") {
  for (const char* model : {"llama-3.1-8b", "falcon-7b", "llama-2-70b"}) {
    INFO(model);
    ServerProfile server = default_server();
    server.model = find_model_shape(model);
    const ParameterCount count = parameters_of(server.model);
    server.parameters = count.total();
    server.embedding = count.embedding;
    server.head = count.head;
    StepCost prompt(server), answers(server);
    prompt.add_prompt(0, 4096);
    answers.add_answers(8, 8 * 4096.0);
    const Part prefill = prefill_cost(setup_of(model)).all(), decode = decode_cost(setup_of(model, 8)).all();
    CHECK(prompt.flops() == Approx(prefill.flops).epsilon(1e-12));
    CHECK(prompt.bytes() == Approx(prefill.bytes).epsilon(1e-12));
    CHECK(answers.flops() == Approx(decode.flops).epsilon(1e-12));
    CHECK(answers.seconds() == Approx(seconds(server.gpu, decode)).epsilon(1e-12));
  }
}

TEST_CASE("what cannot be a pass is refused") {
  CHECK_THROWS_WITH(decode_cost(setup_of("llama-3.1-8b", 0)), contains("0 sequences"));
  CHECK_THROWS_WITH(prefill_cost(setup_of("llama-3.1-8b", 1, 0)), contains("0 tokens"));
}

TEST_CASE("the report says what a first token and each further one take at least") {
  const std::string text = roofline_report(setup_of("llama-3.1-8b"), find_hardware("H100 SXM"));
  CHECK_THAT(text, contains("Roofline of llama-3.1-8b (GQA 4:1, 8.03 billion parameters)\n"));
  CHECK_THAT(text, contains("989 TFLOP/s and 3.35 TB/s meet at 295 FLOP/B"));
  // 2 * 6.98e9 * 4096 / 989.4e12 = 57.8 ms, and attention 4.4 ms; (15.01 + 0.54) GB / 3350 GB/s = 4.64 ms
  CHECK_THAT(text, contains("First token after 62.2 ms at least, then one each 4.64 ms"));
  CHECK_THAT(text, contains("Weights, K and V take 16.6 GB of its 80.0 GB."));
  CHECK_THAT(roofline_report(setup_of("llama-2-70b"), find_hardware("RTX 4090")),
             contains("one alone cannot run this"));
}

TEST_CASE("the same model with other heads") {
  const ModelShape& shape = find_model_shape("llama-3.1-8b");
  const auto kind_after = [&](HeadKind kind) { return head_kind_name(with_head_kind(shape, kind)); };
  CHECK(kind_after(HeadKind::multi_head) == "MHA");
  CHECK(kind_after(HeadKind::grouped) == "GQA 4:1");
  CHECK(kind_after(HeadKind::multi_query) == "MQA");
  CHECK(kind_after(HeadKind::latent) == "MLA");
  CHECK(with_head_kind(shape, HeadKind::grouped) == shape);
  CHECK(head_kind_name(with_head_kind(find_model_shape("gpt-2-xl"), HeadKind::grouped)) == "GQA 5:1");  // 25 heads
  const ModelShape& falcon = find_model_shape("falcon-7b");                                             // 71 is a prime
  CHECK_FALSE(can_be_grouped(falcon));
  CHECK_THROWS_WITH(with_head_kind(falcon, HeadKind::grouped), contains("71 query heads, as falcon-7b has"));
  ModelShape two = find_model_shape("llama-2-7b");
  two.query_heads = two.kv_heads = 2;
  CHECK_FALSE(can_be_grouped(two));  // 2:1 would be MQA
  CHECK(head_kind_name(with_head_kind(find_model_shape("deepseek-v3"), HeadKind::multi_head)) == "MHA");
  CHECK_THROWS_WITH(with_kv_heads(shape, 5), contains("5 KV heads do not divide 32 query heads"));
  CHECK(kv_head_of(shape, 0) == 0);
  CHECK(kv_head_of(shape, 3) == 0);
  CHECK(kv_head_of(shape, 4) == 1);
  CHECK(kv_head_of(shape, 31) == 7);
  CHECK_THROWS_AS(kv_head_of(shape, 32), MisuseError);
}

TEST_CASE("latent rows are read as the K of one head that all query heads share, other models as they are") {
  const ModelShape mla = as_latent(find_model_shape("llama-3.1-8b"));
  const ModelShape read = as_read(mla);
  CHECK(head_kind(read) == HeadKind::multi_query);
  CHECK(read.query_heads == mla.query_heads);
  CHECK(read.head_dim == 512 + 64);
  CHECK(kv_head_of(read, mla.query_heads - 1) == 0);
  CHECK(as_read(find_model_shape("llama-3.1-8b")) == find_model_shape("llama-3.1-8b"));
}

TEST_CASE("S08: KiB a token and GiB for 32 Ki tokens of the six models") {
  const double kib[] = {512, 128, 320, 8, 144, 68.6}, gib[] = {16, 4, 10, .25, 4.5, 2.14};
  const std::vector<ModelShape>& models = compared_models();
  REQUIRE(models.size() == 6);
  for (std::size_t i = 0; i < models.size(); ++i) {
    INFO(models[i].name);
    const HeadsRow row = heads_row(models[i], 32768, ElementType::bf16);
    CHECK(static_cast<double>(row.token_bytes) / 1024 == about(kib[i], 0.05));
    CHECK(static_cast<double>(row.context_bytes) / (1024.0 * 1024 * 1024) == about(gib[i], 0.005));
  }
}

TEST_CASE("S08: the two traps give 90 KiB for 144 and 122 KiB for 68.6") {
  const std::vector<Trap> both = traps(ElementType::bf16);
  REQUIRE(both.size() == 2);
  CHECK(both[0].wrong == 90 * 1024);
  CHECK(both[0].right == 144 * 1024);
  CHECK(both[1].wrong == 122 * 1024);
  CHECK(both[1].right == 70272);
  const std::string text = heads_report(32768, ElementType::bf16);
  CHECK_THAT(text, contains("head dim = 2560 / 32 = 80, so 2 * 36 * 8 * 80 * 2 = 90.0 KiB"));
  CHECK_THAT(text, contains("right  61 * (512 + 64) * 2 = 68.6 KiB"));
  CHECK_THAT(text, contains("deepseek-v3    MLA         68.6 KiB       2.14 GiB   241.8\n"));
}

}  // namespace
}  // namespace kvarium
