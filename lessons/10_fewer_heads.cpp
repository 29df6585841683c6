// Lesson 10: query heads that share K and V: MHA, GQA, MQA and MLA. One small model with 6, 2 and 1 KV heads runs
// (scenario S08), then six published ones are compared. The chapter is docs/lessons/10_fewer_heads.md.

#include <algorithm>

#include "core/cost/claims.h"
#include "core/cost/head_kind.h"
#include "core/cost/heads_report.h"
#include "core/cost/kv_bytes.h"
#include "core/cost/model_shapes.h"
#include "core/cost/roofline.h"
#include "core/cost/units.h"
#include "core/words/words.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"

namespace kvarium {
namespace {

constexpr RequestId kA{0};
constexpr std::uint64_t kTokens = 32768;

ScenarioParams params_with(const std::string& heads) {
  ScenarioParams params = find_scenario("S08").defaults;
  params.heads = heads;
  return params;
}

/// A run to its end.
struct Counted {
  ModelShape shape;
  std::uint64_t last_read = 0;  ///< bytes of the last step, weights included, as the engine counted them
};

Counted counted_with(const std::string& heads) {
  const ScenarioRun run(find_scenario("S08"), params_with(heads));
  const World end = run.after_step(run.last_step()), before = run.after_step(run.last_step() - 1);
  return {end.model, end.request(kA).work.bytes_read - before.request(kA).work.bytes_read};
}

void the_idea(LessonKit& kit, ScenarioRun& run) {
  kit.say(
      std::string(tr("Attention looks back several times at once, each time for something else: one look for grammar, "
                     "say, and one for names. Each look is a head, with queries, keys and values of its own "
                     "(multi-head attention, MHA; Vaswani et al. 2017).")));
  kit.say(std::string(
      tr("Queries are used once. Keys and values are kept and read again at every step: they are the cache. "
         "So one may ask: must each head have its own? Let several query heads share one K and one V. That "
         "is grouped-query attention (GQA; Ainslie et al. 2023), and with a single pair for all, "
         "multi-query attention (MQA; Shazeer 2019).")));
  run.to_step(1, kit);
  const ModelShape& shape = kit.world().model;
  kit.expect("query heads a group", 3, shape.query_heads / shape.kv_heads);
  kit.say(tr_format("The model that runs here has {} query heads and {} KV heads: heads 0 to 2 share one, heads 3 to 5 "
                    "the other. The tab Heads draws it.",
                    shape.query_heads, shape.kv_heads),
          {tab_point("heads")});
  kit.ask({.text = std::string(tr("Which KV head does query head 5 read, counted from 0?")),
           .choices = {},
           .expected = "1",
           .answer = std::to_string(kv_head_of(shape, 5)),
           .because = tr_format("{} query heads a group: 5 / {} = {}.", shape.query_heads / shape.kv_heads,
                                shape.query_heads / shape.kv_heads, kv_head_of(shape, 5))},
          {tab_point("heads")});
}

/// One line a number of KV heads, all counted while they ran.
std::string runs_figure(const std::vector<Counted>& runs) {
  std::string figure =
      tr_format("{:<9} {:>9} {:>16} {:>22}\n", "kind", "KV heads", "K, V of a token", "last step read (FP32)");
  for (const Counted& run : runs) {
    figure += fmt::format("{:<9} {:>9} {:>16} {:>22}\n", head_kind_name(run.shape), run.shape.kv_heads,
                          with_commas(kv_bytes_per_token(run.shape, ElementType::fp32)) + " B",
                          with_commas(run.last_read) + " B");
  }
  return figure;
}

void three_runs(LessonKit& kit, ScenarioRun& told) {
  const std::vector<Counted> runs{counted_with("mha"), counted_with("gqa"), counted_with("mqa")};
  const auto token = [&](std::size_t i) { return kv_bytes_per_token(runs[i].shape, ElementType::fp32); };
  kit.ask({.text = std::string(tr("With 2 KV heads instead of 6, how many times smaller is the cache?")),
           .choices = {},
           .expected = "3",
           .answer = std::to_string(token(0) / token(1)),
           .because = std::string(tr("Query heads / KV heads = 6 / 2. Nothing else in the formula changes."))},
          {tab_point("heads")});
  told.to_step(5, kit);
  kit.show(runs_figure(runs));
  kit.ask(
      {.text = std::string(tr("The same prompt on all three. Did the last step of the one with 2 KV heads read less "
                              "than that of the one with 6?")),
       .choices = {std::string(tr("yes")), std::string(tr("no"))},
       .expected = std::string(tr("yes")),
       .answer = std::string(runs[1].last_read < runs[0].last_read ? tr("yes") : tr("no")),
       .because = std::string(tr("Fewer K and V are read, and the matrices that make them are smaller too."))},
      {point(kA)});
  kit.say(std::string(
      tr("It is not free. A model must be trained with its heads as they are, and with a single K and V for "
         "all of them it answers a little worse (Ainslie et al. 2023, section 3). Groups are the compromise "
         "that most models of today make.")));
}

void published_models(LessonKit& kit) {
  kit.say(tr_format("Six published models, one request of {} tokens in BF16:", with_commas(kTokens)),
          {tab_point("heads")});
  kit.show(heads_table(kTokens, ElementType::bf16));
  const Claim groups = find_claim("F06"), large = find_claim("F03");
  const ModelShape& shape = find_model_shape("llama-2-70b");
  kit.ask({.text = tr_format("{} has {} query heads in {} groups. How many times smaller than with MHA is its cache?",
                             shape.name, shape.query_heads, shape.kv_heads),
           .choices = {"4", "8", "64"},
           .expected = "8",
           .answer = std::to_string(kv_elements_per_token(as_multi_head(shape)) / kv_elements_per_token(shape)),
           .because = tr_format("Texts say {}. {}", groups.popular, groups.why)},
          {tab_point("heads")});
  kit.say(tr_format("Who counts query heads gets it wrong by that factor. {}: texts say {}; it is {}. {}", large.topic,
                    large.popular, large.right, large.why));
}

/// A question with the wrong and the right size to choose from.
void ask_trap(LessonKit& kit, const Trap& trap, const char* expected) {
  const std::string wrong = binary_size(trap.wrong), right = binary_size(trap.right);
  kit.ask({.text = trap.question + " " + std::string(tr("(BF16)")),
           .choices = {std::min(trap.wrong, trap.right) == trap.wrong ? wrong : right,
                       std::min(trap.wrong, trap.right) == trap.wrong ? right : wrong},
           .expected = expected,
           .answer = right,
           .because =
               tr_format("{} = {}, not {} = {}. {}", trap.right_formula, right, trap.wrong_formula, wrong, trap.why)},
          {tab_point("heads")});
}

void one_row_for_all(LessonKit& kit) {
  const std::vector<Trap> both = traps(ElementType::bf16);
  ask_trap(kit, both[0], "144 KiB");
  const ModelShape& shape = find_model_shape("deepseek-v3");
  kit.say(
      tr_format("The last model of the table does something else. It has {} query heads and keeps neither K nor V, but "
                "one compressed row of {} numbers from which K and V of every head can be computed, and one small "
                "key of {} numbers that carries the position. That is multi-head latent attention (MLA; "
                "DeepSeek-V2, 2024).",
                shape.query_heads, shape.latent_dim, shape.rotary_key_dim),
      {tab_point("heads")});
  ask_trap(kit, both[1], "68.6 KiB");
  const Claim latent = find_claim("F22");
  kit.say(tr_format("{}, {}: texts say {}; it is {}. {}", latent.id, latent.topic, latent.popular, latent.right,
                    latent.why));
}

/// Compared models whose attention in decode waits for memory on every processor.
std::uint64_t num_waiting_for_memory(ElementType type) {
  std::uint64_t waiting = 0;
  for (const ModelShape& shape : compared_models()) {
    const double intensity = attention_intensity(shape, type);
    const auto waits = [&](const HardwareProfile& on) { return bound_of(on, intensity) == Bound::memory; };
    const auto& all = hardware_profiles();
    waiting += std::all_of(all.begin(), all.end(), waits) ? 1 : 0;
  }
  return waiting;
}

void the_intensity(LessonKit& kit) {
  const ElementType type = ElementType::bf16;
  const ModelShape &plain = find_model_shape("llama-2-7b"), &grouped = find_model_shape("llama-3.1-8b"),
                   &latent = find_model_shape("deepseek-v3");
  kit.expect("FLOP a byte with MHA", 1, static_cast<std::uint64_t>(attention_intensity(plain, type)));
  kit.expect("FLOP a byte with one KV head for 32", 32,
             static_cast<std::uint64_t>(attention_intensity(with_kv_heads(plain, 1), type)));
  kit.ask(
      {.text = tr_format("With MHA, attention in decode does {:.0f} FLOP for each byte of K and V. How many does it do "
                         "when {} query heads share each of them?",
                         attention_intensity(plain, type), grouped.query_heads / grouped.kv_heads),
       .choices = {},
       .expected = "4",
       .answer = fmt::format("{:.0f}", attention_intensity(grouped, type)),
       .because = std::string(tr("What was fetched once is used by every query head of the group."))},
      {tab_point("heads")});
  kit.expect("models that wait for memory everywhere", compared_models().size() - 1, num_waiting_for_memory(type));
  const HardwareProfile &h100 = find_hardware("H100 SXM"), &h200 = find_hardware("H200");
  kit.say(
      tr_format("One row for all {} heads is used so often that MLA does {:.1f} FLOP a byte. An H200 begins to wait "
                "for its arithmetic at {:.0f}, an H100 at {:.0f}: the other kinds wait for memory everywhere, MLA "
                "stands at the edge.",
                latent.query_heads, attention_intensity(latent, type), ridge_point(h200), ridge_point(h100)),
      {tab_point("roofline")});
}

}  // namespace

void fewer_heads(LessonKit& kit) {
  kit.title(std::string(tr("10 Fewer heads")));
  ScenarioRun run(find_scenario("S08"), params_with("gqa"));
  the_idea(kit, run);
  three_runs(kit, run);
  published_models(kit);
  one_row_for_all(kit);
  the_intensity(kit);
  run.to_end(kit);
  kit.say(std::string(tr(
      "To remember: the cache holds KV heads, not query heads. Sharing them (GQA, MQA) makes it smaller by query heads "
      "/ KV heads; one compressed row for all (MLA) makes it smaller still. What is smaller is also read faster, and "
      "each byte is used more often.")));
}

}  // namespace kvarium
