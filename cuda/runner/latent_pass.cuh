#pragma once
// The attention of a layer with latent attention (DeepSeek-V2, section 2.1), absorbed: no key or value is computed.
// Included by kernel_pass.cuh.

#include <cmath>

#include "cuda/runner/kernel_pass.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// Queries and sums go to the width of the cached rows and back: each head by a matrix of its own.
template <typename T>
void KernelPass<T>::latent_attention(std::size_t l) {
  const DeviceLayer<T>& layer = weights_.layers[l];
  const auto heads = static_cast<int>(model_.shape.query_heads), head_dim = static_cast<int>(model_.shape.head_dim),
             latent = static_cast<int>(model_.shape.latent_dim), value_dim = static_cast<int>(model_.value_dim),
             row = static_cast<int>(key_row_width(model_.shape));
  project_latent(layer);
  multiply_heads(space_.queries, layer.absorb, space_.absorbed, 0, model_.shape.head_dim, model_.shape.latent_dim,
                 {heads, heads * head_dim, heads * row, head_dim, row});
  store(l);
  attend_latent(l);
  multiply_heads(space_.latent_sums, layer.unpack, space_.attended, 0, model_.shape.latent_dim, model_.value_dim,
                 {heads, heads * latent, heads * value_dim, latent, value_dim});
}

/// The queries; their rotated parts, each where it stands in its head's absorbed query; and the rows to be cached,
/// [norm(W^DKV n) ; rope(W^KR n)].
template <typename T>
void KernelPass<T>::project_latent(const DeviceLayer<T>& layer) {
  const ModelShape& shape = model_.shape;
  const auto heads = static_cast<int>(shape.query_heads), latent = static_cast<int>(shape.latent_dim),
             row = static_cast<int>(key_row_width(shape));
  multiply(space_.normed, layer.query.ptr(), nullptr, space_.queries, tokens_, PassSpace<T>::query_width(shape), false);
  multiply_heads(space_.normed, layer.query_rotary, space_.absorbed, latent, shape.hidden, shape.rotary_key_dim,
                 {heads, 0, heads * row, 0, row});
  rotate_heads(space_.absorbed, shape.query_heads, key_row_width(shape), shape.latent_dim);
  multiply(space_.normed, layer.latent_down.ptr(), nullptr, space_.latents, tokens_, shape.latent_dim, false);
  const bool fits = fits_block<T>(latent) && fits_packs<T>(row);
  rms_norm<T>(fits ? RmsNormRung::block_a_token : RmsNormRung::warp_a_token, stream_,
              std::as_const(space_.latents).ptr(), layer.latent_norm.ptr(), model_.latent_norm_epsilon,
              space_.keys.ptr(), tokens_, latent, row);
  multiply_heads(space_.normed, layer.key_rotary, space_.keys, latent, shape.hidden, shape.rotary_key_dim,
                 {1, 0, row, 0, 0});
  rotate_heads(space_.keys, 1, key_row_width(shape), shape.latent_dim);
}

/// Each token reads the cache as the last one of a sequence of its own (FlatBatch).
template <typename T>
void KernelPass<T>::attend_latent(std::size_t l) {
  AttentionMla<T> call;
  call.queries = space_.absorbed.ptr();
  call.kv = {layer_of(cache_.keys, l), cache_.layout, tables()};
  call.lengths = batch_.lengths.ptr();
  call.out = space_.latent_sums.ptr();
  call.lse = nullptr;
  call.sequences = static_cast<unsigned>(tokens_);
  call.heads = model_.shape.query_heads;
  call.latent_dim = model_.shape.latent_dim;
  call.scale = 1 / std::sqrt(static_cast<float>(model_.shape.head_dim + model_.shape.rotary_key_dim));
  const unsigned splits = attention_mla_splits(call, longest());
  attention_mla(AttentionMlaRung::split, stream_, call,
                parts_of(splits, std::size_t{call.sequences} * call.heads, call.latent_dim));
}

/// One product a head; the results begin at number `first` of y.
template <typename T>
void KernelPass<T>::multiply_heads(const DeviceBuffer<T>& x, const DeviceTensor<T>& weight, DeviceBuffer<T>& y,
                                   int first, std::size_t inputs, std::size_t outputs, const LinearHeads& heads) {
  const Linear<T, T> data{
      x.ptr(), weight.ptr(), nullptr, y.ptr() + first, tokens_, static_cast<int>(inputs), static_cast<int>(outputs),
      false,   heads};
  linear(best_linear(data), stream_, data);
}

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
