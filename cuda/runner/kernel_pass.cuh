#pragma once
// One forward pass over the kernels: the equations of cpu_reference/model/pass.h, each line a launch.

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "cuda/kernels/attention_decode.cuh"
#include "cuda/kernels/attention_mla.cuh"
#include "cuda/kernels/attention_prefill.cuh"
#include "cuda/kernels/copy_blocks.cuh"
#include "cuda/kernels/embed.cuh"
#include "cuda/kernels/linear.cuh"
#include "cuda/kernels/rms_norm.cuh"
#include "cuda/kernels/rope.cuh"
#include "cuda/kernels/store_kv.cuh"
#include "cuda/kernels/swiglu.cuh"
#include "cuda/runner/device_batch.cuh"
#include "cuda/runner/device_weights.cuh"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

/// What is computed on the way, for so many tokens and rows of logits: [tokens][width] each.
template <typename T>
struct PassSpace {
  PassSpace(const PlainModel& model, std::size_t tokens, std::size_t rows)
      : x(tokens * model.shape.hidden, "x"),
        normed(tokens * model.shape.hidden, "normed"),
        queries(tokens * query_width(model.shape), "queries"),
        other_queries(queries.size(), "normed queries"),
        keys(tokens * key_row_width(model.shape), "keys"),
        other_keys(keys.size(), "normed keys"),
        values(tokens * value_row_width(model.shape), "values"),
        latents(is_latent(model) ? tokens * model.shape.latent_dim : 0, "latents"),
        absorbed(is_latent(model) ? tokens * model.shape.query_heads * key_row_width(model.shape) : 0, "absorbed"),
        latent_sums(latents.size() * model.shape.query_heads, "latent sums"),
        attended(tokens * model.shape.query_heads * model.value_dim, "attended"),
        gate(tokens * model.ffn_hidden, "gate"),
        up(gate.size(), "up"),
        last(rows * model.shape.hidden, "last"),
        normed_last(last.size(), "normed last"),
        cosines(tokens * model.rope_frequencies.size(), "cosines"),
        sines(cosines.size(), "sines"),
        logits(rows * model.shape.vocab, "logits") {}

  static std::size_t query_width(const ModelShape& shape) { return std::size_t{shape.query_heads} * shape.head_dim; }

  DeviceBuffer<T> x;       ///< the residual stream
  DeviceBuffer<T> normed;  ///< what a layer's part reads of it
  DeviceBuffer<T> queries, other_queries, keys, other_keys, values;
  DeviceBuffer<T> latents, absorbed, latent_sums;  ///< of a model with a latent cache, whose rows are in `keys`
  DeviceBuffer<T> attended;
  DeviceBuffer<T> gate, up;
  DeviceBuffer<T> last, normed_last;  ///< of the tokens whose logits are wanted
  DeviceBuffer<float> cosines, sines;
  DeviceBuffer<float> logits;
};

/// A pass of one batch. The model, weights, cache and space must stay until it has run.
template <typename T>
class KernelPass {
 public:
  KernelPass(const PlainModel& model, const DeviceWeights<T>& weights, const DeviceBuffer<double>& frequencies,
             const CacheOfLayers<T>& cache, const FlatBatch& flat, PassSpace<T>& space, Stream& stream)
      : model_(model),
        weights_(weights),
        frequencies_(frequencies),
        cache_(cache),
        flat_(flat),
        batch_(flat),
        space_(space),
        stream_(stream),
        tokens_(static_cast<int>(flat.tokens.size())) {}

  /// Begins everything; the logits are there when the stream has come by.
  void run() {
    const auto hidden = static_cast<int>(model_.shape.hidden);
    gather(weights_.embedding.ptr(), batch_.tokens, model_.shape.vocab, space_.x);
    rope_angles(stream_, batch_.positions.ptr(), frequencies_.ptr(), space_.cosines.ptr(), space_.sines.ptr(), tokens_,
                static_cast<int>(model_.rope_frequencies.size()));
    for (std::size_t l = 0; l < weights_.layers.size(); ++l) {
      attention(l);
      feed_forward(weights_.layers[l]);
    }
    const auto rows = static_cast<int>(flat_.logit_rows.size());
    gather(std::as_const(space_.x).ptr(), batch_.logit_rows, flat_.tokens.size(), space_.last);
    normalise(space_.last, weights_.final_norm, space_.normed_last, rows, hidden);
    multiply(space_.normed_last, weights_.head_or_embedding(), nullptr, space_.logits, rows, model_.shape.vocab, false);
  }

 private:
  /// to[i] = from[rows[i]]
  void gather(gptr<const T> from, const DeviceBuffer<int>& rows, std::size_t count, DeviceBuffer<T>& to) {
    const auto hidden = static_cast<int>(model_.shape.hidden);
    const EmbedRung rung = fits_packs<T>(hidden) ? EmbedRung::packs : EmbedRung::number;
    embed<T>(rung, stream_,
             {from, rows.ptr(), to.ptr(), static_cast<int>(rows.size()), static_cast<int>(count), hidden});
  }

  void normalise(const DeviceBuffer<T>& x, const DeviceTensor<T>& weight, DeviceBuffer<T>& y, int rows, int width) {
    const RmsNormRung rung = fits_block<T>(width) ? RmsNormRung::block_a_token : RmsNormRung::warp_a_token;
    rms_norm<T>(rung, stream_, x.ptr(), weight.ptr(), model_.norm_epsilon, y.ptr(), rows, width);
  }

  /// y = weight x (+ bias), or y += weight x
  template <typename Out>
  void multiply(const DeviceBuffer<T>& x, gptr<const T> weight, gptr<const T> bias, DeviceBuffer<Out>& y, int rows,
                std::size_t outputs, bool adds) {
    const auto inputs = static_cast<int>(x.size() / static_cast<std::size_t>(rows));
    const Linear<T, Out> data{x.ptr(), weight, bias, y.ptr(), rows, inputs, static_cast<int>(outputs), adds};
    linear(best_linear(data), stream_, data);
  }

  /// x += Wo attention(n) with n = norm(x)
  void attention(std::size_t l) {
    const DeviceLayer<T>& layer = weights_.layers[l];
    normalise(space_.x, layer.attention_norm, space_.normed, tokens_, static_cast<int>(model_.shape.hidden));
    if (is_latent(model_)) {
      latent_attention(l);
    } else {
      heads_attention(l);
    }
    multiply(space_.attended, layer.output.ptr(), nullptr, space_.x, tokens_, model_.shape.hidden, true);
  }

  /// attention(rope(Wq n), rope(Wk n), Wv n)
  void heads_attention(std::size_t l) {
    const DeviceLayer<T>& layer = weights_.layers[l];
    const ModelShape& shape = model_.shape;
    const std::size_t query_width = PassSpace<T>::query_width(shape), key_width = key_row_width(shape);
    multiply(space_.normed, layer.query.ptr(), layer.query_bias.ptr(), space_.queries, tokens_, query_width, false);
    multiply(space_.normed, layer.key.ptr(), layer.key_bias.ptr(), space_.keys, tokens_, key_width, false);
    multiply(space_.normed, layer.value.ptr(), layer.value_bias.ptr(), space_.values, tokens_, key_width, false);
    if (layer.query_norm.exists()) {
      normalise_heads(layer.query_norm, space_.queries, space_.other_queries, shape.query_heads);
      normalise_heads(layer.key_norm, space_.keys, space_.other_keys, shape.kv_heads);
    }
    rotate_heads(space_.queries, shape.query_heads, shape.head_dim, 0);
    rotate_heads(space_.keys, shape.kv_heads, shape.head_dim, 0);
    store(l);
    attend(l);
  }

  // Latent attention: latent_pass.cuh.
  void latent_attention(std::size_t l);
  void project_latent(const DeviceLayer<T>& layer);
  void attend_latent(std::size_t l);
  void multiply_heads(const DeviceBuffer<T>& x, const DeviceTensor<T>& weight, DeviceBuffer<T>& y, int first,
                      std::size_t inputs, std::size_t outputs, const LinearHeads& heads);

  /// Each head of each token is a row of its own; the result stands where x was.
  void normalise_heads(const DeviceTensor<T>& weight, DeviceBuffer<T>& x, DeviceBuffer<T>& room, unsigned heads) {
    normalise(x, weight, room, tokens_ * static_cast<int>(heads), static_cast<int>(model_.shape.head_dim));
    std::swap(x, room);
  }

  /// From number `first` of each head of `width` numbers on.
  void rotate_heads(DeviceBuffer<T>& x, unsigned heads, std::size_t width, std::size_t first) {
    const auto stride = static_cast<int>(width), num_heads = static_cast<int>(heads);
    const auto num_pairs = static_cast<int>(model_.rope_frequencies.size());
    const RopePairs pairs = model_.rotates_neighbours ? RopePairs::interleaved : RopePairs::halves;
    const RopeRows<T> rows = {x.ptr() + first, tokens_, num_heads, num_heads * stride, stride};
    const bool has_packs = fits_rope_packs(rows, num_pairs, pairs) && fits_packs<T>(first);
    const RopeRung rung = has_packs ? RopeRung::packs : RopeRung::number;
    rope(rung, stream_, rows, {space_.cosines.ptr(), space_.sines.ptr(), num_pairs}, pairs);
  }

  /// Where a layer's K and V begin.
  auto layer_of(const gptr<T>& cache, std::size_t l) const {
    return cache + l * cache_.num_blocks * cache_.layout.block_stride();
  }

  void store(std::size_t l) {
    const bool has_packs = fits_packs<T>(cache_.layout.token_stride());
    StoreKv<T> rows{space_.keys.ptr(), nullptr, batch_.slots.ptr(), layer_of(cache_.keys, l), nullptr};
    if (cache_.values != nullptr) {
      rows.values = space_.values.ptr();
      rows.value_cache = layer_of(cache_.values, l);
    }
    store_kv<T>(has_packs ? StoreKvRung::packs : StoreKvRung::numbers, stream_, rows, tokens_, cache_.layout);
  }

  BlockTables tables() const { return {batch_.tables.ptr(), flat_.most_blocks, cache_.num_blocks}; }

  PagedKv<T> paged_kv(std::size_t l) const {
    return {layer_of(cache_.keys, l), layer_of(cache_.values, l), cache_.layout, tables()};
  }

  void attend(std::size_t l) {
    if (flat_.most_new == 1 && cache_.layout.head_dim >= 16) return attend_with_one(l);
    AttentionPrefill<T> call;
    call.queries = space_.queries.ptr();
    call.out = space_.attended.ptr();
    call.cache = paged_kv(l);
    call.starts = batch_.starts.ptr();
    call.past = batch_.past.ptr();
    if (!flat_.ancestors.empty()) call.ancestors = batch_.ancestors.ptr();
    call.sequences = static_cast<unsigned>(flat_.past.size());
    call.most_new = flat_.most_new;
    call.query_heads = model_.shape.query_heads;
    attention_prefill(best_prefill<T>(cache_.layout.head_dim), stream_, call);
  }

  /// Every sequence has one new token: few queries, and many keys to share among the multiprocessors.
  void attend_with_one(std::size_t l) {
    AttentionDecode<T> call;
    call.queries = space_.queries.ptr();
    call.out = space_.attended.ptr();
    call.kv = paged_kv(l);
    call.lengths = batch_.lengths.ptr();
    call.sequences = static_cast<unsigned>(flat_.past.size());
    call.query_heads = model_.shape.query_heads;
    call.scale = 1 / std::sqrt(static_cast<float>(cache_.layout.head_dim));
    const unsigned splits = attention_decode_splits(call, longest());
    const std::size_t heads = std::size_t{call.rows()} * call.query_heads;
    attention_decode(AttentionDecodeRung::split, stream_, call, parts_of(splits, heads, cache_.layout.head_dim));
  }

  unsigned longest() const { return *std::max_element(flat_.lengths.begin(), flat_.lengths.end()); }

  /// The keys of all layers are cut alike, so that their kernels, which follow one another, share the room for parts:
  /// [heads][splits][width].
  DecodeParts parts_of(unsigned splits, std::size_t heads, std::size_t width) {
    DecodeParts parts;
    parts.splits = splits;
    if (parts.splits == 1) return parts;
    if (!part_out_) {
      heads *= parts.splits;
      part_out_.emplace(heads * width, "parts");
      part_lse_.emplace(heads, "log sums of parts");
    }
    parts.out = part_out_->ptr();
    parts.lse = part_lse_->ptr();
    return parts;
  }

  /// x += Wdown (silu(Wgate n) * (Wup n)) with n = norm(x)
  void feed_forward(const DeviceLayer<T>& layer) {
    normalise(space_.x, layer.ffn_norm, space_.normed, tokens_, static_cast<int>(model_.shape.hidden));
    multiply(space_.normed, layer.gate.ptr(), nullptr, space_.gate, tokens_, model_.ffn_hidden, false);
    multiply(space_.normed, layer.up.ptr(), nullptr, space_.up, tokens_, model_.ffn_hidden, false);
    const auto count = static_cast<long long>(space_.gate.size());
    const ActivateRung rung = fits_packs<T>(count) ? ActivateRung::packs : ActivateRung::number;
    swiglu<T>(rung, stream_, space_.gate.ptr(), std::as_const(space_.up).ptr(), count);
    multiply(space_.gate, layer.down.ptr(), nullptr, space_.x, tokens_, model_.shape.hidden, true);
  }

  const PlainModel& model_;
  const DeviceWeights<T>& weights_;
  const DeviceBuffer<double>& frequencies_;
  const CacheOfLayers<T>& cache_;
  const FlatBatch& flat_;
  const DeviceBatch batch_;
  PassSpace<T>& space_;
  Stream& stream_;
  const int tokens_;
  std::optional<DeviceBuffer<float>> part_out_, part_lse_;  ///< of attention, where it splits the keys
};

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda

#include "cuda/runner/latent_pass.cuh"
