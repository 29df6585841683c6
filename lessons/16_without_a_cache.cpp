// Lesson 16: attention whose memory does not grow. Linear attention and retention, token by token and all at once, and
// what they cannot do. Runs on scenario S01 for comparison; the chapter is docs/lessons/16_without_a_cache.md.

#include <cmath>
#include <random>

#include "core/cost/kv_bytes.h"
#include "core/cost/units.h"
#include "core/words/words.h"
#include "cpu_reference/attention/cached.h"
#include "cpu_reference/attention/linear.h"
#include "cpu_reference/attention/retention.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"

namespace kvarium {
namespace {

using cpu::Index;
using cpu::LinearAttention;
using cpu::Matrix;
using cpu::Retention;

constexpr RequestId kKeeper{1};  // B of scenario S01
constexpr std::uint64_t kNumber = sizeof(float);

Matrix random_matrix(Index rows, Index columns, std::mt19937_64& draws) {
  return Matrix::NullaryExpr(rows, columns, [&] { return static_cast<float>(draws() >> 40) * 0x1p-23F - 1.0F; });
}

/// K and V of the running engine grow by a row a token.
void the_growth(LessonKit& kit) {
  const Scenario& scenario = find_scenario("S01");
  ScenarioRun run(scenario, scenario.defaults);
  run.to_step(1, kit);
  const auto kept = [&](const World& world) {
    return kv_bytes(world.model, world.request(kKeeper).read_count, ElementType::fp32);
  };
  const std::uint64_t first = kept(kit.world());
  const World end = run.after_step(run.last_step());
  kit.say(tr_format("Request B of lesson 01 keeps K and V of every token. After its prompt of {} tokens that is {}, in "
                    "its last step {}: so much a token, for ever. Reading it is most of the work of a long answer, and "
                    "keeping it limits how many can talk to a server at once.",
                    end.request(kKeeper).prompt_tokens, binary_size(first), binary_size(kept(end))),
          {point(kKeeper)});
  run.to_end(kit);
  kit.say(std::string(tr(
      "Can attention do without? Softmax is in the way: exp(q · k) cannot be split into something of q and something "
      "of k, so each new query must meet each old key. Put a product of two functions in its place, phi(q) · phi(k), "
      "and the order of the multiplications is free. That is linear attention (Katharopoulos et al. 2020).")));
  kit.show(
      std::string(tr("softmax   out = Σ exp(q · k_j) v_j / Σ exp(q · k_j)      every k_j and v_j\n"
                     "linear    out = phi(q) · (Σ phi(k_j) v_j^T) / phi(q) · (Σ phi(k_j))   two sums")));
}

void the_state(LessonKit& kit) {
  constexpr Index kDim = 64;
  constexpr std::uint64_t kPair = 2 * kDim;  // numbers of a key and a value
  std::mt19937_64 draws(16);
  LinearAttention state(kDim, kDim);
  const auto read = [&](int tokens) {
    for (int i = 0; i < tokens; ++i) {
      state.step(random_matrix(1, kDim, draws), random_matrix(1, kDim, draws), random_matrix(1, kDim, draws));
    }
    return state.bytes() / kNumber;
  };
  const std::uint64_t after_one = read(1), after_many = read(999);
  kit.say(
      tr_format("The first sum is a matrix, the second a row. A head of width {} keeps {} × {} + {} = {} numbers after "
                "its first token.",
                kDim, kDim, kDim, kDim, with_commas(after_one)));
  kit.ask({.text = std::string(tr("How many numbers does it keep after 1,000 tokens?")),
           .choices = {"4160", "128000", "4160000"},
           .expected = "4160",
           .answer = std::to_string(after_many),
           .because = std::string(tr("Each token is added to the same sums. A step takes the same time and the same "
                                     "memory, whether it is the second or the millionth."))});
  kit.ask({.text = tr_format(
               "A KV cache keeps {} numbers a token and head instead. From how many tokens on is it larger?", kPair),
           .choices = {},
           .expected = "33",
           .answer = std::to_string(after_many / kPair + 1),
           .because = tr_format("{} / {} = {:.1f}. For short texts a cache is the smaller of the two.", after_many,
                                kPair, static_cast<double>(after_many) / kPair)});
}

/// Two ways to compute the same.
void two_forms(LessonKit& kit) {
  constexpr Index kTokens = 48, kDim = 8;
  std::mt19937_64 draws(17);
  const Matrix q = random_matrix(kTokens, kDim, draws), k = random_matrix(kTokens, kDim, draws),
               v = random_matrix(kTokens, kDim, draws);
  LinearAttention state(kDim, kDim);
  Matrix one_by_one(kTokens, kDim);
  for (Index t = 0; t < kTokens; ++t) {
    one_by_one.row(t) = state.step(q.middleRows(t, 1), k.middleRows(t, 1), v.middleRows(t, 1));
  }
  const float apart = (one_by_one - cpu::linear_attention_parallel(q, k, v)).cwiseAbs().maxCoeff();
  kit.say(
      tr_format("A model must also be trained, and a prompt be read, with all tokens side by side. Linear attention "
                "can do both: N × N products at once, or one step a token. For {} tokens the two ways differ by at "
                "most {:.0e} here, the last bits of a float.",
                kTokens, apart));
  kit.expect("differences between the two forms above 0.00001", 0, apart > 1e-5F ? 1 : 0);
}

/// How far what comes back for a stored key lies from its value, on average: softmax attention and linear attention.
struct Recall {
  double softmax = 0;
  double linear = 0;
};

Recall recall(Index pairs) {
  constexpr Index kDim = 16;
  constexpr float kSharp = 64.0F;  // the query is the key it looks for, so much longer
  std::mt19937_64 draws(18);
  Matrix keys = random_matrix(pairs, kDim, draws);
  keys.rowwise().normalize();
  const Matrix values = random_matrix(pairs, kDim, draws);
  const Matrix query = keys.topRows(1) * kSharp;  // the first that was stored

  const cpu::KvRun run{keys.data(), values.data(), static_cast<std::uint32_t>(pairs)};
  Work work;
  const Matrix exact = cpu::attention_cached(query, static_cast<std::uint32_t>(pairs - 1), std::span(&run, 1),
                                             cpu::Heads{1, 1, kDim}, work);
  LinearAttention state(kDim, kDim);
  Matrix mixed;
  for (Index t = 0; t < pairs; ++t) mixed = state.step(query, keys.middleRows(t, 1), values.middleRows(t, 1));
  const auto distance = [&](const Matrix& out) { return double{(out - values.topRows(1)).cwiseAbs().mean()}; };
  return {distance(exact), distance(mixed)};
}

void the_price(LessonKit& kit) {
  std::string figure(tr("pairs stored    softmax attention is off by    linear attention is off by\n"));
  for (const Index pairs : {1, 4, 16, 64, 256}) {
    const Recall found = recall(pairs);
    figure += fmt::format("{:>12} {:>30.3f} {:>29.3f}\n", pairs, found.softmax, found.linear);
  }
  figure.pop_back();
  const Recall few = recall(4), many = recall(256);
  kit.say(std::string(
      tr("The price: what was added up cannot be taken apart. A test: store pairs of random keys and values between -1 "
         "and 1, then ask with the first key and see how far the answer is from its value.")));
  kit.ask(
      {.text = std::string(tr("Heads are 16 wide. With 256 pairs stored, which of the two still gives the first value "
                              "back, to within a twentieth?")),
       .choices = {std::string(tr("softmax attention")), std::string(tr("linear attention")), std::string(tr("both"))},
       .expected = std::string(tr("softmax attention")),
       .answer = std::string(many.softmax < 0.05 && many.linear < 0.05 ? tr("both")
                             : many.softmax < 0.05                     ? tr("softmax attention")
                                                                       : tr("linear attention")),
       .because = tr_format("It kept every pair and looks the right one up: off by {:.3f}. The sums hold all pairs at "
                            "once and answer with a mixture: off by {:.3f}, and by {:.3f} with four pairs already.",
                            many.softmax, many.linear, few.linear)});
  kit.show(figure);
}

/// Retention: the same with forgetting.
void forgetting(LessonKit& kit) {
  constexpr float kGamma = 1.0F - 1.0F / 32;  // 1 - 2^-5: the first head of the paper
  const Matrix one = Matrix::Ones(1, 1), nothing = Matrix::Zero(1, 1);
  Retention state(1, 1, kGamma);
  float share = state.step(one, one, one)(0, 0);
  int steps = 0;
  for (; share > 0.5F; ++steps) share = state.step(one, nothing, nothing)(0, 0);
  kit.say(
      tr_format("Retention (RetNet: Sun et al. 2023) adds one thing: before a token is added, the sum is multiplied "
                "with gamma < 1. What is old fades, and what is new is heard. The paper gives each head a gamma of its "
                "own, from {} on upwards.",
                kGamma));
  kit.ask({.text = tr_format("gamma = {}. After about how many tokens has the share of a token halved?", kGamma),
           .choices = {"2", "22", "200"},
           .expected = "22",
           .answer = std::to_string(steps),
           .because = tr_format("{:.5f} to the power of {} is {:.3f}. Counted by steps of the real state.", kGamma,
                                steps, share)});
}

void the_sizes(LessonKit& kit) {
  constexpr Index kDim = 128;
  constexpr std::uint64_t kRow = 2 * kDim * kNumber, kWindow = 4096;
  std::string figure(tr("    tokens      K and V    window of 4,096    linear    retention\n"));
  const std::uint64_t linear = LinearAttention(kDim, kDim).bytes(), retention = Retention(kDim, kDim, 1.0F).bytes();
  for (const std::uint64_t tokens :
       {std::uint64_t{256}, std::uint64_t{4096}, std::uint64_t{131072}, std::uint64_t{1048576}}) {
    figure += fmt::format("{:>10} {:>12} {:>18} {:>9} {:>12}\n", with_commas(tokens), binary_size(tokens * kRow),
                          binary_size(std::min(tokens, kWindow) * kRow), binary_size(linear), binary_size(retention));
  }
  figure += tr_format("(one head of {} in one layer, FP32)", kDim);
  kit.show(figure);
  kit.say(tr_format(
      "For one head of width {} a text of 131,072 tokens leaves {} of K and V, and a state of {}. Between the two lie "
      "a sliding window, which forgets all at once what it no longer sees; attention sinks, which keep the first "
      "tokens too; latent attention, which keeps less of each token; and layers that share a cache.",
      kDim, binary_size(131072 * kRow), binary_size(linear)));
}

}  // namespace

void without_a_cache(LessonKit& kit) {
  kit.title(std::string(tr("16 Without a cache")));
  the_growth(kit);
  the_state(kit);
  two_forms(kit);
  the_price(kit);
  forgetting(kit);
  the_sizes(kit);
  kit.say(
      std::string(tr("To remember: a cache that grows buys exact memory; a state of fixed size buys speed and forgets. "
                     "Models that mix a few softmax layers with many linear ones buy some of both, and the softmax "
                     "layers still have a KV cache.")));
}

}  // namespace kvarium
