#pragma once
// Latent rows in a paged cache: a DecodeProblem with one KV head, whose values are the first numbers of its keys.

#include <vector>

#include "cuda/kernels/attention_mla.cuh"
#include "tests/cuda/kernels/decode_problem.h"

namespace kvarium_test {

template <typename T>
struct MlaProblem {
  MlaProblem(unsigned block_size, unsigned latent, unsigned rotary, unsigned heads, unsigned new_tokens,
             const std::vector<unsigned>& lengths)
      : rows({{block_size, 1, latent + rotary}, heads, new_tokens}, lengths), latent_dim(latent) {
    rows.values = rows.keys;
  }

  DecodeResult<T> run(AttentionMlaRung rung, unsigned splits = 3) const {
    DeviceBuffer<float> part_out(rows.heads() * splits * latent_dim), part_lse(rows.heads() * splits);
    return run_with([&](Stream& stream, const AttentionMla<T>& call) {
      attention_mla(rung, stream, call, {part_out.ptr(), part_lse.ptr(), splits});
    });
  }

  /// Calls attend(stream, call), an AttentionMla<T>, on buffers of the device.
  template <typename Attend>
  DecodeResult<T> run_with(const Attend& attend) const {
    DecodeResult<T> result;
    rows.run_with([&](Stream& stream, const AttentionDecode<T>& plain) {
      DeviceBuffer<T> out(rows.heads() * latent_dim, "out");
      DeviceBuffer<float> lse(rows.heads(), "lse");
      AttentionMla<T> call;
      call.queries = plain.queries;
      call.kv = {plain.kv.keys, plain.kv.layout, plain.kv.tables};
      call.lengths = plain.lengths;
      call.out = out.ptr();
      call.lse = lse.ptr();
      call.sequences = plain.sequences;
      call.new_tokens = plain.new_tokens;
      call.heads = plain.query_heads;
      call.latent_dim = latent_dim;
      call.scale = plain.scale;
      attend(stream, call);
      stream.synchronize();
      result = {out.download(), lse.download()};
    });
    return result;
  }

  /// In units of what is allowed, as DecodeProblem::error().
  double error(const DecodeResult<T>& got) const { return rows.error(got, latent_dim); }

  DecodeProblem<T> rows;
  unsigned latent_dim;
};

}  // namespace kvarium_test
