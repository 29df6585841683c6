#include "cpu_reference/attention/split_kv.h"

#include <algorithm>
#include <cmath>

#include "cpu_reference/operators/online_softmax.h"

namespace kvarium::cpu {
namespace {

using RowIn = Eigen::Map<const Vector>;

std::span<float> head_of(Matrix& rows, Index t, std::uint32_t head, const Heads& heads) {
  return {rows.row(t).data() + Index{head} * heads.head_dim, heads.head_dim};
}

/// One query head of one token over positions [begin, end).
void attend(const float* query, std::span<const KvRun> runs, std::uint32_t begin, std::uint32_t end,
            std::uint32_t kv_head, const Heads& heads, OnlineSoftmax& state) {
  const Index dim = heads.head_dim, width = Index{heads.kv_heads} * dim;
  const float scale = 1.0F / std::sqrt(static_cast<float>(dim));
  std::vector<float> scores;
  std::uint64_t first = 0;  // position of the run
  for (const KvRun& run : runs) {
    const std::uint64_t from = std::max<std::uint64_t>(first, begin),
                        to = std::min<std::uint64_t>(first + run.tokens, end);
    if (from < to) {
      const Index skipped = static_cast<Index>(from - first) * width + Index{kv_head} * dim;
      scores.resize(to - from);
      for (std::size_t j = 0; j < scores.size(); ++j) {
        scores[j] = RowIn(query, dim).dot(RowIn(run.keys + skipped + static_cast<Index>(j) * width, dim)) * scale;
      }
      state.add(scores, run.values + skipped, static_cast<std::size_t>(width));
    }
    first += run.tokens;
  }
}

void expect_same_shape(const AttentionPart& part, Index tokens, const Heads& heads) {
  expect_shape(part.out, tokens, Index{heads.query_heads} * heads.head_dim, "merge: out");
  expect_shape(part.lse, tokens, Index{heads.query_heads}, "merge: lse");
}

}  // namespace

AttentionPart attention_part(const MatrixIn& queries, std::uint32_t first_position, std::span<const KvRun> runs,
                             std::uint32_t begin, std::uint32_t end, const Heads& heads, ThreadPool& threads,
                             Work& work) {
  expect_valid(heads);
  const Index tokens = queries.rows();
  expect_shape(queries, tokens, Index{heads.query_heads} * heads.head_dim, "attention_part: queries");
  std::uint64_t cached = 0;
  for (const KvRun& run : runs) cached += run.tokens;
  const std::uint64_t needed = std::uint64_t{first_position} + static_cast<std::uint64_t>(tokens);
  if (cached < needed) {
    throw MisuseError(
        fmt::format("attention_part: {} cached rows for {} tokens from position {}", cached, tokens, first_position));
  }

  AttentionPart part{Matrix(tokens, queries.cols()), Matrix(tokens, heads.query_heads)};
  threads.for_each(static_cast<std::uint32_t>(tokens) * heads.query_heads, [&](std::uint32_t task) {
    const auto t = Index{task / heads.query_heads};
    const std::uint32_t head = task % heads.query_heads;
    const auto visible =
        static_cast<std::uint32_t>(std::min(needed, first_position + static_cast<std::uint64_t>(t) + 1));
    OnlineSoftmax state{OnlineSoftmax::kMasked, 0.0F, head_of(part.out, t, head, heads)};
    state.reset();
    attend(queries.row(t).data() + Index{head} * heads.head_dim, runs, begin, std::min(end, visible),
           heads.kv_head_of(head), heads, state);
    part.lse(t, head) = state.lse();
    state.finish(state.out);
  });
  for (Index t = 0; t < tokens; ++t) {
    const std::uint64_t visible = std::min<std::uint64_t>(end, first_position + static_cast<std::uint64_t>(t) + 1);
    const std::uint64_t rows = visible > begin ? visible - begin : 0;
    work.score_products += rows * heads.query_heads;
    work.flops += 4 * rows * static_cast<std::uint64_t>(queries.cols());
    work.bytes_read += 2 * rows * heads.kv_heads * heads.head_dim * sizeof(float);
  }
  return part;
}

AttentionPart merge(std::span<const AttentionPart> parts, const Heads& heads) {
  if (parts.empty()) throw MisuseError("merge: no parts of attention");
  AttentionPart merged = parts[0];
  const Index tokens = merged.out.rows();
  for (const AttentionPart& part : parts) expect_same_shape(part, tokens, heads);
  for (Index t = 0; t < tokens; ++t) {
    for (std::uint32_t head = 0; head < heads.query_heads; ++head) {
      OnlineSoftmax all = finished_state(head_of(merged.out, t, head, heads), merged.lse(t, head));
      for (const AttentionPart& part : parts.subspan(1)) {
        Matrix row = part.out.row(t);
        all.merge(finished_state(head_of(row, 0, head, heads), part.lse(t, head)));
      }
      merged.lse(t, head) = all.lse();
      all.finish(all.out);
    }
  }
  return merged;
}

AttentionPart attention_split_kv(const MatrixIn& queries, std::uint32_t first_position, std::span<const KvRun> runs,
                                 std::uint32_t splits, const Heads& heads, ThreadPool& threads, Work& work) {
  if (splits == 0) throw MisuseError("attention_split_kv: 0 splits");
  const std::uint64_t length = std::uint64_t{first_position} + static_cast<std::uint64_t>(queries.rows());
  std::vector<AttentionPart> parts;
  Work done;
  for (std::uint64_t split = 0; split < splits; ++split) {
    const auto begin = static_cast<std::uint32_t>(length * split / splits);
    const auto end = static_cast<std::uint32_t>(length * (split + 1) / splits);
    parts.push_back(attention_part(queries, first_position, runs, begin, end, heads, threads, done));
  }
  work += done;
  return merge(parts, heads);
}

}  // namespace kvarium::cpu
