#pragma once
// Batches for attention_prefill, and what comes out in double. For the emulated tests and for those on a device.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "cuda/kernels/attention_prefill.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

// Compiled once, in prefill.cu.
extern template void attention_prefill<float>(PrefillRung, Stream&, const AttentionPrefill<float>&);
extern template void attention_prefill<f16>(PrefillRung, Stream&, const AttentionPrefill<f16>&);
extern template void attention_prefill<bf16>(PrefillRung, Stream&, const AttentionPrefill<bf16>&);

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda

namespace kvarium_test {

using namespace kvarium::cuda;

/// Tokens of one sequence.
struct PrefillLength {
  unsigned past = 0;
  unsigned added = 0;
};

struct PrefillShape {
  unsigned query_heads = 0;
  kvarium::KvLayout layout;
};

/// What one query gives, and what its tolerance is made of.
struct ExactAttention {
  std::vector<double> value;      ///< [head_dim]
  std::vector<double> magnitude;  ///< the same sums, of absolute values
  double largest_sum = 0;         ///< of |q_i k_i| / sqrt(d), of any key that it sees
  double largest_value = 0;       ///< of any number of a value that it sees
  unsigned keys = 0;              ///< that it sees
};

template <typename T>
class PrefillProblem {
 public:
  /// Random numbers. The blocks of the cache are dealt out in a mixed order; two of them, all slots behind a
  /// sequence's end and all table entries behind its last block hold what must not be read: NaN, and no block.
  PrefillProblem(const PrefillShape& shape, std::vector<PrefillLength> batch)
      : query_heads(shape.query_heads), layout(shape.layout), lengths(std::move(batch)), starts(1, 0) {
    unsigned needed = 0;
    for (const PrefillLength& length : lengths) {
      starts.push_back(starts.back() + length.added);
      past.push_back(length.past);
      needed += blocks_of(length);
      most_new = std::max(most_new, length.added);
      most_blocks = std::max(most_blocks, blocks_of(length));
    }
    num_blocks = needed + 2;
    deal_out_blocks();
    T poison;
    std::memset(static_cast<void*>(&poison), 0xFF, sizeof poison);
    keys.assign(num_blocks * layout.block_stride(), poison);
    values = keys;
    for (unsigned s = 0; s < lengths.size(); ++s) {
      for (unsigned position = 0; position < lengths[s].past + lengths[s].added; ++position) fill_row(s, position);
    }
    for (std::size_t i = 0; i < result_size(); ++i) queries.push_back(random_number());
  }

  std::size_t result_size() const { return std::size_t{starts.back()} * query_heads * layout.head_dim; }
  std::size_t row(unsigned sequence, unsigned position, unsigned kv_head) const {
    const unsigned block = tables[std::size_t{sequence} * most_blocks + position / layout.block_size];
    return layout.offset(block, position % layout.block_size, kv_head, 0);
  }
  bool sees(unsigned sequence, unsigned token, unsigned key) const {
    if (ancestors.empty()) return key <= lengths[sequence].past + token;
    return key < lengths[sequence].past || (ancestors[starts[sequence] + token] >> (key - past[sequence]) & 1U) != 0;
  }

  std::vector<T> run(PrefillRung rung) const {
    const DeviceBuffer<T> queries_device(queries, "queries"), keys_device(keys, "key_cache"),
        values_device(values, "value_cache");
    const DeviceBuffer<unsigned> tables_device(tables, "block_tables"), starts_device(starts, "starts"),
        past_device(past, "past");
    const DeviceBuffer<unsigned long long> ancestors_device(ancestors, "ancestors");
    DeviceBuffer<T> out(result_size(), "out");
    Stream stream;
    AttentionPrefill<T> batch{queries_device.ptr(),
                              out.ptr(),
                              {keys_device.ptr(), values_device.ptr(), layout, {}},
                              starts_device.ptr(),
                              past_device.ptr()};
    batch.cache.tables = {tables_device.ptr(), most_blocks, num_blocks};
    batch.sequences = static_cast<unsigned>(lengths.size());
    batch.most_new = most_new;
    batch.query_heads = query_heads;
    if (!ancestors.empty()) batch.ancestors = ancestors_device.ptr();
    attention_prefill<T>(rung, stream, batch);
    stream.synchronize();
    return out.download();
  }

  ExactAttention exact(unsigned sequence, unsigned token, unsigned head) const {
    const unsigned kv_head = head / (query_heads / layout.kv_heads);
    const std::size_t query = (std::size_t{starts[sequence] + token} * query_heads + head) * layout.head_dim;
    ExactAttention found{std::vector<double>(layout.head_dim), std::vector<double>(layout.head_dim)};
    std::vector<double> scores;
    std::vector<std::size_t> seen;
    for (unsigned key = 0; key < lengths[sequence].past + lengths[sequence].added; ++key) {
      if (!sees(sequence, token, key)) continue;
      seen.push_back(row(sequence, key, kv_head));
      double score = 0, size = 0;
      for (unsigned i = 0; i < layout.head_dim; ++i) {
        const double product = number(queries[query + i]) * number(keys[seen.back() + i]);
        score += product;
        size += std::fabs(product);
      }
      scores.push_back(score / std::sqrt(layout.head_dim));
      found.largest_sum = std::fmax(found.largest_sum, size / std::sqrt(layout.head_dim));
    }
    found.keys = static_cast<unsigned>(seen.size());
    add_values(found, scores, seen);
    return found;
  }

  /// How far the result may be from `exact`. With u = 2^-24, S = largest_sum and n keys:
  ///   a score is d products and sums, then scaled: off by (d + 3) u S. Two of them, or one and the maximum, are
  ///   subtracted: 2 u S more. The device's exponential is off by 2 + 1.16 |x| units of the last place, |x| <= 2 S
  ///   (CUDA C++ Programming Guide, "Intrinsic Functions"). So each weight is off by the sum of these, relatively; so
  ///   are their sum and the sum of the values that they weigh, which are rounded n times, and scaled n / 16 times at
  ///   most. Rung mma rounds weights to T, f16 with 2^-25 at least; a device's matrix unit cuts off where this rounds,
  ///   hence twice of all. The result is rounded to T.
  double tolerance(const ExactAttention& exact, std::size_t dim, PrefillRung rung) const {
    const double u = std::ldexp(1.0, -24), size = exact.largest_sum;
    const double weight = (layout.head_dim + 5) * u * size + 2 * u * (2 + 2.32 * size);
    const double rounding = sizeof(T) == 4 ? u : std::ldexp(1.0, std::is_same_v<T, f16> ? -11 : -8);
    double error = exact.magnitude[dim] * 2 * (weight + (exact.keys * 17 / 16.0 + 2) * u);
    if (rung == PrefillRung::mma) error = 2 * error + rounding * exact.magnitude[dim];
    if (rung == PrefillRung::mma && std::is_same_v<T, f16>) error += exact.keys * u / 2 * exact.largest_value;
    return error + rounding * (std::fabs(exact.value[dim]) + error) + std::ldexp(1.0, -25);
  }

  /// The largest error of a result, as a part of its tolerance: at most 1 when right, infinite for a NaN.
  double worst(PrefillRung rung, const std::vector<T>& got) const {
    double most = 0;
    std::size_t at = 0;
    for (unsigned s = 0; s < lengths.size(); ++s) {
      for (unsigned i = 0; i < lengths[s].added * query_heads; ++i) {
        const ExactAttention wanted = exact(s, i / query_heads, i % query_heads);
        for (std::size_t dim = 0; dim < layout.head_dim; ++dim) {
          const double found = number(got[at++]);
          if (!std::isfinite(found)) return INFINITY;
          most = std::fmax(most, std::fabs(found - wanted.value[dim]) / tolerance(wanted, dim, rung));
        }
      }
    }
    return most;
  }

  /// The path to new token `token` of the only sequence, a tree, as a sequence of its own.
  PrefillProblem alone(unsigned token) const {
    PrefillProblem chain = *this;
    chain.ancestors.clear();
    chain.queries.clear();
    const std::size_t width = std::size_t{query_heads} * layout.head_dim;
    unsigned size = 0;
    for (unsigned i = 0; i <= token; ++i) {
      if (!sees(0, token, past[0] + i)) continue;
      const auto query = queries.begin() + static_cast<std::ptrdiff_t>(i * width);
      chain.queries.insert(chain.queries.end(), query, query + static_cast<std::ptrdiff_t>(width));
      const auto from = static_cast<std::ptrdiff_t>(row(0, past[0] + i, 0)),
                 to = static_cast<std::ptrdiff_t>(row(0, past[0] + size++, 0)),
                 stride = static_cast<std::ptrdiff_t>(layout.token_stride());
      std::copy_n(keys.begin() + from, stride, chain.keys.begin() + to);
      std::copy_n(values.begin() + from, stride, chain.values.begin() + to);
    }
    chain.lengths = {{past[0], size}};
    chain.starts = {0, size};
    chain.most_new = size;
    return chain;
  }

  /// How far a token's result in the tree is from what it is at the end of its path alone, as a part of the tolerances
  /// of both: at most 1 when right, infinite for a NaN.
  double worst_alone(PrefillRung rung, const std::vector<T>& got) const {
    double most = 0;
    const std::size_t width = std::size_t{query_heads} * layout.head_dim;
    for (unsigned token = 0; token < lengths[0].added; ++token) {
      const std::vector<T> path = alone(token).run(rung);
      for (std::size_t i = 0; i < width; ++i) {
        const ExactAttention wanted = exact(0, token, static_cast<unsigned>(i / layout.head_dim));
        const double off = std::fabs(number(got[token * width + i]) - number(path[path.size() - width + i]));
        if (!std::isfinite(off)) return INFINITY;
        most = std::fmax(most, off / (2 * tolerance(wanted, i % layout.head_dim, rung)));
      }
    }
    return most;
  }

  unsigned query_heads;
  kvarium::KvLayout layout;
  std::vector<PrefillLength> lengths;
  std::vector<unsigned> starts, past, tables;  ///< tables: [sequence][most_blocks]
  std::vector<unsigned long long> ancestors;   ///< empty: causal
  std::vector<T> queries, keys, values;
  unsigned most_new = 0, most_blocks = 1, num_blocks = 0;

 private:
  static double number(T x) { return static_cast<double>(to_float(x)); }
  /// Adds up the values of the keys in `seen`, weighed by the softmax of their scores.
  void add_values(ExactAttention& to, const std::vector<double>& scores, const std::vector<std::size_t>& seen) const {
    double most = -INFINITY, sum = 0;
    for (const double score : scores) most = std::fmax(most, score);
    for (const double score : scores) sum += std::exp(score - most);
    for (std::size_t key = 0; key < seen.size(); ++key) {
      const double weight = std::exp(scores[key] - most) / sum;
      for (std::size_t dim = 0; dim < layout.head_dim; ++dim) {
        const double value = number(values[seen[key] + dim]);
        to.value[dim] += weight * value;
        to.magnitude[dim] += weight * std::fabs(value);
        to.largest_value = std::fmax(to.largest_value, std::fabs(value));
      }
    }
  }
  T random_number() { return from_float<T>(normal_(random_)); }
  unsigned blocks_of(const PrefillLength& length) const {
    return (length.past + length.added + layout.block_size - 1) / layout.block_size;
  }
  void deal_out_blocks() {
    std::vector<unsigned> free(num_blocks);
    std::iota(free.begin(), free.end(), 0U);
    std::shuffle(free.begin(), free.end(), random_);
    tables.assign(std::max<std::size_t>(1, lengths.size() * most_blocks), std::numeric_limits<unsigned>::max());
    for (unsigned s = 0; s < lengths.size(); ++s) {
      for (unsigned i = 0; i < blocks_of(lengths[s]); ++i) {
        tables[std::size_t{s} * most_blocks + i] = free.back();
        free.pop_back();
      }
    }
  }
  void fill_row(unsigned sequence, unsigned position) {
    const std::size_t first = row(sequence, position, 0);
    for (std::size_t i = 0; i < layout.token_stride(); ++i) {
      keys[first + i] = random_number();
      values[first + i] = random_number();
    }
  }

  std::mt19937 random_{7};
  std::normal_distribution<float> normal_;
};

}  // namespace kvarium_test
