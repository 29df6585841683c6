#pragma once
// attention_decode over a cache of codes of 8 or 4 bits (quantized_pack.cuh), each head of each token with scales of
// its own for K and for V, as quantize_kv leaves it. The numbers are dequantized in registers: between the cache and
// the multiprocessors only codes move.
//
//   rung     idea                           bytes moved a new token        what to learn
//   vectors  as in attention_decode,        h t (2 n (d c + 4 l) + 4 n)    a half or a quarter of the bytes, the same
//            8 codes in each of l lanes     + H (1024 s + d s)             sums, more instructions a number
//   split    as there
//
// As in attention_decode.cuh; c: bytes of a number in the cache (1 or 1/2), l = d / 8: every lane loads the scale,
// which is one request of the warp. 1024 s: 8 numbers of the query in each of 128 threads.

#include "cuda/kernels/attention_decode.cuh"
#include "cuda/kernels/quantized_pack.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// K and V of one layer as codes, and where each sequence's are.
template <typename Code>
struct QuantizedPagedKv {
  gptr<const Code> keys;           ///< [block][slot][kv_head][head_dim / numbers in a code]
  gptr<const Code> values;         ///< the same
  gptr<const float> key_scales;    ///< [block][slot][kv_head]
  gptr<const float> value_scales;  ///< the same
  KvLayout layout;
  BlockTables tables;
};

template <typename Code, int dim>
struct KvLanes<QuantizedPagedKv<Code>, dim> {
  static constexpr int kNumbers = 8;
  using Codes = QuantizedPack<Code, kNumbers>;
  struct Held {
    Words<Codes> codes;
    float scale;
  };

  static __device__ __forceinline__ Held load(gptr<const Code> codes, gptr<const float> scales, unsigned row,
                                              unsigned column) {
    const std::size_t first = (std::size_t{row} * dim + column) / CodeFormat<Code>::kNumbers;
    return {load_vec<Words<Codes>>(codes + first), scales[row]};
  }
  static __device__ __forceinline__ Held key(const QuantizedPagedKv<Code>& kv, unsigned row, unsigned column) {
    return load(kv.keys, kv.key_scales, row, column);
  }
  static __device__ __forceinline__ Held value(const QuantizedPagedKv<Code>& kv, unsigned row, unsigned column) {
    return load(kv.values, kv.value_scales, row, column);
  }
  static __device__ __forceinline__ void unpack(const Held& held, float (&numbers)[kNumbers]) {
    dequantize(held.codes.unpacked(), held.scale, numbers);
  }
};

template <typename T, typename Code>
using QuantizedAttentionDecode = AttentionDecode<T, QuantizedPagedKv<Code>>;

/// Rungs vectors (parts.splits is 1) and split. Errors as attention_decode().
template <typename T, typename Code>
void attention_decode_quantized(Stream& stream, const QuantizedAttentionDecode<T, Code>& call,
                                const DecodeParts& parts = {}) {
  expect_fits(call);
  if (call.rows() == 0) return;
  attention_decode_vectors_or_split(stream, call, parts);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
