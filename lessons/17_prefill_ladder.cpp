#include "lessons/17_prefill_ladder.h"

#include <cmath>

#include "core/cost/units.h"
#include "core/words/words.h"
#include "cuda/demos/attention_prefill_demo.h"
#include "cuda/simt/fragment.h"
#include "lessons/kit/measured_kernel.h"

namespace kvarium {
namespace {

using cuda::demos::PrefillStep;

// 16 new tokens after 112: 8 query heads make 128 rows, as many as a block of rung mma takes.
constexpr cuda::demos::PrefillSize kSize{112, 16, 8};
constexpr unsigned kKeys = kSize.past + kSize.added, kHeadDim = 16;
constexpr std::uint64_t kRowBytes = kHeadDim * 2;  // of a key in f16

const std::vector<std::string> kCache{"keys", "values"};

MeasuredKernel measured(PrefillStep step) { return MeasuredKernel(*cuda::demos::prefill_instance(step, kSize)); }

struct Ladder {
  MeasuredKernel naive = measured(PrefillStep::naive), tiled = measured(PrefillStep::tiled),
                 mma = measured(PrefillStep::mma);
};

std::size_t cache_bytes(const MeasuredKernel& rung) { return rung.reads(kCache).bytes; }

void the_naive_rung(LessonKit& kit, const Ladder& ladder) {
  kit.say(
      tr_format("Attention of a prompt is two such products, with a softmax between them: scores = Q K transposed, "
                "out = weights V. Here are {} new tokens behind {} in the cache. {} query heads share K and V, so "
                "there are {} rows of queries, and a row sees up to {} keys.",
                kSize.added, kSize.past, kSize.query_heads, kSize.rows(), kKeys));
  kit.say(std::string(tr("The naive kernel gives each row a warp. A softmax needs the largest score before the first "
                         "weight. The kernel has no room to keep the scores, so it goes along the keys once for the "
                         "largest, and then again for the weights.")),
          points_to_rung("attention_prefill", "naive"));
  const std::size_t keys = ladder.naive.reads({"keys"}).bytes, values = ladder.naive.reads({"values"}).bytes;
  kit.ask({.text = std::string(tr("How often is a key read, for each time that its value is read?")),
           .choices = {"1", "2", "3"},
           .expected = "2",
           .answer = std::to_string(keys / values),
           .because = tr_format("Keys twice, values once, and all of that for every row: {}. The cache of these {} "
                                "tokens has {}.",
                                binary_size(cache_bytes(ladder.naive)), kKeys, binary_size(2 * kKeys * kRowBytes))});
}

void the_tiled_rung(LessonKit& kit, const Ladder& ladder) {
  kit.say(std::string(tr("The tiled kernel lets 32 rows share what comes: 16 keys and their values are loaded into "
                         "shared memory, all rows use them, then come the next 16. Nobody knows the largest score of "
                         "the tiles that are still to come. The online softmax (lesson 14) does not need to: when a "
                         "larger score is found, the sum and the result so far are made smaller. One pass is enough.")),
          points_to_rung("attention_prefill", "tiled"));
  const double fewer = static_cast<double>(cache_bytes(ladder.naive)) / static_cast<double>(cache_bytes(ladder.tiled));
  kit.ask({.text = std::string(tr("How many times fewer bytes of K and V come from the large memory, about?")),
           .choices = {"16", "32", "47"},
           .expected = "47",
           .answer = std::to_string(std::lround(fewer)),
           .because = tr_format("What 32 rows share comes once instead of 32 times, and two reads are left of three: "
                                "that would be 48. It is {:.1f}, since tiles come up to what the last of the 32 rows "
                                "sees.",
                                fewer)});
}

/// Elements of two tiles C [16][8], side by side, that another lane needs when they become a tile A [16][16].
std::size_t moved_between_lanes() {
  std::size_t moved = 0;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 8; ++i) {
      const int row = cuda::c_row(lane, i % 4), column = cuda::c_column(lane, i % 4) + (i < 4 ? 0 : 8);
      bool has_it = false;
      for (int j = 0; j < 8; ++j) has_it = has_it || (cuda::a_row(lane, j) == row && cuda::a_column(lane, j) == column);
      moved += has_it ? 0 : 1;
    }
  }
  return moved;
}

void the_matrix_rung(LessonKit& kit, const Ladder& ladder) {
  kit.say(std::string(
              tr("The third kernel is FlashAttention-2 (Dao 2023): both products by matrix instructions, 128 "
                 "rows a block, here tiles of 64 keys. While a tile is multiplied the next one is copied. Scores are "
                 "the sums of the first product, fragments C; as weights they enter the second one, as "
                 "fragments A.")),
          points_to_rung("attention_prefill", "mma"));
  kit.ask(
      {.text = std::string(tr("A warp has two tiles of 16 × 8 weights, 256 numbers, side by side. How many of them "
                              "must go to another lane to become a tile of 16 × 16 for the second product?")),
       .choices = {"0", "128", "256"},
       .expected = "0",
       .answer = std::to_string(moved_between_lanes()),
       .because = std::string(tr("Each lane holds the numbers of A that it needs: it rounds its own sums to 16 bits "
                                 "and goes on. So scores and weights never leave the registers."))});
  kit.ask({.text = std::string(tr("How often does each byte of K and V come from the large memory now?")),
           .choices = {"1", "4", "128"},
           .expected = "1",
           .answer = std::to_string(cache_bytes(ladder.mma) / (2 * kKeys * kRowBytes)),
           .because = tr_format("All {} rows are in one block: {} come, and that is the whole cache of these tokens. A "
                                "longer prompt has more rows, and each 128 of them read it once.",
                                kSize.rows(), binary_size(cache_bytes(ladder.mma)))});
}

}  // namespace

void climb_the_prefill_ladder(LessonKit& kit) {
  const Ladder ladder;
  the_naive_rung(kit, ladder);
  the_tiled_rung(kit, ladder);
  the_matrix_rung(kit, ladder);
  kit.show(ladder_heads("K and V") + ladder_row("naive", ladder.naive, ladder.naive, kCache) +
           ladder_row("tiled", ladder.tiled, ladder.naive, kCache) +
           ladder_row("mma", ladder.mma, ladder.naive, kCache));
  std::size_t right = 0;
  for (const MeasuredKernel* rung : {&ladder.naive, &ladder.tiled, &ladder.mma})
    right += farthest_off(rung->result) <= rung->result.tolerance ? 1 : 0;
  kit.expect("rungs of attention_prefill whose results are those of the equation, within rounding", 3, right);
  kit.say(
      std::string(tr("The same ladder again: a warp a row, then rows that share what comes, then fragments. All "
                     "three kernels give what the equation gives, within what rounding allows, and none of them "
                     "ever writes a table of scores to the large memory.")));
}

}  // namespace kvarium
