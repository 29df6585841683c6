// Lesson 03: how large a KV cache is, from four numbers and a format. First the model that runs here (scenario S02),
// then the published ones, and the popular figures that are wrong. The chapter is docs/lessons/03_counting_bytes.md.

#include "core/cost/bytes_report.h"
#include "core/cost/claims.h"
#include "core/cost/hardware.h"
#include "core/cost/kv_bytes.h"
#include "core/cost/model_shapes.h"
#include "core/cost/units.h"
#include "core/words/words.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"

namespace kvarium {
namespace {

constexpr RequestId kA{0};
constexpr std::uint64_t k4Ki = 4096;

/// "F03, ...: texts say ...; it is ... Why."
void say_claim(LessonKit& kit, const char* id) {
  const Claim claim = find_claim(id);
  kit.say(
      tr_format("{}, {}: texts say {}; it is {}. {}", claim.id, claim.topic, claim.popular, claim.right, claim.why));
}

/// From the running model to the formula.
void one_token(LessonKit& kit, ScenarioRun& run) {
  run.to_step(1, kit);
  const ModelShape& shape = kit.world().model;
  kit.say(std::string(
      tr("The price of a KV cache is memory (lesson 01). How much? One can weigh it without a machine, with "
         "a few numbers that stand in every model's description.")));
  kit.say(tr_format("The model that runs here has {} layers. Each layer keeps, for each token, a K and a V in each of "
                    "its {} KV heads, and each of these rows has {} numbers. A number takes 4 bytes here (FP32).",
                    shape.layers, shape.kv_heads, shape.head_dim),
          {point(kA)});
  kit.ask({.text = std::string(tr("How many bytes does one token add to the cache?")),
           .choices = {},
           .expected = "3072",
           .answer = std::to_string(kv_bytes_per_token(shape, ElementType::fp32)),
           .because = tr_format("{} = {}.", token_numbers(shape, ElementType::fp32),
                                kv_bytes_per_token(shape, ElementType::fp32))},
          {point(kA)});
  kit.show(tr_format("one token = {}\nall       = one token * tokens", token_names(shape)));
}

/// What the request holds, and what the pool keeps from others.
void held_bytes(LessonKit& kit, ScenarioRun& run) {
  run.to_step(9, kit);
  const World& world = kit.world();
  const RequestState& a = world.request(kA);
  const std::uint64_t token = kv_bytes_per_token(world.model, ElementType::fp32);
  const std::uint64_t held = a.table.size() * world.block_size * token;
  kit.expect("bytes that A holds", 98304, held);
  kit.ask(
      {.text = tr_format("After step {} A has {} tokens in the cache. How many bytes are that?", world.step,
                         a.computed_tokens),
       .choices = {},
       .expected = "76800",
       .answer = std::to_string(a.computed_tokens * token),
       .because = tr_format("{} * {}. A holds a little more, {} blocks of {} tokens: {} B; lesson 04 is about them.",
                            a.computed_tokens, token, a.table.size(), world.block_size, with_commas(held))},
      {point(kA)});
}

void a_real_model(LessonKit& kit) {
  const ModelShape& shape = find_model_shape("llama-2-7b");
  const std::uint64_t cache = kv_bytes(shape, k4Ki, ElementType::fp16);
  kit.say(tr_format("Now a real one. {} has {} layers and {} KV heads of {} numbers, each of 2 bytes (FP16).",
                    shape.name, shape.layers, shape.kv_heads, shape.head_dim));
  kit.ask({.text = tr_format("How large is the cache of one request with {} tokens?", with_commas(k4Ki)),
           .choices = {"210 MB", "2.15 GB", "21.5 GB"},
           .expected = "2.15 GB",
           .answer = decimal_size(cache),
           .because = tr_format("{} * {} = {}.", token_numbers(shape, ElementType::fp16), with_commas(k4Ki),
                                size_in_words(cache))});
  kit.say(
      tr_format("Why two sizes with almost the same name? A GiB is 2^30 bytes, a GB is 10^9: {:.0f} % apart. "
                "Programs report the first, makers of memory sell the second, and texts mix them up.",
                100 * (1024.0 * 1024 * 1024 / 1e9 - 1)));
  kit.say(
      std::string(tr("Figures like this one go around, right ones and wrong ones. docs/facts.md numbers them; here are "
                     "the first eight.")));
  say_claim(kit, "F01");
  say_claim(kit, "F02");
}

/// The commonest mistake: query heads instead of KV heads.
void count_kv_heads(LessonKit& kit) {
  const ModelShape& shape = find_model_shape("llama-2-70b");
  const std::uint64_t right = kv_bytes(shape, k4Ki, ElementType::fp16);
  const std::uint64_t with_all = kv_bytes(as_multi_head(shape), k4Ki, ElementType::fp16);
  kit.ask({.text = tr_format("{} has {} layers, {} query heads and {} KV heads of {}: {} query heads share one K and "
                             "one V. How large are {} tokens in FP16?",
                             shape.name, shape.layers, shape.query_heads, shape.kv_heads, shape.head_dim,
                             shape.query_heads / shape.kv_heads, with_commas(k4Ki)),
           .choices = {"1.25 GiB", "8.00 GiB", "10.0 GiB"},
           .expected = "1.25 GiB",
           .answer = binary_size(right),
           .because = tr_format("Count the KV heads: {} * {}. With all {} query heads it would be {}.",
                                token_numbers(shape, ElementType::fp16), with_commas(k4Ki), shape.query_heads,
                                binary_size(with_all))});
  say_claim(kit, "F03");
  say_claim(kit, "F04");
  say_claim(kit, "F05");
  say_claim(kit, "F06");
}

/// One line a format: bytes a number, one token, 4,096 tokens.
std::string formats_figure(const ModelShape& shape) {
  std::string figure =
      tr_format("{:<6} {:>16} {:>12} {:>14}\n", "format", "bytes a number", "one token", "4,096 tokens");
  for (const ElementType type : {ElementType::fp32, ElementType::fp16, ElementType::fp8, ElementType::int4}) {
    figure += fmt::format("{:<6} {:>16} {:>12} {:>14}\n", name(type), bytes_an_element(type),
                          binary_size(kv_bytes_per_token(shape, type)), binary_size(kv_bytes(shape, k4Ki, type)));
  }
  return figure;
}

void formats_and_time(LessonKit& kit) {
  const ModelShape& shape = find_model_shape("llama-2-70b");
  kit.say(
      std::string(tr("A smaller format makes everything smaller by the same factor. BF16 is as large as FP16. Formats "
                     "of 4 bits need scales beside the numbers, which are not counted here.")));
  kit.show(formats_figure(shape));
  kit.say(
      std::string(tr("Bytes are also time, because decode reads the whole cache for each token (lesson 02). Divide "
                     "the bytes by the bytes a second.")));
  const double two_gb = 2 * kGB;
  kit.ask({.text = tr_format("2 GB over a network of {} GB/s: how long is that?", kNetworkStore.bytes_per_second / kGB),
           .choices = {"1.67 ms", "1.67 s", "27 min"},
           .expected = "1.67 s",
           .answer = duration(transfer_time(two_gb, kNetworkStore)),
           .because = tr_format("2 / {} seconds. Gigabytes divided by gigabytes a second are seconds.",
                                kNetworkStore.bytes_per_second / kGB)});
  say_claim(kit, "F07");
  say_claim(kit, "F08");
}

}  // namespace

void counting_bytes(LessonKit& kit) {
  kit.title(std::string(tr("03 Counting bytes")));
  const Scenario& scenario = find_scenario("S02");
  ScenarioRun run(scenario, scenario.defaults);
  one_token(kit, run);
  held_bytes(kit, run);
  a_real_model(kit);
  count_kv_heads(kit);
  formats_and_time(kit);
  run.to_end(kit);
  kit.say(std::string(tr(
      "To remember: 2 * layers * KV heads * head dim * tokens * bytes a number. Count the KV heads and not the query "
      "heads, take the head dim from the description, say GiB or GB, and do the division again.")));
}

}  // namespace kvarium
