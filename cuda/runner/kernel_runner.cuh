#pragma once
// The ModelRunner of kernel_runner.h for numbers of one type.

#include <cmath>
#include <optional>
#include <string>

#include "core/error.h"
#include "cuda/runner/check_batch.h"
#include "cuda/runner/kernel_pass.cuh"
#include "cuda/runner/kernel_runner.h"

namespace kvarium::cuda {
inline namespace SIMT_BACKEND {

template <typename T>
class KernelRunner final : public ModelRunner {
 public:
  explicit KernelRunner(PlainModel model)
      : model_(std::move(model)), weights_(model_), frequencies_(model_.rope_frequencies, "rope frequencies") {
    expect_known_widths();
  }

  const ModelShape& shape() const override { return model_.shape; }

  void create_cache(std::uint32_t num_blocks, std::uint32_t block_size) override {
    if (cache_) throw MisuseError("the runner has a cache already");
    cache_.emplace(model_.shape, num_blocks, block_size);
  }

  ForwardResult forward(std::span<const ScheduledSequence> batch) override {
    Cache& cache = this->cache();
    check_batch(model_.shape, batch, cache.layout.block_size, cache.num_blocks);
    const FlatBatch flat(batch, cache.layout.block_size, is_latent(model_));
    PassSpace<T> space(model_, flat.tokens.size(), flat.logit_rows.size());
    const CacheOfLayers<T> layers = cache.layers();
    KernelPass<T> pass(model_, weights_, frequencies_, layers, flat, space, stream_);
    pass.run();
    stream_.synchronize();
    ForwardResult result;
    result.logits = space.logits.download();
    expect_finite(result.logits);
    for (const ScheduledSequence& sequence : batch) result.work.push_back(work_of(model_, sequence));
    add_hidden(batch, space.normed_last, result.hidden);
    result.work.front().bytes_read += weight_bytes(model_, sizeof(T));
    return result;
  }

  void copy(std::span<const BlockCopy> copies) override {
    std::vector<BlockPair> pairs;
    for (const BlockCopy& copy : copies) pairs.push_back({value(copy.from), value(copy.to), copy.tokens});
    copy(cache().layers(), pairs);
  }

  /// Slots are blocks of one token.
  void move(std::span<const SlotMove> moves) override {
    CacheOfLayers<T> slots = cache().layers();
    slots.num_blocks *= slots.layout.block_size;
    slots.layout.block_size = 1;
    std::vector<BlockPair> pairs;
    for (const SlotMove& move : moves) {
      expect_slot(move.from, slots.num_blocks);
      expect_slot(move.to, slots.num_blocks);
      pairs.push_back({static_cast<std::uint32_t>(value(move.from)), static_cast<std::uint32_t>(value(move.to)), 1});
    }
    copy(slots, pairs);
  }

  std::vector<std::byte> save(std::span<const BlockId> blocks) const override {
    const Cache& cache = this->cache();
    expect_blocks(blocks, cache.num_blocks);
    std::vector<std::byte> bytes(saved_bytes(blocks.size()));
    auto* to = reinterpret_cast<T*>(bytes.data());
    for_each_run(blocks, [&](DeviceBuffer<T> Cache::*side, std::size_t offset) {
      (cache.*side).download(to, cache.layout.block_stride(), offset);
      to += cache.layout.block_stride();
    });
    return bytes;
  }

  void restore(std::span<const BlockId> blocks, std::span<const std::byte> bytes) override {
    Cache& cache = this->cache();
    expect_blocks(blocks, cache.num_blocks);
    if (bytes.size() != saved_bytes(blocks.size())) {
      throw MisuseError(std::to_string(bytes.size()) + " bytes for " + std::to_string(blocks.size()) + " blocks of " +
                        std::to_string(saved_bytes(1)));
    }
    const auto* from = reinterpret_cast<const T*>(bytes.data());
    for_each_run(blocks, [&](DeviceBuffer<T> Cache::*side, std::size_t offset) {
      (cache.*side).upload(from, cache.layout.block_stride(), offset);
      from += cache.layout.block_stride();
    });
  }

  std::uint64_t saved_bytes(std::size_t num_blocks) const override {
    const std::uint64_t sides = cache().has_values() ? 2 : 1;
    return num_blocks * sides * model_.shape.layers * cache().layout.block_stride() * sizeof(T);
  }

 private:
  /// InputError for heads or latent rows that no kernel takes.
  void expect_known_widths() const {
    const ModelShape& shape = model_.shape;
    const auto refuse = [&](const std::string& known, const std::string& own) {
      throw InputError("the model " + shape.name + " cannot run on the kernels, which take " + known + ", not of " +
                       own + ": run it without them");
    };
    if (!is_latent(model_)) {
      if (fits_prefill<T>(best_prefill<T>(shape.head_dim), shape.head_dim)) return;
      refuse("heads of 8, 16, 32, 64 or 128 numbers", std::to_string(shape.head_dim));
    }
    const std::uint32_t row = shape.latent_dim + shape.rotary_key_dim;
    if (fits_mla(shape.latent_dim, row)) return;
    refuse("rows of up to " + std::to_string(kMostLatentRow) + " numbers, up to " + std::to_string(kMostLatent) +
               " of them latent, both even",
           std::to_string(row) + " and " + std::to_string(shape.latent_dim));
  }

  void copy(const CacheOfLayers<T>& layers, const std::vector<BlockPair>& pairs) {
    if (pairs.empty()) return;
    DeviceBuffer<BlockPair> room(pairs.size(), "pairs");
    const bool has_packs = fits_packs<T>(layers.layout.token_stride());
    copy_blocks<T>(has_packs ? CopyBlocksRung::packs : CopyBlocksRung::numbers, stream_, layers, pairs, room);
    stream_.synchronize();
  }

  /// K and V of all layers: [layer][block][slot][kv_head][dim] each. Latent rows stand where K would, and there is no
  /// V.
  struct Cache {
    Cache(const ModelShape& shape, std::uint32_t blocks, std::uint32_t block_size)
        : num_layers(shape.layers),
          num_blocks(blocks),
          layout(kv_layout(shape, block_size)),
          keys(std::size_t{num_layers} * blocks * layout.block_stride(), "key cache"),
          values(value_row_width(shape) == 0 ? 0 : keys.size(), "value cache") {}

    bool has_values() const { return values.size() > 0; }
    CacheOfLayers<T> layers() {
      CacheOfLayers<T> all{keys.ptr(), nullptr, num_layers, num_blocks, layout};
      if (has_values()) all.values = values.ptr();
      return all;
    }

    std::uint32_t num_layers, num_blocks;
    KvLayout layout;
    DeviceBuffer<T> keys, values;
  };

  const Cache& cache() const {
    if (!cache_) throw MisuseError("the runner has no cache: call create_cache() first");
    return *cache_;
  }
  Cache& cache() { return const_cast<Cache&>(std::as_const(*this).cache()); }

  /// use(side, offset) for the K and the V of each block in each layer.
  template <typename Use>
  void for_each_run(std::span<const BlockId> blocks, const Use& use) const {
    for (const BlockId block : blocks) {
      for (std::size_t layer = 0; layer < cache().num_layers; ++layer) {
        const std::size_t offset = cache().layout.offset(layer * cache().num_blocks + value(block), 0, 0, 0);
        use(&Cache::keys, offset);
        if (cache().has_values()) use(&Cache::values, offset);
      }
    }
  }

  /// last: [rows][hidden], the rows of all sequences; those of a sequence that wants them go to `hidden`.
  void add_hidden(std::span<const ScheduledSequence> batch, const DeviceBuffer<T>& last,
                  std::vector<float>& hidden) const {
    std::size_t first = 0;
    for (const ScheduledSequence& sequence : batch) {
      const std::size_t count = std::size_t{sequence.logit_rows} * model_.shape.hidden;
      if (sequence.wants_hidden) {
        std::vector<T> rows(count);
        last.download(rows.data(), count, first);
        for (const T& number : rows) hidden.push_back(to_float(number));
      }
      first += count;
    }
  }

  void expect_finite(const std::vector<float>& logits) const {
    for (const float logit : logits) {
      if (std::isfinite(logit)) continue;
      throw InputError("the model " + model_.shape.name +
                       " computes a logit that is not a finite number: its weights are too large or damaged for this "
                       "type of number, use another file or type");
    }
  }

  PlainModel model_;
  DeviceWeights<T> weights_;
  DeviceBuffer<double> frequencies_;
  std::optional<Cache> cache_;
  Stream stream_;
};

}  // namespace SIMT_BACKEND
}  // namespace kvarium::cuda
