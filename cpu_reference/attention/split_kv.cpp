#include "cpu_reference/attention/split_kv.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cpu_reference/attention/cache_reads.h"
#include "cpu_reference/operators/online_softmax.h"

namespace kvarium::cpu {
namespace {

using RowIn = Eigen::Map<const Vector>;

constexpr std::size_t kPiece = 64;  // scores at a time: a task allocates nothing

std::span<float> head_of(Matrix& rows, Index t, std::uint32_t head, const Heads& heads) {
  return {rows.row(t).data() + Index{head} * heads.head_dim, heads.head_dim};
}

/// One query head of one token over positions [begin, end).
void attend(const float* query, std::span<const KvRun> runs, std::uint32_t begin, std::uint32_t end,
            std::uint32_t kv_head, const Heads& heads, OnlineSoftmax& state) {
  const Index dim = heads.head_dim, width = Index{heads.kv_heads} * dim;
  const float scale = 1.0F / std::sqrt(static_cast<float>(dim));
  std::uint64_t first = 0;  // position of the run
  for (const KvRun& run : runs) {
    const std::uint64_t from = std::max<std::uint64_t>(first, begin),
                        to = std::min<std::uint64_t>(first + run.tokens, end);
    for (std::uint64_t at = from; at < to; at += kPiece) {
      const Index skipped = static_cast<Index>(at - first) * width + Index{kv_head} * dim;
      std::array<float, kPiece> scores;
      const std::size_t count = std::min<std::uint64_t>(kPiece, to - at);
      for (std::size_t j = 0; j < count; ++j) {
        scores[j] = RowIn(query, dim).dot(RowIn(run.keys + skipped + static_cast<Index>(j) * width, dim)) * scale;
      }
      state.add(std::span(scores).first(count), run.values + skipped, static_cast<std::size_t>(width));
    }
    first += run.tokens;
  }
}

void expect_same_shape(const AttentionPart& part, Index tokens, const Heads& heads) {
  expect_shape(part.out, tokens, Index{heads.query_heads} * heads.head_dim, "merge: out");
  expect_shape(part.lse, tokens, Index{heads.query_heads}, "merge: lse");
}

/// The arguments of a call.
struct Job {
  const MatrixIn& queries;
  std::uint32_t first_position;
  std::span<const KvRun> runs;
  const Heads& heads;

  /// The end of the positions that the token at row t sees.
  std::uint32_t visible(Index t) const { return first_position + static_cast<std::uint32_t>(t) + 1; }
};

void expect_fits(const Job& job) {
  const Index tokens = job.queries.rows();
  expect_valid(job.heads);
  expect_shape(job.queries, tokens, Index{job.heads.query_heads} * job.heads.head_dim, "attention_part: queries");
  expect_covered(job.runs, job.first_position, tokens, "attention_part");
}

/// Part p is positions [bounds[p], bounds[p + 1]). One task for each part, token and head: with one token and few heads
/// the parts are what there is to share.
std::vector<AttentionPart> attend_parts(const Job& job, const std::vector<std::uint32_t>& bounds, ThreadPool& threads,
                                        Work& work) {
  const Index tokens = job.queries.rows();
  const std::uint32_t heads = job.heads.query_heads, of_part = static_cast<std::uint32_t>(tokens) * heads;
  std::vector<AttentionPart> parts(bounds.size() - 1, {Matrix(tokens, job.queries.cols()), Matrix(tokens, heads)});
  threads.for_each(static_cast<std::uint32_t>(parts.size()) * of_part, [&](std::uint32_t task) {
    const std::uint32_t p = task / of_part, head = task % heads;
    const auto t = Index{task % of_part / heads};
    OnlineSoftmax state{OnlineSoftmax::kMasked, 0.0F, head_of(parts[p].out, t, head, job.heads)};
    state.reset();
    attend(job.queries.row(t).data() + Index{head} * job.heads.head_dim, job.runs, bounds[p],
           std::min(bounds[p + 1], job.visible(t)), job.heads.kv_head_of(head), job.heads, state);
    parts[p].lse(t, head) = state.lse();
    state.finish(state.out);
  });
  for (Index t = 0; t < tokens; ++t) {
    const std::uint32_t end = std::min(bounds.back(), job.visible(t));
    const std::uint64_t rows = end > bounds.front() ? end - bounds.front() : 0;
    count_reads(rows, job.heads, work);
  }
  return parts;
}

}  // namespace

AttentionPart attention_part(const MatrixIn& queries, std::uint32_t first_position, std::span<const KvRun> runs,
                             std::uint32_t begin, std::uint32_t end, const Heads& heads, ThreadPool& threads,
                             Work& work) {
  const Job job{queries, first_position, runs, heads};
  expect_fits(job);
  return attend_parts(job, {begin, end}, threads, work).front();
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
  const Job job{queries, first_position, runs, heads};
  expect_fits(job);
  const std::uint64_t length = std::uint64_t{first_position} + static_cast<std::uint64_t>(queries.rows());
  std::vector<std::uint32_t> bounds;
  for (std::uint64_t split = 0; split <= splits; ++split) {
    bounds.push_back(static_cast<std::uint32_t>(length * split / splits));
  }
  return merge(attend_parts(job, bounds, threads, work), heads);
}

}  // namespace kvarium::cpu
