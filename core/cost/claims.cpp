#include "core/cost/claims.h"

#include <utility>

#include "core/blocks/block_table.h"
#include "core/cost/attention_io.h"
#include "core/cost/flash_io.h"
#include "core/cost/hardware.h"
#include "core/cost/kv_bytes.h"
#include "core/cost/model_shapes.h"
#include "core/cost/units.h"
#include "core/cost/waste.h"
#include "core/error.h"
#include "core/speculation/theory.h"
#include "core/words/words.h"

namespace kvarium {
namespace {

constexpr std::uint64_t k4Ki = 4096;
constexpr std::uint64_t k128Ki = std::uint64_t{128} * 1024;
constexpr double kTwoGB = 2 * kGB;
constexpr double kFiveHundredGB = 500 * kGB;

std::string words(std::string_view english) { return std::string(tr(english)); }

/// "2.00 GiB = 2.15 GB"
std::string both_units(std::uint64_t bytes) { return binary_size(bytes) + " = " + decimal_size(bytes); }

std::string times(double ratio) { return fmt::format("{:.1f}", ratio); }

double ratio_to_multi_head(const ModelShape& shape) {
  return static_cast<double>(kv_elements_per_token(as_multi_head(shape))) /
         static_cast<double>(kv_elements_per_token(shape));
}

Claim f01() {
  return {"F01", words("LLaMA-2-7B (32 layers, 32 KV heads of 128), 4,096 tokens, FP16"), words("about 2.1 GB"),
          size_in_words(kv_bytes(find_model_shape("llama-2-7b"), k4Ki, ElementType::fp16)),
          words("It holds. Say which unit: a GiB is 2^30 bytes, a GB is 10^9.")};
}

Claim f02() {
  return {"F02", words("LLaMA-2-7B, 128K tokens, FP16"), words("about 64 GB"),
          both_units(kv_bytes(find_model_shape("llama-2-7b"), k128Ki, ElementType::fp16)),
          tr_format("It holds in GiB, with 128K = {} tokens.", with_commas(k128Ki))};
}

Claim f03() {
  const ModelShape& shape = find_model_shape("llama-2-70b");
  const auto size = [&shape](ElementType type) { return binary_size(kv_bytes(shape, k4Ki, type)); };
  return {"F03", words("LLaMA-2-70B (64 query heads in 8 groups), 4,096 tokens"),
          words("about 8 GB in FP16, 4 GB in FP8, 2 GB in INT4"),
          tr_format("{} in FP16, {} in FP8, {} in INT4", size(ElementType::fp16), size(ElementType::fp8),
                    size(ElementType::int4)),
          tr_format("8 GB is near what 64 KV heads would need, {}: the groups were left out.",
                    binary_size(kv_bytes(as_multi_head(shape), k4Ki, ElementType::fp16)))};
}

Claim f04() {
  const ModelShape& shape = find_model_shape("llama-2-70b");
  return {"F04", words("LLaMA-2-70B, 128K tokens, FP16"), words("about 19 GB"),
          both_units(kv_bytes(shape, k128Ki, ElementType::fp16)),
          tr_format("19 GB is less than half of it; even in FP8 it is {}.",
                    both_units(kv_bytes(shape, k128Ki, ElementType::fp8)))};
}

Claim f05() {
  const auto one = static_cast<double>(kv_bytes(find_model_shape("llama-2-70b"), k128Ki, ElementType::fp16));
  return {"F05", words("how many requests of F04 fit 500 GB at the same time"), words("about 26"),
          std::to_string(static_cast<std::uint64_t>(kFiveHundredGB / one)),
          words("26 is 500 / 19: it follows from the figure of F04.")};
}

Claim f06() {
  return {"F06", words("grouped-query attention with 64 query heads in 8 groups"), words("about 4 times smaller"),
          tr_format("{} times smaller", times(ratio_to_multi_head(find_model_shape("llama-2-70b")))),
          words("The cache shrinks by query heads / KV heads = 64 / 8.")};
}

Claim f07() {
  return {"F07", words("reading 2 GB, once for each token, from HBM at 3350 GB/s"),
          words("\"2000 GB / 3350 GB/s\" = 0.6 ms"),
          tr_format("2 GB / 3350 GB/s = {}", duration(transfer_time(kTwoGB, kH100Hbm))),
          words("The result is right; the number that was divided is written 1000 times too large.")};
}

Claim f08() {
  const double seconds = transfer_time(kTwoGB, kNetworkStore);
  return {"F08", words("reading 2 GB from a network store at 1.2 GB/s"), words("1666 s, \"27 minutes\""),
          duration(seconds),
          tr_format("Wrong by a factor of 1000; it is still {:.0f} times slower than HBM.",
                    seconds / transfer_time(kTwoGB, kH100Hbm))};
}

Claim f09() {
  return {"F09", words("tokens that one pass gives with 5 drafts, when 8 of 10 pass"), words("3.93"),
          tr_format("(1 - 0.8^6) / (1 - 0.8) = {:.2f}", expected_tokens(.8, 5)),
          tr_format("It is a slip in the arithmetic. The token behind the accepted drafts is counted in it; accepted "
                    "drafts alone are {:.2f}.",
                    expected_accepted(.8, 5))};
}

Claim f10() {
  return {"F10", words("how much faster that makes an answer, when a guess costs 0.1 of a pass"), words("2.6 times"),
          tr_format("{:.2f} / (1 + 5 * 0.1) = {:.2f} times", expected_tokens(.8, 5), expected_speedup(.8, 5, .1)),
          words("It follows from the figure of F09.")};
}

Claim f15() {
  constexpr std::uint32_t kHeadDim = 128;
  const auto intensity = [](bool with_inputs) {
    return standard_attention(k4Ki, kHeadDim, ElementType::fp16, with_inputs).intensity();
  };
  return {"F15", words("arithmetic intensity of standard attention, 4,096 tokens, head dim 128, FP16"),
          words("d / 4 = 32 FLOP/B"),
          tr_format("d / 2 = {:.1f} FLOP/B; {:.1f} with Q, K, V and the output", intensity(false), intensity(true)),
          words("Numbers were counted as bytes, then halved twice.")};
}

Claim f16() {
  // In elements, for a chip that holds 192 KiB of FP16.
  constexpr std::uint64_t kOnChip = std::uint64_t{192} * 1024 / 2;
  const auto standard = [](std::uint64_t dim) { return static_cast<double>(standard_attention_io(k4Ki, dim).total()); };
  const auto flash = [](std::uint64_t dim) {
    return static_cast<double>(flash1_io(k4Ki, dim, flash_tiles(kOnChip, dim)).total());
  };
  return {"F16", words("what FlashAttention reads and writes, chip memory M"), words("O(N^2 d / M)"),
          tr_format("Theta(N^2 d^2 / M): {} times as much for d = 128 as for d = 64", times(flash(128) / flash(64))),
          tr_format("Dao et al. 2022, theorem 2. At N = {}, d = 128 and 192 KiB that is {} times less than standard "
                    "attention, at d = 64 {} times.",
                    with_commas(k4Ki), times(standard(128) / flash(128)), times(standard(64) / flash(64)))};
}

Claim f17() {
  const ModelShape& shape = find_model_shape("llama-2-7b");
  const std::uint64_t head = score_matrix_bytes(k4Ki, ElementType::fp16);
  return {"F17", words("the scores of 4,096 x 4,096 tokens in FP16"), words("32 MB"),
          tr_format("{} a head, {} a layer of {} heads", binary_size(head), binary_size(head * shape.query_heads),
                    shape.query_heads),
          words("It is one head's, in MiB; each head of a layer has its own.")};
}

/// The blocks of the popular example, taken from a pool that hands them out in that order.
std::string table_of_17_tokens(std::uint32_t block_size) {
  std::vector<BlockId> order = ascending_order(16);
  std::swap(order[0], order[7]);
  std::swap(order[1], order[3]);
  std::swap(order[2], order[12]);
  NullSink nobody;
  BlockPool pool(block_size, std::move(order), nobody);
  BlockTable table(pool, RequestId{0});
  if (!table.append(17)) throw MisuseError("the pool is too small for the example");
  return table.show();
}

/// A sequence of 10 tokens that is extended by 6 and keeps only as many as are said: the blocks that return.
std::size_t blocks_returned(std::uint32_t kept) {
  NullSink nobody;
  BlockPool pool(4, ascending_order(5), nobody);
  BlockTable table(pool, RequestId{0});
  if (!table.append(10) || !table.append(6)) throw MisuseError("the pool is too small for the example");
  const std::size_t before = pool.num_free();
  table.rollback_to(kept);
  return pool.num_free() - before;
}

Claim f20() {
  return {"F20", words("taking rejected drafts back"), words("only the length moves, nothing is freed"),
          tr_format("with 10 tokens in blocks of 4, 6 more, and 11 kept: {} block returns; with 13 kept: {}",
                    blocks_returned(11), blocks_returned(13)),
          words("It holds inside the last block. A block that was taken only for rejected drafts goes back to the "
                "pool.")};
}

Claim f21() {
  constexpr std::uint32_t kBlockSize = 8;
  return {"F21", words("17 tokens, block size 8"), words("blocks 7, 3, 12; 7 free slots in the last one"),
          tr_format("{}; {} free slots in the last block", table_of_17_tokens(kBlockSize),
                    paged_waste({17}, kBlockSize).unused()),
          words("It holds: ceil(17 / 8) = 3 blocks, anywhere in the pool.")};
}

Claim f22() {
  const ModelShape& v2 = find_model_shape("deepseek-v2");
  const ModelShape& v3 = find_model_shape("deepseek-v3");
  return {"F22", words("multi-head latent attention (MLA) of DeepSeek-V2 and V3, BF16"), words("several times smaller"),
          tr_format("{} B a token (V2), {} B (V3): {} times smaller",
                    with_commas(kv_bytes_per_token(v2, ElementType::bf16)),
                    with_commas(kv_bytes_per_token(v3, ElementType::bf16)), times(ratio_to_multi_head(v2))),
          tr_format("With multi-head attention and the same heads, V2 would need {} a token.",
                    decimal_size(kv_bytes_per_token(as_multi_head(v2), ElementType::bf16)))};
}

Claim f23() {
  const auto slower = [](const Link& link) { return kH100Hbm.bytes_per_second / link.bytes_per_second; };
  return {"F23", words("how much slower than HBM (3350 GB/s) are PCIe and a network store of 1.2 GB/s"),
          words("26 times, 2800 times"),
          tr_format("{} times, {:.0f} times", times(slower(kPcie5BothWays)), slower(kNetworkStore)),
          tr_format("It holds for 128 GB/s, PCIe 5.0 x16 both ways together; one way it is 64 GB/s and {} times.",
                    times(slower(kPcie5OneWay)))};
}

}  // namespace

std::vector<Claim> claims() {
  return {f01(), f02(), f03(), f04(), f05(), f06(), f07(), f08(), f09(),
          f10(), f15(), f16(), f17(), f20(), f21(), f22(), f23()};
}

Claim find_claim(std::string_view id) {
  std::string known;
  for (Claim& claim : claims()) {
    if (claim.id == id) return std::move(claim);
    known += (known.empty() ? "" : ", ") + claim.id;
  }
  throw InputError(tr_format("there is no claim '{}': the rows are {}", id, known));
}

}  // namespace kvarium
