#include "cuda/demos/paged_problem.h"

#include <algorithm>

namespace kvarium::cuda::demos {
namespace {

/// scale q . k for one query head and one token.
double score(const PagedProblem& problem, std::size_t head, std::size_t token, bool of_sizes = false) {
  const std::size_t dim = problem.layout.head_dim, group = problem.query_heads / problem.layout.kv_heads;
  const std::size_t row = (token * problem.layout.kv_heads + head % problem.query_heads / group) * dim;
  double sum = 0;
  for (std::size_t i = 0; i < dim; ++i) {
    const double product =
        static_cast<double>(problem.queries[head * dim + i]) * static_cast<double>(problem.keys[row + i]);
    sum += of_sizes ? std::fabs(product) : product;
  }
  return static_cast<double>(problem.scale) * sum;
}

/// How many tokens a new one sees.
std::size_t seen_by(const PagedProblem& problem, std::size_t head) {
  return problem.tokens - problem.new_tokens + head / problem.query_heads + 1;
}

}  // namespace

std::vector<unsigned> PagedProblem::table() const {
  static const std::vector<unsigned> kScattered{7, 3, 12, 5, 9, 14, 1, 10, 0, 15, 6, 2, 13, 8, 4, 11};
  return {kScattered.begin(), kScattered.begin() + (tokens + layout.block_size - 1) / layout.block_size};
}

std::vector<std::size_t> PagedProblem::slots() const {
  const std::vector<unsigned> blocks = table();
  std::vector<std::size_t> result;
  for (unsigned j = 0; j < tokens; ++j)
    result.push_back(std::size_t{blocks[j / layout.block_size]} * layout.block_size + j % layout.block_size);
  return result;
}

std::vector<float> PagedProblem::in_cache(const std::vector<float>& rows) const {
  const std::size_t width = layout.token_stride();
  std::vector<float> cache(kDemoBlocks * layout.block_stride(), NAN);
  const std::vector<std::size_t> places = slots();
  for (std::size_t i = 0; i < rows.size(); ++i) cache[layout.slot_offset(places[i / width]) + i % width] = rows[i];
  return cache;
}

PagedProblem paged_problem(const KvLayout& layout, unsigned tokens, unsigned new_tokens, unsigned query_heads) {
  PagedProblem problem{layout, tokens, new_tokens, query_heads, 1 / std::sqrt(static_cast<float>(layout.head_dim)),
                       {},     {},     {}};
  problem.queries = small_numbers(problem.num_heads() * layout.head_dim, 5);
  problem.keys = small_numbers(tokens * layout.token_stride(), 7);
  problem.values = small_numbers(tokens * layout.token_stride(), 4);
  return problem;
}

ExactHead exact_head(const PagedProblem& problem, std::size_t head, std::size_t columns, std::size_t begin,
                     std::size_t end) {
  const std::size_t group = problem.query_heads / problem.layout.kv_heads;
  const std::size_t kv_head = head % problem.query_heads / group;
  double most = -INFINITY, sum = 0;
  for (std::size_t j = begin; j < end; ++j) most = std::fmax(most, score(problem, head, j));
  ExactHead exact{std::vector<double>(columns), -INFINITY};
  for (std::size_t j = begin; j < end; ++j) {
    const double weight = std::exp(score(problem, head, j) - most);
    const std::size_t row = (j * problem.layout.kv_heads + kv_head) * problem.layout.head_dim;
    sum += weight;
    for (std::size_t i = 0; i < columns; ++i) exact.out[i] += weight * static_cast<double>(problem.values[row + i]);
  }
  if (begin == end) return exact;
  for (double& number : exact.out) number /= sum;
  exact.lse = most + std::log(sum);
  return exact;
}

std::vector<double> exact_attention(const PagedProblem& problem, std::size_t columns) {
  std::vector<double> all;
  for (std::size_t head = 0; head < problem.num_heads(); ++head) {
    const ExactHead exact = exact_head(problem, head, columns, 0, seen_by(problem, head));
    all.insert(all.end(), exact.out.begin(), exact.out.end());
  }
  return all;
}

/// u = 2^-24. A score is d products, added up and scaled: off by (d + 4) u A, A the largest sum of their sizes. exp of
/// a number up to 2 A carries that on, and is off by 2 + 1.2 * 2 A last places itself. The n weights and their products
/// with values are added in any order: n u more, and a few for the division. Both sums of sum w v / sum w are off by
/// that share of the largest value.
double attention_tolerance(const PagedProblem& problem) {
  constexpr double kU = 0x1p-24;
  double largest = 0, value = 0;
  for (std::size_t head = 0; head < problem.num_heads(); ++head) {
    for (std::size_t j = 0; j < seen_by(problem, head); ++j)
      largest = std::fmax(largest, score(problem, head, j, true));
  }
  for (const float number : problem.values) value = std::fmax(value, std::fabs(static_cast<double>(number)));
  const double share = (problem.layout.head_dim + 4) * largest + 5 * largest + 4 + problem.tokens + 6;
  return 2 * share * kU * value;
}

}  // namespace kvarium::cuda::demos
