// Attention over cached latent rows, as the transformer runs it, against the equations as they stand.

#include "cpu_reference/attention/latent_paged.h"

#include "cpu_reference/attention/latent_rows.h"
#include "cpu_reference/attention/naive.h"
#include "cpu_reference/operators/rope.h"
#include "cpu_reference/quant/dequantize.h"
#include "tests/cpu_reference/attention/latent_inputs.h"
#include "tests/support/model_of_type.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::difference;
using kvarium_test::kSmallV2;
using kvarium_test::latent_tolerance;
using kvarium_test::random_latent_weights;
using kvarium_test::random_matrix;

namespace {

/// One layer over a text, with W^UK and W^UV as a model file has them: head by head, one below the other.
struct Layer {
  Layer(const LatentShape& of, Index tokens, std::uint64_t seed)
      : shape(of),
        draws(seed),
        weights(random_latent_weights(shape, draws)),
        hidden(random_matrix(tokens, shape.hidden, draws)),
        cache(kvarium_test::latent_cache_of(hidden, shape, weights)),
        up(shape.heads * (shape.head_dim + shape.value_dim), shape.latent_dim) {
    for (Index h = 0; h < shape.heads; ++h) {
      const Index at = h * (shape.head_dim + shape.value_dim);
      up.middleRows(at, shape.head_dim) = weights.up_key.middleRows(h * shape.head_dim, shape.head_dim);
      up.middleRows(at + shape.head_dim, shape.value_dim) =
          weights.up_value.middleRows(h * shape.value_dim, shape.value_dim);
    }
  }

  WeightMatrix up_weight() const {
    return {WeightType::f32, up.rows(), up.cols(), reinterpret_cast<const std::byte*>(up.data())};
  }
  /// Of the tokens from `first` on, rotated.
  Matrix queries(Index first) const {
    Matrix queries = hidden.bottomRows(hidden.rows() - first) * weights.query.transpose();
    const auto rotary = static_cast<std::uint32_t>(shape.rotary_dim);
    const RopeAngles angles =
        rope_angles(first, static_cast<std::uint32_t>(queries.rows()), rotary, kvarium_test::kLatentTheta);
    for (Index h = 0; h < shape.heads; ++h) {
      const Index at = h * (shape.head_dim + shape.rotary_dim) + shape.head_dim;
      rope(queries.middleCols(at, shape.rotary_dim), rotary, angles, RopePairs::interleaved);
    }
    return queries;
  }
  /// The cached rows cut into runs of `length`.
  std::vector<KvRun> runs(std::uint32_t length) const {
    std::vector<KvRun> runs;
    for (std::uint32_t first = 0; first < cache.length(); first += length) {
      const float* rows = cache.rows().row(first).data();
      runs.push_back({rows, rows, std::min(length, cache.length() - first)});
    }
    return runs;
  }
  /// The attention of the tokens from `first` on.
  Matrix absorbed_attention(Index first, std::uint32_t run_length, std::uint32_t num_threads, Work& work) const {
    ThreadPool threads(num_threads);
    const Matrix rotated = queries(first);
    Matrix absorbed(rotated.rows(), shape.heads * (shape.latent_dim + shape.rotary_dim));
    Matrix latents(rotated.rows(), shape.heads * shape.latent_dim), out(rotated.rows(), shape.heads * shape.value_dim);
    absorb_queries(rotated, shape, up_weight(), absorbed, threads, work);
    attention_latent_paged(absorbed, static_cast<std::uint32_t>(first), runs(run_length), shape, latents, threads,
                           work);
    unpack_sums(latents, shape, up_weight(), out, threads, work);
    return out;
  }

  LatentShape shape;
  std::mt19937_64 draws;
  LatentWeights weights;
  Matrix hidden;
  LatentCache cache;
  Matrix up;
};

/// Odd widths, one head, a value of another width, and rows longer than one tile of the weights.
LatentShape any_shape() {
  return GENERATE(as<LatentShape>{}, kSmallV2, LatentShape{7, 3, 5, 2, 6, 4}, LatentShape{16, 1, 4, 4, 3, 9},
                  LatentShape{24, 2, 3, 2, 5, 600});
}

}  // namespace

TEST_CASE("attention over cached latent rows equals the equations of latent attention") {
  const LatentShape shape = any_shape();
  const Index tokens = GENERATE(1, 13, 70, 150);  // around and above a tile of 64 positions
  CAPTURE(shape.hidden, tokens);
  const Layer layer(shape, tokens, 1);
  for (const Index first : {Index{0}, tokens / 2, tokens - 1}) {
    Work work;
    const Matrix expected =
        attention_latent(layer.hidden.bottomRows(tokens - first), layer.cache, shape, layer.weights, work);
    CHECK(double{difference(layer.absorbed_attention(first, 16, 1, work), expected)} <= 2 * latent_tolerance(shape));
  }
}

TEST_CASE("unpacked rows under the naive attention are the equations too") {
  const LatentShape shape = any_shape();
  const Layer layer(shape, 13, 2);
  ThreadPool threads;
  Work work;
  Matrix keys, values;
  unpack_latent(layer.cache.rows(), shape, layer.up_weight(), keys, values, threads, work);
  const auto heads = static_cast<std::uint32_t>(shape.heads);
  const Matrix out =
      attention_naive(layer.queries(0), keys, values,
                      {heads, heads, static_cast<std::uint32_t>(shape.head_dim + shape.rotary_dim)}, work);
  const Matrix expected = attention_latent(layer.hidden, layer.cache, shape, layer.weights, work);
  CHECK(double{difference(out, expected)} <= 2 * latent_tolerance(shape));
}

TEST_CASE("neither the cut into runs nor the number of threads changes a bit of latent attention") {
  const Layer layer(kSmallV2, 150, 3);
  Work work, same;
  const Matrix expected = layer.absorbed_attention(90, 150, 1, work);
  for (const std::uint32_t length : {1U, 3U, 16U, 64U, 100U}) {
    same = {};
    CHECK(layer.absorbed_attention(90, length, length % 3 + 1, same) == expected);
    CHECK(same == work);
  }
}

TEST_CASE("a decode step counts each cached row once, and two products with it a head") {
  const Layer layer(kSmallV2, 40, 4);
  Work work;
  layer.absorbed_attention(39, 16, 1, work);
  const std::uint64_t rows = 40 * (32 + 4) * sizeof(float), up = 4 * (8 + 8) * 32 * sizeof(float);
  CHECK(work.bytes_read == rows + up);
  CHECK(work.score_products == 40 * 4);
  // As attention_latent_absorbed() counts, without the queries: query and result through 4 * 16 rows of 32.
  CHECK(work.flops == 2 * (4 * 32 * 16 + 4 * 40 * 68));
}

TEST_CASE("queries are absorbed with weights of any type as with the numbers that the weights stand for") {
  const WeightType type = GENERATE(WeightType::f16, WeightType::bf16, WeightType::q8_0);
  CAPTURE(name(type));
  const Layer layer(kSmallV2, 5, 5);
  Weights owner;
  const WeightMatrix small = kvarium_test::converted(layer.up_weight(), type, owner);
  Matrix said(layer.up.rows(), layer.up.cols());
  for (Index r = 0; r < said.rows(); ++r) dequantize_row(type, small.row(r), said.cols(), said.row(r).data());
  const WeightMatrix whole{WeightType::f32, said.rows(), said.cols(), reinterpret_cast<const std::byte*>(said.data())};
  ThreadPool threads;
  Work work;
  Matrix one(5, 4 * 36), other(5, 4 * 36);
  absorb_queries(layer.queries(0), kSmallV2, small, one, threads, work);
  absorb_queries(layer.queries(0), kSmallV2, whole, other, threads, work);
  CHECK(one == other);
}

TEST_CASE("latent rows, queries and weights that do not fit are refused") {
  const Layer layer(kSmallV2, 5, 6);
  ThreadPool threads;
  Work work;
  Matrix absorbed = Matrix::Zero(2, 4 * 36), latents(2, 4 * 32), narrow(2, 7), keys, values;
  CHECK_THROWS_WITH(attention_latent_paged(absorbed, 4, layer.runs(2), kSmallV2, latents, threads, work),
                    "attention_latent_paged: 5 cached rows for 2 tokens from position 4");
  CHECK_THROWS_WITH(attention_latent_paged(narrow, 0, layer.runs(2), kSmallV2, latents, threads, work),
                    "attention_latent_paged: absorbed has shape [2][7], expected [2][144]");
  CHECK_THROWS_WITH(absorb_queries(narrow, kSmallV2, layer.up_weight(), absorbed, threads, work),
                    "absorb_queries: queries has shape [2][7], expected [2][48]");
  CHECK_THROWS_WITH(unpack_latent(narrow, kSmallV2, layer.up_weight(), keys, values, threads, work),
                    "unpack_latent: rows has shape [2][7], expected [2][36]");
  WeightMatrix wrong = layer.up_weight();
  wrong.rows = 3;
  CHECK_THROWS_WITH(unpack_sums(latents, kSmallV2, wrong, narrow, threads, work),
                    "latent: up has shape [3][32], expected [64][32]");
  CHECK(work == Work{});
}
