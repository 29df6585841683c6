#pragma once
// How the lanes that share a key read its row of K or V: each has `kNumbers` neighbouring numbers of it, loaded at once
// and held as they are in memory, in few registers, until they are needed.

#include <cstring>

#include "cuda/kernels/block_table.cuh"
#include "cuda/simt/numbers.h"
#include "cuda/simt/vectors.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// The bytes of a `Packed` in whole registers: one that is held as such would take a register for each of its elements.
template <typename Packed>
struct alignas(Packed) Words {
  static_assert(sizeof(Packed) % 4 == 0, "a register holds 4 bytes");
  std::uint32_t at[sizeof(Packed) / 4];

  __device__ __forceinline__ Packed unpacked() const {
    Packed packed;
    memcpy(&packed, at, sizeof packed);
    return packed;
  }
};

/// For a cache `Kv` of heads of `dim` numbers. A row is one head of one token, counted through the whole cache; the
/// lane has the numbers from `column` on.
template <typename Kv, int dim>
struct KvLanes;

template <typename T, int dim>
struct KvLanes<PagedKv<T>, dim> {
  static constexpr int kNumbers = Pack<T>::kCount;
  using Held = Words<Pack<T>>;

  static __device__ __forceinline__ Held key(const PagedKv<T>& kv, unsigned row, unsigned column) {
    return load_vec<Held>(kv.keys + (std::size_t{row} * dim + column));
  }
  static __device__ __forceinline__ Held value(const PagedKv<T>& kv, unsigned row, unsigned column) {
    return load_vec<Held>(kv.values + (std::size_t{row} * dim + column));
  }
  static __device__ __forceinline__ void unpack(const Held& held, float (&numbers)[kNumbers]) {
    const Pack<T> pack = held.unpacked();
    SIMT_UNROLL
    for (int i = 0; i < kNumbers; ++i) numbers[i] = to_float(pack.at[i]);
  }
};

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
