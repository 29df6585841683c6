#include "cpu_reference/attention/latent.h"

#include <cmath>

#include "cpu_reference/operators/rope.h"
#include "cpu_reference/operators/softmax.h"

namespace kvarium::cpu {
namespace {

std::uint64_t count(Index number) { return static_cast<std::uint64_t>(number); }

/// x W^T, counted.
Matrix product(const MatrixIn& x, const MatrixIn& weight, Work& work) {
  work.flops += 2 * count(x.rows()) * count(weight.rows()) * count(weight.cols());
  return x * weight.transpose();
}

/// [tokens][heads * (head_dim + rotary_dim)], the last part of each head rotated.
Matrix queries_of(const MatrixIn& hidden, const LatentCache& cache, const LatentShape& shape,
                  const LatentWeights& weights, Work& work) {
  Matrix queries = product(hidden, weights.query, work);
  const auto tokens = static_cast<std::uint32_t>(hidden.rows());
  const RopeAngles angles =
      rope_angles(cache.length() - tokens, tokens, static_cast<std::uint32_t>(shape.rotary_dim), cache.rope_theta());
  const Index width = shape.head_dim + shape.rotary_dim;
  for (Index h = 0; h < shape.heads; ++h) {
    rope(queries.middleCols(h * width + shape.head_dim, shape.rotary_dim), static_cast<std::uint32_t>(shape.rotary_dim),
         angles, cache.pairs());
  }
  return queries;
}

void expect_fits(const MatrixIn& hidden, const LatentCache& cache, const LatentShape& shape,
                 const LatentWeights& weights) {
  expect_valid(shape, weights);
  expect_shape(hidden, hidden.rows(), shape.hidden, "latent attention: hidden");
  expect_shape(cache.rows(), Index{cache.length()}, shape.latent_dim + shape.rotary_dim, "latent attention: cache");
  if (hidden.rows() > Index{cache.length()}) {
    throw MisuseError(fmt::format("latent attention: {} queries for {} cached tokens", hidden.rows(), cache.length()));
  }
}

/// softmax over the tokens that the query at row t sees, of scores that `width` products each made.
Matrix weights_of(Matrix scores, const LatentShape& shape, Index width, Work& work) {
  scores /= std::sqrt(static_cast<float>(shape.head_dim + shape.rotary_dim));
  softmax(scores);
  work.score_products += count(scores.cols());
  work.flops += 2 * count(scores.cols() * width);
  return scores;
}

}  // namespace

void expect_valid(const LatentShape& shape, const LatentWeights& weights) {
  expect_shape(weights.query, shape.heads * (shape.head_dim + shape.rotary_dim), shape.hidden, "latent: query");
  expect_shape(weights.down, shape.latent_dim, shape.hidden, "latent: down");
  expect_shape(weights.rotary_key, shape.rotary_dim, shape.hidden, "latent: rotary_key");
  expect_shape(weights.up_key, shape.heads * shape.head_dim, shape.latent_dim, "latent: up_key");
  expect_shape(weights.up_value, shape.heads * shape.value_dim, shape.latent_dim, "latent: up_value");
  if (shape.rotary_dim % 2 != 0) throw MisuseError(fmt::format("latent: rotary_dim {} is odd", shape.rotary_dim));
}

LatentCache::LatentCache(const LatentShape& shape, float rope_theta, RopePairs pairs)
    : shape_(shape), rope_theta_(rope_theta), pairs_(pairs), rows_(0, shape.latent_dim + shape.rotary_dim) {}

void LatentCache::append(const MatrixIn& hidden, const LatentWeights& weights, Work& work) {
  expect_valid(shape_, weights);
  expect_shape(hidden, hidden.rows(), shape_.hidden, "latent: hidden");
  const auto tokens = static_cast<std::uint32_t>(hidden.rows());
  Matrix rotary_keys = product(hidden, weights.rotary_key, work);
  rope(rotary_keys, static_cast<std::uint32_t>(shape_.rotary_dim),
       rope_angles(length(), tokens, static_cast<std::uint32_t>(shape_.rotary_dim), rope_theta_), pairs_);
  const Index old = rows_.rows();
  rows_.conservativeResize(old + hidden.rows(), Eigen::NoChange);
  rows_.bottomRows(hidden.rows()) << product(hidden, weights.down, work), rotary_keys;
  work.kv_projections += tokens;
}

Matrix attention_latent(const MatrixIn& hidden, const LatentCache& cache, const LatentShape& shape,
                        const LatentWeights& weights, Work& work) {
  expect_fits(hidden, cache, shape, weights);
  const Index first = Index{cache.length()} - hidden.rows(), key_width = shape.head_dim + shape.rotary_dim;
  const Matrix queries = queries_of(hidden, cache, shape, weights, work);
  const auto latents = cache.rows().leftCols(shape.latent_dim);
  const auto rotary_keys = cache.rows().rightCols(shape.rotary_dim);
  const Matrix keys = product(latents, weights.up_key, work);      // [length][heads * head_dim]
  const Matrix values = product(latents, weights.up_value, work);  // [length][heads * value_dim]

  Matrix out(hidden.rows(), shape.heads * shape.value_dim);
  for (Index t = 0; t < hidden.rows(); ++t) {
    const Index visible = first + t + 1;
    for (Index h = 0; h < shape.heads; ++h) {
      const auto query = queries.row(t).segment(h * key_width, key_width);
      const auto key = keys.block(0, h * shape.head_dim, visible, shape.head_dim);
      const Matrix shares = weights_of(query.head(shape.head_dim) * key.transpose() +
                                           query.tail(shape.rotary_dim) * rotary_keys.topRows(visible).transpose(),
                                       shape, key_width, work);
      out.row(t).segment(h * shape.value_dim, shape.value_dim) =
          shares * values.block(0, h * shape.value_dim, visible, shape.value_dim);
      work.flops += 2 * count(visible * shape.value_dim);
    }
    work.bytes_read += bytes_of(cache.rows().topRows(visible));
  }
  return out;
}

Matrix attention_latent_absorbed(const MatrixIn& hidden, const LatentCache& cache, const LatentShape& shape,
                                 const LatentWeights& weights, Work& work) {
  expect_fits(hidden, cache, shape, weights);
  const Index first = Index{cache.length()} - hidden.rows(), key_width = shape.head_dim + shape.rotary_dim;
  const Matrix queries = queries_of(hidden, cache, shape, weights, work);
  Matrix out(hidden.rows(), shape.heads * shape.value_dim);
  for (Index t = 0; t < hidden.rows(); ++t) {
    const Index visible = first + t + 1;
    const auto rows = cache.rows().topRows(visible);
    for (Index h = 0; h < shape.heads; ++h) {
      const auto query = queries.row(t).segment(h * key_width, key_width);
      Matrix wide(1, rows.cols());  // [W^UK_h^T q ; q^R]: one product with a cached row is the score
      wide << query.head(shape.head_dim) * weights.up_key.middleRows(h * shape.head_dim, shape.head_dim),
          query.tail(shape.rotary_dim);
      const Matrix shares = weights_of(wide * rows.transpose(), shape, rows.cols(), work);
      const Matrix latent = shares * rows.leftCols(shape.latent_dim);  // sum_j share_j c_j
      out.row(t).segment(h * shape.value_dim, shape.value_dim) =
          latent * weights.up_value.middleRows(h * shape.value_dim, shape.value_dim).transpose();
      work.flops += 2 * count(shape.latent_dim * (shape.head_dim + visible + shape.value_dim));
    }
    work.bytes_read += bytes_of(rows);
  }
  return out;
}

}  // namespace kvarium::cpu
