#pragma once
// New tokens of one sequence that look at a paged cache: what the demos of attention have in common.

#include <cstddef>
#include <vector>

#include "core/kv_layout.h"
#include "cuda/demos/given.h"
#include "cuda/kernels/block_table.cuh"

namespace kvarium::cuda::demos {

/// Blocks of the cache of each demo.
inline constexpr unsigned kDemoBlocks = 16;

/// Before it lies in the memory of a device.
struct PagedProblem {
  KvLayout layout;
  unsigned tokens = 0;      ///< in the cache, the new ones included
  unsigned new_tokens = 1;  ///< the last of them; each sees itself and all before it
  unsigned query_heads = 1;
  float scale = 1;
  std::vector<float> queries;  ///< [new token][query_head][head_dim]
  std::vector<float> keys;     ///< [token][kv_head][head_dim]
  std::vector<float> values;   ///< the same

  std::vector<unsigned> table() const;     ///< blocks 7, 3, 12 and on
  std::vector<std::size_t> slots() const;  ///< [token]
  /// The rows of the tokens where the table says; NaN where no token lies.
  std::vector<float> in_cache(const std::vector<float>& rows) const;
  std::size_t num_heads() const { return std::size_t{new_tokens} * query_heads; }
  std::size_t row_bytes(std::size_t number_bytes) const { return layout.token_stride() * number_bytes; }
};

/// Small numbers; head_dim is a power of 4, so that the scale is exact, or nearly so.
PagedProblem paged_problem(const KvLayout& layout, unsigned tokens, unsigned new_tokens, unsigned query_heads);

/// One query head of one new token over some of the keys, in double.
struct ExactHead {
  std::vector<double> out;  ///< [columns], the first numbers of the values
  double lse = 0;           ///< log of the sum of the exponentials of its scores; -infinity for no keys
};
/// `head`: [new token][query_head]. Only keys [begin, end) of those that it sees.
ExactHead exact_head(const PagedProblem& problem, std::size_t head, std::size_t columns, std::size_t begin,
                     std::size_t end);
/// All heads, each over all that it sees: [new token][query_head][columns].
std::vector<double> exact_attention(const PagedProblem& problem, std::size_t columns);
/// How far from it a kernel's rounding in float may lead.
double attention_tolerance(const PagedProblem& problem);

/// A problem in the memory of the device.
template <typename T>
class PagedMemory {
 public:
  explicit PagedMemory(const PagedProblem& problem)
      : problem_(problem),
        queries_("queries", problem.queries),
        table_("block_table", numbers(problem.table())),
        lengths_("lengths", {static_cast<float>(problem.tokens)}),
        keys_("keys", problem.in_cache(problem.keys)),
        values_("values", problem.in_cache(problem.values)) {}

  const PagedProblem& problem() const { return problem_; }
  gptr<T> queries() { return queries_.ptr(); }
  gptr<unsigned> lengths() { return lengths_.ptr(); }
  gptr<T> keys() { return keys_.ptr(); }
  gptr<T> values() { return values_.ptr(); }
  BlockTables tables() { return {table_.ptr(), static_cast<unsigned>(table_.size()), kDemoBlocks}; }
  PagedKv<T> kv() { return {keys(), values(), problem_.layout, tables()}; }
  std::vector<Input> inputs() const {
    return {queries_.input(), {"keys of the tokens", problem_.keys}, {"values of the tokens", problem_.values}};
  }
  PagedTokens paged() const {
    return {problem_.layout.block_size, problem_.slots(), problem_.row_bytes(sizeof(T)), "keys", "values"};
  }
  std::size_t table_bytes() const { return 4 * table_.size(); }

 private:
  static std::vector<float> numbers(const std::vector<unsigned>& blocks) { return {blocks.begin(), blocks.end()}; }

  PagedProblem problem_;
  Given<T> queries_;
  Given<unsigned> table_, lengths_;
  Given<T> keys_, values_;
};

}  // namespace kvarium::cuda::demos
