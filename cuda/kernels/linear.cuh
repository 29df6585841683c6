#pragma once
// y[t][o] = sum_i x[t][i] weight[o][i] (+ bias[o]) (+ what was in y), added up in float.
//
//   rung    idea                                       bytes moved              what to learn
//   plain   one thread a result                        2 t o n s                each x is read o times, each weight t
//                                                                               times, and neighbours lie a row apart
//   tiled   a block computes 32 x 32 results from      t o n s (1/32 + 1/32)    shared memory: what a block loads
//           tiles of x and weight in shared memory                              once, 32 threads use
//   mma     64 x 128 results by matrix instructions,   t o n s (1/128 + 1/64)   tensor cores; the next tiles are copied
//           tiles come by asynchronous copies                                   while these are multiplied
//   few     one warp a column of up to 8 tokens,       o n s + t o n s of x     the floor of decoding: each weight is
//           16 bytes a lane                            (from the cache)         read once, whatever it costs in x
//
// t: tokens, o: outputs, n: inputs, s: bytes of a number; t and o rounded up to whole tiles, and all write t o numbers
// (and read them, and the bias, where these are added). Few tokens wait for memory, many for arithmetic: that is why
// there are two quick rungs.

#include <string>

#include "core/error.h"
#include "cuda/kernels/lane_groups.cuh"
#include "cuda/simt/cp_async.h"
#include "cuda/simt/host.h"
#include "cuda/simt/mma.h"
#include "cuda/simt/numbers.h"
#include "cuda/simt/vectors.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// Where the rows of x and y are parts of wider ones, and where each head has a product of its own. Bias and weight of
/// a head lie behind those of the head before.
struct LinearHeads {
  int count = 1;
  int x_stride = 0, y_stride = 0;  ///< from one token to the next; 0: inputs, and outputs
  int x_head = 0, y_head = 0;      ///< from one head to the next
};

/// x, y and weight do not overlap. Out may be float where T is small: logits, sums over layers.
template <typename T, typename Out>
struct Linear {
  gptr<const T> x;       ///< [tokens][inputs]
  gptr<const T> weight;  ///< [outputs][inputs]
  gptr<const T> bias;    ///< [outputs], or null
  gptr<Out> y;           ///< [tokens][outputs]
  int tokens = 0;
  int inputs = 0;
  int outputs = 0;
  bool adds = false;  ///< to what is in y, as the residual stream wants it
  LinearHeads heads = {};

  __host__ __device__ int x_stride() const { return heads.x_stride == 0 ? inputs : heads.x_stride; }
  __host__ __device__ int y_stride() const { return heads.y_stride == 0 ? outputs : heads.y_stride; }
  /// Moves everything to one head.
  __device__ __forceinline__ void go_to_head(unsigned head) {
    const auto h = static_cast<long long>(head);
    x = x + h * heads.x_head;
    y = y + h * heads.y_head;
    weight = weight + h * outputs * inputs;
    if (bias != nullptr) bias = bias + h * outputs;
  }
};

/// Writes one result.
template <typename T, typename Out>
__device__ __forceinline__ void finish_linear(const Linear<T, Out>& data, int token, int output, float sum) {
  const long long at = static_cast<long long>(token) * data.y_stride() + output;
  if (data.bias != nullptr) sum += to_float(data.bias[output]);
  if (data.adds) sum += to_float(static_cast<Out>(data.y[at]));
  data.y[at] = from_float<Out>(sum);
}

/// One thread a result; blockIdx.y: token, blockIdx.z: head, here as in the other rungs.
template <typename T, typename Out>
__global__ void linear_plain(Linear<T, Out> data) {
  const int output = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), token = static_cast<int>(blockIdx.y);
  if (output >= data.outputs) return;
  data.go_to_head(blockIdx.z);
  const gptr<const T> x = data.x + static_cast<long long>(token) * data.x_stride();
  const gptr<const T> weight = data.weight + static_cast<long long>(output) * data.inputs;
  float sum = 0;
  for (int i = 0; i < data.inputs; ++i) sum += to_float(x[i]) * to_float(weight[i]);
  SIMT_SHOW("sum", sum);
  finish_linear(data, token, output, sum);
}

inline constexpr int kLinearTile = 32;
/// Of threads: each thread computes kLinearTile / kLinearTileRows results of a column.
inline constexpr int kLinearTileRows = 8;

/// What a tile is loaded from: [rows][columns], each row `stride` numbers behind the one before.
template <typename T>
struct LinearMatrix {
  gptr<const T> begin;
  int rows, columns, stride;

  __device__ __forceinline__ bool has(int row, int column) const { return row < rows && column < columns; }
  __device__ __forceinline__ auto at(int row, int column) const {
    return begin + (static_cast<long long>(row) * stride + column);
  }
  __device__ __forceinline__ float number_or_zero(int row, int column) const {
    return has(row, column) ? to_float(at(row, column)[0]) : 0.0F;
  }
};

template <typename T, typename Out>
__device__ __forceinline__ LinearMatrix<T> x_of(const Linear<T, Out>& data) {
  return {data.x, data.tokens, data.inputs, data.x_stride()};
}
template <typename T, typename Out>
__device__ __forceinline__ LinearMatrix<T> weight_of(const Linear<T, Out>& data) {
  return {data.weight, data.outputs, data.inputs, data.inputs};
}

/// blockIdx: tile of outputs, tile of tokens; blockDim: kLinearTile, kLinearTileRows.
template <typename T, typename Out>
__global__ void linear_tiled(Linear<T, Out> data) {
  SIMT_SHARED(float[kLinearTile][kLinearTile], x_tile);
  // Lanes read down a column of weights: one number more a row spreads it over the banks.
  SIMT_SHARED(float[kLinearTile][kLinearTile + 1], weight_tile);
  data.go_to_head(blockIdx.z);
  const LinearMatrix<T> x = x_of(data), weights = weight_of(data);
  const int column = static_cast<int>(threadIdx.x), first_row = static_cast<int>(threadIdx.y);
  const int first_token = static_cast<int>(blockIdx.y) * kLinearTile,
            first_output = static_cast<int>(blockIdx.x) * kLinearTile;
  float sums[kLinearTile / kLinearTileRows] = {};
  for (int first = 0; first < data.inputs; first += kLinearTile) {
    for (int row = first_row; row < kLinearTile; row += kLinearTileRows) {
      x_tile[row][column] = x.number_or_zero(first_token + row, first + column);
      weight_tile[row][column] = weights.number_or_zero(first_output + row, first + column);
    }
    __syncthreads();
    for (int i = 0; i < kLinearTile; ++i) {
      const float weight = weight_tile[column][i];
      SIMT_UNROLL
      for (int j = 0; j < kLinearTile / kLinearTileRows; ++j)
        sums[j] += x_tile[first_row + kLinearTileRows * j][i] * weight;
    }
    SIMT_SHOW("sum", sums[0]);
    SIMT_PAUSE("tile");
    __syncthreads();
  }
  for (int j = 0; j < kLinearTile / kLinearTileRows; ++j) {
    const int token = first_token + first_row + kLinearTileRows * j, output = first_output + column;
    if (token < data.tokens && output < data.outputs) finish_linear(data, token, output, sums[j]);
  }
}

inline constexpr int kLinearMmaTokens = 64, kLinearMmaOutputs = 128;  ///< of a block: two by two warps, 32 x 64 each
inline constexpr int kLinearMmaStep = 64;                             ///< inputs of a tile
/// 144 bytes: the 8 rows that ldmatrix takes at once lie in all banks.
inline constexpr int kLinearMmaRow = kLinearMmaStep + 8;
inline constexpr unsigned kLinearMmaThreads = 128;

/// Two stages, each of a tile of x and a tile of weight.
template <typename T>
constexpr std::size_t linear_mma_shared_bytes() {
  return std::size_t{2} * (kLinearMmaTokens + kLinearMmaOutputs) * kLinearMmaRow * sizeof(T);
}

/// Begins to copy numbers [first, first + kLinearMmaStep) of kRows rows from `first_row` on; zeros outside.
template <int kRows, typename T>
__device__ __forceinline__ void copy_linear_tile(sptr<T> tile, const LinearMatrix<T>& matrix, int first_row,
                                                 int first) {
  constexpr int kPacks = kLinearMmaStep / 8;
  for (int i = static_cast<int>(threadIdx.x); i < kRows * kPacks; i += kLinearMmaThreads) {
    const int row = first_row + i / kPacks, column = first + i % kPacks * 8;
    const bool is_inside = matrix.has(row, column);
    cp_async16(tile + (i / kPacks * kLinearMmaRow + i % kPacks * 8), is_inside ? matrix.at(row, column) : matrix.begin,
               is_inside ? 16 : 0);
  }
}

/// Adds the product of one stage to a warp's 32 x 64 results: sums[2][8] matrices of 16 x 8.
template <typename T>
__device__ __forceinline__ void multiply_linear_stage(sptr<T> x_rows, sptr<T> weight_rows, float (&sums)[2][8][4]) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  SIMT_UNROLL
  for (int k = 0; k < kLinearMmaStep; k += 16) {
    std::uint32_t a[2][4];
    SIMT_UNROLL
    for (int m = 0; m < 2; ++m) {
      ldmatrix_x4<false>(a[m], x_rows + ((16 * m + lane % 16) * kLinearMmaRow + k + lane / 16 * 8));
    }
    SIMT_UNROLL
    for (int n = 0; n < 8; n += 2) {  // 16 outputs at once: two matrices B, each of two 8 x 8
      std::uint32_t b[4];
      ldmatrix_x4<false>(b, weight_rows + ((8 * n + lane % 8 + lane / 16 * 8) * kLinearMmaRow + k + lane / 8 % 2 * 8));
      SIMT_UNROLL
      for (int m = 0; m < 2; ++m) {
        mma_m16n8k16<T>(sums[m][n], a[m], {b[0], b[1]}, sums[m][n]);
        mma_m16n8k16<T>(sums[m][n + 1], a[m], {b[2], b[3]}, sums[m][n + 1]);
      }
    }
  }
}

/// blockIdx: tile of outputs, tile of tokens. T: f16 or bf16; inputs: a multiple of 8.
template <typename T, typename Out>
__global__ void linear_mma(Linear<T, Out> data) {
  constexpr int kStage = (kLinearMmaTokens + kLinearMmaOutputs) * kLinearMmaRow;  // first the tile of x
  SIMT_DYNAMIC_SHARED(T, stages);
  data.go_to_head(blockIdx.z);
  const int first_token = static_cast<int>(blockIdx.y) * kLinearMmaTokens;
  const int first_output = static_cast<int>(blockIdx.x) * kLinearMmaOutputs;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const int warp_token = warp / 2 * 32, warp_output = warp % 2 * 64;
  const auto copy_stage = [&](sptr<T> tiles, int first) {
    copy_linear_tile<kLinearMmaTokens, T>(tiles, x_of(data), first_token, first);
    copy_linear_tile<kLinearMmaOutputs, T>(tiles + kLinearMmaTokens * kLinearMmaRow, weight_of(data), first_output,
                                           first);
    cp_async_commit();
  };
  float sums[2][8][4] = {};
  copy_stage(stages, 0);
  for (int first = 0, stage = 0; first < data.inputs; first += kLinearMmaStep, stage ^= 1) {
    cp_async_wait<0>();  // what this thread copied has landed,
    __syncthreads();     // what all others copied too, and nobody reads the other stage any more:
    if (first + kLinearMmaStep < data.inputs) copy_stage(stages + (stage ^ 1) * kStage, first + kLinearMmaStep);
    const sptr<T> tiles = stages + stage * kStage;
    multiply_linear_stage<T>(tiles + warp_token * kLinearMmaRow,
                             tiles + (kLinearMmaTokens + warp_output) * kLinearMmaRow, sums);
    SIMT_SHOW("row", warp_token + c_row(lane, 0));
    SIMT_SHOW("column", warp_output + c_column(lane, 0));
    SIMT_SHOW("sum", sums[0][0][0]);
    SIMT_PAUSE("tile");
  }
  SIMT_UNROLL
  for (int m = 0; m < 2; ++m) {
    SIMT_UNROLL
    for (int n = 0; n < 8; ++n) {
      SIMT_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int token = first_token + warp_token + 16 * m + c_row(lane, i);
        const int output = first_output + warp_output + 8 * n + c_column(lane, i);
        if (token < data.tokens && output < data.outputs) finish_linear(data, token, output, sums[m][n][i]);
      }
    }
  }
}

inline constexpr int kLinearFewTokens = 8;

/// One warp an output; blockIdx.y: group of kLinearFewTokens tokens. inputs: a multiple of Pack<T>::kCount.
template <typename T, typename Out>
__global__ void linear_few(Linear<T, Out> data) {
  constexpr int kCount = Pack<T>::kCount;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int output = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (output >= data.outputs) return;  // the whole warp
  data.go_to_head(blockIdx.z);
  const int first_token = static_cast<int>(blockIdx.y) * kLinearFewTokens;
  const int tokens = data.tokens - first_token;  // kLinearFewTokens of them at most
  const gptr<const T> x = data.x + static_cast<long long>(first_token) * data.x_stride();
  const gptr<const T> weight = data.weight + static_cast<long long>(output) * data.inputs;
  float sums[kLinearFewTokens] = {};
  for (int i = lane * kCount; i < data.inputs; i += 32 * kCount) {
    const Pack<T> weights = load_vec<Pack<T>>(weight + i);
    SIMT_UNROLL
    for (int t = 0; t < kLinearFewTokens; ++t) {
      if (t >= tokens) break;
      const Pack<T> numbers = load_vec<Pack<T>>(x + (static_cast<long long>(t) * data.x_stride() + i));
      SIMT_UNROLL
      for (int j = 0; j < kCount; ++j) sums[t] += to_float(weights.at[j]) * to_float(numbers.at[j]);
    }
  }
  SIMT_UNROLL
  for (int t = 0; t < kLinearFewTokens; ++t) {
    const float sum = warp_sum(sums[t]);
    if (lane == 0 && t < tokens) finish_linear(data, first_token + t, output, sum);
  }
}

enum class LinearRung { plain, tiled, mma, few };

/// Whether a rung can take rows of `inputs` numbers.
template <typename T>
constexpr bool fits_linear(LinearRung rung, int inputs) {
  if (rung == LinearRung::mma) return sizeof(T) == 2 && inputs % 8 == 0;
  if (rung == LinearRung::few) return fits_packs<T>(inputs);
  return true;
}

/// Whether a rung can take the rows of a call, wherever they begin.
template <typename T, typename Out>
bool fits_linear(LinearRung rung, const Linear<T, Out>& data) {
  return fits_linear<T>(rung, data.inputs) && fits_linear<T>(rung, data.x_stride()) &&
         fits_linear<T>(rung, data.heads.x_head);
}

/// The quickest rung that can take the problem.
template <typename T, typename Out>
LinearRung best_linear(const Linear<T, Out>& data) {
  if (data.tokens <= kLinearFewTokens && fits_linear(LinearRung::few, data)) return LinearRung::few;
  if (fits_linear(LinearRung::mma, data)) return LinearRung::mma;
  return data.tokens <= kLinearFewTokens ? LinearRung::plain : LinearRung::tiled;
}

/// For a message.
inline std::string strides_of(const LinearHeads& heads) {
  if (heads.x_stride == 0 && heads.x_head == 0) return "";
  return ", " + std::to_string(heads.x_stride) + " apart, of heads " + std::to_string(heads.x_head) + " apart";
}

/// MisuseError when the rung cannot take the rows, or for T: the matrix instructions here multiply 16-bit numbers.
template <typename T, typename Out>
void linear(LinearRung rung, Stream& stream, const Linear<T, Out>& data) {
  if (!fits_linear(rung, data)) {
    throw MisuseError(rung == LinearRung::mma
                          ? "linear: mma takes 16-bit numbers and rows of a multiple of 8 of them, not " +
                                std::to_string(8 * sizeof(T)) + "-bit numbers in rows of " +
                                std::to_string(data.inputs) + strides_of(data.heads)
                          : "linear: few takes rows of a multiple of " + std::to_string(Pack<T>::kCount) +
                                " numbers, not of " + std::to_string(data.inputs) + strides_of(data.heads));
  }
  if (data.tokens == 0) return;
  const auto blocks = [](int count, int of) { return static_cast<unsigned>((count + of - 1) / of); };
  const auto tokens = static_cast<unsigned>(data.tokens), heads = static_cast<unsigned>(data.heads.count);
  if (rung == LinearRung::plain) {
    launch(linear_plain<T, Out>, dim3(blocks(data.outputs, 128), tokens, heads), 128, 0, stream, data);
  } else if (rung == LinearRung::tiled) {
    launch(linear_tiled<T, Out>, dim3(blocks(data.outputs, kLinearTile), blocks(data.tokens, kLinearTile), heads),
           dim3(kLinearTile, kLinearTileRows), 0, stream, data);
  } else if (rung == LinearRung::few) {
    launch(linear_few<T, Out>, dim3(blocks(data.outputs, 4), blocks(data.tokens, kLinearFewTokens), heads), 128, 0,
           stream, data);
  } else if constexpr (sizeof(T) == 2) {
    launch(linear_mma<T, Out>,
           dim3(blocks(data.outputs, kLinearMmaOutputs), blocks(data.tokens, kLinearMmaTokens), heads),
           kLinearMmaThreads, linear_mma_shared_bytes<T>(), stream, data);
  }
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
