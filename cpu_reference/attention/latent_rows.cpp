#include "cpu_reference/attention/latent_rows.h"

#include <algorithm>

#include "cpu_reference/operators/linear.h"
#include "cpu_reference/quant/dequantize.h"

namespace kvarium::cpu {
namespace {

constexpr Index kColumns = 512;  // of a row of weights that are widened at a time: a multiple of every type's block

std::uint64_t count(Index number) { return static_cast<std::uint64_t>(number); }

Index key_width(const LatentShape& shape) { return shape.head_dim + shape.rotary_dim; }
Index row_width(const LatentShape& shape) { return shape.latent_dim + shape.rotary_dim; }
Index rows_of_head(const LatentShape& shape) { return shape.head_dim + shape.value_dim; }

void expect_up(const LatentShape& shape, const WeightMatrix& up) {
  if (up.rows == shape.heads * rows_of_head(shape) && up.columns == shape.latent_dim) return;
  throw MisuseError(fmt::format("latent: up has shape [{}][{}], expected [{}][{}]", up.rows, up.columns,
                                shape.heads * rows_of_head(shape), shape.latent_dim));
}

/// `rows` rows of the weight from `first` on.
WeightMatrix part(const WeightMatrix& weight, Index first, Index rows) {
  return {weight.type, rows, weight.columns, weight.row(first)};
}

/// y = x W, the other way than linear(): row r of the weight is added x[t][r] times.
void multiply_back(const MatrixIn& x,           // [tokens][rows]
                   const WeightMatrix& weight,  // [rows][columns]
                   MatrixInOut y) {             // [tokens][columns]
  alignas(64) float tile[kColumns];
  y.setZero();
  for (Index r = 0; r < weight.rows; ++r) {
    for (Index c = 0; c < weight.columns; c += kColumns) {
      const Index columns = std::min(kColumns, weight.columns - c);
      const std::uint64_t before = row_bytes(weight.type, count(c));
      dequantize_row(weight.type, weight.row(r) + before, columns, tile);
      for (Index t = 0; t < x.rows(); ++t) {
        const float times = x(t, r);
        float* const to = y.row(t).data() + c;
        for (Index i = 0; i < columns; ++i) to[i] += times * tile[i];
      }
    }
  }
}

}  // namespace

LatentShape latent_shape(const ModelConfig& config) {
  const ModelShape& shape = config.shape;
  return {Index{shape.hidden},         Index{shape.query_heads},       Index{shape.head_dim},
          Index{shape.rotary_key_dim}, Index{config.value_head_dim()}, Index{shape.latent_dim}};
}

void unpack_latent(const MatrixIn& rows, const LatentShape& shape, const WeightMatrix& up, Matrix& keys, Matrix& values,
                   ThreadPool& threads, Work& work) {
  expect_up(shape, up);
  expect_shape(rows, rows.rows(), row_width(shape), "unpack_latent: rows");
  Matrix both(rows.rows(), up.rows);
  linear(rows.leftCols(shape.latent_dim), up, both, threads, work);
  keys.resize(rows.rows(), shape.heads * key_width(shape));
  values.resize(rows.rows(), shape.heads * shape.value_dim);
  for (Index h = 0; h < shape.heads; ++h) {
    const Index from = h * rows_of_head(shape);
    keys.middleCols(h * key_width(shape), shape.head_dim) = both.middleCols(from, shape.head_dim);
    keys.middleCols(h * key_width(shape) + shape.head_dim, shape.rotary_dim) = rows.rightCols(shape.rotary_dim);
    values.middleCols(h * shape.value_dim, shape.value_dim) = both.middleCols(from + shape.head_dim, shape.value_dim);
  }
}

void absorb_queries(const MatrixIn& queries, const LatentShape& shape, const WeightMatrix& up, MatrixInOut absorbed,
                    ThreadPool& threads, Work& work) {
  expect_up(shape, up);
  expect_shape(queries, queries.rows(), shape.heads * key_width(shape), "absorb_queries: queries");
  expect_shape(absorbed, queries.rows(), shape.heads * row_width(shape), "absorb_queries: absorbed");
  threads.for_each(static_cast<std::uint32_t>(shape.heads), [&](std::uint32_t head) {
    const Index h = head;
    const auto query = queries.middleCols(h * key_width(shape), key_width(shape));
    auto wide = absorbed.middleCols(h * row_width(shape), row_width(shape));
    multiply_back(query.leftCols(shape.head_dim), part(up, h * rows_of_head(shape), shape.head_dim),
                  wide.leftCols(shape.latent_dim));
    wide.rightCols(shape.rotary_dim) = query.rightCols(shape.rotary_dim);
  });
  const Index numbers = shape.heads * shape.head_dim * shape.latent_dim;
  work.flops += 2 * count(queries.rows() * numbers);
  work.bytes_read += count(shape.heads * shape.head_dim) * row_bytes(up.type, count(up.columns));
}

void unpack_sums(const MatrixIn& latents, const LatentShape& shape, const WeightMatrix& up, MatrixInOut out,
                 ThreadPool& threads, Work& work) {
  expect_up(shape, up);
  expect_shape(latents, latents.rows(), shape.heads * shape.latent_dim, "unpack_sums: latents");
  expect_shape(out, latents.rows(), shape.heads * shape.value_dim, "unpack_sums: out");
  for (Index h = 0; h < shape.heads; ++h) {
    linear(latents.middleCols(h * shape.latent_dim, shape.latent_dim),
           part(up, h * rows_of_head(shape) + shape.head_dim, shape.value_dim),
           out.middleCols(h * shape.value_dim, shape.value_dim), threads, work);
  }
}

}  // namespace kvarium::cpu
