#pragma once
// x[t] = table[token[t]]: the rows of the embedding that the tokens name.
//
//   rung    idea                            bytes moved a token   what to learn
//   number  one thread a number             2 w s + 4             a gather: rows lie anywhere in the table
//   packs   one thread 16 bytes at a time   2 w s + 4             the same bytes in 16 / s times fewer requests
//
// w: width, s: bytes of a number; 4: the id.

#include <cstddef>
#include <string>

#include "core/error.h"
#include "cuda/simt/host.h"
#include "cuda/simt/kernel.h"
#include "cuda/simt/vectors.h"

#if !SIMT_ON_DEVICE
#include "cuda/simt/emulator/fault.h"
#endif

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

template <typename T>
struct Embedding {
  gptr<const T> table;     ///< [vocab][width]
  gptr<const int> tokens;  ///< [count] ids
  gptr<T> x;               ///< [count][width]
  int count = 0;
  int vocab = 0;
  int width = 0;
};

/// Where the row of token `index` begins in the table. The emulator checks the id.
template <typename T>
__device__ __forceinline__ std::size_t embedding_row(const Embedding<T>& data, unsigned index) {
  const int token = data.tokens[index];
#if !SIMT_ON_DEVICE
  if (token < 0 || token >= data.vocab) {
    emulator::fault(emulator::FaultKind::bounds,
                    "token " + std::to_string(index) + " of the batch has the id " + std::to_string(token) +
                        "; the vocabulary has " + std::to_string(data.vocab),
                    emulator::Site::current());
  }
#endif
  return static_cast<std::size_t>(token) * static_cast<std::size_t>(data.width);
}

/// blockIdx.x: token. One thread a number.
template <typename T>
__global__ void embed_number(Embedding<T> data) {
  const gptr<const T> from = data.table + embedding_row(data, blockIdx.x);
  const gptr<T> to = data.x + static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(data.width);
  for (int i = static_cast<int>(threadIdx.x); i < data.width; i += static_cast<int>(blockDim.x)) to[i] = from[i];
}

/// The same, 16 bytes at a time.
template <typename T>
__global__ void embed_packs(Embedding<T> data) {
  const gptr<const T> from = data.table + embedding_row(data, blockIdx.x);
  const gptr<T> to = data.x + static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(data.width);
  constexpr int kCount = Pack<T>::kCount;
  for (int i = static_cast<int>(threadIdx.x) * kCount; i < data.width; i += static_cast<int>(blockDim.x) * kCount) {
    store_vec(to + i, load_vec<Pack<T>>(from + i));
  }
}

enum class EmbedRung { number, packs };

/// MisuseError when a row is no whole number of packs and the rung needs that.
template <typename T>
void embed(EmbedRung rung, Stream& stream, const Embedding<T>& data) {
  if (rung == EmbedRung::packs && !fits_packs<T>(data.width)) {
    throw MisuseError("embed: packs take rows of a multiple of " + std::to_string(Pack<T>::kCount) + " numbers, not " +
                      std::to_string(data.width));
  }
  if (data.count == 0) return;
  launch(rung == EmbedRung::packs ? embed_packs<T> : embed_number<T>, static_cast<unsigned>(data.count), 128, 0, stream,
         data);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
