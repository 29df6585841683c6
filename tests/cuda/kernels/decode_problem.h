#pragma once
// A batch of sequences in a paged cache, and the attention of their newest tokens in double: for the emulated tests and
// for those on a device.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "cuda/kernels/attention_decode.cuh"
#include "tests/cuda/kernels/random_numbers.h"

namespace kvarium_test {

using namespace kvarium::cuda;
using kvarium::KvLayout;

struct DecodeShape {
  KvLayout layout;
  unsigned query_heads = 1;
  unsigned new_tokens = 1;
  unsigned window = 0;
};

/// What one query head of one new token should be, and how far off a kernel may be.
struct ExactHead {
  std::vector<double> out;
  std::vector<double> tolerance;  ///< of each number of out
  double lse = -INFINITY;
  double lse_tolerance = 0;
};

/// What a kernel gave.
template <typename T>
struct DecodeResult {
  std::vector<T> out;
  std::vector<float> lse;
};

/// Random queries of T, keys and values of K, the blocks of all sequences in random places. Slots and
/// blocks that no sequence uses hold NaN: it must not leak.
template <typename T, typename K = T>
struct DecodeProblem {
  using Call = AttentionDecode<T, PagedKv<K>>;

  DecodeProblem(const DecodeShape& problem_shape, const std::vector<unsigned>& sequence_lengths, unsigned seed = 1)
      : shape(problem_shape), lengths(sequence_lengths), random(seed) {
    const unsigned block_size = shape.layout.block_size;
    const unsigned longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
    most_blocks = std::max(1U, (longest + block_size - 1) / block_size);
    num_blocks = static_cast<unsigned>(lengths.size()) * most_blocks + 1;
    std::vector<unsigned> order(num_blocks);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random);
    tables.assign(lengths.size() * most_blocks, num_blocks + 1000);  // what is not used is no block at all
    keys.assign(num_blocks * shape.layout.block_stride(), from_float<K>(NAN));
    values = keys;
    for (std::size_t s = 0; s < lengths.size(); ++s) fill_sequence(s, order);
    queries = random_numbers<T>(heads() * dim(), seed + 1);
  }

  std::size_t dim() const { return shape.layout.head_dim; }
  std::size_t rows() const { return lengths.size() * shape.new_tokens; }
  std::size_t heads() const { return rows() * shape.query_heads; }  ///< of all rows
  float scale() const { return 1.0F / std::sqrt(static_cast<float>(shape.layout.head_dim)); }
  std::size_t place(std::size_t sequence, std::size_t position, std::size_t kv_head) const {
    const std::size_t block_size = shape.layout.block_size;
    const unsigned block = tables[sequence * most_blocks + position / block_size];
    return shape.layout.offset(block, position % block_size, kv_head, 0);
  }

  DecodeResult<T> run(AttentionDecodeRung rung, unsigned splits = 3) const {
    DeviceBuffer<float> part_out(heads() * splits * dim(), "part_out"), part_lse(heads() * splits, "part_lse");
    return run_with([&](Stream& stream, const Call& call) {
      attention_decode(rung, stream, call, {part_out.ptr(), part_lse.ptr(), splits});
    });
  }

  /// Calls attend(stream, call), a Call, on buffers of the device.
  template <typename Attend>
  DecodeResult<T> run_with(const Attend& attend) const {
    const DeviceBuffer<T> queries_device(queries, "queries");
    const DeviceBuffer<K> keys_device(keys, "keys"), values_device(values, "values");
    const DeviceBuffer<unsigned> tables_device(tables, "tables"), lengths_device(lengths, "lengths");
    DeviceBuffer<T> out(queries.size(), "out");
    DeviceBuffer<float> lse(heads(), "lse");
    Stream stream;
    Call call;
    call.queries = queries_device.ptr();
    call.kv = {keys_device.ptr(), values_device.ptr(), shape.layout, {tables_device.ptr(), most_blocks, num_blocks}};
    call.lengths = lengths_device.ptr();
    call.out = out.ptr();
    call.lse = lse.ptr();
    call.sequences = static_cast<unsigned>(lengths.size());
    call.new_tokens = shape.new_tokens;
    call.query_heads = shape.query_heads;
    call.window = shape.window;
    call.scale = scale();
    attend(stream, call);
    stream.synchronize();
    return {out.download(), lse.download()};
  }

  /// The equation in double. `head`: [row][query_head].
  ///
  /// u = 2^-24. A score is a sum of d products times the scale: it is off by (d + 4) u A at most, A = scale max_j sum_i
  /// |q_i k_ji|. exp() of a number x, at most 2 A in size, carries that on; a device's own is off by 2 + 1.2 |x| last
  /// places of 2 u (CUDA C++ Programming Guide, "Intrinsic Functions"). The n weights, and their products with the
  /// values, are added in any order: n u more, and a few for the division. Where the maximum grows, and where parts are
  /// merged, a factor alpha joins in: as exact as a weight, and the arguments of all of them add up to 2 A. Both sums
  /// of out = (sum w v) / (sum w) are off by that share, the upper one of sum w |v|.
  ExactHead exact(std::size_t head) const {
    const std::size_t row = head / shape.query_heads, sequence = row / shape.new_tokens;
    const std::size_t kv_head = head % shape.query_heads / (shape.query_heads / shape.layout.kv_heads);
    const std::size_t later = shape.new_tokens - 1 - row % shape.new_tokens;
    const std::size_t end = lengths[sequence] > later ? lengths[sequence] - later : 0;
    const std::size_t begin = shape.window == 0 || end <= shape.window ? 0 : end - shape.window;
    ExactHead result{std::vector<double>(dim(), 0.0), std::vector<double>(dim(), 0.0)};
    std::vector<double> scores;
    double most = -INFINITY, largest = 0;
    for (std::size_t j = begin; j < end; ++j) {
      double score = 0, size = 0;
      for (std::size_t i = 0; i < dim(); ++i) {
        const double product = as_double(queries[head * dim() + i]) * as_double(keys[place(sequence, j, kv_head) + i]);
        score += product;
        size += std::fabs(product);
      }
      scores.push_back(score * static_cast<double>(scale()));
      most = std::max(most, scores.back());
      largest = std::max(largest, size * static_cast<double>(scale()));
    }
    if (scores.empty()) return result;
    double sum = 0;
    for (const double score : scores) sum += std::exp(score - most);
    const double u = std::ldexp(1.0, -24), n = static_cast<double>(scores.size());
    const double score_error = (static_cast<double>(dim()) + 4) * u * largest;
    const double share = score_error + (5 * largest + 4) * u + (n + 6) * u;
    result.lse = most + std::log(sum);
    result.lse_tolerance = score_error + share + (std::fabs(result.lse) + 4) * u;
    for (std::size_t i = 0; i < dim(); ++i) {
      double size = 0;
      for (std::size_t j = begin; j < end; ++j) {
        const double weight = std::exp(scores[j - begin] - most) / sum;
        const double value = as_double(values[place(sequence, j, kv_head) + i]);
        result.out[i] += weight * value;
        size += weight * std::fabs(value);
      }
      result.tolerance[i] = 2 * share * size + half_of_last_place<T>() * std::fabs(result.out[i]) + smallest();
    }
    return result;
  }

  /// The largest error of a result, in units of what is allowed; infinite for a NaN that should not be.
  double error(const DecodeResult<T>& got) const { return error(got, dim()); }
  /// The same where only the first `columns` numbers of each head were asked for.
  double error(const DecodeResult<T>& got, std::size_t columns) const {
    double worst = 0;
    const auto compare = [&](double wanted, double value, double tolerance) {
      if (value == wanted) return;
      const double share = std::fabs(value - wanted) / tolerance;
      worst = std::isfinite(share) ? std::max(worst, share) : INFINITY;
    };
    for (std::size_t head = 0; head < heads(); ++head) {
      const ExactHead wanted = exact(head);
      for (std::size_t i = 0; i < columns; ++i) {
        compare(wanted.out[i], as_double(got.out[head * columns + i]), wanted.tolerance[i]);
      }
      compare(wanted.lse, static_cast<double>(got.lse[head]), wanted.lse_tolerance);
    }
    return worst;
  }

  /// T rounds a number below its smallest normal one by half of the step there.
  static double smallest() { return std::ldexp(1.0, std::is_same_v<T, f16> ? -25 : -134); }

  DecodeShape shape;
  std::vector<unsigned> lengths;
  unsigned most_blocks = 0, num_blocks = 0;
  std::vector<unsigned> tables;
  std::vector<T> queries;
  std::vector<K> keys, values;

 private:
  void fill_sequence(std::size_t s, const std::vector<unsigned>& order) {
    const unsigned block_size = shape.layout.block_size;
    for (unsigned b = 0; b * block_size < lengths[s]; ++b) {
      tables[s * most_blocks + b] = order[s * most_blocks + b];
    }
    const std::size_t width = shape.layout.token_stride();
    const std::vector<K> rows = random_numbers<K>(std::size_t{2} * lengths[s] * width, static_cast<unsigned>(random()));
    for (std::size_t position = 0; position < lengths[s]; ++position) {
      std::copy_n(rows.data() + 2 * position * width, width, keys.data() + place(s, position, 0));
      std::copy_n(rows.data() + (2 * position + 1) * width, width, values.data() + place(s, position, 0));
    }
  }

  std::mt19937 random;
};

}  // namespace kvarium_test
