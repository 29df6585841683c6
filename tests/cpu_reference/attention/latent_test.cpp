#include "cpu_reference/attention/latent.h"

#include "core/cost/kv_bytes.h"
#include "cpu_reference/operators/rope.h"
#include "tests/cpu_reference/attention/latent_inputs.h"
#include "tests/cpu_reference/attention/oracle.h"

using namespace kvarium;
using namespace kvarium::cpu;
using kvarium_test::apart;
using kvarium_test::Doubles;
using kvarium_test::kSmallV2;
using kvarium_test::latent_cache_of;
using kvarium_test::latent_tolerance;
using kvarium_test::random_latent_weights;
using kvarium_test::random_matrix;

namespace {

constexpr float kTheta = kvarium_test::kLatentTheta;

/// Pairs (2i, 2i + 1) of each row turned by its position, in double.
Doubles turned(Doubles x) {
  for (Index t = 0; t < x.rows(); ++t) {
    for (Index i = 0; i < x.cols() / 2; ++i) {
      const double angle = static_cast<double>(t) *
                           std::pow(double{kTheta}, -2.0 * static_cast<double>(i) / static_cast<double>(x.cols()));
      const double a = x(t, 2 * i), b = x(t, 2 * i + 1);
      x(t, 2 * i) = a * std::cos(angle) - b * std::sin(angle);
      x(t, 2 * i + 1) = a * std::sin(angle) + b * std::cos(angle);
    }
  }
  return x;
}

/// Equations 9 to 18 for the whole text, in double and without a cache.
Doubles latent_oracle(const Matrix& hidden, const LatentShape& shape, const LatentWeights& weights) {
  const Doubles h = hidden.cast<double>();
  const auto times = [](const Doubles& x, const Matrix& weight) {
    return Doubles(x * weight.cast<double>().transpose());
  };
  const Doubles latent = times(h, weights.down), rotary_keys = turned(times(h, weights.rotary_key));
  const Doubles keys = times(latent, weights.up_key), values = times(latent, weights.up_value);
  const Doubles queries = times(h, weights.query);
  const Index width = shape.head_dim + shape.rotary_dim;
  Doubles out(hidden.rows(), shape.heads * shape.value_dim);
  for (Index head = 0; head < shape.heads; ++head) {
    const Doubles plain = queries.middleCols(head * width, shape.head_dim);
    const Doubles rotary = turned(queries.middleCols(head * width + shape.head_dim, shape.rotary_dim));
    const Doubles scores = (plain * keys.middleCols(head * shape.head_dim, shape.head_dim).transpose() +
                            rotary * rotary_keys.transpose()) /
                           std::sqrt(static_cast<double>(width));
    for (Index t = 0; t < hidden.rows(); ++t) {
      const std::vector<double> seen(scores.row(t).data(), scores.row(t).data() + t + 1);
      const auto one = kvarium_test::attended(seen, values.block(0, head * shape.value_dim, t + 1, shape.value_dim));
      for (Index c = 0; c < shape.value_dim; ++c)
        out(t, head * shape.value_dim + c) = one.out[static_cast<std::size_t>(c)];
    }
  }
  return out;
}

}  // namespace

TEST_CASE("latent attention equals its equations, with keys and values unpacked and with absorbed weights") {
  const LatentShape shape =
      GENERATE(as<LatentShape>{}, kSmallV2, LatentShape{7, 3, 5, 2, 6, 4}, LatentShape{16, 1, 4, 4, 3, 9});
  const Index tokens = GENERATE(1, 13);
  CAPTURE(shape.hidden, tokens);
  std::mt19937_64 draws(1);
  const LatentWeights weights = random_latent_weights(shape, draws);
  const Matrix hidden = random_matrix(tokens, shape.hidden, draws);
  const LatentCache cache = latent_cache_of(hidden, shape, weights);
  const Doubles expected = latent_oracle(hidden, shape, weights);
  Work work;
  const Matrix unpacked = attention_latent(hidden, cache, shape, weights, work);
  const Matrix absorbed = attention_latent_absorbed(hidden, cache, shape, weights, work);
  CHECK(apart(unpacked, expected) <= latent_tolerance(shape));
  CHECK(apart(absorbed, expected) <= latent_tolerance(shape));
  CHECK(kvarium_test::difference(unpacked, absorbed) <= 2 * latent_tolerance(shape));
}

TEST_CASE("a latent cache filled token by token gives each token what the whole text gives it") {
  std::mt19937_64 draws(2);
  const LatentWeights weights = random_latent_weights(kSmallV2, draws);
  const Matrix hidden = random_matrix(9, kSmallV2.hidden, draws);
  const Doubles expected = latent_oracle(hidden, kSmallV2, weights);
  LatentCache cache(kSmallV2, kTheta, RopePairs::interleaved);
  Work work;
  for (Index t = 0; t < 9; ++t) {
    cache.append(hidden.middleRows(t, 1), weights, work);
    const Matrix out = attention_latent_absorbed(hidden.middleRows(t, 1), cache, kSmallV2, weights, work);
    CHECK(apart(out, expected.middleRows(t, 1)) <= latent_tolerance(kSmallV2));
  }
  CHECK(work.kv_projections == 9);
}

TEST_CASE("the cache is the latent and the rotary key of each token, as the calculator says") {
  std::mt19937_64 draws(3);
  const LatentWeights weights = random_latent_weights(kSmallV2, draws);
  const LatentCache cache = latent_cache_of(random_matrix(5, kSmallV2.hidden, draws), kSmallV2, weights);
  ModelShape shape;
  shape.name = "small DeepSeek-V2";
  shape.layers = 1;
  shape.query_heads = 4;
  shape.kv_kind = KvKind::latent;
  shape.latent_dim = 32;
  shape.rotary_key_dim = 4;
  CHECK(cache.bytes() == kv_bytes(shape, 5, ElementType::fp32));
  CHECK(cache.bytes() == 5 * (32 + 4) * sizeof(float));
}

TEST_CASE("decode with absorbed weights reads the same rows and multiplies far less than unpacking them all") {
  std::mt19937_64 draws(4);
  const LatentWeights weights = random_latent_weights(kSmallV2, draws);
  const Matrix hidden = random_matrix(40, kSmallV2.hidden, draws);
  const LatentCache cache = latent_cache_of(hidden, kSmallV2, weights);
  Work unpacked, absorbed;
  attention_latent(hidden.bottomRows(1), cache, kSmallV2, weights, unpacked);
  attention_latent_absorbed(hidden.bottomRows(1), cache, kSmallV2, weights, absorbed);
  CHECK(absorbed.bytes_read == cache.bytes());
  CHECK(unpacked.bytes_read == cache.bytes());
  CHECK(absorbed.score_products == 40 * 4);
  CHECK(unpacked.score_products == 40 * 4);
  // Beside the queries, 2 * 48 * 320 in both: unpacking takes 2 * 40 * 32 * 64 for keys and values and 2 * 4 * 40 * 20
  // for attention; absorbing 2 * 4 * 32 * 16 for query and result and 2 * 4 * 40 * 68.
  CHECK(unpacked.flops == 2 * (48 * 320 + 40 * 32 * 64 + 4 * 40 * 20));
  CHECK(absorbed.flops == 2 * (48 * 320 + 4 * 32 * 16 + 4 * 40 * 68));
  CHECK(absorbed.flops * 2 < unpacked.flops);
}

TEST_CASE("latent attention refuses weights and tokens that do not fit") {
  std::mt19937_64 draws(5);
  LatentWeights weights = random_latent_weights(kSmallV2, draws);
  const Matrix hidden = random_matrix(2, kSmallV2.hidden, draws);
  const LatentCache cache = latent_cache_of(hidden, kSmallV2, weights);
  Work work;
  const Matrix more = random_matrix(3, kSmallV2.hidden, draws);
  CHECK_THROWS_WITH(attention_latent(more, cache, kSmallV2, weights, work),
                    "latent attention: 3 queries for 2 cached tokens");
  weights.up_key = Matrix::Zero(2, 2);
  CHECK_THROWS_WITH(attention_latent_absorbed(hidden, cache, kSmallV2, weights, work),
                    "latent: up_key has shape [2][2], expected [32][32]");
}
