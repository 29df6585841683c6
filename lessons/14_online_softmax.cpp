// Lesson 14: attention without the matrix of scores. Standard attention, FlashAttention 1 and 2 with every byte
// counted, and why the blocks of a cache can be read one after the other. Runs on scenario S02; the chapter is
// docs/lessons/14_online_softmax.md.

#include <array>
#include <cmath>
#include <random>

#include "core/cost/claims.h"
#include "core/cost/flash_io.h"
#include "core/cost/units.h"
#include "core/words/words.h"
#include "cpu_reference/attention/flash.h"
#include "cpu_reference/operators/online_softmax.h"
#include "lessons/kit/figures.h"
#include "lessons/kit/lesson_kit.h"
#include "lessons/kit/points.h"
#include "lessons/kit/scenario_run.h"
#include "lessons/lessons.h"

namespace kvarium {
namespace {

using cpu::Index;
using cpu::Matrix;
using cpu::OnlineSoftmax;

constexpr RequestId kA{0};
constexpr std::uint64_t kNumber = sizeof(float);  // bytes

/// One query with its state, whose result is one number.
struct OneNumber {
  OnlineSoftmax state{OnlineSoftmax::kMasked, 0.0F, {}};
  std::array<float, 1> out{};

  void add(float score, float value) {
    state.out = out;
    state.add({&score, 1}, &value, 1);
  }
  float result() {
    std::array<float, 1> finished{};
    state.out = out;
    state.finish(finished);
    return finished[0];
  }
};

/// The same invented queries, keys and values each time.
struct Inputs {
  Inputs(Index tokens, Index dim) {
    std::mt19937_64 draws(14);
    const auto some = [&] {
      return Matrix::NullaryExpr(tokens, dim, [&] { return static_cast<float>(draws() >> 40) * 0x1p-23F - 1.0F; })
          .eval();
    };
    q = some();
    k = some();
    v = some();
  }
  Matrix q, k, v;
};

std::uint64_t standard_bytes(Index tokens, Index dim) {
  const Inputs in(tokens, dim);
  return cpu::standard_attention(in.q, in.k, in.v, false).traffic.total();
}
std::uint64_t flash1_bytes(Index tokens, Index dim, const cpu::TileRows& tile) {
  const Inputs in(tokens, dim);
  return cpu::flash_attention_1(in.q, in.k, in.v, tile, false).traffic.total();
}
std::uint64_t flash2_bytes(Index tokens, Index dim, const cpu::TileRows& tile) {
  const Inputs in(tokens, dim);
  return cpu::flash_attention_2(in.q, in.k, in.v, tile, false).traffic.total();
}

/// Tiles for a chip with room for so many numbers.
cpu::TileRows tiles_for(std::uint64_t on_chip, std::uint64_t dim) {
  const FlashTiles tiles = flash_tiles(on_chip, dim);
  return {static_cast<Index>(tiles.query_rows), static_cast<Index>(tiles.key_rows)};
}

/// Version 2 keeps the larger tile of Q, which takes the same room.
cpu::TileRows swapped(const cpu::TileRows& tile) { return {tile.keys, tile.queries}; }

void the_matrix(LessonKit& kit) {
  constexpr Index kTokens = 64, kDim = 8;
  const std::uint64_t numbers = standard_bytes(kTokens, kDim) / kNumber;
  kit.say(std::string(
      tr("Attention gives each token a mixture of values: score every key, turn the scores into shares with softmax, "
         "add up the values in these shares (lesson 01). Softmax divides by the sum over all scores, so it seems that "
         "all must be there before the first value can be used: N × N of them for N tokens, for each head.")));
  const Claim scores = find_claim("F17");
  kit.say(
      tr_format("On a GPU they would go to its large memory and come back. For 4,096 tokens in FP16 that is {}. A "
                "popular guide writes {}. {}",
                scores.right, scores.popular, scores.why));
  kit.show(
      std::string(tr("1. read Q, K          S = Q K^T / √d       write S     N × N\n"
                     "2. read S             P = softmax(S)      write P     N × N\n"
                     "3. read P, V          O = P V             write O")));
  kit.ask({.text = tr_format("N = {} tokens, one head of width {}. Q, K, V and O have {} numbers each, S and P {} "
                             "each. How many numbers are read and written in the three steps?",
                             kTokens, kDim, kTokens * kDim, kTokens * kTokens),
           .choices = {"9216", "18432", "36864"},
           .expected = "18432",
           .answer = std::to_string(numbers),
           .because = tr_format("S and P are each written once and read once, 4 × {}, and Q, K, V, O each moved once. "
                                "They are counted by the code that moves them.",
                                kTokens * kTokens)});
}

std::string state_line(const char* what, OneNumber& number) {
  return fmt::format("{:<22} max {:6.4f}   sum {:6.4f}   out {:7.4f}   out / sum {:6.4f}\n", what, number.state.max,
                     number.state.sum, number.out[0], number.result());
}

void the_trick(LessonKit& kit) {
  const float ln3 = std::log(3.0F), ln4 = std::log(4.0F);
  kit.say(std::string(
      tr("The trick is older than the GPU programs that use it (Milakov and Gimelshein 2018). Keep three things for a "
         "query: the highest score so far, the sum of exp(score - highest), and the values added up with the same "
         "weights. The result is the last divided by the second. When a higher score comes, multiply both with exp(old "
         "highest - new highest), as if the new one had been known from the start.")));
  OneNumber number;
  number.add(0, 1);
  std::string figure = state_line("score 0, value 1", number);
  number.add(ln3, 2);
  figure += state_line("score ln 3, value 2", number);
  const float before = number.state.max;
  number.add(ln4, 5);
  kit.show(figure);
  kit.ask({.text = std::string(tr("After scores 0 and ln 3 the highest is ln 3. Now a score of ln 4 comes. With what "
                                  "must the sum and the out of before be multiplied?")),
           .choices = {"0.25", "0.75", "1.33"},
           .expected = "0.75",
           .answer = fmt::format("{:.2f}", std::exp(before - number.state.max)),
           .because = std::string(tr("exp(ln 3 - ln 4) = 3 / 4. It is never above 1, so nothing can overflow."))});
  kit.show(state_line("score ln 4, value 5", number));
  kit.say(
      tr_format("The result is {}: (1 × 1 + 3 × 2 + 4 × 5) / 8, as softmax over all three at once gives it. No list of "
                "scores was kept. This is the online softmax.",
                number.result()));
  kit.expect("a thousand times the result of three scores", 3375,
             static_cast<std::uint64_t>(std::lround(number.result() * 1000.0F)));
}

void merging(LessonKit& kit) {
  const float ln3 = std::log(3.0F), ln4 = std::log(4.0F);
  OneNumber a, b, c, d;
  for (OneNumber* first : {&a, &c}) {
    first->add(0, 1);
    first->add(ln3, 2);
  }
  for (OneNumber* second : {&b, &d}) second->add(ln4, 5);
  const float result_a = a.result(), result_b = b.result();
  a.state.merge(b.state);
  d.state.merge(c.state);
  const bool same = std::abs(a.result() - d.result()) < 1e-5F;
  kit.say(
      tr_format("Two such states, computed apart, become one in the same way: bring both to the higher maximum, then "
                "add. Scores 0 and ln 3 give {:.2f}, score ln 4 alone gives {:.2f}; merged they give {:.3f}.",
                result_a, result_b, a.result()));
  kit.ask(
      {.text = std::string(tr("Does it matter which of the two is merged into the other?")),
       .choices = {std::string(tr("yes")), std::string(tr("no"))},
       .expected = std::string(tr("no")),
       .answer = std::string(same ? tr("no") : tr("yes")),
       .because = std::string(tr("Any order and any grouping gives the same, but for the last bits. So parts can be "
                                 "computed by different processors: Flash-Decoding does that with a long cache."))});
}

/// The engine reads its blocks one by one.
void blocks_are_parts(LessonKit& kit) {
  const Scenario& scenario = find_scenario("S02");
  ScenarioRun run(scenario, scenario.defaults);
  run.to_step(2, kit);
  const RequestState& a = kit.world().request(kA);
  std::vector<std::string> points;
  for (std::size_t i = 0; i < a.table.size(); ++i) points.push_back(point(kA, i));
  kit.show(table_figure(kit.world(), a));
  kit.ask({.text = tr_format(
               "Here is a request of {} tokens whose K and V lie in blocks, anywhere in the pool (lesson 04). Its "
               "newest token reads block after block. If each block is one part, how many states does it merge?",
               a.read_count),
           .choices = {},
           .expected = "3",
           .answer = std::to_string(a.table.size()),
           .because = std::string(tr(
               "One a block. Nothing had to be copied together first: that is what makes paged attention possible."))},
          points);
  run.to_end(kit);
}

std::string traffic_figure(const std::vector<Index>& lengths, Index dim, std::uint64_t on_chip) {
  const cpu::TileRows tile = tiles_for(on_chip, static_cast<std::uint64_t>(dim));
  std::string figure(tr("   N     standard    FlashAttention 1    FlashAttention 2\n"));
  for (const Index n : lengths) {
    figure += fmt::format("{:>4} {:>12} {:>19} {:>19}\n", n, binary_size(standard_bytes(n, dim)),
                          binary_size(flash1_bytes(n, dim, tile)), binary_size(flash2_bytes(n, dim, swapped(tile))));
  }
  return figure + tr_format(
                      "(d = {}, room on the chip for {} numbers: tiles of {} queries and {} keys,\n"
                      "in version 2 the other way round)",
                      dim, with_commas(on_chip), tile.queries, tile.keys);
}

void flash(LessonKit& kit) {
  constexpr Index kDim = 16;
  constexpr std::uint64_t kOnChip = 2048;
  kit.say(
      std::string(tr("FlashAttention (Dao et al. 2022) is this and a plan. A chip's own memory is fast and small. Load "
                     "a tile of K and V; for each tile of Q load its queries and their state, score, update, store. "
                     "The scores live and die on the chip. Version 2 (Dao 2023) swaps the loops: a tile of Q stays "
                     "while all of K and V pass by, so its state is stored once, and divided once.")));
  kit.show(traffic_figure({64, 128, 256}, kDim, kOnChip));
  const cpu::TileRows tile = tiles_for(kOnChip, kDim);
  const auto bytes = [&](Index n) { return static_cast<double>(flash1_bytes(n, kDim, tile)); };
  kit.say(
      tr_format("All three compute the same numbers; the bytes were counted while they did. At N = 256 standard "
                "attention moves {}, version 1 {} and version 2 {}.",
                binary_size(standard_bytes(256, kDim)), binary_size(flash1_bytes(256, kDim, tile)),
                binary_size(flash2_bytes(256, kDim, swapped(tile)))));
  const Inputs in(256, kDim);
  const std::uint64_t tiles = cpu::flash_attention_1(in.q, in.k, in.v, tile, false).tiles;
  const std::uint64_t products = tiles * static_cast<std::uint64_t>(tile.queries * tile.keys);
  kit.ask({.text = std::string(
               tr("Does FlashAttention compute fewer products of queries and keys than standard attention?")),
           .choices = {std::string(tr("yes")), std::string(tr("no"))},
           .expected = std::string(tr("no")),
           .answer = std::string(products == 256 * 256 ? tr("no") : tr("yes")),
           .because = tr_format("Every query still meets every key: {} products for 256 tokens, and twice the tokens "
                                "move {:.1f} times the bytes. What it saves is the way to the large memory and back.",
                                products, bytes(256) / bytes(128))});
}

void the_formula(LessonKit& kit) {
  constexpr std::uint64_t kOnChip = 1024;
  const auto bytes = [](Index dim) {
    return static_cast<double>(flash1_bytes(256, dim, tiles_for(kOnChip, static_cast<std::uint64_t>(dim))));
  };
  const double ratio = bytes(32) / bytes(16);
  kit.ask(
      {.text = std::string(tr("Same chip, same tokens, but heads twice as wide: d = 32 instead of 16. About how many "
                              "times as many bytes does version 1 move?")),
       .choices = {"1", "2", "4"},
       .expected = "4",
       .answer = std::to_string(std::lround(ratio)),
       .because = tr_format(
           "Counted: {:.1f}. Rows are twice as long, and only half as many fit the chip, so Q comes twice as often.",
           ratio)});
  const Claim io = find_claim("F16");
  kit.say(
      tr_format("A popular guide writes {}, by which d twice as large would cost twice. Right is {}. {} The guide "
                "promises 5 to 20 times less for 4,096 tokens and d = 128.",
                io.popular, io.right, io.why));
  const Claim intensity = find_claim("F15");
  kit.say(
      tr_format("One more row of that guide: the work for each byte of standard attention. It says {}; right is {}. {}",
                intensity.popular, intensity.right, intensity.why));
}

void the_listings(LessonKit& kit) {
  constexpr Index kTokens = 64, kRows = 16;
  const Inputs in(kTokens, 4);
  const std::uint64_t tiles = cpu::flash_attention_2(in.q, in.k, in.v, {kRows, kRows}, true).tiles;
  std::uint64_t popular = 0;
  for (Index query = 0; query < kTokens; query += kRows) {
    for (Index key = 0; key < kTokens; key += kRows) popular += key > query + kRows ? 0U : 1U;
  }
  kit.say(tr_format(
      "When no token looks ahead, tiles that lie wholly in the future are skipped. With {} tokens in tiles of {} that "
      "leaves {} of 16. The guide's listing skips for key start > query end, and the end is not part of the tile: it "
      "multiplies {}, and {} of them are masked whole. The result is right, the work is wasted.",
      kTokens, kRows, tiles, popular, popular - tiles));
  kit.expect("tiles of 64 tokens in tiles of 16, no token looking ahead", 10, tiles);

  OneNumber right;
  right.add(0, 1);
  right.add(std::log(4.0F), 5);
  kit.say(
      tr_format("Its listing of version 2 is worse: it adds the new tile without bringing the old sum to the new "
                "maximum. Scores 0 and ln 4 with values 1 and 5 would give {:.0f}; right is {:.1f}.",
                (1.0 + 5.0) / 2.0, right.result()));
}

}  // namespace

void online_softmax(LessonKit& kit) {
  kit.title(std::string(tr("14 Online softmax")));
  the_matrix(kit);
  the_trick(kit);
  merging(kit);
  blocks_are_parts(kit);
  flash(kit);
  the_formula(kit);
  the_listings(kit);
  kit.say(
      std::string(tr("To remember: a maximum, a sum and a weighted sum are enough to add scores one by one, and two "
                     "such states merge. FlashAttention saves memory traffic, not products; paged attention reads "
                     "blocks in any place; Flash-Decoding splits a long cache. They are one idea.")));
}

}  // namespace kvarium
