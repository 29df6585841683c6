#include "cpu_reference/attention/cache_reads.h"

namespace kvarium::cpu {

void expect_covered(std::span<const KvRun> runs, std::uint32_t first_position, Index tokens, std::string_view where) {
  std::uint64_t cached = 0;
  for (const KvRun& run : runs) cached += run.tokens;
  if (cached < std::uint64_t{first_position} + static_cast<std::uint64_t>(tokens)) {
    throw MisuseError(
        fmt::format("{}: {} cached rows for {} tokens from position {}", where, cached, tokens, first_position));
  }
}

void count_reads(std::uint64_t rows, const Heads& heads, Work& work) {
  work.score_products += rows * heads.query_heads;
  work.flops += 4 * rows * heads.query_heads * heads.head_dim;
  work.bytes_read += 2 * rows * heads.kv_heads * heads.head_dim * sizeof(float);
}

}  // namespace kvarium::cpu
